"""CSV and TSV with a header line and quoted cells; the layout of BEIR is one of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.tables import Run
from judged.core.unread_runs import TextRun
from judged.errors import DataError, Place, Warned, shown
from judged.io import files as limits
from judged.io.columns import ColumnRequest, count_known, find_columns
from judged.io.files import PAD, Content, Raw, TextLines, open_later
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.lines import Head
from judged.io.native_text import NativeText
from judged.io.origin import Context, Origin
from judged.io.table import Batch, ColumnBatches, SourceTable
from judged.io.text import (
    WHOLE,
    Begin,
    check_encoding,
    check_end,
    is_decimal,
    is_text,
    warn_encoding,
    with_points,
)
from judged.tables.table import counted

_BATCH = 1 << 11  # few enough to be freed before the garbage collector visits them twice
_SEPARATOR = re.compile(r'"?sep=([,;|]?)"?', re.IGNORECASE)  # of a tab, only sep= is left
_BREAK = re.compile(r"\r\n|\r|\n")
_RETURN = re.compile(rb"\r(?!\n)")

Rows = tuple[
    list[list[str]], Ints, int
]  # with the number of the line of each; number of rows before them without any text


# ── headers ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: the delimiter and the names of the columns. `line` lines come before the rows."""

    delimiter: str
    names: tuple[str, ...]
    line: int = 1
    spaced: bool = False  # a blank follows each delimiter, here or in the first row


def split_line(line: str, delimiter: str) -> list[str]:
    """Split a line of CSV; [] if its quotes are not closed."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _detect(head: Head, request: ColumnRequest) -> Header | None:
    header = _find_header(head, request)
    if header is None or header.spaced:
        return header
    row = split_line(_line_below(head, header.line), header.delimiter)[1:]
    return replace(header, spaced=bool(row) and all(cell.startswith(" ") for cell in row))


def _line_below(head: Head, number: int) -> str:
    """Return the first line with data after a number of lines; '' if there is none."""
    lines = bytes(head.data).split(b"\n", number + 8)[number : number + 8]
    return next((line.decode("utf-8", "surrogateescape").rstrip("\r") for line in lines if line.strip()), "")


def _find_header(head: Head, request: ColumnRequest) -> Header | None:
    line, number = head.line.decode("utf-8", "surrogateescape"), head.number
    if separator := _SEPARATOR.fullmatch(line):  # Excel writes sep=; above the header
        names = split_line(_line_below(head, number), separator[1] or "\t")
        return Header(separator[1] or "\t", tuple(name.strip() for name in names), number + 1) if names else None
    headers = []
    for delimiter in "\t,;":
        cells = split_line(line, delimiter)
        if len(cells) > 1:
            spaced = any(cell.startswith(" ") for cell in cells[1:])
            headers.append(Header(delimiter, tuple(cell.strip() for cell in cells), number, spaced))
    best = max(headers, key=lambda header: count_known(header.names, request), default=None)
    if best is not None and count_known(best.names, request) >= (1 if request.named or request.roles else 2):
        return best
    if request.is_ranking and "," in line and (request.named or len(line.split()) == 1):
        return Header(",", tuple(line.split(",")), number)
    if not request.is_ranking and sum(role.required for role in request.roles.values()) <= 2:
        return None
    # Names without any number cannot be a row of a run, of judgments or of clicks.
    return next(
        (
            header
            for header in headers
            if len(header.names) > 2
            and not any(is_decimal(name.encode("utf-8", "surrogateescape")) for name in header.names)
        ),
        None,
    )


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────


def raise_width(line: str, count: int, names: tuple[str, ...], where: Place) -> NoReturn:
    """Raise an error for a row whose number of columns differs from that of the header."""
    hint = "check whether the file is truncated, or a cell contains an unquoted delimiter"
    problem = f"expected {len(names)} columns ({', '.join(names)}), got {count}: {shown(line)}"
    raise DataError("columns", problem, where=where, value=line, hint=hint)


def iterate_rows(chunks: Iterable[tuple[Raw, Begin]], header: Header, path: str) -> Iterator[Rows]:
    """Iterate over batches of rows with their lines; blank lines and rows of empty cells are skipped. The chunks are those of a whole file."""
    above = header.line
    lines_below = islice(_decode(chunks, path), header.line, None)
    reader = csv.reader(lines_below, delimiter=header.delimiter, strict=True, skipinitialspace=header.spaced)
    width = len(header.names)
    while True:
        before = reader.line_num
        longest = csv.field_size_limit(limits.LONGEST_LINE)
        try:
            rows = list(islice(reader, _BATCH))
        except csv.Error as error:
            hint = "quote the whole cell, and double any quotes inside it"
            where = Place(path, above + max(reader.line_num, 1))
            raise DataError("csv", f"unclosed quote: {error}", where=where, hint=hint) from error
        finally:
            csv.field_size_limit(longest)
        if not rows:
            return
        span = np.ones(len(rows), np.int64)
        if reader.line_num - before != len(rows):  # some cells contain line breaks
            span += [sum(len(_BREAK.findall(cell)) for cell in row) for row in rows]
        lines = above + before + 1 + np.cumsum(span) - span
        empty = 0
        if not all(map(any, rows)):  # the last rows of a sheet, say
            filled = [i for i, row in enumerate(rows) if any(row) or len(row) not in (0, width)]
            empty = sum(map(bool, rows)) - len(filled)
            rows, lines = [rows[i] for i in filled], lines[filled]
        if set(map(len, rows)) - {width}:
            bad = next(i for i, row in enumerate(rows) if len(row) != width)
            raise_width(header.delimiter.join(rows[bad]), len(rows[bad]), header.names, Place(path, int(lines[bad])))
        yield rows, lines, empty


def _decode(chunks: Iterable[tuple[Raw, Begin]], name: str) -> Iterator[str]:
    """Iterate over the lines of chunks with their ends. Bytes that are not UTF-8 are kept."""
    for data, begin in chunks:
        size = len(data) - len(PAD)
        start = check_encoding(data, size, name, begin)
        yield from io.StringIO(bytes(data[start:size]).decode("utf-8", "surrogateescape"), newline="")


def _read_rows(rows: Iterable[Rows], header: Header, context: Context) -> ColumnBatches:
    """Return the rows of a file as columns."""
    path = context.name
    columns = find_columns(header.names, context.request, Place(path, header.line))
    position = {role: header.names.index(name) for role, name in columns.items()}
    lines, empty = [np.empty(0, np.int64)], 0

    def origin() -> Origin:
        return Origin(name=path, typed=False, line=np.concatenate(lines), column=_places(header, columns))

    def batches() -> Iterator[Batch]:
        nonlocal empty
        for batch, numbers, skipped in rows:
            lines.append(numbers)
            empty += skipped
            yield {role: [row[at] for row in batch] for role, at in position.items()}

    if not context.request.is_ranking:
        return ColumnBatches(context, columns, batches(), origin, in_text=True)
    cells: dict[str, list[Any]] = {role: [] for role in position}
    for batch in batches():
        for role in position:
            cells[role] += batch[role]
    if empty:
        text = f"skipped {counted(empty, 'empty row')} of {path}"
        context = replace(context, warnings=(*context.warnings, Warned("empty-rows", empty, text)))
    number = context.request.number
    if header.delimiter == ";" and number in cells:
        cells[number] = with_points(cells[number])
    for role in ("query", "doc"):
        if _BREAK.search("".join(cells[role])):
            row = next(i for i, cell in enumerate(cells[role]) if _BREAK.search(cell))
            cell, where = cells[role][row], origin().place(row, role)  # two ids with a stray quote
            hint = "add the quote that is missing; if none is, write JSON Lines, where an id may contain a line break"
            raise DataError("csv", f"the id {shown(cell)} contains a line break", where=where, value=cell, hint=hint)
        if not is_text(cells[role]):  # bytes that are not UTF-8 are kept
            context = replace(context, warnings=(*context.warnings, warn_encoding(cells[role], path, role)))
            cells[role] = [cell.encode("utf-8", "surrogateescape") for cell in cells[role]]
    return ColumnBatches(context, columns, [cells], origin, in_text=True)


def _places(header: Header, columns: Mapping[str, str]) -> dict[str, tuple[int | None, object]]:
    """Return the number and the name of the column of each role."""
    return {role: (header.names.index(name) + 1, name) for role, name in columns.items()}


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _read(content: Content, detected: Detected, context: Context) -> ColumnBatches | SourceTable:
    header = detected.header
    text = _find_text(content.head, header, context)
    if text is not None:
        lines = TextLines(open_later(content, text.start), text.layout, returns=True)
        origin = Origin(name=context.name, typed=False, line=lines, column=_places(header, text.columns))
        table = text.read(content, context, lambda _: origin)
        if table is not None:
            return table
    data = content.read()
    context = replace(context, warnings=check_end(data[-9:-8], context.name))
    return _read_rows(iterate_rows([(data, WHOLE)], header, context.name), header, context)


def _unread(content: Content, detected: Detected, context: Context, read: Callable[[], Run]) -> TextRun | None:
    text = _find_text(content.head, detected.header, context)
    return None if text is None else text.unread(content, read)


def _find_text(head: Raw, header: Header, context: Context) -> NativeText | None:
    """Return the rows for the native core by the beginning of a file; None if the reference must read it, or report an error."""
    request, start = context.request, 0
    for _ in range(header.line):
        start = head.find(b"\n", start) + 1
        if not start:
            return None
    if not request.is_ranking or request.grade_map is not None:
        return None
    if _RETURN.search(head, 0, start):
        return None
    try:
        columns = find_columns(header.names, request, Place(context.name, header.line))
    except DataError:
        return None
    position = {role: header.names.index(name) for role, name in columns.items()}
    layout = {
        "source": "delimited",
        "separator": header.delimiter,
        "spaced": header.spaced,
        "columns": len(header.names),
        **{role: position.get(role, -1) for role in ("query", "doc", "rank", "aspect")},
        "number": position.get(request.number, -1),
        "grades": request.what == "qrels",
    }
    return NativeText(layout, columns, scored=request.number in position, ranked="rank" in position, start=start)


CSV = FORMATS.add(FileFormat("CSV", _detect, _read, unread=_unread))
