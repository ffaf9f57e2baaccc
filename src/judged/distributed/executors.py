"""What carries out a task on every part of a run: threads or processes here, Spark there, or anything with a `map`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from judged.core.numeric.native import usable_cores
from judged.core.parts.run import Item, Task
from judged.errors import EngineError, UsageError

__all__ = ["Executor", "Processes", "Threads"]


@runtime_checkable
class Executor(Protocol):
    """Anything that carries out a task on every item, anywhere, and hands the results back in the order of the items.

    A task and its items can be pickled; a task may be carried out again, and gives the same.
    """

    def map(self, task: Task, items: Sequence[Item]) -> Iterable[Any]:
        """`task(item)` for each item."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process: what reads and what counts leaves the interpreter to the others meanwhile."""

    count: int | None = None

    def __post_init__(self) -> None:
        _check_count(self.count)

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """The results, as they come, in the order of the items."""
        count = min(self.count or usable_cores(), max(len(items), 1))
        if count == 1:
            return map(task, items)
        return _in_order(ThreadPoolExecutor(count), task, items, count)


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine, for parts that take long to read in Python; each is given the task once."""

    count: int | None = None

    def __post_init__(self) -> None:
        _check_count(self.count)

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """The results, as they come, in the order of the items."""
        from multiprocessing import get_context

        count = min(self.count or usable_cores(), max(len(items), 1))
        pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_take, initargs=(task,))
        try:
            yield from _in_order(pool, _carry_out, items, count)
        except BrokenProcessPool as error:
            raise EngineError("engine", "worker processes that live until the work is done", got="one that died", hint="was there too little memory? try fewer: Processes(1)") from error  # fmt: skip


def _in_order(pool: Pool, task: Callable[[Item], Any], items: Sequence[Item], count: int) -> Iterator[Any]:
    """Results in order; few of them wait, since each may be large."""
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
        raise UsageError("workers", "a number of workers from 1, or None for all cores", got=repr(count), value=count)


_task: Task | None = None  # of a worker process


def _take(task: Task) -> None:
    global _task
    _task = task


def _carry_out(item: Item) -> Any:
    assert _task is not None
    return _task(item)
