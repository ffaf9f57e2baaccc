"""TREC lines as the native core takes them: mapped files and text in memory; nothing is copied."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core import Lines, Run
from judged.errors import FileError, Place
from judged.sources._encoding import Raw, text_start, unfinished
from judged.sources._file import PAD, Source, compression, source_name
from judged.sources._layout import RUN
from judged.sources._sniff import first_line, is_trec
from judged.sources._trec import refuse_text, run_of

__all__ = ["lines_in", "lines_of"]

Bytes = NDArray[np.uint8]

_HEAD = 1 << 16


def lines_of(source: Source, read: Callable[[], Run]) -> Lines | None:
    """A plain file on disk with TREC lines; None where it is anything else, or cannot be told by its beginning."""
    if source == "-":
        return None
    path, name = Path(os.fsdecode(source)), source_name(source)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
            raw.seek(-1, os.SEEK_END)
            last = raw.read(1)
    except (OSError, ValueError):
        return None  # whoever reads it says why
    line, _ = first_line(head + PAD)
    if compression(head) or b"\n" not in head or not is_trec(line, RUN):
        return None
    start = text_start(head, name)
    opened = partial(_mapped, path, name, start, (status.st_size, status.st_mtime_ns))
    return _lines(name, read, opened, last)


def lines_in(data: Raw, name: str) -> Lines | None:
    """TREC lines that are in memory already."""
    if data.find(b"\n") < 0:
        return None
    array = np.frombuffer(data, np.uint8)[: -len(PAD)]
    opened = partial(nullcontext, (array, text_start(data, name)))
    return _lines(name, partial(run_of, data, name), opened, bytes(data[-9:-8]))


def _lines(name: str, read: Callable[[], Run], opened: Any, last: bytes) -> Lines:
    return Lines(
        name=name,
        read=read,
        opened=opened,
        refuse=partial(_refuse, name),
        place=partial(_place, name),
        warnings=unfinished(last, name),
    )


@contextmanager
def _mapped(path: Path, name: str, start: int, stamp: tuple[int, int]) -> Iterator[tuple[Bytes, int]]:
    """The file's bytes, which are those of the file that was looked at: neither replaced nor written to since."""

    def check(file: int) -> None:
        status = os.fstat(file)
        if (status.st_size, status.st_mtime_ns) != stamp:
            reason = "the file changed while it was read"
            raise FileError("io", "a file that can be read", got=reason, where=name, hint="read it when it is complete")

    try:
        with path.open("rb") as raw:
            check(raw.fileno())
            yield np.frombuffer(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ), np.uint8), start
            check(raw.fileno())
    except OSError as error:
        if isinstance(error, FileError):
            raise
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise FileError("io", "a file that can be read", got=error.strerror or str(error), where=name) from error


def _place(name: str, data: Bytes, at: int) -> Place:
    step = 1 << 24
    return Place(name, 1 + sum(int((data[i : min(i + step, at)] == 10).sum()) for i in range(0, at, step)))


def _refuse(name: str, data: Bytes, begin: int, first: bool) -> NoReturn:
    """What the reader says of the line that begins here."""
    end = begin
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + _HEAD] == 10)).size:
        end += _HEAD
    end = min(end + int(newline[0]) + 1 if newline.size else len(data), len(data))
    refuse_text(data[begin:end].tobytes(), name, begin, _place(name, data, begin).line or 1, first=first)
