"""Counts of the second pass: documents between the judged documents of each query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools
from judged.core.parts.run import MAX_UNJUDGED
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
        self.add_rows(other)
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
            self._note(other.first.query, codes())
        self.first, self.last = self.first or other.first, other.last or self.last

    def add_rows(self, other: RankCounts) -> None:
        """Add the counts, which do not depend on the order of rows. Only the number of rows is added if a shared sum has taken the counts."""
        if len(other.ahead):
            if self.rows + other.rows >= 1 << 32:  # no count is larger than the number of rows
                self.ahead, self.inside = (counts.astype(np.int64, copy=False) for counts in (self.ahead, self.inside))
            np.add(self.ahead, other.ahead, out=self.ahead, casting="unsafe")
            np.add(self.inside, other.inside, out=self.inside, casting="unsafe")
        self.rows += other.rows

    def _note(self, query: bytes, codes: dict[bytes, int]) -> None:
        if query in codes:
            self.disagrees[codes[query]] = True
        elif query in self.unjudged_queries:
            self.unjudged_queries[query] = self.unjudged_queries[query][0], True


class CountsTogether:
    """One sum of the counts of partitions, which several threads add to."""

    def __init__(self, counts: RankCounts) -> None:
        self.counts = counts
        self._lock = Lock()

    def take(self, counts: RankCounts) -> None:
        """Move the counts of a partition into the sum; what depends on the order of partitions stays."""
        with self._lock:
            self.counts.add_rows(counts)
        counts.ahead = counts.inside = np.zeros(0, np.uint32)
