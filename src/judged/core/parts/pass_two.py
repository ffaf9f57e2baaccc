"""The second pass over a partitioned run: count the documents that beat each judged one. Counts of partitions add up to ranks.

Hits are ordered by query, then from the highest value down (a *group* is the documents of one value), and within a group by what breaks
ties: the id or the position. Every row of the run falls into one slot of that order: between two groups, between two documents of a group, or
on a document itself. The number of rows in each slot is all that is needed, and each row adds one to one slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core.native import as_ints, native
from judged.core.parts.pass_one import LocatedHits, feed_native, pack_pool, require_native
from judged.core.parts.run import MAX_UNJUDGED, Part, PartTask
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.scan import native_policy, native_pool
from judged.core.tables import IdColumn, IdKind, Run
from judged.core.unread_runs import TextRun
from judged.errors import Warned


class BatchEdge(NamedTuple):
    """The first or last row of a batch: a ranking may continue in the next batch."""

    query: bytes
    score: float
    rank: int

    def contradicts(self, other: BatchEdge) -> bool:
        """Return whether the next row has a rank that contradicts its score."""
        different = self.query == other.query and self.rank != other.rank and self.score != other.score
        return different and (other.rank > self.rank) == (other.score > self.score)


@dataclass(slots=True)
class RankCounts:
    """Counts over some rows of a run; later rows are added to earlier ones."""

    ahead: NDArray[Any]
    inside: NDArray[Any]
    disagrees: Bools  # judged queries whose rank column contradicts the scores
    unjudged_queries: dict[bytes, tuple[int, bool]] = field(
        default_factory=dict
    )  # position, and whether ranks disagree
    more: bool = False  # unjudged queries than are counted
    infinite: int = 0
    rows: int = 0
    parts: int = 0  # number of partitions
    ranked: bool = True
    first: BatchEdge | None = None
    last: BatchEdge | None = None
    warnings: dict[Warned, None] = field(default_factory=dict)  # of the readers, each once

    @classmethod
    def nothing(cls, groups: int, queries: int, inside: int) -> RankCounts:
        """Return the counts before any row."""
        return cls(np.zeros(groups + queries, np.uint32), np.zeros(inside, np.uint32), np.zeros(queries, bool))

    def add(self, other: RankCounts, codes: Callable[[], dict[bytes, int]]) -> None:
        """Add the counts of the rows that follow. `codes` gives the judged queries by id."""
        if self.rows + other.rows >= 1 << 32:  # no count is larger than the number of rows
            self.ahead, self.inside = (counts.astype(np.int64, copy=False) for counts in (self.ahead, self.inside))
        np.add(self.ahead, other.ahead, out=self.ahead, casting="unsafe")
        np.add(self.inside, other.inside, out=self.inside, casting="unsafe")
        self.rows += other.rows
        self.disagrees |= other.disagrees
        self.infinite += other.infinite
        self.parts += other.parts
        self.ranked &= other.ranked
        self.more |= other.more
        self.warnings |= other.warnings
        for query, (position, odd) in other.unjudged_queries.items():
            if query in self.unjudged_queries:
                self.unjudged_queries[query] = self.unjudged_queries[query][0], self.unjudged_queries[query][1] or odd
            elif len(self.unjudged_queries) < MAX_UNJUDGED:
                self.unjudged_queries[query] = position, odd
            else:
                self.more = True
        if self.last is not None and other.first is not None and self.last.contradicts(other.first):
            query, known = other.first.query, codes()
            if query in known:
                self.disagrees[known[query]] = True
            elif query in self.unjudged_queries:
                self.unjudged_queries[query] = self.unjudged_queries[query][0], True
        self.first, self.last = self.first or other.first, other.last or self.last


@dataclass(frozen=True, slots=True)
class HitIndex:
    """The located hits in order; the rows of a run are counted in the slots between them.

    `ahead` of a `RankCounts` has a slot before each group of a query and one after the last; `inside` has, for each group, a slot before each
    document, one on it, and one after the last.
    """

    pool: IdPool  # its queries, not its documents
    start: Ints  # of each query's groups, and their number at the end
    value: Floats  # of each group
    first: Ints  # of each group's documents, and their number at the end
    judgment: Ints  # per document
    times: Ints  # number of rows
    position: Ints  # of the first row
    doc: IdColumn
    by_position: bool  # the order of a group's documents

    @property
    def group(self) -> Ints:
        """The group of each document."""
        return np.repeat(np.arange(len(self.value)), np.diff(self.first))

    @property
    def inside_start(self) -> Ints:
        """The first slot inside each group, and the number of slots at the end."""
        return 2 * self.first + np.arange(len(self.first))


def index_hits(pool: IdPool, located: LocatedHits, policy: Policy) -> HitIndex:
    """Put located hits in order."""
    by_position = policy.ties == "input"
    query = pool.query[located.judgment]
    if by_position:
        order = np.lexsort((-located.value, query))
    else:
        order = pool.doc.take(located.judgment).order(query, -located.value)
    query, value, judgment = query[order], located.value[order], located.judgment[order]
    opens = np.ones(len(query), bool)  # a new group
    opens[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
    times = np.ones(len(query), np.int64)
    tied = np.flatnonzero(~opens)
    again = tied[judgment[tied] == judgment[tied - 1]]
    if len(again) and not by_position:  # several rows of a document with one value share a slot
        kept = np.delete(np.arange(len(order)), again)
        times = np.diff(np.append(kept, len(order)))
        order, query, value = order[kept], query[kept], value[kept]
        judgment, opens = judgment[kept], opens[kept]
    starts = np.flatnonzero(opens)
    return HitIndex(
        pool=pack_pool(pool, documents=False),
        start=np.searchsorted(query[starts], np.arange(len(pool.queries) + 1)),
        value=value[starts],
        first=np.append(starts, len(judgment)),
        judgment=judgment,
        times=times,
        position=located.position[order],
        doc=pool.doc.take(judgment).compact(),
        by_position=by_position,
    )


@dataclass(frozen=True)
class CountRanks(PartTask[RankCounts]):
    """Count the rows of a partition in the slots between the judged documents."""

    index: HitIndex
    policy: Policy
    kinds: tuple[IdKind, IdKind]

    @cached_property
    def _native(self) -> tuple[Any, ...]:
        """The arguments of a tally of the native core."""
        require_native()
        index = self.index
        groups = as_ints(index.start), np.ascontiguousarray(index.value), as_ints(index.first)
        documents = index.doc.arrays(), as_ints(index.position), index.by_position
        return native.Index(native_pool(index.pool), *groups, *documents), native_policy(self.policy), MAX_UNJUDGED

    def on(self, part: Part, position: int) -> RankCounts:
        tally = native.Tally(*self._native)
        warnings: dict[Warned, None] = {}

        def add(rows: Any) -> Any:
            return tally.add(rows, position)

        for batch in part.batches():
            warnings |= dict.fromkeys(batch.warnings if isinstance(batch, Run | TextRun) else ())
            position += feed_native(batch, self.kinds, add)
        found = tally.result()
        edges = {name: None if found[name] is None else BatchEdge(*found[name]) for name in ("first", "last")}
        disagrees = found["disagrees"].view(np.bool_)
        return RankCounts(**{**found, **edges, "disagrees": disagrees, "parts": 1, "warnings": warnings})

    @property
    def weight(self) -> int:
        """The number of counters of a result."""
        return len(self.index.value) + len(self.index.start) + int(self.index.inside_start[-1])

    def merge(self, results: Iterable[RankCounts]) -> RankCounts:
        """Add up the counts of consecutive partitions; an executor may do so before it returns them."""
        index = self.index
        total = RankCounts.nothing(len(index.value), len(index.start) - 1, int(index.inside_start[-1]))
        for counted in results:
            total.add(counted, index.pool.codes)
        return total
