"""What a process costs: CPU and wall time, and memory, its own and the files'.

All that `run.py` imports is the standard library alone: Linux counts a parent's memory into the peak of its
child until the child's own program starts, so the parent has to be smaller than any child.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "FailedError", "Memory", "memory_of", "run"]

MB = 1e6
PAUSE = 0.001  # seconds between two looks at a process


class FailedError(Exception):
    """A process that ended with an error: the last line of what it said."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system, of all threads and children), wall seconds, and peak memory in MB."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True)
class Memory:
    """Peaks in MB: all that was resident; anonymous memory; mapped files, libraries included."""

    peak: float
    anonymous: float
    mapped: float

    def beyond(self, base: Memory) -> float:
        """Anonymous memory that a process needs beyond a smaller one: mapped files are not part of it.

        A look may miss a peak of less than a millisecond. `peak`, which the kernel keeps, bounds it from above. It cannot be had by taking
        mapped files from `peak`: a file may be mapped for a shorter time than looks are apart.
        """
        return max(0.0, self.anonymous - base.anonymous)


def run(command: Sequence[str], folder: Path, *, inside: bool = False) -> tuple[Cost, str]:
    """One fresh process: its cost, and what it printed. `inside`: it timed a part of itself, and says so in JSON."""
    cost, text = _process(command, folder)
    if inside:
        said = json.loads(text)
        cost = Cost(said["cpu"], said["wall"], cost.peak)
    return cost, text


def memory_of(command: Sequence[str], folder: Path) -> Memory:
    """The memory of one fresh process, looked at every millisecond: too often for its time to count."""
    peaks = {"RssAnon": 0.0, "RssFile": 0.0}

    def look(pid: int) -> None:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in peaks:
                peaks[name] = max(peaks[name], _megabytes(int(value.split()[0])))

    cost, _ = _process(command, folder, look)
    return Memory(cost.peak, peaks["RssAnon"], peaks["RssFile"])


def _process(command: Sequence[str], folder: Path, look: Callable[[int], None] | None = None) -> tuple[Cost, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        ended = 0
        while not ended:
            if look:
                look(process.pid)
                time.sleep(PAUSE)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG if look else 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            said = err.read().strip().splitlines() or ["nothing was said"]
            raise FailedError(f"{said[-1]} (exit {process.returncode})")
        return Cost(usage.ru_utime + usage.ru_stime, wall, _megabytes(usage.ru_maxrss)), out.read()


def _megabytes(kibibytes: int) -> float:
    return kibibytes * 1024 / MB
