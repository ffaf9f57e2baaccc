"""JSON for the native core: the layout of a file, by its beginning, and its rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import Layout, TextRun, read_rows
from judged.errors import JudgedError, Place, Warned
from judged.io.columns import ColumnRequest, RoleColumns, find_columns, is_flat, list_names, nested
from judged.io.files import Content
from judged.io.formats.shapes import has_reader
from judged.io.mapped import TextLines, in_memory, open_later, open_now
from judged.io.origin import Context
from judged.io.text.encoding import Begin, check_end, text_start
from judged.io.text.lines import Head

if TYPE_CHECKING:
    from judged.io.origin import Origin
    from judged.io.table import SourceTable

_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*\{[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*([{\[])')
_NO_COLUMNS = RoleColumns({})
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[[ \t\r\n]*(?=\{)")


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON file as the native core takes it. `lines`: one record per line. `ranked`: rows have ranks. `columns`: of records, none of lists."""

    layout: Layout
    lines: bool
    ranked: bool
    columns: RoleColumns = _NO_COLUMNS

    @property
    def scored(self) -> bool:
        return self.layout["score"] is not None if self.columns.column else not self.ranked

    def warnings(self, last: bytes, name: str) -> tuple[Warned, ...]:
        return check_end(last, name) if self.lines else ()


def json_text(head: Head, names: Sequence[str], request: ColumnRequest) -> JsonText | None:
    """Return a file as the native core takes it, by its beginning; None if only the reference can read it.

    `names` are those of the first record, if the file has one record per line.
    """
    if not request.is_ranking or request.grade_map is not None:
        return None
    first, followed = first_record(head)
    if first is not None and followed:  # a single record is a document
        if names:
            return records(names, request, lines=True)
        keys = nested(first, request)
        if keys is not None and request.what == "qrels" and has_reader(first, "qrels") is False:
            return None  # which says what the records are
        return None if keys is None or request.named else lists(*keys, request.what)
    if found := _DOCUMENT.match(head.data):
        listed = found[1] == b"["
        settings = {"listed": listed, "graded": request.what == "qrels", "columns": list_names("query")}
        return None if request.named else JsonText({"source": "json_document", **settings}, lines=False, ranked=listed)
    if found := _ARRAY.match(head.data):
        try:
            record = json.JSONDecoder().raw_decode(bytes(head.data)[found.end() :].decode("utf-8", "replace"))[0]
        except (ValueError, RecursionError):
            return None
        return records(tuple(record), request, lines=False) if is_flat(record, request) else None
    return None


def first_record(head: Head) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the record on the first line, if there is one, and whether another line follows."""
    try:
        first = json.loads(head.line) if head.line[:1] == b"{" and b"\n" in head.data else None
    except (ValueError, RecursionError):
        first = None
    rest = bytes(head.data).split(b"\n", head.number)[head.number :]
    return first, bool(rest) and bool(rest[0].strip())


def lists(query: str, docs: str, what: str, fields: Mapping[str, str] | None = None) -> JsonText:
    """Return records with a list of documents, one per line. With `fields`, all have these, with values that begin like these."""
    settings = {"query": query, "docs": docs, "graded": what == "qrels", "fields": dict(fields or {})}
    return JsonText({"source": "json_lists", **settings}, lines=True, ranked=True)


def records(names: Sequence[str], request: ColumnRequest, *, lines: bool) -> JsonText | None:
    """Return records with these names, one per line or in an array."""
    try:
        columns = find_columns(names, request, Place(""))
    except JudgedError:
        return None
    field = {role: columns.column.get(role) for role in ("query", "doc", "rank", "aspect")}
    layout = {"source": "json_records", "listed": not lines, "score": columns.column.get(request.number), **field}
    return JsonText(layout, lines, field["rank"] is not None, columns)


def unread_json(content: Content, text: JsonText, read: Callable[[], Run]) -> TextRun:
    """Return an open file as a run for the native core; `read` reads it by the reference."""
    last = bytes(content.read()[-9:-8]) if content.file is None else content.last_byte()
    return TextRun(
        name=content.name,
        read=read,
        open=open_later(content, lines=text.lines),
        layout=text.layout,
        joinable=text.lines,
        scored=text.scored,
        ranked=text.ranked,
        warnings=text.warnings(last, content.name),
    )


def unread_chunk(data: bytes, begin: Begin, name: str, text: JsonText, read: Callable[[], Run]) -> TextRun:
    """Return some lines of a file as a run for the native core; `read` reads them by the reference."""
    opened: Any = partial(nullcontext, in_memory(data, text_start(data, name, begin)))
    return TextRun(name=name, read=read, open=opened, layout=text.layout, scored=text.scored, ranked=text.ranked)


def read_json_rows(content: Content, text: JsonText, context: Context) -> SourceTable | None:
    """Read an open file; None if only the reference can."""
    from judged.io.cells import GroupedIds
    from judged.io.origin import LineOrigin
    from judged.io.table import SourceTable

    with open_now(content, lines=text.lines) as (data, start):
        rows = read_rows(data, start, text.layout)
        last = data[-1:].tobytes()
    if rows is None:
        return None
    origin: Origin
    if text.lines:
        origin = LineOrigin(context.name, TextLines(open_later(content), text.layout))
    elif text.columns.column:
        origin = context.items(text.columns.column)
    else:
        origin = context.keys(rows.queries, np.bincount(rows.query), rows.doc, keyed=not text.ranked)
    return SourceTable(
        name=context.name,
        request=context.request,
        warnings=text.warnings(last, context.name),
        origin=origin,
        query=GroupedIds(rows.queries, rows.query),
        doc=rows.doc,
        number=rows.number if text.scored or not text.columns.column else None,
        scored=text.scored,
        rank=rows.rank if text.ranked else None,
        borrowed=text.columns.borrowed,
        aspect=rows.aspects() if text.layout.get("aspect") is not None else None,
    )
