"""One measure on one `Judged`, under its policies: what `evaluate` and `explain` both show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.errors import DataError, Warned
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.measures.registry import Measure

__all__ = ["column", "is_empty", "is_settled", "level_notes", "refuse_empty", "refuse_warnings"]


def column(measure: Measure, judged: Judged, orders: TieOrders | None) -> Column:
    """One value per query: the mean over the orders of ties if these are given, and the policy for empty queries."""
    values = orders.expected(measure) if orders else measure.on(judged)
    if not is_settled(measure, judged):
        return values
    return np.where(is_empty(measure, judged), 1.0 if judged.policy.empty == "one" else np.nan, values)


def is_settled(measure: Measure, judged: Judged) -> bool:
    """Whether the policy for queries without a relevant document decides their value: not for counts and shares judged."""
    d = measure.definition
    relevance = "unit" in d.laws and not d.lower_is_better and d.family != "coverage"
    return relevance and judged.policy.empty not in ("zero", "error")


def is_empty(measure: Measure, judged: Judged) -> Column:
    """Queries without a document that is relevant to the measure: at its level, or with a positive grade."""
    level, pool = measure.get("level"), judged.ideal
    return (
        pool.total(
            pool.is_relevant(level) if measure.definition.binary else (pool.grade > 0) & (pool.grade >= (level or 0))
        )
        == 0
    )


def level_notes(judged: Judged, measures: Sequence[Measure]) -> tuple[Warned, ...]:
    """Queries that have relevant documents, but none at the level of a measure: the join, which knows no level, does not count them."""
    found = []
    for level in sorted({m.get("level") for m in measures if m.definition.binary}):
        n = int(((judged.relevant(level) == 0) & (judged.pool.positive > 0)).sum())
        if n:
            what = "query has a relevant document, but none" if n == 1 else "queries have relevant documents, but none"
            found.append(
                Warned("no-relevant", n, f"{n} {what} of grade {level:g} or above (empty={judged.policy.empty})")
            )
    refuse_empty(judged.policy, found)
    return tuple(found)


def refuse_empty(policy: Policy, notes: Sequence[Warned]) -> None:
    """An error where the policy allows no query without a relevant document, and there is one."""
    for note in notes:
        if note.slug == "no-relevant" and policy.empty == "error":
            raise DataError(
                "no-relevant", "a relevant document for every query", got=f"{note.count} without one: {note.text}"
            )


def refuse_warnings(warnings: Sequence[Warned]) -> None:
    """An error where there is something to warn of."""
    if warnings:
        first = warnings[0]
        raise DataError(first.slug, "nothing to warn of", got=f"{len(warnings)} warnings, the first: {first.text}")
