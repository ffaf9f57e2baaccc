"""`{query: {doc: number}}` in dicts of the ordinary types, read by the native core; `containers.py` reads all others, or raises."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.tables import Qrels, Run
from judged.core.text_rows import read_dict
from judged.errors import Place
from judged.io.tables.columns import ColumnRequest

if TYPE_CHECKING:
    from judged.core.text_rows import DictRows


def read_plain_dict(source: dict[Any, Any], request: ColumnRequest) -> Run | Qrels | None:
    """Return a run or judgments; None if the dict is anything but ordinary."""
    if not request.is_ranking or request.named or request.grade_map is not None:
        return None
    rows = read_dict(source)
    if rows is None:
        return None
    keys: dict[str, Any] = {
        "name": request.what,
        "where": partial(_place, request.what, rows),
        "query_kind": rows.query_kind,
        "doc_kind": rows.doc_kind,
        "queries": rows.queries,
        "query": rows.query,
        "doc": rows.doc,
    }
    return Run(**keys, score=rows.number) if request.what == "run" else Qrels(**keys, grade=rows.number)


def _place(what: str, rows: DictRows, row: int) -> Place:
    from judged.io.tables.origin import Keys

    return Keys(what, rows.queries, np.bincount(rows.query, minlength=len(rows.queries)), rows.doc).place(row)
