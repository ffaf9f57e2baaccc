"""What a process and all that it starts cost, daemons included: CPU, wall time, and memory. Linux only.

The harness declares itself the reaper of whatever its descendants leave behind, so nothing can slip out of the tree below it, and the
kernel's own account of ended children has the CPU time, with one exception: a parent that ignores SIGCHLD, as the daemon of pyspark does,
makes the kernel forget what its children took. These are looked at while they run.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

__all__ = ["Cost", "FailedError", "adopt", "memory_of", "run", "spent_below"]

PR_SET_CHILD_SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")
PAUSE = 0.02  # seconds between two looks at whether it has ended
SAMPLE = 0.2  # seconds between two looks at its memory, and at children that the kernel forgets
RARELY = 20  # times as long as a look takes, if that is more: the kernel counts the pages of a large process for a tenth of a second
GRACE = 60.0  # seconds for what a process leaves behind to end by itself
SPARE = 1.2e9  # bytes of the machine's memory that must stay free, or the contender is ended

CLASSES = {
    "deploy.SparkSubmit": "driver",
    "ExecutorBackend": "executor",
    "master.Master": "master",
    "worker.Worker": "worker",
}


class FailedError(Exception):
    """A process that ended with an error: the last line of what it said."""


@dataclass
class Cost:
    """CPU (user and system, of all processes) and wall seconds, and how many cores all else on the machine kept busy meanwhile.

    Where memory was looked at: the peak of the sum over all processes in MB, of what is not a file, and of each kind of process.
    """

    cpu: float = 0.0
    wall: float = 0.0
    others: float = 0.0
    peak: float = 0.0
    anonymous: float = 0.0
    kinds: dict[str, float] = field(default_factory=dict)


def adopt(cores: int) -> None:
    """Make this process the reaper of its descendants, and let all of them have so many cores."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "this process cannot become the reaper of its descendants")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def _interrupt(number: int, frame: object) -> NoReturn:
    """What was started is ended with the harness; a second signal does not disturb that."""
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(f"interrupted by {signal.Signals(number).name}: what was measured is kept, and --continue goes on with it")


def run(command: Sequence[str], folder: Path) -> tuple[Cost, str]:
    """One fresh process: what it and its descendants cost, and what it printed."""
    return _process(command, folder, sample=False)


def memory_of(command: Sequence[str], folder: Path) -> tuple[Cost, str]:
    """The same with its memory, looked at so often that its times do not count."""
    return _process(command, folder, sample=True)


def spent_below(root: int) -> float:
    """CPU seconds so far of all processes below one, with what their ended children took."""
    stats = (_stat(pid) for pid in _below(root))
    return sum(sum(map(int, stat[11:15])) for stat in stats if stat) / TICK


class _Forgotten:
    """CPU time of the processes whose parent ignores SIGCHLD, as of the last look; what they took after it is missing."""

    def __init__(self) -> None:
        self.ticks: dict[int, int] = {}

    def look(self) -> None:
        ignoring: dict[int, bool] = {}
        for pid in _below(os.getpid()):
            if stat := _stat(pid):
                parent = int(stat[1])
                if parent not in ignoring:
                    ignoring[parent] = _ignores_children(parent)
                if ignoring[parent] or pid in self.ticks:
                    self.ticks[pid] = sum(map(int, stat[11:15]))

    def wait(self) -> tuple[int, int]:
        """Reap a process, if one has ended; what the harness reaps is in the account of the kernel."""
        pid, status, _ = os.wait4(-1, os.WNOHANG)
        self.ticks.pop(pid, None)
        return pid, status

    def seconds(self) -> float:
        return sum(self.ticks.values()) / TICK


def _ignores_children(pid: int) -> bool:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (OSError, ProcessLookupError):
        return False
    ignored = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:"))
    return bool(ignored >> (signal.SIGCHLD - 1) & 1)


def _process(command: Sequence[str], folder: Path, *, sample: bool) -> tuple[Cost, str]:
    cost, before, busy, forgotten = Cost(), _spent(), _busy(), _Forgotten()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=_environment(), stdout=out, stderr=err)
        grace = 0.0
        try:
            status = _watch(process.pid, cost, forgotten, sample=sample)
            cost.wall, grace = time.perf_counter() - start, GRACE
        finally:
            _clear(grace, forgotten)
        process.returncode = status
        cost.cpu = _spent() - before + forgotten.seconds()
        cost.others = max(0.0, _busy() - busy - cost.cpu) / (time.perf_counter() - start)
        out.seek(0)
        err.seek(0)
        if status:
            raise FailedError(f"{_said(err.read())} (exit {status})")
        return cost, out.read()


def _environment() -> dict[str, str]:
    """That of the harness, with byte code written, and paths that hold in another folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if paths := environment.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(path).resolve()) for path in paths.split(os.pathsep))
    return environment


def _watch(main: int, cost: Cost, forgotten: _Forgotten, *, sample: bool) -> int:
    """Until the process ends. What its descendants leave behind is taken in meanwhile."""
    due = look = 0.0
    while True:
        pid, status = forgotten.wait()
        if pid == main:
            return os.waitstatus_to_exitcode(status)
        if pid:
            continue
        if time.perf_counter() >= look:
            forgotten.look()
            look = time.perf_counter() + SAMPLE
        if time.perf_counter() >= due:
            begun = time.perf_counter()
            if sample:
                _look(main, cost)
            took = time.perf_counter() - begun
            due = begun + took + (max(SAMPLE, RARELY * took) if sample else 1.0)
            if _available() < SPARE:
                raise FailedError("more memory than the machine has")
        time.sleep(PAUSE)


def _clear(grace: float, forgotten: _Forgotten) -> None:
    """No process is left below this one: those that do not end by themselves are ended."""
    deadline = time.perf_counter() + grace
    try:
        while True:
            if not forgotten.wait()[0]:
                forgotten.look()
                if time.perf_counter() > deadline:
                    _kill(_below(os.getpid()))
                time.sleep(PAUSE)
    except ChildProcessError:
        return


def _look(main: int, cost: Cost) -> None:
    """The proportional set sizes of all processes, added up: pages that several share are counted once."""
    kinds: dict[str, float] = {}
    anonymous = 0.0
    for pid in _below(os.getpid()):
        sizes, kind = _sizes(pid), "main" if pid == main else _kind(pid)
        kinds[kind] = kinds.get(kind, 0.0) + sizes.get("Pss", 0.0)
        anonymous += sizes.get("Pss_Anon", 0.0)
    cost.peak, cost.anonymous = max(cost.peak, sum(kinds.values())), max(cost.anonymous, anonymous)
    for kind, size in kinds.items():
        cost.kinds[kind] = max(cost.kinds.get(kind, 0.0), size)


def _kind(pid: int) -> str:
    """What a process is to Spark, or its program."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ProcessLookupError):
        return "ended"
    program = words.partition("\0")[0].rpartition("/")[2]
    return next((kind for name, kind in CLASSES.items() if name in words), program) if program == "java" else program


def _sizes(pid: int) -> dict[str, float]:
    """MB by name; nothing of a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except (OSError, ProcessLookupError):
        return {}
    cells = (line.split() for line in lines)
    return {name.rstrip(":"): int(value) * 1024 / 1e6 for name, value, _ in cells}


def _below(root: int) -> Iterator[int]:
    """All processes below one, nearest first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    level = children.get(root, [])
    while level:
        yield from level
        level = [child for pid in level for child in children.get(pid, [])]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/…/stat from the state on, and the name last; nothing of a process that has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (OSError, ProcessLookupError):
        return []
    name, _, rest = text.partition("(")[2].rpartition(")")
    return [*rest.split(), name]


def _kill(pids: Iterator[int]) -> None:
    for pid in list(pids):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _busy() -> float:
    """CPU seconds that the whole machine has spent."""
    user, nice, system, _, _, irq, soft, *_ = Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
    return sum(map(int, (user, nice, system, irq, soft))) / TICK


def _available() -> float:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024.0
    return float("inf")


def _said(text: str) -> str:
    """The last line that tells what went wrong; Java's ends with where."""
    lines = [
        line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("at ", "..."))
    ]
    return lines[-1][:300] if lines else "nothing was said"
