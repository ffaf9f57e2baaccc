"""What is worth saying about a join: counted warnings, each in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core._pool import decoded
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.table import Id, Qrels, Run
from judged.errors import DataError, Warned, shown

__all__ = ["notes_on"]

_LARGEST_COMMON_GRADE = 127


def notes_on(j: Judged, qrels: Qrels, run: Run, answered: NDArray[np.bool_], policy: Policy) -> list[Warned]:
    notes = []

    def note(slug: str, count: int, text: str) -> None:
        if count:
            notes.append(Warned(slug, count, text))

    def count(things: list[Any] | int, one: str = "query", many: str = "queries") -> str:
        number = things if isinstance(things, int) else len(things)
        return f"{number} {one if number == 1 else many}"

    def some(ids: list[Id]) -> str:
        return ", ".join(shown(i) for i in ids[:3]) + (" …" if len(ids) > 3 else "")

    missing = [j.queries[i] for i in np.flatnonzero(~answered)]
    if missing and policy.queries == "strict":
        raise DataError(
            "query-missing", f"a ranking for each of {len(j)} judged queries", got=f"none for {some(missing)}",
            hint="queries='judged' counts them as 0, queries='both' leaves them out", where=run.name,
        )  # fmt: skip
    what = "left out" if policy.queries == "both" else "counted as 0"
    note(
        "query-missing",
        len(missing),
        f"{count(missing, 'judged query is', 'judged queries are')} absent from {run.label}, {what}: {some(missing)}",
    )

    known = set(qrels.queries.tolist())
    bare = np.bincount(qrels.query, minlength=len(qrels.queries)) == 0
    empty = decoded(qrels.queries.take(bare), qrels.query_kind)
    note("not-judged", len(empty), f"{count(empty)} of {qrels.label} without any judgment, left out: {some(empty)}")
    extra = [raw for raw in run.queries.tolist() if raw not in known]
    note("query-unjudged", len(extra), f"{count(extra)} of {run.label} without judgments, ignored: {some(list(extra))}")

    none = [j.queries[i] for i in np.flatnonzero(j.ideal.total(j.pool_grade > 0) == 0)]
    note(
        "no-relevant",
        len(none),
        f"{count(none)} without a relevant document, valued by the policy empty={policy.empty}: {some(none)}",
    )

    large = int((np.abs(qrels.grade) > _LARGEST_COMMON_GRADE).sum())
    note(
        "grade-large",
        large,
        f"{count(large, 'grade is', 'grades are')} above {_LARGEST_COMMON_GRADE}; other tools may refuse them",
    )
    infinite = int(np.isinf(run.score).sum())
    note(
        "score-inf",
        infinite,
        f"{count(infinite, 'score is', 'scores are')} infinite in {run.label}; ranked first or last",
    )
    if len(j.query) == 0 and j.retrieved.any():
        note("no-overlap", 1, f"no document of {run.label} is judged for its query; are the document ids the same?")
    if run.rank is not None and policy.order == "score":
        note(*_rank_disagreement(run))
    decided = (j.tie_last > j.tie_first) & (j.grade > 0)
    tied = int(np.unique(j.query[decided]).size)
    if policy.order == "score":
        note(
            "ties",
            tied,
            f"in {count(tied)} of {run.label} the rank of a relevant document rests on tied scores (ties: {policy.ties})",
        )
    return notes


def _rank_disagreement(run: Run) -> tuple[str, int, str]:
    assert run.rank is not None
    together = run.query[1:] == run.query[:-1]
    lower_rank, higher_score = run.rank[1:] > run.rank[:-1], run.score[1:] > run.score[:-1]
    different = (run.rank[1:] != run.rank[:-1]) & (run.score[1:] != run.score[:-1])
    against = together & different & (lower_rank == higher_score)
    count = int(np.unique(run.query[1:][against]).size)
    text = f"the rank column contradicts the scores in {count} {'query' if count == 1 else 'queries'} of {run.label}; scores decide (order='rank' for the column)"
    return "rank-disagrees", count, text
