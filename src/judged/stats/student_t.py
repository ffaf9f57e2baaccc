"""Student's t distribution without SciPy, whose import takes longer than most evaluations."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from judged._types import Floats

_SERIES = 20.0  # half the degrees of freedom from which the quotient of gamma functions is a short series
_MANY = 60.0  # degrees of freedom from which the fraction converges slowly
_ERFC = np.frompyfunc(math.erfc, 1, 1)
_FAR = 1e150  # its square does not overflow
_STEPS = 60  # of Newton's method; about five are computed


def two_sided_p(t: Any, df: float) -> Floats:
    """Return P(|T| ≥ |t|) for each t, with a relative error of about 1e-13 also in the far tail.

    >>> two_sided_p([2.0, 12.7062], 1.0).round(4)
    array([0.2952, 0.05  ])
    """
    x = np.abs(np.atleast_1d(np.asarray(t, dtype=np.float64)))
    if df >= _MANY:
        return _mixed(x, df)
    square = np.square(np.minimum(x, _FAR)) / df
    p = np.ones_like(x)
    tail = square > 3 / df  # where the fraction of P converges quickly; below it, that of 1 - P does
    a = df / 2
    log_density = _log_quotient(a) - 0.5 * math.log(math.pi) - a * np.log1p(square)
    log_root = 0.5 * (np.log(np.where(square > 0, square, 1.0)) - np.log1p(square))
    with np.errstate(under="ignore"):
        scale = np.exp(log_density + log_root)  # x^a (1 - x)^(1/2) / B(a, 1/2) with x = 1 / (1 + t²/df)
    if tail.any():
        p[tail] = scale[tail] / a * _fraction(a, 0.5, 1 / (1 + square[tail]))
    centre = ~tail & (square > 0)
    if centre.any():
        p[centre] = 1 - 2 * scale[centre] * _fraction(0.5, a, square[centre] / (1 + square[centre]))
    return np.where(np.isinf(x), 0.0, np.minimum(p, 1.0))


def _mixed(t: Floats, df: float) -> Floats:
    """The same for many degrees of freedom: the mean of normal tails over the scale, since T = Z / s."""
    largest = float(np.max(np.where(np.isinf(t), 0.0, t), initial=0.0))
    s, weight = scales(df, peak=-0.5 * math.log1p(largest**2 / df))
    return np.minimum(2 * upper_tail(t[:, None] * s) @ weight, 1.0)


def upper_tail(z: Any) -> Floats:
    """Return P(Z ≥ z) for a standard normal Z."""
    return np.asarray(_ERFC(np.asarray(z) / math.sqrt(2)), dtype=np.float64) / 2


@lru_cache(maxsize=64)  # runs with the same number of queries share them
def two_sided_quantile(levels: tuple[float, ...], df: float) -> Floats:
    """Return the t that |T| exceeds with the probability of each level, above 0 and below 1.

    Newton's method in log t: log P is concave there, so the steps converge from any start.

    >>> two_sided_quantile((0.05, 0.01), 10.0).round(4)
    array([2.2281, 3.1693])
    """
    z = np.array([-NormalDist().inv_cdf(level / 2) for level in levels])
    t = np.sqrt(df * np.expm1(np.minimum(np.maximum(z * z, 1e-30) / df, 700.0)))
    constant = _log_quotient(df / 2) - 0.5 * math.log(math.pi * df)
    seen: list[bytes] = []
    left = _STEPS
    while left > 0:
        left -= 1
        p = np.maximum(two_sided_p(t, df), np.finfo(float).tiny)
        slope = 2 * t * np.exp(constant - (df + 1) / 2 * np.log1p(t * t / df)) / p
        step = np.log(p / np.array(levels)) / slope
        t = t * np.exp(np.clip(step, -5.0, 5.0))
        if (np.abs(step) <= 1e-15).all():
            break
        bits = t.tobytes()
        if bits in seen:  # from here on the steps repeat, a last digit up and down
            left %= len(seen) - seen.index(bits)
        seen.append(bits)
    return t


def _log_quotient(a: float) -> float:
    """Return log Γ(a + 1/2) / Γ(a)."""
    if a < _SERIES:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5) + 17 / (14336 * a**7)


def _fraction(a: float, b: float, x: Floats) -> Floats:
    """Return the continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, 6.4)."""
    c, d = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, 200 + int(20 * math.sqrt(max(a, b)))):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / (1 + even * d), 1 + even / c
        value = value * d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + odd * d), 1 + odd / c
        value = value * d * c
        if np.abs(d * c - 1).max() < 1e-16:
            break
    return value


def scales(df: float, *, peak: float = 0.0, step: float = 0.03) -> tuple[Floats, Floats]:
    """Return nodes s = √(χ²/df) and their weights, which add up to 1 if `peak` is 0: the trapezoidal rule in log s.

    `peak` is the log of the smallest s that matters to the integrand, if only small s do. `step` must be small
    compared with the width of the integrand in log s. The rule is exact up to rounding.
    """
    fine = min(step, 0.45 / math.sqrt(df))
    above = 1.3 * math.sqrt(45 / df)
    below = above if df > 250 else 45 / df + 0.5  # outside, the density is below e^-45 of its peak

    def density(u: Floats) -> Floats:
        return np.exp(df * (u - np.expm1(2 * u) / 2))

    coarse = min(0.09, 0.45 / math.sqrt(df))
    whole = float(density(np.arange(-below, above + coarse, coarse)).sum()) * coarse
    u = np.arange(min(peak, 0.0) - below, above + fine, fine)
    return np.exp(u), density(u) * (fine / whole)
