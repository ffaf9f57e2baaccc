"""Equally scored documents: the expected value of a measure over all of their orders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Column, Floats, Ints
from judged.core import segments
from judged.core.judged import Judged
from judged.core.passages import RankTexts
from judged.core.pool import Pool
from judged.errors import Warned
from judged.measures.registry import Measure
from judged.tables.table import counted


@dataclass(frozen=True, repr=False, eq=False)
class SpreadTies(Judged):
    """A `Judged` whose hits are shares of documents; sums over hits are their expected values over the orders of ties."""

    share: Floats = field(kw_only=True)

    def weighted(self, x: Column) -> Column:
        return x * self.share

    def total(self, x: Column) -> Floats:
        return super().total(x * self.share)

    def only(self, mask: Bools) -> Self:
        return replace(super().only(mask), share=self.share[mask])


def spread_ties(j: Judged, *, by_grade: bool = True) -> Iterator[SpreadTies]:
    """Spread the hits of each tied group over its ranks. Sums over documents of all blocks add up to the expected value.

    Args:
        j: the rankings.
        by_grade: keep documents of different grades apart; otherwise only judged documents from those of negative grade, all in one block.
    """
    kind = j.grade if by_grade else np.where(j.is_judged, 0.0, -1.0)
    order = np.lexsort((kind, j.tie_first, j.query))
    new = np.ones(len(order), bool)
    new[1:] = np.any([np.diff(column[order]) != 0 for column in (j.query, j.tie_first, kind)], axis=0)
    start = np.flatnonzero(new)
    hits = np.diff(np.append(start, len(order)))
    at = order[start]  # a document of each kind
    size = j.tie_last[at] - j.tie_first[at] + 1
    ends = np.flatnonzero(np.diff(np.cumsum(size) // _BLOCK)) + 1 if by_grade else np.empty(0, np.int64)
    for one in np.split(np.arange(len(at)), ends):
        row = np.repeat(one, size[one])
        rank = j.tie_first[at[row]] + segments.positions(size[one])
        by_rank = np.lexsort((rank, j.query[at[row]]))
        row, rank = row[by_rank], rank[by_rank]
        columns = {spec.name: getattr(j, spec.name) for spec in fields(Judged)}
        columns |= {name: getattr(j, name)[at[row]] for name in ("query", "grade", "judgment")}
        columns |= {"rank": rank, "tie_first": rank, "tie_last": rank}
        columns["reading"] = None  # texts belong to one order
        yield SpreadTies(**columns, share=(hits / size)[row])


_EXACT = 1_000  # orders of a query that are evaluated: all if there are no more, otherwise a sample
_DRAWS = 20_000_000
_BLOCK = 2_000_000  # rows in memory at a time


class TieOrders:
    """The mean of any measure over the orders of tied documents, in memory that is linear in the number of documents.

    A measure that is a sum over documents has its exact mean, because every document is at every rank of its group equally often. For any other
    measure each query is replicated once per order. Only the ranks of the judged documents of a tied group matter, and documents with equal
    grades are interchangeable. Up to 1,000 placements per query are all evaluated; of more, 1,000 are sampled with a fixed seed, fewer
    if a group has more than 20,000 documents. The depth and the removal of unjudged documents apply to each order separately.
    """

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self._means: dict[Measure, Floats] = {}

    def expected_value(self, measure: Measure) -> NDArray[Any]:
        """The mean of the measure over the orders, per query."""
        if measure.definition.text:
            return measure.on(self.judged.under(self.judged.policy))
        if self._adds_up(measure):
            return self._sum(measure)
        self.compute_together([measure])
        return self._means[measure]

    def compute_together(self, measures: Iterable[Measure]) -> None:
        """Compute the means of measures that are asked for next: replicas of a block of queries take longer to make than to measure."""
        wanted = [m for m in dict.fromkeys(measures) if not (m.definition.text or self._adds_up(m) or m in self._means)]
        if wanted:
            blocks = [_block_means(self.judged.select(rows), wanted) for rows in _blocks(self.judged)]
            self._means.update(zip(wanted, map(np.concatenate, zip(*blocks, strict=True)), strict=True))

    def _sum(self, measure: Measure) -> Floats:
        """The exact mean of a sum over documents, from blocks of them; each block also has the constant term of the measure."""
        blocks = spread_ties(self.judged, by_grade="additive" in measure.definition.laws)
        values = [measure.on(block.under(self.judged.policy)) for block in blocks]
        if len(values) == 1:
            return values[0]
        nothing = self.judged.only(np.zeros(len(self.judged.query), bool)).under(self.judged.policy)
        return np.sum(values, axis=0) - (len(values) - 1) * measure.on(nothing)

    def _adds_up(self, measure: Measure) -> bool:
        """True if the measure is a sum in which the rank of a document does not depend on the others."""
        policy, laws = self.judged.policy, measure.definition.laws
        condensed = measure.get("judged_only") or policy.unjudged == "condensed"
        return not condensed and ("additive" in laws or ("residual" in laws and policy.depth is None))

    def warnings(self, measures: Sequence[Measure]) -> tuple[Warned, ...]:
        """Warn of queries whose orders were sampled, if a measure needs all of them."""
        j, sampled = self.judged, 0
        if not all(map(self._adds_up, measures)):
            sampled = sum(_Ties(j, query).orders > _EXACT for query in np.unique(j.query[j.tie_last > j.tie_first]))
        text = f"the expected value over ties is an average over at most {_EXACT:,} random orders in {counted(sampled, 'query')}"
        return (Warned("ties-sampled", sampled, text),) if sampled else ()


def _blocks(j: Judged) -> list[Ints]:
    """Split queries into blocks whose replicas fit into memory; a query with ties may have a thousand."""
    tied = np.bincount(j.query[j.tie_last > j.tie_first], minlength=len(j)) > 0
    rows = (j.hits + j.judgments + 1) * np.where(tied, _EXACT, 1)
    block = np.cumsum(rows) // _BLOCK
    return np.split(np.arange(len(j)), np.flatnonzero(np.diff(block)) + 1)


def _block_means(j: Judged, measures: Sequence[Measure]) -> list[Floats]:
    """The mean of each measure over the replicas of each query; those of one large query are made in several steps."""
    ties = [_Ties(j, query) for query in range(len(j))]
    copies = np.array([one.copies for one in ties])
    step = _EXACT
    if len(j) == 1:
        step = max(1, _BLOCK // max(1, int(j.hits[0] + j.judgments[0]), *ties[0].sizes))
    values: list[list[Floats]] = [[] for _ in measures]
    for ranks in zip(*(one.placements(step) for one in ties), strict=True):
        replicas = _replicate(j, ranks).under(j.policy)
        for column, measure in zip(values, measures, strict=True):
            column.append(measure.on(replicas))
    owner = np.repeat(np.arange(len(j)), copies)
    return [np.bincount(owner, np.concatenate(column), len(j)) / copies for column in values]


class _Ties:
    """The tied groups of one query: the number of ranks of each, and its hits by kind."""

    def __init__(self, j: Judged, query: int) -> None:
        hits = slice(*np.searchsorted(j.query, [query, query + 1]))
        self.rank, self.first, last = j.rank[hits], j.tie_first[hits], j.tie_last[hits]
        kind = j.grade[hits] if j.pool.one_aspect else j.judgment[hits]  # those with subtopics are all different
        tied = np.flatnonzero(last > self.first)
        self.groups = np.split(tied, np.flatnonzero(np.diff(self.first[tied])) + 1) if len(tied) else []
        self.sizes = [int(last[g[0]] - self.first[g[0]] + 1) for g in self.groups]
        self.classes = [[g[kind[g] == k] for k in np.unique(kind[g])] for g in self.groups]

    @cached_property
    def orders(self) -> int:
        """Number of orders that a measure can distinguish; not counted further than those that are evaluated."""
        ways = 1
        for left, classes in zip(self.sizes, self.classes, strict=True):
            for members in classes:
                if ways <= _EXACT and len(members) < left:  # of many ranks there are at least as many ways
                    ways *= left if left > _EXACT else math.comb(left, len(members))
                left -= len(members)
        return ways

    @property
    def copies(self) -> int:
        """Number of orders that are evaluated."""
        return self.orders if self.orders <= _EXACT else max(50, min(_EXACT, _DRAWS // max(self.sizes)))

    def placements(self, step: int) -> Iterator[Ints]:
        """The ranks of the hits in these orders, one row per order; at most `step` orders of a sample at a time."""
        if self.orders <= _EXACT:
            yield self._all_orders()
            return
        streams = []
        for group in range(len(self.groups)):
            skipped = self.copies * sum(self.sizes[:group])  # one step per random number
            streams.append(np.random.Generator(np.random.PCG64(len(self.first)).advance(skipped)))
        for start in range(0, self.copies, step):
            out = np.tile(self.rank, (min(step, self.copies - start), 1))
            for stream, hits, size in zip(streams, self.groups, self.sizes, strict=True):
                places = stream.random((len(out), size)).argsort(axis=1)[:, : len(hits)]
                out[:, hits] = self.first[hits] + places
            yield out

    def _all_orders(self) -> Ints:
        out = np.tile(self.rank, (self.orders, 1))
        if self.groups:
            groups = zip(self.sizes, self.classes, strict=True)
            choices = [_list_arrangements(tuple(range(size)), [len(c) for c in classes]) for size, classes in groups]
            order = np.concatenate([members for classes in self.classes for members in classes])
            combined = [list(itertools.chain(*combo)) for combo in itertools.product(*choices)]
            out[:, order] = self.first[order] + np.array(combined)
        return out


def _list_arrangements(places: tuple[int, ...], counts: list[int]) -> list[tuple[int, ...]]:
    """List the ways to place documents, `counts` of each kind: the places of the first kind, then of the second, and so on."""
    if not counts:
        return [()]
    ways = []
    for chosen in itertools.combinations(places, counts[0]):
        rest = tuple(place for place in places if place not in chosen)
        ways += [chosen + others for others in _list_arrangements(rest, counts[1:])]
    return ways


def _replicate(j: Judged, ranks: Sequence[Ints]) -> Judged:
    """Return a `Judged` with each query repeated once per order of its hits."""
    owner = np.repeat(np.arange(len(j)), [len(orders) for orders in ranks])
    hit, query, _ = _repeat(j.query, owner, len(j))
    pool, pool_query, shift = _repeat(j.pool_query, owner, len(j))
    rank = np.concatenate([orders.ravel() for orders in ranks])
    order = np.lexsort((rank, query))
    aspects = j.aspects
    if aspects is not None:
        row, copy, _ = _repeat(j.pool_query[aspects.judgment], owner, len(j))
        judgment = aspects.judgment[row] + shift[copy]
        aspects = type(aspects)(judgment, aspects.aspect[row], aspects.sub[row], aspects.grade[row])
    docs = None if j.pool_doc is None else j.pool_doc.take(pool)
    texts = None
    if j.reading is not None:
        texts = RankTexts(size=j.retrieved[owner], lacking="tied documents have no fixed order")
    return replace(
        j,
        retrieved=j.retrieved[owner],
        answered=j.answered[owner],
        query=query,
        rank=rank[order],
        grade=j.grade[hit][order],
        judgment=(j.judgment[hit] + shift[query])[order],
        tie_first=rank[order],
        tie_last=rank[order],
        pool=Pool(
            queries=tuple(range(len(owner))), query=pool_query, grade=j.pool_grade[pool], doc=docs, aspects=aspects
        ),
        reading=texts,
    )


def _repeat(query: Ints, owner: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """The rows of each owner, the number of the owner that each belongs to, and how far each owner's rows moved."""
    start = np.searchsorted(query, np.arange(count + 1))
    size = np.diff(start)[owner]
    moved = np.cumsum(size) - size - start[owner]
    return np.arange(int(size.sum())) - np.repeat(moved, size), np.repeat(np.arange(len(owner)), size), moved
