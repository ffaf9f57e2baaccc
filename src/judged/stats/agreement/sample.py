"""Counts of label patterns, from which all coefficients are computed: observed counts or those of resamples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judged._types import Floats, Ints
from judged.stats.agreement.ratings import Patterns


@dataclass(frozen=True, eq=False)
class Pairing:
    """Patterns with weights of agreement."""

    patterns: Patterns
    matrix: Floats

    @cached_property
    def pair(self) -> Floats:
        """Mean weight over the pairs of labels of each pattern; 0 with fewer than two labels."""
        given = self.patterns.given[: int(self.patterns.rated.max(initial=0))]
        weight = np.pad(self.matrix, (0, 1))  # a missing label, -1, takes the last row and column
        total = np.zeros(given.shape[1])
        for i in range(len(given)):
            for j in range(i):
                total += weight[given[i], given[j]]
        rated = self.patterns.rated
        return ratio(2 * total, rated * (rated - 1.0), otherwise=0.0)

    def mean(self, value: Floats) -> Floats:
        """Mean over the labels of each pattern of a value per category; 0 without labels."""
        total = np.append(value, 0.0)[self.patterns.given].sum(axis=0)
        return ratio(total, self.patterns.rated.astype(float), otherwise=0.0)


@dataclass(frozen=True, eq=False)
class Sample:
    """Counts of each pattern (…, patterns): the observed ones, or one row per resample or query.

    Every result has the leading axes of `count`, so the value, its resamples and the values per query share one formula.
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
        """Number of labels of units with two or more: Krippendorff's n."""
        return self.count @ np.where(self.patterns.rated >= 2, self.patterns.rated, 0).astype(float)

    @cached_property
    def share(self) -> Floats:
        """Mean over units of the share of each category among a unit's labels (…, categories), as Fleiss and Gwet define it."""
        part = ratio(np.ones_like(self.patterns.count), self.patterns.rated.astype(float), otherwise=0.0)
        return ratio(self._by_category(self.count * part), self.units[..., None])

    @cached_property
    def total(self) -> Floats:
        """Number of pairable labels in each category (…, categories), as Krippendorff defines it."""
        return self._by_category(self.count * (self.patterns.rated >= 2))

    @cached_property
    def own(self) -> Floats:
        """Share of each category among the labels of each rater (…, raters, categories); 0 for a rater without labels."""
        tallies = [self._tally(row, self.count) for row in self.patterns.codes]
        counted = np.stack(tallies, axis=-2)
        return ratio(counted, counted.sum(axis=-1, keepdims=True), otherwise=0.0)

    def _by_category(self, count: Floats) -> Floats:
        most = int(self.patterns.rated.max(initial=0))
        tallies = [self._tally(row, count) for row in self.patterns.given[:most]]
        return sum(tallies, np.zeros((*self.count.shape[:-1], self.patterns.size)))

    def _tally(self, code: Ints, count: Floats) -> Floats:
        """Sum the counts by category."""
        lead, wide = count.shape[:-1], self.patterns.size + 1
        flat = count.reshape(int(np.prod(lead)), len(code))
        at = np.arange(len(flat))[:, None] * wide + code + 1
        out = np.bincount(at.ravel(), flat.ravel(), minlength=len(flat) * wide).astype(float)
        return out.reshape(*lead, wide)[..., 1:]


def ratio(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    """Divide; `otherwise` where the denominator is 0."""
    above, below = np.broadcast_arrays(above, below)
    out = np.full(above.shape, otherwise)
    return np.divide(above, below, out=out, where=below != 0)


def quadratic_form(p: Floats, matrix: Floats, q: Floats) -> Floats:
    """Return Σ p_k w_kl q_l over the last axis."""
    total: Floats = ((p @ matrix) * q).sum(axis=-1)
    return total
