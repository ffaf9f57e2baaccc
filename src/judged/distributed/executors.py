"""The executor that runs a task on every partition by threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from judged.core.native import CORES
from judged.core.parts.run import Item, Task
from judged.errors import UsageError, shown


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process. Reading and counting release the interpreter lock.

    Args:
        count: number of threads; None for one per core.
    """

    count: int | None = None
    in_process: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.count is not None and (type(self.count) is not int or self.count < 1):
            problem = f"number of workers must be an integer ≥ 1 or None, got {shown(self.count)}"
            raise UsageError("parameter", problem, value=self.count)

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.count or CORES

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """Yield the results in the order of the items, as they are ready; only a few are held, since each may be large."""
        count = min(self.threads, max(len(items), 1))
        if count == 1:
            yield from map(task, items)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(count) as pool:
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
