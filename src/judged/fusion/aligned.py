"""Rows of several runs with one number per document, which fusion methods compute on; and normalisations of scores, list by list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.find.ranking import group_documents, order_ties, pool_of_queries
from judged.core.find.reference import check_duplicates, keys_of, rank_rows
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import IdKind, Run, decoded
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
    docs: IdColumn  # per row of the runs
    one: Ints  # a row of each document, into `docs`
    query: Ints  # per document
    size: Ints  # documents per list: runs × queries
    document: Ints  # per row
    run: Ints
    rank: Ints
    score: Floats
    by_document: Ints  # order of the rows in which those of one document are adjacent

    @cached_property
    def doc(self) -> IdColumn:
        """The id of each document."""
        return self.docs.take(self.one)

    @cached_property
    def list(self) -> Ints:
        """The list of each row, as an index into `size.ravel()`."""
        return self.run * len(self.queries) + self.query[self.document]

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
        """Add a row for each document that a run lacks, if the run has the query: rank 0, and the lowest score of the list."""
        if len(self.run) > self.size.sum():
            return self
        runs, documents = len(self.names), len(self.query)
        absent = np.ones((runs, documents), bool)
        absent[self.run, self.document] = False
        absent &= self.size[:, self.query] > 0
        run, document = np.nonzero(absent)
        lowest = self.per_list(np.minimum, self.score).reshape(runs, -1)
        every = np.concatenate([self.document, document])
        return replace(
            self,
            document=every,
            run=np.concatenate([self.run, run]),
            rank=np.concatenate([self.rank, np.zeros(len(run), np.int64)]),
            score=np.concatenate([self.score, lowest[run, self.query[document]]]),
            by_document=np.argsort(every, kind="stable"),
        )

    def best_first(self, score: Floats, *, ascending: bool = False) -> Ints:
        """Order the documents by query, then by score from the highest down, then by id, descending unless `ascending`."""
        if not ascending:  # documents are numbered in this order, and the sort is stable
            return segments.falling(score, self.candidates)
        size = self.candidates
        last = np.repeat(segments.offsets(size)[1:] - 1, size) - segments.positions(size)
        return last[segments.falling(score[last], size)]

    def to_run(self, score: Floats, name: str, *, ascending: bool = False) -> Run:
        """Return the documents as a run, by query, then by score from the highest down, then by id."""
        order = self.best_first(score, ascending=ascending)
        by_number = self.query_kind == "integer"
        numbers = np.array(decoded(self.queries, "integer"), dtype=object) if by_number else None
        sorted_queries = self.queries.order() if numbers is None else np.argsort(numbers)
        size, begin = self.candidates[sorted_queries], segments.offsets(self.candidates)[:-1][sorted_queries]
        order = order[np.repeat(begin, size) + segments.positions(size)]
        query = np.repeat(np.arange(len(size)), size)
        queries = self.queries.take(sorted_queries)
        doc, score = self.docs.take(self.one[order]), score[order] + 0.0
        return self._run(name, queries=queries, query=query, doc=doc, score=score)

    def to_documents(self) -> Run:
        """Return the documents as a run without scores, in the order of their numbers."""
        return self._run("", queries=self.queries, query=self.query, doc=self.doc, score=np.zeros(len(self.query)))

    def _run(self, name: str, **columns: Any) -> Run:
        return Run(name=name, tag=name, query_kind=self.query_kind, doc_kind=self.doc_kind, **columns)

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
    kind, doc_kind = (_common([getattr(run, name) for run in tables]) for name in ("query_kind", "doc_kind"))
    queries = _union([run.queries.take(np.bincount(run.query, minlength=len(run.queries)) > 0) for run in tables])
    pool = pool_of_queries(queries)
    parts, sizes = [], []
    for run in tables:
        once = policy.duplicates != "error"
        rows = rank_rows(pool, run, policy, keep_duplicates=not once, hashed=once)
        order = order_ties(run, rows, policy)
        query, row = rows.query[order], rows.row[order]
        rank = segments.positions(np.bincount(query, minlength=len(queries))) + 1
        kept = slice(None) if policy.depth is None else np.flatnonzero(rank <= policy.depth)
        parts.append((query[kept], row[kept], rank[kept]))
        sizes.append(np.bincount(query[kept], minlength=len(queries)))
    docs = IdColumn.concatenate([_compact(run.doc.take(row)) for run, (_, row, _) in zip(tables, parts, strict=True)])
    query = np.concatenate([query for query, _, _ in parts])
    by_document, first = group_documents(query, len(queries), docs)
    document = np.empty(len(query), np.int64)
    document[by_document] = np.cumsum(first, dtype=np.int64) - 1
    one = by_document[first]
    if policy.duplicates == "error":
        _check_once(tables, parts, document)
    score = np.concatenate([run.score[row] for run, (_, row, _) in zip(tables, parts, strict=True)])
    score += 0.0  # -0.0 ties with 0.0
    return AlignedRuns(
        names=tuple(runs),
        queries=queries,
        query_kind=kind,
        doc_kind=doc_kind,
        docs=docs,
        one=one,
        query=query[one],
        size=np.stack(sizes),
        document=document,
        run=segments.numbers(np.array([len(row) for _, row, _ in parts])),
        rank=np.concatenate([rank for _, _, rank in parts]),
        score=score,
        by_document=by_document,
    )


def _check_once(tables: list[Run], parts: list[tuple[Ints, Ints, Ints]], document: Ints) -> None:
    """Raise `duplicate-doc` if a run has a document of a query twice."""
    begin = 0
    for run, (query, row, _) in zip(tables, parts, strict=True):
        own = document[begin : begin + len(row)]
        begin += len(row)
        seen = np.zeros(int(document.max(initial=-1)) + 1, bool)
        seen[own] = True
        if np.count_nonzero(seen) < len(own):
            check_duplicates(run, row, keys_of(query, run.doc.take(row)))


def _compact(ids: IdColumn) -> IdColumn:
    """Return the ids in a buffer of their own if theirs has much else, such as the lines of a file."""
    return ids.compact() if 4 * int(ids.length.sum()) < len(ids.buffer) else ids


def _common(kinds: list[IdKind]) -> IdKind:
    return kinds[0] if len(set(kinds)) == 1 else "text"


def _union(queries: list[IdColumn]) -> IdColumn:
    """Return every query once, in order of appearance: rows of a run that is in this order need no sorting."""
    return IdColumn.of(dict.fromkeys(raw for column in queries for raw in column.tolist()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalisation:
    """A normalisation of the scores of each list; `lower_is_better` reverses the order of scores before anything else."""

    name: str
    aliases: tuple[str, ...] = ()
    apply: Callable[[AlignedRuns], AlignedRuns]
    lower_is_better: bool = False
    text: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return find_normalisation, (self.name,)


def _divide(a: AlignedRuns, values: Floats, by: Floats) -> AlignedRuns:
    """Divide the values of each list; all are 0 if the divisor is 0."""
    divisor = by[a.list]
    return replace(a, score=np.divide(values, divisor, out=np.zeros(len(values)), where=divisor != 0))


def _scaled(a: AlignedRuns) -> Floats:
    """The scores of each list, divided by a power of two so that their sums and squares are within the range of a float; other bits stay."""
    highest = a.per_list(np.maximum, np.abs(a.score))
    exponent = np.where(np.isfinite(highest), np.frexp(highest)[1], 0)
    return np.ldexp(a.score, -exponent[a.list])


def _above_lowest(a: AlignedRuns) -> Floats:
    score = _scaled(a)
    return score - a.per_list(np.minimum, score)[a.list]


def _min_max(a: AlignedRuns) -> AlignedRuns:
    above = _above_lowest(a)
    return _divide(a, above, a.per_list(np.maximum, above))


def _max(a: AlignedRuns) -> AlignedRuns:
    highest = a.per_list(np.maximum, a.score)
    wrong = np.flatnonzero((a.score < 0) & (highest[a.list] <= 0))
    if len(wrong):
        row = int(wrong[0])
        query = a.queries[int(a.query[a.document[row]])]
        problem = f"the highest score of query {shown(query)} is not above 0, and the max norm divides by it"
        raise DataError("option", problem, hint="use min-max", where=a.names[int(a.run[row])])
    return _divide(a, a.score, highest)


def _sum(a: AlignedRuns) -> AlignedRuns:
    above = _above_lowest(a)
    return _divide(a, above, a.per_list(np.add, above))


def _zmuv(a: AlignedRuns) -> AlignedRuns:
    size = np.maximum(a.size.ravel(), 1)
    score = _scaled(a)
    same = a.per_list(np.maximum, score) == a.per_list(np.minimum, score)
    away = score - (a.per_list(np.add, score) / size)[a.list]
    deviation = np.sqrt(a.per_list(np.add, np.square(away)) / size)
    return _divide(a, away, np.where(same, 0.0, deviation))  # the mean of equal scores may be rounded


def _rank(a: AlignedRuns) -> AlignedRuns:
    return replace(a, score=1 - (a.rank - 1) / a.size.ravel()[a.list])


def _borda(a: AlignedRuns) -> AlignedRuns:
    every = a.with_missing()
    candidates, size = a.candidates[every.query[every.document]], a.size.ravel()[every.list]
    return replace(
        every, score=np.where(every.rank > 0, 1 - (every.rank - 1) / candidates, 0.5 - (size - 1) / (2 * candidates))
    )


NORMALISATIONS: Registry[Normalisation] = Registry("normalisation")
for _normalisation in (
    Normalisation(
        name="min-max",
        aliases=("min_max", "minmax"),
        apply=_min_max,
        text="(s - lowest) / (highest - lowest): from 0 to 1; 0 if all scores are equal",
    ),
    Normalisation(
        name="min-max-inverted",
        aliases=("min_max_inverted",),
        apply=_min_max,
        lower_is_better=True,
        text="(highest - s) / (highest - lowest), for distances: the lowest score is the best, in ranks too",
    ),
    Normalisation(name="max", apply=_max, text="s / highest; the highest score must be above 0, or all scores 0"),
    Normalisation(
        name="sum", apply=_sum, text="(s - lowest) / Σ (s - lowest): the sum is 1; 0 if all scores are equal"
    ),
    Normalisation(
        name="zmuv",
        aliases=("z-score", "standard"),
        apply=_zmuv,
        text="(s - mean) / standard deviation; 0 if all scores are equal",
    ),
    Normalisation(name="rank", apply=_rank, text="1 - (r - 1) / n at rank r of n"),
    Normalisation(
        name="borda",
        apply=_borda,
        text="1 - (r - 1) / c at rank r of c candidates in all runs; a document that the run lacks: 1/2 - (n - 1) / 2c",
    ),
    Normalisation(name="none", aliases=("raw", "identity"), apply=lambda a: a, text="scores as they are"),
):
    NORMALISATIONS.add(_normalisation)


def find_normalisation(name: str) -> Normalisation:
    """The normalisation with a name."""
    return NORMALISATIONS.find(name)
