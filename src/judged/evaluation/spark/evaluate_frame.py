"""Evaluation that stays in Spark, for judgments or values too large for one machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any, Unpack

from judged.core.find.hits import raise_no_common_query
from judged.core.join.warnings import no_overlap, raise_missing_queries
from judged.core.parts.find import check_order
from judged.core.policy import Policy, PolicyOptions
from judged.distributed.spark.executor import Spark
from judged.distributed.spark.table import SparkTable, open_table
from judged.distributed.spark.worker import unpack
from judged.errors import DataError, UsageError
from judged.evaluation.evaluate import DEFAULT, Measures, parse_measures
from judged.evaluation.measuring.column import check_strict
from judged.evaluation.options import check_options, policy_of
from judged.evaluation.spark.frame_values import FrameValues
from judged.evaluation.spark.per_partition import PARTIAL, Job, Partial, evaluate_partition
from judged.evaluation.spark.union import SparkJudgments, open_judgments, union_by_query
from judged.io.tables.spark_frames import talking
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure


def evaluate_frame(
    qrels: Any, run: Any, measures: Measures = DEFAULT, *, session: Any = None, partitions: int | None = None,
    level: float | None = None, strict: bool = False, profile: str = "trec_eval-10", **policy: Unpack[PolicyOptions],
) -> FrameValues:  # fmt: skip
    """Evaluate millions of queries on Spark: values as a DataFrame, with exact means and intervals; no values are collected.

    Judgments and rankings are joined by query on the cluster (a shuffle of the run), and every partition is evaluated by the code of
    `evaluate`. So judgments may be as large as runs, every duplicate is detected, and `duplicates="best"` is possible. The values are
    bit-identical to those of `evaluate`.

    Args:
        qrels: anything that `read_qrels` accepts, or a Spark DataFrame.
        run: a Spark DataFrame.
        measures: as in `evaluate`.
        session: the session, or a `Spark` executor, which can ship judged to the workers; None for the session of the run.
        partitions: number of partitions after the shuffle; each must fit into the memory of a worker. None for the default of the session.
        level: lowest relevant grade.
        strict: turn every warning into an error.
        profile: the conventions of another tool, see `PROFILES`.
        policy: policies, see `Policy`.

    Raises:
        EngineError: Spark failed.
    """
    chosen = find_profile(profile)
    check_options(policy, PolicyOptions.__annotations__)
    parsed = _check_measures(parse_measures(measures, chosen, level, given=policy))
    rules = policy_of(chosen, policy)
    table = open_table(run, {}, "run", session if isinstance(session, Spark) else Spark(session))
    judgments = open_judgments(qrels, table.executor.active())
    rows = _start(judgments, table, partitions, parsed, profile, rules)
    try:
        with talking():
            partials = rows.filter(rows[PARTIAL].isNotNull()).select(PARTIAL).toArrow()
            values = rows.filter(rows[PARTIAL].isNull()).drop(PARTIAL)
        total = _merge([unpack(value.as_buffer()) for value in partials.column(0)], judgments, rules)
        check_strict(total.tally.warnings() if strict else ())
    except BaseException:
        with suppress(Exception):  # the first error counts
            rows.unpersist()
        raise
    return FrameValues(
        frame=values, kept=rows, measures=parsed, moments=total.moments, queries=total.queries, policy=rules, profile=profile,
        names=(judgments.columns.name, table.columns.name), warnings=total.tally.warnings(),
        coverage={} if total.share is None else {"judged@10": total.share.mean()},
    )  # fmt: skip


def _start(
    judgments: SparkJudgments, table: SparkTable, partitions: int | None, measures: tuple[Measure, ...], profile: str, policy: Policy
) -> Any:  # fmt: skip
    """Return the DataFrame of values and partial results, which Spark computes when it is first used."""
    for own in (policy, *(replace(policy, **dict(m.policy)) for m in measures)):
        check_order(own, "run", {"order": ("input",), "ties": ("input",), "duplicates": ("first",)})
    if not judgments.ordered:
        check_order(policy, judgments.columns.name, {"rejudged": ("first", "last")})
    table.check_kinds(judgments.kinds)
    loose = replace(policy, queries="judged") if policy.queries == "strict" else policy  # one partition does not know
    job = Job(measures, profile, loose, judgments.columns, table.columns, judgments.borrowed, table.kinds)
    function = table.executor.function(evaluate_partition, job)
    with talking():
        return union_by_query(judgments, table, partitions).mapInArrow(function, _schema(job)).persist()


def _check_measures(measures: list[Measure]) -> tuple[Measure, ...]:
    if texts := [str(m) for m in measures if m.definition.text]:
        raise UsageError("unsuitable-measure", f"{texts[0]} is text, and values on Spark are numbers", value=texts[0])
    return tuple(dict.fromkeys(measures))


def _schema(job: Job) -> Any:
    types = import_module("pyspark.sql.types")
    columns = {"query": types.LongType() if job.kinds[0] == "integer" else types.StringType()}
    columns |= {str(m): types.DoubleType() for m in job.measures} | {PARTIAL: types.BinaryType()}
    return types.StructType([types.StructField(name, kind) for name, kind in columns.items()])


def _merge(partials: list[Partial], judgments: SparkJudgments, policy: Policy) -> Partial:
    """Add up all partitions; errors and warnings are those of the ordinary join."""
    total = Partial()
    for partial in sorted(partials, key=lambda partial: partial.number):
        if partial.error is not None:
            raise partial.error
        total.merge(partial)
    if not total.judgments:
        raise DataError("empty-qrels", "the input has no judgments", where=judgments.columns.name)
    if not total.answered:
        raise_no_common_query(total.judged_queries, "run", total.run_queries)
    missing = total.tally.counts.get("query-missing")
    if missing is not None and policy.queries == "strict":
        raise_missing_queries(total.queries, f"{missing[0]}, such as {missing[2]}", "run")
    if total.retrieved and not total.hits:
        total.tally.add([no_overlap("run")])
    total.tally.add(judgments.warnings)
    return total
