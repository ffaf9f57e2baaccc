"""What can be wrong with the text of a file before any of it is understood."""

from __future__ import annotations

from judged.errors import DataError, Place, Warned

__all__ = ["Raw", "check_encoding", "decoded", "unfinished"]

Raw = bytes | bytearray


def check_encoding(data: Raw, size: int, name: str) -> int:
    """How many bytes of byte-order mark to skip."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            "encoding", "UTF-8 text", got="a UTF-16 byte-order mark", where=Place(name, 1), value=bytes(data[:2]),
            hint="convert the file: iconv -f UTF-16 -t UTF-8",
        )  # fmt: skip
    at = data.find(b"\0", 0, size)
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise DataError(
            "nul", "text", got=f"a NUL byte at offset {at}", where=Place(name, line), value=b"\0",
            hint="the file is damaged or not a text file",
        )  # fmt: skip
    return 3 if data[:3] == b"\xef\xbb\xbf" else 0


def decoded(data: Raw, name: str) -> str:
    """The text of a file whose grammar demands UTF-8."""
    size = len(data) - 8
    start = check_encoding(data, size, name)
    try:
        return data[start:size].decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        raise DataError(
            "encoding", "UTF-8 text", got=f"the byte {data[at]:#04x} at offset {at}",
            where=Place(name, data.count(b"\n", 0, at) + 1), value=bytes(data[at : at + 1]),
            hint="convert the file to UTF-8, for example with iconv",
        ) from error  # fmt: skip


def unfinished(data: Raw, name: str) -> tuple[Warned, ...]:
    """A warning where the last line has no end: the file may have been cut."""
    if data[-9:-8] in (b"\n", b"\r"):
        return ()
    return (Warned("no-final-newline", 1, f"{name} does not end with a newline; was it cut off?"),)
