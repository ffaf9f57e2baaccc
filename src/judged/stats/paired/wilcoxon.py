"""Wilcoxon signed-rank test."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged._types import Floats
from judged.stats.differences import TestOutcome, differences, outcome_of
from judged.stats.paired.registry import TESTS, PairTest
from judged.stats.rank_correlation import Columns

_EXACT = 50  # queries, without ties and zeros
_EXACT_TIED = 13  # with them, as SciPy


def wilcoxon(d: Any) -> TestOutcome:
    """Run the two-sided signed-rank test (Wilcoxon 1945) on differences d = b - a, queries or queries × pairs.

    Differences of 0 are dropped. Equal sizes share their mean rank. p is exact for up to 50 queries without ties and
    zeros, and for up to 13 with them (as SciPy 1.17), by all sign assignments of the observed ranks (Streitberg and
    Röhmel 1986); otherwise it is that of a normal distribution with the variance corrected for ties. The statistic is
    the smaller rank sum.

    The null hypothesis is symmetry of the differences about 0, not a mean of 0. Differences are used as they are:
    sizes that differ in the last bits only are not tied.

    >>> wilcoxon([1.0, 2.0, 3.0, 4.0, -5.0]).statistic
    array([5.])
    """
    table = differences(d)
    zero = (table == 0).sum(axis=0).astype(np.float64)
    rank, same = _ranks(np.abs(table))
    rank, count = rank - zero, len(table) - zero
    plus, minus = ((rank * side).sum(axis=0) for side in (table > 0, table < 0))
    tied = ((np.square(same) - 1) * (table != 0)).sum(axis=0)  # Σ t³ - t over groups of t equal sizes
    plain = (tied == 0) & (zero == 0)
    exact = (len(table) <= _EXACT) & (plain | (len(table) <= _EXACT_TIED))
    p = _normal(plus, count, tied) if not exact.all() else np.ones(len(exact))
    for i in np.flatnonzero(exact):
        p[i] = _exact(rank[table[:, i] != 0, i], float(plus[i]))
    return outcome_of(np.minimum(plus, minus), p, table, np.ones(len(table)))


TESTS.add(
    PairTest(
        name="wilcoxon",
        aliases=("signed-rank", "wilcoxon-signed-rank"),
        title="signed-rank test",
        null="differences are symmetric about 0",
        assumes="symmetry: skewed differences of mean 0 are rejected, more so with more queries",
        paper="wilcoxon1945",
        function=wilcoxon,
        direction=lambda d: (np.sign(d) * _ranks(np.abs(d))[0]).sum(axis=0),
        flips_signs=True,
    )
)


def _ranks(size: Floats) -> tuple[Floats, Floats]:
    """Return the mean ranks of each column, from 1, and the number of values equal to each."""
    rows, pairs = size.shape
    flat = size.T.ravel()
    larger, same = (count.reshape(pairs, rows).T for count in Columns(flat, flat, np.full(pairs, rows)).ties_x)
    return rows - larger - (same - 1) / 2, same.astype(np.float64)


def _normal(plus: Floats, count: Floats, tied: Floats) -> Floats:
    from scipy.special import ndtr

    variance = count * (count + 1) * (2 * count + 1) - tied / 2
    spread = np.sqrt(variance / 24)
    away = plus - count * (count + 1) / 4
    z = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0)
    return np.asarray(2 * ndtr(-np.abs(z)))


def _exact(rank: Floats, plus: float) -> float:
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
    return 2 * min(float(chance[at:].sum()), float(chance[: at + 1].sum()))
