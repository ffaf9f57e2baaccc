"""Rankings as if more documents had been judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.judged import PER_HIT, Judged
from judged.core.pool import Pool


def fill_unjudged(j: Judged, grades: Sequence[float]) -> list[Judged]:
    """Return the rankings as if every unjudged document had been judged, once with each of these grades."""
    seen = np.zeros(int(j.retrieved.sum()), bool)
    start = segments.offsets(j.retrieved)[:-1]
    decided = _without_undecided(j)
    seen[start[decided.query] + decided.rank - 1] = True
    new = np.flatnonzero(~seen)
    query = np.repeat(np.arange(len(j)), j.retrieved)[new]
    rank = new - start[query] + 1
    return with_judgments(
        decided, query, rank, [np.full(len(new), float(g)) for g in grades], ties=_tie_of(j, query, rank)
    )


def _without_undecided(j: Judged) -> Judged:
    """Return the rankings without documents of the pool whose grade is negative: they count as unjudged."""
    open_pool = j.pool_grade >= 0
    if open_pool.all():
        return replace(j, pool=Pool(queries=j.queries, query=j.pool_query, grade=j.pool_grade))
    kept, place = j.only(j.is_judged), np.cumsum(open_pool) - 1
    pool = Pool(queries=j.queries, query=j.pool_query[open_pool], grade=j.pool_grade[open_pool])
    return replace(kept, pool=pool, judgment=place[kept.judgment])


def without_missed(j: Judged, depth: int | None = None) -> Judged:
    """Return the rankings as if only the documents that each retrieved, down to a depth, had been judged."""
    seen = j.only(j.rank <= (depth or np.inf))
    kept = np.zeros(len(j.pool_grade), bool)
    kept[seen.judgment] = True
    pool = Pool(queries=j.queries, query=j.pool_query[kept], grade=j.pool_grade[kept])
    return replace(seen, pool=pool, judgment=(np.cumsum(kept) - 1)[seen.judgment])


def with_judgments(
    j: Judged, query: Ints, rank: Ints, grades: Sequence[Floats], *, ties: tuple[Ints, Ints] | None = None
) -> list[Judged]:
    """Return the rankings as if more documents had been judged, once with each column of grades; aspects are dropped.

    Args:
        j: rankings.
        query: of each new judgment.
        rank: of each new document, which must be unjudged; 0 if it was not retrieved.
        grades: columns with the grade of each new document.
        ties: first and last rank of the documents with the same score as each new one. [default: as far as hits show them]
    """
    found = rank > 0
    first, last = _tie_of(j, query, rank) if ties is None else ties
    both = {
        "query": (j.query, query),
        "rank": (j.rank, rank),
        "tie_first": (j.tie_first, first),
        "tie_last": (j.tie_last, last),
        "judgment": (j.judgment, len(j.pool_query) + np.arange(len(query))),
    }
    columns: dict[str, Any] = {name: np.concatenate([old, new[found]]) for name, (old, new) in both.items()}
    depth = int(columns["rank"].max(initial=0)) + 1
    order = np.argsort(columns["query"] * depth + columns["rank"], kind="stable")  # two sorted halves: linear
    columns = {name: column[order] for name, column in columns.items()}
    entry, pool_query = columns.pop("judgment"), np.concatenate([j.pool_query, query])
    results = []
    for grade in grades:
        pool_grade = np.concatenate([j.pool_grade, grade])
        pool_order = np.lexsort((-pool_grade, pool_query))
        place = np.empty_like(pool_order)
        place[pool_order] = np.arange(len(pool_order))
        pool = Pool(queries=j.queries, query=pool_query[pool_order], grade=pool_grade[pool_order])
        own = np.concatenate([j.grade, grade[found]])[order]
        results.append(replace(j, pool=pool, grade=own, judgment=place[entry], **columns))
    return results


def repeat_queries(j: Judged, rows: Ints) -> Judged:
    """Return the rankings of some queries, by position; a query may be repeated. Ids, texts and aspects are dropped."""
    hits, judgments = j.hits[rows], j.judgments[rows]
    hit = np.repeat(segments.offsets(j.hits)[rows], hits) + segments.positions(hits)
    entry = np.repeat(segments.offsets(j.judgments)[rows], judgments) + segments.positions(judgments)
    shift = segments.offsets(judgments)[:-1] - segments.offsets(j.judgments)[rows]  # from an entry to its copy
    columns: dict[str, Any] = {name: getattr(j, name)[hit] for name in PER_HIT}
    columns |= {"query": segments.numbers(hits), "judgment": columns["judgment"] + np.repeat(shift, hits)}
    pool = Pool(queries=tuple(range(len(rows))), query=segments.numbers(judgments), grade=j.pool_grade[entry])
    return replace(j, pool=pool, retrieved=j.retrieved[rows], answered=j.answered[rows], reading=None, **columns)


def stack_runs(judged: Sequence[Judged]) -> Judged:
    """Return the rankings of several runs with one pool as those of one run, which has the queries of each run in turn.

    Ids and texts are dropped. Since the value of a query does not depend on other queries, each has the bits that it has alone.
    """
    first, runs = judged[0].pool, np.arange(len(judged))
    names = ("retrieved", "answered", *PER_HIT)
    columns: dict[str, Any] = {name: np.concatenate([getattr(j, name) for j in judged]) for name in names}
    run = np.repeat(runs, [len(j.rank) for j in judged])
    columns["query"] += run * len(first.queries)
    columns["judgment"] += run * len(first.query)
    query = (first.query + (runs * len(first.queries))[:, None]).ravel()
    queries = tuple(range(len(runs) * len(first.queries)))
    pool = Pool(queries=queries, query=query, grade=np.tile(first.grade, len(runs)))
    return replace(judged[0], pool=pool, reading=None, **columns)


def _tie_of(j: Judged, query: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """Return the first and last rank of the documents with the same score, as far as a hit shows them."""
    tied = np.flatnonzero(j.tie_first < j.tie_last)
    if not len(tied):
        return rank, rank
    owner, first, last = j.query[tied], j.tie_first[tied], j.tie_last[tied]
    wide = int(max(last.max(), rank.max(initial=0))) + 1
    at = np.maximum(np.searchsorted(owner * wide + first, query * wide + rank, "right") - 1, 0)
    inside = (owner[at] == query) & (first[at] <= rank) & (rank <= last[at])
    return np.where(inside, first[at], rank), np.where(inside, last[at], rank)
