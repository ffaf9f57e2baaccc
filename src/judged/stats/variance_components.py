"""Variance components of values of systems × queries × judges × replicates, in the balanced case (crossed random effects).

Queries and judges are crossed with systems: every system is evaluated on the same queries by the same judges. Replicates (seeds of
training, repeated answers of a model) are nested in systems. The estimates are those of the analysis of variance, which for balanced data equal
REML unless one is negative. In the terms of generalisability theory (Brennan 2001; in retrieval: Urbano, Marrero and
Martín, SIGIR 2013), they tell how the error of a difference between systems changes with the number of queries, judges and replicates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError
from judged.stats.checks import check_count, check_share, finite

FACETS = ("queries", "judges", "replicates")
Source = frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class VarianceComponents:
    """Mean square, degrees of freedom and variance of each source of error of a difference between systems.

    A source is a set of facets: {queries} is the interaction of systems with queries, {replicates} the variation between replicates of a
    system. A facet of size 1 has no source of its own: its variance is part of the others. Negative estimates are set to 0.
    """

    means: Floats  # one per system
    sizes: Mapping[str, int]
    variance: Mapping[Source, float]
    mean_square: Mapping[Source, float]
    df: Mapping[Source, int]
    values: Floats = field(repr=False)  # systems × queries × judges × replicates

    def error(self, **sizes: int) -> float:
        """Return the standard error of the difference of two systems' means, with other numbers of queries, judges or replicates.

        >>> parts = variance_components([[[[0.1], [0.5]]], [[[0.3], [0.2]]]])
        >>> parts.error(judges=4) < parts.error()
        True
        """
        return math.sqrt(2 * sum(self._terms(sizes).values()))

    def shares(self) -> dict[Source, float]:
        """Return the share of each source in the variance of a difference of two systems' means."""
        terms = self._terms({})
        whole = sum(terms.values())
        return {source: term / whole if whole else math.nan for source, term in terms.items()}

    def _terms(self, sizes: Mapping[str, int]) -> dict[Source, float]:
        n = {**self.sizes, **{name: check_count(size, name) for name, size in sizes.items()}}
        return {source: v / math.prod(n[f] for f in source) for source, v in self.variance.items()}

    def interval(self, a: int, b: int, *, confidence: float = 0.95) -> tuple[float, float] | None:
        """Return the interval of the difference b - a for other queries, judges and replicates; None if nothing varies.

        Mean squares are those of the two systems, whose values may vary more or less than those of others. The half width is the
        standard error times the mean of Student's quantiles of all sources, weighted by their variances (Cochran, Biometrics 1964).
        Satterthwaite's approximation is too short with two or three judges or replicates: their mean square is often small by chance,
        and then seems well known. Two judges have one degree of freedom, so their intervals are wide.
        """
        from scipy.special import stdtrit

        level = check_share(confidence, "confidence")
        pair = self if len(self.means) == 2 else variance_components(self.values[[a, b]])
        # The variance of a mean is a sum of mean squares, by inclusion and exclusion over the sources.
        whole = math.prod(self.sizes.values())
        weight: dict[Source, float] = {}
        for source in sorted(self.variance, key=len):
            weight[source] = 1.0 - sum(weight[s] for s in weight if s < source)
        squares = {s: 2 * (w / whole) * pair.mean_square[s] for s, w in weight.items()}
        positive = {s: x for s, x in squares.items() if x > 0}
        if not positive:
            return None
        variance = max(sum(squares.values()), *(x for s, x in squares.items() if len(s) == 1))
        quantiles = sum(x * float(stdtrit(pair.df[s], (1 + level) / 2)) for s, x in positive.items())
        half = quantiles / sum(positive.values()) * math.sqrt(variance)
        difference = float(self.means[b] - self.means[a])
        return difference - half, difference + half


def variance_components(values: Any) -> VarianceComponents:
    """Estimate variance components from values of systems × queries × judges × replicates; one judge or replicate is a size of 1.

    >>> y = np.array([[[[0.0, 0.2]], [[0.4, 0.6]]], [[[0.5, 0.7]], [[0.9, 1.1]]]])
    >>> {"+".join(sorted(s)): round(v, 4) for s, v in variance_components(y).variance.items()}
    {'queries': 0.0, 'replicates': 0.02, 'queries+replicates': 0.0}
    """
    y = finite(values)
    if y.ndim != 4 or not y.size or y.shape[0] < 2:
        raise DataError(
            "table", "values of systems (two or more) × queries × judges × replicates", got=f"shape {y.shape}"
        )
    sizes = dict(zip(FACETS, y.shape[1:], strict=True))
    varied = [f for f in FACETS if sizes[f] > 1]
    if not varied:
        raise DataError("few-queries", "one query, one judge and one replicate: no variance to estimate")
    sources = [frozenset(c) for r in range(1, len(varied) + 1) for c in combinations(varied, r)]
    mean_square, df = {}, {}
    for source in sources:
        effect = _effect(y, source)
        cells = math.prod(sizes[f] for f in FACETS if f not in source)
        systems = y.shape[0] if "replicates" in source else y.shape[0] - 1
        df[source] = systems * math.prod(sizes[f] - 1 for f in source)
        mean_square[source] = cells * float(np.sum(effect**2)) / df[source]
    variance: dict[Source, float] = {}
    for source in sorted(sources, key=len, reverse=True):  # the mean square of a source contains those that include it
        rest = sum(variance[s] * math.prod(sizes[f] for f in FACETS if f not in s) for s in variance if s > source)
        variance[source] = max(
            0.0, (mean_square[source] - rest) / math.prod(sizes[f] for f in FACETS if f not in source)
        )
    means = y.mean(axis=(1, 2, 3))
    return VarianceComponents(means, sizes, {s: variance[s] for s in sources}, mean_square, df, y)


def _effect(y: Floats, source: Source) -> Floats:
    """The interaction of systems with the facets of a source: deviations along each of their axes, means along the others.

    Replicates are nested in systems, so with them nothing is subtracted over systems.
    """
    axes = [i for i, f in enumerate(FACETS, 1) if f not in source]
    effect = y.mean(axis=tuple(axes), keepdims=True) if axes else y
    for axis in [i for i, f in enumerate(FACETS, 1) if f in source]:
        effect = effect - effect.mean(axis=axis, keepdims=True)
    return effect if "replicates" in source else effect - effect.mean(axis=0, keepdims=True)
