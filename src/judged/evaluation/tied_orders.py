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
from judged.tables.text import counted


@dataclass(frozen=True, repr=False, eq=False)
class SpreadTies(Judged):
    """A `Judged` whose hits are shares of documents; sums over hits are their expected values over the orders of ties."""

    share: Floats = field(kw_only=True)

    def weighted(self, x: Column) -> Column:
        return x * self.share

    def only(self, mask: Bools) -> Self:
        return replace(super().only(mask), share=self.share[mask])


def spread_ties(j: Judged, *, most_rows: int, by_grade: bool = True) -> Iterator[SpreadTies]:
    """Spread the hits of each tied group over its ranks. Sums over documents of all blocks add up to the expected value.

    Args:
        j: the rankings.
        most_rows: rows of a block; a group of more ranks is a block of its own for each kind of document.
        by_grade: keep documents of different grades apart; otherwise only judged documents from those of negative grade, all in one block.
    """
    kind = j.grade if by_grade else np.where(j.is_judged, 0.0, -1.0)
    order = np.lexsort((kind, j.tie_first, j.query))
    query, first, kind = j.query[order], j.tie_first[order], kind[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(query) != 0) | (np.diff(first) != 0) | (np.diff(kind) != 0)
    start = np.flatnonzero(new)
    hits = np.diff(np.append(start, len(order)))
    at = order[start]  # a document of each kind
    size = j.tie_last[at] - j.tie_first[at] + 1
    ends = np.flatnonzero(np.diff(np.cumsum(size) // most_rows)) + 1 if by_grade else np.empty(0, np.int64)
    for one in np.split(np.arange(len(at)), ends):
        yield _spread(j, at[one], size[one], hits[one] / size[one])


def _spread(j: Judged, at: Ints, size: Ints, share: Floats) -> SpreadTies:
    row = np.repeat(np.arange(len(at)), size)
    rank = j.tie_first[at][row] + segments.positions(size)
    order = np.lexsort((rank, j.query[at][row]))
    row, rank = row[order], rank[order]
    own = {
        "rank": rank,
        "tie_first": rank,
        "tie_last": rank,
        "share": share[row],
        "reading": None,
    }  # texts belong to one order
    hits = {name: getattr(j, name)[at[row]] for name in ("query", "grade", "judgment")}
    return SpreadTies(**{**{spec.name: getattr(j, spec.name) for spec in fields(Judged)}, **hits, **own})


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
        self._blocks = _blocks(judged)
        self._means: dict[Measure, Floats] = {}  # that were computed together, and not asked for yet

    def expected_value(self, measure: Measure) -> NDArray[Any]:
        """The mean of the measure over the orders, per query."""
        if measure.definition.text:
            return measure.on(self.judged.under(self.judged.policy))
        if self._adds_up(measure):
            return self._sum(measure)
        if len(self._blocks) == 1:
            return self._orders.mean(measure)
        self.compute_together([measure])
        return self._means.pop(measure)

    def compute_together(self, measures: Iterable[Measure]) -> None:
        """Compute the means of measures that are asked for next: replicas of a block of queries take longer to make than to measure."""
        sampled = [
            m for m in dict.fromkeys(measures) if not (m.definition.text or self._adds_up(m) or m in self._means)
        ]
        if not sampled or len(self._blocks) == 1:
            return
        blocks = [
            [orders.mean(m) for m in sampled] for orders in (_Orders(self.judged.select(rows)) for rows in self._blocks)
        ]
        self._means.update(zip(sampled, map(np.concatenate, zip(*blocks, strict=True)), strict=True))

    def _sum(self, measure: Measure) -> Floats:
        """The exact mean of a sum over documents, from blocks of them; each block also has the constant term of the measure."""
        by_grade = "additive" in measure.definition.laws
        blocks = spread_ties(self.judged, most_rows=_BLOCK, by_grade=by_grade)
        values = [measure.on(block.under(self.judged.policy)) for block in blocks]
        if len(values) == 1:
            return values[0]
        nothing = self.judged.only(np.zeros(len(self.judged.query), bool)).under(self.judged.policy)
        return np.sum(values, axis=0) - (len(values) - 1) * measure.on(nothing)

    @cached_property
    def _orders(self) -> _Orders:
        return _Orders(self.judged)

    def _adds_up(self, measure: Measure) -> bool:
        """True if the measure is a sum in which the rank of a document does not depend on the others."""
        policy, laws = self.judged.policy, measure.definition.laws
        condensed = measure.get("judged_only") or policy.unjudged == "condensed"
        return not condensed and ("additive" in laws or ("residual" in laws and policy.depth is None))

    @cached_property
    def _sampled_queries(self) -> int:
        """Number of queries with more orders than are evaluated."""
        return sum(_Ties(self.judged, query).orders > _EXACT for query in _tied_queries(self.judged))

    def warnings(self, measures: Sequence[Measure]) -> tuple[Warned, ...]:
        """Warn of queries whose orders were sampled, if a measure needs all of them."""
        sampled = 0 if all(map(self._adds_up, measures)) else self._sampled_queries
        text = f"the expected value over ties is an average over at most {_EXACT:,} random orders in {counted(sampled, 'query')}"
        return (Warned("ties-sampled", sampled, text),) if sampled else ()


def _blocks(j: Judged) -> list[Ints]:
    """Split queries into blocks whose replicas fit into memory; a query with ties may have a thousand."""
    tied = np.bincount(j.query[j.tie_last > j.tie_first], minlength=len(j)) > 0
    rows = (j.hits + j.judgments + 1) * np.where(tied, _EXACT, 1)
    block = np.cumsum(rows) // _BLOCK
    return np.split(np.arange(len(j)), np.flatnonzero(np.diff(block)) + 1)


def _tied_queries(j: Judged) -> Ints:
    return np.unique(j.query[j.tie_last > j.tie_first])


class _Orders:
    """Replicas of queries, one per order of the tied documents; of one large query, a block of them at a time."""

    def __init__(self, j: Judged) -> None:
        self.j = j
        self.ties = {int(query): _Ties(j, query) for query in _tied_queries(j)}
        self.copies = np.ones(len(j), np.int64)
        for query, ties in self.ties.items():
            self.copies[query] = ties.copies

    def mean(self, measure: Measure) -> Floats:
        """The mean of a measure over the replicas of each query."""
        if len(self.j) > 1 or self._step >= self.copies.sum():
            values = measure.on(self._all)
        else:
            (ties,), most = self.ties.values(), int(self.copies[0])
            parts = [ties.placements(start, min(start + self._step, most)) for start in range(0, most, self._step)]
            values = np.concatenate([measure.on(self._replicate(np.array([len(part)]), [part])) for part in parts])
        owner = np.repeat(np.arange(len(self.j)), self.copies)
        return np.bincount(owner, values, len(self.j)) / self.copies

    @property
    def _step(self) -> int:
        """Number of replicas that fit into a block."""
        widest = max(
            [
                int(self.j.hits.max(initial=0) + self.j.judgments.max(initial=0)),
                *(max(t.sizes) for t in self.ties.values()),
            ]
        )
        return max(1, _BLOCK // max(1, widest))

    @cached_property
    def _all(self) -> Judged:
        return self._replicate(self.copies, [ties.placements(0, ties.copies) for ties in self.ties.values()])

    def _replicate(self, copies: Ints, ranks: list[Ints]) -> Judged:
        return _replicate(self.j, copies, ranks).under(self.j.policy)


class _Ties:
    """The tied groups of one query: the number of ranks of each, and its hits by kind."""

    def __init__(self, j: Judged, query: int) -> None:
        hits = slice(*np.searchsorted(j.query, [query, query + 1]))
        self.rank, self.first, last = j.rank[hits], j.tie_first[hits], j.tie_last[hits]
        kind = (
            j.grade[hits] if j.pool.one_aspect else j.judgment[hits]
        )  # documents with subtopics are not interchangeable
        tied = np.flatnonzero(last > self.first)
        self.groups = np.split(tied, np.flatnonzero(np.diff(self.first[tied])) + 1)
        self.sizes = [int(last[g[0]] - self.first[g[0]] + 1) for g in self.groups]
        self.classes = [[g[kind[g] == k] for k in np.unique(kind[g])] for g in self.groups]

    @cached_property
    def orders(self) -> int:
        """Number of orders that a measure can distinguish; not counted further than those that are evaluated."""
        ways = 1
        for size, classes in zip(self.sizes, self.classes, strict=True):
            ways *= _arrangements(size, [len(c) for c in classes]) if ways <= _EXACT else 1
        return ways

    @property
    def copies(self) -> int:
        """Number of orders that are evaluated."""
        return self.orders if self.orders <= _EXACT else max(50, min(_EXACT, _DRAWS // max(self.sizes)))

    def placements(self, start: int, stop: int) -> Ints:
        """Return the ranks of the hits in some of the orders, one row per order."""
        return self._draw(start, stop) if self.orders > _EXACT else self._list(start, stop)

    def _list(self, start: int, stop: int) -> Ints:
        groups = zip(self.sizes, self.classes, strict=True)
        choices = [_list_arrangements(tuple(range(size)), [len(c) for c in classes]) for size, classes in groups]
        order = np.concatenate([members for classes in self.classes for members in classes])
        combined = [
            list(itertools.chain(*combo)) for combo in itertools.islice(itertools.product(*choices), start, stop)
        ]
        out = np.tile(self.rank, (stop - start, 1))
        out[:, order] = self.first[order] + np.array(combined)
        return out

    def _draw(self, start: int, stop: int) -> Ints:
        out, skipped = np.tile(self.rank, (stop - start, 1)), 0
        for group, size in zip(self.groups, self.sizes, strict=True):
            stream = np.random.PCG64(len(self.first)).advance(skipped + start * size)  # one step per random number
            places = np.random.Generator(stream).random((stop - start, size)).argsort(axis=1)[:, : len(group)]
            out[:, group] = self.first[group] + places
            skipped += self.copies * size
        return out


def _arrangements(size: int, counts: list[int]) -> int:
    """Number of ways to place documents, `counts` of each kind, at `size` ranks; more than are evaluated if it is large."""
    ways = 1
    for count in counts:
        if 0 < count < size and (size > _EXACT or ways > _EXACT):
            return _EXACT + 1
        ways *= math.comb(size, count)
        size -= count
    return ways


def _list_arrangements(places: tuple[int, ...], counts: list[int]) -> list[tuple[int, ...]]:
    """List these ways: the places of the documents of the first kind, then of the second, and so on."""
    if not counts:
        return [()]
    ways = []
    for chosen in itertools.combinations(places, counts[0]):
        taken = set(chosen)
        rest = tuple(p for p in places if p not in taken)
        ways += [chosen + others for others in _list_arrangements(rest, counts[1:])]
    return ways


def _replicate(j: Judged, copies: Ints, ranks: list[Ints]) -> Judged:
    """Return a `Judged` with each query repeated once per order."""
    owner = np.repeat(np.arange(len(j)), copies)
    hit_start = np.searchsorted(j.query, np.arange(len(j) + 1))
    pool_start = np.searchsorted(j.pool_query, np.arange(len(j) + 1))
    hits, pools = np.diff(hit_start)[owner], np.diff(pool_start)[owner]
    hit = _ranges(hit_start[owner], hits)
    pool = _ranges(pool_start[owner], pools)
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
        row = _ranges(aspect_start[owner], sizes)
        judgment = j.aspects.judgment[row] + np.repeat(shift, sizes)
        aspects = type(j.aspects)(judgment, j.aspects.aspect[row], j.aspects.sub[row], j.aspects.grade[row])
    docs = None if j.pool_doc is None else j.pool_doc.take(pool)
    texts = (
        None if j.reading is None else RankTexts(size=j.retrieved[owner], lacking="tied documents have no fixed order")
    )
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


def _ranges(start: Ints, size: Ints) -> Ints:
    """Concatenate start, start + 1, … start + size - 1 of each pair."""
    return np.arange(int(size.sum())) + np.repeat(start - (np.cumsum(size) - size), size)
