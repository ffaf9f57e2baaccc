"""Rankings as if every document had been judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged._types import Ints
from judged.core.judged import Judged
from judged.core.numeric import segments_reference as segment
from judged.core.pool import Pool


def fill_unjudged(j: Judged, grade: float) -> Judged:
    """Return the rankings as if every unjudged document had been judged with this grade."""
    seen = np.zeros(int(j.retrieved.sum()), bool)
    start = segment.offsets(j.retrieved)[:-1]
    decided = j.is_judged
    seen[start[j.query[decided]] + j.rank[decided] - 1] = True
    new = np.flatnonzero(~seen)
    query = np.repeat(np.arange(len(j)), j.retrieved)[new]
    rank = new - start[query] + 1
    kept, open_pool = j.only(decided), j.pool_grade >= 0
    place = np.cumsum(open_pool) - 1  # judged-but-undecided entries leave the pool
    pool_query = np.concatenate([j.pool_query[open_pool], query])
    pool_grade = np.concatenate([j.pool_grade[open_pool], np.full(len(new), float(grade))])
    pool_order = np.lexsort((-pool_grade, pool_query))
    new_place = np.empty_like(pool_order)
    new_place[pool_order] = np.arange(len(pool_order))
    judgment = np.concatenate([place[kept.judgment], open_pool.sum() + np.arange(len(new))])
    hit_query = np.concatenate([kept.query, query])
    hit_rank = np.concatenate([kept.rank, rank])
    order = np.lexsort((hit_rank, hit_query))
    first, last = _tie_of(j, query, rank)
    tie_first, tie_last = np.concatenate([kept.tie_first, first]), np.concatenate([kept.tie_last, last])
    hit_grade = np.concatenate([kept.grade, np.full(len(new), float(grade))])
    return replace(
        j,
        query=hit_query[order],
        rank=hit_rank[order],
        grade=hit_grade[order],
        judgment=new_place[judgment][order],
        tie_first=tie_first[order],
        tie_last=tie_last[order],
        pool=Pool(queries=j.queries, query=pool_query[pool_order], grade=pool_grade[pool_order]),
    )


def _tie_of(j: Judged, query: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """Return the first and last rank of the documents with the same score, as far as a hit shows them."""
    if not len(j.rank):
        return rank, rank
    wide = int(max(j.tie_last.max(), rank.max(initial=0))) + 1
    at = np.maximum(np.searchsorted(j.query * wide + j.tie_first, query * wide + rank, "right") - 1, 0)
    inside = (j.query[at] == query) & (j.tie_first[at] <= rank) & (rank <= j.tie_last[at])
    return np.where(inside, j.tie_first[at], rank), np.where(inside, j.tie_last[at], rank)
