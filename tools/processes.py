"""A process for each piece of work, forked from this one, with limits of time and memory."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn, TypeVar

Piece = TypeVar("Piece")
_MEMORY = 6 << 30
_LONGEST = 600  # seconds of waiting, for one that sleeps


def fork_each(
    pieces: Iterable[Piece],
    work: Callable[[Piece], str | None],
    done: Callable[[Piece, str, str, float], None],
    workers: int,
    seconds: float,
) -> None:
    """Call `work`, which returns what killed the piece or None, in a fork for each; begin no more after these seconds.

    `done` gets the piece, "killed", "survived" or "timeout", what killed it, and its processor time.
    """
    waiting, living, stop = list(pieces)[::-1], dict[int, tuple[Piece, str, float]](), time.time() + seconds
    while living or (waiting and time.time() < stop):
        while waiting and len(living) < workers and time.time() < stop:
            piece, place = waiting.pop(), tempfile.mkdtemp(prefix="mutant-")
            pid = os.fork()
            if not pid:
                _child(place, work, piece)
            living[pid] = piece, place, time.time()
        pid, status, used = os.wait4(-1, os.WNOHANG)
        if not pid:
            for late in [pid for pid, (_, _, since) in living.items() if time.time() - since > _LONGEST]:
                os.kill(late, signal.SIGKILL)
            time.sleep(0.005)
            continue
        piece, place, _ = living.pop(pid)
        note = Path(place, "killer")
        killer = note.read_text(encoding="utf-8") if note.exists() else "?"
        shutil.rmtree(place, ignore_errors=True)
        verdict = "timeout" if os.WIFSIGNALED(status) else "killed" if killer else "survived"
        done(piece, verdict, killer, used.ru_utime + used.ru_stime)


def _child(place: str, work: Callable[[Piece], str | None], piece: Piece) -> NoReturn:
    try:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = tempfile.tempdir = place
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        Path(place, "killer").write_text(work(piece) or "", encoding="utf-8")
    finally:
        os._exit(0)


def limit(seconds: float) -> None:
    """End this process if it uses ten times these seconds of processor time, plus five, from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + 10 * seconds + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
