"""CSV and TSV with a header line, quotes handled; the BEIR layout is one of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.errors import DataError, Place, shown
from judged.sources._columns import Wanted, find, usual
from judged.sources._context import Context
from judged.sources._encoding import Raw, check_encoding, unfinished
from judged.sources._origin import Lines
from judged.sources._table import Table

__all__ = ["Header", "header_of", "of_delimited"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: how columns are separated, and what they are called."""

    delimiter: str
    names: tuple[str, ...]
    spaced: bool = False  # a blank follows each separator

    def reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self.delimiter, strict=True, skipinitialspace=self.spaced)


def header_of(line: str, wanted: Wanted) -> Header | None:
    """The header, where at least two cells are names of columns; one is enough where the caller names some."""
    for delimiter in "\t,;":
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration):
            continue
        names = tuple(cell.strip() for cell in cells)
        if len(names) > 1 and usual(names, wanted) >= (1 if wanted.named else 2):
            return Header(delimiter, names, any(cell.startswith(" ") for cell in cells[1:]))
    return None


def of_delimited(data: Raw, header: Header, first_line: int, context: Context) -> Table:
    """The rows behind a header that stands in the line `first_line`."""
    path, size = context.name, len(data) - 8
    raw = bytes(data[check_encoding(data, size, path) : size])
    text = raw.decode("utf-8", "surrogateescape")
    rows, lines = _rows(text, header, first_line, path)
    found = find(header.names, context.wanted, Place(path, first_line))
    position = {role: header.names.index(name) for role, name in found.column.items()}
    column = {role: [row[at] for row in rows] for role, at in position.items()}
    origin = Lines(path, lines, {role: (at + 1, found.column[role]) for role, at in position.items()})
    escaped = not text.isascii() and not _is_utf8(raw)
    for role in ("query", "doc"):
        _refuse_breaks(column[role], origin, role)
        if escaped:  # bytes that are not UTF-8 stay what they are
            column[role] = [cell.encode("utf-8", "surrogateescape") for cell in column[role]]  # type: ignore[misc]
    return Table(
        **{**context.basics(), "warnings": unfinished(data, path)},
        origin=origin,
        query=column["query"],
        doc=column["doc"],
        number=column.get(context.wanted.number),
        rank=column.get("rank"),
        aspect=column.get("aspect"),
        in_text=True,
        borrowed=found.borrowed,
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        return bool(raw.decode("utf-8")) or True
    except UnicodeDecodeError:
        return False


def _rows(text: str, header: Header, first_line: int, path: str) -> tuple[list[list[str]], Ints | range]:
    """The rows with their lines; blank lines are passed over, rows of another width refused."""
    reader = header.reader(_after(text, first_line))
    try:
        rows = list(reader)
    except csv.Error as error:
        _refuse_row(str(error), Place(path, first_line + max(reader.line_num, 1)), None)
    filled = [i for i, row in enumerate(rows) if row]
    lines: Ints | range = range(first_line + 1, first_line + 1 + len(rows))
    if reader.line_num != len(rows):  # some cells hold line breaks
        lines = _first_lines(header.reader(_after(text, first_line)), first_line)
    if len(filled) < len(rows):
        rows, lines = [rows[i] for i in filled], np.asarray(lines)[filled]
    width = len(header.names)
    if set(map(len, rows)) - {width}:
        bad = next(i for i, row in enumerate(rows) if len(row) != width)
        got = f"{len(rows[bad])}: {shown(header.delimiter.join(rows[bad]))}"
        _refuse_row(got, Place(path, int(lines[bad])), f"{width} columns ({', '.join(header.names)})")
    return rows, lines


def _after(text: str, lines: int) -> Iterator[str]:
    stream = io.StringIO(text, newline="")
    for _ in range(lines):
        next(stream)
    return stream


def _first_lines(reader: Any, before: int) -> Ints:
    start = [before + 1]
    start += [before + reader.line_num + 1 for _ in reader]
    return np.array(start[:-1], dtype=np.int64)


def _refuse_row(got: str, where: Place, expected: str | None) -> NoReturn:
    slug, hint = ("csv", "quotes stand around a whole cell and are doubled inside") if expected is None else (
        "columns", "was the file cut off, or does a cell hold the separator without quotes?")  # fmt: skip
    raise DataError(slug, expected or "cells with closed quotes", got=got, hint=hint, where=where)


def _refuse_breaks(cells: list[str], origin: Lines, role: str) -> None:
    """An id over two lines is two ids with stray quotes."""
    for mark in "\n\r":
        if any(mark in cell for cell in cells):
            row = next(i for i, cell in enumerate(cells) if mark in cell)
            raise DataError(
                "csv", "an id on one line", got=shown(cells[row]), where=origin.place(row, role), value=cells[row],
                hint="a quote at the start of a cell must be closed at its end, and doubled inside",
            )  # fmt: skip
