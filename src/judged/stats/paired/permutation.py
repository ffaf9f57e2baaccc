"""The paired permutation test: under the null hypothesis each query's difference is equally likely to have either sign.

All pairs are tested with the same signs, which makes many pairs cheap and gives the largest statistic of all pairs.
Differences are rounded to integers whose sums stay below 2⁵³: every sum is exact in any order, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.stats.checks import check_choice, check_count
from judged.stats.differences import (
    ONE,
    ONE_CLUSTER,
    SLACK,
    ZERO,
    Alternative,
    TestOutcome,
    clustered,
    differences,
    outcome_of,  # fmt: skip
    pairwise,
    totals,
)
from judged.stats.paired.registry import TESTS, PairTest
from judged.stats.paired.sign_flips import over_signs

__all__ = ["Scale", "permutation", "permutation_of"]

Scale = Literal["studentised", "raw"]

_BITS = 51  # a sum of one column on the grid stays below 2⁵¹, of the difference of two below 2⁵²
_MOST_EXACT = 20  # queries whose signs are enumerated, even if more resamples are asked for


def permutation(
    d: Any,
    *,
    resamples: int = 100_000,
    seed: int = 0,
    clusters: Any = None,
    alternative: Alternative = "two-sided",
    scale: Scale = "studentised",
) -> TestOutcome:
    """The paired permutation (randomisation, sign-flip) test of differences d = b - a, queries or queries × pairs.

    p is the share of all assignments of signs in which the mean lies as far from 0 as the observed one: |mean| is counted, on both sides
    (SciPy's `permutation_test` doubles the smaller tail instead; `greater` and `less` count one side in both). Where a pair has so few
    differences other than 0 that 2ⁿ ≤ `resamples` (n = 16 for 100,000), all assignments are counted. Otherwise signs are drawn and
    p = (1 + hits) / (1 + resamples), which is never 0 (Phipson and Smyth 2010). The draws depend on the number of queries and the seed only.

    `adjusted` is the single-step max-statistic correction over all pairs, from the same signs (Westfall and Young 1993): the share of
    assignments in which the *largest* statistic of any pair reaches this pair's. With `scale="studentised"` statistics are t values, so that
    pairs of large variance do not drown the others; with `"raw"` they are mean differences (as Carterette's randomised HSD has them).

    With `clusters` (a code for each query) the differences of a cluster change sign together. Fisher 1935; in retrieval: Smucker, Allan
    and Carterette, CIKM 2007. The null hypothesis: the two systems are exchangeable, query by query; so differences are symmetric about 0.

    >>> permutation([0.1, 0.2, 0.3, 0.4]).p  # of 16 assignments, all + and all - reach the mean
    array([0.125])
    """
    table = differences(d)
    sums, sizes = clustered(table, clusters)
    return _outcome(sums, sums, None, table, sizes, resamples, seed, alternative, scale)


def permutation_of(
    x: Any,
    pairs: Any,
    *,
    resamples: int = 100_000,
    seed: int = 0,
    clusters: Any = None,
    alternative: Alternative = "two-sided",
    scale: Scale = "studentised",
) -> TestOutcome:
    """`permutation` of the differences x[:, b] - x[:, a], for each row (a, b) of `pairs`; x holds queries × systems.

    The same p-values, with less work: the sum of a pair is the difference of the sums of two systems, and there are fewer
    systems than pairs of them.
    """
    table, which, d = pairwise(x, pairs)
    if len(which) < table.shape[1]:
        return permutation(d, resamples=resamples, seed=seed, clusters=clusters, alternative=alternative, scale=scale)
    sums, sizes = clustered(np.hstack([d, table - table[:, :1]]), clusters)
    d, basis = sums[:, : len(which)], sums[:, len(which) :]
    return _outcome(d, basis, which, table, sizes, resamples, seed, alternative, scale)


TESTS.add(PairTest(
    name="permutation", aliases=("randomisation", "randomization", "fisher", "sign-flip"), title="paired permutation test",
    null="the two systems are exchangeable, query by query", assumes="nothing else; with many queries it holds for equal means too",
    paper="Fisher 1935; Smucker, Allan and Carterette, CIKM 2007; Phipson and Smyth 2010", function=permutation,
    options=("resamples", "seed", "clusters", "scale"), of_pairs=permutation_of, flips_signs=True, corrects=True,
))  # fmt: skip


def _outcome(
    d: Floats,
    basis: Floats,
    pairs: Ints | None,
    table: Floats,
    sizes: Floats,
    resamples: int,
    seed: int,
    alternative: Alternative,
    scale: Scale,
) -> TestOutcome:
    check_choice(alternative, Alternative, "alternative")
    check_choice(scale, Scale, "scale")
    most = min(check_count(resamples, "resamples").bit_length() - 1, _MOST_EXACT)
    moved = np.count_nonzero(d, axis=0)
    some = d[d.any(axis=1)]
    if len(some) <= most:
        hits, largest = _counted(_Grid.of(some, some, None), 2 ** len(some), None, alternative, scale)
        p, adjusted = hits / 2 ** len(some), largest / 2 ** len(some)
        few = np.ones(len(p), dtype=bool)
    else:
        hits, largest = _counted(_Grid.of(d, basis, pairs), resamples, seed, alternative, scale)
        p, adjusted = (1 + hits) / (1 + resamples), (1 + largest) / (1 + resamples)
        few = moved <= most
        for i in np.flatnonzero(few):
            p[i] = _enumerated(d[d[:, i] != 0, i], alternative)
    silent = [(len(table) == 1, ONE), (len(sizes) == 1, ONE_CLUSTER), (moved == 0, ZERO)]
    method = ["exact" if one else "random" for one in few]
    return outcome_of("permutation", alternative, totals(d) / len(table), p, method, silent, adjusted)


@dataclass(frozen=True, slots=True)
class _Grid:
    """Columns as integers of a small unit; the sums of pairs are those of columns, or differences of two."""

    columns: Floats
    pairs: Ints | None
    total: Floats  # the observed sum of each pair
    slack: Floats  # sums of a pair that differ by no more are equal
    spread: Floats  # √Σd² of each pair
    unit: Floats

    @classmethod
    def of(cls, d: Floats, basis: Floats, pairs: Ints | None) -> _Grid:
        top = np.abs(basis).sum(axis=0)
        power = _BITS - np.frexp(top if pairs is None else top.max(keepdims=True))[1]
        columns, unit = np.rint(np.ldexp(basis, power)), np.ldexp(1.0, -power)
        # A difference is moved by one unit at most, and one of 0 not at all: its two values are the same.
        slack = np.maximum(SLACK * np.ldexp(np.abs(d).sum(axis=0), power), np.count_nonzero(d, axis=0))
        spread = np.sqrt(np.square(np.ldexp(d, power)).sum(axis=0))
        total = _paired(columns.sum(axis=0), pairs)
        return cls(columns, pairs, total, slack, spread, np.broadcast_to(unit, total.shape))

    def factor(self, scale: Scale) -> Floats:
        """Factors that make the sums of different pairs comparable.

        Σd² does not change with the signs, so a t value is an increasing function of Σd / √Σd², the same function for all pairs.
        """
        if scale == "raw":
            return self.unit
        return np.divide(1.0, self.spread, out=np.zeros_like(self.spread), where=self.spread > 0)


def _counted(grid: _Grid, rows: int, seed: int | None, alternative: Alternative, scale: Scale) -> tuple[Floats, Floats]:
    """In how many rows of signs a pair's own statistic, and the largest of all pairs, reach its observed one."""
    bound = _sided(grid.total, alternative) - grid.slack
    factor = grid.factor(scale)

    def see(flipped: Floats) -> tuple[Ints, Floats]:
        sums = _sided(_paired(flipped, grid.pairs), alternative)
        return (sums >= bound).sum(axis=0), (sums * factor).max(axis=1)

    hits, tops = zip(*over_signs(grid.columns, rows, seed, see), strict=True)
    reached = rows - np.searchsorted(np.sort(np.concatenate(tops)), bound * factor)
    return np.add.reduce(hits).astype(np.float64), reached.astype(np.float64)


def _paired(sums: Floats, pairs: Ints | None) -> Floats:
    return sums if pairs is None else sums[..., pairs[:, 1]] - sums[..., pairs[:, 0]]


def _sided(sums: Floats, alternative: Alternative) -> Floats:
    return np.abs(sums) if alternative == "two-sided" else sums if alternative == "greater" else -sums


def _enumerated(d: Floats, alternative: Alternative) -> float:
    """The exact p of one pair, by all assignments of signs to its differences."""
    grid = _Grid.of(d[:, None], d[:, None], None)
    sums = np.zeros(1)
    for one in grid.columns[:, 0]:
        sums = np.concatenate([sums + one, sums - one])
    bound = _sided(grid.total, alternative) - grid.slack
    return np.count_nonzero(_sided(sums, alternative) >= bound) / len(sums)
