"""Power of a paired t test: the detectable difference, the queries that it needs, and the power to find it.

All for a paired t test, from the spread of the differences between two systems; never from their mean. The power to find the difference that was
observed says nothing that its p-value does not (Hoenig and Heisey, The American Statistician 2001).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import UsageError
from judged.stats.checks import check_count, check_number, check_share, column, deviation
from judged.stats.random_stream import places, signs

__all__ = ["LITTLE", "MATERIAL", "achieved_power", "detectable_difference", "deviation", "little_chance", "queries_needed", "scales", "simulated_power"]  # fmt: skip


MATERIAL = 0.10  # of the mean: "material", in Spärck Jones, Automatic Indexing, Journal of Documentation 1974
LITTLE = 0.5  # below it, finding such a difference is less likely than missing it
_MOST = 10**9
_CELLS = 1 << 20  # of a block of queries that are tried out


def achieved_power(difference: float, deviation: float, queries: int, *, alpha: float = 0.05) -> float:
    """The chance that a two-sided paired t test finds a true mean difference at alpha, by the noncentral t.

    `deviation` is the standard deviation of the differences over queries. Both tails count, as in statsmodels' `TTestPower`. Fewer than two queries
    find nothing (0); where differences do not vary, any difference but 0 is found (1), and 0 with the chance alpha.

    >>> round(achieved_power(0.5, 1.0, 34), 2)
    0.81
    """
    true, spread = abs(float(difference)), check_number(deviation, "deviation", zero=True)
    n, level = check_count(queries, "queries"), check_share(alpha, "alpha")
    if n < 2:
        return 0.0
    if spread == 0 or true == 0:
        return level if true == 0 else 1.0
    return _power(true / spread * math.sqrt(n), n - 1, level)


def detectable_difference(deviation: float, queries: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true mean difference that a paired t test over this number of queries finds with this power; infinite for one query.

    >>> round(detectable_difference(1.0, 34), 3)
    0.495
    """
    spread, n = check_number(deviation, "deviation", zero=True), check_count(queries, "queries")
    chance, level = _above(power, alpha)
    if n < 2:
        return math.inf
    if spread == 0:
        return 0.0
    low, high = 0.0, 1.0  # of the noncentrality, which power rises with
    while _power(high, n - 1, level) < chance:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _power(middle, n - 1, level) < chance else (low, middle)
    return high * spread / math.sqrt(n)


def queries_needed(difference: float, deviation: float, *, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """The fewest queries over which a paired t test finds this true mean difference with this chance; None beyond a thousand million.

    >>> queries_needed(0.5, 1.0)
    34
    """
    true = check_number(abs(difference), "difference")
    spread = check_number(deviation, "deviation", zero=True)
    chance, level = _above(power, alpha)

    def enough(n: int) -> bool:
        return spread == 0 or _power(true / spread * math.sqrt(n), n - 1, level) >= chance

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def little_chance(deviation: float, queries: int, difference: float, *, alpha: float = 0.05) -> bool:
    """Return whether the power to find a difference that matters is below one half.

    The rule of the warning. Without a difference that matters, take a tenth of the baseline's mean (`MATERIAL`).
    """
    return achieved_power(difference, deviation, queries, alpha=alpha) < LITTLE


def simulated_power(
    d: Any, difference: float, *, queries: int | None = None, alpha: float = 0.05, trials: int = 1_000,
    resamples: int = 999, seed: int = 0,
) -> float:  # fmt: skip
    """The chance that a two-sided permutation test finds a true mean difference, by trying it out.

    Each trial draws queries with replacement from the observed differences, less their mean, plus `difference`; then flips signs. One set of sign
    flips serves all trials. Good to about 1/(2 √trials). Unlike the t test it keeps the shape of the differences: many zeros, long tails.
    """
    observed, level = column(d), check_share(alpha, "alpha")
    n = len(observed) if queries is None else check_count(queries, "queries")
    check_count(trials, "trials")
    check_count(resamples, "resamples")
    if n < 2:
        return 0.0
    moved = observed - observed.mean() + float(difference)
    actual, size, flipped = np.zeros(trials), np.zeros(trials), np.zeros((resamples, trials))
    step = 64 * max(1, _CELLS // (64 * max(trials, resamples)))
    for first in range(0, n, step):
        block = range(first, min(first + step, n))
        drawn = moved[places(seed, block, trials, len(moved))]
        actual += drawn.sum(axis=0)
        size += np.abs(drawn).sum(axis=0)
        flipped += signs(seed + 1, resamples, block, n) @ drawn
    hits = (np.abs(flipped) >= np.abs(actual) - 1e-12 * size).sum(axis=0)
    return float(((1 + hits) / (1 + resamples) <= level).mean())


def _power(noncentrality: float, df: int, alpha: float) -> float:
    """P(|T| > t) of the noncentral t, T = (Z + noncentrality) / s: the mean over s of the normal chance.

    SciPy's `nctdtr` is the same where it is a number; its far tail is NaN.
    """
    from scipy.special import ndtr, stdtrit

    bound = -float(stdtrit(df, alpha / 2))
    if noncentrality > 1e5 * math.sqrt(df):
        return 1.0  # far beyond any bound
    s, weight = scales(df, step=min(0.03, 0.7 / max(noncentrality, 1.0)))
    return min(1.0, float(weight @ (ndtr(noncentrality - bound * s) + ndtr(-noncentrality - bound * s))))


def _above(power: Any, alpha: Any) -> tuple[float, float]:
    chance, level = check_share(power, "power"), check_share(alpha, "alpha")
    if chance <= level:
        raise UsageError(
            "confidence", "a power above alpha", got=f"{chance} and {level}", hint="0.8 and 0.05 are usual"
        )
    return chance, level


def scales(df: float, *, peak: float = 0.0, step: float = 0.03) -> tuple[Floats, Floats]:
    """Values of s and their weights, which add up to 1 where `peak` is 0: trapezoids in log s, exact but for roundings.

    `peak` is the log of the smallest s that matters to what is averaged, if it looks at small s only. `step` must be small against the width,
    in log s, of what is averaged.
    """
    fine = min(step, 0.45 / math.sqrt(df))
    above = 1.3 * math.sqrt(45 / df)
    below = above if df > 250 else 45 / df + 0.5  # beyond, the density is less than e^-45 of its peak

    def density(u: Floats) -> Floats:
        return np.exp(df * (u - np.expm1(2 * u) / 2))

    coarse = min(0.09, 0.45 / math.sqrt(df))
    whole = float(density(np.arange(-below, above + coarse, coarse)).sum()) * coarse
    u = np.arange(min(peak, 0.0) - below, above + fine, fine)
    return np.exp(u), density(u) * (fine / whole)
