"""`Drop`: the drop of a mean, with the interval that decides whether it is more than is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.comparison.comparison import Comparison
from judged.comparison.difference import SKEWED, Difference, skewness
from judged.comparison.evaluated_runs import model_matrix
from judged.measures.grammar import parse
from judged.quality_gate.rules import Rules
from judged.stats.checks import deviation
from judged.stats.corrections import CORRECTIONS, adjusted, levels
from judged.stats.decisions import usable_test
from judged.stats.differences import constant, known_rows, linearised, sum_by_cluster, totals
from judged.stats.paired.registry import TESTS, interval_of, mean_difference, outcome
from judged.stats.power import MATERIAL, detectable_difference
from judged.stats.two_phase import FEWEST, CheapValues, two_phase_means

POWER = 0.8  # with which `Drop.found` is found
_SPARSE = 30  # queries that changed: losses as rare as this may be missing from a sample, see `sure_ends`
ROUNDING = 1e-12  # of the numbers compared: 0.50 - 0.49 is not more than 0.01


def above(a: float, b: float, scale: float = 0.0) -> bool:
    """Return whether a exceeds b by more than a rounding error, of them or of the values they were computed from."""
    return a > b and (math.isinf(a) or a > b + ROUNDING * max(abs(a), abs(b), scale))


@dataclass(frozen=True)
class Losses:
    """The loss of each query, positive where the candidate is worse, also for measures where lower is better; with clusters of queries, a code each."""

    row: Difference
    losses: Floats
    rule: str  # max_drop, or max_total_drop for the drop since the anchor
    allowed: float
    limit: float  # the largest possible loss; for measures without a range, the largest value of either run
    bounded: bool  # the measure has a range
    lower_is_better: bool
    clusters: Ints | None = None
    cheap: CheapValues | None = None  # losses by judgments of a model, of more queries

    @cached_property
    def units(self) -> Floats:
        """Losses of independent units: queries, or clusters of them."""
        if self.clusters is None:
            return self.losses
        return linearised(*sum_by_cluster(self.losses[:, None], self.clusters))[:, 0]

    @cached_property
    def units_beyond(self) -> int:
        """The number of units that lost more or less than is allowed."""
        return int(np.count_nonzero(sum_by_cluster(self.beyond[:, None], self.clusters)[0]))

    def clip(self, low: float, high: float) -> tuple[float, float]:
        """The ends of an interval, kept within the range of the measure."""
        limit = self.limit if self.bounded else math.inf
        return max(low, -limit), min(high, limit)

    @cached_property
    def beyond(self) -> Floats:
        """Losses less the allowed drop, 0 where they are equal up to rounding: a positive mean is a drop that is not allowed."""
        beyond = self.losses - self.allowed
        noise = ROUNDING * max(abs(self.row.mean_a), abs(self.row.mean_b), self.allowed)
        return np.where(np.abs(beyond) <= noise, 0.0, beyond)


@dataclass(frozen=True)
class Drop:
    """A drop of a mean, positive if the candidate is worse, and the decision on it.

    In mode `sure` `low` and `high` are the interval with confidence 1 - alpha, and `high` decides. In the others both
    ends are one-sided, each at the level of the correction, and `low` decides: it exceeds the allowed drop exactly if
    the corrected p of the hypothesis that the drop is at most the allowed one is at most alpha.
    """

    of: Losses
    low: float
    high: float
    p: float = math.nan  # corrected, one-sided
    level: float = math.nan  # at which p was tested
    significant: bool = False
    least: float = 0.0  # the smallest corrected p that these queries can have
    unchanged: bool = False  # the candidate is the same run as the baseline

    @property
    def row(self) -> Difference:
        return self.of.row

    @property
    def size(self) -> float:
        return self.row.difference if self.of.lower_is_better else -self.row.difference

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of the difference, candidate less baseline."""
        return (self.low, self.high) if self.of.lower_is_better else (-self.high, -self.low)

    @property
    def changed(self) -> int:
        return self.row.wins + self.row.losses

    @property
    def sparse(self) -> bool:
        return is_sparse(self.changed, self.row.queries)

    def exceeds(self, size: float) -> bool:
        """Return whether a drop of this size is more than is allowed."""
        return above(size, self.of.allowed, max(abs(self.row.mean_a), abs(self.row.mean_b)))

    @property
    def matters(self) -> float:
        """A drop that should be found: twice the allowed one; if none is allowed, a tenth of the baseline's mean (Spärck Jones 1974)."""
        return 2 * self.of.allowed or MATERIAL * abs(self.row.mean_a)

    @cached_property
    def found(self) -> float:
        """The drop that this rule finds with a probability of 80%."""
        units, cheap = self.of.units, self.of.cheap
        spread = deviation(units)
        if cheap is not None and len(units) >= FEWEST:  # of as many queries whose mean is as precise
            spread = float(two_phase_means(units[:, None], cheap).error[0]) * math.sqrt(len(units))
        if math.isnan(self.level) or len(units) < 2 or not spread > 0:
            return math.nan
        level = min(2 * self.level, POWER / 2)
        return self.of.allowed + detectable_difference(spread, len(units), power=POWER, alpha=level)


def is_sparse(changed: int, queries: int) -> bool:
    """Return whether so few queries changed that another sample could have more losses than this one."""
    return changed < _SPARSE and 2 * changed < queries


def losses_of(
    comparison: Comparison, measures: Sequence[str], rules: Rules, rule: str = "max_drop"
) -> Iterator[Losses]:
    """The losses of the candidate for each measure: over all queries, and for `max_drop` in each slice."""
    for name in measures:
        x, model, definition = comparison.matrix(name), model_matrix(comparison.results, name), parse(name).definition
        known = known_rows(x) if model is None else known_rows(x) & known_rows(model)
        sign = 1.0 if definition.lower_is_better else -1.0
        limits = definition.limits or (0.0, np.abs(x).max(initial=0.0, where=~np.isnan(x)))
        allowed = rules.allowed(name, rule)
        parts = comparison.parts if rule == "max_drop" else ()
        clusters = comparison.results[0].clusters
        for row in (*comparison.rows, *parts):
            if row.measure == name:
                inside = np.full(len(x), True) if row.part is None else comparison.slices[row.part]
                chosen = known & inside
                yield Losses(
                    row,
                    sign * (x[chosen, 1] - x[chosen, 0]),
                    rule,
                    allowed,
                    float(limits[1] - limits[0]),
                    definition.limits is not None,
                    definition.lower_is_better,
                    None if clusters is None else clusters[chosen],
                    None if model is None else _model_losses(sign * model, inside & known_rows(model), chosen),
                )


def _model_losses(x: Floats, rows: Bools, known: Bools) -> CheapValues:
    """Losses by judgments of a model, of all queries in `rows`; people judged those in `known`."""
    return CheapValues(x[rows], known[rows]).differences([(0, 1)])


def decide_drops(losses: Sequence[Losses], rules: Rules, *, unchanged: bool = False) -> list[Drop]:
    """Decide on all drops of a gate together; those of slices with too few queries must be left out."""
    if rules.mode == "sure":
        bounds = [one.clip(*sure_ends(one.losses, one.limit, rules, one.clusters, one.cheap)) for one in losses]
        return [Drop(one, *ends, unchanged=unchanged) for one, ends in zip(losses, bounds, strict=True)]
    test, correction = TESTS.find(rules.paired_test), CORRECTIONS.find(rules.correction)
    own: dict[str, Any] = {"seed": rules.seed, "resamples": rules.resamples}
    tested = [outcome(one.beyond, test, clusters=one.clusters, cheap=one.cheap, **own) for one in losses]
    two_sided = [float(o.p[0]) for o in tested]
    p = np.array(
        [
            _one_sided(o.note[0], q, _direction(one, test.direction))
            for o, q, one in zip(tested, two_sided, losses, strict=True)
        ]
    )
    whole = adjusted(p, correction, most=math.inf)
    each = levels(p, whole, correction, rules.alpha)
    # Corrections are monotone: the smallest possible p-values, corrected, bound each corrected p from below.
    least = adjusted([test.least_p(one.units_beyond) / 2 for one in losses], correction)
    drops = []
    for i, one in enumerate(losses):
        level = 2 * float(each[i])
        ends = interval_of(
            one.beyond,
            test,
            level=level,
            p=np.array(two_sided[i : i + 1]),
            clusters=one.clusters,
            cheap=one.cheap,
            **own,
        )
        low, high = one.clip(*(float(end[0]) + one.allowed for end in ends))
        if not math.isfinite(float(ends[0][0])):  # also if each query lost what is allowed: then only many are evidence
            enough = not one.beyond.any() and 2.0 ** -len(one.units) <= each[i]
            low = high = one.allowed if enough else math.nan
        drops.append(
            Drop(one, low, high, min(float(whole[i]), 1.0), float(each[i]), bool(p[i] <= each[i]), float(least[i]))
        )
    return drops


def usable_rules(losses: Sequence[Losses], rules: Rules) -> tuple[Rules, tuple[str, ...]]:
    """The rules with the test that is used: t, with a remark, in place of one whose resamples are too few for its level."""
    name = "none" if rules.mode == "sure" else rules.correction
    level, queries = min(2 * rules.alpha, 0.5), max((len(one.units) for one in losses), default=0)
    test, correction = TESTS.find(rules.paired_test), CORRECTIONS.find(name)
    used, remarks = usable_test(test, correction, max(1, len(losses)), level, rules.resamples, queries)
    return replace(rules, test=used.name, resamples=rules.resamples if used is test else None), remarks


def _one_sided(note: str, p: float, direction: float) -> float:
    """The p of "the mean is at most 0" from the two-sided one: all tests here have the same chance on both sides."""
    return 1.0 if note else p / 2 if direction > 0 else 1 - p / 2


def _direction(one: Losses, of: object) -> float:
    table = one.beyond[:, None]
    if one.cheap is not None:
        return float(mean_difference(table, {"cheap": one.cheap})[0])
    return float((of(table) if callable(of) else totals(table))[0])


def sure_ends(
    losses: Floats, limit: float, rules: Rules, clusters: Ints | None = None, cheap: CheapValues | None = None
) -> tuple[float, float]:
    """The interval of the mean loss with confidence 1 - alpha; its upper end is also valid for rare losses.

    - If all queries have the same loss, nothing is known about the variance. A share of other queries of at most q, with
      (1 - q)ⁿ = alpha/2, may then lose everything (the exact bound for a share of which no case was seen).
    - If few queries changed (fewer than 30, and fewer than half), or a few lose much more than the others (skewness above
      √n / 4), two queries more are counted, which lose as much as any changed, as Agresti and Coull (The American Statistician 1998) do for a share. An interval of rare losses is too
      short without, because a sample that has too few of them has too small a variance as well.

    Clusters of queries take the place of queries in both. Losses by a model make the interval narrower where losses are not rare. Where they are, nobody
    knows how well the model sees them, and the interval is no narrower than that of people alone.
    """
    if cheap is not None and len(losses) >= FEWEST:
        ends = sure_ends(losses, limit, replace(rules, model=None, test=None), clusters)
        both = [float(end[0]) for end in interval_of(losses, rules.paired_test, level=rules.alpha, cheap=cheap)]
        one = losses[:, None]
        if constant(one, np.ones(len(one)))[0] or _is_rare(one, one):
            return min(ends[0], both[0]), max(ends[1], both[1])
        return both[0], both[1]
    sums, sizes = sum_by_cluster(losses[:, None], clusters)
    n = len(sizes)
    if constant(sums, sizes)[0]:
        share = 1 - (rules.alpha / 2) ** (1 / n)
        mean = float(losses[0])
        return mean - share * (limit + mean), mean + share * (limit - mean)
    own: dict[str, Any] = {"seed": rules.seed, "resamples": rules.resamples}
    low, high = (
        float(end[0]) for end in interval_of(losses, rules.paired_test, level=rules.alpha, clusters=clusters, **own)
    )
    units = sums if clusters is None else linearised(sums, sizes)
    if _is_rare(sums, units):
        size = round(len(losses) / n)
        more = np.append(losses, np.full(2 * size, np.abs(losses).max()))
        codes = None if clusters is None else np.append(clusters, clusters.max() + np.repeat([1, 2], size))
        high = max(high, float(interval_of(more, "t", level=rules.alpha, clusters=codes)[1][0]))
    return low, high


def _is_rare(sums: Floats, units: Floats) -> bool:
    """Return whether losses are so rare, or so few of them so large, that a sample may lack them."""
    n = len(units)
    return is_sparse(int(np.count_nonzero(sums)), n) or skewness(units[:, 0]) > SKEWED * math.sqrt(n)
