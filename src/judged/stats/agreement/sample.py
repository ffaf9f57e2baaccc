"""What coefficients are computed from: patterns of labels, counted as they came or as they were drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judged._types import Floats, Ints
from judged.stats.agreement.ratings import Patterns

__all__ = ["Pairing", "Sample", "form", "ratio"]


@dataclass(frozen=True, eq=False)
class Pairing:
    """Patterns under weights of agreement."""

    patterns: Patterns
    matrix: Floats

    @cached_property
    def pair(self) -> Floats:
        """Of each pattern, the mean weight over its pairs of labels; 0 where it holds fewer than two."""
        given = self.patterns.given[: int(self.patterns.rated.max(initial=0))]
        weight = np.pad(self.matrix, (0, 1))  # a missing label, -1, takes the last row and column
        total = np.zeros(given.shape[1])
        for i in range(len(given)):
            for j in range(i):
                total += weight[given[i], given[j]]
        rated = self.patterns.rated
        return ratio(2 * total, rated * (rated - 1.0), otherwise=0.0)

    def mean(self, value: Floats) -> Floats:
        """Of each pattern, the mean of a value that each category has, over its labels; 0 where it has none."""
        total = np.append(value, 0.0)[self.patterns.given].sum(axis=0)
        return ratio(total, self.patterns.rated.astype(float), otherwise=0.0)


@dataclass(frozen=True, eq=False)
class Sample:
    """How often each pattern occurs, `count` (…, patterns): once as it came, or thousands of times as drawn again.

    Everything has the leading axes of `count`, so that the value, its resamples and the values by query are one formula.
    """

    patterns: Patterns
    count: Floats

    @cached_property
    def units(self) -> Floats:
        """Units with a label."""
        return self.count @ (self.patterns.rated >= 1).astype(float)

    @cached_property
    def shared(self) -> Floats:
        """Units with two labels or more."""
        return self.count @ (self.patterns.rated >= 2).astype(float)

    @cached_property
    def pairable(self) -> Floats:
        """Labels of units with two or more: Krippendorff's n."""
        return self.count @ np.where(self.patterns.rated >= 2, self.patterns.rated, 0).astype(float)

    @cached_property
    def share(self) -> Floats:
        """The mean, over units, of the share of each category among a unit's labels (…, categories): Fleiss' and Gwet's."""
        part = ratio(np.ones_like(self.patterns.count), self.patterns.rated.astype(float), otherwise=0.0)
        return ratio(self._given(self.count * part), self.units[..., None])

    @cached_property
    def total(self) -> Floats:
        """How often each category occurs among pairable labels (…, categories): Krippendorff's."""
        return self._given(self.count * (self.patterns.rated >= 2))

    @cached_property
    def own(self) -> Floats:
        """The share of each category among the labels of each rater (…, raters, categories); 0 of one who gave none."""
        tallies = [self._tally(row, self.count) for row in self.patterns.codes]
        counted = np.stack(tallies, axis=-2)
        return ratio(counted, counted.sum(axis=-1, keepdims=True), otherwise=0.0)

    def _given(self, count: Floats) -> Floats:
        most = int(self.patterns.rated.max(initial=0))
        tallies = [self._tally(row, count) for row in self.patterns.given[:most]]
        return sum(tallies, np.zeros((*self.count.shape[:-1], self.patterns.size)))

    def _tally(self, code: Ints, count: Floats) -> Floats:
        """Counts added up by category."""
        lead, wide = count.shape[:-1], self.patterns.size + 1
        flat = count.reshape(int(np.prod(lead)), len(code))
        at = np.arange(len(flat))[:, None] * wide + code + 1
        out = np.bincount(at.ravel(), flat.ravel(), minlength=len(flat) * wide).astype(float)
        return out.reshape(*lead, wide)[..., 1:]


def ratio(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    """above / below, and something else where below is 0."""
    above, below = np.broadcast_arrays(above, below)
    out = np.full(above.shape, otherwise)
    return np.divide(above, below, out=out, where=below != 0)


def form(p: Floats, matrix: Floats, q: Floats) -> Floats:
    """Σ p_k w_kl q_l, over the last axis."""
    total: Floats = ((p @ matrix) * q).sum(axis=-1)
    return total
