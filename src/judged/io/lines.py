"""Lines of text files: the first one, by which a format is detected, and all of them without holding the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from judged.io import files as limits
from judged.io.files import HEAD, PAD, Content, Raw
from judged.io.formats.trec import QRELS, RUN, read_hash_line
from judged.io.text import Begin, text_start

_STEP = 1 << 20
# One pattern passes over a million blank lines and comments in the time of a hundred calls.
_DATA = re.compile(rb"[ \t\r]*+([^ \t\r\n#][^\n]*+)")
_DATA_BELOW = re.compile(rb"\n[ \t\r]*+([^ \t\r\n#][^\n]*+)")
_HASHED = re.compile(rb"(#[^ \t\r\n]++[ \t][^\n]*+)")


class Head(NamedTuple):
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


def read_head(content: Content, *, short: bool = False) -> Head:
    """Return the beginning of an open file; all of it if no line of data ends in the beginning, unless `short`."""
    data, complete = content.head, content.complete
    text_start(data, content.name)  # which refuses UTF-16
    head = Head(data, *first_line(bytes(data) + PAD), complete)
    if short or complete or (head.line and b"\n" in data) or head.line[:1] in (b"{", b"["):
        return head
    whole = content.read()
    return Head(memoryview(whole)[: -len(PAD)].tobytes(), *first_line(whole), True)


def first_line(data: Raw) -> tuple[bytes, int]:
    """Return the first line of padded text that is neither blank nor a comment, and its number; cut if very long.

    If every line begins with #, it is the first one that can be a line of a TREC file.
    """
    size = len(data) - len(PAD)
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if data.find(b"\n", 0, size) < 0 and data.find(b"\r", 0, size) >= 0:
        data = data.replace(b"\r", b"\n")
    found = _DATA.match(data, at, size) or _DATA_BELOW.search(data, at, size)
    if found is None:
        hashed = (m for m in _HASHED.finditer(data, at, size) if m.start() == at or data[m.start() - 1] == ord("\n"))
        found = next((m for m in hashed if read_hash_line(m[1], RUN) or read_hash_line(m[1], QRELS)), None)
    if found is None:
        return b"", data.count(b"\n", 0, size) + 1
    return bytes(found[1][:HEAD]).strip(b" \t\r"), data.count(b"\n", 0, found.start(1)) + 1


def whole_lines(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, Begin]]:
    """Iterate over stretches of whole lines, each padded, with the place where it begins."""
    at, rest = Begin(), b""
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest += piece
            continue
        text = b"".join((rest, memoryview(piece)[:cut], PAD))
        rest = piece[cut:]
        yield text, at
        at = Begin(at.offset + len(text) - len(PAD), at.lines + text.count(b"\n"))
        del text
    if rest:
        yield rest + PAD, at


def iterate_blocks(content: Content) -> Iterator[tuple[bytes, Begin]]:
    """Iterate over padded blocks of whole lines, each ended by LF or CRLF; the last line may have no end."""
    skip = text_start(content.head, content.name)
    parts, held = content.pieces(nul=True), list[bytes]()
    for part in parts:
        held.append(part)
        if b"\n" in part or len(held) * _STEP > limits.LONGEST_LINE:
            break
    parts = chain(held, parts)
    if not any(b"\n" in part for part in held):  # lines end in CR
        parts = (part.replace(b"\r", b"\n") for part in parts)
    for block, begin in whole_lines(parts):
        yield block[skip:], begin
        skip = 0


def iterate_lines(content: Content) -> Iterator[bytes]:
    """Iterate over the lines without their ends."""
    for block, _ in iterate_blocks(content):
        for line in block[: -len(PAD)].removesuffix(b"\n").split(b"\n"):
            yield line.removesuffix(b"\r")
