"""Text files: encodings, and decimal numbers, in a strict grammar and rounded to the nearest double."""

from __future__ import annotations

import re
from bisect import bisect_left
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.tables.table import counted

Raw = bytes | bytearray
_PIECE = 1 << 20
WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 byte-order marks


class Begin(NamedTuple):
    """The beginning of some text in its file: the number of bytes and of lines before it."""

    offset: int = 0
    lines: int = 0


WHOLE = Begin()


def text_start(head: Raw, name: str, begin: Begin = WHOLE) -> int:
    """Return the length of the byte-order mark, which only the beginning of a file can have."""
    if begin.offset:
        return 0
    if head.startswith(WIDE):
        hint = "convert the file: iconv -f UTF-16 -t UTF-8"
        raise DataError(
            "encoding", "the text is UTF-16, not UTF-8", where=Place(name, 1), value=bytes(head[:2]), hint=hint
        )
    return 3 if head[:3] == b"\xef\xbb\xbf" else 0


def check_encoding(data: Raw, size: int, name: str, begin: Begin = WHOLE) -> int:
    """Return the same, after a check that no byte is NUL."""
    nul = data.find(b"\0", 0, size)
    if nul >= 0 and (begin.offset or not data.startswith(WIDE)):
        raise_nul(name, begin.offset + nul, begin.lines + data.count(b"\n", 0, nul) + 1)
    return text_start(data, name, begin)


def raise_nul(name: str, offset: int, line: int) -> NoReturn:
    hint = "check that this is a text file, and copy it again"
    raise DataError("nul", f"NUL byte at offset {offset}", where=Place(name, line), value=b"\0", hint=hint)


def decode(data: Raw, name: str) -> str:
    """Return the text of a file whose format demands UTF-8."""
    size = len(data) - 8
    start = check_encoding(data, size, name)
    try:
        return data[start:size].decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        raise_encoding(data, at, Place(name, data.count(b"\n", 0, at) + 1), f" at offset {at}")


def raise_encoding(data: Raw, at: int, where: Place, about: str = "") -> NoReturn:
    problem, hint = f"byte {data[at]:#04x}{about} is not UTF-8", "convert the file to UTF-8, for example with iconv"
    raise DataError("encoding", problem, value=bytes(data[at : at + 1]), where=where, hint=hint)


def check_end(last: Raw, name: str) -> tuple[Warned, ...]:
    """Warn if the last byte of a file does not end a line: the file may be truncated."""
    if last in (b"\n", b"\r"):
        return ()
    return (Warned("no-final-newline", 1, f"{name} does not end with a newline; it may be truncated"),)


def is_utf8(data: Any) -> bool:
    """Return whether bytes are UTF-8 throughout."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _PIECE):
            decoder.decode(bytes(data[at : at + _PIECE]), at + _PIECE >= len(data))
    except UnicodeDecodeError:
        return False
    return True


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


# ── Decimal numbers in text ────────────────────

What = Literal["score", "grade"]

LARGEST_GRADE = 2.0**53
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
SCORE_PATTERN = rb"[+-]?+(?:(?:\d++\.?+\d*+|\.\d++)(?:e[+-]?+\d++)?+|inf(?:inity)?+)"
_SCORE = re.compile(SCORE_PATTERN, re.IGNORECASE)
_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")


def is_decimal(raw: bytes) -> bool:
    return _DECIMAL.fullmatch(raw) is not None


def parse_number(raw: bytes, what: What) -> float | None:
    """Return a score or a grade; None if the cell is not one. A score may be infinite, a grade is at most 2**53."""
    if what == "score":
        return float(raw) if _SCORE.fullmatch(raw) else None
    return grade if is_decimal(raw) and abs(grade := float(raw)) <= LARGEST_GRADE else None


WORDS = Hint("write numbers, or map words to grades with {grade_map}", grade_map=None)


def raise_number(raw: bytes, where: Place, what: What, about: str = "") -> NoReturn:
    """Raise an error that says why a cell is not a score or a grade."""
    slug, problem, hint = f"{what}-type", f"{what} {shown(raw)}{about} is not a number", Hint("")
    if raw.strip(b"+-").lower() == b"nan":
        slug = "score-nan" if what == "score" else "grade-type"
        problem, hint = f"{what} is NaN{about}", Hint("check how the score was computed; NaN cannot be ranked")
    elif is_decimal(raw):
        slug, problem = "grade-type", f"grade {shown(raw)}{about} is outside -2**53 to 2**53"
        hint = Hint("use small grades such as 0, 1, 2, 3")
    elif raw.count(b",") == 1 and is_decimal(raw.replace(b",", b".")):
        hint = Hint("write a decimal point: " + raw.replace(b",", b".").decode())
    elif where.line == 1:
        hint = Hint("if the first line is a header, separate its columns by tabs or commas, or remove it")
    elif what == "grade" and not re.search(rb"\d", raw):  # words, or ★★★
        hint = WORDS
    else:
        hint = Hint(f"write the {what} as a decimal number such as 0.5, -3 or 1e-4")
    raise DataError(slug, problem, hint=hint, where=where, value=raw)


_PREFIX = re.compile(
    rb"\s*([+-]?(?:0[xX](?=\.?[0-9a-fA-F])[0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE,
)


def number_as_in_c(raw: bytes, *, whole: bool) -> float:
    """Parse as C's `atof` and `atol` do: the longest numeric prefix, 0 if there is none."""
    found = re.match(rb"\s*([+-]?\d+)", raw) if whole else _PREFIX.match(raw)
    if found is None:
        return 0.0
    text = found[1].decode()
    try:
        return float(int(text)) if whole else float.fromhex(text) if "x" in text.lower() else float(text)
    except OverflowError:  # `float` itself gives infinity
        return float("-inf" if text.startswith("-") else "inf")


def with_points(cells: list[str]) -> list[str]:
    """Return decimal commas as points, unless some cells have points, or all commas may separate thousands."""
    commas = [cell for cell in cells if "," in cell]
    decimal = all(map(_COMMA.fullmatch, commas)) and not all(map(_THOUSANDS.fullmatch, commas))
    return [cell.replace(",", ".") for cell in cells] if decimal and not any("." in cell for cell in cells) else cells


def first_wrong(size: int, read: Callable[[int], object]) -> int:
    """Return the first row of a column that cannot be read: `read` returns None for a beginning that contains it."""
    return bisect_left(range(1, size + 1), True, key=lambda rows: read(rows) is None)
