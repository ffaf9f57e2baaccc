"""Lists of results as a grid: one row per list, one column per rank, so that models work on whole ranks at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.clicks.data.log import ClickLog, Codes, Pairs, sums
from judged.core.tables import Id
from judged.errors import DataError, shown

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_TABLE = 1 << 24


@dataclass(frozen=True, slots=True)
class ShownLists:
    """Ranked lists as indices into (query, doc) pairs: `pair[i, k]` is at rank k + 1 of list i; -1 for no document."""

    pairs: Pairs
    pair: Codes

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def shown(self) -> Bools:
        """True where a list has a document."""
        return self.pair >= 0

    @property
    def query(self) -> Codes:
        """The query of each list, as a code into `pairs.queries`."""
        any_pair = self.pair.max(axis=1)
        return self.pairs.query[any_pair]

    @classmethod
    def of(cls, rankings: Mapping[Id, Sequence[Id]] | Sequence[tuple[Id, Sequence[Id]]]) -> ShownLists:
        """The lists of `{query: [doc, …]}`, best document first; or of (query, [doc, …]) tuples, several per query.

        >>> ShownLists.of({"q": ["b", "a"]}).pair
        array([[1, 0]], dtype=int32)
        """
        lists = [
            (q, docs) for q, docs in (rankings.items() if isinstance(rankings, Mapping) else rankings) if len(docs)
        ]
        if not lists:
            raise DataError("empty-run", "no ranking with a document", where="rankings")
        queries = list(dict.fromkeys(query for query, _ in lists))
        names = sorted({doc for _, docs in lists for doc in docs}, key=lambda doc: (str(type(doc)), doc))
        code, query_code = ({name: i for i, name in enumerate(ids)} for ids in (names, queries))
        size = [len(docs) for _, docs in lists]
        doc = np.array([code[d] for _, docs in lists for d in docs], dtype=np.int64)
        row = np.repeat(np.arange(len(lists)), size)
        query = np.array([query_code[q] for q, _ in lists])[row]
        pairs, pair = Pairs.of(queries, names, query, doc)
        grid = np.full((len(lists), max(size)), -1, np.int32)
        grid[row, np.concatenate([np.arange(n) for n in size])] = pair
        return cls(pairs, grid)

    def at(self, values: Floats, unseen: float, pairs: Pairs) -> Floats:
        """Values of the pairs `pairs` in the layout of these lists; `unseen` where a pair has none, or NaN."""
        table = np.append(np.where(np.isnan(values), unseen, values), unseen)  # index -1 is the last one
        place = np.append(pairs.locate(self.pairs), -1)
        return table[place][self.pair]


@dataclass(frozen=True, slots=True)
class Grid:
    """Distinct lists with clicks, each with its number of sessions: all that a likelihood needs of a log."""

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
        """The number of documents of each row."""
        return self.lists.shown.sum(axis=1)


def grid_of(log: ClickLog) -> Grid:
    """Group the equal sessions of a log."""
    depth, count = log.depth, len(log.sessions)
    state = np.full((count, depth), -1, np.int64)
    state[log.session, log.rank - 1] = log.pair.astype(np.int64) * 2 + log.clicked
    first, place = distinct_rows(state)
    rows = state[first]
    pair = np.where(rows < 0, -1, rows >> 1).astype(np.int32)
    weight = np.bincount(place, minlength=len(first)).astype(np.float64)
    return Grid(ShownLists(log.pairs, pair), (rows >= 0) & (rows & 1 == 1), weight)


def distinct_rows(table: NDArray[Any]) -> tuple[Ints, Ints]:
    """The index of the first occurrence of each distinct row, and the number of each row's distinct row.

    Rows are distinguished by a 64-bit hash and then compared in full; if two hashes collide, rows are sorted.
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
    """The codes that occur, their counts, and the sums of a weight; by a table, or by sorting if codes are large."""
    if size <= max(_TABLE, 4 * len(codes)):
        count = np.bincount(codes, minlength=size).astype(np.float64)
        total = count if weight is None else sums(codes, weight, size)
        distinct = np.flatnonzero(count)
        return distinct, count[distinct], total[distinct]
    distinct, place, times = np.unique(codes, return_inverse=True, return_counts=True)
    count = times.astype(np.float64)
    return distinct, count, count if weight is None else sums(place, weight, len(distinct))


def last_click_before(log: ClickLog) -> Ints:
    """For each row, the rank of the nearest click above it in its session; 0 without one."""
    step = log.depth + 1
    base = log.session.astype(np.int64) * step
    reached = np.maximum.accumulate(base + np.where(log.clicked, log.rank, 0))
    before = np.append(0, reached[:-1])
    return np.maximum(before - base, 0)


def check_whole_lists(log: ClickLog, model: str) -> None:
    """Raise for a list with a gap: a user who goes down the list passes every rank."""
    first = np.diff(log.session, prepend=-1) != 0
    expected = np.where(first, 1, np.append(0, log.rank[:-1]) + 1)
    wrong = np.flatnonzero(log.rank != expected)
    if len(wrong):
        row = int(wrong[0])
        session = shown(log.sessions[log.session[row]])
        raise DataError(
            "rank-gap",
            f"rank {expected[row]} of session {session} is missing (next is {log.rank[row]}), and {model} needs every rank",
            where=log.name,
            hint="also log documents that were shown but not clicked, or use pbm or ctr",
        )
