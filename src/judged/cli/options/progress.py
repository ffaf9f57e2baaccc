"""Progress bar on standard error, if that is a terminal and the work takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_PATIENCE = 1.0


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback `report(done, total)`; None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    begin = time.monotonic()
    with ExitStack() as stack:
        shown: list[Any] = []

        def report(done: int, size: int) -> None:
            if not shown and done < size and time.monotonic() - begin > _PATIENCE:
                from rich.console import Console
                from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

                columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
                shown.append(stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True)))
                shown[0].add_task(label, total=size)
            if shown:
                shown[0].update(shown[0].task_ids[0], completed=done, total=size)

        yield report
