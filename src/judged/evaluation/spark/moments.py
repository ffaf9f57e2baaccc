"""Exact sums of values and of their squares: means and intervals of values that stay on the cluster."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from judged._dataclass import dataclass, field
from judged._types import Floats, Ints
from judged.evaluation.stream.exact_means import ExactSum

_HALF = 27  # bits of the lower half of a fraction of 53
_LOWEST = 1126  # every double is a multiple of 2**-1126, its square one of 2**-2252


@dataclass(slots=True)
class Moments:
    """The number of values, their sum, and the sum of their squares; the bits do not depend on the order of addition.

    >>> some, others = Moments(), Moments()
    >>> some.add(np.array([0.5, 1.0]))
    >>> others.add(np.array([0.0, np.nan]))
    >>> some.merge(others)
    >>> some.sum.mean(), some.variance()
    (0.5, 0.25)
    """

    sum: ExactSum = field(default_factory=ExactSum)
    squares: int = 0  # in units of 2**-2252

    def add(self, values: Floats) -> None:
        """Add a column; NaN is counted separately."""
        self.sum.add(values)
        self.squares += _squares(values[np.isfinite(values)])

    def merge(self, other: Moments) -> None:
        """Add the moments of another partition."""
        self.sum.merge(other.sum)
        self.squares += other.squares

    def variance(self) -> float:
        """Return the sample variance; NaN for fewer than two values, or if one is infinite."""
        n = self.sum.count
        if n < 2 or not math.isfinite(self.sum.value()) or self.sum.infinite:
            return math.nan
        return float(self._spread() / (n * (n - 1)))

    def standard_error(self) -> float:
        """Return the standard error of the mean."""
        variance = self.variance()
        return math.sqrt(variance / self.sum.count) if variance == variance else math.nan

    def is_binary(self) -> bool:
        """Return whether every value is 0 or 1, of values from 0 to 1: exactly then the sum of squares equals the sum."""
        return self.squares == self.sum.total << _LOWEST

    def _spread(self) -> Fraction:
        """Return n Σx² − (Σx)², which is exact and never negative."""
        return Fraction(self.sum.count * self.squares - self.sum.total**2, 1 << 2 * _LOWEST)


def _squares(values: Floats) -> int:
    """Return Σx² of finite values: each is split in halves, whose products fit into 54 bits."""
    fraction, exponent = np.frexp(values)
    bits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    high, low = bits >> _HALF, bits & ((1 << _HALF) - 1)
    total = 0
    for power in np.unique(exponent).tolist():
        chosen = exponent == power
        h, v = high[chosen], low[chosen]
        squares = (_total(h * h) << 2 * _HALF) + (_total(h * v) << _HALF + 1) + _total(v * v)
        total += squares << 2 * (power - 53 + _LOWEST)
    return total


def _total(products: Ints) -> int:
    """Return the sum of numbers of up to 54 bits, which would overflow 64 bits."""
    return (int((products >> _HALF).sum()) << _HALF) + int((products & ((1 << _HALF) - 1)).sum())
