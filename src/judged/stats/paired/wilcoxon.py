"""Wilcoxon signed-rank test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError
from judged.stats.checks import check_choice
from judged.stats.differences import ONE, ZERO, Alternative, TestOutcome, differences, outcome_of
from judged.stats.paired.registry import TESTS, PairTest

Zeros = Literal["wilcox", "pratt", "zsplit"]
Distribution = Literal["auto", "exact", "normal"]

_EXACT = 50  # queries, without ties and zeros
_EXACT_TIED = 13  # with them, as SciPy
_MOST_EXACT = 500


def wilcoxon(
    d: Any,
    *,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
    method: Distribution = "auto",
    correction: bool = False,
) -> TestOutcome:
    """Run the signed-rank test (Wilcoxon 1945) on differences d = b - a, queries or queries × pairs.

    Differences of 0 are dropped (`zeros="wilcox"`), ranked but not counted (`"pratt"`, 1959), or ranked and split
    between the sides (`"zsplit"`). Equal sizes share their mean rank. The method "auto" is `"exact"` for up to 50
    queries without ties and zeros, and for up to 13 with them (as SciPy 1.17); otherwise `"normal"`, with the variance
    corrected for ties (and for zeros with Pratt's method, Cureton 1967). An explicit `"exact"` is exact with ties too,
    by all sign assignments of the observed ranks (Streitberg and Röhmel 1986). `correction` moves the normal statistic
    by 1/2 towards its mean. The statistic is the smaller rank sum, or for a one-sided test the rank sum of d > 0.

    The null hypothesis is symmetry of the differences about 0, not a mean of 0. Differences are used as they are:
    sizes that differ in the last bits only are not tied.

    >>> wilcoxon([1.0, 2.0, 3.0, 4.0, -5.0]).statistic
    array([5.])
    """
    check_choice(alternative, Alternative, "alternative")
    check_choice(zeros, Zeros, "zeros")
    check_choice(method, Distribution, "method")
    table = differences(d)
    r = _signed_ranks(table, zeros)
    if method == "auto":
        plain = (r.tied == 0) & (r.zero == 0)
        exact = (len(table) <= _EXACT) & (plain | (len(table) <= _EXACT_TIED))
    else:
        exact = np.full(table.shape[1], method == "exact")
    if len(table) > _MOST_EXACT and exact.any():
        raise UsageError("option", f"the exact test takes at most {_MOST_EXACT} queries, got {len(table)}")
    p = _normal(r, zeros, alternative, correction) if not exact.all() else np.ones(len(exact))
    for i in np.flatnonzero(exact):
        p[i] = _exact(r.rank[table[:, i] != 0, i], float(r.plus[i] - r.shared[i]), alternative)
    statistic = np.minimum(r.plus, r.minus) if alternative == "two-sided" else r.plus
    used = ["exact" if e else "normal" for e in exact]
    return outcome_of("wilcoxon", alternative, statistic, p, used, [(len(table) == 1, ONE), (~table.any(axis=0), ZERO)])


TESTS.add(
    PairTest(
        name="wilcoxon",
        aliases=("signed-rank", "wilcoxon-signed-rank"),
        title="signed-rank test",
        null="differences are symmetric about 0",
        assumes="symmetry: skewed differences of mean 0 are rejected, more so with more queries",
        paper="wilcoxon1945 pratt1959",
        function=wilcoxon,
        options=("zeros", "method", "correction"),
        direction=lambda d: (np.sign(d) * _ranks(np.abs(d))[0]).sum(axis=0),
        flips_signs=True,
    )
)


@dataclass(frozen=True, slots=True)
class _SignedRanks:
    rank: Floats  # queries × pairs
    plus: Floats  # rank sums of each pair
    minus: Floats
    shared: Floats  # contribution of zeros to both
    count: Floats  # ranked
    zero: Floats
    tied: Floats  # Σ t³ - t over groups of t equal sizes


def _signed_ranks(d: Floats, zeros: Zeros) -> _SignedRanks:
    rank, same = _ranks(np.abs(d))
    n, is_zero = float(len(d)), d == 0
    zero = is_zero.sum(axis=0).astype(np.float64)
    count = np.full_like(zero, n)
    counted = ~is_zero if zeros != "zsplit" else np.ones_like(is_zero)
    if zeros == "wilcox":
        rank, count = rank - zero, n - zero
    tied = ((np.square(same) - 1) * counted).sum(axis=0)
    shared = (rank * is_zero).sum(axis=0) / 2 if zeros == "zsplit" else np.zeros_like(zero)
    plus, minus = ((rank * side).sum(axis=0) + shared for side in (d > 0, d < 0))
    return _SignedRanks(rank, plus, minus, shared, count, zero, tied)


def _ranks(size: Floats) -> tuple[Floats, Floats]:
    """Return the mean ranks of each column, from 1, and the number of values equal to each."""
    order = np.argsort(size, axis=0, kind="stable")
    ordered = np.take_along_axis(size, order, axis=0)
    place = np.arange(len(size))[:, None]
    new = np.ones(size.shape, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    last = np.ones_like(new)
    last[:-1] = new[1:]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=0)
    final = np.minimum.accumulate(np.where(last, place, len(size))[::-1], axis=0)[::-1]
    rank, same = np.empty(size.shape), np.empty(size.shape)
    np.put_along_axis(rank, order, (first + final) / 2 + 1, axis=0)
    np.put_along_axis(same, order, (final - first + 1).astype(np.float64), axis=0)
    return rank, same


def _normal(r: _SignedRanks, zeros: Zeros, alternative: Alternative, correction: bool) -> Floats:
    from scipy.special import ndtr

    out = r.zero if zeros == "pratt" else np.zeros_like(r.zero)  # ranked, but on neither side
    mean = (r.count * (r.count + 1) - out * (out + 1)) / 4
    variance = r.count * (r.count + 1) * (2 * r.count + 1) - out * (out + 1) * (2 * out + 1) - r.tied / 2
    spread = np.sqrt(variance / 24)
    some = spread > 0
    away = r.plus - mean
    if correction:
        away = away - 0.5 * (np.sign(away) if alternative == "two-sided" else 1 if alternative == "greater" else -1)
    z = np.divide(away, spread, out=np.zeros_like(away), where=some)
    if alternative == "two-sided":
        return 2 * ndtr(-np.abs(z))
    return ndtr(-z if alternative == "greater" else z)


def _exact(rank: Floats, plus: float, alternative: Alternative) -> float:
    """Return the tail of the sum of ranks, each counted with probability 1/2; ranks are doubled, since mean ranks may
    be halves.
    """
    chance = np.ones(1)
    for step in np.rint(2 * rank).astype(int):
        longer = np.zeros(len(chance) + step)
        longer[: len(chance)] = chance / 2
        longer[step:] += chance / 2
        chance = longer
    at = round(2 * plus)
    above, below = float(chance[at:].sum()), float(chance[: at + 1].sum())
    if alternative == "two-sided":
        return 2 * min(above, below)
    return above if alternative == "greater" else below
