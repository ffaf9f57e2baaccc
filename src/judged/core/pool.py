"""The pool: each judged document once. Views of one `Judged`, and all runs that are joined with one pool, share it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.native import CORES, as_floats, as_ints, native
from judged.core.policy import Policy
from judged.core.tables import Id, IdColumn, Kept, Names, Qrels, order_by_id, unknown_row
from judged.errors import DataError, Hint, Warned, shown

Result = TypeVar("Result")
_ROWS, _FEWEST, _MOST = 1 << 24, 8, 128  # of levels and cutoffs whose columns are kept


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Aspects:
    """Judgments by aspect (subtopics, or groups of judges), where the qrels have them.

    Sorted by query, then aspect. `judgment` points into the pool; `aspect` and `sub` count from 0 within a query.
    """

    judgment: Ints
    aspect: Ints
    sub: Ints
    grade: Floats


class BestFirst(NamedTuple):
    """A perfect ranking: the number of documents per query; the query, rank, grade and place in the pool of each document."""

    sizes: Ints
    query: Ints
    rank: Ints
    grade: Floats
    judgment: Ints


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Pool:
    """Judged documents by query, those of a query from the highest grade down; with values that are computed from them once."""

    queries: tuple[Id, ...]  # or `Names`, which are decoded when they are needed
    query: Ints  # per judgment
    grade: Floats
    doc: IdColumn | None = None  # None where documents have no ids
    aspects: Aspects | None = None
    results: Kept = field(default_factory=Kept, init=False)

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of `compute`, which is called for the first use of the key only.

        Of keys with parameters (tuples), such as levels and cutoffs, the oldest are dropped if there are many, and computed again.
        """
        result: Result | None = self.results.get(key)
        if result is None:
            result = self.results.setdefault(key, compute())  # of two threads that compute it, both get the first
            if len(self.results) > _FEWEST:
                most = max(_FEWEST, min(_MOST, _ROWS // (len(self.query) + 1)))
                kept = self.results.copy()  # other threads may add keys during the loop
                for old in [old for old in kept if isinstance(old, tuple)][:-most]:
                    self.results.pop(old, None)
        return result

    @property
    def sizes(self) -> Ints:
        """Judged documents per query."""
        return self.once("sizes", lambda: np.bincount(self.query, minlength=len(self.queries)))

    def best_first(self, cutoff: int | None) -> BestFirst:
        """The perfect ranking down to a cutoff."""
        sizes = self.sizes
        if cutoff is not None and cutoff >= self.once("largest", lambda: int(np.maximum.reduce(sizes, initial=0))):
            cutoff = None
        key = "best first", cutoff
        best: BestFirst | None = self.results.get(key)
        if best is not None:
            return best
        if cutoff is None:
            rank = self.once("ranks", lambda: segments.ranks(sizes))
            best = BestFirst(sizes, self.query, rank, self.grade, np.arange(len(self.query)))
        else:
            sizes, query, rank, judgment = segments.heads(sizes, cutoff)
            best = BestFirst(sizes, query, rank, self.grade[judgment], judgment)
        return self.once(key, lambda: best)

    def relevant(self, level: float) -> Floats:
        """Documents per query with at least this grade. A document with a negative grade is never relevant."""
        key, least = ("relevant", level), max(level, 0)
        counts = self.once(key, lambda: segments.total(self.grade >= least, self.query, len(self.queries)))
        counts.flags.writeable = False
        return counts

    @property
    def positive(self) -> Floats:
        """Documents per query with a grade above 0."""
        return self.relevant(math.ulp(0.0))

    @property
    def one_aspect(self) -> bool:
        """True if no aspect distinguishes documents: there are none, or one for each query."""
        aspects = self.aspects
        return aspects is None or self.once("one aspect", lambda: not aspects.aspect.any() and not aspects.sub.any())

    def select(self, rows: Ints) -> tuple[Pool, Ints]:
        """Return the pool of some queries, and the new place of each judgment in it."""
        number = np.full(len(self.queries), -1)
        number[rows] = np.arange(len(rows))
        kept = number[self.query] >= 0
        place = np.cumsum(kept) - 1
        aspects = self.aspects
        if aspects is not None:
            chosen = kept[aspects.judgment]
            aspects = Aspects(
                place[aspects.judgment[chosen]], aspects.aspect[chosen], aspects.sub[chosen], aspects.grade[chosen]
            )
        queries = tuple(self.queries)
        selected = Pool(
            queries=tuple(queries[row] for row in rows),
            query=number[self.query[kept]],
            grade=self.grade[kept],
            doc=None if self.doc is None else self.doc.take(kept),
            aspects=aspects,
        )
        return selected, place

    @staticmethod
    def merge(pools: Sequence[Pool]) -> Pool:
        """Return pools of different queries as one, in the order given."""
        queries = np.cumsum([0, *(len(pool.queries) for pool in pools)])
        places = np.cumsum([0, *(len(pool.query) for pool in pools)])
        shifted = [(pool.aspects, at) for pool, at in zip(pools, places, strict=False) if pool.aspects is not None]
        aspects = None
        if shifted:
            aspects = Aspects(
                np.concatenate([some.judgment + at for some, at in shifted]),
                np.concatenate([some.aspect for some, _ in shifted]),
                np.concatenate([some.sub for some, _ in shifted]),
                np.concatenate([some.grade for some, _ in shifted]),
            )
        docs = [pool.doc for pool in pools if pool.doc is not None]
        return Pool(
            queries=tuple(query for pool in pools for query in pool.queries),
            query=np.concatenate([pool.query + first for pool, first in zip(pools, queries, strict=False)]),
            grade=np.concatenate([pool.grade for pool in pools]),
            doc=IdColumn.of(raw for ids in docs for raw in ids.tolist()) if len(docs) == len(pools) else None,
            aspects=aspects,
        )


_SORTED = "sorted"  # the pool of judgments that are in its order, under every policy


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class IdPool(Pool):
    """A pool whose queries and documents have ids, so that its documents can be found in runs."""

    ids: IdColumn  # of the queries, as bytes, then of queries that the judgments name without a judged document
    doc: IdColumn
    warnings: tuple[Warned, ...] = ()

    def codes(self) -> dict[bytes, int]:
        """Query id → position in `queries`."""
        return {raw: i for i, raw in enumerate(self.ids.take(slice(len(self.queries))).tolist())}

    def codes_of(self, queries: IdColumn) -> Ints:
        """Return the position of each of these queries; -1 if it has no judged document."""
        codes = self.codes()
        return np.array([codes.get(raw, -1) for raw in queries.tolist()], dtype=np.int64)

    def bare(self) -> list[bytes]:
        """Queries without a judged document."""
        return self.ids.take(slice(len(self.queries), None)).tolist()


def pool_of(qrels: Qrels, policy: Policy) -> IdPool:
    """Return each judged document once, queries in order of id, grades from the highest down.

    It depends on `policy.rejudged` only, and is kept with the judgments: all runs that are joined with them share it.

    Raises:
        DataError: no judgments; a document judged twice with different grades, unless the policy chooses one.
    """
    if not len(qrels.query):
        raise DataError("empty-qrels", "the input has no judgments", hint="check the path", where=qrels.name)
    key = "pool", policy.rejudged
    kept = qrels.results
    return kept.get(key) or kept.setdefault(key, kept.get(_SORTED) or _sort_natively(qrels) or _sort(qrels, policy))


def in_pool_order(qrels: Qrels) -> Qrels:
    """Return the judgments with their rows in the order of the pool, which shares their columns and so takes no memory of its own.

    Rows no longer have places in a file. Judgments that need these, or that only the reference sorts, are returned unchanged.
    """
    pool = _sort_natively(qrels) if qrels.passages is None and qrels.choice is None else None
    if pool is None:
        return qrels
    columns: dict[str, Any] = {"queries": pool.ids, "query": pool.query, "doc": pool.doc, "grade": pool.grade}
    ordered = replace(qrels, **columns, where=partial(unknown_row, qrels.name))
    ordered.results[_SORTED] = pool
    return ordered


def _sort(qrels: Qrels, policy: Policy) -> IdPool:
    by_id, judged = _order_queries(qrels)
    place = np.full(len(qrels.queries), -1)
    place[by_id] = np.arange(len(by_id))
    query = place[qrels.query]
    order, aspects = _by_document(qrels, query)
    rows, grade, warnings = _once(qrels, query, order, aspects, policy)
    query, doc = query[rows], qrels.doc.take(rows)
    start, top, table = np.arange(len(rows)), grade, None
    if aspects is not None:  # a document has a row for each aspect
        first = _starts(query, doc)
        document = np.cumsum(first) - 1  # row of this (document, aspect) → document
        start = np.flatnonzero(first)
        top = np.maximum.reduceat(grade, start) if len(start) else grade
    by_grade = np.lexsort((-top, query[start]))
    if aspects is not None:
        position = np.empty_like(by_grade)
        position[by_grade] = np.arange(len(by_grade))
        aspect, sub = (column[rows] for column in aspects)
        local = np.lexsort((sub, aspect, query))
        table = Aspects(
            position[document[local]],
            _local_codes(query[local], aspect[local]),
            _local_codes(query[local], sub[local]),
            grade[local],
        )
    return IdPool(
        **_names(qrels, by_id, judged),
        query=query[start][by_grade],
        grade=top[by_grade],
        doc=doc.take(start[by_grade]),
        aspects=table,
        warnings=tuple(warnings),
    )


def _sort_natively(qrels: Qrels) -> IdPool | None:
    """Return the pool; None for aspects and for documents judged twice."""
    if native is None or qrels.aspect is not None:
        return None
    columns = as_ints(qrels.query), as_floats(qrels.grade), qrels.doc.arrays()
    found = native.sort_judgments(qrels.queries.arrays(), qrels.query_kind == "integer", *columns, CORES)
    if found is None:
        return None
    by_id, judged, query, grade, *doc = found
    return IdPool(**_names(qrels, by_id, judged), query=query, grade=grade, doc=IdColumn(qrels.doc.buffer, *doc))


def _order_queries(qrels: Qrels) -> tuple[Ints, int]:
    """Return queries with judgments in order of id, then the others; and the number of the first."""
    used = np.zeros(len(qrels.queries), bool)
    used[qrels.query] = True
    judged = np.flatnonzero(used)
    by_id = order_by_id(qrels.queries.take(judged), qrels.query_kind)
    return np.concatenate([judged[by_id], np.flatnonzero(~used)]), len(judged)


def _names(qrels: Qrels, by_id: Ints, judged: int) -> dict[str, Any]:
    ids = qrels.queries.take(by_id)
    return {"queries": Names(ids.take(slice(judged)), qrels.query_kind), "ids": ids}


def _by_document(qrels: Qrels, query: Ints) -> tuple[Ints, tuple[Ints, Ints] | None]:
    """Return the row order by (query, document, aspect, sub), and the codes of aspect and sub."""
    order = qrels.doc.order(query)
    if qrels.aspect is None:
        return order, None
    aspect = qrels.aspect.distinct()[1]
    sub = qrels.sub.distinct()[1] if qrels.sub is not None else np.zeros_like(aspect)
    doc_code = np.empty(len(qrels.query), np.int64)
    doc_code[order] = np.cumsum(_starts(query[order], qrels.doc.take(order)))
    return np.lexsort((sub, aspect, doc_code)), (aspect, sub)


def _once(
    qrels: Qrels, query: Ints, order: Ints, aspects: tuple[Ints, Ints] | None, policy: Policy
) -> tuple[Ints, Floats, list[Warned]]:
    """Return rows without duplicates, with the grade that the policy chooses for documents judged twice."""
    first = _starts(query[order], qrels.doc.take(order))
    for column in aspects or ():
        first[1:] |= column[order][1:] != column[order][:-1]
    start = np.flatnonzero(first)
    sorted_grade = qrels.grade[order]
    if len(start) == len(order):
        return order, sorted_grade, []
    low, high = np.minimum.reduceat(sorted_grade, start), np.maximum.reduceat(sorted_grade, start)
    size = np.diff(np.append(start, len(order)))
    conflict = np.flatnonzero(low != high)
    if len(conflict) and policy.rejudged == "error":
        group = conflict[np.argmin(order[start[conflict]])]
        rows = order[start[group] : start[group] + size[group]]
        other = rows[np.flatnonzero(qrels.grade[rows] != qrels.grade[rows[0]])[0]]
        doc, name = qrels.doc[int(rows[0])], qrels.queries[int(qrels.query[rows[0]])]
        raise DataError(
            "duplicate-judgment",
            f"document {shown(doc)} of query {shown(name)} has two grades: "
            f"{qrels.grade[rows[0]]:g} at {qrels.where(int(rows[0]))} and {qrels.grade[other]:g}",
            hint=Hint("choose one with {rejudged}", rejudged="max"),
            where=qrels.where(int(other)),
            value=doc,
        )
    chosen = {
        "max": high,
        "min": low,
        "first": sorted_grade[start],
        "last": sorted_grade[start + size - 1],
        "mean": np.add.reduceat(sorted_grade, start) / size,
    }.get(policy.rejudged, high)
    extra = int((size - 1).sum())
    text = f"counted {extra} duplicate {'judgment' if extra == 1 else 'judgments'} in {qrels.label} once"
    return order[start], chosen, [Warned("duplicate-judgment", extra, text)]


def _starts(query: Ints, doc: IdColumn) -> Bools:
    """Return whether a new (query, document) begins at each row, in rows sorted by both."""
    rows = np.arange(len(query))
    first = np.ones(len(query), bool)
    first[1:] = (query[1:] != query[:-1]) | ~doc.same(rows[1:], doc, rows[:-1])
    return first


def _local_codes(query: Ints, code: Ints) -> Ints:
    """Renumber codes 0, 1, 2 … within each query, in the same order."""
    if not len(code):
        return code
    pairs = np.unique(np.stack([query, code]), axis=1)
    local = segments.positions(np.bincount(pairs[0], minlength=int(query.max(initial=-1)) + 1))
    width = int(code.max(initial=0)) + 1
    return local[np.searchsorted(pairs[0] * width + pairs[1], query * width + code)]
