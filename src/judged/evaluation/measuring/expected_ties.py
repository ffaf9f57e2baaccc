"""The expected value of a measure over all orders of equally scored documents."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.judged import Judged
from judged.core.pool import Pool
from judged.errors import Warned
from judged.measures.registry import Measure

_EXACT = 1_000  # orders of a query that are evaluated: all if there are no more, otherwise a sample
_DRAWS = 20_000_000
_BLOCK = 2_000_000  # rows in memory at a time


class TieOrders:
    """Replicas of every query, one per order of its tied documents, so that any measure can be averaged over them.

    Only the ranks of the judged documents of a tied group matter, and documents with equal grades are interchangeable. Up to
    1,000 placements per query are all evaluated; of more, 1,000 are sampled with a fixed seed. The depth and the removal of
    unjudged documents apply to each order separately.
    """

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        blocks = _blocks(judged)
        self._blocks = blocks
        self._held = _replicas(judged) if len(blocks) == 1 else None  # small enough to keep for the next measure

    def expected_value(self, measure: Measure) -> NDArray[Any]:
        """The mean of the measure over the orders, per query."""
        if measure.definition.text:
            return measure.on(self.judged.under(self.judged.policy))
        turned = self._adds_up(measure) and self._sampled_queries > 0
        return np.concatenate(
            [self._mean_of_sums(rows, measure) if turned else self._mean(rows, measure) for rows in self._blocks]
        )

    def _mean(self, rows: Ints, measure: Measure) -> NDArray[np.float64]:
        replicas, copies = self._held or _replicas(self.judged.select(rows))
        owner = np.repeat(np.arange(len(rows)), copies)
        return np.bincount(owner, weights=measure.on(replicas), minlength=len(rows)) / copies

    def _mean_of_sums(self, rows: Ints, measure: Measure) -> NDArray[np.float64]:
        """Return the exact mean of a measure that is a sum over documents.

        Only the number of times that a document is at each rank matters. The rotations of a tied group put each of its documents
        at each of its ranks once. Groups are rotated one at a time: the mean is the value of the present order plus the
        contribution of each group.
        """
        j = self.judged.select(rows)
        copies, ranks = np.ones(len(j), np.int64), []
        weights = [np.ones(1)] * len(j)
        for query in _tied_queries(j):
            placed, weights[query] = _Ties(j, query).turns()
            copies[query] = len(placed)
            ranks.append(placed)
        values = measure.on(_replicate(j, copies, ranks).under(j.policy))
        owner = np.repeat(np.arange(len(j)), copies)
        return np.bincount(owner, weights=values * np.concatenate(weights), minlength=len(j)).astype(float)

    def _adds_up(self, measure: Measure) -> bool:
        condensed = (
            measure.get("judged_only") or self.judged.policy.unjudged == "condensed"
        )  # then ranks are not independent
        return "additive" in measure.definition.laws and not condensed

    @cached_property
    def _sampled_queries(self) -> int:
        """Number of queries with more orders than are evaluated."""
        return sum(_Ties(self.judged, query).orders > _EXACT for query in _tied_queries(self.judged))

    def warnings(self, measures: Sequence[Measure]) -> tuple[Warned, ...]:
        """Warn of queries whose orders were sampled, if a measure needs all of them."""
        sampled = 0 if all(map(self._adds_up, measures)) else self._sampled_queries
        text = f"the expected value over ties is an average over {_EXACT:,} random orders in {sampled} {'query' if sampled == 1 else 'queries'}"
        return (Warned("ties-sampled", sampled, text),) if sampled else ()


def _blocks(j: Judged) -> list[Ints]:
    """Split queries into blocks whose replicas fit into memory; a query with ties may have a thousand."""
    tied = np.bincount(j.query[j.tie_last > j.tie_first], minlength=len(j)) > 0
    rows = (j.hits + j.judgments + 1) * np.where(tied, _EXACT, 1)
    block = np.cumsum(rows) // _BLOCK
    return np.split(np.arange(len(j)), np.flatnonzero(np.diff(block)) + 1)


def _replicas(j: Judged) -> tuple[Judged, Ints]:
    """Return the replicas of all queries, and their number per query."""
    copies = np.ones(len(j), np.int64)
    ranks: list[Ints] = []
    for query in _tied_queries(j):
        placed = _Ties(j, query).placements()
        copies[query] = len(placed)
        ranks.append(placed)
    return _replicate(j, copies, ranks).under(j.policy), copies


def _tied_queries(j: Judged) -> Ints:
    return np.unique(j.query[j.tie_last > j.tie_first])


class _Ties:
    """The tied groups of one query: the number of ranks of each, and its hits by kind."""

    def __init__(self, j: Judged, query: int) -> None:
        hits = slice(*np.searchsorted(j.query, [query, query + 1]))
        self.first = j.tie_first[hits]
        kind = (
            j.grade[hits] if j.aspects is None else j.judgment[hits]
        )  # documents with subtopics are not interchangeable
        self.groups = [np.flatnonzero(self.first == f) for f in np.unique(self.first)]
        self.sizes = [int(j.tie_last[hits][g[0]] - self.first[g[0]] + 1) for g in self.groups]
        self.classes = [[g[kind[g] == k] for k in np.unique(kind[g])] for g in self.groups]

    @property
    def orders(self) -> int:
        """Number of orders that a measure can distinguish."""
        groups = zip(self.sizes, self.classes, strict=True)
        return math.prod(_arrangements(size, [len(c) for c in classes]) for size, classes in groups)

    def turns(self) -> tuple[Ints, NDArray[np.float64]]:
        """Return the ranks of the hits in the present order and in each rotation of each group, one row per order, and the weight of each."""
        base = self.first.copy()
        for group in self.groups:
            base[group] += np.arange(len(group))
        rows, weights = [base], [1.0]
        for group, size in zip(self.groups, self.sizes, strict=True):
            if size > 1:
                weights[0] -= 1.0
                for step in range(size):
                    turned = base.copy()
                    turned[group] = self.first[group] + (np.arange(len(group)) + step) % size
                    rows.append(turned)
                    weights.append(1 / size)
        return np.stack(rows), np.array(weights)

    def placements(self) -> Ints:
        """Return the ranks of the hits, one row per order: all orders, or a sample."""
        if self.orders > _EXACT:
            return self._draw()
        groups = zip(self.sizes, self.classes, strict=True)
        choices = [_list_arrangements(tuple(range(size)), [len(c) for c in classes]) for size, classes in groups]
        order = np.concatenate([members for classes in self.classes for members in classes])
        combined = [[p for part in combo for p in part] for combo in itertools.product(*choices)]
        out = np.tile(self.first, (len(combined), 1))
        out[:, order] += np.array(combined)
        return out

    def _draw(self) -> Ints:
        generator = np.random.default_rng(len(self.first))
        draws = max(50, min(_EXACT, _DRAWS // max(self.sizes)))
        out = np.tile(self.first, (draws, 1))
        for group, size in zip(self.groups, self.sizes, strict=True):
            if size > 1:
                out[:, group] += generator.random((draws, size)).argsort(axis=1)[:, : len(group)]
        return out


def _arrangements(size: int, counts: list[int]) -> int:
    """Number of ways to place documents, `counts` of each kind, at `size` ranks."""
    ways = 1
    for count in counts:
        ways *= math.comb(size, count)
        size -= count
    return ways


def _list_arrangements(places: tuple[int, ...], counts: list[int]) -> list[tuple[int, ...]]:
    """List these ways: the places of the documents of the first kind, then of the second, and so on."""
    if not counts:
        return [()]
    ways = []
    for chosen in itertools.combinations(places, counts[0]):
        rest = tuple(p for p in places if p not in chosen)
        ways += [chosen + others for others in _list_arrangements(rest, counts[1:])]
    return ways


def _replicate(j: Judged, copies: Ints, ranks: list[Ints]) -> Judged:
    """Return a `Judged` with each query repeated once per order."""
    owner = np.repeat(np.arange(len(j)), copies)
    hit_start = np.searchsorted(j.query, np.arange(len(j) + 1))
    pool_start = np.searchsorted(j.pool_query, np.arange(len(j) + 1))
    hits, pools = np.diff(hit_start)[owner], np.diff(pool_start)[owner]
    hit = _spread(hit_start[owner], hits)
    pool = _spread(pool_start[owner], pools)
    query, pool_query = np.repeat(np.arange(len(owner)), hits), np.repeat(np.arange(len(owner)), pools)
    rank = j.rank[hit]
    tied = np.isin(owner, np.flatnonzero(copies > 1))[query]
    moved = [placed.ravel() for placed in ranks if len(placed) > 1]
    if moved:
        rank[tied] = np.concatenate(moved)
    shift = np.cumsum(pools) - pools - pool_start[owner]
    order = np.lexsort((rank, query))
    aspects = None
    if j.aspects is not None:
        aspect_query = j.pool_query[j.aspects.judgment]
        aspect_start = np.searchsorted(aspect_query, np.arange(len(j) + 1))
        sizes = np.diff(aspect_start)[owner]
        row = _spread(aspect_start[owner], sizes)
        judgment = j.aspects.judgment[row] + np.repeat(shift, sizes)
        aspects = type(j.aspects)(judgment, j.aspects.aspect[row], j.aspects.sub[row], j.aspects.grade[row])
    docs = None if j.pool_doc is None else j.pool_doc.take(pool)
    return replace(
        j, retrieved=j.retrieved[owner], answered=j.answered[owner], query=query, rank=rank[order], grade=j.grade[hit][order],
        judgment=(j.judgment[hit] + shift[query])[order], tie_first=rank[order], tie_last=rank[order],
        pool=Pool(queries=tuple(range(len(owner))), query=pool_query, grade=j.pool_grade[pool], doc=docs, aspects=aspects),
        reading=None,  # it belongs to one order
    )  # fmt: skip


def _spread(start: Ints, size: Ints) -> Ints:
    """Concatenate start, start + 1, … start + size - 1 of each pair."""
    return np.arange(int(size.sum())) + np.repeat(start - (np.cumsum(size) - size), size)
