"""Rankings in which each tied document is at every rank of its group at once, with a share of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Self

import numpy as np

from judged._types import Bools, Column, Floats, Ints
from judged.core import segments
from judged.core.judged import Judged


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
