"""Open files: the beginning and the content come from one opening, decompressed on the way, within limits; or their bytes, mapped for the native core."""

from __future__ import annotations

import errno
import io
import mmap
import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import IO, Any, ClassVar, NoReturn
from weakref import WeakSet

import numpy as np

from judged._types import Bytes, Ints
from judged.core.native import end_on_bus_error
from judged.core.unread_runs import Layout, Opened, row_begins
from judged.errors import IN_COMMAND, DataError, FileError, JudgedError, Place, safe
from judged.io.text import WIDE, decode, raise_nul, text_start
from judged.steps import step

# ── Limits against files that are not text, and against decompression bombs ─────────────────────────

LONGEST_LINE = 64 << 20
LARGEST_RATIO = 200  # text expands 3 to 20 times, a bomb 1,000 times
ARROW_STREAM = b"\xff\xff\xff\xff"  # before each message of an Arrow stream
COLUMNAR = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    ARROW_STREAM: "Arrow",
}  # files that are not text, by their first bytes


def limit_text(
    parts: Iterator[bytes], name: str, tell: Callable[[], int] | None = None, *, nul: bool = False
) -> Iterator[bytes]:
    """Iterate over the content of a file; raise before text that no file has fills the memory.

    That is a line longer than `LONGEST_LINE`, NUL bytes, and in a compressed file more text than it can expand to. JSON may be one long line. Parquet and Arrow files pass.

    Args:
        parts: pieces of the content, decompressed.
        name: the file.
        tell: number of compressed bytes taken so far; None if the file is not compressed.
        nul: raise at the first NUL byte; otherwise the parser does, which may find another error before it.
    """
    total = since_newline = line = 0
    text = json = True
    for part in filter(None, parts):
        if not total:
            text, json = (
                not part.startswith(tuple(COLUMNAR)),
                part[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["),
            )
            nul = nul and not part.startswith(WIDE)  # UTF-16 has an error of its own
        if text:
            if (nul or total > LONGEST_LINE) and (at := part.find(b"\0")) >= 0:
                raise_nul(name, total + at, line + part.count(b"\n", 0, at) + 1)
            total += len(part)
            end = max(part.rfind(b"\n"), part.rfind(b"\r"))
            since_newline = len(part) - end - 1 if end >= 0 else since_newline + len(part)
            # Six times as fast as bytes.count.
            line += int(np.count_nonzero(np.frombuffer(part, np.uint8) == ord("\n")))
            plausible = total <= LONGEST_LINE or tell is None or total < LARGEST_RATIO * tell()
            if since_newline > LONGEST_LINE and not (json and plausible):
                raise_long_line(Place(name, line + 1))
            if not plausible:
                problem = f"the compressed file expands more than {LARGEST_RATIO} times"
                raise DataError("too-large", problem, where=name, hint="if its content is right, decompress it first")
        yield part


def raise_long_line(where: Place) -> NoReturn:
    hint = "check that this is a text file"
    raise DataError("too-large", f"a line is longer than {LONGEST_LINE >> 20} MB", where=where, hint=hint)


# ── Open files: the beginning and the content come from one opening, decompressed on the way ────────

Source = str | bytes | os.PathLike[Any]
Raw = bytes | bytearray

PATH = (str, bytes, os.PathLike)
PAD = bytes(8)
_MOST_KEPT = 8  # files that stay open for later: a process may have few
HEAD = 1 << 16  # bytes by which the format of a file is detected
CHANGED = "the file changed while it was read"
_STEP = 1 << 20
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def is_file_like(source: object) -> bool:
    """Return whether this is an open file."""
    return callable(getattr(source, "read", None)) and not isinstance(source, type)  # a frame may have a column `read`


def file_path(source: object) -> str | None:
    """Return the path of a regular file on disk; None for pipes, standard input and objects in memory."""
    if not isinstance(source, PATH) or source == "-":
        return None
    path = os.fsdecode(source)
    return path if os.path.isfile(path) else None


class OpenFile(os.PathLike[str]):
    """A regular file that is read, mapped and read again through one opening. It closes with its last user.

    It is the path of the file to everything that takes a path. Sent to another process, it is only that.
    """

    _kept: ClassVar[WeakSet[OpenFile]] = WeakSet()

    def __init__(self, path: Source) -> None:
        self.path = os.fsdecode(path)
        try:
            self._number = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except ValueError as error:  # a NUL in the name
            raise OSError(str(error)) from error
        self.raw: IO[bytes] = open(self._number, "rb", closefd=False)  # noqa: SIM115 - closed below, without a warning

    def __fspath__(self) -> str:
        return self.path

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self.path,)

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            os.close(self._number)

    def keep(self) -> OpenFile | str:
        """Return the file itself, to be kept open for later, or its absolute path if too many are."""
        if self not in self._kept and len(self._kept) >= _MOST_KEPT:
            return os.path.abspath(self.path)
        self._kept.add(self)
        return self


@dataclass(slots=True, repr=False, eq=False)
class Content:
    """An open file.

    Args:
        name: its path, or a name for messages.
        head: the beginning, decompressed: at least `HEAD` bytes, or all there are.
        complete: True if `head` is everything.
        parts: the decompressed content, with the head, piece by piece, unless `file` has it; it can be taken once.
        file: the handle of a plain regular file, which can be mapped and read in one allocation.
        opened: a regular file, plain or compressed, to be read again later.
        stamp: its size and the time of its last change when it was opened.
        packed: the handle of a compressed regular file.
        packing: the compression.
        tell: number of compressed bytes taken so far.
    """

    name: str
    head: Raw
    complete: bool
    parts: Iterator[bytes] = field(default_factory=lambda: iter(()))
    file: IO[bytes] | None = None
    opened: OpenFile | None = None
    stamp: tuple[int, int] = (0, 0)
    packed: IO[bytes] | None = None
    packing: str | None = None
    tell: Callable[[], int] | None = None
    _data: Raw | None = None

    def pieces(self, *, nul: bool = False) -> Iterator[bytes]:
        """Iterate over the content, within the limits of text; it can be taken once."""
        parts = self.parts if self.file is None else _pieces(self.file, self.name)
        return limit_text(parts, self.name, self.tell, nul=nul)

    def read(self) -> Raw:
        """Return the whole content with eight zero bytes after it, for readers that look ahead."""
        if self._data is None and self.file is None:
            self._data = b"".join([*self.pieces(), PAD])
        elif self._data is None:
            assert self.file is not None
            self.file.seek(0)
            size = os.fstat(self.file.fileno()).st_size
            if size > LONGEST_LINE:  # what no text has is found before it is in memory
                deque(self.pieces(), 0)
                self.file.seek(0)
            self._data = bytearray(size + len(PAD))  # one allocation
            with memoryview(self._data) as view:
                count = self.file.readinto(view[: -len(PAD)])  # type: ignore[attr-defined]
            if count != size or self.file.read(1):
                raise OSError(CHANGED)
        return self._data

    def binary(self) -> Any:
        """Return the whole content of a file that is not text, which has no lines to limit; a plain file is mapped, not copied."""
        if self.file is None or self._data is not None:
            return memoryview(self.read())[: -len(PAD)]
        return mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def last_bytes(self, count: int = 1) -> bytes:
        """Return the last bytes, or all if there are fewer."""
        if self.file is None:
            return bytes(self.read()[-len(PAD) - count : -len(PAD)])
        self.file.seek(max(self.file.seek(0, os.SEEK_END) - count, 0))
        return self.file.read(count)


@contextmanager
def open_content(source: Source) -> Iterator[Content]:
    """Open a file or standard input (`-`), plain or compressed."""
    name = "<stdin>" if source == "-" else os.fsdecode(source)
    try:
        with step(f"reading {name}"):
            if source == "-":
                if sys.stdin is None:
                    raise FileError("io", "standard input is closed", hint="name a file")
                yield open_stream(sys.stdin.buffer, name)
                return
            opened = source if isinstance(source, OpenFile) else OpenFile(source)
            status = os.fstat(opened.raw.fileno())
            if stat.S_ISREG(status.st_mode):
                content = open_regular(opened.raw, name)
                content.opened, content.stamp = opened, (status.st_size, status.st_mtime_ns)
            else:
                content = open_stream(opened.raw, name)
            yield content
    except OSError as error:
        raise_file_error(name, error, _path_hint(name))


def open_regular(raw: IO[bytes], name: str) -> Content:
    """Take a seekable file."""
    raw.seek(0)
    head = raw.read(HEAD)
    raw.seek(0)
    kind = compression(head)
    if kind is not None:
        content = _decompress(raw, kind, name)
        content.packed = raw
        return content
    complete = len(head) < HEAD
    return Content(name, head, complete, file=raw if head else None)


def open_stream(file: Any, name: str | None = None, default: str = "run") -> Content:
    """Take what is left in an open file, text or binary. Without `name`, the file's own or the default is used."""
    label = getattr(file, "name", None)
    name = name or (label if isinstance(label, str) else default)
    content = _begin(_pieces(file, name), name)
    kind = compression(bytes(content.head[:8]))
    if kind is None:
        return content
    return _decompress(io.BytesIO(b"".join(content.parts)), kind, name)  # a decompressor seeks


def _decompress(raw: IO[bytes], kind: str, name: str) -> Content:
    from judged.io.decompress import decompress

    content = _begin(decompress(raw, kind, name), name)
    content.packing, content.tell = kind, raw.tell
    return content


def _begin(parts: Iterator[bytes], name: str) -> Content:
    """Take as many parts as the detection of a format needs."""
    first: list[bytes] = []
    size = 0
    for part in parts:
        first.append(part)
        size += len(part)
        if size >= HEAD:
            break
    return Content(name, b"".join(first), size < HEAD, chain(first, parts))


def _pieces(file: Any, name: str) -> Iterator[bytes]:
    while piece := file.read(_STEP):
        try:
            yield piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else bytes(piece)
        except UnicodeEncodeError as error:
            problem, hint = "text that can be encoded as UTF-8", "open the file in binary mode"
            raise DataError("encoding", problem, got=error.reason, where=name, hint=hint) from error


def read_text(source: Source) -> str:
    """Return the whole content as text."""
    with open_content(source) as content:
        return decode(content.read(), content.name)


def compression(head: bytes) -> str | None:
    """Return the kind of compressed file that begins with these bytes; files of zstd may begin with a skippable frame."""
    if head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5:
        return "zstd"
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def raise_file_error(name: str, error: Exception | str, hint: str = "check the path") -> NoReturn:
    """Raise an error that says why a file cannot be read; a `JudgedError` is raised unchanged."""
    if isinstance(error, JudgedError):
        raise error
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        raise MemoryError from error
    if isinstance(error, str):
        raise FileError("io", f"cannot read the file: {error}", where=name, hint=hint)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    raise FileError("io", f"cannot read the file: {reason}", where=name, hint=hint) from error


def _path_hint(name: str) -> str:
    if "\n" in name:
        return "a str is a path; pass io.StringIO(text) to read the text itself"
    if os.path.isdir(name):
        return "judgments are one file or a BEIR folder, and come first; a run may be a directory"
    return "download it first" if "://" in name else "check the path"


# ── The bytes of a text for the native core, mapped if they are a plain file; and places in them ──

_COUNTED = 1 << 24  # bytes whose lines are counted at a time
_COMPLETE = "read it when it is complete"
_TRUNCATED = FileError("io", f"cannot read the file: {CHANGED}", hint=_COMPLETE)


def open_later(content: Content, start: int | None = None, *, lines: bool = True) -> Callable[[], Opened]:
    """Return a function that returns the text of a file, mapped if it is a plain file, and the number of bytes to skip.

    That number is `start`, or the length of the byte-order mark. The limits of text are checked only when a file is read, so a
    mapped file has to have lines unless its format needs none.
    """
    start = text_start(content.head, content.name) if start is None else start
    if content.file is None or (lines and b"\n" not in content.head):
        held: Any = partial(nullcontext, in_memory(content.read(), start))
        return held
    assert content.opened is not None
    return partial(map_file, content.opened.keep(), content.name, start, content.stamp)


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
    before = begin % mmap.ALLOCATIONGRANULARITY
    length = 0 if end is None else end - begin + before
    try:
        opened = file if isinstance(file, OpenFile) else OpenFile(file)
        _check_stamp(opened.raw, name, stamp, stamp[0])
        if IN_COMMAND.get():
            end_on_bus_error(f"error: {safe(name)}: {_TRUNCATED}\n", _TRUNCATED.exit_code)
        view = mmap.mmap(opened.raw.fileno(), length, access=mmap.ACCESS_READ, offset=begin - before)
        yield np.frombuffer(view, np.uint8)[before:], start
        _check_stamp(opened.raw, name, stamp, stamp[0] if length else len(view))
    except OSError as error:
        raise_file_error(name, error)


def _check_stamp(raw: IO[bytes], name: str, stamp: tuple[int, int], size: int) -> None:
    status = os.fstat(raw.fileno())
    if (status.st_size, status.st_mtime_ns) != stamp or size != stamp[0]:
        raise_file_error(name, CHANGED, _COMPLETE)


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
    """Return the line that begins at this byte, without its end."""
    end = at
    while end < len(data) and not (newline := np.flatnonzero(data[end : end + HEAD] == 10)).size:
        end += HEAD
    return data[at : end + int(newline[0]) if end < len(data) else len(data)].tobytes()


def line_of(data: Bytes, at: int, *, returns: bool = False) -> int:
    """Return the number of the line of a byte."""
    count = 1
    for i in range(0, at, _COUNTED):
        part = data[i : min(i + _COUNTED, at)]
        count += int((part == 10).sum())
        if returns:
            count += int(((part == 13) & (data[i + 1 : i + 1 + len(part)] != 10)).sum())
    return count
