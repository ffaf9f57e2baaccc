"""The Spark executor: runs tasks on the workers of a session and collects their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from uuid import uuid4

from judged.core.parts.run import Item, Task
from judged.distributed.spark.bootstrap import worker_function
from judged.distributed.spark.worker import merge_results, pack, run_on_items, unpack
from judged.errors import UsageError
from judged.io.frames import MISSING, talking

EntryPoint = Callable[[Iterator[Any], str, bytes], Iterator[Any]]

RESULTS = "number long, result binary"
SMALL_RESULT = 1 << 18  # counters; larger results are merged on the cluster
MERGED = 64  # consecutive results that are merged into one
MERGERS = 8  # tasks that merge


@dataclass(frozen=True, slots=True)
class Spark:
    """The workers of a Spark session, classic or Spark Connect: one Spark task per partition of a run.

    Results do not depend on where tasks run, nor on how often Spark restarts one. The Python of the workers needs numpy, pyarrow and the
    same version of judged, unless judged is shipped.

    Args:
        session: the session; None for the active one.
        ship: send judged to the workers, with its native library; if that does not load there, the reference is used.
    """

    session: Any = None
    ship: bool = False

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """Run the task on each item, and return the results in their order."""
        if not items:
            return iter(())
        function = self.function(run_on_items, (task, list(items)))
        with talking():
            rows = self.active().range(0, len(items), numPartitions=len(items))
            return self.collect(rows.mapInArrow(function, RESULTS), task, len(items))

    def collect(self, results: Any, task: Task, count: int | None = None) -> Iterator[Any]:
        """Return the results of tasks in order. Large ones are merged on the cluster, so that the driver's memory does not depend on their number."""
        large = getattr(task, "weight", 0) > SMALL_RESULT and (count is None or count > MERGED)
        with talking():
            if large:
                group = (results["number"] / MERGED).cast("long")
                merge = self.function(merge_results, (task, MERGED))
                results = results.repartition(MERGERS, group).mapInArrow(merge, RESULTS)
            return _in_order(results.toArrow())

    def active(self) -> Any:
        """Return the session.

        Raises:
            UsageError: PySpark is not installed, or no session is active.
        """
        if self.session is not None:
            return self.session
        try:
            with talking():
                session = import_module("pyspark.sql").SparkSession.getActiveSession()
        except ImportError as error:
            raise UsageError(
                "needs", "PySpark is not installed", hint="install it with pip install judged[spark]"
            ) from error
        if session is None:
            raise UsageError(
                "no-session",
                "no Spark session is active",
                hint="create one: SparkSession.builder.master('local[*]').getOrCreate(), or .remote('sc://host')",
            )
        return session

    def function(self, entry: EntryPoint, argument: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
        """Return a function for `mapInArrow`: an entry point, imported on the worker by its dotted name, with its argument."""
        from judged._version import __version__

        folder = None
        if self.ship:
            from judged.distributed.spark.ship_package import ship

            folder = ship(self.active())
        name = f"{entry.__module__}.{entry.__qualname__}"
        return worker_function(name, uuid4().hex, pack(argument), __version__, folder, MISSING)


def _in_order(rows: Any) -> Iterator[Any]:
    """Yield the results of a job by their numbers; raise an error that a task raised."""
    numbers, results = rows.column(0).to_pylist(), rows.column(1)
    for row in sorted(range(len(numbers)), key=numbers.__getitem__):
        succeeded, result = unpack(results[row].as_buffer())
        if not succeeded:
            raise result
        yield result
