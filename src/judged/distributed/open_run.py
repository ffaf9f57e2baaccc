"""Open a run for a join: decide once whether it is scanned in place, read into memory, or partitioned, and by which executor."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from judged.core.parts.local import LocalPartitions
from judged.core.parts.run import Executor, PartitionedRun
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import Hint, UsageError, shown
from judged.io.read import is_partitioned, is_spark, open_whole_run, read_qrels, read_run

__all__ = ["open_inputs", "open_run"]


def open_run(source: Any, engine: Any = None) -> Run | UnreadRun:
    """Open a run, to be joined with judgments. A run that is already open is returned unchanged unless an engine is given.

    Args:
        source: anything that `read_run` accepts; several files; a dataset, a lazy frame, a Spark DataFrame.
        engine: `memory`: one process that may hold the whole run; `local`: partitions, by threads of this process; `spark`: partitions, by
            the active Spark session; or an executor. None: partitions if the source has several files or is a dataset or lazy frame.
    """
    if isinstance(source, PartitionedRun):
        return source if engine is None else _with_executor(source, _executor(engine))
    if is_spark(source):
        return _open_spark_table(source, engine)
    partitioned = is_partitioned(source)
    if engine == "memory" or (engine is None and not partitioned):
        return read_run(source) if partitioned else open_whole_run(source)
    executor = _executor("local" if engine is None else engine)
    run = _open_partitions(source)
    return _with_executor(run, executor) if isinstance(run, PartitionedRun) else run


def open_inputs(qrels: Any, source: Any, engine: Any = None) -> tuple[Qrels, Run | UnreadRun]:
    """Read judgments and open a run.

    Raises:
        UsageError: the run is in Spark, and the judgments are too many to be sent to every worker.
    """
    judgments: Any = qrels if is_spark(qrels) else read_qrels(qrels)
    run = open_run(source, engine)
    if isinstance(run, PartitionedRun) and not isinstance(run.partitions, LocalPartitions):
        from judged.distributed.spark.table import check_judgments

        check_judgments(int(judgments.count()) if is_spark(judgments) else len(judgments), run.name)
    return read_qrels(judgments), run


def _open_partitions(source: Any) -> Run | UnreadRun:
    from judged.io.parts.parts import open_partitions

    is_open = isinstance(source, UnreadRun | Run)
    run = None if is_open and not source.path else open_partitions(source.path, name=source.name) if is_open else open_partitions(source)
    if run is None and isinstance(source, str | os.PathLike):
        return open_whole_run(source)  # which reads other formats and names errors
    if run is None:
        raise UsageError("engine", f"a run in memory (a {type(source).__name__}) cannot be evaluated by an engine",
                         hint=Hint("omit {engine}: in-memory runs are evaluated in process", engine=None))  # fmt: skip
    return run


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
        from judged.distributed.spark.executor import Spark

        return Spark()
    if isinstance(engine, Executor) and not isinstance(engine, type):
        return engine
    problem = f"engine must be memory, local, spark or an object with map(task, items), got {shown(engine)}"
    raise UsageError("engine", problem, value=engine)


def _open_spark_table(frame: Any, engine: Any) -> Run | UnreadRun:
    if engine == "memory":
        return open_whole_run(frame)
    from judged.distributed.spark.executor import Spark
    from judged.distributed.spark.table import table_run

    if not (engine is None or engine == "spark" or isinstance(engine, Spark)):
        problem = f"engine must be spark, Spark(session) or memory for a Spark DataFrame, got {shown(engine)}"
        raise UsageError("engine", problem, value=engine)
    return table_run(frame, executor=engine if isinstance(engine, Spark) else None)
