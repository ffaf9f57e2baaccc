"""Decimal numbers in text: a strict grammar, rounded to the nearest double; and numbers as C reads them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Literal, NoReturn

from judged.errors import DataError, Hint, Place, shown

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
    elif what == "grade" and raw.isalpha():
        hint = Hint("write numbers, or map words to grades with {grade_map}", grade_map=None)
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
