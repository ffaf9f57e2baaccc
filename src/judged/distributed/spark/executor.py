"""Spark as what carries out the work: tasks go to its workers, results come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from uuid import uuid4

from judged.core.parts.run import Item, Task
from judged.distributed.spark.bootstrap import worker
from judged.distributed.spark.pickling import pack, unpack
from judged.errors import UsageError
from judged.io.tables.spark_frames import MISSING, talking

__all__ = ["Spark"]

RESULTS = "number long, result binary"
LIGHT = 1 << 18  # counters of a result that need not be added up before they travel
TOGETHER = 64  # results that follow each other and are added up
ADDERS = 8  # tasks that do it


@dataclass(frozen=True, slots=True)
class Spark:
    """The workers of a Spark session, classic or Spark Connect: one task of Spark for each part of a run.

    Results do not depend on where tasks run, nor on how often Spark has to begin one again. Workers need numpy and pyarrow, in the Python
    that Spark runs there; and judged, in the same version, unless it is sent along.

    Args:
        session: the session; without it the active one.
        ship: send judged along with the work, with its native library; where that does not load, the reference does its work.
    """

    session: Any = None
    ship: bool = False

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """`task(item)` for each item, in their order."""
        if not items:
            return iter(())
        function = self.function("items", (task, list(items)))
        with talking():
            rows = self.active().range(0, len(items), numPartitions=len(items))
            return self.collected(rows.mapInArrow(function, RESULTS), task, len(items))

    def collected(self, results: Any, task: Task, count: int | None = None) -> Iterator[Any]:
        """The results of tasks, in order. Large ones that can be added up are, in the cluster: what comes here does not grow with their number."""
        large = getattr(task, "weight", 0) > LIGHT and (count is None or count > TOGETHER)
        with talking():
            if large:
                group = (results["number"] / TOGETHER).cast("long")
                results = results.repartition(ADDERS, group).mapInArrow(
                    self.function("together", (task, TOGETHER)), RESULTS
                )
            return in_order(results.toArrow())

    def active(self) -> Any:
        """The session.

        Raises:
            UsageError: there is none.
        """
        if self.session is not None:
            return self.session
        try:
            with talking():
                found = import_module("pyspark.sql").SparkSession.getActiveSession()
        except ImportError as error:
            raise UsageError("needs", "PySpark", got="none", hint="pip install judged[spark]") from error
        if found is None:
            raise UsageError("no-session", "an active Spark session", got="none",
                             hint="make one: SparkSession.builder.master('local[*]').getOrCreate(), or .remote('sc://host')")  # fmt: skip
        return found

    def function(self, entry: str, given: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
        """A function for `mapInArrow`: an entry of `_spark_worker`, with what it needs."""
        from judged._version import __version__

        folder = None
        if self.ship:
            from judged.distributed.spark.ship_package import shipped

            folder = shipped(self.active())
        return worker(entry, uuid4().hex, pack(given), __version__, folder, MISSING)


def in_order(found: Any) -> Iterator[Any]:
    """The results of a job by their numbers; an error that a task raised is raised."""
    numbers, results = found.column(0).to_pylist(), found.column(1)
    for row in sorted(range(len(numbers)), key=numbers.__getitem__):
        done, result = unpack(results[row].as_buffer())
        if not done:
            raise result
        yield result
