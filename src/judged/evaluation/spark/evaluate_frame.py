"""An evaluation that stays in Spark: for judgments or values that no one machine should hold."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any, Unpack

from judged.core.policy import Policy, PolicyOptions
from judged.distributed.spark.executor import Spark
from judged.distributed.spark.pickling import unpack
from judged.distributed.spark.table import table_of
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import DEFAULT, Measures, parse_measures
from judged.evaluation.measuring.column import check_strict
from judged.evaluation.options import check_options, policy_of
from judged.evaluation.spark.frame_values import FrameValues
from judged.evaluation.spark.per_partition import PARTIAL, Job, Partial
from judged.evaluation.spark.union import Judgments, judgments_of, together
from judged.io.tables.spark_frames import talking
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure

__all__ = ["evaluate_frame"]


def evaluate_frame(
    qrels: Any,
    run: Any,
    measures: Measures = DEFAULT,
    *,
    session: Any = None,
    partitions: int | None = None,
    level: float | None = None,
    strict: bool = False,
    profile: str = "trec_eval-10",
    **policy: Unpack[PolicyOptions],
) -> FrameValues:
    """Values of millions of queries as a Spark DataFrame, with exact means and intervals, none of them collected.

    Judgments and rankings are brought together by query (a shuffle of the run), and every partition is evaluated by the code of `evaluate`: so
    judgments may be as large as runs, every repeated document is found, and `duplicates` may be kept. The values have the bits that
    `evaluate` gives.

    Args:
        qrels: judgments in any form that `read_qrels` takes, or a Spark DataFrame.
        run: a Spark DataFrame.
        measures: as in `evaluate`.
        session: the session, or a `Spark` that says how workers come by judged; without it the session of the run.
        partitions: how many there are after the shuffle, each of which a worker holds in memory; else as the session says.
        level: the lowest grade that counts as relevant.
        strict: turn every warning into an error.
        profile: the conventions of another tool, see `PROFILES`.
        policy: answers to the open questions, see `Policy`.

    Raises:
        EngineError: Spark could not do it.
    """
    chosen = find_profile(profile)
    check_options(policy, (*PolicyOptions.__annotations__, "prepared"))
    wanted = _measures(parse_measures(measures, chosen, level))
    rules = policy_of(chosen, policy)
    executor = session if isinstance(session, Spark) else Spark(session)
    table = table_of(run, {}, "run", executor)
    _refuse_order(rules, "run", {"order": ("input",), "ties": ("input",), "duplicates": ("first",)})
    judgments = judgments_of(qrels, table.executor.active())
    if not judgments.ordered:
        _refuse_order(rules, judgments.layout.name, {"rejudged": ("first", "last")})
    table.refuse_kinds(judgments.kinds)
    loose = replace(rules, queries="judged") if rules.queries == "strict" else rules  # only all partitions can tell
    options = {name: getattr(loose, name) for name in Policy.__dataclass_fields__}
    job = Job(wanted, profile, options, judgments.layout, table.layout, judgments.borrowed, table.kinds)
    function = table.executor.function("queries", job)
    with talking():
        rows = together(judgments, table, partitions).mapInArrow(function, _schema(job)).persist()
    try:
        with talking():
            found = rows.filter(rows[PARTIAL].isNotNull()).select(PARTIAL).toArrow()
            values = rows.filter(rows[PARTIAL].isNull()).drop(PARTIAL)
        total = _merged([unpack(value.as_buffer()) for value in found.column(0)], judgments, rules)
        check_strict(total.tally.warnings() if strict else ())
    except BaseException:
        with suppress(Exception):  # the first error counts
            rows.unpersist()
        raise
    return FrameValues(
        frame=values,
        kept=rows,
        measures=wanted,
        moments=total.moments,
        queries=total.queries,
        policy=rules,
        profile=profile,
        names=(judgments.layout.name, table.layout.name),
        coverage={} if total.share is None else {"judged@10": total.share.mean()},
        warnings=total.tally.warnings(),
    )


def _measures(wanted: list[Measure]) -> tuple[Measure, ...]:
    if texts := [str(m) for m in wanted if m.definition.text]:
        raise UsageError("unsuitable-measure", f"{texts[0]} is text, and values on Spark are numbers", value=texts[0])
    return tuple(dict.fromkeys(wanted))


def _refuse_order(policy: Policy, name: str, answers: dict[str, tuple[str, ...]]) -> None:
    for question, refused in answers.items():
        if (answer := getattr(policy, question)) in refused:
            raise UsageError("order", f"{question} by what is in the rows: a table of a database has no order", got=repr(answer), where=name)  # fmt: skip


def _schema(job: Job) -> Any:
    types = import_module("pyspark.sql.types")
    columns = {"query": types.LongType() if job.kinds[0] == "integer" else types.StringType()}
    columns |= {str(m): types.DoubleType() for m in job.measures} | {PARTIAL: types.BinaryType()}
    return types.StructType([types.StructField(name, kind) for name, kind in columns.items()])


def _merged(parts: list[Partial], judgments: Judgments, policy: Policy) -> Partial:
    """What all partitions come to; errors are those of the ordinary join."""
    total = Partial()
    for part in sorted(parts, key=lambda part: part.number):
        if part.error is not None:
            raise part.error
        total.merge(part)
    ours, theirs = (", ".join(map(shown, queries)) for queries in total.some)
    if not total.judgments:
        raise DataError("empty-qrels", "at least one judgment", got="none", where=judgments.layout.name)
    if not total.rows:
        raise DataError("empty-run", "at least one ranking", got="none", where="run")
    if not total.answered:
        raise DataError("no-common-query", f"queries of the judgments ({ours} …)", got=f"only others ({theirs} …)",
                        hint="are these the judgments for this run?", where="run")  # fmt: skip
    missing = total.tally.counts.get("query-missing")
    if missing is not None and policy.queries == "strict":
        raise DataError("query-missing", f"a ranking for each of {total.queries} judged queries", got=f"none for {missing[0]}: {missing[2]}",
                        hint="queries='judged' counts them as 0, queries='both' leaves them out", where="run")  # fmt: skip
    if not total.hits:
        total.tally.add([Warned("no-overlap", 1, "no document of run is judged for its query; are the document ids the same?")])  # fmt: skip
    total.tally.add(judgments.warnings)
    return total
