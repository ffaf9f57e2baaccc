"""A table as plain data, and its plainest rendering."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from judged.errors import safe

__all__ = ["Table", "cell", "counted", "plain", "safe"]


@dataclass(frozen=True, slots=True)
class Table:
    """Headers, rows of text, a title above and notes below."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    words: tuple[int, ...] = (0,)  # which columns hold words, aligned to the left; the others hold numbers
    strong: frozenset[tuple[int, int]] = (
        frozenset()
    )  # (row, column) of the best values, shown in bold where that can be


def plain(table: Table) -> str:
    """The table in fixed width, with two blanks between columns."""
    cells = [tuple(map(safe, row)) for row in (table.headers, *table.rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(_pad(c, w, i in table.words) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in cells
    ]
    title = [safe(table.title), ""] if table.title else []
    notes = ["", *map(safe, table.notes)] if table.notes else []
    rule = "  ".join("─" * w for w in widths)
    return "\n".join([*title, lines[0], rule, *lines[1:], *notes])


def cell(value: Any) -> Any:
    """A value for a CSV file: empty where it is missing; no text that a spreadsheet would compute."""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return "" if value is None or value != value else value


def counted(n: int, noun: str, several: str = "") -> str:
    """A number with its noun: 1 document, 2 documents, 3 queries."""
    return f"{n} {noun}" if n == 1 else f"{n} {several or noun + 's'}"


def _width(text: str) -> int:
    """Columns a text takes on a terminal: wide letters two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, left: bool) -> str:
    blank = " " * (width - _width(text))
    return text + blank if left else blank + text
