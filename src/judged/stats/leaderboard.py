"""Leaderboards over several collections: means, ranks, points and wins of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, Hint, UsageError
from judged.stats.checks import check_choice, check_share
from judged.stats.differences import SLACK
from judged.stats.omnibus import letters, mean_ranks

Missing = Literal["complete", "worst", "skip"]
By = Literal["mean", "mean_rank", "borda", "wins"]
Over = Literal["queries", "collections"]

_FUZZ = 1e-12  # relative to the largest value: means that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Systems over collections, in input order; every column has one number per system."""

    mean: Floats
    mean_rank: Floats  # 1 is best; equal systems share the mean of their ranks
    borda: Floats  # per collection one point for each system below, half a point for an equal one
    wins: Floats  # systems beaten in more collections than lost to; half for equally many (Copeland)
    firsts: Floats  # collections in which it is best; divided among equal systems
    present: Ints  # counted collections in which it has a value
    missing: Missing
    collections: tuple[int, ...]  # the counted ones
    note: str = ""

    def order(self, by: By = "mean") -> list[int]:
        """Return the systems from best to worst; equal ones in input order, systems without a value last."""
        return np.argsort(_first(_key(self, by)), kind="stable").tolist()

    def rank(self, by: By = "mean") -> Floats:
        """Return the rank of each system from 1; equal systems share the mean of their ranks."""
        column = _key(self, by)
        return mean_ranks(column, tolerance=_fuzz(column))


def standings(table: Any, *, missing: Missing = "complete") -> Standings:
    """Aggregate values of systems × collections, of which some may be missing (NaN).

    - `"complete"`: only collections with a value of every system count.
    - `"worst"`: a missing value ranks last in its collection (several are tied) and counts as the lowest value of the collection.
    - `"skip"`: means and ranks use the existing values, among the systems that have one. Systems are then compared on different
      collections, as `present` and `note` show. Points and wins are sums, so a missing collection adds none.

    A collection without any value never counts. Ranks, Borda points (1781) and Copeland wins (1951) depend on the
    order only; the mean also depends on the distances, and is not meaningful over collections on different scales. A
    system without values has NaN.

    >>> board = standings([[0.5, 0.2], [0.4, 0.3], [0.1, 0.3]])
    >>> board.mean_rank.tolist(), board.borda.tolist(), board.firsts.tolist()
    ([2.0, 1.75, 2.25], [2.0, 2.5, 1.5], [1.0, 0.5, 0.5])
    """
    values = system_values(table)
    check_choice(missing, Missing, "missing")
    present = ~np.isnan(values)
    counted: Bools = np.asarray(present.all(axis=0) if missing == "complete" else present.any(axis=0))
    if not counted.any():
        raise DataError(
            "values-missing",
            "no collection has values of all systems",
            hint=Hint("count the others with {missing}", missing="skip"),
        )
    kept = values[:, counted]
    return Standings(
        **_aggregate(kept, missing),
        present=present[:, counted].sum(axis=1),
        missing=missing,
        collections=tuple(np.flatnonzero(counted).tolist()),
        note=_note(values, counted, missing),
    )


def _note(values: Floats, counted: Bools, missing: Missing) -> str:
    out, gaps = int((~counted).sum()), int(np.isnan(values[:, counted]).sum())
    dropped = f"{out} of {len(counted)} collections left out" if out else ""
    how = {"worst": "ranked last", "skip": "skipped: systems are compared on different collections"}.get(missing, "")
    return "; ".join(
        filter(None, [dropped, f"{gaps} missing {'value' if gaps == 1 else 'values'} {how}" if gaps else ""])
    )


def system_values(table: Any) -> Floats:
    """Convert a table of systems × collections, or of queries × systems, to finite numbers or NaN."""
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", f"not a table of numbers: {error}") from error
    if values.ndim != 2 or 0 in values.shape or np.isinf(values).any():
        what = "an infinite value" if values.ndim == 2 and values.size else f"shape {values.shape}"
        raise DataError("table", "a table of systems × collections, of finite values or NaN", got=what)
    return values


def _aggregate(values: Floats, missing: Missing) -> dict[str, Floats]:
    """Compute the columns of standings."""
    present = ~np.isnan(values)
    lowest = np.min(values, axis=0, where=present, initial=np.inf)
    filled = np.where(present, values, lowest)
    ranks = mean_ranks(np.where(present, values, -np.inf), axis=0, tolerance=_fuzz(filled))
    counts = present if missing == "skip" else np.ones_like(present)
    some = counts.sum(axis=1)

    def known(x: Floats) -> Floats:
        return np.where(some > 0, x, np.nan)

    def over(x: Floats) -> Floats:
        return np.where(counts, x, 0.0).sum(axis=1) / known(some)

    rivals = counts.sum(axis=0)
    best = ranks == ranks.min(axis=0)
    return {
        "mean": over(filled),
        "mean_rank": over(ranks),
        "borda": known(np.where(counts, rivals - ranks, 0.0).sum(axis=1)),
        "wins": known(_wins(ranks, counts)),
        "firsts": known(np.where(best & counts, 1 / best.sum(axis=0), 0.0).sum(axis=1)),
    }


def _wins(ranks: Floats, counts: Bools) -> Floats:
    wins = np.zeros(len(ranks))
    for rival, (theirs, counted) in enumerate(zip(ranks, counts, strict=True)):
        both = counts & counted
        lead = np.where(both, np.sign(theirs - ranks), 0.0).sum(axis=1)
        half = np.where(both.any(axis=1), 0.5, 0.0)  # systems without a common collection do not beat each other
        half[rival] = 0.0
        wins += np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, half))
    return wins


def _fuzz(values: Floats) -> float:
    return _FUZZ * float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _key(board: Standings, by: By) -> Floats:
    """Return the column to rank by, highest best."""
    check_choice(by, By, "by")
    column: Floats = getattr(board, by)
    return -column if by == "mean_rank" else column


def _first(column: Floats) -> Floats:
    return np.where(np.isnan(column), math.inf, -column)


# ── confidence sets of ranks ─────────────────────────────────────────────────────────────────────

# Simultaneous confidence sets for the ranks of systems (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024).
# All pairs of systems are tested at once: paired t tests with Bonferroni's correction. A system's set starts below the systems that are
# significantly better and ends above those that are significantly worse, so all sets together contain the true ranks with the stated
# confidence. Bootstrap intervals of ranks do not: they are too narrow where systems are nearly equal (Xie, Singh and Zhang, JASA 2009).


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
        low, high = _win_bounds(above, counts)
    elif by == "borda":
        low, high = (np.where(counts, rivals - rank, 0).sum(axis=0) for rank in (last, first))
    else:
        some = np.maximum(counts.sum(axis=0), 1)
        low, high = (-np.where(counts, rank, 0).sum(axis=0) / some for rank in (last, first))
    always, valued = np.asarray(counts.all(axis=0)), np.asarray(counts.any(axis=0))
    everywhere = np.asarray(above.all(axis=0)) & always[:, None] & always
    return np.asarray(((low[:, None] > high) & valued[:, None] & valued) | everywhere)


def _win_bounds(above: Bools, counts: Bools) -> tuple[Floats, Floats]:
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
