"""Evaluation of one partition on a Spark worker, by the code of `evaluate`: the judgments and rankings of some queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from judged._dataclass import dataclass, field, replace
from judged.core.ids import IdColumn
from judged.core.join.join import join
from judged.core.parts.run import UnknownRow
from judged.core.policy import Policy
from judged.core.tables import Id, IdKind, Qrels, Run
from judged.distributed.spark.partition import SparkColumns, as_arrow_run, as_table, naming_rows
from judged.distributed.spark.worker import load_argument, pack, partition_number
from judged.errors import JudgedError
from judged.evaluation.evaluate import measure_all
from judged.evaluation.inputs import check_relevant
from judged.evaluation.result.source import Provenance
from judged.evaluation.result.values import Values
from judged.evaluation.spark.moments import Moments
from judged.evaluation.stream.exact_means import ExactSum, summand
from judged.evaluation.stream.kept import COVERAGE, StreamTally
from judged.io.read import read_qrels
from judged.measures.grammar import parse
from judged.measures.registry import Measure

SIDE = "side"  # 0: a judgment, 1: a row of the run
ORDER = "order"  # of the judgments
NUMBER = {"score": "number", "grade": "number"}  # columns of the union that are not named by their role
PARTIAL = "_partial_"  # the column of sums and counts of a partition, in a row of its own


@dataclass(frozen=True, slots=True)
class Job:
    """The evaluation to run on each partition, and its columns."""

    measures: tuple[Measure, ...]
    profile: str
    policy: Policy
    qrels: SparkColumns  # query, doc, grade and aspect, by their names in the source
    run: SparkColumns  # query, doc, score and rank
    borrowed: bool  # grades are in a column named score
    kinds: tuple[IdKind, IdKind]


@dataclass(slots=True)
class Partial:
    """Sums and counts over the queries of some partitions."""

    number: int = 0  # of the partition
    error: JudgedError | None = None
    queries: int = 0
    judgments: int = 0
    rows: int = 0  # of the run
    answered: int = 0
    retrieved: int = 0
    hits: int = 0
    moments: dict[str, Moments] = field(default_factory=dict)
    share: ExactSum | None = None  # of judged documents in the top ten
    tally: StreamTally = field(default_factory=StreamTally)
    judged_queries: tuple[Id, ...] = ()  # a few examples
    run_queries: tuple[Id, ...] = ()

    def merge(self, other: Partial) -> None:
        """Add another partition."""
        for name in ("queries", "judgments", "rows", "answered", "retrieved", "hits"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, moments in other.moments.items():
            self.moments.setdefault(name, Moments()).merge(moments)
        if other.share is not None:
            self.share = self.share or ExactSum()
            self.share.merge(other.share)
        self.tally.merge(other.tally)
        self.judged_queries = (*self.judged_queries, *other.judged_queries)[:3]
        self.run_queries = (*self.run_queries, *other.run_queries)[:3]


def evaluate_partition(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Entry point on the worker: yield batches of (query, one column per measure, partial): the values, then sums and counts."""
    job, number, rows = load_argument(token, packed), partition_number(), list(batches)
    partial = Partial(number)
    try:
        values = _evaluate(as_table(rows), job, partial) if rows else None
    except JudgedError as error:
        values, partial = None, Partial(number, error)
    if values is not None and len(values):
        yield _batch(list(values.queries), values.columns, [None] * len(values), job)
    nothing = {str(m): np.array([np.nan]) for m in job.measures}
    yield _batch([None], nothing, [pack(partial)], job)


def _batch(queries: list[Any], columns: Mapping[str, Any], partial: list[bytes | None], job: Job) -> Any:
    import pyarrow as pa

    ids = pa.array(queries, pa.int64() if job.kinds[0] == "integer" else pa.string())
    values = [pa.array(columns[str(m)], pa.float64()) for m in job.measures]
    return pa.RecordBatch.from_arrays([ids, *values, pa.array(partial, pa.binary())], ["query", *map(str, job.measures), PARTIAL])  # fmt: skip


def _evaluate(rows: Any, job: Job, partial: Partial) -> Values | None:
    """Return the values of the queries of a partition; sums and counts are put into `partial`."""
    import pyarrow.compute as pc

    if not rows.num_rows:
        return None
    is_run = pc.equal(rows.column(SIDE), 1)
    judgments, ranking = rows.filter(pc.invert(is_run)), rows.filter(is_run)
    partial.judgments, partial.rows = judgments.num_rows, ranking.num_rows
    partial.judged_queries, partial.run_queries = _examples(judgments), _examples(ranking)
    source = _join(judgments, ranking, job)
    judged = source.judged
    partial.queries, partial.answered = len(judged), int(judged.answered.sum())
    partial.retrieved, partial.hits = int(judged.retrieved.sum()), len(judged.query)
    partial.tally.add(w for w in judged.warnings if w.slug != "no-overlap")  # one partition does not know
    if not len(judged):
        return None
    values = measure_all(source, list(job.measures), profile=job.profile)
    partial.tally.add(values.warnings[len(judged.warnings) :])
    for m in job.measures:
        partial.moments[str(m)] = Moments()
        partial.moments[str(m)].add(summand(values.columns[str(m)], m.definition.summary))
    if COVERAGE in values.coverage:
        partial.share = ExactSum()
        partial.share.add(parse("Judged@10").on(judged))
    return values


def _examples(rows: Any) -> tuple[Id, ...]:
    import pyarrow.compute as pc

    return tuple(pc.unique(rows.column("query").slice(0, 1000)).drop_null().to_pylist()[:3])


def _join(judgments: Any, ranking: Any, job: Job) -> Provenance:
    """Join the judgments and the rankings of a partition, either of which may be empty."""
    qrels = _qrels(judgments, job) if judgments.num_rows else _empty_qrels(job)
    columns = _columns(ranking, job.run)
    run = as_arrow_run(columns, job.run) if ranking.num_rows else _empty_run(job)
    judged = join(qrels, run, job.policy, allow_empty=True)
    check_relevant(judged)
    return Provenance(judged, qrels, run)


def _empty_qrels(job: Job) -> Qrels:
    ids, rows = IdColumn.of(()), np.empty(0, np.int64)
    return Qrels(name=job.qrels.name, queries=ids, query=rows, doc=ids, grade=np.empty(0), query_kind=job.kinds[0], doc_kind=job.kinds[1])  # fmt: skip


def _empty_run(job: Job) -> Run:
    ids, rows = IdColumn.of(()), np.empty(0, np.int64)
    rank = rows if "rank" in job.run.column else None
    return Run(name=job.run.name, queries=ids, query=rows, doc=ids, score=np.empty(0), rank=rank, query_kind=job.kinds[0], doc_kind=job.kinds[1])  # fmt: skip


def _columns(rows: Any, columns: SparkColumns) -> Any:
    """Return the columns of one side."""
    return rows.select([NUMBER.get(role, role) for role in columns.column])


def _qrels(rows: Any, job: Job) -> Qrels:
    """Read the judgments in their order, or by grade if they have none, so that results are deterministic."""
    rows = rows.sort_by(ORDER if ORDER in rows.column_names else "number")
    table = _columns(rows, job.qrels).rename_columns(list(job.qrels.column.values()))
    used = job.qrels.column.items()
    named: dict[str, Any] = {f"{role}_col": column for role, column in used if role != "grade" or not job.borrowed}
    with naming_rows(table, job.qrels):
        qrels = read_qrels(table, **named, name=job.qrels.name)
    return replace(qrels, where=UnknownRow(job.qrels.name))
