"""Rank correlation with uncertainty: the p-value of the usual test, and a bootstrap interval over items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import atanh, erfc, factorial, sqrt, tanh
from statistics import NormalDist
from typing import Any

import numpy as np

from judged.core.resample import generator
from judged.errors import UsageError
from judged.stats.checks import check_share
from judged.stats.rank_correlation.concordance import Columns, columns
from judged.stats.rank_correlation.registry import CorrelationRequest, OfPairs, parse_coefficients

Interval = tuple[float, float] | None
Seed = int | np.random.Generator

_RESAMPLES = 1_000
_DRAWS = 2_000_000  # items in all resamples together
_FEWEST = 200  # resamples; with fewer (more than 10,000 items) there is no interval
_EXACT = 33  # items up to which Kendall's test is exact, as in SciPy
_TINY = 170  # items above which 1 / n! underflows


@dataclass(frozen=True, slots=True)
class CorrelationEstimate:
    """A coefficient of two columns: value, interval over items, and p-value under no correlation."""

    name: str
    value: float
    interval: Interval
    p_value: float | None
    items: int

    def __str__(self) -> str:
        between = "" if self.interval is None else f" [{self.interval[0]:.4f}, {self.interval[1]:.4f}]"
        chance = "" if self.p_value is None else f", p = {self.p_value:.3g}"
        return f"{self.name} {self.value:.4f}{between}{chance}, {self.items} items"


def correlation(x: Any, y: Any, name: str = "tau_b", *, level: float = 0.95, seed: Seed = 0) -> CorrelationEstimate:
    """Compute a coefficient of two aligned columns of scores, with its interval and p-value.

    Pearson's interval is Fisher's (1921): normal on the scale of atanh. The others are a percentile bootstrap over items with 1,000 seeded resamples. Copies of an item in a resample are
    tied, and such pairs do not count. The interval is None for coefficients that cannot distinguish copies from ties
    in the data (tau_a, tau_ap), for tau_c, for fewer than three items, and for more than 10,000. The two-sided p-value
    is that of Kendall's test (exact for few items without ties) for tau_a, tau_b and tau_c, and of the t test for
    Spearman and Pearson; None for the others.

    >>> print(correlation([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], "tau_a"))
    tau_a 0.8000 [0.0000, 1.0000], p = 0.0833, 5 items
    """
    (one,) = parse_coefficients([name])
    if one.coefficient.pairs is None:
        raise UsageError(
            "coefficient", f"{one} needs rankings, not columns of scores", value=name, hint="use jd.correlate"
        )
    both = columns(x, y)
    value = float(one.coefficient.pairs(both)[0])
    return CorrelationEstimate(
        str(one), value, intervals(both, [one], level=level, seed=seed)[0], p_value(both, one, value), len(both.x)
    )


_LEAST = float(np.finfo(float).tiny)  # the smallest p-value that is reported


def p_value(c: Columns, one: CorrelationRequest, value: float) -> float | None:
    """Return the p-value of the usual test of no correlation; NaN if the coefficient is NaN, None without such a test."""
    if not one.coefficient.test:
        return None
    size = len(c.x)
    if np.isnan(value) or (one.coefficient.test == "t" and size < 3):
        return float("nan")
    if one.coefficient.test == "t":  # Student's t with n - 2 degrees of freedom
        from scipy.special import stdtr

        away = (1 - value) * (1 + value)
        if away <= 0:  # t is infinite: two of all orders are as extreme
            return max(2 / factorial(size) if size <= _TINY else 0.0, _LEAST)
        return max(float(2 * stdtr(size - 2, -abs(value) * np.sqrt((size - 2) / away))), _LEAST)
    return max(_kendall_test(c), _LEAST)


def _kendall_test(c: Columns) -> float:
    """Run Kendall's two-sided test by the rules of SciPy's `kendalltau`, whose import takes longer than this computation.

    Without ties the distribution is exact for few items, and for at most one concordant or discordant pair; otherwise
    C - D is approximately normal, with the variance for ties (Kendall, Rank Correlation Methods, 1970).
    """
    size, pairs = len(c.x), int(c.pairs[0])
    untied_x, untied_y = int(c.untied_x[0]), int(c.untied_y[0])
    if not untied_x or not untied_y:
        return float("nan")
    fewer = int(min(c.concordant[0], c.discordant[0]))
    if untied_x == untied_y == pairs and (size <= _EXACT or fewer <= 1):
        return _exact(size, fewer)
    tie_x, tie_y = (t.astype(np.float64) for t in (c.size_x, c.size_y))  # per item, so each group of t counts t times
    m = size * (size - 1.0)
    spread = (m * (2 * size + 5) - sum(float(((t - 1) * (2 * t + 5)).sum()) for t in (tie_x, tie_y))) / 18
    spread += 2 * (pairs - untied_x) * (pairs - untied_y) / m
    cubes = [float(((t - 1) * (t - 2)).sum()) for t in (tie_x, tie_y)]
    spread += cubes[0] * cubes[1] / (9 * m * (size - 2))
    return erfc(abs(float(c.concordant[0] - c.discordant[0])) / sqrt(2 * spread))


def _exact(size: int, fewer: int) -> float:
    """Return twice the share of orders with at most `fewer` discordant pairs; inserting item j adds 0 to j - 1 of
    them.
    """
    if size > _TINY:
        return 0.0
    orders = [1] + [0] * fewer
    for j in range(2, size + 1):
        sums = list(accumulate(orders))
        orders = [total - (sums[i - j] if i >= j else 0) for i, total in enumerate(sums)]
    return min(1.0, 2 * sum(orders) / factorial(size))


def intervals(
    c: Columns, requests: Sequence[CorrelationRequest], *, level: float = 0.95, seed: Seed = 0
) -> list[Interval]:
    """Return the interval of each coefficient over the items of one segment; bootstraps have the same resamples."""
    check_share(level, "level", slug="parameter")
    rng, size = generator(seed), len(c.x)
    resamples = min(_RESAMPLES, _DRAWS // max(size, 1))
    fisher = [
        _fisher(float(a.coefficient.pairs(c)[0]), size, level)
        if a.coefficient.name == "pearson" and a.coefficient.pairs
        else None
        for a in requests
    ]
    functions = [
        None if a.coefficient.pairs is None or a.coefficient.name == "pearson" else a.coefficient.redrawn(c)
        for a in requests
    ]
    if size < 3 or resamples < _FEWEST or not any(functions):
        return fisher
    drawn = rng.integers(0, size, (resamples, size), dtype=np.int64).reshape(-1)
    again = Columns(c.x[drawn], c.y[drawn], np.full(resamples, size))
    return [exact if f is None else _between(f, again, level) for f, exact in zip(functions, fisher, strict=True)]


def _fisher(value: float, size: int, level: float) -> Interval:
    """Return Fisher's interval of Pearson's coefficient; None for fewer than four items."""
    if size < 4 or np.isnan(value):
        return None
    if abs(value) >= 1:
        return value, value
    reach = NormalDist().inv_cdf((1 + level) / 2) / sqrt(size - 3)
    return tanh(atanh(value) - reach), tanh(atanh(value) + reach)


def _between(function: OfPairs, again: Columns, level: float) -> Interval:
    values = function(again)
    values = values[~np.isnan(values)]  # resamples of a single item
    if 2 * len(values) < len(again):
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
