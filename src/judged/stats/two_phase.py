"""Means from two kinds of values: expensive ones for some queries, cheap ones for all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Floats
from judged.stats.student_t import two_sided_p, two_sided_quantile

_FEWEST = 3  # queries with both values: a slope and a residual


@dataclass(frozen=True, slots=True)
class TwoPhaseMean:
    """The estimated mean of the expensive values over all queries.

    Args:
        mean: the estimate.
        error: its standard error.
        df: degrees of freedom of Student's t.
        slope: weight of the cheap values; 0 if they are ignored.
        bias: mean of cheap minus expensive values, over the queries that have both.
        n: number of queries with an expensive value.
        worth: number of queries with expensive values alone whose mean would have the same standard error.
    """

    mean: float
    error: float
    df: float
    slope: float
    bias: float
    n: int
    worth: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return Student's t interval of the mean."""
        half = float(two_sided_quantile(1 - confidence, self.df)[0]) * self.error
        return self.mean - half, self.mean + half

    def p(self, null: float = 0.0) -> float:
        """Return the two-sided p of the hypothesis that the mean is `null`."""
        if self.error == 0:
            return 1.0 if self.mean == null else 0.0
        return float(two_sided_p((self.mean - null) / self.error, self.df)[0])


def two_phase_mean(expensive: Floats, cheap: Floats) -> TwoPhaseMean | None:
    """Estimate the mean of the expensive values, which are known for some queries, with the help of cheap values, which are known for all.

    The regression estimator of two-phase sampling (Cochran 1977, 12.6), which is prediction-powered inference with the optimal weight (Angelopoulos,
    Duchi and Zrnic 2023, PPI++): the mean of the expensive values plus slope · (mean of all cheap values - mean of the cheap values of the same
    queries). Queries with an expensive value must be a random sample of all. The standard error is HC3 (MacKinnon and White 1985), which takes the estimated
    slope into account; PPI++'s own is too small below a hundred queries. Student's t with n - 2 degrees of freedom.

    Args:
        expensive: one value per query; NaN where it is unknown.
        cheap: one value per query.

    Returns:
        None if fewer than three queries have an expensive value.

    >>> known = np.array([0.2, 0.4, 0.9, 0.5, np.nan, np.nan])
    >>> found = two_phase_mean(known, np.array([0.1, 0.3, 0.8, 0.4, 0.6, 0.8]))
    >>> round(found.mean, 4)  # 0.5 + 1 · (0.5 - 0.4): here the cheap values are too low by 0.1, always
    0.6
    """
    both = ~np.isnan(expensive)
    n, total = int(both.sum()), len(cheap)
    if n < _FEWEST:
        return None
    y, f = expensive[both], cheap[both]
    plain = float(y.mean())
    variance = float(y.var(ddof=1))
    spread = f - f.mean()
    squares = float(spread @ spread)
    bias = float((f - y).mean())
    if squares <= np.finfo(float).eps * float(f @ f) or n == total:
        error = float(np.sqrt(variance / n))
        return TwoPhaseMean(plain, error, n - 1, 0.0, bias, n, float(n))
    slope = float(spread @ y) / squares
    gap = float(cheap.mean() - f.mean())
    residual = (y - plain) - slope * spread
    leverage = 1 / n + spread**2 / squares
    weight = 1 / n + gap * spread / squares
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(leverage < 1, weight * residual / (1 - leverage), 0.0)  # a residual at leverage 1 is 0
    error2 = float(scaled @ scaled) + slope**2 * float(cheap.var(ddof=1)) / total
    worth = variance / error2 if error2 > 0 else float("inf")
    return TwoPhaseMean(plain + slope * gap, float(np.sqrt(error2)), n - 2, slope, bias, n, worth)
