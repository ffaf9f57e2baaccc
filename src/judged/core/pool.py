"""The pool: each judged document once. Views of one `Judged`, and all runs that are joined with one pool, share it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.ids import IdColumn
from judged.core.numeric import segments as primitive
from judged.core.numeric import segments_reference as segment
from judged.core.once import Once, Result
from judged.core.tables import Id

_ROWS, _FEWEST, _MOST = 1 << 24, 8, 128  # of levels and cutoffs whose columns are kept


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Aspects:
    """Judgments by aspect (subtopics, or groups of judges), where the qrels have them.

    Sorted by query, then aspect. `judgment` points into the pool; `aspect` and `sub` count from 0 within a query.
    """

    judgment: Ints
    aspect: Ints
    sub: Ints
    grade: Floats


class BestFirst(NamedTuple):
    """A perfect ranking: the number of documents per query; the query, rank, grade and place in the pool of each document."""

    sizes: Ints
    query: Ints
    rank: Ints
    grade: Floats
    judgment: Ints


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Pool:
    """Judged documents by query, those of a query from the highest grade down; with values that are computed from them once."""

    queries: tuple[Id, ...]  # or `Names`, which are decoded when they are needed
    query: Ints  # per judgment
    grade: Floats
    doc: IdColumn | None = None  # None where documents have no ids
    aspects: Aspects | None = None
    _results: Once = field(default_factory=Once, init=False)

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of `compute`, which is called for the first use of the key only, unless there are many levels or cutoffs."""
        return self._results.get_or(key, compute, max(_FEWEST, min(_MOST, _ROWS // (len(self.query) + 1))))

    def forget(self, key: Hashable) -> None:
        """Release a result."""
        self._results.pop(key, None)

    @property
    def sizes(self) -> Ints:
        """Judged documents per query."""
        return self.once("sizes", lambda: np.bincount(self.query, minlength=len(self.queries)))

    @property
    def largest(self) -> int:
        """The most judged documents of a query."""
        return self.once("largest", lambda: int(np.maximum.reduce(self.sizes, initial=0)))

    def best_first(self, cutoff: int | None) -> BestFirst:
        """The perfect ranking down to a cutoff."""
        cutoff = None if cutoff is None or cutoff >= self.largest else cutoff
        return self.once(("best first", cutoff), lambda: self._best_first(cutoff))

    def _best_first(self, cutoff: int | None) -> BestFirst:
        if cutoff is None:
            rank = self.once("ranks", lambda: primitive.ranks(self.sizes))
            return BestFirst(self.sizes, self.query, rank, self.grade, np.arange(len(self.query)))
        kept = np.minimum(self.sizes, cutoff)
        rank = primitive.ranks(kept)
        judgment = rank - 1 + np.repeat(segment.offsets(self.sizes)[:-1], kept)
        return BestFirst(kept, primitive.numbers(kept), rank, self.grade[judgment], judgment)

    def relevant(self, level: float) -> Floats:
        """Documents per query with at least this grade. A document with a negative grade is never relevant."""
        return self._counts(("relevant", level), lambda: self.grade >= max(level, 0))

    @property
    def positive(self) -> Floats:
        """Documents per query with a grade above 0."""
        return self._counts("positive", lambda: self.grade > 0)

    @property
    def one_aspect(self) -> bool:
        """True if no aspect distinguishes documents: there are none, or one for each query."""
        aspects = self.aspects
        return aspects is None or self.once("one aspect", lambda: not aspects.aspect.any() and not aspects.sub.any())

    def _counts(self, key: Hashable, chosen: Callable[[], Bools]) -> Floats:
        counts = self.once(key, lambda: primitive.total(chosen(), self.query, len(self.queries)))
        counts.flags.writeable = False
        return counts

    def select(self, rows: Ints) -> tuple[Pool, Ints]:
        """Return the pool of some queries, and the new place of each judgment in it."""
        number = np.full(len(self.queries), -1)
        number[rows] = np.arange(len(rows))
        kept = number[self.query] >= 0
        place = np.cumsum(kept) - 1
        aspects = self.aspects
        if aspects is not None:
            chosen = kept[aspects.judgment]
            aspects = Aspects(
                place[aspects.judgment[chosen]], aspects.aspect[chosen], aspects.sub[chosen], aspects.grade[chosen]
            )
        selected = Pool(
            queries=tuple(self.queries[row] for row in rows),
            query=number[self.query[kept]],
            grade=self.grade[kept],
            doc=None if self.doc is None else self.doc.take(kept),
            aspects=aspects,
        )
        return selected, place

    @staticmethod
    def merge(pools: Sequence[Pool]) -> Pool:
        """Return pools of different queries as one, in the order given."""
        queries = np.cumsum([0, *(len(pool.queries) for pool in pools)])
        places = np.cumsum([0, *(len(pool.query) for pool in pools)])
        shifted = [(pool.aspects, at) for pool, at in zip(pools, places, strict=False) if pool.aspects is not None]
        aspects = None
        if shifted:
            aspects = Aspects(
                np.concatenate([some.judgment + at for some, at in shifted]),
                np.concatenate([some.aspect for some, _ in shifted]),
                np.concatenate([some.sub for some, _ in shifted]),
                np.concatenate([some.grade for some, _ in shifted]),
            )
        docs = [pool.doc for pool in pools if pool.doc is not None]
        return Pool(
            queries=tuple(query for pool in pools for query in pool.queries),
            query=np.concatenate([pool.query + first for pool, first in zip(pools, queries, strict=False)]),
            grade=np.concatenate([pool.grade for pool in pools]),
            doc=IdColumn.of(raw for ids in docs for raw in ids.tolist()) if len(docs) == len(pools) else None,
            aspects=aspects,
        )
