"""CSV and TSV with a header line, quotes handled; the BEIR layout is one of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.errors import DataError, Place, shown
from judged.io.tables.columns import ColumnRequest, find, usual
from judged.io.tables.context import Context
from judged.io.tables.origin import LineOrigin
from judged.io.tables.records import table_of
from judged.io.tables.table import SourceTable
from judged.io.text.encoding import Raw, check_encoding, unfinished

__all__ = ["Header", "header_for", "header_of", "of_delimited", "of_rows", "rows_in"]


_BATCH = 1 << 11  # few enough to be gone before the garbage collector looks at them twice
_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: how columns are separated, and what they are called."""

    delimiter: str
    names: tuple[str, ...]
    spaced: bool = False  # a blank follows each separator

    def reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self.delimiter, strict=True, skipinitialspace=self.spaced)


def header_of(line: str, wanted: ColumnRequest) -> Header | None:
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


def header_for(line: str, wanted: ColumnRequest) -> Header | None:
    """The header; or what stands in its place in a line that cannot be anything but one of CSV."""
    header = header_of(line, wanted)
    if header is None and "," in line and (wanted.named or len(line.split()) == 1):
        header = Header(",", tuple(line.split(",")))
    return header


def of_delimited(data: Raw, header: Header, first_line: int, context: Context) -> SourceTable:
    """The rows behind a header that stands in the line `first_line`."""
    path, size = context.name, len(data) - 8
    raw = bytes(data[check_encoding(data, size, path) : size])
    text = raw.decode("utf-8", "surrogateescape")
    escaped = not text.isascii() and not _is_utf8(raw)
    context = replace(context, warnings=unfinished(data[-9:-8], path))
    return of_rows(_batches(text, header, first_line, path), header, first_line, context, escaped=escaped)


def of_rows(
    batches: Iterable[tuple[list[list[str]], Ints]],
    header: Header,
    first_line: int,
    context: Context,
    *,
    escaped: bool | None = None,
) -> SourceTable:
    """Rows with their lines. `escaped`: whether some bytes are not UTF-8; None where it is to be found out."""
    path = context.name
    found = find(header.names, context.wanted, Place(path, first_line))
    position = {role: header.names.index(name) for role, name in found.column.items()}
    column: dict[str, list[Any]] = {role: [] for role in position}
    lines = [np.empty(0, np.int64)]
    for rows, line in batches:
        lines.append(line)
        for role, at in position.items():
            column[role] += [row[at] for row in rows]
    origin = LineOrigin(
        path, np.concatenate(lines), {role: (at + 1, found.column[role]) for role, at in position.items()}
    )
    for role in ("query", "doc"):
        _refuse_breaks(column[role], origin, role)
        if not _is_text(column[role]) if escaped is None else escaped:  # bytes that are not UTF-8 stay what they are
            column[role] = [cell.encode("utf-8", "surrogateescape") for cell in column[role]]
    return table_of(found, column, context, origin, in_text=True)


def _is_text(cells: list[str]) -> bool:
    joined = "".join(cells)
    return joined.isascii() or _is_utf8(joined.encode("utf-8", "surrogateescape"))


def _is_utf8(raw: bytes) -> bool:
    try:
        return bool(raw.decode("utf-8")) or True
    except UnicodeDecodeError:
        return False


def _batches(text: str, header: Header, first_line: int, path: str) -> Iterator[tuple[list[list[str]], Ints]]:
    """The rows behind the header, some at a time."""
    stream = io.StringIO(text, newline="")
    for _ in range(first_line):
        next(stream)
    return rows_in(stream, header, first_line, path)


def rows_in(text: Iterator[str], header: Header, first_line: int, path: str) -> Iterator[tuple[list[list[str]], Ints]]:
    """Rows with their lines, some at a time; blank lines are passed over, rows of another width refused.

    `first_line` is the number of the line before the text.
    """
    reader, width = header.reader(text), len(header.names)
    while True:
        before = reader.line_num
        try:
            rows = list(islice(reader, _BATCH))
        except csv.Error as error:
            _refuse_row(str(error), Place(path, first_line + max(reader.line_num, 1)), None)
        if not rows:
            return
        span = np.ones(len(rows), np.int64)
        if reader.line_num - before != len(rows):  # some cells hold line breaks
            span += [sum(len(_BREAK.findall(cell)) for cell in row) for row in rows]
        lines = first_line + before + 1 + np.cumsum(span) - span
        if not all(rows):
            filled = [i for i, row in enumerate(rows) if row]
            rows, lines = [rows[i] for i in filled], lines[filled]
        if set(map(len, rows)) - {width}:
            bad = next(i for i, row in enumerate(rows) if len(row) != width)
            got = f"{len(rows[bad])}: {shown(header.delimiter.join(rows[bad]))}"
            _refuse_row(got, Place(path, int(lines[bad])), f"{width} columns ({', '.join(header.names)})")
        yield rows, lines


def _refuse_row(got: str, where: Place, expected: str | None) -> NoReturn:
    slug, hint = ("csv", "quotes stand around a whole cell and are doubled inside") if expected is None else (
        "columns", "was the file cut off, or does a cell hold the separator without quotes?")  # fmt: skip
    raise DataError(slug, expected or "cells with closed quotes", got=got, hint=hint, where=where)


def _refuse_breaks(cells: list[str], origin: LineOrigin, role: str) -> None:
    """An id over two lines is two ids with stray quotes."""
    joined = "".join(cells)
    if "\n" in joined or "\r" in joined:
        row = next(i for i, cell in enumerate(cells) if _BREAK.search(cell))
        raise DataError(
            "csv", "an id on one line", got=shown(cells[row]), where=origin.place(row, role), value=cells[row],
            hint="a quote at the start of a cell must be closed at its end, and doubled inside",
        )  # fmt: skip
