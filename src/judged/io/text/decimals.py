"""Decimal numbers in text: a strict grammar, whole columns at once, rounded to the nearest double."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.ids import IdColumn
from judged.errors import DataError, Hint, Place, shown

What = Literal["score", "grade"]

LARGEST_GRADE = 2.0**53
_TENS = 10.0 ** np.arange(18)
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DECIMALS = re.compile(rb"(?:[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+\n)*+")
_INFINITE = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")


def numbers(text: IdColumn, *, lenient: bool, whole: bool) -> Floats | int:
    """Parse decimal numbers; return the row of the first cell that is not one. `whole`: the numbers are grades."""
    out, plain = _fixed_point(text)
    if lenient and whole:
        plain &= out == np.trunc(out)  # a decimal point ends what `atol` reads
    rows = np.flatnonzero(~plain)
    cells = text.take(rows).tolist()
    if lenient:
        out[rows] = [_as_c_reads_it(raw, whole=whole) for raw in cells]
    else:
        good = _leading_numbers(cells, infinite=not whole)
        out[rows[:good]] = list(map(float, cells[:good]))
        if good < len(cells):
            out[rows[good]] = np.nan
            return int(rows[good]) if not whole else int(np.argmax(~(np.abs(out) <= LARGEST_GRADE)))
    large = ~(np.abs(out) <= LARGEST_GRADE) if whole else np.zeros(1, bool)
    return int(np.argmax(large)) if large.any() else out


def decimals(cells: list[str], *, whole: bool) -> Floats | None:
    """Parse a list of cells; return None unless all of them are decimal numbers."""
    joined = "\n".join([*cells, ""])
    if not joined.isascii() or joined.count("\n") != len(cells) or not _DECIMALS.fullmatch(joined.encode()):
        return None
    out = np.array(list(map(float, cells)), dtype=np.float64)
    return None if whole and not (np.abs(out) <= LARGEST_GRADE).all() else out


def _leading_numbers(cells: list[bytes], *, infinite: bool) -> int:
    """Count the numbers before the first cell that is not one; one pattern covers the usual case that all are."""
    if _DECIMALS.fullmatch(b"\n".join([*cells, b""])):
        return len(cells)
    odd = (i for i, raw in enumerate(cells) if not is_decimal(raw) and not (infinite and _INFINITE.fullmatch(raw)))
    return next(odd, len(cells))


def is_decimal(raw: bytes) -> bool:
    return _DECIMAL.fullmatch(raw) is not None


def _fixed_point(text: IdColumn) -> tuple[Floats, NDArray[np.bool_]]:
    """Parse cells such as -12.345 with at most 15 digits, and say which cells are such.

    The digits as one integer and the power of ten are both exact, so the one division rounds
    correctly: the result is the nearest double.
    """
    width = int(min(text.length.max(initial=0), 17))
    lead = text.buffer[np.minimum(text.start, len(text.buffer) - 1)]
    negative = lead == ord("-")
    plain = (text.length <= 17) & (text.length > negative)
    mantissa = np.zeros(len(text), np.int64)
    digits = np.zeros(len(text), np.int64)
    behind = np.full(len(text), -1)  # digits after the point; -1 before it
    for position in range(width):
        inside = text.length > position
        letter = text.buffer[np.minimum(text.start + position, len(text.buffer) - 1)]
        digit = letter.astype(np.int64) - 48
        is_digit = inside & (digit >= 0) & (digit <= 9)
        point = inside & (letter == ord(".")) & (behind < 0)
        plain &= is_digit | point | ~inside | (negative if position == 0 else False)
        mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
        digits += is_digit
        behind += (is_digit & (behind >= 0)) | point
    plain &= (digits >= 1) & (digits <= 15)
    value = mantissa / _TENS[np.maximum(behind, 0)]
    return np.where(negative, -value, value), plain


def raise_number(raw: bytes, where: Place, what: What, about: str = "") -> NoReturn:
    """Raise an error that says why a cell is not a score or a grade."""
    slug, problem, hint = f"{what}-type", f"{what} {shown(raw)}{about} is not a number", Hint("")
    if raw.strip(b"+-").lower() == b"nan":
        slug = "score-nan" if what == "score" else "grade-type"
        problem, hint = f"{what} is NaN{about}", Hint("check how the score was computed; NaN cannot be ranked")
    elif _DECIMAL.fullmatch(raw):
        slug, problem = "grade-type", f"grade {shown(raw)}{about} is outside -2**53 to 2**53"
        hint = Hint("use small grades such as 0, 1, 2, 3")
    elif raw.count(b",") == 1 and _DECIMAL.fullmatch(raw.replace(b",", b".")):
        hint = Hint("write a decimal point: " + raw.replace(b",", b".").decode())
    elif where.line == 1:
        hint = Hint("if the first line is a header, separate its columns by tabs or commas, or remove it")
    elif what == "grade" and raw.isalpha():
        hint = Hint("write numbers, or map words to grades with {grade_map}", grade_map=None)
    else:
        hint = Hint(f"write the {what} as a decimal number such as 0.5, -3 or 1e-4")
    raise DataError(slug, problem, hint=hint, where=where, value=raw)


_PREFIX = re.compile(
    rb"\s*[+-]?(0[xX](?=\.?[0-9a-fA-F])[0-9a-fA-F]*\.?[0-9a-fA-F]*([pP][+-]?\d+)?|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf(inity)?|nan)?",
    re.IGNORECASE,
)


def _as_c_reads_it(raw: bytes, *, whole: bool) -> float:
    """Parse as C's `atof` and `atol` do: the longest numeric prefix, 0 if there is none."""
    if whole:
        match = re.match(rb"\s*[+-]?\d+", raw)
        return float(int(match[0])) if match else 0.0
    found = _PREFIX.match(raw)
    number = found[0].strip() if found else b""
    if re.fullmatch(rb"[+-]?", number):
        return 0.0
    text = number.decode()
    try:
        return float.fromhex(text) if "x" in text.lower() else float(text)
    except OverflowError:  # only hexadecimal: `float` itself gives infinity
        return float("-inf" if text.startswith("-") else "inf")


def with_points(cells: list[str]) -> list[str]:
    """Return decimal commas as points, unless some cells have points, or all commas may separate thousands."""
    commas = [cell for cell in cells if "," in cell]
    decimal = all(map(_COMMA.fullmatch, commas)) and not all(map(_THOUSANDS.fullmatch, commas))
    return [cell.replace(",", ".") for cell in cells] if decimal and not any("." in cell for cell in cells) else cells


def first_wrong(size: int, read: Callable[[int], object]) -> int:
    """Return the first row of a column that cannot be read: `read` returns None for a beginning that contains it."""
    return bisect_left(range(1, size + 1), True, key=lambda rows: read(rows) is None)


def first_not_whole(text: IdColumn, before: int) -> tuple[int, bytes]:
    """Return row and cell of the first that `whole_numbers` cannot read; `before` is the number of rows above the column."""
    row = first_wrong(len(text), lambda size: whole_numbers(text.take(slice(size))))
    return before + row, text[row]


def whole_numbers(text: IdColumn) -> NDArray[np.int64] | None:
    """Parse a column of unsigned integers; None if a cell is something else."""
    width = int(text.length.max(initial=1))
    if width > 18:
        return None
    value = np.zeros(len(text), np.int64)
    for position in range(width):
        inside = np.flatnonzero(text.length > position) if position else slice(None)
        digit = text.buffer[text.start[inside] + position].astype(np.int64) - 48
        if ((digit < 0) | (digit > 9)).any():
            return None
        value[inside] = value[inside] * 10 + digit
    return value
