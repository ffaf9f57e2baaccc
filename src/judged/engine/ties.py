"""The expected value of a measure over all orders of equally scored documents."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judged.core import Judged
from judged.errors import Warned
from judged.measures import Measure

__all__ = ["Orders"]

Ints = NDArray[np.int64]

_EXACT = 1_000  # up to so many orders of a query are tried one by one; of more, so many are drawn
_DRAWS = 20_000_000


class Orders:
    """Every query once for each order of its ties, so that any measure can be averaged over them.

    Only where the judged documents of a tied group stand matters. Up to 1,000 placements per query are all
    tried; beyond that 1,000 are drawn with a seed that depends on the query alone.
    """

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        tied = judged.tie_last > judged.tie_first
        self.copies = np.ones(len(judged), np.int64)
        sampled = 0
        ranks: list[NDArray[np.int64]] = []
        start = np.searchsorted(judged.query, np.arange(len(judged) + 1))
        for query in np.unique(judged.query[tied]):
            hits = slice(start[query], start[query + 1])
            placed, exact = _placements(judged.rank[hits], judged.tie_first[hits], judged.tie_last[hits])
            self.copies[query] = len(placed)
            sampled += not exact
            ranks.append(placed)
        self.replicas = _replicate(judged, self.copies, ranks)
        text = f"in {sampled} queries the expected value over ties is an average over {_EXACT:,} random orders"
        self.warnings = (Warned("ties-sampled", sampled, text),) if sampled else ()

    def expected(self, measure: Measure) -> NDArray[np.float64]:
        """The mean of the measure over the orders, per query."""
        if measure.definition.text:
            return measure.on(self.judged)
        values = measure.on(self.replicas)
        owner = np.repeat(np.arange(len(self.judged)), self.copies)
        return np.bincount(owner, weights=values, minlength=len(self.judged)) / self.copies


def _placements(rank: Ints, first: Ints, last: Ints) -> tuple[Ints, bool]:
    """Ranks of a query's hits, one row an order; and whether these are all orders."""
    groups = [np.flatnonzero(first == f) for f in np.unique(first)]
    sizes = [int(last[g[0]] - first[g[0]] + 1) for g in groups]
    count = math.prod(math.perm(size, len(g)) for g, size in zip(groups, sizes, strict=True))
    if count <= _EXACT:
        choices = [list(itertools.permutations(range(s), len(g))) for g, s in zip(groups, sizes, strict=True)]
        combined = [[p for part in combo for p in part] for combo in itertools.product(*choices)]
        order = np.concatenate(groups)
        out = np.tile(first, (len(combined), 1))
        out[:, order] += np.array(combined)
        return out, True
    generator = np.random.default_rng(len(rank))
    draws = max(50, min(_EXACT, _DRAWS // max(sizes)))
    out = np.tile(first, (draws, 1))
    for group, size in zip(groups, sizes, strict=True):
        if size > 1:
            out[:, group] += generator.random((draws, size)).argsort(axis=1)[:, : len(group)]
    return out, False


def _replicate(j: Judged, copies: Ints, ranks: list[Ints]) -> Judged:
    """A `Judged` that holds each query as many times as it has orders."""
    owner = np.repeat(np.arange(len(j)), copies)
    hit_start = np.searchsorted(j.query, np.arange(len(j) + 1))
    pool_start = np.searchsorted(j.pool_query, np.arange(len(j) + 1))
    hits, pools = np.diff(hit_start)[owner], np.diff(pool_start)[owner]
    hit = _spread(hit_start[owner], hits)
    pool = _spread(pool_start[owner], pools)
    query, pool_query = np.repeat(np.arange(len(owner)), hits), np.repeat(np.arange(len(owner)), pools)
    rank = j.rank[hit]
    tied = np.isin(owner, np.flatnonzero(copies > 1))[query]
    if ranks:
        rank[tied] = np.concatenate([placed.ravel() for placed in ranks if len(placed) > 1])
    shift = np.cumsum(pools) - pools - pool_start[owner]
    order = np.lexsort((rank, query))
    aspects = None
    if j.aspects is not None:
        aspect_query = j.pool_query[j.aspects.judgment]
        aspect_start = np.searchsorted(aspect_query, np.arange(len(j) + 1))
        sizes = np.diff(aspect_start)[owner]
        row = _spread(aspect_start[owner], sizes)
        moved = j.aspects.judgment[row] + np.repeat(shift, sizes)
        aspects = type(j.aspects)(moved, j.aspects.aspect[row], j.aspects.sub[row], j.aspects.grade[row])
    return replace(
        j,
        queries=tuple(range(len(owner))),
        retrieved=j.retrieved[owner],
        answered=j.answered[owner],
        query=query,
        rank=rank[order],
        grade=j.grade[hit][order],
        judgment=(j.judgment[hit] + shift[query])[order],
        tie_first=rank[order],
        tie_last=rank[order],
        pool_query=pool_query,
        pool_grade=j.pool_grade[pool],
        pool_doc=None if j.pool_doc is None else j.pool_doc.take(pool),
        aspects=aspects,
    )


def _spread(start: Ints, size: Ints) -> Ints:
    """start, start + 1, … start + size - 1 for each pair, one after the other."""
    return np.arange(int(size.sum())) + np.repeat(start - (np.cumsum(size) - size), size)
