"""What can be wrong with the text of a file before any of it is understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from judged.errors import DataError, Place, Warned

__all__ = ["WHOLE", "Begin", "Raw", "check_encoding", "decoded", "refuse_nul", "text_start", "unfinished"]

Raw = bytes | bytearray
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Begin:
    """Where some text begins in its file: the bytes and the lines before it."""

    offset: int = 0
    lines: int = 0


WHOLE = Begin()


def text_start(head: Raw, name: str, begin: Begin = WHOLE) -> int:
    """How many bytes of byte-order mark to skip; there is one at the beginning of a file alone."""
    if begin.offset:
        return 0
    if head[:2] in _WIDE:
        raise DataError(
            "encoding", "UTF-8 text", got="a UTF-16 byte-order mark", where=Place(name, 1), value=bytes(head[:2]),
            hint="convert the file: iconv -f UTF-16 -t UTF-8",
        )  # fmt: skip
    return 3 if head[:3] == b"\xef\xbb\xbf" else 0


def check_encoding(data: Raw, size: int, name: str, begin: Begin = WHOLE) -> int:
    """The same, where no byte may be NUL."""
    nul = data.find(b"\0", 0, size)
    if nul >= 0 and (begin.offset or data[:2] not in _WIDE):
        refuse_nul(name, begin.offset + nul, begin.lines + data.count(b"\n", 0, nul) + 1)
    return text_start(data, name, begin)


def refuse_nul(name: str, offset: int, line: int) -> NoReturn:
    raise DataError(
        "nul", "text", got=f"a NUL byte at offset {offset}", where=Place(name, line), value=b"\0",
        hint="the file is damaged or not a text file",
    )  # fmt: skip


def decoded(data: Raw, name: str, begin: Begin = WHOLE) -> str:
    """The text of a file whose grammar demands UTF-8."""
    size = len(data) - 8
    start = check_encoding(data, size, name, begin)
    try:
        return data[start:size].decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        raise DataError(
            "encoding", "UTF-8 text", got=f"the byte {data[at]:#04x} at offset {begin.offset + at}",
            where=Place(name, begin.lines + data.count(b"\n", 0, at) + 1), value=bytes(data[at : at + 1]),
            hint="convert the file to UTF-8, for example with iconv",
        ) from error  # fmt: skip


def unfinished(last: Raw, name: str) -> tuple[Warned, ...]:
    """A warning where the last byte ends no line: the file may have been cut."""
    if last in (b"\n", b"\r"):
        return ()
    return (Warned("no-final-newline", 1, f"{name} does not end with a newline; was it cut off?"),)
