"""Match documents by query and id: 64-bit hashes first, then bytes. Duplicates are found in the same way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats, Ints, Words
from judged.core.find.hits import KEEP_ONE, raise_duplicate
from judged.core.find.pool import IdPool
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import Run
from judged.errors import Hint

_SCATTER = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Sieve:
    """Hash index of the judged documents of a pool."""

    pool: IdPool
    by_key: Ints
    ordered: Words
    shift: np.uint64
    passes: Bools

    @classmethod
    def of(cls, pool: IdPool) -> Sieve:
        """Index a pool; the index serves any number of rows."""
        key = keys_of(pool.query, pool.doc)
        by_key = np.argsort(key, kind="stable")
        ordered = key[by_key]
        shift = np.uint64(64 - min(26, max(10, len(ordered).bit_length() + 6)))
        passes = np.zeros(1 << (64 - int(shift)), bool)
        passes[ordered >> shift] = True
        return cls(pool, by_key, ordered, shift, passes)

    def match(self, run: Run, row: Ints, query: Ints, key: Words) -> tuple[Ints, Ints]:
        """Return the positions of rows that are judged documents of their query, and their judgments."""
        pool = self.pool
        at = np.flatnonzero(self.passes[key >> self.shift])
        low = np.searchsorted(self.ordered, key[at], "left")
        high = np.searchsorted(self.ordered, key[at], "right")
        positions, judgments = [], []
        for step in range(int((high - low).max(initial=0))):  # more than one only if hashes collide
            inside = low + step < high
            judgment = self.by_key[(low + step)[inside]]
            position = at[inside]
            same = (pool.query[judgment] == query[position]) & pool.doc.same(judgment, run.doc, row[position])
            positions.append(position[same])
            judgments.append(judgment[same])
        if not positions:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate(positions), np.concatenate(judgments)


def match_documents(
    a: Run, b: Run, rows: tuple[Ints, Ints], queries: tuple[Ints, Ints], hint: Hint | str
) -> tuple[Ints, Ints]:
    """Match the documents of two runs: positions in `rows[0]` and `rows[1]` of the same document of the same query.

    Args:
        a: the first run.
        b: the second run.
        rows: the rows of each run to match.
        queries: the query of each of these rows, numbered alike on both sides.
        hint: the action that the error for a duplicate document suggests.

    Raises:
        DataError: a duplicate document.
    """
    keys = [keys_of(query, run.doc.take(row)) for run, row, query in zip((a, b), rows, queries, strict=True)]
    for run, row, key in zip((a, b), rows, keys, strict=True):
        check_duplicates(run, row, key, hint)
    docs = b.doc.take(rows[1])
    pool = IdPool(queries=(), ids=IdColumn.of([]), query=queries[1], grade=np.zeros(len(docs)), doc=docs)
    return Sieve.of(pool).match(a, rows[0], queries[0], keys[0])


def keys_of(query: Ints, doc: IdColumn) -> Words:
    """Return a hash of each document within its query."""
    return doc.hash() ^ (query.astype(np.uint64) * _SCATTER)


def _repeats(run: Run, row: Ints, key: Words) -> tuple[Ints, Ints]:
    """Return the positions (earlier, later) of rows with the same query and document."""
    ordered = np.sort(key)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    suspect = np.flatnonzero(np.isin(key, repeated))
    suspect = suspect[np.argsort(row[suspect], kind="stable")]
    query = run.query[row[suspect]]
    order = run.doc.take(row[suspect]).order(query)  # by id, not by hash: equal hashes may be different ids
    earlier, later = suspect[order[:-1]], suspect[order[1:]]
    same = (query[order[:-1]] == query[order[1:]]) & run.doc.same(row[earlier], run.doc, row[later])
    return earlier[same], later[same]


def check_duplicates(run: Run, row: Ints, key: Words, hint: Hint | str = KEEP_ONE) -> None:
    """Raise `duplicate-doc` if two of these rows, with their `keys_of`, hold the same query and document."""
    earlier, later = _repeats(run, row, key)
    if len(later):
        first = int(np.argmin(row[later]))
        a, b = int(row[earlier[first]]), int(row[later[first]])
        query = run.queries[int(run.query[b])]
        raise_duplicate(query, run.doc[b], run.where(a), run.where(b), len(later), hint)


def keep_once(run: Run, row: Ints, query: Ints, key: Words, value: Floats, policy: Policy) -> Bools:
    """Return the rows to keep: of each document the first, or the one ranked highest."""
    keep = np.ones(len(row), bool)
    preferred = np.empty(len(row), np.int64)
    preferred[np.lexsort((row,) if policy.duplicates == "first" else (row, -value))] = np.arange(len(row))
    while True:  # each round drops the less preferred of every adjacent pair, so long chains shrink
        alive = np.flatnonzero(keep)
        earlier, later = _repeats(run, row[alive], key[alive])
        if not len(later):
            return keep
        a, b = alive[earlier], alive[later]
        keep[np.where(preferred[a] < preferred[b], b, a)] = False
