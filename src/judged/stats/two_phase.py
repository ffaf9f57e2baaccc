"""Means from two kinds of values: expensive ones for some queries, cheap ones for all of them.

The regression estimator of two-phase sampling (Cochran 1977, 12.6), which is prediction-powered inference with the optimal weight (Angelopoulos, Duchi and
Zrnic 2023, PPI++): the mean of the expensive values plus slope · (mean of all cheap values - mean of the cheap values of the same queries). Queries with an
expensive value must be a random sample of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats
from judged.stats.student_t import two_sided_quantile

PAPER = "angelopoulos2023 cochran1977"
FEWEST = 3  # queries with both values: for a slope and a residual


@dataclass(frozen=True, slots=True, eq=False)
class CheapValues:
    """Cheap values of all queries, and which queries have expensive ones.

    Args:
        values: queries × columns.
        known: the queries with expensive values, in the same order.
    """

    values: Floats
    known: Bools

    def differences(self, pairs: Any) -> CheapValues:
        """Return the differences b - a of columns, for each row (a, b) of `pairs`."""
        which = np.asarray(pairs)
        return CheapValues(self.values[:, which[:, 1]] - self.values[:, which[:, 0]], self.known)


@dataclass(frozen=True, slots=True, eq=False)
class TwoPhaseMeans:
    """Estimated means of expensive values over all queries, one per column.

    Args:
        mean: the estimates.
        error: their standard errors.
        df: degrees of freedom of Student's t.
        slope: weight of the cheap values; 0 if they do not vary.
        bias: mean of cheap minus expensive values, over the queries that have both.
        worth: number of queries with expensive values alone whose mean would have the same standard error.
    """

    mean: Floats
    error: Floats
    df: float
    slope: Floats
    bias: Floats
    worth: Floats

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of Student's t intervals of the means."""
        half = two_sided_quantile((1 - confidence,), self.df)[0] * self.error
        return self.mean - half, self.mean + half


def two_phase_means(expensive: Floats, cheap: CheapValues) -> TwoPhaseMeans:
    """Estimate the means of expensive values over all queries, with the help of cheap ones.

    The squared standard error is HC3 (MacKinnon and White 1985) over the queries with both values, which takes the estimated slope into account, plus slope² ·
    variance of the cheap values / all queries. The error of PPI++ is too small below a hundred queries: in simulations with 30 its 95% intervals contained the
    mean in 90% to 93%, these in 93% to 96%. Student's t has n - 2 degrees of freedom.

    Args:
        expensive: values of at least three queries × columns.
        cheap: of all queries.

    >>> known = np.array([[0.2], [0.4], [0.9], [0.5]])
    >>> all_cheap = np.array([[0.1], [0.3], [0.8], [0.4], [0.6], [0.8]])
    >>> found = two_phase_means(known, CheapValues(all_cheap, np.arange(6) < 4))
    >>> found.mean.round(4)  # 0.5 + 1 · (0.5 - 0.4): here the cheap values are too low by 0.1, always
    array([0.6])
    """
    n, total, f = len(expensive), len(cheap.values), cheap.values[cheap.known]
    plain, spread = expensive.mean(axis=0), f - f.mean(axis=0)
    squares = np.square(spread).sum(axis=0)
    varies = squares > np.finfo(float).eps * np.square(f).sum(axis=0)
    divisor = np.where(varies, squares, 1.0)
    slope = np.where(varies, (spread * expensive).sum(axis=0) / divisor, 0.0)
    gap = np.where(varies, cheap.values.mean(axis=0) - f.mean(axis=0), 0.0)
    leverage = 1 / n + np.where(varies, spread**2 / divisor, 0.0)
    weight = 1 / n + np.where(varies, gap * spread / divisor, 0.0)
    rest = np.where(leverage < 1 - 1e-12, 1 - leverage, 1.0)  # a residual of leverage 1 is 0
    share = weight * ((expensive - plain) - slope * spread) / rest
    square = np.square(share).sum(axis=0) + slope**2 * cheap.values.var(axis=0, ddof=1) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(square > 0, expensive.var(axis=0, ddof=1) / square, np.inf)
    return TwoPhaseMeans(plain + slope * gap, np.sqrt(square), n - 2, slope, (f - expensive).mean(axis=0), worth)
