"""Compare pairs of runs by all measures: the statistics of `stats.decisions` with counts, effect sizes and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.comparison.difference import Difference, largest_difference, notes_on, skewness_of
from judged.comparison.settings import ComparisonSettings
from judged.measures.registry import Measure
from judged.stats.checks import deviations
from judged.stats.decisions import OPPOSITE, Decisions, decide_family
from judged.stats.differences import known_rows, sum_by_cluster
from judged.stats.effect_sizes import cliff, record, standardised, superiority
from judged.stats.two_phase import FEWEST, CheapValues, two_phase_means
from judged.stats.weighted import linearised

_NAN = float("nan")
_PAIRS = 4096  # described at a time: their values are columns of all queries


@dataclass(frozen=True)
class _Slice:
    """The values of a measure on the queries of a slice, or on all of them, with the clusters (codes) or weights of the queries.

    `x` has values whose plain mean is the weighted one, and `units` those of independent units: clusters, or queries.
    """

    measure: Measure
    label: str | None
    values: Floats
    clusters: Ints | None
    weights: Floats | None
    cheap: CheapValues | None = None  # values by a model, of more queries

    @cached_property
    def x(self) -> Floats:
        if self.weights is None or not len(self.values):
            return self.values
        w = self.weights / self.weights.max()
        return linearised(w[:, None] * self.values, w)

    @cached_property
    def means(self) -> Floats:
        """The mean of each run: over these queries, or with values by a model the estimate for all of them."""
        if self.cheap is None or len(self.values) < FEWEST:
            return np.asarray(self.x.mean(axis=0))
        return two_phase_means(self.values, self.cheap).mean

    @cached_property
    def units(self) -> Floats:
        return self.x if self.clusters is None else linearised(*sum_by_cluster(self.values, self.clusters))


@dataclass(frozen=True, slots=True)
class PairsOfRuns:
    """Pairs (a, b) of runs, the slices of queries and how they are compared."""

    names: Sequence[str]
    pairs: Ints
    slices: Sequence[tuple[str, Bools]]
    clusters: Ints | None
    settings: ComparisonSettings
    weights: Floats | None = None  # of the queries
    model: Mapping[str, Floats] | None = None  # values by a model, queries × runs

    def compare(self, columns: Mapping[Measure, Floats]) -> tuple[list[Difference], ComparisonSettings]:
        """Compare every pair by each measure, values of queries × runs, over all queries and then over each slice.

        All queries are one family of tests: pairs × measures. Slices are another: pairs × measures × slices that have
        enough queries. The settings are returned with the numbers of tests and what was remarked on them.
        """
        known = {m: self._known(m, x) for m, x in columns.items()}
        every = [self._part(m, x, None, known[m]) for m, x in columns.items()]
        parts = [self._part(m, x, label, known[m] & rows) for m, x in columns.items() for label, rows in self.slices]
        rows, tests, remarks, test = self._family(every, 1)
        more, slice_tests, others, _ = self._family(parts, self.settings.min_queries)
        resamples = self.settings.resamples if test == self.settings.test else None
        settings = replace(
            self.settings,
            test=test,
            resamples=resamples,
            tests=tests,
            slice_tests=slice_tests,
            remarks=(*remarks, *(f"slices: {text}" for text in others)),
        )
        return [*rows, *more], settings

    def _known(self, m: Measure, x: Floats) -> Bools:
        """Return the queries that count: every run has a value, by people and by the model if there is one, and the weight is not 0."""
        known = known_rows(x) if self.model is None else known_rows(x) & known_rows(self.model[str(m)])
        return known if self.weights is None else known & (self.weights > 0)

    def _part(self, m: Measure, x: Floats, label: str | None, rows: Bools) -> _Slice:
        clusters = None if self.clusters is None else self.clusters[rows]
        weights = None if self.weights is None else self.weights[rows]
        cheap = None if self.model is None else self._cheap(self.model[str(m)], rows, label)
        return _Slice(m, label, x[rows], clusters, weights, cheap)

    def _cheap(self, values: Floats, known: Bools, label: str | None) -> CheapValues:
        """Values by the model of all queries, or of all of a slice; `known` are those with values by people."""
        inside = known_rows(values) & (True if label is None else dict(self.slices)[label])
        return CheapValues(values[inside], known[inside])

    def _family(self, parts: Sequence[_Slice], least: int) -> tuple[list[Difference], int, tuple[str, ...], str]:
        """Differences of all parts, the number of tests, the remarks on them, and the test that was used."""
        s = self.settings
        tested = [part for part in parts if len(part.values) >= least]
        decided = decide_family(
            [part.values for part in tested],
            self.pairs,
            test=s.test,
            correction=s.correction,
            alpha=s.alpha,
            margin=s.margin,
            limits=[largest_difference(part.measure) for part in tested],
            clusters=[part.clusters for part in tested],
            weights=[part.weights for part in tested],
            cheap=[part.cheap for part in tested],
            resamples=s.resamples,
            seed=s.seed,
        )
        found = iter(decided)
        rows = [
            row
            for part in parts
            for row in (self._rows(part, next(found)) if len(part.values) >= least else self._untested(part))
        ]
        if not decided:
            return rows, 0, (), s.test
        return rows, decided[0].tests, decided[0].remarks, decided[0].test

    def _rows(self, part: _Slice, decided: Decisions) -> list[Difference]:
        starts = range(0, len(self.pairs), _PAIRS)
        return [row for start in starts for row in self._some_rows(part, decided, start)]

    def _some_rows(self, part: _Slice, decided: Decisions, start: int) -> list[Difference]:
        pairs = self.pairs[start : start + _PAIRS]
        a, b = part.values[:, pairs[:, 0]], part.values[:, pairs[:, 1]]
        d = part.units[:, pairs[:, 1]] - part.units[:, pairs[:, 0]]
        tested = part.x[:, pairs[:, 0]], part.x[:, pairs[:, 1]]  # weighted, if queries have weights
        counts, sizes = record(a, b), (standardised(*tested), superiority(a, b), cliff(a, b))
        lower, means = part.measure.definition.lower_is_better, part.means
        skew, spread, name = skewness_of(d).tolist(), deviations(d).tolist(), str(part.measure)
        rows = []
        for k, (first, second) in enumerate(pairs.tolist()):
            i = start + k
            wins, losses = (int(counts.wins[k]), int(counts.losses[k]))[:: -1 if lower else 1]
            verdict = decided.verdict[i]
            row = Difference(
                measure=name,
                a=self.names[first],
                b=self.names[second],
                part=part.label,
                queries=len(part.x),
                mean_a=float(means[first]),
                mean_b=float(means[second]),
                difference=float(decided.difference[i]),
                low=float(decided.low[i]),
                high=float(decided.high[i]),
                level=float(decided.level[i]),
                wins=wins,
                ties=int(counts.ties[k]),
                losses=losses,
                p=float(decided.p[i]),
                adjusted=float(decided.adjusted[i]),
                d_z=float(sizes[0][k]),
                superiority=1 - float(sizes[1][k]) if lower else float(sizes[1][k]),
                cliff=float(sizes[2][k]),
                note=decided.note[i],
                verdict=OPPOSITE.get(verdict, verdict) if lower else verdict,
            )
            least = float(decided.least[i])
            rows.append(notes_on(row, len(d), skew[k], spread[k], decided.test, self.settings.margin, least))
        return rows

    def _untested(self, part: _Slice) -> list[Difference]:
        x, lower = part.values, part.measure.definition.lower_is_better
        means = part.means if len(x) else np.full(len(self.names), np.nan)
        rows = []
        for a, b in self.pairs.tolist():
            above, below = int((x[:, b] > x[:, a]).sum()), int((x[:, b] < x[:, a]).sum())
            wins, losses = (below, above) if lower else (above, below)
            unknown: dict[str, Any] = dict.fromkeys(
                ("low", "high", "level", "p", "adjusted", "d_z", "superiority", "cliff"), _NAN
            )
            rows.append(
                Difference(
                    measure=str(part.measure),
                    a=self.names[a],
                    b=self.names[b],
                    part=part.label,
                    queries=len(x),
                    mean_a=float(means[a]),
                    mean_b=float(means[b]),
                    difference=float(means[b] - means[a]),
                    wins=wins,
                    ties=len(x) - above - below,
                    losses=losses,
                    verdict="too few queries",
                    **unknown,
                )
            )
        return rows
