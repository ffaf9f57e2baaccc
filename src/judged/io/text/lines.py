"""Text files line by line, decompressed on the way: for those that need not fit into memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from judged.errors import DataError, FileError, Place
from judged.io.files.source import LONGEST_LINE, Source, _path_hint, compression, refuse_long_line, source_name
from judged.io.formats.parquet import MAGIC
from judged.io.text.encoding import refuse_nul, text_start

__all__ = ["Stream", "lines", "opened", "streamed", "with_ending"]

_STEP = 1 << 20
_ENOUGH = 16  # bytes that tell a byte-order mark or the kind of a file
_BINARY = (*MAGIC, b"\xff\xfe", b"\xfe\xff")  # columns; and UTF-16, which is refused for what it is


@dataclass(frozen=True, slots=True)
class Stream:
    """What a file holds, part by part; `head` is the beginning, and is part of `parts` too."""

    name: str
    head: bytes
    parts: Iterator[bytes]


@contextmanager
def opened(source: Source) -> Iterator[Stream]:
    """The content of a file, or of standard input (`-`)."""
    name = source_name(source)
    try:
        if source == "-":
            yield streamed(sys.stdin.buffer, name)
            return
        with _open(source) as raw:
            kind = compression(raw.peek(_ENOUGH))
            yield _begun(_watched(_expanding(raw, kind, name) if kind else _pieces(raw, name), name, raw.tell), name)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        reason = error.strerror or str(error)
        raise FileError("io", "a file that can be read", got=reason, where=name, hint=_path_hint(name)) from error


def _open(source: Source) -> BufferedReader:
    try:
        return Path(os.fsdecode(source)).open("rb")
    except ValueError as error:  # a NUL in the name
        raise OSError(str(error)) from error


def streamed(file: Any, name: str) -> Stream:
    """What is left in an open file, text or binary."""
    begun = _begun(_pieces(file, name), name)
    kind = compression(begun.head)
    if kind is None:
        return _begun(_watched(begun.parts, name), name)
    raw = BytesIO(b"".join(begun.parts))  # as small as it comes: a decompressor looks back and ahead
    return _begun(_watched(_expanding(raw, kind, name), name, raw.tell), name)


def _begun(parts: Iterator[bytes], name: str) -> Stream:
    """With the first parts taken, as many as it takes to tell what they are."""
    first: list[bytes] = []
    for part in parts:
        first.append(part)
        if sum(map(len, first)) >= _ENOUGH:
            break
    return Stream(name, b"".join(first), chain(first, parts))


def _pieces(file: Any, name: str) -> Iterator[bytes]:
    while piece := file.read(_STEP):
        try:
            yield piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else bytes(piece)
        except UnicodeEncodeError as error:
            hint = "open the file in binary mode"
            raise DataError("encoding", "text that can be UTF-8", got=error.reason, where=name, hint=hint) from error


def _expanding(raw: IO[bytes], kind: str, name: str) -> Iterator[bytes]:
    from judged.io.files.decompress import expanding

    return expanding(raw, kind, name)


def _watched(parts: Iterator[bytes], name: str, tell: Callable[[], int] | None = None) -> Iterator[bytes]:
    """The parts, as long as they can be text: no NUL, and no line that is a bomb."""
    total = since_newline = line = 0
    text = json = True
    for part in filter(None, parts):
        if not total:
            text = not part.startswith(_BINARY)
            json = part[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        if text and (nul := part.find(b"\0")) >= 0:
            refuse_nul(name, total + nul, line + part.count(b"\n", 0, nul) + 1)
        total += len(part)
        at = max(part.rfind(b"\n"), part.rfind(b"\r"))
        since_newline = len(part) - at - 1 if at >= 0 else since_newline + len(part)
        line += int(np.count_nonzero(np.frombuffer(part, np.uint8) == ord("\n")))  # bytes.count takes six times as long
        if text and since_newline > LONGEST_LINE and not (json and _is_plausible(total, tell)):
            refuse_long_line(Place(name, line + 1))
        yield part


def _is_plausible(total: int, tell: Callable[[], int] | None) -> bool:
    """Whether so much can have come out of a file that has been read so far: JSON may be one long line."""
    from judged.io.files.decompress import LARGEST_RATIO

    return tell is None or total < LARGEST_RATIO * tell()


def lines(stream: Stream) -> Iterator[bytes]:
    """The lines without their ends (LF, CRLF; CR where no LF stands): one at a time, and no more than a part in memory."""
    parts, ending = with_ending(stream.parts)
    skip = text_start(stream.head, stream.name)
    held: list[bytes] = []
    for part in parts:
        first, *others = part[skip:].split(ending)
        skip = 0
        held.append(first)
        if others:
            yield _ended(b"".join(held))
            held = [others.pop()]
            yield from map(_ended, others)
    if any(held):
        yield _ended(b"".join(held))


def with_ending(parts: Iterator[bytes]) -> tuple[Iterator[bytes], bytes]:
    """The parts, and what ends their lines: LF, or CR where no LF stands."""
    held: list[bytes] = []
    for part in parts:
        held.append(part)
        if b"\n" in part or len(held) * _STEP > LONGEST_LINE:
            break
    cr = not any(b"\n" in part for part in held) and any(b"\r" in part for part in held)
    return chain(held, parts), b"\r" if cr else b"\n"


def _ended(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line
