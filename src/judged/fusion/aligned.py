"""Rows of several runs with one number per document, which fusion methods compute on; and normalisations of scores, list by list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.policy import Policy
from judged.core.reference import group_documents, order_ties, pool_of_queries, rank_rows
from judged.core.tables import IdColumn, IdKind, Run, decoded
from judged.errors import DataError, shown
from judged.registry import Registry


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class AlignedRuns:
    """Rows by run, then by query, then by rank; documents by query, then by id from the highest down. A *list* is the ranking of one run for one query.

    A query that a run lacks is an empty list, which contributes nothing. `rank` is 0 in rows that stand for missing documents.
    """

    names: tuple[str, ...]
    queries: IdColumn
    query_kind: IdKind
    doc_kind: IdKind
    doc: IdColumn  # per document
    query: Ints
    size: Ints  # documents per list: runs × queries
    document: Ints  # per row
    run: Ints
    rank: Ints
    score: Floats
    by_document: Ints  # order of the rows in which those of one document are adjacent

    @cached_property
    def list(self) -> Ints:
        """The list of each row, as an index into `size.ravel()`."""
        return self.run * len(self.queries) + self.query[self.document]

    @cached_property
    def length(self) -> Ints:
        """The number of documents in the list of each row."""
        return self.size.ravel()[self.list]

    @cached_property
    def count(self) -> Ints:
        """The number of rows of each document: of the runs that have it."""
        return np.bincount(self.document, minlength=len(self.query))

    @cached_property
    def candidates(self) -> Ints:
        """The number of documents of each query, in any run."""
        return np.bincount(self.query, minlength=len(self.queries))

    def per_list(self, operation: np.ufunc, values: Floats) -> Floats:
        """Reduce each list of retrieved documents; 0 for an empty one. Rows of missing documents must not be there yet."""
        size = self.size.ravel()
        out = np.zeros(len(size))
        full = size > 0
        if full.any():
            out[full] = operation.reduceat(values, segments.offsets(size)[:-1][full])
        return out

    def total(self, values: Floats) -> Floats:
        """Sum the rows of each document. The result does not depend on the order of the runs: larger values are added first."""
        grouped = self._sorted(values) if self.count.max(initial=0) > 2 else values[self.by_document]
        return segments.total(grouped, segments.numbers(self.count), len(self.count))

    def extreme(self, operation: np.ufunc, values: Floats) -> Floats:
        """The largest or smallest value of each document."""
        return np.asarray(operation.reduceat(values[self.by_document], self._start))

    def median(self, values: Floats) -> Floats:
        """The median of each document; the mean of the two middle values of an even number."""
        grouped, start, count = self._sorted(values), self._start, self.count
        return (grouped[start + (count - 1) // 2] + grouped[start + count // 2]) / 2

    def with_missing(self) -> AlignedRuns:
        """Add a row of rank 0 for each document that a run lacks, if the run has the query."""
        absent = np.ones((len(self.names), len(self.query)), bool)
        absent[self.run, self.document] = False
        run, document = np.nonzero(absent & (self.size[:, self.query] > 0))
        every = np.concatenate([self.document, document])
        return replace(
            self,
            document=every,
            run=np.concatenate([self.run, run]),
            rank=np.concatenate([self.rank, np.zeros(len(run), np.int64)]),
            score=np.concatenate([self.score, np.zeros(len(run))]),
            by_document=np.argsort(every, kind="stable"),
        )

    def best_first(self, score: Floats, *, ascending: bool = False) -> Ints:
        """Order the documents by query, then by score from the highest down, then by id, descending unless `ascending`."""
        if ascending:
            return np.lexsort((-np.arange(len(score)), -score, self.query))
        return segments.falling(score, self.candidates)  # which is stable, and documents are numbered in this order

    def to_run(self, score: Floats, name: str, *, ascending: bool = False) -> Run:
        """Return the documents as a run, by query, then by score from the highest down, then by id."""
        order = self.best_first(score, ascending=ascending)
        if self.query_kind == "integer":
            sorted_queries = np.argsort(np.array(decoded(self.queries, "integer"), dtype=object))
        else:
            sorted_queries = self.queries.order()
        size, begin = self.candidates[sorted_queries], segments.offsets(self.candidates)[:-1][sorted_queries]
        order = order[np.repeat(begin, size) + segments.positions(size)]
        query = np.repeat(np.arange(len(size)), size)
        return Run(
            name=name,
            tag=name,
            query_kind=self.query_kind,
            doc_kind=self.doc_kind,
            queries=self.queries.take(sorted_queries),
            query=query,
            doc=self.doc.take(order),
            score=score[order] + 0.0,
        )

    @cached_property
    def _start(self) -> Ints:
        return segments.offsets(self.count)[:-1]

    def _sorted(self, values: Floats) -> Floats:
        grouped = values[self.by_document]
        return grouped[segments.falling(grouped, self.count)]


def align(runs: Mapping[str, Run], policy: Policy) -> AlignedRuns:
    """Number the documents of runs, and rank them.

    Raises:
        DataError: a duplicate document, unless the policy says which to keep.
    """
    tables = list(runs.values())
    used = [run.queries.take(np.bincount(run.query, minlength=len(run.queries)) > 0) for run in tables]
    # every query once, in order of appearance: rows of a run that is in this order need no sorting
    queries = IdColumn.of(dict.fromkeys(raw for column in used for raw in column.tolist()))
    pool = pool_of_queries(queries)
    once = policy.duplicates != "error"
    parts, sizes, docs = [], [], []
    for run in tables:
        rows = rank_rows(pool, run, policy, keep_duplicates=not once, hashed=once)
        order = order_ties(run, rows, policy)
        query, row = rows.query[order], rows.row[order]
        rank = segments.positions(np.bincount(query, minlength=len(queries))) + 1
        kept = slice(None) if policy.depth is None else np.flatnonzero(rank <= policy.depth)
        parts.append((query[kept], rank[kept], run.score[row[kept]]))
        sizes.append(np.bincount(query[kept], minlength=len(queries)))
        doc = run.doc.take(row[kept])  # in a buffer of their own, if theirs has much else, such as the lines of a file
        docs.append(doc.compact() if 4 * int(doc.length.sum()) < len(doc.buffer) else doc)
    query, rank, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    ids = IdColumn.concatenate(docs)
    by_document, first = group_documents(query, len(queries), ids)
    document = np.empty(len(query), np.int64)
    document[by_document] = np.cumsum(first, dtype=np.int64) - 1
    of_run = segments.numbers(np.array([len(part) for part, _, _ in parts]))
    for number, run in enumerate(tables):
        if not once and (np.bincount(document[of_run == number]) > 1).any():
            rank_rows(pool, run, policy)  # raises the error
    kinds, doc_kinds = {run.query_kind for run in tables}, {run.doc_kind for run in tables}
    one = by_document[first]
    return AlignedRuns(
        names=tuple(runs),
        queries=queries,
        query_kind=kinds.pop() if len(kinds) == 1 else "text",
        doc_kind=doc_kinds.pop() if len(doc_kinds) == 1 else "text",
        doc=ids.take(one),
        query=query[one],
        size=np.stack(sizes),
        document=document,
        run=of_run,
        rank=rank,
        score=score + 0.0,  # -0.0 ties with 0.0
        by_document=by_document,
    )


class Normalisation(NamedTuple):
    """A normalisation of the scores of each list; `lower_is_better` reverses the order of scores before anything else."""

    name: str
    apply: Callable[[AlignedRuns], AlignedRuns]
    text: str
    aliases: tuple[str, ...] = ()
    lower_is_better: bool = False


def _divide(a: AlignedRuns, values: Floats, by: Floats) -> AlignedRuns:
    """Divide the values of each list; all are 0 if the divisor is 0."""
    divisor = by[a.list]
    return replace(a, score=np.divide(values, divisor, out=np.zeros(len(values)), where=divisor != 0))


def _scaled(a: AlignedRuns) -> Floats:
    """The scores of each list, divided by a power of two so that their sums and squares are within the range of a float; other bits stay."""
    highest = a.per_list(np.maximum, np.abs(a.score))
    exponent = np.where(np.isfinite(highest), np.frexp(highest)[1], 0)
    return np.ldexp(a.score, -exponent[a.list])


def _above_lowest(a: AlignedRuns, by: np.ufunc) -> AlignedRuns:
    """Scores less the lowest of their list, divided by the largest or the sum of these."""
    score = _scaled(a)
    above = score - a.per_list(np.minimum, score)[a.list]
    return _divide(a, above, a.per_list(by, above))


def _max(a: AlignedRuns) -> AlignedRuns:
    highest = a.per_list(np.maximum, a.score)
    wrong = np.flatnonzero((a.score < 0) & (highest[a.list] <= 0))
    if len(wrong):
        row = int(wrong[0])
        query = a.queries[int(a.query[a.document[row]])]
        problem = f"the highest score of query {shown(query)} is not above 0, and the max norm divides by it"
        raise DataError("option", problem, hint="use min-max", where=a.names[int(a.run[row])])
    return _divide(a, a.score, highest)


def _zmuv(a: AlignedRuns) -> AlignedRuns:
    size = np.maximum(a.size.ravel(), 1)
    score = _scaled(a)
    same = a.per_list(np.maximum, score) == a.per_list(np.minimum, score)
    away = score - (a.per_list(np.add, score) / size)[a.list]
    deviation = np.sqrt(a.per_list(np.add, np.square(away)) / size)
    return _divide(a, away, np.where(same, 0.0, deviation))  # the mean of equal scores may be rounded


def _borda(a: AlignedRuns) -> AlignedRuns:
    every = a.with_missing()
    candidates = a.candidates[every.query[every.document]]
    missing = 0.5 - (every.length - 1) / (2 * candidates)
    return replace(every, score=np.where(every.rank > 0, 1 - (every.rank - 1) / candidates, missing))


NORMALISATIONS: Registry[Normalisation] = Registry("normalisation")
for _normalisation in (
    Normalisation(
        name="min-max",
        apply=lambda a: _above_lowest(a, np.maximum),
        text="(s - lowest) / (highest - lowest): from 0 to 1; 0 if all scores are equal",
    ),
    Normalisation(
        name="min-max-inverted",
        apply=lambda a: _above_lowest(a, np.maximum),
        lower_is_better=True,
        text="(highest - s) / (highest - lowest), for distances: the lowest score is the best, in ranks too",
    ),
    Normalisation(name="max", apply=_max, text="s / highest; the highest score must be above 0, or all scores 0"),
    Normalisation(
        name="sum",
        apply=lambda a: _above_lowest(a, np.add),
        text="(s - lowest) / Σ (s - lowest): the sum is 1; 0 if all scores are equal",
    ),
    Normalisation(
        name="zmuv",
        aliases=("z-score", "standard"),
        apply=_zmuv,
        text="(s - mean) / standard deviation; 0 if all scores are equal",
    ),
    Normalisation(
        name="rank",
        apply=lambda a: replace(a, score=1 - (a.rank - 1) / a.length),
        text="1 - (r - 1) / n at rank r of n",
    ),
    Normalisation(
        name="borda",
        apply=_borda,
        text="1 - (r - 1) / c at rank r of c candidates in all runs; a document that the run lacks: 1/2 - (n - 1) / 2c",
    ),
    Normalisation(name="none", aliases=("raw", "identity"), apply=lambda a: a, text="scores as they are"),
):
    NORMALISATIONS.add(_normalisation)
