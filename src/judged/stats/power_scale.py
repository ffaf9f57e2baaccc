"""The spread of an estimated standard deviation, s = √(χ²/df): points and weights by which to average over it."""

from __future__ import annotations

import math

import numpy as np

from judged._types import Floats

__all__ = ["scales"]


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
