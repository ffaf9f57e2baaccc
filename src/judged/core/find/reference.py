"""The heavy part of the join: which judged documents a run holds, and their ranks. Short and obvious; the specification.

Nothing here loops over rows in Python. A judged document's rank is one more than the number of documents
that beat it, so rows are sorted only where a file is not in score order already, and ids are compared only
among documents of equal score. `core/native.py` does the same in C++, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints, Words
from judged.core.find.hits import KEEP_ONE, Hits, queries_of, raise_duplicate, raise_no_common_query, raise_no_rank
from judged.core.find.pool import IdPool
from judged.core.ids import IdColumn
from judged.core.numeric import segments_reference as segment
from judged.core.policy import Policy
from judged.core.tables import Run

__all__ = [
    "Sieve",
    "by_grade",
    "check_duplicates",
    "disagree",
    "find",
    "found_in",
    "keys_of",
    "match_documents",
    "ranking_value",
]


_SCATTER = np.uint64(0xD6E8FEB86659FD93)


def find(pool: IdPool, run: Run, policy: Policy) -> Hits:
    """What the run holds of the pool.

    Raises:
        DataError: no query in common, a document twice in one ranking; each names the places.
    """
    queries = queries_of(pool, run)
    if not queries["answered"].any():
        raise_no_common_query(pool, run.name, queries["some_unjudged"])
    return found_in(pool, run, policy, queries)


def found_in(pool: IdPool, run: Run, policy: Policy, queries: dict[str, Any] | None = None) -> Hits:
    """What a part of a run, which may be nothing, holds of the pool; `queries` as `queries_of` gives them, where they are known."""
    rows = _judged_rows(pool, run, policy)
    return Hits(
        retrieved=np.bincount(rows.query, minlength=len(pool.queries)),
        **(queries or queries_of(pool, run)),
        **_hits(pool, run, rows, policy),
        infinite=int(np.isinf(run.score).sum()),
        disagreeing=_disagreeing(run),
    )


def _disagreeing(run: Run) -> int:
    """Queries in which two documents that follow each other have ranks that contradict their scores."""
    return int(np.unique(run.query[1:][disagree(run)]).size)


def disagree(run: Run) -> Bools:
    """Whether each document but the first has a rank that contradicts its score, beside the one before it."""
    if run.rank is None:
        return np.zeros(max(len(run) - 1, 0), bool)
    together = run.query[1:] == run.query[:-1]
    lower_rank, higher_score = run.rank[1:] > run.rank[:-1], run.score[1:] > run.score[:-1]
    different = (run.rank[1:] != run.rank[:-1]) & (run.score[1:] != run.score[:-1])
    return together & different & (lower_rank == higher_score)


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The run's rows of judged queries, by query and then from the best document down."""

    row: Ints  # into the run
    query: Ints  # into the pool's queries
    key: Words
    group: Ints  # rows of one query and one score
    group_start: Ints
    group_size: Ints
    query_start: Ints


def _judged_rows(
    pool: IdPool, run: Run, policy: Policy, *, keep_duplicates: bool = False, hint: str = KEEP_ONE
) -> RankedRows:
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)
    query = code[run.query]
    value = ranking_value(run, policy)
    row = np.arange(len(run))
    if (code < 0).any():
        row = np.flatnonzero(query >= 0)
        query, value = query[row], value[row]
    key = keys_of(query, run.doc.take(row))
    if policy.duplicates != "error" and not keep_duplicates:
        keep = _without_duplicates(run, row, query, key, value, policy)
        row, query, key, value = row[keep], query[keep], key[keep], value[keep]
    falls = (query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (value[1:] <= value[:-1]))
    if not falls.all():
        order = np.lexsort((-value, query))
        row, query, key, value = row[order], query[order], key[order], value[order]
    first = np.ones(len(row), bool)
    first[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
    start = np.flatnonzero(first)
    ranked = RankedRows(
        row=row,
        query=query,
        key=key,
        group=np.cumsum(first) - 1,
        group_start=start,
        group_size=np.diff(np.append(start, len(row))),
        query_start=segment.offsets(np.bincount(query, minlength=len(pool.queries))),
    )
    if policy.duplicates == "error" and not keep_duplicates:
        seen = slice(None)
        if policy.depth is not None:  # what lies below the depth is never looked at
            above = ranked.group_start[ranked.group] - ranked.query_start[query]
            seen = np.flatnonzero(above < policy.depth)  # type: ignore[assignment]
        check_duplicates(run, row[seen], key[seen], hint)
    return ranked


def ranking_value(run: Run, policy: Policy) -> Floats:
    """What documents are ordered by, highest first."""
    if policy.order == "input":
        return -np.arange(len(run), dtype=np.float64)
    if policy.order == "rank":
        if run.rank is None:
            raise_no_rank(run.name)
        return -run.rank.astype(np.float64)
    score = run.score
    if policy.precision == "float32":
        with np.errstate(over="ignore"):  # beyond its range: infinite, and ranked so
            score = score.astype(np.float32).astype(np.float64)
    return score + 0.0  # -0.0 ties with 0.0


def _repeats(run: Run, row: Ints, key: Words) -> tuple[Ints, Ints]:
    """Positions (earlier, later) of rows with the same query and document."""
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


def check_duplicates(run: Run, row: Ints, key: Words, hint: str = KEEP_ONE) -> None:
    """Raise `duplicate-doc` if two of these rows, with their `keys_of`, hold the same query and document."""
    earlier, later = _repeats(run, row, key)
    if len(later):
        first = int(np.argmin(row[later]))
        a, b = int(row[earlier[first]]), int(row[later[first]])
        query = run.queries[int(run.query[b])]
        raise_duplicate(query, run.doc[b], run.where(a), run.where(b), len(later), hint)


def _without_duplicates(run: Run, row: Ints, query: Ints, key: Words, value: Floats, policy: Policy) -> Bools:
    """Rows to keep: of each document the first, or the best-ranked."""
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


# ── hits ─────────────────────────────────────────────────────────────────────────────────────────


def _hits(pool: IdPool, run: Run, rows: RankedRows, policy: Policy) -> dict[str, Any]:
    at, judgment = _found(pool, run, rows)
    group = rows.group[at]
    above = rows.group_start[group] - rows.query_start[rows.query[at]]
    tied = rows.group_size[group]
    query, grade = rows.query[at], pool.grade[judgment]
    if policy.ties in ("best", "worst"):
        inside = by_grade(group, tied, grade, best=policy.ties == "best")
    elif policy.ties == "input":
        inside = at - rows.group_start[group]
    else:
        inside = _by_document_id(run, rows, at, ascending=policy.ties == "id-asc")
    rank = above + inside + 1
    order = np.lexsort((rank, query))
    return {
        "query": query[order],
        "rank": rank[order],
        "judgment": judgment[order],
        "tie_first": (above + 1)[order],
        "tie_last": (above + tied)[order],
    }


def _found(pool: IdPool, run: Run, rows: RankedRows) -> tuple[Ints, Ints]:
    """Positions in `rows` of judged documents, and their judgments."""
    return Sieve.of(pool).found(run, rows.row, rows.query, rows.key)


@dataclass(frozen=True, slots=True)
class Sieve:
    """The judged documents of a pool, to be looked up by hash."""

    pool: IdPool
    by_key: Ints
    ordered: Words
    shift: np.uint64
    passes: Bools

    @classmethod
    def of(cls, pool: IdPool) -> Sieve:
        """Made once for any number of rows."""
        key = keys_of(pool.query, pool.doc)
        by_key = np.argsort(key, kind="stable")
        ordered = key[by_key]
        shift = np.uint64(64 - min(26, max(10, len(ordered).bit_length() + 6)))
        passes = np.zeros(1 << (64 - int(shift)), bool)
        passes[ordered >> shift] = True
        return cls(pool, by_key, ordered, shift, passes)

    def found(self, run: Run, row: Ints, query: Ints, key: Words) -> tuple[Ints, Ints]:
        """Which of some rows are judged documents of their query, and their judgments."""
        pool = self.pool
        at = np.flatnonzero(self.passes[key >> self.shift])
        low = np.searchsorted(self.ordered, key[at], "left")
        high = np.searchsorted(self.ordered, key[at], "right")
        found, judgments = [], []
        for step in range(int((high - low).max(initial=0))):  # more than one only where hashes collide
            inside = low + step < high
            judgment = self.by_key[(low + step)[inside]]
            position = at[inside]
            same = (pool.query[judgment] == query[position]) & pool.doc.same(judgment, run.doc, row[position])
            found.append(position[same])
            judgments.append(judgment[same])
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate(found), np.concatenate(judgments)


def match_documents(
    a: Run, b: Run, rows: tuple[Ints, Ints], queries: tuple[Ints, Ints], hint: str
) -> tuple[Ints, Ints]:
    """Match the documents of two runs: positions in `rows[0]` and `rows[1]` of the same document of the same query.

    Args:
        a: the first run.
        b: the second run.
        rows: the rows of each run to match.
        queries: the query of each of these rows, numbered alike on both sides.
        hint: the action that the error for a duplicate document suggests.

    Raises:
        DataError: a document twice in one ranking.
    """
    keys = [keys_of(query, run.doc.take(row)) for run, row, query in zip((a, b), rows, queries, strict=True)]
    for run, row, key in zip((a, b), rows, keys, strict=True):
        check_duplicates(run, row, key, hint)
    docs = b.doc.take(rows[1])
    pool = IdPool(queries=(), ids=IdColumn.of([]), query=queries[1], grade=np.zeros(len(docs)), doc=docs)
    return Sieve.of(pool).found(a, rows[0], queries[0], keys[0])


def keys_of(query: Ints, doc: IdColumn) -> Words:
    """A hash of each document within its query."""
    return doc.hash() ^ (query.astype(np.uint64) * _SCATTER)


def _by_document_id(run: Run, rows: RankedRows, at: Ints, *, ascending: bool) -> Ints:
    """The place of each hit among the documents of its score, by the bytes of their ids."""
    inside = np.zeros(len(at), np.int64)
    tied = rows.group_size[rows.group[at]] > 1
    if not tied.any():
        return inside
    shared = np.zeros(len(rows.group_size), bool)
    shared[rows.group[at[tied]]] = True
    members = np.flatnonzero(shared[rows.group])
    group = rows.group[members]
    order = run.doc.take(rows.row[members]).order(group)
    place = np.empty(len(rows.row), np.int64)
    place[members[order]] = segment.positions(np.bincount(group)[np.unique(group)])
    size = rows.group_size[rows.group[at[tied]]]
    inside[tied] = place[at[tied]] if ascending else size - 1 - place[at[tied]]
    return inside


def by_grade(group: Ints, tied: Ints, grade: Floats, *, best: bool) -> Ints:
    """The place of each hit among the documents of its score when luck decides.

    Best: positive grades first, the highest on top, then the unjudged, then the rest. Worst: the reverse.
    """
    inside = np.empty(len(group), np.int64)
    front = (grade > 0) == best
    for chosen, from_top in ((front, True), (~front, False)):
        rows = np.flatnonzero(chosen)
        down = -grade[rows] if best else grade[rows]
        rows = rows[np.lexsort((down if from_top else -down, group[rows]))]
        place = segment.positions(np.unique(group[rows], return_counts=True)[1])
        inside[rows] = place if from_top else tied[rows] - 1 - place
    return inside
