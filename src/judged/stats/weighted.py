"""Means over queries that count for more or less than one: their error and degrees of freedom, for intervals and tests alike."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.stats.differences import scaled, weighted_mean
from judged.stats.student_t import two_sided_quantile


def weighted_mean_and_error(x: Floats, weights: Floats) -> tuple[Floats, Floats, float]:
    """Return the weighted mean Σ w·x / Σ w of each column, its standard error, and the degrees of freedom of Student's t.

    With p = w / Σ w, the distance of value i from the mean has the variance vᵢ = 1 - 2pᵢ + Σ p², in units of that of a value. The squared error is that of
    HC3 (MacKinnon and White, Journal of Econometrics 1985), (1 - Σ p²) · Σ pᵢ² (xᵢ - mean)² / vᵢ², scaled so that equal weights give s²/n. It holds if values of
    heavy queries vary more or less than others. The degrees of freedom are the effective number of queries, 1 / Σ p² (Kish 1965), less one. In simulations
    of dense measures the 5% test rejects in 4.4% to 5.8% where the weights count like 20 queries or more, and in less with fewer, or on sparse measures
    (`docs/explanations/error_rates.md`).
    """
    mean, p = weighted_mean(x, weights), weights / weights.max()
    p = p / p.sum()
    squares = float(p @ p)
    rest, power = scaled(x - mean)
    residual = 1 - 2 * p + squares
    variance = (1 - squares) * ((p / np.where(residual > 0, residual, 1.0)) ** 2 @ np.square(rest))
    return mean, np.ldexp(np.sqrt(variance), power), max(1 / squares - 1, 1.0)


def weighted_interval(x: Floats, weights: Floats, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return Student's t interval of the weighted mean Σ w·x / Σ w; None for fewer than two queries of positive weight.

    Few queries of large weight count like few queries, see `weighted_mean_and_error`. Equal weights give the usual t interval. Missing values (NaN) are left out.

    >>> low, high = weighted_interval(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))
    >>> round(low, 4), round(high, 4)  # 3/4 ± 3.1824 · 1/4
    (-0.0456, 1.5456)
    """
    counts = ~np.isnan(x) & (weights > 0)
    if counts.sum() < 2:
        return None
    mean, error, df = weighted_mean_and_error(x[counts, None], weights[counts])
    half = float(two_sided_quantile(1 - level, df)[0] * error[0])
    return float(mean[0]) - half, float(mean[0]) + half


def linearised(sums: Floats, sizes: Floats) -> Floats:
    """Return columns whose plain mean is the ratio of all sums to all sizes, and whose spread over units is that of the ratio, times √units.

    Units are queries (weight · value, and weight) or clusters (sum, and number of queries): mean + units · (sum - mean · size) / Σ sizes
    (Cochran 1977, 6.4). Effect sizes, skewness and the number of queries needed use them; tests have standard errors with less bias.
    """
    sizes = sizes[:, None]
    mean = sums.sum(axis=0) / sizes.sum()
    return np.asarray(mean + len(sums) * (sums - mean * sizes) / sizes.sum())
