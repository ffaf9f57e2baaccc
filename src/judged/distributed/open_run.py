"""A run of any kind, opened for a join: as it lies, or in parts with something that carries the work out."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from judged.core.parts.run import PartitionedRun
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import UsageError, shown
from judged.io.read import is_partitioned, is_spark, open_whole_run, read_run

if TYPE_CHECKING:
    from judged.distributed.executors import Executor

__all__ = ["open_run"]


def open_run(run: Any, engine: Any = None) -> Run | UnreadRun:
    """The run, to be joined.

    Args:
        run: in any form that `read_run` takes; several files; a dataset, a lazy frame, a Spark DataFrame.
        engine: `memory`: one process that may hold all of it; `local`: in parts, by threads of this process; `spark`: in parts, by the
            active Spark session; or an executor. Without it: in parts where the run comes in parts, else as ever.
    """
    if isinstance(run, PartitionedRun):
        return run if engine is None else _carried(run, _executor(engine))
    if is_spark(run):
        return _spark_table(run, engine)
    if engine is None and not is_partitioned(run):
        return open_whole_run(run)
    if engine == "memory":
        return read_run(run) if is_partitioned(run) else open_whole_run(run)
    executor = _executor("local" if engine is None else engine)
    parts = _parts(run)
    return _carried(parts, executor) if isinstance(parts, PartitionedRun) else parts


def _parts(run: Any) -> Run | UnreadRun:
    from judged.io.parts.parts import open_partitions

    named = isinstance(run, UnreadRun | Run)
    parts = open_partitions(run.path, name=run.name) if named and run.path else None if named else open_partitions(run)
    if parts is None and isinstance(run, str | os.PathLike):
        return open_whole_run(run)  # what it is, or why it cannot be read, is said there
    if parts is None:
        raise UsageError("engine", "a run in files, a dataset, a lazy frame or a Spark DataFrame, for an engine", got=f"a {type(run).__name__}", hint="leave engine= away: what is in memory is evaluated there")  # fmt: skip
    return parts


def _carried(run: PartitionedRun, executor: Executor) -> PartitionedRun:
    from judged.core.parts.whole_queries import in_buckets

    if run.carries_itself:
        return run
    run = replace(run, carry=executor.map)
    return replace(run, gather=partial(in_buckets, run))


def _executor(engine: Any) -> Executor:
    from judged.distributed.executors import Executor, Threads

    if engine == "local":
        return Threads()
    if engine == "spark":
        from judged.distributed.spark.executor import Spark

        return Spark()
    if isinstance(engine, Executor) and not isinstance(engine, type):
        return engine
    raise UsageError(
        "engine", "memory, local, spark, or an object with map(task, items)", got=shown(engine), value=engine
    )


def _spark_table(frame: Any, engine: Any) -> Run | UnreadRun:
    if engine == "memory":
        return open_whole_run(frame)
    from judged.distributed.spark.executor import Spark
    from judged.distributed.spark.table import table_run

    if not (engine is None or engine == "spark" or isinstance(engine, Spark)):
        raise UsageError(
            "engine", "spark, Spark(session) or memory, for a Spark DataFrame", got=shown(engine), value=engine
        )
    return table_run(frame, executor=engine if isinstance(engine, Spark) else None)
