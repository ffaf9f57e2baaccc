"""Partitioned runs: too large for memory, or stored on many machines. A rank is a count, and counts of partitions add up.

Each partition is scanned twice: first for its judged documents (`pass_one.py`), then, with those of all partitions known, for the number of its
documents that beat each of them (`pass_two.py`). Nothing is sorted, and only hits and counts are collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from judged.core.tables import IdColumn, Run, unknown_row
from judged.core.unread_runs import UnreadRun
from judged.errors import EngineError, JudgedError, Place

if TYPE_CHECKING:
    from judged.core.parts.pass_one import LocatedHits, LocateHits

Result = TypeVar("Result")

MAX_UNJUDGED = 1 << 16  # queries without judgments that are counted exactly; a run may have millions
ROW_BITS = 36  # of a position; the bits above are the partition's number. Together 53: a position is exact as a double


class Part(Protocol):
    """A partition of a run that can be scanned any number of times. It is small and can be pickled."""

    @property
    def size(self) -> int:
        """The amount of work, in bytes, approximately: the unit of progress."""
        ...

    def batches(self) -> Iterator[Run | UnreadRun]:
        """The rows in their order, the same each time. A batch is not empty, and is released before the next is requested."""
        ...


Item = tuple[int, Part]  # a partition with its number
Task = Callable[[Item], Any]


@runtime_checkable
class Executor(Protocol):
    """Anything that runs a task on every item, anywhere, and returns the results in the order of the items.

    A task and its items can be pickled. A task may run again, with the same result.
    """

    def map(self, task: Task, items: Sequence[Item]) -> Iterable[Any]:
        """Return `task(item)` for each item."""
        ...


class Partitions(Protocol):
    """The partitions of a run and the way to run tasks on them: local files with an executor, or a Spark table."""

    @property
    def ordered(self) -> bool:
        """True if the order of the rows has a meaning; False for a table of a database."""
        ...

    @property
    def in_process(self) -> bool:
        """True if tasks run in this process, and share its memory."""
        ...

    @property
    def sizes(self) -> Sequence[int]:
        """The size of each partition; empty if they are not known in advance."""
        ...

    def map(self, task: Task) -> Iterable[Any]:
        """Return the result of the task on each partition, in their order. Results of a task with `merge` may arrive merged."""
        ...

    def locate(self, task: LocateHits) -> LocatedHits | None:
        """Locate the judged documents in a faster way than by `map`; None if there is none."""
        ...

    def place(self, position: int, name: str) -> Place:
        """Return the place of a row of the run of this name."""
        ...


@dataclass(frozen=True, slots=True)
class LocalPartitions:
    """Partitions that any executor can reach.

    Args:
        parts: the partitions, in the order of the run.
        executor: runs tasks; None: one after the other, in this thread.
    """

    parts: tuple[Part, ...]
    executor: Executor | None = None

    ordered = True

    @property
    def sizes(self) -> Sequence[int]:
        return [part.size for part in self.parts]

    @property
    def in_process(self) -> bool:
        return self.executor is None or bool(getattr(self.executor, "in_process", False))

    def map(self, task: Task) -> Iterator[Any]:
        """Yield the results in order.

        Raises:
            EngineError: a worker died; with the first partition that has no result, which may be the one it was reading.
        """
        items, done = list(enumerate(self.parts)), 0
        try:
            results: Any = map(task, items) if self.executor is None else self.executor.map(task, items)
            with closing(results) if hasattr(results, "close") else nullcontext():
                for result in results:
                    yield result
                    done += 1
        except RuntimeError as error:
            from concurrent.futures import BrokenExecutor

            if not isinstance(error, BrokenExecutor):
                raise
            problem = f"a worker died, and partition {done + 1} of {len(self.parts)} is lost"
            file = getattr(next(iter(self.parts[done:]), None), "file", None)
            hint = "use fewer workers if memory is short: the system ends processes that need too much"
            raise EngineError(
                "engine", problem, where=None if file is None else file.path, value=done + 1, hint=hint
            ) from error

    def locate(self, task: LocateHits) -> LocatedHits | None:
        return None

    def place(self, position: int, name: str) -> Place:
        """Return the place of a row; the batches of its partition are read up to it."""
        number, row = position >> ROW_BITS, position & ((1 << ROW_BITS) - 1)
        for batch in self.parts[number].batches():
            run = batch.read() if isinstance(batch, UnreadRun) else batch
            if row < len(run.query):
                return run.where(row)
            row -= len(run.query)
        return Place(name)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PartitionedRun(UnreadRun):
    """A run in partitions. `read` loads all of it into memory."""

    partitions: Partitions

    def map(self, task: PartTask[Result], progress: Callable[[int], object] | None = None) -> Iterator[Result]:
        """Run a task on every partition, and yield the results in their order.

        Args:
            task: the task.
            progress: called with the number of bytes done so far.

        Raises:
            JudgedError: the first error that a task returned; what follows is not run.
            EngineError: fewer or more results than partitions.
        """
        ends = np.cumsum(self.partitions.sizes, dtype=np.int64).tolist()
        results, count = self.partitions.map(task), 0
        try:
            for result in results:
                if isinstance(result, JudgedError):
                    raise result
                count += getattr(result, "parts", 1)
                yield result
                if progress is not None and 0 < count <= len(ends):
                    progress(ends[count - 1])
        finally:
            if hasattr(results, "close"):
                results.close()  # now, not when it is collected: it may have threads
        if ends and count != len(ends):  # a lost partition would silently change the numbers
            raise EngineError(
                "engine",
                f"the executor returned {count} results for {len(ends)} partitions",
                where=self.name,
                hint="return task(item) for every item from map(task, items), in their order",
            )


class PartTask(Generic[Result]):
    """Something to do with each partition. It is pickled without its cached properties.

    A `JudgedError` is returned as a result, whatever executor runs the task; `PartitionedRun.map` raises it.
    """

    def __call__(self, item: Item) -> Result | JudgedError:
        number, part = item
        try:
            return self.on(part, number << ROW_BITS)
        except JudgedError as error:
            return error

    def on(self, part: Part, position: int) -> Result:
        """Return the result for a partition whose first row is at this position."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True)
class TakeQueries(PartTask[list[Run]]):
    """Return the rows of some queries of a partition."""

    queries: frozenset[bytes]

    def on(self, part: Part, position: int) -> list[Run]:
        kept = []
        for batch in part.batches():
            run = batch.read() if isinstance(batch, UnreadRun) else batch
            wanted = np.array([raw in self.queries for raw in run.queries.tolist()], dtype=bool)
            rows = run.take(wanted[run.query])
            kept.append(replace(rows, doc=rows.doc.compact(), where=partial(unknown_row, run.name)))
        return kept


def read_queries(run: PartitionedRun, queries: Iterable[bytes]) -> Run:
    """Read the rows of some queries of a partitioned run; they no longer have places in a file."""
    kept = [rows for part in run.map(TakeQueries(frozenset(queries))) for rows in part]
    return concatenate_runs(kept, run.name, partial(unknown_row, run.name))


def concatenate_runs(runs: Sequence[Run], name: str, where: Callable[[int], Place]) -> Run:
    """Return the rows of several runs as one run."""
    code: dict[bytes, int] = {}
    query = []
    for run in runs:
        codes = [code.setdefault(raw, len(code)) for raw in run.queries.tolist()]
        query.append(np.array(codes, np.int64)[run.query])
    ranks = [run.rank for run in runs if run.rank is not None]
    return Run(
        name=name,
        queries=IdColumn.of(code),
        query=np.concatenate(query),
        doc=IdColumn.concatenate([run.doc.compact() for run in runs]),
        query_kind=runs[0].query_kind,
        doc_kind=runs[0].doc_kind,
        score=np.concatenate([run.score for run in runs]),
        rank=np.concatenate(ranks) if len(ranks) == len(runs) else None,
        tag=runs[-1].tag,
        where=where,
        scored=runs[0].scored,
        warnings=tuple(dict.fromkeys(warning for run in runs for warning in run.warnings)),
    )
