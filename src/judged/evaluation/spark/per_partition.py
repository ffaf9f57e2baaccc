"""Whole queries on a worker: judgments and rankings of a partition, evaluated by the ordinary code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from judged.core.judged import Judged
from judged.core.parts.run import Somewhere
from judged.core.tables import Id, IdKind, Qrels
from judged.distributed.spark.partition import SparkColumns, as_batches, as_table, telling
from judged.distributed.spark.pickling import pack
from judged.errors import JudgedError
from judged.evaluation.evaluate import evaluate, join
from judged.evaluation.result.values import Values
from judged.evaluation.spark.moments import Moments
from judged.evaluation.stream.exact_means import ExactSum, summand
from judged.evaluation.stream.kept import COVERAGE, StreamTally
from judged.io.read import read_qrels
from judged.measures.grammar import parse
from judged.measures.registry import Measure

__all__ = ["NUMBER", "ORDER", "PARTIAL", "SIDE", "Job", "Partial", "evaluated"]

SIDE = "side"  # 0: a judgment, 1: a row of the run
ORDER = "order"  # of the judgments
NUMBER = {"score": "number", "grade": "number"}  # columns of the union, where a role is not the name of one
PARTIAL = "_partial_"  # what a partition comes to, in a row of its own


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with the queries of a partition, and what its columns are."""

    measures: tuple[Measure, ...]
    profile: str
    policy: Mapping[str, Any]
    qrels: SparkColumns  # query, doc, grade and aspect: what they are called where they come from
    run: SparkColumns  # query, doc, score and rank
    borrowed: bool  # grades stand in a column called score
    kinds: tuple[IdKind, IdKind]


@dataclass(slots=True)
class Partial:
    """What the queries of some partitions come to."""

    number: int = 0  # of the partition
    error: JudgedError | None = None
    queries: int = 0
    judgments: int = 0
    rows: int = 0  # of the run
    answered: int = 0
    hits: int = 0
    moments: dict[str, Moments] = field(default_factory=dict)
    share: ExactSum | None = None  # of judged documents in the first ten
    tally: StreamTally = field(default_factory=StreamTally)
    some: tuple[tuple[Id, ...], tuple[Id, ...]] = ((), ())  # a few queries of the judgments, and of the run

    def merge(self, other: Partial) -> None:
        """Take in those of another partition."""
        for name in ("queries", "judgments", "rows", "answered", "hits"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, found in other.moments.items():
            self.moments.setdefault(name, Moments()).merge(found)
        if other.share is not None:
            self.share = self.share or ExactSum()
            self.share.merge(other.share)
        self.tally.merge(other.tally)
        ours, theirs = ((*mine, *its)[:3] for mine, its in zip(self.some, other.some, strict=True))
        self.some = ours, theirs


def evaluated(batches: list[Any], job: Job, number: int) -> Iterator[Any]:
    """Batches of (query, a column for each measure, partial): the values, and what they come to."""
    found = Partial(number)
    try:
        values = _values(as_table(batches), job, found) if batches else None
    except JudgedError as error:
        values, found = None, Partial(number, error)
    if values is not None and len(values):
        yield _batch(list(values.queries), values.columns, [None] * len(values), job)
    nothing = {str(m): np.array([np.nan]) for m in job.measures}
    yield _batch([None], nothing, [pack(found)], job)


def _batch(queries: list[Any], columns: Mapping[str, Any], partial: list[bytes | None], job: Job) -> Any:
    import pyarrow as pa

    ids = pa.array(queries, pa.int64() if job.kinds[0] == "integer" else pa.string())
    values = [pa.array(columns[str(m)], pa.float64()) for m in job.measures]
    return pa.RecordBatch.from_arrays([ids, *values, pa.array(partial, pa.binary())], ["query", *map(str, job.measures), PARTIAL])  # fmt: skip


def _values(rows: Any, job: Job, found: Partial) -> Values | None:
    """The values of the queries of a partition; what they come to is put into `found`."""
    import pyarrow.compute as pc

    if not rows.num_rows:
        return None
    is_run = pc.equal(rows.column(SIDE), 1)
    judgments, ranking = rows.filter(pc.invert(is_run)), rows.filter(is_run)
    found.judgments, found.rows = judgments.num_rows, ranking.num_rows
    found.some = _few(judgments), _few(ranking)
    judged = _judged(judgments, ranking, job)
    found.queries, found.answered, found.hits = len(judged), int(judged.answered.sum()), len(judged.query)
    found.tally.add(w for w in judged.warnings if w.slug != "no-overlap")  # which only all partitions can tell
    if not len(judged):
        return None
    values = evaluate(judged, measures=list(job.measures), profile=job.profile)
    found.tally.add(values.warnings[len(judged.warnings) :])
    for m in job.measures:
        found.moments[str(m)] = Moments()
        found.moments[str(m)].add(summand(values.columns[str(m)], m.definition.summary))
    if COVERAGE in values.coverage:
        found.share = ExactSum()
        found.share.add(parse("Judged@10").on(judged))
    return values


def _few(rows: Any) -> tuple[Id, ...]:
    import pyarrow.compute as pc

    return tuple(pc.unique(rows.column("query").slice(0, 1000)).drop_null().to_pylist()[:3])


def _judged(judgments: Any, ranking: Any, job: Job) -> Judged:
    """The join of a partition.

    A query of our own stands on both sides, so that neither is ever empty and they always have one in common: what must not be so of all
    may well be so of a part. It is taken away before anything is measured.
    """
    own = _own(judgments, ranking, job)
    qrels = _qrels(_with(judgments, own, 0), job)
    run = as_batches(_columns(_with(ranking, own, 1), job.run), job.run)
    judged = join(qrels, run, profile=job.profile, **job.policy)
    return judged.select([row for row, query in enumerate(judged.queries) if query != own])


def _own(judgments: Any, ranking: Any, job: Job) -> Any:
    """An id that no query has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    there = pa.chunked_array([*judgments.column("query").chunks, *ranking.column("query").chunks])
    if job.kinds[0] == "integer":
        known = set(pc.unique(there).to_pylist())
        return next(number for number in range(len(known) + 1) if number not in known)
    return "~" * (1 + (pc.max(pc.binary_length(there)).as_py() or 0))


def _with(rows: Any, own: Any, side: int) -> Any:
    """The rows, and one of the query of our own: a document is judged, and another one retrieved."""
    import pyarrow as pa

    doc = side if pa.types.is_integer(rows.schema.field("doc").type) else "judged" if side == 0 else "retrieved"
    entry = {"query": own, "doc": doc, "number": 1.0, "rank": 1, "aspect": "1"}
    row = [pa.array([entry.get(known.name)], known.type) for known in rows.schema]
    return pa.concat_tables([rows, pa.Table.from_arrays(row, schema=rows.schema)])


def _columns(rows: Any, layout: SparkColumns) -> Any:
    """The columns of one side."""
    return rows.select([NUMBER.get(role, role) for role in layout.column])


def _qrels(rows: Any, job: Job) -> Qrels:
    """The judgments: in their order, or where they have none in one that does not depend on chance."""
    rows = rows.sort_by(ORDER if ORDER in rows.column_names else "number")
    table = _columns(rows, job.qrels).rename_columns(list(job.qrels.column.values()))
    used = job.qrels.column.items()
    named: dict[str, Any] = {f"{role}_col": column for role, column in used if role != "grade" or not job.borrowed}
    with telling(table, job.qrels):
        qrels = read_qrels(table, **named, name=job.qrels.name)
    return replace(qrels, where=Somewhere(job.qrels.name))
