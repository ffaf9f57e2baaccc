"""The bytes of a text for the native core, mapped if they are a plain file; and places in them."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import IO, Any

import numpy as np

from judged._types import Bytes, Ints
from judged.core.native import end_on_bus_error
from judged.core.unread_runs import Layout, Opened, row_begins
from judged.errors import IN_COMMAND, FileError, safe
from judged.io.files import CHANGED, HEAD, PAD, Content, OpenFile, Raw, raise_file_error
from judged.io.text.encoding import text_start

_STEP = 1 << 24
_COMPLETE = "read it when it is complete"
_TRUNCATED = FileError("io", f"cannot read the file: {CHANGED}", hint=_COMPLETE)


def open_later(content: Content, start: int | None = None, *, lines: bool = True) -> Callable[[], Opened]:
    """Return a function that returns the text of a file, mapped if it is a plain file, and the number of bytes to skip.

    That number is `start`, or the length of the byte-order mark. The limits of text are checked only when a file is read, so a
    mapped file has to have lines unless its format needs none.
    """
    if content.file is None or not can_map(content, lines):
        held: Any = partial(nullcontext, in_memory(content.read(), _start(content, start)))
        return held
    assert content.opened is not None
    return partial(map_file, content.opened.keep(), content.name, _start(content, start), _stamp(content.file))


def open_now(content: Content, start: int | None = None, *, lines: bool = True) -> Opened:
    """Return the same of the open file, which another may have replaced on disk."""
    if content.file is None or not can_map(content, lines):
        return nullcontext(in_memory(content.read(), _start(content, start)))
    return _map_open(content.file, content.name, _start(content, start), _stamp(content.file))


def _start(content: Content, start: int | None) -> int:
    return text_start(content.head, content.name) if start is None else start


def can_map(content: Content, lines: bool = True) -> bool:
    """Return whether a file can be mapped."""
    return content.file is not None and (b"\n" in content.head or not lines)


def in_memory(data: Raw, start: int) -> tuple[Bytes, int]:
    """Return padded text without the padding, and the number of bytes to skip."""
    return np.frombuffer(data, np.uint8)[: -len(PAD)], start


@contextmanager
def map_file(
    file: OpenFile | str,
    name: str,
    start: int,
    stamp: tuple[int, int],
    begin: int = 0,
    end: int | None = None,
) -> Iterator[tuple[Bytes, int]]:
    """Map a file, and check that it was neither replaced nor written to since it was opened first."""
    try:
        opened = file if isinstance(file, OpenFile) else OpenFile(file)
        with _map_open(opened.raw, name, start, stamp, begin, end) as mapped:
            yield mapped
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise_file_error(name, error)


@contextmanager
def _map_open(
    raw: IO[bytes], name: str, start: int, stamp: tuple[int, int], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Bytes, int]]:
    before = begin % mmap.ALLOCATIONGRANULARITY
    length = 0 if end is None else end - begin + before

    def check(size: int) -> None:
        if _stamp(raw) != stamp or size != stamp[0]:
            raise_file_error(name, CHANGED, _COMPLETE)

    check(stamp[0])
    if IN_COMMAND.get():
        end_on_bus_error(f"error: {safe(name)}: {_TRUNCATED}\n", _TRUNCATED.exit_code)
    view = mmap.mmap(raw.fileno(), length, access=mmap.ACCESS_READ, offset=begin - before)
    yield np.frombuffer(view, np.uint8)[before:], start
    check(stamp[0] if length else len(view))


def _stamp(raw: IO[bytes]) -> tuple[int, int]:
    status = os.fstat(raw.fileno())
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class TextLines:
    """The line of each row of a text, found only when a message needs one. `returns`: a single CR ends a line too.

    It is None if the file was removed or written to since: the message that needs it must not become one about the file.
    """

    opened: Callable[[], Opened]
    layout: Layout
    returns: bool = False

    def __getitem__(self, row: int) -> int | None:
        with suppress(FileError), self.opened() as (data, _):
            return line_of(data, int(self._begins[row]), returns=self.returns)
        return None

    @cached_property
    def _begins(self) -> Ints:
        with self.opened() as (data, start):
            return row_begins(data, start, self.layout)


def line_at(data: Bytes, at: int) -> bytes:
    """Return the line that begins at this byte."""
    end = at
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + HEAD] == 10)).size:
        end += HEAD
    return data[at : min(end + int(newline[0]) + 1 if newline.size else len(data), len(data))].tobytes()


def line_of(data: Bytes, at: int, *, returns: bool = False) -> int:
    """Return the number of the line of a byte."""
    count = 1
    for i in range(0, at, _STEP):
        part = data[i : min(i + _STEP, at)]
        count += int((part == 10).sum())
        if returns:
            count += int(((part == 13) & (data[i + 1 : i + 1 + len(part)] != 10)).sum())
    return count
