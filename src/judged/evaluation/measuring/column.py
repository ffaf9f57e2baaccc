"""Compute one measure on one `Judged` under its policies, for `evaluate` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.errors import DataError, Warned
from judged.measures.registry import Measure

if TYPE_CHECKING:
    from judged.evaluation.measuring.expected_ties import TieOrders


def column(measure: Measure, judged: Judged, orders: TieOrders | None) -> Column:
    """One value per query: the mean over the orders of ties if these are given; empty queries by the policy."""
    values = orders.expected_value(measure) if orders else measure.on(judged)
    if not is_settled(measure, judged):
        return values
    return np.where(is_empty(measure, judged), 1.0 if judged.policy.empty == "one" else np.nan, values)


def ends_at_cutoff(measure: Measure, policy: Policy) -> bool:
    """True if hits below the cutoff, and not tied with one above it, leave the value as it is."""
    renumbered = measure.get("judged_only") or measure.get("tokens") is not None
    return "cutoff" in measure.definition.laws and policy.ties != "expected" and not renumbered


def is_settled(measure: Measure, judged: Judged) -> bool:
    """True if the policy decides the value of queries without a relevant document: not for counts, judged shares and measures that need none."""
    d = measure.definition
    relevance = "unit" in d.laws and not d.lower_is_better and d.family != "coverage" and not d.always_defined
    return relevance and judged.policy.empty not in ("zero", "error")


def is_empty(measure: Measure, judged: Judged) -> Column:
    """Queries without a document that is relevant to the measure: at its level, or with a positive grade."""
    level = measure.get("level")
    if measure.definition.binary:
        return judged.relevant(level) == 0
    if not level:
        return judged.pool.positive == 0
    pool = judged.ideal
    return pool.total((pool.grade > 0) & (pool.grade >= level)) == 0


def level_warnings(judged: Judged, measures: Sequence[Measure]) -> tuple[Warned, ...]:
    """Warn of queries whose relevant documents are all below the level of a measure; the join, which has no level, cannot."""
    warnings = []
    for level in sorted({m.get("level") for m in measures if m.definition.binary}):
        n = int(((judged.relevant(level) == 0) & (judged.pool.positive > 0)).sum())
        if n:
            who = "query has a relevant document, but none" if n == 1 else "queries have relevant documents, but none"
            warnings.append(
                Warned("no-relevant", n, f"{n} {who} of grade {level:g} or above (empty={judged.policy.empty})")
            )
    check_empty(judged.policy, warnings)
    return tuple(warnings)


def check_empty(policy: Policy, warnings: Sequence[Warned]) -> None:
    """Raise if a query has no relevant document and the policy does not allow that."""
    for warning in warnings:
        if warning.slug == "no-relevant" and policy.empty == "error":
            raise DataError("no-relevant", warning.text, value=warning.count)


def check_strict(warnings: Sequence[Warned]) -> None:
    """Raise if there is a warning."""
    if warnings:
        count = f"{len(warnings)} warning{'s' * (len(warnings) > 1)}"
        raise DataError(warnings[0].slug, f"strict mode: {count}; first: {warnings[0].text}")
