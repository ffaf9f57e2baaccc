"""What is worth saying about a join: counted warnings, each in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.core.find.hits import Hits
from judged.core.find.pool import decoded
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import HasName, Id, Qrels
from judged.errors import DataError, Warned, shown

__all__ = ["join_warnings"]

_LARGEST_COMMON_GRADE = 127


def join_warnings(j: Judged, qrels: Qrels, run: HasName, found: Hits, policy: Policy) -> list[Warned]:
    notes = []

    def note(slug: str, count: int, text: str) -> None:
        if count:
            notes.append(Warned(slug, count, text))

    def count(things: list[Any] | int, one: str = "query", many: str = "queries") -> str:
        number = things if isinstance(things, int) else len(things)
        return f"{number} {one if number == 1 else many}"

    def some(ids: list[Id]) -> str:
        return ", ".join(shown(i) for i in ids[:3]) + (" …" if len(ids) > 3 else "")

    missing = [j.queries[i] for i in np.flatnonzero(~found.answered)]
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

    bare = np.bincount(qrels.query, minlength=len(qrels.queries)) == 0
    empty = decoded(qrels.queries.take(bare), qrels.query_kind)
    note("not-judged", len(empty), f"{count(empty)} of {qrels.label} without any judgment, left out: {some(empty)}")
    some_extra = ", ".join(map(shown, found.some_unjudged)) + " …" * (found.unjudged > 3)
    note(
        "query-unjudged",
        found.unjudged,
        f"{'more than ' * found.more_unjudged}{count(found.unjudged)} of {run.label} without judgments, ignored: {some_extra}",
    )

    none = [j.queries[i] for i in np.flatnonzero(j.pool.positive == 0)]
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
    note(
        "score-inf",
        found.infinite,
        f"{count(found.infinite, 'score is', 'scores are')} infinite in {run.label}; ranked first or last",
    )
    if len(j.query) == 0 and j.retrieved.any():
        note("no-overlap", 1, f"no document of {run.label} is judged for its query; are the document ids the same?")
    if policy.order == "score":
        against = f"the rank column contradicts the scores in {count(found.disagreeing)} of {run.label}"
        note("rank-disagrees", found.disagreeing, f"{against}; scores decide (order='rank' for the column)")
    decided = (j.tie_last > j.tie_first) & (j.grade > 0)
    tied = int(np.unique(j.query[decided]).size)
    if policy.order == "score":
        note(
            "ties",
            tied,
            f"in {count(tied)} of {run.label} the rank of a relevant document rests on tied scores (ties: {policy.ties})",
        )
    return notes
