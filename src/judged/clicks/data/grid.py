"""Lists of results side by side: one row a list, one column a rank, so that models work on whole ranks at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.clicks.data.log import Bools, ClickLog, Codes, Floats, Ints, Pairs, sums
from judged.core.tables import Id
from judged.errors import DataError, shown

__all__ = ["Grid", "ShownLists", "distinct_rows", "grid_of", "last_click_before", "need_whole_lists", "tally"]

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_TABLE = 1 << 24


@dataclass(frozen=True, slots=True)
class ShownLists:
    """Ranked lists as places in a table of (query, doc) pairs: `pair[i, k]` stands at rank k + 1; -1 for nothing."""

    pairs: Pairs
    pair: Codes

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def shown(self) -> Bools:
        return self.pair >= 0

    @property
    def query(self) -> Codes:
        """The query of each list, as a code into `pairs.queries`."""
        any_pair = self.pair.max(axis=1)
        return self.pairs.query[any_pair]

    @classmethod
    def of(cls, rankings: Mapping[Id, Sequence[Id]]) -> ShownLists:
        """The lists of `{query: [doc, …]}`, best document first.

        >>> ShownLists.of({"q": ["b", "a"]}).pair
        array([[1, 0]], dtype=int32)
        """
        queries = [query for query, docs in rankings.items() if len(docs)]
        if not queries:
            raise DataError("empty-run", "at least one ranking", got="none", where="rankings")
        names = sorted({doc for docs in rankings.values() for doc in docs}, key=lambda doc: (str(type(doc)), doc))
        code = {doc: i for i, doc in enumerate(names)}
        size = [len(rankings[query]) for query in queries]
        doc = np.array([code[d] for query in queries for d in rankings[query]], dtype=np.int64)
        row = np.repeat(np.arange(len(queries)), size)
        pairs, pair = Pairs.of(queries, names, row, doc)
        grid = np.full((len(queries), max(size)), -1, np.int32)
        grid[row, np.concatenate([np.arange(n) for n in size])] = pair
        return cls(pairs, grid)

    def at(self, values: Floats, unseen: float, pairs: Pairs) -> Floats:
        """A value per pair of a table `pairs`, laid out as these lists are; `unseen` where that table has none, or NaN."""
        table = np.append(np.where(np.isnan(values), unseen, values), unseen)  # place -1 is the last one
        place = np.append(pairs.locate(self.pairs), -1)
        return table[place][self.pair]


@dataclass(frozen=True, slots=True)
class Grid:
    """Different lists with different clicks, and how many sessions had each: all that a likelihood needs of a log."""

    lists: ShownLists
    clicked: Bools
    weight: Floats

    @property
    def last(self) -> Ints:
        """The rank of the last click of each row; 0 without one."""
        ranks = np.arange(1, self.clicked.shape[1] + 1)
        return (self.clicked * ranks).max(axis=1, initial=0)

    @property
    def length(self) -> Ints:
        return self.lists.shown.sum(axis=1)


def grid_of(log: ClickLog) -> Grid:
    """The log with equal sessions put together."""
    depth, count = log.depth, len(log.sessions)
    state = np.full((count, depth), -1, np.int64)
    state[log.session, log.rank - 1] = log.pair.astype(np.int64) * 2 + log.clicked
    first, place = distinct_rows(state)
    rows = state[first]
    pair = np.where(rows < 0, -1, rows >> 1).astype(np.int32)
    weight = np.bincount(place, minlength=len(first)).astype(np.float64)
    return Grid(ShownLists(log.pairs, pair), (rows >= 0) & (rows & 1 == 1), weight)


def distinct_rows(table: NDArray[Any]) -> tuple[Ints, Ints]:
    """Where each different row first stands, and every row's place among them.

    Rows are told apart by a hash of 64 bits, and compared in full; where two have one hash, they are sorted.
    """
    code = np.zeros(len(table), np.uint64)
    for column in table.T:
        word = (code ^ (column.astype(np.uint64) + np.uint64(1)) * _ODD) * _MIX
        code = word ^ (word >> np.uint64(29))
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    if not (table == table[first[place]]).all():
        _, first, place = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, place.reshape(-1)


def tally(codes: Ints, size: int, weight: Floats | None = None) -> tuple[Ints, Floats, Floats]:
    """Each code that occurs, how often, and the sum of a weight; by counting in a table, or by sorting."""
    if size <= max(_TABLE, 4 * len(codes)):
        count = np.bincount(codes, minlength=size).astype(np.float64)
        total = count if weight is None else sums(codes, weight, size)
        found = np.flatnonzero(count)
        return found, count[found], total[found]
    found, place, times = np.unique(codes, return_inverse=True, return_counts=True)
    count = times.astype(np.float64)
    return found, count, count if weight is None else sums(place, weight, len(found))


def last_click_before(log: ClickLog) -> Ints:
    """For each row, the rank of the nearest click above it in its session; 0 where there is none."""
    step = log.depth + 1
    base = log.session.astype(np.int64) * step
    reached = np.maximum.accumulate(base + np.where(log.clicked, log.rank, 0))
    before = np.append(0, reached[:-1])
    return np.maximum(before - base, 0)


def need_whole_lists(log: ClickLog, model: str) -> None:
    """Refuse lists with a gap: a user who goes down the list passes every rank."""
    first = np.diff(log.session, prepend=-1) != 0
    expected = np.where(first, 1, np.append(0, log.rank[:-1]) + 1)
    wrong = np.flatnonzero(log.rank != expected)
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            "rank-gap", f"every rank from 1 on in each session, which the model {model} needs",
            got=f"rank {log.rank[row]} instead of {expected[row]} in session {shown(log.sessions[log.session[row]])}",
            where=log.name, hint="log what was shown and not clicked, too; pbm and ctr can do without",
        )  # fmt: skip
