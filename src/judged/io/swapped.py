"""Judgments and a run in each other's place, in inputs that do not name their columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from judged.core.tables import Qrels, Run
from judged.core.unread_runs import DictRun, TextRun, UnreadRun
from judged.errors import DataError, Hint, Wording
from judged.io.files import is_path

JUDGMENTS_FIRST = "pass the judgments first, then the run"
_HIGHEST_GRADE = 10


def are_ambiguous(qrels: Any, run: Any) -> bool:
    """Return whether only the numbers tell judgments from a run: not if the caller made them so, or if the columns of a file do."""
    return (
        not isinstance(qrels, Qrels)
        and not isinstance(run, Run | UnreadRun)
        and all(map(_has_no_columns, (qrels, run)))
    )


def _has_no_columns(source: Any) -> bool:
    """True for {query: {doc: number}}, for tuples, and for JSON, which may be either."""
    if is_path(source):
        return ".json" in os.fsdecode(source)
    if isinstance(source, Mapping):
        return isinstance(next(iter(source.values()), None), Mapping)
    return isinstance(source, list | tuple) and len(source) > 0 and isinstance(source[0], list | tuple)


def check_not_swapped(qrels: Qrels, run: Run | UnreadRun) -> None:
    """Raise `swapped` if the grades look like scores and the scores like grades.

    Scores are fractions, most of which differ within a query; grades are small integers that recur within a query, or only 0 and 1.
    Neither alone is enough: grades may be fractions, and scores integers.
    """
    if _are_scores(qrels) and _are_grades(run):
        problem = f"the judgments look like a run ({qrels.grade[0]:g} …), and the run looks like judgments"
        sure = Hint(
            f"{JUDGMENTS_FIRST}; if they already are in this order, {{sure}}",
            sure=Wording("pass jd.Qrels(…)", "store the judgments as a table with a column relevance"),
        )
        raise DataError("swapped", problem, hint=sure, where=qrels.name, value=float(qrels.grade[0]))


def _are_scores(qrels: Qrels) -> bool:
    fractions = qrels.grade != np.trunc(qrels.grade)
    if not fractions.any() or len(qrels) == len(qrels.queries):
        return False
    return 2 * len(np.unique(np.stack([qrels.query[fractions], qrels.grade[fractions]]), axis=1).T) > len(qrels)


def _are_grades(run: Run | UnreadRun) -> bool:
    seen: set[tuple[Any, Any]] = set()
    recur = False
    for pair in _scores(run):
        score = float(pair[1]) if isinstance(pair[1], Real) else np.nan
        if score % 1 != 0 or abs(score) > _HIGHEST_GRADE:
            return False
        recur = recur or pair in seen
        seen.add(pair)
    return bool(seen) and (recur or {score for _, score in seen} <= {0, 1})


def _scores(run: Run | UnreadRun) -> Iterator[tuple[Any, Any]]:
    """(query, score) of each row; none of a run whose scores are made of ranks, or that is not in memory."""
    if isinstance(run, Run) and run.rank is None:
        yield from zip(run.query.tolist(), run.score.tolist(), strict=True)
    elif isinstance(run, TextRun):
        yield from _scores(run.read())
    elif isinstance(run, DictRun):
        for query, ranking in run.rankings.items():
            yield from ((query, score) for score in ranking.values()) if isinstance(ranking, dict) else ()
