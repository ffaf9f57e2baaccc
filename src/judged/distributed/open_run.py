"""Open a run for a join: decide once whether it is scanned in place, read into memory, or partitioned, and by which executor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from judged.core.parts.run import Executor, LocalPartitions, PartitionedRun
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import Hint, UsageError, shown
from judged.io.columns import ANY_COLUMNS, ColumnRequest
from judged.io.files import PATH
from judged.io.open_table import open_whole_run
from judged.io.read import read_requested_run
from judged.io.recognise import is_dataset, is_lazy, recognise


def open_run(source: Any, engine: Any = None, columns: ColumnRequest = ANY_COLUMNS) -> Run | UnreadRun:
    """Open a run, to be joined with judgments. A run that is already open is returned unchanged unless an engine is given.

    Args:
        source: anything that `read_run` accepts; several files; a dataset, a lazy frame, a Spark DataFrame.
        engine: `memory`: one process that can hold the whole run; `local`: partitions, by threads of this process; `spark`: partitions, by
            the active Spark session; or an executor. None: partitions if the source has several files or is a dataset or lazy frame.
        columns: columns that the caller named.
    """
    found, request = recognise(source), columns.request("run")
    source, partitioned = found.source, found.kind == "partitions"
    if isinstance(source, PartitionedRun):
        return source if engine is None else _with_executor(source, _executor(engine))
    if found.kind == "spark" and engine != "memory":
        return _open_spark_table(source, _executor("spark" if engine is None else engine), request)
    if engine == "memory" or (engine is None and not partitioned):
        return read_requested_run(source, request) if partitioned else open_whole_run(source, columns)
    from judged.io.partitions import open_partitions

    executor = _executor("local" if engine is None else engine)
    if (is_dataset(source) or is_lazy(source)) and not getattr(executor, "in_process", False):
        hint = Hint("omit {engine}, or write it to files first", engine=None)
        raise UsageError("engine", "a dataset or a lazy frame is evaluated in this process", hint=hint)
    opened = isinstance(source, UnreadRun | Run)
    files, name = (source.path, source.name) if opened else (source, None)
    run = None if files is None else open_partitions(files, request, name)
    if run is not None:
        return _with_executor(run, executor)
    if isinstance(source, PATH):
        return open_whole_run(source, columns)  # which reads other formats and names errors
    problem = f"an engine cannot evaluate a run in memory ({type(source).__name__})"
    raise UsageError("engine", problem, hint=Hint("omit {engine}", engine=None))


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


def _open_spark_table(frame: Any, executor: Executor, request: ColumnRequest) -> PartitionedRun:
    from judged.distributed.spark_executor import Spark
    from judged.distributed.spark_table import table_run

    if not isinstance(executor, Spark):
        problem = f"engine must be spark, Spark(session) or memory for a Spark DataFrame, got {shown(executor)}"
        raise UsageError("engine", problem, value=executor)
    return table_run(frame, request, executor)
