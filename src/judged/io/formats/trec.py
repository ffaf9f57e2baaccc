"""TREC runs and judgments. A run in a plain file is mapped and left to the native core; nothing is copied."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, NoReturn

import numpy as np

from judged._types import Bytes
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import TrecLines, UnreadRun
from judged.errors import FileError, Place
from judged.io.files.source import CHANGED, HEAD, PAD, Content, Raw, raise_file_error
from judged.io.formats.registry import FORMATS, Detected, FileFormat, TextChunks
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.text.encoding import WHOLE, Begin, check_end, text_start
from judged.io.text.lines import Head
from judged.io.text.trec import parse_qrels, parse_run, raise_text
from judged.io.text.trec_columns import QRELS, RUN, is_trec_line

Counted = Callable[[], Begin]  # the beginning of a stretch: its lines are counted only when a message needs them


def _detect(head: Head, request: ColumnRequest) -> bool:
    return request.is_ranking and not request.named and is_trec_line(head.line, RUN if request.what == "run" else QRELS)


def read_trec(content: Content, detected: Detected | None, context: Context) -> Run | Qrels:
    """Read a run or judgments."""
    parse = parse_run if context.request.what == "run" else parse_qrels
    return parse(content.read(), content.name)


def _unread(content: Content, read: Callable[[], Run]) -> UnreadRun | None:
    if b"\n" not in content.head or content.file is None:
        return unread_bytes(content.read(), content.name)
    status = os.fstat(content.file.fileno())
    start = text_start(content.head, content.name)
    stamp = (status.st_size, status.st_mtime_ns)
    path = os.fsdecode(content.file.name)
    return unread_lines(content.name, read, partial(map_file, path, content.name, start, stamp), content.last_byte())


def _read_chunks(chunks: TextChunks, header: Any, context: Context) -> Iterator[Run | UnreadRun]:
    for data, begin in chunks:
        unread = unread_bytes(data, context.name, begin)
        yield parse_run(data, context.name, begin=begin) if unread is None else unread


TREC = FORMATS.add(FileFormat("TREC", 20, _detect, read_trec, read_chunks=_read_chunks, unread=_unread))


# ── lines for the native core ────────────────────────────────────────────────────────────────────


def unread_bytes(data: Raw, name: str, begin: Begin | None = None) -> TrecLines | None:
    """Return TREC lines in memory for the native core: a whole file, or a stretch of one."""
    if data.find(b"\n") < 0:
        return None
    array = np.frombuffer(data, np.uint8)[: -len(PAD)]
    opened = partial(nullcontext, (array, text_start(data, name, begin or WHOLE)))
    read = partial(parse_run, data, name, begin=begin)
    return unread_lines(name, read, opened, bytes(data[-9:-8]), lambda: begin or WHOLE)


def unread_lines(
    name: str, read: Callable[[], Run], opened: Any, last: bytes, begin: Counted = lambda: WHOLE
) -> TrecLines:
    """Return TREC lines for the native core, with the functions that report what is wrong with a line."""
    return TrecLines(
        name=name, read=read, open=opened, raise_line=partial(_raise_line, name, begin),
        place=partial(_place, name, begin), warnings=check_end(last, name),
    )  # fmt: skip


@contextmanager
def map_file(
    path: str | os.PathLike[str], name: str, start: int, stamp: tuple[int, int], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Bytes, int]]:
    """Map a file, and check that it was neither replaced nor written to since it was opened first."""
    before = begin % mmap.ALLOCATIONGRANULARITY
    length = 0 if end is None else end - begin + before

    def check(file: int) -> None:
        status = os.fstat(file)
        if (status.st_size, status.st_mtime_ns) != stamp:
            raise_file_error(name, CHANGED, "read it when it is complete")

    try:
        with open(path, "rb") as raw:  # noqa: PTH123
            check(raw.fileno())
            view = mmap.mmap(raw.fileno(), length, access=mmap.ACCESS_READ, offset=begin - before)
            yield np.frombuffer(view, np.uint8)[before:], start
            check(raw.fileno())
    except OSError as error:
        if isinstance(error, FileError):
            raise
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise_file_error(name, error)


def _place(name: str, begin: Counted, data: Bytes, at: int) -> Place:
    step = 1 << 24
    newlines = sum(int((data[i : min(i + step, at)] == 10).sum()) for i in range(0, at, step))
    return Place(name, begin().lines + newlines + 1)


def _raise_line(name: str, begin: Counted, data: Bytes, at: int, first: bool) -> NoReturn:
    """Report the line that begins at this byte of a stretch, as the parser does."""
    end = at
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + HEAD] == 10)).size:
        end += HEAD
    end = min(end + int(newline[0]) + 1 if newline.size else len(data), len(data))
    offset, line = begin().offset, _place(name, begin, data, at).line or 1
    raise_text(data[at:end].tobytes(), name, offset + at, line, first=first and not offset)
