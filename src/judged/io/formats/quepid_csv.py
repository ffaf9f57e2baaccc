"""CSV exports of Quepid: ratings, the results of a case with their ratings, snapshots."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.columns import ColumnRequest
from judged.io.files import PAD, Content
from judged.io.formats.delimited import Header, find_header
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.formats.shape_rows import QueryPage, Ranking, decimals, table_of
from judged.io.origin import Context
from judged.io.table import SourceTable
from judged.io.text.encoding import check_encoding, is_utf8
from judged.io.text.lines import Head
from judged.io.text_table import find_text, read_text_table
from judged.tables.text import counted

_FORMULA = ("-", "=", "+", "@")  # Quepid writes a blank before them, so that no spreadsheet computes them


class _Columns(NamedTuple):
    """The first columns of an export, and which of them are read. Fields of documents may follow, of any name."""

    names: tuple[str, ...]
    query: str
    doc: str
    position: str | None = None
    rating: str | None = None
    fields: bool = False


_RATINGS = _Columns(("query", "docid", "rating"), "query", "docid", rating="rating")
_CASE = _Columns(
    ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Doc Position", "Title", "Rating"),
    "Query Text",
    "Doc ID",
    "Doc Position",
    "Rating",
    fields=True,
)
_SNAPSHOT = _Columns(
    ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position"),
    "Query Text",
    "Doc ID",
    "Doc Position",
    fields=True,
)


def _find(header: Header) -> _Columns | None:
    for known in (_RATINGS, _CASE, _SNAPSHOT):
        names = header.names[: len(known.names)] if known.fields else header.names
        if header.delimiter == "," and names == known.names:
            return known
    return None


def _detect(head: Head, request: ColumnRequest) -> Header | None:
    if not request.is_ranking or request.named:
        return None
    line = head.line.decode("utf-8", "surrogateescape")
    return next((header for header in find_header(line, head.number) if _find(header) is not None), None)


def _read(content: Content, detected: Detected, context: Context) -> SourceTable:
    header: Header = detected.header
    known = _find(header)
    assert known is not None
    run = context.request.what == "run"
    if (known.position if run else known.rating) is None:
        problem = f"the Quepid export has no {'positions' if run else 'ratings'}"
        hint = "judgments come first, then the run" if run else "export the ratings of the case"
        raise DataError("swapped", problem, where=Place(context.name, header.line), hint=hint)
    if known is _RATINGS and (table := _read_complete(content, header, context)) is not None:
        return table
    escaped = not is_utf8(bytes(content.read()[: -len(PAD)]))
    lines: list[int] = []
    pages: list[QueryPage] = []
    unrated = 0
    for line, cells in _rows(content, header, context):
        row, item = dict(zip(header.names, cells, strict=False)), len(lines)
        lines.append(line)
        query, doc = (_id(cell, escaped=escaped) for cell in (_plain(row.get(known.query, "")), row.get(known.doc, "")))
        rating = row.get(known.rating or "", "").strip()
        if run and doc:
            position = _position(row.get(known.position or "", ""), Place(context.name, line))
            pages.append(QueryPage(query, Ranking([doc], start=position - 1), item))
        elif run:
            pages.append(QueryPage(query, Ranking([]), item))  # a query without results
        elif rating:
            pages.append(QueryPage(query, Ranking([doc], decimals([rating])), item))
        else:
            unrated += 1
    if unrated:
        text = f"{counted(unrated, 'row has', 'rows have')} no rating in {context.name}; the documents are unjudged"
        context = replace(
            context, warnings=(*context.warnings, Warned("unrated", unrated, text, Hint("rate them in Quepid")))
        )
    return table_of(pages, replace(context, lines=np.array(lines, np.int64)))


def _read_complete(content: Content, header: Header, context: Context) -> SourceTable | None:
    """Read ratings by the native core, as any CSV; None if a rating is missing, or a blank was written before a query."""
    text = find_text(content.head, header, context)
    marks = (b"\n " + mark.encode() for mark in _FORMULA)
    return (
        None
        if text is None or any(mark in content.read() for mark in marks)
        else read_text_table(content, text, context)
    )


def _rows(content: Content, header: Header, context: Context) -> Iterator[tuple[int, list[str]]]:
    """Iterate over the rows with their lines; a row without results has only its first columns."""
    import csv

    data = content.read()
    size = len(data) - len(PAD)
    text = bytes(data[check_encoding(data, size, context.name) : size]).decode("utf-8", "surrogateescape")
    stream = io.StringIO(text, newline="")
    for _ in range(header.line):
        next(stream)
    reader = header.reader(stream)
    while True:
        line = header.line + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            where, hint = Place(context.name, header.line + max(reader.line_num, 1)), "export the file again"
            raise DataError("csv", f"unclosed quote: {error}", where=where, hint=hint) from error
        if row:
            yield line, row


def _id(cell: str, *, escaped: bool) -> str | bytes:
    """Return an id; bytes that are not UTF-8 are kept."""
    return cell.encode("utf-8", "surrogateescape") if escaped else cell


def _plain(query: str) -> str:
    return query[1:] if query.startswith(tuple(f" {mark}" for mark in _FORMULA)) else query


def _position(cell: str, where: Place) -> int:
    if not cell.strip().isdecimal() or int(cell) < 1:
        hint = "export the file again"
        raise DataError(
            "rank-type", "a position as an integer ≥ 1", got=shown(cell), where=where, value=cell, hint=hint
        )
    return int(cell)


FORMATS.add(FileFormat("Quepid CSV", 45, _detect, _read))
