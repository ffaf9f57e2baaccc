"""The studentised range distribution, for the comparisons of all pairs by Tukey and Nemenyi.

`scipy.stats.studentized_range` computes the tail as 1 less the distribution function, which loses probabilities below
1e-13, and takes 2 ms per value. Here the tail is integrated directly, for all values at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from judged._types import Floats
from judged.stats.student_t import scales

_STEP = 0.1  # the trapezoidal rule converges exponentially for integrands that vanish at both ends
_BLOCK = 1 << 20


def range_tail(q: Any, k: int, df: float = np.inf) -> Floats:
    """Return the probability of a studentised range above q, for k means and `df` degrees of freedom.

    With infinite df it is the range of k normal values: P(W > w) = k ∫ φ(z) {Φ(z)^(k-1) - [Φ(z) - Φ(z - w)]^(k-1)} dz,
    where the braces are computed without cancellation. With finite df it is the mean over s = √(χ²/df), integrated in
    log s.

    >>> float(range_tail(3.314493, 3).round(6))  # tables: 3.314 for 5%, three means and infinite df
    0.05
    """
    quantiles = np.asarray(q, dtype=np.float64)
    flat = np.maximum(quantiles.ravel(), 0.0)
    tail = _normal_tail(flat, k) if np.isinf(df) else _studentised_tail(flat, k, df)
    return np.clip(np.where(flat == 0, 1.0, tail), 0.0, 1.0).reshape(quantiles.shape)


def range_quantile(p: float, k: int, df: float = np.inf) -> float:
    """Return the studentised range that is exceeded with probability p.

    The root in log probability is bracketed, then tail by the Illinois variant of regula falsi.
    """

    def excess(q: float) -> float:
        return math.log(float(range_tail(q, k, df)) / p)

    low, high, above, below = 0.0, 1.0, -math.log(p), excess(1.0)
    while below > 0:
        low, high, above, below = high, 2 * high, below, excess(2 * high)
    while below < 0 and high - low > 1e-15 * high:
        middle = (low * below - high * above) / (below - above)
        if not low < middle < high:
            break
        value = excess(middle)
        if abs(value) < 1e-15:
            return middle
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return high


def _normal_tail(w: Floats, k: int) -> Floats:
    from scipy.special import ndtr

    tail = np.empty_like(w)
    offset = np.arange(0.0, 24.0 + _STEP / 2, _STEP)
    rows = _BLOCK // len(offset)
    for first in range(0, len(w), rows):
        wide = w[first : first + rows, None]
        z = np.maximum(np.minimum(wide, 80.0) / 2 - 12.0, -9.0) + offset  # φ(z) Φ(z - w) is highest near w / 2
        below = ndtr(z)
        with np.errstate(divide="ignore"):  # log of 0 for w = 0, where the braces are Φ(z)^(k-1)
            gap = -np.expm1((k - 1) * np.log1p(-np.minimum(ndtr(z - wide) / below, 1.0)))
        density = np.exp((k - 1) * np.log(below) - z * z / 2) * gap
        tail[first : first + rows] = k * _STEP / np.sqrt(2 * np.pi) * density.sum(axis=1)
    return tail


def _studentised_tail(q: Floats, k: int, df: float) -> Floats:
    tail = np.empty_like(q)
    step = max(0.03, 0.1 - 0.0135 * math.log(k))  # with many means the integrand is narrow
    for i, value in enumerate(q):
        s, weight = scales(df, step=step, peak=-0.5 * np.log1p(value * value / (2 * df)))  # small s dominate
        tail[i] = float(weight @ _normal_tail(value * s, k))
    return tail
