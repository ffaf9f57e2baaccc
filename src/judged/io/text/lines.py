"""Lines of text files: the first one, by which a format is detected, and all of them without holding the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from judged.errors import Place
from judged.io.files import limits
from judged.io.files.source import HEAD, PAD, Content, Raw
from judged.io.text.encoding import is_wide, raise_nul, text_start
from judged.io.text.trec_columns import QRELS, RUN, read_hash_line

Numbered = Iterator[tuple[int, bytes]]  # lines with their numbers

_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, by which its format is detected.

    Args:
        data: the first bytes, decompressed.
        line: the first line that is neither blank nor a comment, see `first_line`; cut after `HEAD` bytes.
        number: the number of that line.
        complete: True if `data` is the whole file.
    """

    data: Raw
    line: bytes
    number: int
    complete: bool

    @property
    def has_rows(self) -> bool:
        """True if anything follows the first line, or may follow it."""
        return not self.complete or bool(b"".join(self.data.split(b"\n", self.number)[self.number :]).strip())


def read_head(content: Content) -> Head:
    """Return the beginning of an open file; all of it if no line of data ends in the beginning."""
    data, complete = content.head, content.complete
    head = Head(data, *first_line(bytes(data) + PAD), complete)
    if complete or (head.line and b"\n" in data) or head.line[:1] in (b"{", b"["):
        return head
    whole = content.read()
    return Head(memoryview(whole)[: -len(PAD)].tobytes(), *first_line(whole), True)


def first_line(data: Raw) -> tuple[bytes, int]:
    """Return the first line of padded text that is neither blank nor a comment, and its number; cut if very long.

    If every line begins with #, it is the first one that can be a line of a TREC file.
    """
    size, number = len(data) - len(PAD), 1
    hashed: tuple[bytes, int] | None = None
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    ending = b"\n" if data.find(b"\n", 0, size) >= 0 else b"\r"
    while at < size:
        end = data.find(ending, at, size)
        end = size if end < 0 else end
        line = bytes(data[at : min(end, at + HEAD)]).strip(b" \t\r")
        if line and not line.startswith(b"#"):
            return line, number
        if hashed is None and line and (read_hash_line(line, RUN) or read_hash_line(line, QRELS)):
            hashed = line, number
        at, number = end + 1, number + 1
    return hashed or (b"", number)


def check_parts(content: Content) -> Iterator[bytes]:
    """Iterate over the content of a text file; raise at a NUL byte and at a line that no text has."""
    total = since_newline = line = 0
    text = json = True
    for part in filter(None, content.parts):
        if not total:
            text = not is_wide(part)  # UTF-16 has an error of its own
            json = part[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        if text and (nul := part.find(b"\0")) >= 0:
            raise_nul(content.name, total + nul, line + part.count(b"\n", 0, nul) + 1)
        total += len(part)
        at = max(part.rfind(b"\n"), part.rfind(b"\r"))
        since_newline = len(part) - at - 1 if at >= 0 else since_newline + len(part)
        line += int(np.count_nonzero(np.frombuffer(part, np.uint8) == ord("\n")))  # bytes.count takes six times as long
        if text and since_newline > limits.LONGEST_LINE and not (json and limits.is_plausible(total, content.tell)):
            limits.raise_long_line(Place(content.name, line + 1))
        yield part


def iterate_lines(content: Content) -> Iterator[bytes]:
    """Iterate over the lines without their ends (LF, CRLF; CR if the file has no LF), with one part in memory."""
    parts, ending = find_ending(check_parts(content))
    skip = text_start(content.head, content.name)
    held: list[bytes] = []
    for part in parts:
        first, *others = part[skip:].split(ending)
        skip = 0
        held.append(first)
        if others:
            yield _strip_return(b"".join(held))
            held = [others.pop()]
            yield from map(_strip_return, others)
    if any(held):
        yield _strip_return(b"".join(held))


def find_ending(parts: Iterator[bytes]) -> tuple[Iterator[bytes], bytes]:
    """Return the parts, and the end of their lines: LF, or CR if there is no LF."""
    held: list[bytes] = []
    for part in parts:
        held.append(part)
        if b"\n" in part or len(held) * _STEP > limits.LONGEST_LINE:
            break
    cr = not any(b"\n" in part for part in held) and any(b"\r" in part for part in held)
    return chain(held, parts), b"\r" if cr else b"\n"


def _strip_return(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line
