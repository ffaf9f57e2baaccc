"""Open a run for a join: decide once whether it is scanned in place, read into memory, or partitioned, and by which executor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from judged.core.parts.run import Executor, LocalPartitions, PartitionedRun
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import Hint, UsageError, shown
from judged.io.columns import ANY_COLUMNS, ColumnRequest
from judged.io.files import PATH
from judged.io.read import open_whole_run, read_requested_qrels, read_requested_run
from judged.io.recognise import is_dataset, is_lazy, is_spark, recognise


def open_run(source: Any, engine: Any = None, columns: ColumnRequest = ANY_COLUMNS) -> Run | UnreadRun:
    """Open a run, to be joined with judgments. A run that is already open is returned unchanged unless an engine is given.

    Args:
        source: anything that `read_run` accepts; several files; a dataset, a lazy frame, a Spark DataFrame.
        engine: `memory`: one process that can hold the whole run; `local`: partitions, by threads of this process; `spark`: partitions, by
            the active Spark session; or an executor. None: partitions if the source has several files or is a dataset or lazy frame.
        columns: columns that the caller named.
    """
    found = recognise(source)
    source, partitioned = found.source, found.kind == "partitions"
    if isinstance(source, PartitionedRun):
        return source if engine is None else _with_executor(source, _executor(engine))
    if found.kind == "spark":
        return _open_spark_table(source, engine, columns)
    if engine == "memory" or (engine is None and not partitioned):
        return _open_whole(source, columns, read=partitioned)
    from judged.io.partitions import open_partitions

    executor, request = _executor("local" if engine is None else engine), columns.request("run")
    if (is_dataset(source) or is_lazy(source)) and not getattr(executor, "in_process", False):
        hint = Hint("omit {engine}, or write it to files first", engine=None)
        raise UsageError("engine", "a dataset or a lazy frame is evaluated in this process", hint=hint)
    opened = isinstance(source, UnreadRun | Run)
    files, name = (source.path, source.name) if opened else (source, None)
    run = None if files is None else open_partitions(files, request, name)
    if run is not None:
        return _with_executor(run, executor)
    if isinstance(source, PATH):
        return _open_whole(source, columns)  # which reads other formats and names errors
    problem = f"a run in memory ({type(source).__name__}) cannot be evaluated by an engine"
    raise UsageError("engine", problem, hint=Hint("omit {engine}", engine=None))


def open_qrels(source: Any, runs: Iterable[object], columns: ColumnRequest = ANY_COLUMNS) -> Qrels:
    """Read the judgments of open runs.

    Raises:
        UsageError: a run is in Spark, and the judgments are too many to be sent to every worker.
    """
    request = columns.request("qrels")
    judgments: Any = source if is_spark(source) else read_requested_qrels(source, request)
    for run in runs:
        if isinstance(run, PartitionedRun) and not isinstance(run.partitions, LocalPartitions):
            from judged.distributed.spark_table import check_judgments

            check_judgments(int(judgments.count()) if is_spark(judgments) else len(judgments), run.name)
    return read_requested_qrels(judgments, request)


def _open_whole(source: Any, columns: ColumnRequest, *, read: bool = False) -> Run | UnreadRun:
    """Open a run in one piece; it is read if columns or a split are named, which the native core does not know."""
    if read or columns.named or columns.split:
        return read_requested_run(source, columns.request("run"))
    return open_whole_run(source)


def _with_executor(run: PartitionedRun, executor: Executor) -> PartitionedRun:
    """Return the run with another executor; a Spark table keeps its own."""
    if not isinstance(run.partitions, LocalPartitions):
        return run
    return replace(run, partitions=replace(run.partitions, executor=executor))


def _executor(engine: Any) -> Executor:
    if engine == "local":
        from judged.distributed.executors import Threads

        return Threads()
    if engine == "spark":
        from judged.distributed.spark_executor import Spark

        return Spark()
    if isinstance(engine, Executor) and not isinstance(engine, type):
        return engine
    problem = f"engine must be memory, local, spark or an object with map(task, items), got {shown(engine)}"
    raise UsageError("engine", problem, value=engine)


def _open_spark_table(frame: Any, engine: Any, columns: ColumnRequest) -> Run | UnreadRun:
    if engine == "memory":
        return _open_whole(frame, columns)
    from judged.distributed.spark_executor import Spark
    from judged.distributed.spark_table import table_run

    if not (engine is None or engine == "spark" or isinstance(engine, Spark)):
        problem = f"engine must be spark, Spark(session) or memory for a Spark DataFrame, got {shown(engine)}"
        raise UsageError("engine", problem, value=engine)
    request = columns.request("run")
    found = {role: request.named_column(role, frame.columns) for role in request.named}
    named = {role: name for role, name in found.items() if name is not None}
    if columns.used is not None:
        columns.used.roles.update(named)
        columns.used.names.update(dict.fromkeys(frame.columns))
    return table_run(frame, named, executor=engine if isinstance(engine, Spark) else None)
