"""JSON documents and JSON Lines: by the native core, or by the reference, which reports errors with their places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import TextRun
from judged.errors import JudgedError, Place
from judged.io.columns import NAMES, ColumnRequest, find_columns, is_flat, nested
from judged.io.files import Content, Raw, TextLines, open_later
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.formats.shapes import parts_of, read_shape, shape_of
from judged.io.json_parser import is_json, load_json
from judged.io.lines import Head
from judged.io.native_text import NativeText
from judged.io.origin import Context, Origin
from judged.io.text import check_end, decode

if TYPE_CHECKING:
    from judged.io.table import ColumnBatches, SourceTable

_BATCH = 1 << 11  # few enough to be freed before the garbage collector visits them twice


def _detect(head: Head, request: ColumnRequest) -> tuple[str, ...] | None:
    """Return the names in the first record, if the file is JSON Lines with one document per line; else ()."""
    if head.line[:1] not in (b"{", b"["):
        return None
    record = _first_record(head)
    return tuple(record) if record and is_flat(record, request) and not _is_shaped(record, request) else ()


def _first_record(head: Head) -> Mapping[str, Any] | None:
    """Return the record on the first line, if it is complete there."""
    try:
        first = json.loads(head.line) if head.line[:1] == b"{" and b"\n" in head.data else None
    except (ValueError, RecursionError):
        return None
    return first if isinstance(first, Mapping) else None


def _is_shaped(record: Any, request: ColumnRequest) -> bool:
    """Return whether a record contains a document of another program."""
    return request.is_ranking and parts_of(record) is not None


# ── the reference ────────────────────────────────────────────────────────────────────────────────


def _read(content: Content, detected: Detected, context: Context) -> SourceTable | ColumnBatches:
    """Read a JSON document; or JSON Lines, if the first line is complete and others follow."""
    text = _find_text(detected.head, detected.header, context.request)
    table = None if text is None else text.read(content, context, partial(_origin, content, text, context))
    if table is not None:
        return table
    from judged.io.containers import read_items, read_mapping

    data = content.read()
    values, context = _load_values(data, context)
    if context.lines is None:
        return read_mapping(values, context) if isinstance(values, Mapping) else read_items(values, context)
    context = replace(context, warnings=check_end(data[-9:-8], context.name))
    first = next(values)
    values = chain([first], values)
    if is_flat(first, context.request) and not _is_shaped(first, context.request):
        return _read_records(values, list(first), context)
    shaped = read_shape(values, context) if _is_shaped(first, context.request) else None  # few exist at a time
    return read_items(list(values), context) if shaped is None else shaped


def read_values(data: Raw, context: Context) -> tuple[Any, Context]:
    """Return the value of a JSON document, or the list of those of JSON Lines with the numbers of their lines."""
    value, context = _load_values(data, context)
    return value if context.lines is None else list(value), context


def _load_values(data: Raw, context: Context) -> tuple[Any, Context]:
    """Return the value of a JSON document; or an iterator over those of JSON Lines, with the numbers of their lines."""
    text = decode(data, context.name)
    rows = text.split("\n" if "\n" in text else "\r")
    filled = [i for i, row in enumerate(rows) if row.strip()]
    if len(filled) < 2 or not is_json(rows[filled[0]]):
        return load_json(text, context.place), context
    numbers = np.array(filled, np.int64) + 1
    values = (load_json(rows[i], Place(context.name, int(number))) for i, number in zip(filled, numbers, strict=True))
    return values, replace(context, lines=numbers)


def _read_records(values: Iterator[Any], names: Sequence[str], context: Context) -> ColumnBatches:
    """Read plain records batch by batch."""
    from judged.io.containers import take_columns
    from judged.io.table import ColumnBatches

    columns = find_columns(names, context.request, context.place)

    def batches() -> Iterator[dict[str, list[Any]]]:
        at, lines = 0, context.lines
        assert lines is not None
        while batch := list(islice(values, _BATCH)):
            part = replace(context, lines=lines[at : at + len(batch)])
            yield take_columns(batch, columns, part.items())
            at += len(batch)

    return ColumnBatches(context, columns, batches(), lambda: context.items(columns))


# ── the native core ──────────────────────────────────────────────────────────────────────────────


_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*\{[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*([{\[])')
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[[ \t\r\n]*(?=\{)")


def _unread(content: Content, detected: Detected, context: Context, read: Callable[[], Run]) -> TextRun | None:
    text = _find_text(detected.head, detected.header, context.request)
    return None if text is None else text.unread(content, read)


def _find_text(head: Head, names: Sequence[str], request: ColumnRequest) -> NativeText | None:
    """Return a file as the native core takes it, by its beginning; None if only the reference can read it.

    `names` are those of the first record, if the file has one record per line.
    """
    if not request.is_ranking or request.grade_map is not None:
        return None
    first, graded = _first_record(head), request.what == "qrels"
    if first is not None and head.has_rows:  # a single record is a document
        if names:
            return _records(names, request, lines=True)
        keys = nested(first, request)
        if keys is None or request.named or (graded and shape_of(first) is not None):
            return None
        layout = {"source": "json_lists", "query": keys[0], "docs": keys[1], "graded": graded, "fields": {}}
        return NativeText(layout, {}, scored=False, ranked=True)
    if found := _DOCUMENT.match(head.data):
        listed = found[1] == b"["
        layout = {"source": "json_document", "listed": listed, "graded": graded, "columns": sum(NAMES["query"], ())}
        text = NativeText(layout, {}, scored=not listed, ranked=listed, lines=False)
        return None if request.named else text
    if found := _ARRAY.match(head.data):
        try:
            record = json.JSONDecoder().raw_decode(bytes(head.data)[found.end() :].decode("utf-8", "replace"))[0]
        except (ValueError, RecursionError):
            return None
        return _records(tuple(record), request, lines=False) if is_flat(record, request) else None
    return None


def _records(names: Sequence[str], request: ColumnRequest, *, lines: bool) -> NativeText | None:
    """Return records with these names, one per line or in an array."""
    try:
        columns = find_columns(names, request, Place(""))
    except JudgedError:
        return None
    field = {role: columns.get(role) for role in ("query", "doc", "rank", "aspect")}
    score = columns.get(request.number)
    layout = {"source": "json_records", "listed": not lines, "score": score, **field}
    return NativeText(layout, columns, scored=score is not None, ranked="rank" in columns, lines=lines)


def _origin(content: Content, text: NativeText, context: Context, rows: Any) -> Origin:
    if text.lines:
        return Origin(name=context.name, typed=False, line=TextLines(open_later(content), text.layout))
    if text.columns:
        return context.items(text.columns)
    return context.keys(rows.queries, np.bincount(rows.query), rows.doc, keyed=not text.ranked)


JSON = FORMATS.add(FileFormat("JSON", _detect, _read, unread=_unread))
