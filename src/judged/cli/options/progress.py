"""The step that a command is at, on standard error, if that is a terminal and the command takes more than a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TextIO

from judged.errors import safe
from judged.steps import LISTENER, Report

_PATIENCE, _PERIOD = 1.0, 0.25  # seconds
_ERASE = "\r\x1b[K"


@contextmanager
def show_steps(stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Show the steps of the block on a terminal, and erase them; on anything else write nothing.

    Args:
        stream: where to write. [default: standard error]
        clock: returns the time in seconds.
    """
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    line, ended = _StepLine(stream, clock), Event()
    thread = Thread(target=_refresh, args=(line, ended), daemon=True)  # a step may take minutes without a word
    token = LISTENER.set(line.step)
    thread.start()
    try:
        yield
    finally:
        LISTENER.reset(token)
        ended.set()
        thread.join()


def _refresh(line: _StepLine, ended: Event) -> None:
    while not ended.wait(_PERIOD):
        line.draw()


class _StepLine:
    """The last line of a terminal, with the innermost step. It is empty during the first second, and between steps."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream, self._clock, self._begin, self._lock = stream, clock, clock(), Lock()
        self._steps: list[str] = []
        self._share = self._shown = ""

    @contextmanager
    def step(self, name: str) -> Iterator[Report]:
        """Show a step while it lasts; yields a callback that adds the share that is done."""
        begin = self._clock()
        self._change(lambda: self._steps.append(safe(name)))
        try:
            yield lambda done, total: self._report(done, total, begin)
        finally:
            self._change(self._steps.pop)

    def _change(self, change: Callable[[], object]) -> None:
        with self._lock:
            change()
            self._share = ""
        self.draw()

    def _report(self, done: int, total: int, begin: float) -> None:
        left = (self._clock() - begin) * (total - done) / done if done > 0 else 0.0
        ahead = f", {_duration(left)} left" if left >= 1 else ""
        self._share = f": {done / total:.0%}{ahead}" if total > 0 else ""
        self.draw()

    def draw(self) -> None:
        """Write the line if it changed."""
        with self._lock:
            text = f"{self._steps[-1]}{self._share} …" if self._steps else ""
            if not self._shown and (not text or self._clock() - self._begin < _PATIENCE):
                return
            import shutil

            text = text[: shutil.get_terminal_size().columns - 1]
            if text != self._shown:
                self._stream.write(f"{_ERASE}{text}")
                self._stream.flush()
                self._shown = text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
