"""Leaderboards over several collections: means, ranks and points of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, Hint
from judged.stats.checks import check_choice, check_share
from judged.stats.differences import SLACK
from judged.stats.letters import letters

Missing = Literal["complete", "worst"]
By = Literal["mean", "mean_rank"]

_FUZZ = 1e-12  # relative to the largest value: means that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Systems over collections, in input order; every column has one number per system."""

    mean: Floats
    mean_rank: Floats  # 1 is best; equal systems share the mean of their ranks
    borda: Floats  # per collection one point for each system below, half a point for an equal one
    firsts: Floats  # collections in which it is best; divided among equal systems
    present: Ints  # counted collections in which it has a value
    missing: Missing
    collections: tuple[int, ...]  # the counted ones
    note: str = ""

    def order(self, by: By = "mean") -> list[int]:
        """Return the systems from best to worst; equal ones in input order."""
        return np.argsort(-self._goodness(by), kind="stable").tolist()

    def rank(self, by: By = "mean") -> Floats:
        """Return the rank of each system from 1; equal systems share the mean of their ranks."""
        goodness = self._goodness(by)
        return _mean_ranks(goodness, _FUZZ * float(np.abs(goodness).max()))

    def _goodness(self, by: By) -> Floats:
        check_choice(by, By, "by")
        return self.mean if by == "mean" else -self.mean_rank


def standings(table: Any, *, missing: Missing = "complete") -> Standings:
    """Aggregate values of systems × collections, of which some may be missing (NaN).

    - `"complete"`: only collections with a value of every system count.
    - `"worst"`: a missing value ranks last in its collection (several are tied) and counts as the lowest value of the collection.

    A collection without any value never counts. Ranks and Borda points (1781) depend on the order only; the mean also
    depends on the distances, and is not meaningful over collections on different scales.

    >>> board = standings([[0.5, 0.2], [0.4, 0.3], [0.1, 0.3]])
    >>> board.mean_rank.tolist(), board.borda.tolist(), board.firsts.tolist()
    ([2.0, 1.75, 2.25], [2.0, 2.5, 1.5], [1.0, 0.5, 0.5])
    """
    values = _system_values(table)
    check_choice(missing, Missing, "missing")
    known = ~np.isnan(values)
    counted: Bools = np.asarray(known.all(axis=0) if missing == "complete" else known.any(axis=0))
    if not counted.any():
        hint = Hint("count the others with {missing}", missing="worst")
        raise DataError("values-missing", "no collection has values of all systems", hint=hint)
    kept, present = values[:, counted], known[:, counted]
    filled = np.where(present, kept, np.min(kept, axis=0, where=present, initial=np.inf))
    ranks = _mean_ranks(np.where(present, kept, -np.inf), _FUZZ * float(np.abs(filled).max()))
    best, size = ranks == ranks.min(axis=0), kept.shape[1]
    out, gaps = int((~counted).sum()), int((~present).sum())
    notes = [f"{out} of {len(counted)} collections left out"] if out else []
    notes += [f"{gaps} missing {'value' if gaps == 1 else 'values'} ranked last"] if gaps else []
    return Standings(
        mean=filled.sum(axis=1) / size,
        mean_rank=ranks.sum(axis=1) / size,
        borda=(len(kept) - ranks).sum(axis=1),
        firsts=np.where(best, 1 / best.sum(axis=0), 0.0).sum(axis=1),
        present=present.sum(axis=1),
        missing=missing,
        collections=tuple(np.flatnonzero(counted).tolist()),
        note="; ".join(notes),
    )


def _system_values(table: Any) -> Floats:
    """Convert a table of systems × collections, or of queries × systems, to finite numbers or NaN."""
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", f"not a table of numbers: {error}") from error
    if values.ndim != 2 or 0 in values.shape or np.isinf(values).any():
        what = "an infinite value" if values.ndim == 2 and values.size else f"shape {values.shape}"
        raise DataError("table", "a table of systems × collections, of finite values or NaN", got=what)
    return values


def _mean_ranks(values: Floats, tolerance: float) -> Floats:
    """Return the ranks of each column from 1, highest value first; values that differ by at most the tolerance share the mean of their ranks."""
    with np.errstate(invalid="ignore"):  # -inf - -inf, of two missing values, which are tied
        above = values[None] - values[:, None] > tolerance  # above[i, j]: j is higher than i
    return (len(values) + 1 + above.sum(axis=1) - above.sum(axis=0)) / 2


# ── confidence sets of ranks ─────────────────────────────────────────────────────────────────────

# Simultaneous confidence sets for the ranks of systems (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024).
# All pairs of systems are tested at once: paired t tests with Bonferroni's correction, adjusted for skewness. A system's set starts below the systems that are
# significantly better and ends above those that are significantly worse, so all sets together contain the true ranks with the stated
# confidence. Bootstrap intervals of ranks do not: they are too narrow where systems are nearly equal (Xie, Singh and Zhang, JASA 2009).
#
# Many pairs are tested far in the tail, where t rejects skewed differences too often: a system that is 0 on most queries, against any other,
# may miss the few queries that decide. t is therefore replaced by Hall's transformation (Journal of the Royal Statistical Society B 1992),
# with the skewness towards the other system, and √(ln tests / 2) standard errors more, because a sample that misses those queries looks
# symmetric. A single pair is tested by t, as `compare` does. Simulated in `docs/explanations/error_rates.md`.


@dataclass(frozen=True, slots=True, eq=False)
class RankSets:
    """Rank of each system, and the smallest and largest rank that it may have; the sets hold for all systems at once."""

    rank: Floats
    low: Ints
    high: Ints
    above: Bools  # above[a, b]: a is significantly better than b
    confidence: float
    tests: int = 1  # that were corrected together

    def letters(self) -> tuple[str, ...]:
        """Return letters per system: two systems share one if and only if neither is significantly better."""
        return letters(self.above | self.above.T, np.argsort(self.rank, kind="stable").tolist())

    def best(self) -> list[int]:
        """Return the systems that may be the best, in input order: those that no other is significantly better than."""
        return np.flatnonzero(self.low == 1).tolist()


def rank_sets(
    values: Sequence[Any], *, by: By = "mean", missing: Missing = "complete", confidence: float = 0.95
) -> RankSets:
    """Compute simultaneous confidence sets for ranks from one table (queries × systems) per collection.

    A system without values in a collection has a column of NaN. The collections are fixed and the sets cover other
    queries of these collections. `by="mean"` tests means over all collections (Welch's t); the mean rank depends on ranks within
    collections, so every collection is tested and the bounds of its ranks are added up.

    Several pairs are tested with a margin for skewness, so that few queries may separate nobody. One query says nothing about others. Differences that are all equal have no variance: they are significant if n of them of one sign
    are, 2 / 2ⁿ ≤ the corrected level.

    >>> rank_sets([[[0.1, 0.9], [0.2, 0.8], [0.0, 0.7]]]).low.tolist()
    [2, 1]
    """
    check_choice(by, By, "by")
    alpha = 1 - check_share(confidence, "confidence")
    tables = [_system_values(table) for table in values]
    gaps = [np.isnan(table) for table in tables]
    if any((gap.any(axis=0) & ~gap.all(axis=0)).any() for gap in gaps):
        problem = "a system has values for some queries of a collection only"
        raise DataError("table", problem, hint="leave out queries that one system lacks")
    if not tables or len({table.shape[1] for table in tables}) > 1:
        raise DataError("table", "each collection needs a table of queries × systems with the same systems")
    observed = standings(np.stack([table.mean(axis=0) for table in tables], axis=1), missing=missing)
    kept = [_with_lowest(tables[i]) for i in observed.collections]
    k = kept[0].shape[1]
    tests = max(1, k * (k - 1) // 2) * (1 if by == "mean" else len(kept))
    if by == "mean":
        above = _above_in_mean(kept, alpha, tests)
    else:
        each = np.array([_above_in_mean([table], alpha, tests) for table in kept])
        present = np.array([~gaps[i].any(axis=0) for i in observed.collections])
        here, there = present[:, :, None], present[:, None, :]
        each = (each & here & there) | (here & ~there)  # a missing system is below all others
        best, worst = (1 + each.sum(axis=1)).sum(axis=0), (k - each.sum(axis=2)).sum(axis=0)  # sums of ranks
        above = (worst[:, None] < best) | each.all(axis=0)
    low, high = 1 + above.sum(axis=0), k - above.sum(axis=1)
    return RankSets(observed.rank(by), low, high, above, 1 - alpha, tests)


def _with_lowest(table: Floats) -> Floats:
    """Give missing systems the values of the lowest one."""
    absent = np.isnan(table[0])
    return np.where(absent, table[:, [int(np.nanargmin(table.mean(axis=0)))]], table) if absent.any() else table


def _above_in_mean(tables: Sequence[Floats], alpha: float, tests: int) -> Bools:
    """Test the mean over the collections for all pairs."""
    k, weight = tables[0].shape[1], 1 / len(tables)
    return np.array([_significant([weight * x[:, [a]] - weight * x for x in tables], alpha, tests) for a in range(k)])


def _significant(samples: Sequence[Floats], alpha: float, tests: int) -> Bools:
    """Return where the sum of the samples' means is significantly above 0: two-sided t test with Welch's degrees of freedom.

    Samples are queries × columns; columns without variance are tested by their signs. If it is one of several tests, t is
    adjusted for skewness.
    """
    from scipy.special import stdtr

    sizes = np.array([len(d) for d in samples])
    mean = np.sum([d.mean(axis=0) for d in samples], axis=0)
    largest = np.max([np.abs(d).max(axis=0) for d in samples], axis=0)
    errors = np.array(
        [d.var(axis=0, ddof=1) / len(d) if len(d) > 1 else np.where(d[0] == 0, 0.0, np.inf) for d in samples]
    )
    variance = errors.sum(axis=0)
    constant = variance <= (SLACK * largest) ** 2
    known = ~constant & np.isfinite(variance)
    scale = np.where(known, variance, 1.0)
    shares = np.where(known, errors, 1.0) / scale
    df = 1 / np.sum(shares**2 / np.maximum(sizes - 1, 1)[:, None], axis=0)
    t = np.abs(mean) / np.sqrt(scale)
    if tests > 1:
        rests = [d - d.mean(axis=0) for d in samples]
        thirds = np.sum([np.mean(r * r * r, axis=0) / len(r) ** 2 for r in rests], axis=0)
        margin = np.sqrt(3 * np.log(tests) * np.sum(shares**3 / sizes[:, None] ** 2, axis=0))
        skew = np.maximum(margin - thirds / scale**1.5, 0.0)
        with np.errstate(divide="ignore"):
            t = np.minimum(t, 3 / skew)  # where the transformation stops growing
        t = np.maximum(t - skew * t**2 / 3 + skew**2 * t**3 / 27 - skew / 6, 0.0)
    p = np.where(known, 2 * stdtr(df, -t), np.where(constant, 2.0 ** (1 - sizes.sum()), 1.0))
    return np.asarray((mean > SLACK * largest) & (p <= alpha / tests))
