"""Means over queries that count for more or less than one: their mean, its interval, and columns for tests of it."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.stats.differences import mean_and_error
from judged.stats.student_t import two_sided_quantile


def weighted_interval(x: Floats, weights: Floats, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return Student's t interval of the weighted mean Σ w·x / Σ w; None for fewer than two queries of positive weight.

    The mean is a ratio (Hájek), so its variance is that of the linearised ratio, n/(n - 1) · Σ (w·(x - mean))² / (Σ w)², with n - 1 degrees
    of freedom. Equal weights give the usual t interval. Missing values (NaN) are left out.

    >>> low, high = weighted_interval(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))
    >>> round(low, 4), round(high, 4)  # 3/4 ± 3.1824 · 1/4
    (-0.0456, 1.5456)
    """
    counts = ~np.isnan(x) & (weights > 0)
    if counts.sum() < 2:
        return None
    w = weights[counts] / weights[counts].max()
    [mean], [error] = mean_and_error((w * x[counts])[:, None], w)
    half = float(two_sided_quantile(1 - level, int(counts.sum()) - 1)[0] * error)
    return float(mean) - half, float(mean) + half


def linearised(x: Floats, weights: Floats) -> Floats:
    """Return columns of queries × runs whose plain mean is the weighted mean, and whose plain standard error is that of the weighted mean.

    Row i becomes mean + n · wᵢ · (xᵢ - mean) / Σ w. Differences of such columns are those of the differences, so a paired t test
    of them is that of the weighted difference.
    """
    w = (weights / weights.max())[:, None]
    mean = (w * x).sum(axis=0) / w.sum()
    return np.asarray(mean + len(x) * w * (x - mean) / w.sum())
