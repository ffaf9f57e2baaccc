"""Names of the steps that take time. The library only names them; the command line shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Report = Callable[[int, int], object]
Listener = Callable[[str], AbstractContextManager[Report]]

LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def step(name: str) -> Iterator[Report | None]:
    """Name the step that the block, or the decorated function, carries out.

    Yields a callback `report(done, total)`; None if nobody listens, as in other threads and processes.

    >>> with step("comparing") as report:
    ...     print(report)
    None
    """
    listener = LISTENER.get()
    if listener is None:
        yield None
    else:
        with listener(name) as report:
            yield report
