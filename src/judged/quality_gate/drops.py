"""`Drop`: the drop of a mean, with the interval that decides whether it is more than is allowed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Floats
from judged.comparison.comparison import Comparison
from judged.comparison.difference import SKEWED, Difference, skewness
from judged.measures.registry import parse
from judged.quality_gate.rules import Rules
from judged.stats.checks import deviations
from judged.stats.corrections import CORRECTIONS, adjusted, levels
from judged.stats.decisions import usable_test
from judged.stats.differences import ROUNDING, known_rows, mean_and_error, totals
from judged.stats.paired.registry import TESTS, interval_of, outcome
from judged.stats.power import detectable_difference

POWER = 0.8  # with which `Drop.found` is found
_SPARSE = 30  # queries that changed: losses as rare as this may be missing from a sample, see `sure_ends`


def above(a: float, b: float, scale: float = 0.0) -> bool:
    """Return whether a exceeds b by more than a rounding error, of them or of the values they were computed from."""
    return a > b and (math.isinf(a) or a > b + ROUNDING * max(abs(a), abs(b), scale))


@dataclass(frozen=True)
class Drop:
    """A drop of a mean, and, once it was decided on, the decision.

    In mode `sure` `low` and `high` are the interval with confidence 1 - alpha, and `high` decides. In the others both
    ends are one-sided, each at the level of the correction, and `low` decides: it exceeds the allowed drop exactly if
    the corrected p of the hypothesis that the drop is at most the allowed one is at most alpha.
    """

    row: Difference
    losses: Floats  # of each query, positive where the candidate is worse, also for measures where lower is better
    rule: str  # max_drop, or max_total_drop for the drop since the anchor
    allowed: float
    limit: float  # the largest possible loss; for measures without a range, the largest value of either run
    bounded: bool  # the measure has a range
    lower_is_better: bool
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan  # one-sided, corrected
    corrected: bool = False  # over the other tests of the measure; False if there are none
    level: float = math.nan  # at which p was tested
    significant: bool = False
    unchanged: bool = False  # the candidate is the same run as the baseline

    @property
    def size(self) -> float:
        """The drop, positive if the candidate is worse."""
        return self.row.difference if self.lower_is_better else -self.row.difference

    def clip(self, low: float, high: float) -> dict[str, Any]:
        """The ends of an interval, kept within the range of the measure."""
        limit = self.limit if self.bounded else math.inf
        return {"low": max(low, -limit), "high": min(high, limit)}

    @cached_property
    def beyond(self) -> Floats:
        """Losses less the allowed drop, 0 where they are equal up to rounding: a positive mean is a drop that is not allowed."""
        beyond = self.losses - self.allowed
        noise = ROUNDING * max(abs(self.row.mean_a), abs(self.row.mean_b), self.allowed)
        return np.where(np.abs(beyond) <= noise, 0.0, beyond)

    def exceeds(self, size: float) -> bool:
        """Return whether a drop of this size is more than is allowed."""
        return above(size, self.allowed, max(abs(self.row.mean_a), abs(self.row.mean_b)))

    @property
    def found(self) -> float:
        """The drop that this rule finds with a probability of 80%."""
        spread = float(deviations(self.losses[:, None])[0])
        if math.isnan(self.level) or len(self.losses) < 2 or not spread > 0:
            return math.nan
        level = min(2 * self.level, POWER / 2)
        return self.allowed + detectable_difference(spread, len(self.losses), power=POWER, alpha=level)


def is_sparse(changed: int, queries: int) -> bool:
    """Return whether so few queries changed that another sample could have more losses than this one."""
    return changed < _SPARSE and 2 * changed < queries


def drops_of(comparison: Comparison, measures: Sequence[str], rules: Rules, rule: str = "max_drop") -> Iterator[Drop]:
    """The drops of the candidate for each measure: over all queries, and for `max_drop` in each slice."""
    parts = comparison.parts if rule == "max_drop" else ()
    for name in measures:
        x, definition = comparison.matrix(name), parse(name).definition
        limits = definition.limits or (0.0, np.abs(x).max(initial=0.0, where=~np.isnan(x)))
        for row in (*comparison.rows, *parts):
            if row.measure == name:
                inside = np.full(len(x), True) if row.part is None else comparison.slices[row.part]
                chosen = x[known_rows(x) & inside]
                yield Drop(
                    row,
                    (chosen[:, 1] - chosen[:, 0]) * (1.0 if definition.lower_is_better else -1.0),
                    rule,
                    rules.allowed(name, rule),
                    float(limits[1] - limits[0]),
                    definition.limits is not None,
                    definition.lower_is_better,
                )


def decide_drops(drops: Sequence[Drop], rules: Rules, *, unchanged: bool = False) -> list[Drop]:
    """Decide on all drops of a gate together; those of slices with too few queries must be left out."""
    if rules.mode == "sure":
        return [
            replace(one, **one.clip(*sure_ends(one.losses, one.limit, rules)), unchanged=unchanged) for one in drops
        ]
    test, correction = TESTS.find(rules.paired_test), CORRECTIONS.find(rules.correction)
    own: dict[str, Any] = {"seed": rules.seed, "resamples": rules.resamples}
    outcomes, one_sided = [outcome(one.beyond, test, **own) for one in drops], []
    for one, found in zip(drops, outcomes, strict=True):
        table, p = one.beyond[:, None], float(found.p[0])
        up = float((test.direction or totals)(table)[0]) > 0
        # All tests here have the same chance on both sides.
        one_sided.append(1.0 if found.note[0] else p / 2 if up else 1 - p / 2)
    p_values = np.array(one_sided)
    whole, each = np.empty_like(p_values), np.empty_like(p_values)
    corrected = np.zeros(len(drops), bool)
    for measure in {one.row.measure for one in drops}:  # a family of tests, as in `compare`
        rows = np.array([one.row.measure == measure for one in drops])
        whole[rows] = adjusted(p_values[rows], correction, most=math.inf)
        each[rows] = levels(p_values[rows], whole[rows], correction, rules.alpha)
        corrected[rows] = rows.sum() > 1 and correction.name != "none"
    decided = []
    for i, one in enumerate(drops):
        level = float(each[i])
        ends = interval_of(one.beyond, test, level=2 * level, p=outcomes[i].p, **own)
        interval = one.clip(*(float(end[0]) + one.allowed for end in ends))
        if not math.isfinite(float(ends[0][0])):  # also if each query lost what is allowed: then only many are evidence
            enough = not one.beyond.any() and 2.0 ** -len(one.losses) <= level
            interval = dict.fromkeys(interval, one.allowed if enough else math.nan)
        significant = bool(one_sided[i] <= level)
        tested = replace(one, **interval, p=min(float(whole[i]), 1.0), corrected=bool(corrected[i]))
        decided.append(replace(tested, level=level, significant=significant))
    return decided


def usable_rules(drops: Sequence[Drop], rules: Rules) -> tuple[Rules, tuple[str, ...]]:
    """The rules with the test that is used: t, with a remark, in place of one whose resamples are too few for its level."""
    name = "none" if rules.mode == "sure" else rules.correction
    level, queries = min(2 * rules.alpha, 0.5), max((len(one.losses) for one in drops), default=0)
    test, correction = TESTS.find(rules.paired_test), CORRECTIONS.find(name)
    count = max(Counter(one.row.measure for one in drops).values(), default=1)  # of a family
    used, remarks = usable_test(test, correction, count, level, rules.resamples, queries)
    return replace(rules, test=used.name, resamples=rules.resamples if used is test else None), remarks


def sure_ends(losses: Floats, limit: float, rules: Rules) -> tuple[float, float]:
    """The interval of the mean loss with confidence 1 - alpha; its upper end is also valid for rare losses.

    - If all queries have the same loss, nothing is known about the variance. A share of other queries of at most q, with
      (1 - q)ⁿ = alpha/2, may then lose everything (the exact bound for a share of which no case was seen).
    - If few queries changed (fewer than 30, and fewer than half), or a few lose much more than the others (skewness above
      √n / 4), two queries more are counted, which lose as much as any changed, as Agresti and Coull (The American Statistician 1998) do for a share. An interval of rare losses is too
      short without, because a sample that has too few of them has too small a variance as well.
    """
    n = len(losses)
    if mean_and_error(losses[:, None], np.ones(n)).constant[0]:
        share = 1 - (rules.alpha / 2) ** (1 / n)
        mean = float(losses[0])
        return mean - share * (limit + mean), mean + share * (limit - mean)
    ends = interval_of(losses, rules.paired_test, level=rules.alpha, seed=rules.seed, resamples=rules.resamples)
    low, high = (float(end[0]) for end in ends)
    if is_sparse(int(np.count_nonzero(losses)), n) or skewness(losses[:, None])[0] > SKEWED * math.sqrt(n):
        more = np.append(losses, np.full(2, np.abs(losses).max()))
        high = max(high, float(interval_of(more, "t", level=rules.alpha)[1][0]))
    return low, high
