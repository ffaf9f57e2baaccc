"""TREC runs and judgments. A run in a plain file is mapped and left to the native core; nothing is copied."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from judged._types import Bytes, Ints
from judged.core.tables import NO_SUBTOPIC, Qrels, Run
from judged.core.text_rows import read_rows, row_begins
from judged.core.unread_runs import Layout, Opened, TextRun, UnreadRun
from judged.errors import FileError, Place
from judged.io.files.source import CHANGED, HEAD, PAD, Content, Raw, raise_file_error
from judged.io.formats.registry import FORMATS, Detected, FileFormat, TextChunks
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.text.encoding import WHOLE, Begin, check_end, text_start
from judged.io.text.lines import Head
from judged.io.text.trec import parse_qrels, parse_run, raise_text
from judged.io.text.trec_columns import QRELS, RUN, is_trec_line

_RUN: Layout = {"source": "trec"}
_JUDGMENTS: Layout = {"source": "trec_judgments"}
Counted = Callable[[], Begin]  # the beginning of a stretch: its lines are counted only when a message needs them


def _detect(head: Head, request: ColumnRequest) -> bool:
    return request.is_ranking and not request.named and is_trec_line(head.line, RUN if request.what == "run" else QRELS)


def read_trec(content: Content, detected: Detected | None, context: Context) -> Run | Qrels:
    """Read a run or judgments."""
    is_run = context.request.what == "run"
    layout = _RUN if is_run else _JUDGMENTS
    opened = _opener(content)
    with _map_content(content) or opened() as (data, start):
        rows = read_rows(data, start, layout)
        if rows is None:
            return (parse_run if is_run else parse_qrels)(content.read(), content.name)
        end = check_end(data[-1:].tobytes(), content.name)
        keys: dict[str, Any] = {"name": content.name, "queries": rows.queries, "query": rows.query, "doc": rows.doc}
        keys |= {"where": TextPlaces(content.name, opened, layout), "warnings": end}
        if not is_run:
            plain = len(rows.aspect) == 1 and rows.aspect[0] in NO_SUBTOPIC
            return Qrels(**keys, grade=rows.number, aspect=None if plain else rows.aspects())
        wrong = None
        if rows.rank is None:
            _, cell = _parse_row(data, int(row_begins(data, start, layout)[rows.unranked])).wrong_rank or ("", "")
            wrong = keys["where"](rows.unranked), cell
        tag = _parse_row(data, rows.last).tag
        return Run(**keys, score=rows.number, rank=rows.rank, wrong_rank=wrong, tag=tag)


def _opener(content: Content) -> Callable[[], Opened]:
    """Return a function that returns the text of a file, mapped if it is a plain file, and the number of bytes to skip."""
    if content.file is None or b"\n" not in content.head:
        return partial(nullcontext, _in_memory(content.read(), content.name))
    path = Path(os.fsdecode(content.file.name))
    return partial(map_file, path, content.name, text_start(content.head, content.name), _stamp(content.file))


def _map_content(content: Content) -> Opened | None:
    """Map the file that is open, which another may have replaced."""
    if content.file is None or b"\n" not in content.head:
        return None
    return _map_open(content.file, content.name, text_start(content.head, content.name), _stamp(content.file))


def _in_memory(data: Raw, name: str, begin: Begin | None = None) -> tuple[Bytes, int]:
    return np.frombuffer(data, np.uint8)[: -len(PAD)], text_start(data, name, begin or WHOLE)


def _unread(content: Content, read: Callable[[], Run]) -> UnreadRun | None:
    if b"\n" not in content.head or content.file is None:
        return unread_bytes(content.read(), content.name)
    return unread_lines(content.name, read, _opener(content), content.last_byte())


def _read_chunks(chunks: TextChunks, header: Any, context: Context) -> Iterator[Run | UnreadRun]:
    for data, begin in chunks:
        unread = unread_bytes(data, context.name, begin)
        yield parse_run(data, context.name, begin=begin) if unread is None else unread


TREC = FORMATS.add(FileFormat("TREC", 20, _detect, read_trec, read_chunks=_read_chunks, unread=_unread))


# ── lines for the native core ────────────────────────────────────────────────────────────────────


def unread_bytes(data: Raw, name: str, begin: Begin | None = None) -> TextRun | None:
    """Return TREC lines in memory for the native core: a whole file, or a stretch of one."""
    if data.find(b"\n") < 0:
        return None
    opened = partial(nullcontext, _in_memory(data, name, begin))
    read = partial(parse_run, data, name, begin=begin)
    return unread_lines(name, read, opened, bytes(data[-9:-8]), lambda: begin or WHOLE)


def unread_lines(
    name: str, read: Callable[[], Run], opened: Any, last: bytes, begin: Counted = lambda: WHOLE
) -> TextRun:
    """Return TREC lines for the native core, with the functions that report what is wrong with a line."""
    return TextRun(
        name=name, read=read, open=opened, layout=_RUN, raise_row=partial(_raise_line, name, begin),
        place=partial(_place, name, begin), warnings=check_end(last, name),
    )  # fmt: skip


@contextmanager
def map_file(
    path: Path, name: str, start: int, stamp: tuple[int, int], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Bytes, int]]:
    """Map a file, and check that it was neither replaced nor written to since it was opened first."""
    try:
        with path.open("rb") as raw, _map_open(raw, name, start, stamp, begin, end) as mapped:
            yield mapped
    except OSError as error:
        if isinstance(error, FileError):
            raise
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise_file_error(name, error)


@contextmanager
def _map_open(
    raw: IO[bytes], name: str, start: int, stamp: tuple[int, int], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Bytes, int]]:
    before = begin % mmap.ALLOCATIONGRANULARITY
    length = 0 if end is None else end - begin + before

    def check(size: int) -> None:
        if _stamp(raw) != stamp or size != stamp[0]:
            raise_file_error(name, CHANGED, "read it when it is complete")

    check(stamp[0])
    view = mmap.mmap(raw.fileno(), length, access=mmap.ACCESS_READ, offset=begin - before)
    yield np.frombuffer(view, np.uint8)[before:], start
    check(stamp[0] if length else len(view))


def _stamp(raw: IO[bytes]) -> tuple[int, int]:
    status = os.fstat(raw.fileno())
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class TextPlaces:
    """The place of each row of a text, found only when a message needs one."""

    name: str
    opened: Callable[[], Opened]
    layout: Layout

    def __call__(self, row: int) -> Place:
        with self.opened() as (data, _):
            return _place(self.name, lambda: WHOLE, data, int(self._begins[row]))

    @cached_property
    def _begins(self) -> Ints:
        with self.opened() as (data, start):
            return row_begins(data, start, self.layout)


def _parse_row(data: Bytes, at: int) -> Run:
    """Return the row of a run that begins at this byte."""
    return parse_run(_line(data, at) + PAD, "", begin=WHOLE)


def _line(data: Bytes, at: int) -> bytes:
    end = at
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + HEAD] == 10)).size:
        end += HEAD
    return data[at : min(end + int(newline[0]) + 1 if newline.size else len(data), len(data))].tobytes()


def _place(name: str, begin: Counted, data: Bytes, at: int) -> Place:
    step = 1 << 24
    newlines = sum(int((data[i : min(i + step, at)] == 10).sum()) for i in range(0, at, step))
    return Place(name, begin().lines + newlines + 1)


def _raise_line(name: str, begin: Counted, data: Bytes, at: int, first: bool) -> NoReturn:
    """Report the line that begins at this byte of a stretch, as the parser does."""
    offset, line = begin().offset, _place(name, begin, data, at).line or 1
    raise_text(_line(data, at), name, offset + at, line, first=first and not offset)
