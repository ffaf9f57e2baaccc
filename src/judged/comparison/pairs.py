"""Test all pairs of runs by one measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.comparison.difference import Difference, power_note, verdict_of
from judged.comparison.result import ComparisonSettings
from judged.measures.registry import Measure
from judged.stats.differences import TestOutcome, known_rows
from judged.stats.effect_sizes import cliff, record, standardised, superiority
from judged.stats.intervals import Ends, interval
from judged.stats.multiple.corrections import adjusted
from judged.stats.paired.registry import TESTS, outcome_of_pairs
from judged.stats.weighted import linearised

_FEW = 25  # queries
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class PairsOfRuns:
    """Pairs (a, b) of runs, the slices of queries and how they are compared."""

    names: Sequence[str]
    pairs: Ints
    slices: Sequence[tuple[str, Bools]]
    clusters: Ints | None
    settings: ComparisonSettings
    weights: Floats | None = None  # of the queries

    def differences(self, m: Measure, x: Floats) -> list[Difference]:
        """Compare every pair over all queries, then over each slice; x holds values of queries × runs."""
        known = known_rows(x) if self.weights is None else known_rows(x) & (self.weights > 0)
        slices = [(None, known), *((label, known & rows) for label, rows in self.slices)]
        return [row for label, rows in slices for row in self._compare(m, x[rows], label, rows)]

    def _compare(self, m: Measure, x: Floats, part: str | None, rows: Bools) -> list[Difference]:
        if not len(x) or (part is not None and len(x) < self.settings.min_queries):
            means = x if self.weights is None or not len(x) else linearised(x, self.weights[rows])
            return [self._untested(m, x, means, int(a), int(b), part) for a, b in self.pairs]
        s, clusters = self.settings, None if self.clusters is None else self.clusters[rows]
        a, b = x[:, self.pairs[:, 0]], x[:, self.pairs[:, 1]]
        x = x if self.weights is None else linearised(x, self.weights[rows])
        d = x[:, self.pairs[:, 1]] - x[:, self.pairs[:, 0]]
        options: dict[str, Any] = {"seed": s.seed, "resamples": s.resamples}
        if clusters is not None:
            options["clusters"] = clusters
        outcome = outcome_of_pairs(x, self.pairs, s.test, **options)
        own = outcome.adjusted if s.correction == "max" else None
        p = adjusted(outcome.p, s.correction) if own is None else own
        outer, inner = self._intervals(d, clusters)
        verdicts = self._verdicts(m, d, x.mean(axis=0), outcome, p, inner)
        counts, sizes = record(a, b), (standardised(a, b), superiority(a, b), cliff(a, b))
        lower, means = m.definition.lower_is_better, x.mean(axis=0)
        compared = []
        for i, (first, second) in enumerate(self.pairs.tolist()):
            wins, losses = (int(counts.wins[i]), int(counts.losses[i]))[:: -1 if lower else 1]
            low, high = outer[i] or (_NAN, _NAN)
            verdict, note = verdicts[i]
            compared.append(
                Difference(
                    measure=str(m), a=self.names[first], b=self.names[second], part=part, queries=len(x), mean_a=float(means[first]),
                    mean_b=float(means[second]), difference=float(d[:, i].mean()), low=low, high=high, wins=wins, ties=int(counts.ties[i]),
                    losses=losses, p=float(outcome.p[i]), adjusted=float(p[i]), d_z=float(sizes[0][i]),
                    superiority=1 - float(sizes[1][i]) if lower else float(sizes[1][i]), cliff=float(sizes[2][i]), note=note, verdict=verdict,
                )
            )  # fmt: skip
        return compared

    def _intervals(self, d: Floats, clusters: Ints | None) -> tuple[list[Ends], list[Ends]]:
        """The 1 - alpha intervals that are shown, and the 1 - 2·alpha intervals that decide what is equal."""
        s, columns = self.settings, list(d.T)
        few = s.margin > 0 and len(d) < _FEW  # bootstrap intervals of few queries are too narrow
        outer = interval(columns, method=s.interval, confidence=1 - s.alpha, seed=s.seed, clusters=clusters)
        method = "t" if few else s.interval
        inner = interval(columns, method=method, confidence=1 - 2 * s.alpha, seed=s.seed, clusters=clusters)
        return outer, [None if few and ends is not None and ends[0] == ends[1] else ends for ends in inner]

    def _verdicts(
        self, m: Measure, d: Floats, means: Floats, outcome: TestOutcome, p: Floats, inner: list[Ends]
    ) -> list[tuple[Any, str]]:
        """The verdict and the note of each pair."""
        s, sign = self.settings, -1.0 if m.definition.lower_is_better else 1.0
        direction = TESTS.find(s.test).direction
        counted = None if direction is None else sign * direction(d)
        verdicts = []
        for i, first in enumerate(self.pairs[:, 0].tolist()):
            ends = inner[i]
            verdict = verdict_of(
                sign * float(d[:, i].mean()), float(p[i]), (-ends[1], -ends[0]) if ends and sign < 0 else ends, alpha=s.alpha,
                margin=s.margin, direction=None if counted is None else float(counted[i]), identical=not d[:, i].any(),
            )  # fmt: skip
            note = outcome.note[i]
            if verdict == "cannot tell" and not note:
                weak = None if p[i] <= s.alpha else power_note(d[:, i], float(means[first]), s.alpha, s.margin)
                opposed = f"the mean and what the {s.test} test counts point different ways" if p[i] <= s.alpha else ""
                note = weak[1] if weak else opposed
            verdicts.append((verdict, note))
        return verdicts

    def _untested(self, m: Measure, x: Floats, mean_of: Floats, a: int, b: int, part: str | None) -> Difference:
        above, below = int((x[:, b] > x[:, a]).sum()), int((x[:, b] < x[:, a]).sum())
        wins, losses = (below, above) if m.definition.lower_is_better else (above, below)
        means = mean_of.mean(axis=0) if len(x) else np.full(len(self.names), np.nan)
        return Difference(
            measure=str(m), a=self.names[a], b=self.names[b], part=part, queries=len(x), mean_a=float(means[a]), mean_b=float(means[b]),
            difference=float(means[b] - means[a]), low=_NAN, high=_NAN, wins=wins, ties=len(x) - above - below, losses=losses,
            p=_NAN, adjusted=_NAN, d_z=_NAN, superiority=_NAN, cliff=_NAN, verdict="too few",
        )  # fmt: skip
