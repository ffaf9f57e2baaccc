"""Rankings as if more documents had been judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.numeric import segments_reference as segment
from judged.core.pool import Pool


def fill_unjudged(j: Judged, grade: float) -> Judged:
    """Return the rankings as if every unjudged document had been judged with this grade."""
    seen = np.zeros(int(j.retrieved.sum()), bool)
    start = segment.offsets(j.retrieved)[:-1]
    decided = _without_undecided(j)
    seen[start[decided.query] + decided.rank - 1] = True
    new = np.flatnonzero(~seen)
    query = np.repeat(np.arange(len(j)), j.retrieved)[new]
    first, last = _tie_of(j, query, new - start[query] + 1)
    return with_judgments(decided, query, new - start[query] + 1, np.full(len(new), float(grade)), ties=(first, last))


def _without_undecided(j: Judged) -> Judged:
    """Return the rankings without documents of the pool whose grade is negative: they count as unjudged."""
    kept, open_pool = j.only(j.is_judged), j.pool_grade >= 0
    place = np.cumsum(open_pool) - 1
    pool = Pool(queries=j.queries, query=j.pool_query[open_pool], grade=j.pool_grade[open_pool])
    return replace(kept, pool=pool, judgment=place[kept.judgment])


def with_judgments(
    j: Judged, query: Ints, rank: Ints, grade: Floats, *, rankings: Ints | None = None, ties: tuple[Ints, Ints] | None = None
) -> Judged:  # fmt: skip
    """Return the rankings as if more documents had been judged; aspects are dropped.

    Args:
        j: rankings.
        query: of each new judgment, a position in the result.
        rank: of each new document, which must be unjudged; 0 if it was not retrieved.
        grade: of each new document.
        rankings: the query of `j` that each query of the result repeats; a query may be repeated. [default: each once]
        ties: first and last rank of the documents with the same score as each new one. [default: as far as hits show them]
    """
    copied = np.arange(len(j)) if rankings is None else rankings
    hits, judgments = j.hits[copied], j.judgments[copied]
    hit = np.repeat(segment.offsets(j.hits)[copied], hits) + segment.positions(hits)
    entry = np.repeat(segment.offsets(j.judgments)[copied], judgments) + segment.positions(judgments)
    pool_query = np.concatenate([np.repeat(np.arange(len(copied)), judgments), query])
    pool_grade = np.concatenate([j.pool_grade[entry], grade])
    pool_order = np.lexsort((-pool_grade, pool_query))
    place = np.empty_like(pool_order)
    place[pool_order] = np.arange(len(pool_order))
    shift = segment.offsets(judgments)[:-1] - segment.offsets(j.judgments)[copied]  # from an entry to its copy
    found = rank > 0
    first, last = ties if ties is not None else _tie_of(j, copied[query], rank)
    columns = {
        "query": np.concatenate([np.repeat(np.arange(len(copied)), hits), query[found]]),
        "rank": np.concatenate([j.rank[hit], rank[found]]),
        "grade": np.concatenate([j.grade[hit], grade[found]]),
        "judgment": place[
            np.concatenate([j.judgment[hit] + np.repeat(shift, hits), len(entry) + np.flatnonzero(found)])
        ],
        "tie_first": np.concatenate([j.tie_first[hit], first[found]]),
        "tie_last": np.concatenate([j.tie_last[hit], last[found]]),
    }
    depth = int(columns["rank"].max(initial=0)) + 1
    order = np.argsort(columns["query"] * depth + columns["rank"], kind="stable")  # two sorted halves: linear
    names = j.queries if rankings is None else tuple(range(len(copied)))
    return replace(
        j, pool=Pool(queries=names, query=pool_query[pool_order], grade=pool_grade[pool_order]), retrieved=j.retrieved[copied],
        answered=j.answered[copied], reading=j.reading if rankings is None else None, **{name: column[order] for name, column in columns.items()},
    )  # fmt: skip


def _tie_of(j: Judged, query: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """Return the first and last rank of the documents with the same score, as far as a hit shows them."""
    if not len(j.rank):
        return rank, rank
    wide = int(max(j.tie_last.max(), rank.max(initial=0))) + 1
    at = np.maximum(np.searchsorted(j.query * wide + j.tie_first, query * wide + rank, "right") - 1, 0)
    inside = (j.query[at] == query) & (j.tie_first[at] <= rank) & (rank <= j.tie_last[at])
    return np.where(inside, j.tie_first[at], rank), np.where(inside, j.tie_last[at], rank)
