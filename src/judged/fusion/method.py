"""Fusion methods, each declared once in a file of `methods/`, and normalisations: columns of several runs that they compute on.

`jd.fuse`, `jd.tune_fusion`, the command line and the docs take their lists from `FUSIONS` and `NORMALISATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import group_documents, order_ties, pool_of_queries, raise_no_common_query, rank_rows
from judged.core.tables import Id, IdColumn, IdKind, Run, decoded, order_by_id
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.read import read_qrels
from judged.measures.parameters import literal
from judged.registry import Call, Registry, parse_call
from judged.tables.table import counted

# ── columns of several runs ──────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class AlignedRuns:
    """Rows by run, then by query, then by rank; documents by query, then by id from the highest down. A *list* is the ranking of one run for one query.

    A query that a run lacks is an empty list, which contributes nothing. `rank` is 0 in rows that stand for missing documents.
    """

    runs: Mapping[str, Run]
    ascending: bool  # order of documents with equal fused scores
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
        out, full = np.zeros(len(size)), size > 0
        out[full] = operation.reduceat(values, segments.offsets(size)[:-1][full])
        return out

    def total(self, values: Floats) -> Floats:
        """Sum the rows of each document. The result does not depend on the order of the runs: larger values are added first."""
        grouped = self._sorted(values) if self.count.max() > 2 else values[self.by_document]
        return segments.total(grouped, segments.numbers(self.count), len(self.count))

    def extreme(self, operation: np.ufunc, values: Floats) -> Floats:
        """The largest or smallest value of each document."""
        return np.asarray(operation.reduceat(values[self.by_document], segments.offsets(self.count)[:-1]))

    def median(self, values: Floats) -> Floats:
        """The median of each document; the mean of the two middle values of an even number."""
        grouped, start, count = self._sorted(values), segments.offsets(self.count)[:-1], self.count
        return (grouped[start + (count - 1) // 2] + grouped[start + count // 2]) / 2

    def with_missing(self) -> AlignedRuns:
        """Add a row of rank 0 for each document that a run lacks, if the run has the query."""
        absent = self.size[:, self.query] > 0
        absent[self.run, self.document] = False
        run, document = np.nonzero(absent)
        every = np.append(self.document, document)
        return replace(
            self,
            document=every,
            run=np.append(self.run, run),
            rank=np.pad(self.rank, (0, len(run))),
            score=np.pad(self.score, (0, len(run))),
            by_document=np.argsort(every, kind="stable"),
        )

    def _sorted(self, values: Floats) -> Floats:
        grouped = values[self.by_document]
        return grouped[segments.falling(grouped, self.count)]


def align(runs: Mapping[str, Run], policy: Policy) -> AlignedRuns:
    """Number the queries and the documents of runs, and rank them.

    Raises:
        DataError: a duplicate document, unless the policy says which to keep.
    """
    tables = list(runs.values())
    query_kind, doc_kind = (
        kinds.pop() if len(kinds) == 1 else "text"
        for kinds in ({run.query_kind for run in tables}, {run.doc_kind for run in tables})
    )
    used = [run.queries.take(np.bincount(run.query, minlength=len(run.queries)) > 0) for run in tables]
    queries = IdColumn.of(dict.fromkeys(raw for column in used for raw in column.tolist()))
    queries = queries.take(order_by_id(queries, query_kind))
    pool = pool_of_queries(queries)
    once = policy.duplicates != "error"
    parts, docs = [], []
    for run in tables:
        rows = rank_rows(pool, run, policy, keep_duplicates=not once, hashed=once)
        rank = segments.ranks(np.bincount(rows.query, minlength=len(queries)))
        kept = slice(None) if policy.depth is None else rank <= policy.depth
        row = rows.row[order_ties(run, rows, policy)][kept]
        parts.append((rows.query[kept], rank[kept], run.score[row]))
        doc = run.doc.take(row)  # in a buffer of their own, if theirs has much else, such as the lines of a file
        docs.append(doc.compact() if 4 * int(doc.length.sum()) < len(doc.buffer) else doc)
    query, rank, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    of_run, ids = segments.numbers(np.array(list(map(len, docs)))), IdColumn.concatenate(docs)
    by_document, first = group_documents(query, len(queries), ids)
    adjacent = of_run[by_document]
    for number in np.unique(adjacent[1:][~first[1:] & (adjacent[1:] == adjacent[:-1])]):
        rank_rows(pool, tables[number], policy)  # raises the error
    document = np.empty(len(query), np.int64)
    document[by_document] = np.cumsum(first, dtype=np.int64) - 1
    one = by_document[first]
    return AlignedRuns(
        runs=runs,
        ascending=policy.ties == "id-asc",
        queries=queries,
        query_kind=query_kind,
        doc_kind=doc_kind,
        doc=ids.take(one),
        query=query[one],
        size=np.bincount(of_run * len(queries) + query, minlength=len(runs) * len(queries)).reshape(len(runs), -1),
        document=document,
        run=of_run,
        rank=rank,
        score=score + 0.0,  # -0.0 ties with 0.0
        by_document=by_document,
    )


# ── normalisations ───────────────────────────────────────────────────────────────────────────────


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
    for row in np.flatnonzero((a.score < 0) & (highest[a.list] <= 0)):
        query = a.queries[a.query[a.document[row]]]
        problem = f"the highest score of query {shown(query)} is not above 0, and the max norm divides by it"
        raise DataError("option", problem, hint="use min-max", where=list(a.runs)[a.run[row]])
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
        "min-max",
        lambda a: _above_lowest(a, np.maximum),
        "(s - lowest) / (highest - lowest): from 0 to 1; 0 if all scores are equal",
    ),
    Normalisation(
        "min-max-inverted",
        lambda a: _above_lowest(a, np.maximum),
        "(highest - s) / (highest - lowest), for distances: the lowest score is the best, in ranks too",
        lower_is_better=True,
    ),
    Normalisation("max", _max, "s / highest; the highest score must be above 0, or all scores 0"),
    Normalisation(
        "sum",
        lambda a: _above_lowest(a, np.add),
        "(s - lowest) / Σ (s - lowest): the sum is 1; 0 if all scores are equal",
    ),
    Normalisation("zmuv", _zmuv, "(s - mean) / standard deviation; 0 if all scores are equal", ("z-score", "standard")),
    Normalisation(
        "rank",
        lambda a: replace(a, score=1 - (a.rank - 1) / a.length),
        "1 - (r - 1) / n at rank r of n",
    ),
    Normalisation(
        "borda",
        _borda,
        "1 - (r - 1) / c at rank r of c candidates in all runs; a document that the run lacks: 1/2 - (n - 1) / 2c",
    ),
    Normalisation("none", lambda a: a, "scores as they are", ("raw", "identity")),
):
    NORMALISATIONS.add(_normalisation)


# ── methods ──────────────────────────────────────────────────────────────────────────────────────


class FusionParameter(NamedTuple):
    """A parameter of a method: its default, its range, and the values that tuning tries."""

    name: str
    default: float
    low: float
    high: float
    trials: tuple[float, ...]


class Fusion(NamedTuple):
    """A method: a score per document from the rows of all runs. A run that lacks the document adds nothing, unless `text` says what.

    Args:
        name: its name; `aliases` has others, such as that of the paper.
        uses: the scores of the runs, after normalisation, or only their ranks.
        score: returns the fused score of each document.
        weights: whether a weight per run is needed, optional or not possible.
        train: learns an array from the judgments and the rows of a run; None if the method needs none.
    """

    name: str
    aliases: tuple[str, ...]
    paper: str
    text: str
    score: Callable[[AlignedRuns, FusionSettings], Floats]
    uses: Literal["scores", "ranks"] = "ranks"
    weights: Literal["none", "optional", "needed"] = "none"
    parameters: tuple[FusionParameter, ...] = ()
    train: Callable[[Training, FusionSettings], Floats] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _declared, (self.name,)  # functions of declarations cannot be pickled

    @property
    def usage(self) -> str:
        """The name with its parameters: rrf(k=60)."""
        return FusionSettings(self, {p.name: p.default for p in self.parameters}).call


FUSIONS: Registry[Fusion] = Registry("fusion method", package="judged.fusion.methods")


def _declared(name: str) -> Fusion:
    return FUSIONS.find(name)


@dataclass(frozen=True, eq=False)
class FusionSettings:
    """A method with values of its parameters, a weight per run, and what it learnt of each run."""

    method: Fusion
    values: dict[str, float]
    weights: Floats | None = None
    trained: tuple[Floats, ...] = ()

    def __getitem__(self, parameter: str) -> float:
        return self.values[parameter]

    @property
    def call(self) -> str:
        """The method with its parameters, as it is written: rrf(k=10)."""
        listed = ", ".join(f"{name}={literal(value)}" for name, value in self.values.items())
        return f"{self.method.name}({listed})" if listed else self.method.name

    def of_runs(self, runs: AlignedRuns) -> Floats:
        """The weight of each run: 1 without weights."""
        return np.ones(len(runs.runs)) if self.weights is None else self.weights

    def weight(self, runs: AlignedRuns) -> Floats:
        """The weight of the run of each row."""
        return self.of_runs(runs)[runs.run]

    def learnt(self, runs: AlignedRuns, at: Ints, beyond: float = 0.0) -> Floats:
        """The entry of each row in what was learnt of its run; `beyond` past the end and for a negative position."""
        out = np.full(len(at), beyond)
        for run, known in enumerate(self.trained):
            rows = (runs.run == run) & (at >= 0) & (at < len(known))
            out[rows] = known[at[rows]]
        return out

    def learn(self, training: Training | None) -> FusionSettings:
        """The settings with what a trained method learns of each run."""
        if self.method.train is None or training is None:
            return self
        runs = map(training.of, range(training.runs))
        return replace(self, trained=tuple(self.method.train(run, self) for run in runs))

    def fuse(self, runs: AlignedRuns, name: str | None = None) -> Run:
        """The documents by query, then by fused score from the highest down, then by id.

        Raises:
            DataError: a score that is not a number, which infinite scores of the runs can cause.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.method.score(runs, self)
        for wrong in np.flatnonzero(np.isnan(score)).tolist():
            doc, query = runs.doc[wrong], runs.queries[int(runs.query[wrong])]
            problem = f"the fused score of document {shown(doc)} of query {shown(query)} is not a number: a run has infinite scores"
            raise DataError("score-inf", problem, hint="use a method of ranks, such as rrf", value=doc)
        order = segments.falling(score, runs.candidates)  # which is stable, and documents are numbered in this order
        if runs.ascending:
            order = np.lexsort((-np.arange(len(score)), -score, runs.query))
        warnings = dict.fromkeys(warning for run in runs.runs.values() for warning in run.warnings)
        if lacking := int((runs.size == 0).any(axis=0).sum()):
            text = (
                f"{lacking} of {counted(len(runs.queries), 'query')} not in every run; fused from the runs that have it"
            )
            warnings[Warned("queries-differ", lacking, text)] = None
        return Run(
            name=name or self.method.name,
            tag=name or self.method.name,
            query_kind=runs.query_kind,
            doc_kind=runs.doc_kind,
            queries=runs.queries,
            query=runs.query,
            doc=runs.doc.take(order),
            score=score[order] + 0.0,
            warnings=tuple(warnings),
            files=tuple(file for run in runs.runs.values() for file in run.files),
        )


def parse_method(text: Any) -> FusionSettings:
    """Parse a method with its parameters; those that are not given have their defaults.

    Raises:
        UsageError: an unknown name, an unknown parameter, or a value out of range.

    >>> parse_method("RRF(k=10)").call
    'rrf(k=10)'
    """
    hint = "pass the runs in one list, before the method; docs/guides/fusion.md lists all methods"
    call = parse_call(text, "parameter") if isinstance(text, str) else Call(text, {})
    method = FUSIONS.find(call.name, hint=hint)
    if call.at is not None:
        action = Hint("cut the runs with {depth}", depth=100)
        raise UsageError("cutoff", f"{method.name} takes no cutoff", hint=action, value=text)
    known = {p.name: p for p in method.parameters}
    for name, value in call.params.items():
        if name not in known:
            raise UsageError("parameter", f"{method.usage} has no parameter {shown(name)}", value=text)
        p = known[name]
        if type(value) not in (int, type(p.default)) or not p.low <= value <= p.high:
            kind = "an integer" if isinstance(p.default, int) else "a number"
            problem = f"{name} must be {kind} from {p.low:g} to {p.high:g}, got {shown(value)}"
            raise UsageError("parameter", problem, value=value)
    return FusionSettings(method, {name: call.params.get(name, p.default) for name, p in known.items()})


# ── training ─────────────────────────────────────────────────────────────────────────────────────


class Training(NamedTuple):
    """Training data of a method: rows of queries with judgments, by query, then by run, then by rank.

    Args:
        runs: the number of runs.
        queries: the ids of all judged queries, in their order.
        learn: the queries to learn from.
        judged_relevant: number of relevant documents of each query, in the runs or not.
        query: of each row, as an index into `queries`.
        run: of each row.
        rank: of each row.
        length: of the list of each row.
        relevant: whether the document of each row is relevant.
    """

    runs: int
    queries: Sequence[Id]
    learn: Bools
    judged_relevant: Ints
    query: Ints
    run: Ints
    rank: Ints
    length: Ints
    relevant: Bools

    def of(self, run: int) -> Training:
        """The rows of a run for the queries to learn from."""
        kept = (self.run == run) & self.learn[self.query]
        return Training(*self[:4], *(column[kept] for column in self[4:]))


def training_of(aligned: AlignedRuns, qrels: Any, level: float = 1.0) -> Training:
    """Find the relevant documents, grade ≥ `level`, among those of the runs, for all queries with judgments.

    Raises:
        DataError: runs and judgments have no query in common.
    """
    judgments = read_qrels(qrels)
    pool = pool_of(judgments, Policy())
    code = pool.codes_of(aligned.queries)
    learn = np.isin(np.arange(len(pool.queries)), code)
    if not learn.any():
        raise_no_common_query(pool.queries, judgments.name, decoded(aligned.queries, aligned.query_kind))
    good, of_doc = pool.grade >= level, code[aligned.query]
    pairs = set(zip(pool.query[good].tolist(), pool.doc.take(good).tolist(), strict=True))
    relevant = np.array([pair in pairs for pair in zip(of_doc.tolist(), aligned.doc.tolist(), strict=True)])
    query = of_doc[aligned.document]
    rows = np.flatnonzero((aligned.rank > 0) & (query >= 0))
    rows = rows[np.argsort(query[rows], kind="stable")]
    columns: tuple[Any, ...] = query, aligned.run, aligned.rank, aligned.length, relevant[aligned.document]
    count = np.bincount(pool.query[good], minlength=len(learn))
    return Training(len(aligned.runs), pool.queries, learn, count, *(column[rows] for column in columns))
