"""Judgments and a run in dicts, as programs pass them in loops: opened without the search for other kinds of input."""

from __future__ import annotations

from typing import Any

from judged.core.tables import Qrels
from judged.core.unread_runs import DictRun
from judged.io.columns import ColumnRequest
from judged.io.containers import read_plain_dict
from judged.io.read import open_whole_run
from judged.io.recognise import is_questions
from judged.io.swapped import check_not_swapped

_QRELS = ColumnRequest("qrels")


def open_dicts(qrels: dict[Any, Any], run: dict[Any, Any]) -> tuple[Qrels, DictRun] | None:
    """Return judgments and a run that the native core takes; None if either is anything but ordinary.

    Raises:
        DataError: the judgments look like a run, and the run looks like judgments.
    """
    judgments = read_plain_dict(qrels, _QRELS)
    if judgments is None or is_questions(run):
        return None
    opened = open_whole_run(run)
    if not isinstance(opened, DictRun):
        return None
    assert isinstance(judgments, Qrels)
    check_not_swapped(judgments, opened)
    return judgments, opened
