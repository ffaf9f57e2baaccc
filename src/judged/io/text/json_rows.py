"""JSON for the native core: the layout of a file, by its beginning, and its rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from judged.core.tables import Qrels, Run, are_subtopics
from judged.core.text_rows import TextRows, read_rows
from judged.core.unread_runs import Layout, TextRun
from judged.errors import JudgedError, Place, Warned
from judged.io.files.mapped import TextPlaces, in_memory, open_later, open_now
from judged.io.files.source import Content
from judged.io.tables.column_names import list_names
from judged.io.tables.columns import ColumnRequest, find_columns, nested
from judged.io.tables.containers import is_flat
from judged.io.tables.context import Context
from judged.io.tables.origin import WholeOrigin
from judged.io.text.decimals import LARGEST_GRADE
from judged.io.text.encoding import Begin, check_end
from judged.io.text.lines import Head

_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*\{[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*([{\[])')
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[[ \t\r\n]*(?=\{)")


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON file as the native core takes it. `lines`: one record per line. `borrowed`: see `RoleColumns`."""

    layout: Layout
    lines: bool = False
    borrowed: bool = False

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
        return None if keys is None or request.named else lists(*keys, request.what)
    if found := _DOCUMENT.match(head.data):
        settings = {"listed": found[1] == b"[", "graded": request.what == "qrels", "columns": list_names("query")}
        return None if request.named else JsonText({"source": "json_document", **settings})
    if found := _ARRAY.match(head.data):
        try:
            record = json.JSONDecoder().raw_decode(bytes(head.data)[found.end() :].decode("utf-8", "replace"))[0]
        except (ValueError, RecursionError):
            return None
        return records(tuple(record), request, lines=False) if is_flat(record, Context(request)) else None
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
    return JsonText({"source": "json_lists", **settings}, lines=True)


def records(names: Sequence[str], request: ColumnRequest, *, lines: bool) -> JsonText | None:
    """Return records with these names, one per line or in an array."""
    try:
        columns = find_columns(names, request, Place(""))
    except JudgedError:
        return None
    field: dict[str, str | None] = {role: columns.column.get(role) for role in ("query", "doc", "rank", "aspect")}
    if "score" in request.named and field["rank"] is None:  # they may be ranks
        return None
    field["score"] = columns.column.get(request.number)
    return JsonText({"source": "json_records", "listed": not lines, **field}, lines, columns.borrowed)


def unread_json(content: Content, text: JsonText, read: Callable[[], Run]) -> TextRun:
    """Return an open file as a run for the native core; `read` reads it by the reference."""
    last = bytes(content.read()[-9:-8]) if content.file is None else content.last_byte()
    return TextRun(
        name=content.name, read=read, open=open_later(content, lines=text.lines), layout=text.layout,
        joinable=text.lines, warnings=text.warnings(last, content.name),
    )  # fmt: skip


def unread_chunk(data: bytes, begin: Begin, name: str, text: JsonText, read: Callable[[], Run]) -> TextRun:
    """Return some lines of a file as a run for the native core; `read` reads them by the reference."""
    opened = partial(nullcontext, in_memory(data, name, begin))
    return TextRun(name=name, read=read, open=opened, layout=text.layout)


def read_json_rows(content: Content, text: JsonText, request: ColumnRequest) -> Run | Qrels | None:
    """Read an open file; None if only the reference can."""
    name = content.name
    with open_now(content, lines=text.lines) as (data, start):
        rows = read_rows(data, start, text.layout)
        if rows is None:
            return None
        where = TextPlaces(name, open_later(content), text.layout) if text.lines else WholeOrigin(name).place
        warnings = text.warnings(data[-1:].tobytes(), name)
        keys: dict[str, Any] = {"name": name, "queries": rows.queries, "query": rows.query, "doc": rows.doc}
        keys |= {"where": where, "warnings": warnings}
    if request.what == "run":
        return Run(**keys, score=rows.number, rank=rows.rank)
    whole = rows.number == np.trunc(rows.number)
    if (np.abs(rows.number) > LARGEST_GRADE).any() or (text.borrowed and not whole.all()):
        return None
    return Qrels(**keys, grade=rows.number, aspect=_aspect(rows, text, request))


def _aspect(rows: TextRows, text: JsonText, request: ColumnRequest) -> Any:
    if text.layout.get("aspect") is None:
        return None
    aspects = rows.aspects()
    return aspects if "aspect" in request.named or are_subtopics(aspects) else None
