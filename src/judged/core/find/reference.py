"""Find the judged documents in a run, and their ranks. Short and obvious: this is the specification.

No loop in Python visits a row. The rank of a judged document is one more than the number of documents that
beat it, so rows are sorted only if a file is not in score order already, and ids are compared only
among documents of equal score. `find/native.py` does the same in C++, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints, Words
from judged.core.find.hits import KEEP_ONE, Hits, queries_of, raise_no_common_query, raise_no_rank
from judged.core.find.match import Sieve, check_duplicates, keep_once, keys_of
from judged.core.find.pool import IdPool
from judged.core.numeric import segments_reference as segment
from judged.core.policy import Policy
from judged.core.tables import Run
from judged.errors import Hint


def find(pool: IdPool, run: Run, policy: Policy) -> Hits:
    """Find the judged documents in a run, and their ranks.

    Raises:
        DataError: no query in common, or a duplicate document; each names the places.
    """
    queries = queries_of(pool, run)
    if not queries["answered"].any():
        raise_no_common_query(pool.queries, run.name, queries["some_unjudged"] or pool.bare(), run.warnings)
    return find_in(pool, run, policy, queries)


def find_in(pool: IdPool, run: Run, policy: Policy, queries: dict[str, Any] | None = None) -> Hits:
    """Do the same for a partition, which may contain no judged query; `queries` is the result of `queries_of`, if known."""
    rows = rank_rows(pool, run, policy)
    return Hits(
        retrieved=np.bincount(rows.query, minlength=len(pool.queries)),
        **(queries or queries_of(pool, run)),
        **_hits(pool, run, rows, policy),
        infinite=int(np.isinf(run.score).sum()),
        disagreeing=_disagreeing(run),
    )


def _disagreeing(run: Run) -> int:
    """Return the number of queries in which the ranks of two consecutive documents contradict their scores."""
    return int(np.unique(run.query[1:][disagree(run)]).size)


def disagree(run: Run) -> Bools:
    """Return whether rank and score of each document but the first contradict each other, compared with the one before it."""
    if run.rank is None:
        return np.zeros(max(len(run) - 1, 0), bool)
    together = run.query[1:] == run.query[:-1]
    lower_rank, higher_score = run.rank[1:] > run.rank[:-1], run.score[1:] > run.score[:-1]
    different = (run.rank[1:] != run.rank[:-1]) & (run.score[1:] != run.score[:-1])
    return together & different & (lower_rank == higher_score)


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The rows of judged queries of a run, by query and then from the best document down."""

    row: Ints  # into the run
    query: Ints  # into the pool's queries
    key: Words
    group: Ints  # rows of one query and one score
    group_start: Ints
    group_size: Ints
    query_start: Ints


def rank_rows(
    pool: IdPool,
    run: Run,
    policy: Policy,
    *,
    keep_duplicates: bool = False,
    hashed: bool = True,
    hint: Hint | str = KEEP_ONE,
) -> RankedRows:
    """Put the rows of judged queries in the order that the policy demands; without `hashed` the keys, which find documents, are 0."""
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)
    query = code[run.query]
    value = ranking_value(run, policy)
    row = np.arange(len(run))
    if (code < 0).any():
        row = np.flatnonzero(query >= 0)
        query, value = query[row], value[row]
    key = keys_of(query, run.doc.take(row)) if hashed else np.zeros(len(row), np.uint64)
    if policy.duplicates != "error" and not keep_duplicates:
        keep = keep_once(run, row, query, key, value, policy)
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
        if policy.depth is not None:  # documents below the depth are not evaluated
            above = ranked.group_start[ranked.group] - ranked.query_start[query]
            seen = np.flatnonzero(above < policy.depth)  # type: ignore[assignment]
        check_duplicates(run, row[seen], key[seen], hint)
    return ranked


def ranking_value(run: Run, policy: Policy) -> Floats:
    """Return the values that documents are ranked by, highest first."""
    if policy.order == "input":
        return -np.arange(len(run), dtype=np.float64)
    if policy.order == "rank":
        if run.rank is None:
            raise_no_rank(run.name, run)
        return -run.rank.astype(np.float64)
    score = run.score
    if policy.precision == "float32":
        with np.errstate(over="ignore"):  # beyond its range: infinite, and ranked so
            score = score.astype(np.float32).astype(np.float64)
    return score + 0.0  # -0.0 ties with 0.0


# ── hits ─────────────────────────────────────────────────────────────────────────────────────────


def _hits(pool: IdPool, run: Run, rows: RankedRows, policy: Policy) -> dict[str, Any]:
    at, judgment = Sieve.of(pool).match(run, rows.row, rows.query, rows.key)
    group = rows.group[at]
    above = rows.group_start[group] - rows.query_start[rows.query[at]]
    tied = rows.group_size[group]
    query, grade = rows.query[at], pool.grade[judgment]
    if policy.ties in ("best", "worst"):
        inside = by_grade(group, tied, grade, best=policy.ties == "best")
    elif policy.ties == "input":
        inside = at - rows.group_start[group]
    else:
        inside = by_document_id(run, rows, at, ascending=policy.ties == "id-asc")
    rank = above + inside + 1
    order = np.lexsort((rank, query))
    return {
        "query": query[order],
        "rank": rank[order],
        "judgment": judgment[order],
        "tie_first": (above + 1)[order],
        "tie_last": (above + tied)[order],
    }


def by_document_id(run: Run, rows: RankedRows, at: Ints, *, ascending: bool) -> Ints:
    """Return the position of each hit among the documents of its score, by the bytes of their ids."""
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
    """Return the position of each hit among the documents of its score, in the best or the worst case.

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
