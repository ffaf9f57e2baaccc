"""Paired permutation test: if two systems are equal, the sign of each query's difference is random.

All pairs are tested with the same signs, which makes many pairs nearly as cheap as one, and the maximum statistic over pairs
is known. Differences are rounded to integer multiples of a small unit whose sums stay below 2⁵³, so sums are exact in
any order, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.resample import SignFlips
from judged.stats.checks import check_count
from judged.stats.differences import (
    SLACK,
    TestOutcome,
    differences,
    last_accepted,
    outcome_of,
    pairwise,
    sum_by_cluster,
    totals,
)
from judged.stats.paired.registry import TESTS, PairTest

_BITS = 51  # sums of a column stay below 2⁵¹, differences of two below 2⁵²
_MOST_EXACT = 20  # largest number of queries that is enumerated, for any number of resamples


def permutation(
    d: Any,
    *,
    resamples: int = 100_000,
    seed: int = 0,
    clusters: Any = None,
) -> TestOutcome:
    """Run the two-sided paired permutation (randomisation, sign-flip) test on differences d = b - a, queries or queries × pairs.

    p is the share of sign assignments whose |mean| is at least as far from 0 as the observed one (SciPy's
    `permutation_test` doubles the smaller tail instead).
    If a pair has so few nonzero differences that 2ⁿ ≤ `resamples` (n = 16 for 100,000), all assignments are
    enumerated. Otherwise signs are drawn and p = (1 + hits) / (1 + resamples), which is never 0 (Phipson and Smyth
    2010). The draws depend only on the number of queries and the seed.

    `adjusted` is the single-step max-statistic correction over all pairs with the same signs (Westfall and Young
    1993): the share of assignments in which the largest statistic of any pair reaches that of this pair. Statistics are
    t values, so pairs with a large variance do not dominate.

    With `clusters` (a code per query) the differences of a cluster change sign together. Fisher 1935; in retrieval:
    Smucker, Allan and Carterette, CIKM 2007. Under the null hypothesis the systems are exchangeable in each query, so
    differences are symmetric about 0.

    >>> permutation([0.1, 0.2, 0.3, 0.4]).p  # 2 of 16 assignments reach the mean: all + and all -
    array([0.125])
    """
    table = differences(d)
    sums, sizes = sum_by_cluster(table, clusters)
    return _outcome(sums, sizes, resamples, seed)


def permutation_of(
    x: Any,
    pairs: Any,
    *,
    resamples: int = 100_000,
    seed: int = 0,
    clusters: Any = None,
) -> TestOutcome:
    """Run `permutation` on the differences x[:, b] - x[:, a] for each row (a, b) of `pairs`; x holds queries × systems.

    The p-values are the same with less work: the sum of a pair is the difference of the sums of two systems, and there
    are fewer systems than pairs.
    """
    table, which, d = pairwise(x, pairs)
    if len(which) < table.shape[1]:
        return permutation(d, resamples=resamples, seed=seed, clusters=clusters)
    sums, sizes = sum_by_cluster(np.hstack([d, table - table[:, :1]]), clusters)
    return _outcome(sums[:, : len(which)], sizes, resamples, seed, sums[:, len(which) :], which)


def _interval(
    d: Floats,
    p: Floats,
    level: Floats,
    *,
    resamples: int = 100_000,
    seed: int = 0,
    clusters: Any = None,
) -> tuple[Floats, Floats]:
    """Invert the test: with the same signs, subtract δ from every difference and keep each δ that is not rejected.

    A row of signs reaches the observed mean of d - δ exactly if δ lies between the means of the differences with + and
    of those with - (Hartigan, JASA 1969), so the ends of the interval are order statistics of these means.
    """
    sums, sizes = sum_by_cluster(d, clusters)
    exact = len(sums) <= _most_enumerated(resamples)
    rows = 2 ** len(sums) if exact else resamples
    grid = _Grid.of(sums)

    def rank(column: int, hits: int) -> int:
        return last_accepted(hits, rows, float(p[column]), float(level[column]), drawn=not exact)

    flips = SignFlips(grid.columns, rows, None if exact else seed)
    low, high = flips.shifts(sizes, grid.total, grid.slack, rank)
    return low * grid.unit, high * grid.unit


def _most_enumerated(resamples: int) -> int:
    return min(check_count(resamples, "resamples").bit_length() - 1, _MOST_EXACT)


TESTS.add(
    PairTest(
        name="permutation",
        aliases=("randomisation", "randomization", "fisher", "sign-flip"),
        title="paired permutation test",
        null="the two systems are exchangeable, query by query",
        assumes="nothing else; with many queries also valid for equal means",
        paper="fisher1935 smucker2007 phipson2010",
        function=permutation,
        interval=_interval,
        options=("resamples", "seed", "clusters"),
        of_pairs=permutation_of,
        flips_signs=True,
        corrects=True,
    )
)


def _outcome(
    d: Floats, sizes: Floats, resamples: int, seed: int, basis: Floats | None = None, pairs: Ints | None = None
) -> TestOutcome:
    """Test sums d of clusters: differences of columns of `basis`, where `pairs` are given."""
    most = _most_enumerated(resamples)
    moved = np.count_nonzero(d, axis=0)
    nonzero = d[d.any(axis=1)]
    if len(nonzero) <= most:
        hits, largest = _count_hits(_Grid.of(nonzero), 2 ** len(nonzero), None)
        p, adjusted = hits / 2 ** len(nonzero), largest / 2 ** len(nonzero)
    else:
        hits, largest = _count_hits(_Grid.of(d, basis, pairs), resamples, seed)
        p, adjusted = (1 + hits) / (1 + resamples), (1 + largest) / (1 + resamples)
        for i in np.flatnonzero(moved <= most):
            p[i] = _exact_p(d[d[:, i] != 0, i])
    return outcome_of(totals(d) / sizes.sum(), p, d, sizes, adjusted=adjusted)


@dataclass(frozen=True, slots=True)
class _Grid:
    """Columns as integer multiples of a small unit; sums of pairs are sums of columns, or differences of two."""

    columns: Floats
    pairs: Ints | None
    total: Floats  # the observed sum of each pair
    slack: Floats  # sums of a pair that differ by at most this are equal
    spread: Floats  # √Σd² of each pair
    unit: Floats

    @classmethod
    def of(cls, d: Floats, basis: Floats | None = None, pairs: Ints | None = None) -> _Grid:
        basis = d if basis is None else basis
        top = np.abs(basis).sum(axis=0)
        power = _BITS - np.frexp(top if pairs is None else top.max(keepdims=True))[1]
        columns, unit = np.rint(np.ldexp(basis, power)), np.ldexp(1.0, -power)
        # Rounding moves a difference by at most one unit, and a difference of 0 not at all.
        slack = np.maximum(np.ceil(SLACK * np.ldexp(np.abs(d).sum(axis=0), power)), np.count_nonzero(d, axis=0))
        spread = np.sqrt(np.square(np.ldexp(d, power)).sum(axis=0))
        sums = columns.sum(axis=0)
        total = sums if pairs is None else sums[..., pairs[:, 1]] - sums[..., pairs[:, 0]]
        return cls(columns, pairs, total, slack, spread, np.broadcast_to(unit, total.shape))


def _count_hits(grid: _Grid, rows: int, seed: int | None) -> tuple[Floats, Floats]:
    """Count the rows of signs in which a pair's statistic, and the largest of all pairs, reach the observed one.

    The factor makes the sums of different pairs comparable: Σd² does not depend on the signs, so t is an increasing function of
    Σd / √Σd², the same function for all pairs.
    """
    bound = np.abs(grid.total) - grid.slack
    factor = np.divide(1.0, grid.spread, out=np.zeros_like(grid.spread), where=grid.spread > 0)
    hits, tops = SignFlips(grid.columns, rows, seed).count_reached(grid.pairs, bound, factor)
    reached = rows - np.searchsorted(np.sort(tops), bound * factor)
    return hits.astype(np.float64), reached.astype(np.float64)


def _exact_p(d: Floats) -> float:
    """Return the exact p of one pair by enumerating all sign assignments."""
    grid = _Grid.of(d[:, None])
    sums = np.zeros(1)
    for value in grid.columns[:, 0]:
        sums = np.concatenate([sums + value, sums - value])
    return np.count_nonzero(np.abs(sums) >= np.abs(grid.total) - grid.slack) / len(sums)
