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

from judged._types import Bytes
from judged.core.tables import Run
from judged.core.unread_runs import TrecLines
from judged.errors import FileError, Place
from judged.io.files.source import PAD, Source, compression, source_name
from judged.io.formats.trec import refuse_text, run_of
from judged.io.text.detect import first_line, is_trec
from judged.io.text.encoding import WHOLE, Begin, Raw, text_start, unfinished
from judged.io.text.trec_columns import RUN

__all__ = ["Counted", "lines", "lines_in", "lines_of", "mapped"]

Counted = Callable[[], Begin]  # where a stretch begins: its lines are counted when they are asked for

_HEAD = 1 << 16


def lines_of(source: Source, read: Callable[[], Run]) -> TrecLines | None:
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
    opened = partial(mapped, path, name, start, (status.st_size, status.st_mtime_ns))
    return lines(name, read, opened, last)


def lines_in(data: Raw, name: str, begin: Begin | None = None) -> TrecLines | None:
    """TREC lines that are in memory already: all of a file, or a stretch."""
    if data.find(b"\n") < 0:
        return None
    array = np.frombuffer(data, np.uint8)[: -len(PAD)]
    opened = partial(nullcontext, (array, text_start(data, name, begin or WHOLE)))
    return lines(name, partial(run_of, data, name, begin=begin), opened, bytes(data[-9:-8]), lambda: begin or WHOLE)


def lines(name: str, read: Callable[[], Run], opened: Any, last: bytes, begin: Counted = lambda: WHOLE) -> TrecLines:
    """What the native core needs of TREC lines."""
    return TrecLines(
        name=name,
        read=read,
        opened=opened,
        refuse=partial(_refuse, name, begin),
        place=partial(_place, name, begin),
        warnings=unfinished(last, name),
    )


@contextmanager
def mapped(
    path: Path, name: str, start: int, stamp: tuple[int, int], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Bytes, int]]:
    """The file's bytes, which are those of the file that was looked at: neither replaced nor written to since."""
    before = begin % mmap.ALLOCATIONGRANULARITY
    length = 0 if end is None else end - begin + before

    def check(file: int) -> None:
        status = os.fstat(file)
        if (status.st_size, status.st_mtime_ns) != stamp:
            reason = "the file changed while it was read"
            raise FileError("io", "a file that can be read", got=reason, where=name, hint="read it when it is complete")

    try:
        with path.open("rb") as raw:
            check(raw.fileno())
            view = mmap.mmap(raw.fileno(), length, access=mmap.ACCESS_READ, offset=begin - before)
            yield np.frombuffer(view, np.uint8)[before:], start
            check(raw.fileno())
    except OSError as error:
        if isinstance(error, FileError):
            raise
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise FileError("io", "a file that can be read", got=error.strerror or str(error), where=name) from error


def _place(name: str, begin: Counted, data: Bytes, at: int) -> Place:
    step = 1 << 24
    newlines = sum(int((data[i : min(i + step, at)] == 10).sum()) for i in range(0, at, step))
    return Place(name, begin().lines + newlines + 1)


def _refuse(name: str, begin: Counted, data: Bytes, at: int, first: bool) -> NoReturn:
    """What the reader says of the line that begins at this byte of a stretch."""
    end = at
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + _HEAD] == 10)).size:
        end += _HEAD
    end = min(end + int(newline[0]) + 1 if newline.size else len(data), len(data))
    offset, line = begin().offset, _place(name, begin, data, at).line or 1
    refuse_text(data[at:end].tobytes(), name, offset + at, line, first=first and not offset)
