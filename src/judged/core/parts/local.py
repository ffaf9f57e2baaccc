"""Partitions in files or in memory, and an executor that runs tasks on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.parts.run import ROW_BITS, Executor, Item, Part, Task
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import EngineError, Place

if TYPE_CHECKING:
    from judged.core.parts.pass_one import LocatedHits, LocateHits

_BUCKET = 64 << 20  # bytes of partitions that are regrouped at a time


class InTurn:
    """Runs a task on one item after the other, in this thread."""

    in_process = True
    threads = 1

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        return map(task, items)


_IN_TURN = InTurn()


@dataclass(frozen=True, slots=True)
class LocalPartitions:
    """Partitions that any executor can reach.

    Args:
        parts: the partitions, in the order of the run.
        whole: True if no query spans two of them.
        ordered: True if the order of the rows has a meaning.
        executor: runs tasks.
    """

    parts: tuple[Part, ...]
    whole: bool = False
    ordered: bool = True
    executor: Executor = _IN_TURN

    @property
    def sizes(self) -> Sequence[int]:
        return [part.size for part in self.parts]

    @property
    def mapped(self) -> bool:
        """True if tasks run in this process on texts that are mapped, so that a scan that stops early costs little."""
        return self.in_process and all(getattr(part, "mapped", False) for part in self.parts)

    @property
    def in_process(self) -> bool:
        """True if tasks run in this process, and share its memory."""
        return bool(getattr(self.executor, "in_process", False))

    def map(self, task: Task) -> Iterator[Any]:
        """Yield the results in order.

        Raises:
            EngineError: a worker died; with the first partition that has no result, which may be the one it was reading.
        """
        done = 0
        try:
            results: Any = self.executor.map(task, list(enumerate(self.parts)))
            with closing(results) if hasattr(results, "close") else nullcontext():
                for result in results:
                    yield result
                    done += 1
        except RuntimeError as error:
            from concurrent.futures import BrokenExecutor

            if not isinstance(error, BrokenExecutor):
                raise
            raise EngineError(
                "engine",
                f"a worker died, and partition {self._name(done)} is lost",
                value=done + 1,
                hint="use fewer workers if memory is short: the system ends processes that need too much",
            ) from error

    def _name(self, number: int) -> str:
        file = getattr(self.parts[number], "file", None) if number < len(self.parts) else None
        return f"{number + 1} of {len(self.parts)}{f' ({file.name})' if file is not None else ''}"

    def locate(self, task: LocateHits) -> LocatedHits | None:
        return None

    def regroup(self) -> LocalPartitions:
        """Return buckets of queries; each scans all partitions, and is small enough to be held in memory."""
        buckets = max(1, math.ceil(sum(self.sizes) / _BUCKET))
        parts = tuple(Bucket(self.parts, number, buckets) for number in range(buckets))
        return replace(self, parts=parts, whole=True)

    def place(self, position: int, name: str) -> Place:
        """Return the place of a row; the batches of its partition are read up to it."""
        number, row = position >> ROW_BITS, position & ((1 << ROW_BITS) - 1)
        for batch in self.parts[number].batches():
            run = batch.read() if isinstance(batch, UnreadRun) else batch
            if row < len(run):
                return run.where(row)
            row -= len(run)
        return Place(name)


@dataclass(frozen=True, slots=True)
class Bucket:
    """The rows of all partitions whose queries hash into one of several buckets."""

    parts: tuple[Part, ...]
    number: int
    buckets: int

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def batches(self) -> Iterator[Run]:
        from judged.core.parts.whole_queries import select_queries

        for part in self.parts:
            for batch in part.batches():
                run = batch.read() if isinstance(batch, UnreadRun) else batch
                yield select_queries(run, run.queries.hash() % np.uint64(self.buckets) == self.number)
