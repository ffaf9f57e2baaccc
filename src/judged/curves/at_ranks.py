"""Measures of runs at many cutoffs: of several runs together, and from fewer hits the smaller the cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.judged_views import stack_runs
from judged.core.tables import Id
from judged.errors import DataError
from judged.evaluation.inputs import ORDER_POLICIES
from judged.evaluation.measuring import Views, ends_at_cutoff
from judged.evaluation.options import with_level
from judged.evaluation.provenance import Provenance
from judged.measures.profiles import Profile
from judged.measures.registry import Measure

_HITS = 50_000  # of several runs at once: columns of this size stay in the cache
_SHORTER = 4  # times: dropping hits takes as long as computing two measures from them


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """Options that apply to every run."""

    average: str
    queries: tuple[Id, ...] | None
    points: Any
    level: float | None
    band: float | None
    seed: int
    profile: Profile
    runs: tuple[Judged, ...] = ()  # all runs, in order
    made: dict[tuple[Any, ...], list[Measure]] = field(default_factory=dict)  # by `measures`
    tables: dict[tuple[Any, ...], list[Floats]] = field(
        default_factory=dict
    )  # by `values_at_ranks`, for runs that follow

    @property
    def lowest(self) -> float:
        """Lowest relevant grade."""
        return 1 if self.level is None else self.level

    def measures(self, m: Measure, points: Sequence[float | None]) -> list[Measure]:
        """Return a measure at each point (None for no point), under the profile and at the level; the same ones for every run."""
        key = m, m.explicit, m.policy, tuple(points)
        if key not in self.made:
            placed = [m if at is None else m @ at for at in points]
            self.made[key] = [with_level(self.profile.apply(one, ORDER_POLICIES), self.level) for one in placed]
        return self.made[key]


def values_at_ranks(j: Judged, request: CurveRequest, measures: Sequence[Measure], ranks: Ints) -> list[Floats]:
    """Return for each measure the values of every query (rows) at every rank (columns).

    They are computed together with those of the runs that follow, which ask for them next: calls take longer than sums.
    """
    key = tuple(measures), tuple(ranks.tolist())
    if (id(j), key) not in request.tables:
        batch = _batch(j, request.runs, measures)
        try:
            values = _compute(batch[0] if len(batch) == 1 else stack_runs(batch), request, measures, ranks)
        except DataError:  # which names a query and a document, if the run is computed alone
            batch, values = [j], _compute(j, request, measures, ranks)
        for at, one in enumerate(batch):
            rows = slice(at * len(j), (at + 1) * len(j))
            request.tables[id(one), key] = [table[rows] for table in values]
    return request.tables.pop((id(j), key))


def _batch(j: Judged, runs: Sequence[Judged], measures: Sequence[Measure]) -> list[Judged]:
    """Return a run and those after it that can be measured with it: with the same judgments, policies and depth."""
    batch, hits = [j], len(j.rank)
    at = next((i for i, one in enumerate(runs) if one is j), len(runs))
    own = any(m.definition.family == "own" for m in measures)  # a user's formula may look at all queries
    if own or j.policy.ties == "expected" or j.reading is not None or j.aspects is not None:
        return batch
    for one in runs[at + 1 :]:
        hits += len(one.rank)
        alike = one.pool is j.pool and one.policy == j.policy and one.reading is None
        if hits > _HITS or not alike or one.retrieved.max(initial=1) != j.retrieved.max(initial=1):
            break
        batch.append(one)
    return batch


def _compute(j: Judged, request: CurveRequest, measures: Sequence[Measure], ranks: Ints) -> list[Floats]:
    """Return the tables of `values_at_ranks`: measures that see nothing below their cutoff from fewer and fewer hits."""
    whole = top = Views(Provenance(j))
    tables = [request.measures(m, ranks.tolist()) for m in measures]
    shortened = [ends_at_cutoff(table[0], j.policy) for table in tables]
    whole.compute_together((j, m) for table, short in zip(tables, shortened, strict=True) if not short for m in table)
    depth, found = int(ranks[-1]), []
    for k, *at_k in reversed(list(zip(ranks.tolist(), *tables, strict=True))):
        if _SHORTER * k <= depth:
            depth, top = k, Views(Provenance(j.only(j.tie_first <= k)))  # tied documents stay together
        found.append([(top if short else whole).column(m) for m, short in zip(at_k, shortened, strict=True)])
    return [np.stack(columns[::-1], axis=1) for columns in zip(*found, strict=True)]
