"""Executors that run a task on every partition: threads or processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from judged.core.native import usable_cores
from judged.core.parts.run import Item, Task
from judged.errors import UsageError, shown

if TYPE_CHECKING:
    from concurrent.futures import Executor as Pool


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process. Reading and counting release the interpreter lock.

    Args:
        count: number of threads; None for one per core.
    """

    count: int | None = None
    in_process: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_count(self.count)

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.count or usable_cores()

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """Yield the results in the order of the items, as they are ready."""
        count = min(self.threads, max(len(items), 1))
        if count == 1:
            return map(task, items)
        from concurrent.futures import ThreadPoolExecutor

        return _in_order(ThreadPoolExecutor(count), task, items, count)


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine, for partitions that are slow to read in Python; each receives the task once.

    Args:
        count: number of processes; None for one per core.
    """

    count: int | None = None

    def __post_init__(self) -> None:
        _check_count(self.count)

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """Yield the results in the order of the items, as they are ready."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        count = min(self.count or usable_cores(), max(len(items), 1))
        pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_set_task, initargs=(task,))
        return _in_order(pool, _run_task, items, count)


def _in_order(pool: Pool, task: Callable[[Item], Any], items: Sequence[Item], count: int) -> Iterator[Any]:
    """Yield results in order; only a few are held, since each may be large."""
    with pool:
        waiting: deque[Any] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(task, item))
                if len(waiting) > count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _check_count(count: int | None) -> None:
    if count is not None and (type(count) is not int or count < 1):
        raise UsageError(
            "parameter", f"number of workers must be an integer ≥ 1 or None, got {shown(count)}", value=count
        )


_task: Task | None = None  # of a worker process


def _set_task(task: Task) -> None:
    global _task
    _task = task


def _run_task(item: Item) -> Any:
    assert _task is not None
    return _task(item)
