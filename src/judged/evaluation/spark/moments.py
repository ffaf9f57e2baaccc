"""Sums of values and of their squares without rounding: means and intervals of parts that nobody collects."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from judged._types import Floats, Ints
from judged.evaluation.stream.exact_means import ExactSum

__all__ = ["Moments"]


_HALF = 27  # bits of the lower half of a fraction of 53
_LOWEST = 1126  # every double is a whole number of 2**-1126, its square one of 2**-2252


@dataclass(slots=True)
class Moments:
    """How many values there are, their sum, and the sum of their squares; the same bits however they are added.

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
        """Take in a column; NaN is counted apart."""
        self.sum.add(values)
        self.squares += _squares(values[np.isfinite(values)])

    def merge(self, other: Moments) -> None:
        """Take in those of another part."""
        self.sum.merge(other.sum)
        self.squares += other.squares

    def variance(self) -> float:
        """The variance of the values, estimated from them as a sample; NaN below two, or where one is infinite."""
        n = self.sum.count
        if n < 2 or not math.isfinite(self.sum.value()) or self.sum.infinite:
            return math.nan
        return float(self._spread() / (n * (n - 1)))

    def standard_error(self) -> float:
        """Of the mean."""
        variance = self.variance()
        return math.sqrt(variance / self.sum.count) if variance == variance else math.nan

    def _spread(self) -> Fraction:
        """n Σx² − (Σx)², which is exact and never negative."""
        return Fraction(self.sum.count * self.squares - self.sum.total**2, 1 << 2 * _LOWEST)


def _squares(values: Floats) -> int:
    """Σx² of finite values: each is split in halves, whose products fit into 54 bits."""
    fraction, exponent = np.frexp(values)
    bits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    high, low = bits >> _HALF, bits & ((1 << _HALF) - 1)
    total = 0
    for power in np.unique(exponent).tolist():
        those = exponent == power
        h, v = high[those], low[those]
        found = (_total(h * h) << 2 * _HALF) + (_total(h * v) << _HALF + 1) + _total(v * v)
        total += found << 2 * (power - 53 + _LOWEST)
    return total


def _total(products: Ints) -> int:
    """The sum of numbers of up to 54 bits, which 64 cannot hold of many."""
    return (int((products >> _HALF).sum()) << _HALF) + int((products & ((1 << _HALF) - 1)).sum())
