"""Encoding of text files: byte-order marks, NUL bytes, UTF-8."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from judged.errors import DataError, Hint, Place, Warned
from judged.tables.text import counted

Raw = bytes | bytearray
_WIDE = (b"\xff\xfe", b"\xfe\xff")


class Begin(NamedTuple):
    """The beginning of some text in its file: the number of bytes and of lines before it."""

    offset: int = 0
    lines: int = 0


WHOLE = Begin()


def is_wide(head: Raw) -> bool:
    """Return whether a file begins with a UTF-16 byte-order mark."""
    return head[:2] in _WIDE


def text_start(head: Raw, name: str, begin: Begin = WHOLE) -> int:
    """Return the length of the byte-order mark, which only the beginning of a file can have."""
    if begin.offset:
        return 0
    if is_wide(head):
        hint = "convert the file: iconv -f UTF-16 -t UTF-8"
        raise DataError(
            "encoding", "the text is UTF-16, not UTF-8", where=Place(name, 1), value=bytes(head[:2]), hint=hint
        )
    return 3 if head[:3] == b"\xef\xbb\xbf" else 0


def check_encoding(data: Raw, size: int, name: str, begin: Begin = WHOLE) -> int:
    """Return the same, after a check that no byte is NUL."""
    nul = data.find(b"\0", 0, size)
    if nul >= 0 and (begin.offset or not is_wide(data)):
        raise_nul(name, begin.offset + nul, begin.lines + data.count(b"\n", 0, nul) + 1)
    return text_start(data, name, begin)


def raise_nul(name: str, offset: int, line: int) -> NoReturn:
    hint = "check that this is a text file, and copy it again"
    raise DataError("nul", f"NUL byte at offset {offset}", where=Place(name, line), value=b"\0", hint=hint)


def decode(data: Raw, name: str, begin: Begin = WHOLE) -> str:
    """Return the text of a file whose format demands UTF-8."""
    size = len(data) - 8
    start = check_encoding(data, size, name, begin)
    try:
        return data[start:size].decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        raise_encoding(
            data, at, Place(name, begin.lines + data.count(b"\n", 0, at) + 1), f" at offset {begin.offset + at}"
        )


def raise_encoding(data: Raw, at: int, where: Place, about: str = "") -> NoReturn:
    problem, hint = f"byte {data[at]:#04x}{about} is not UTF-8", "convert the file to UTF-8, for example with iconv"
    raise DataError("encoding", problem, value=bytes(data[at : at + 1]), where=where, hint=hint)


def check_end(last: Raw, name: str) -> tuple[Warned, ...]:
    """Warn if the last byte of a file does not end a line: the file may be truncated."""
    if last in (b"\n", b"\r"):
        return ()
    return (Warned("no-final-newline", 1, f"{name} does not end with a newline; it may be truncated"),)


def is_text(cells: list[str]) -> bool:
    """Return whether no cell has bytes that are not UTF-8."""
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return False
    return True


def warn_encoding(cells: list[str], name: str, role: str) -> Warned:
    """Warn of ids that are not UTF-8."""
    count = sum(not is_text([cell]) for cell in dict.fromkeys(cells))
    what = "query" if role == "query" else "document"
    text = f"{counted(count, f'{what} id')} of {name} {'is' if count == 1 else 'are'} not UTF-8, so only ids in the same encoding match"
    return Warned("encoding", count, text, Hint("convert the file to UTF-8, for example with iconv"))
