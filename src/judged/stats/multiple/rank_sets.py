"""Simultaneous confidence sets for the ranks of systems (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024).

All pairs of systems are tested at once: paired t tests with Bonferroni's correction. A system's set starts below the systems that are
significantly better and ends above those that are significantly worse, so all sets together contain the true ranks with the stated
confidence. Bootstrap intervals of ranks do not: they are too narrow where systems are nearly equal (Xie, Singh and Zhang, JASA 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, Hint, UsageError
from judged.stats.checks import check_choice, check_share
from judged.stats.differences import SLACK
from judged.stats.multiple.leaderboard import By, Missing, standings, system_values
from judged.stats.multiple.letters import letters
from judged.stats.multiple.omnibus import mean_ranks

Over = Literal["queries", "collections"]


@dataclass(frozen=True, slots=True, eq=False)
class RankSets:
    """Rank of each system, and the smallest and largest rank that it may have; the sets hold for all systems at once."""

    rank: Floats
    low: Ints
    high: Ints
    above: Bools  # above[a, b]: a is significantly better than b
    confidence: float
    over: Over

    def letters(self) -> tuple[str, ...]:
        """Return letters per system: two systems share one if and only if neither is significantly better."""
        return letters(self.above | self.above.T, np.argsort(self.rank, kind="stable").tolist())

    def best(self) -> list[int]:
        """Return the systems that may be the best, in input order: those that no other is significantly better than."""
        return np.flatnonzero(self.low == 1).tolist()


def rank_sets(
    values: Sequence[Any],
    *,
    by: By = "mean",
    missing: Missing = "complete",
    confidence: float = 0.95,
    over: Over = "queries",
) -> RankSets:
    """Compute simultaneous confidence sets for ranks from one table (queries × systems) per collection.

    A system without values in a collection has a column of NaN. With `over="queries"` the collections are fixed and the sets cover other
    queries of these collections. `by="mean"` tests means over all collections (Welch's t); the other orders depend on ranks within collections,
    so every collection is tested and the bounds of its ranks are added up. With `over="collections"` each collection is one
    observation, and the sets cover other collections of this kind; a handful of collections separates few systems.

    One query says nothing about others. Differences that are all equal have no variance: they are significant if n of them of one sign
    are, 2 / 2ⁿ ≤ the corrected level.

    >>> rank_sets([[[0.1, 0.9], [0.2, 0.8], [0.0, 0.7]]]).low.tolist()
    [2, 1]
    """
    check_choice(by, By, "by")
    check_choice(over, Over, "over")
    alpha = 1 - check_share(confidence, "confidence")
    tables = [_whole(table) for table in values]
    if not tables or len({table.shape[1] for table in tables}) > 1:
        raise DataError("table", "each collection needs a table of queries × systems with the same systems")
    observed = standings(np.stack([table.mean(axis=0) for table in tables], axis=1), missing=missing)
    kept = [_fill(tables[i], missing) for i in observed.collections]
    present = np.array([~np.isnan(tables[i]).any(axis=0) for i in observed.collections])
    k = present.shape[1]
    pairs = max(1, k * (k - 1) // 2)
    if over == "collections":
        above = _above_over_collections(kept, present, by, missing, alpha / pairs)
    elif by == "mean":
        counted = np.ones_like(present) if missing == "worst" else present
        above = _above_in_mean(kept, counted, alpha / pairs)
    else:
        each = [_above_in_mean([t], np.ones((1, k), bool), alpha / pairs / len(kept)) for t in kept]
        above = _above_in_ranks(
            np.array([_with_missing(a, p, missing) for a, p in zip(each, present, strict=True)]), present, by, missing
        )
    low, high = 1 + above.sum(axis=0), k - above.sum(axis=1)
    return RankSets(observed.rank(by), low, high, above, 1 - alpha, over)


def _whole(table: Any) -> Floats:
    values = system_values(table)
    gaps = np.isnan(values)
    if (gaps.any(axis=0) & ~gaps.all(axis=0)).any():
        problem = "a system has values for some queries of a collection only"
        raise DataError("table", problem, hint="leave out queries that one system lacks")
    return values


def _fill(table: Floats, missing: Missing) -> Floats:
    """A missing system has the values of the lowest one if it counts as that, otherwise 0, which no weight counts."""
    absent = np.isnan(table[0])
    if not absent.any():
        return table
    lowest = table[:, [int(np.nanargmin(table.mean(axis=0)))]]
    return np.where(absent, lowest if missing == "worst" else 0.0, table)


def _above_in_mean(tables: Sequence[Floats], counted: Bools, level: float) -> Bools:
    """Test the mean over the counted collections for all pairs; `counted` has collections × systems."""
    weights = counted / np.maximum(counted.sum(axis=0), 1)
    comparable: Bools = np.asarray(counted.any(axis=0))
    k = counted.shape[1]
    above = np.zeros((k, k), bool)
    for a in range(k):
        d = [w[a] * x[:, [a]] - w * x for x, w in zip(tables, weights, strict=True)]
        above[a] = comparable & comparable[a] & _significant(d, level)
    return above


def _significant(samples: Sequence[Floats], level: float) -> Bools:
    """Return where the sum of the samples' means is significantly above 0: two-sided t test with Welch's degrees of freedom.

    Samples are queries × columns; columns without variance are tested by their signs.
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
    p = np.where(
        known, 2 * stdtr(df, -np.abs(mean) / np.sqrt(scale)), np.where(constant, 2.0 ** (1 - sizes.sum()), 1.0)
    )
    return np.asarray((mean > SLACK * largest) & (p <= level))


def _with_missing(above: Bools, present: Bools, missing: Missing) -> Bools:
    """The tests of one collection, with its missing systems below all others, or out of it."""
    both = present[:, None] & present
    return np.asarray((above & both) | ((missing == "worst") & present[:, None] & ~present))


def _above_in_ranks(above: Bools, present: Bools, by: By, missing: Missing) -> Bools:
    """Bounds of mean ranks, points or wins from the tests of each collection; a is above b if its bounds are better."""
    counts = present if missing == "skip" else np.ones_like(present)
    rivals = counts.sum(axis=1, keepdims=True)
    first, last = 1 + above.sum(axis=1), rivals - above.sum(axis=2)  # best and worst rank, collections × systems
    if by == "wins":
        low, high = _wins(above, counts)
    elif by == "borda":
        low, high = (np.where(counts, rivals - rank, 0).sum(axis=0) for rank in (last, first))
    else:
        some = np.maximum(counts.sum(axis=0), 1)
        low, high = (-np.where(counts, rank, 0).sum(axis=0) / some for rank in (last, first))
    always, valued = np.asarray(counts.all(axis=0)), np.asarray(counts.any(axis=0))
    everywhere = np.asarray(above.all(axis=0)) & always[:, None] & always
    return np.asarray(((low[:, None] > high) & valued[:, None] & valued) | everywhere)


def _wins(above: Bools, counts: Bools) -> tuple[Floats, Floats]:
    common = np.einsum("ca,cb->ab", counts.astype(int), counts.astype(int))
    sure = above.sum(axis=0)
    least, most = 2 * sure - common, common - 2 * sure.T  # of the lead of a over b
    low, high = ((1 + np.sign(lead)) / 2 * (common > 0) for lead in (least, most))
    for points in (low, high):
        np.fill_diagonal(points, 0.0)
    return low.sum(axis=1), high.sum(axis=1)


def _above_over_collections(tables: Sequence[Floats], present: Bools, by: By, missing: Missing, level: float) -> Bools:
    if by == "wins":
        hint = Hint("rank by {by}", by="mean_rank")
        raise UsageError("option", "wins cannot be tested over collections", hint=hint, value=by)
    counted = np.ones_like(present) if missing == "worst" else present
    means = np.array([np.where(p, t.mean(axis=0), np.nan) for t, p in zip(tables, counted, strict=True)])
    if by != "mean":
        ranks = mean_ranks(np.where(present, means, -np.inf), axis=1)
        means = np.where(counted, -ranks, np.nan)
    k = means.shape[1]
    above = np.zeros((k, k), bool)
    for a in range(k):
        for b in range(k):
            d = means[:, a] - means[:, b]
            d = d[~np.isnan(d)]
            above[a, b] = len(d) > 1 and _significant([d[:, None]], level)[0]
    return above
