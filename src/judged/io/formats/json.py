"""JSON documents and JSON Lines: by the native core, or by the reference, which reports errors with their places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.ids import IdColumn
from judged.core.native import NATIVE
from judged.core.tables import Run
from judged.core.unread_runs import Layout, TextRun, read_rows
from judged.errors import DataError, JudgedError, Place, Warned, shown
from judged.io.columns import NAMES, ColumnRequest, RoleColumns, find_columns, is_flat, nested
from judged.io.files import Content, Raw
from judged.io.formats.registry import FORMATS, Detected, FileFormat, TextChunks
from judged.io.formats.shapes import has_reader, may_have_shape, parts_of, read_shape_lines
from judged.io.mapped import TextLines, in_memory, open_later, open_now
from judged.io.origin import Context
from judged.io.text.encoding import Begin, check_end, decode, raise_encoding, text_start
from judged.io.text.json_parser import DuplicateKeyError, is_json, load_json, scan
from judged.io.text.lines import Head, Numbered

if TYPE_CHECKING:
    from judged.io.origin import Origin
    from judged.io.table import ColumnBatches, SourceTable

_BATCH = 1 << 11  # few enough to be freed before the garbage collector visits them twice


def _detect(head: Head, request: ColumnRequest) -> tuple[str, ...] | None:
    """Return the names in the first record, if the file is JSON Lines with one document per line; else ()."""
    if head.line[:1] not in (b"{", b"["):
        return None
    if b"\n" not in head.data:
        return ()
    try:
        record = json.loads(head.line)
    except (ValueError, RecursionError):
        return ()
    return tuple(record) if is_flat(record, request) and not _is_shaped(record, request) else ()


def _is_shaped(record: Any, request: ColumnRequest) -> bool:
    """Return whether a record contains a document of another program."""
    return request.is_ranking and may_have_shape(record) and parts_of(record) is not None


def _read(content: Content, detected: Detected, context: Context) -> SourceTable | ColumnBatches:
    """Read a JSON document; or JSON Lines, if the first line is complete and others follow."""
    text = json_text(detected.head, detected.header, context.request)
    table = None if text is None else read_json_rows(content, text, context)
    return _read_by_reference(content, context) if table is None else table


def _unread(content: Content, detected: Detected, read: Callable[[], Run]) -> TextRun | None:
    request = ColumnRequest("run")
    text = json_text(detected.head, detected.header, request)
    if text is None:
        return None
    held = partial(_read_held, content, Context(request, content.name))  # which can be opened only once
    return unread_json(content, text, held if content.file is None else read)


def _read_held(content: Content, context: Context) -> Run:
    from judged.io.table import ColumnBatches, as_run, concatenate

    table = _read_by_reference(content, context)
    return as_run(concatenate(table) if isinstance(table, ColumnBatches) else table)


def _read_by_reference(content: Content, context: Context) -> SourceTable | ColumnBatches:
    data = content.read()
    text = decode(data, context.name)
    lines, filled = _split_lines(text)
    if not _are_json_lines(lines, filled):
        value = load_json(text, context.place)
        return _read_value(value, context)
    context = replace(context, lines=np.array(filled) + 1, warnings=check_end(data[-9:-8], context.name))
    first = load_json(lines[filled[0]], context.items().place(0))
    return _read_items(lines, filled, first, context)


def _read_items(lines: list[str], filled: list[int], first: Any, context: Context) -> SourceTable | ColumnBatches:
    if _is_shaped(first, context.request):
        return read_shape_lines(first, (batch for batch, _ in _load_batches(lines, filled, context)), context)
    if is_flat(first, context.request):
        return _read_lines(lines, filled, list(first), context)
    if context.request.is_ranking:
        from judged.io.containers import read_items

        return read_items(_load_lines(lines, filled, context), context)
    raise DataError("columns", "one record per line", got=shown(first), where=context.items().place(0))


def read_values(data: Raw, context: Context) -> tuple[Any, Context]:
    """Return the value of a JSON document, or the list of those of JSON Lines with the numbers of their lines."""
    text = decode(data, context.name)
    lines, filled = _split_lines(text)
    if not _are_json_lines(lines, filled):
        return load_json(text, context.place), context
    context = replace(context, lines=np.array(filled) + 1)
    return _load_lines(lines, filled, context), context


def iterate_json(lines: Numbered, name: str, skip: Callable[[bytes], bool]) -> Iterator[tuple[Any, Place]]:
    """Iterate over the values of JSON Lines with their places; or return one document, whose place has no line.

    Args:
        lines: the lines of a file, with their numbers.
        name: of the file.
        skip: returns whether a line is passed over before it is parsed.
    """
    filled = ((number, line) for number, line in lines if line and not line.isspace())
    begin = [line for line in (next(filled, None), next(filled, None)) if line is not None]
    (number, first), second = begin[0], begin[1][1] if len(begin) > 1 else b""
    whole = is_json(_decode_line(first, name, number))
    # A first line that is not complete, before one that is, cannot begin a document.
    broken = first.lstrip()[:1] == b"{" == second.lstrip()[:1] and is_json(second.decode("utf-8", "replace"))
    if second and (whole or broken):
        for number, line in chain(begin, filled):
            if not skip(line):
                where = Place(name, number)
                yield load_json(_decode_line(line, name, number), where), where
        return
    text, at = [], 1
    for number, line in chain(begin, filled):
        text.append(b"\n" * (number - at) + line)  # errors name the line
        at = number
    yield load_json(_decode_line(b"".join(text), name, 1), Place(name)), Place(name)


def _decode_line(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise_encoding(line, error.start, Place(name, number + line.count(b"\n", 0, error.start)))


def _split_lines(text: str) -> tuple[list[str], list[int]]:
    """Return the lines, and the numbers of those that are not blank."""
    lines = text.split("\n" if "\n" in text else "\r")
    return lines, [i for i, line in enumerate(lines) if line.strip()]


def _are_json_lines(lines: list[str], filled: list[int]) -> bool:
    return len(filled) > 1 and is_json(lines[filled[0]])


def _read_chunks(chunks: TextChunks, names: Sequence[str], context: Context) -> Iterator[SourceTable | TextRun]:
    """Read stretches of JSON Lines with a plain record on each; the first record of the file has these names."""
    text = records(names, context.request, lines=True) if NATIVE else None
    for chunk in chunks:
        read = partial(_read_chunk, *chunk, names, context)
        yield read() if text is None else unread_chunk(*chunk, context.name, text, partial(_as_run, read))


def _as_run(read: Callable[[], SourceTable]) -> Run:
    """Return a table as a run, which may have no rows."""
    table, none = read(), IdColumn.of(())
    if len(table.query):
        from judged.io.table import as_run

        return as_run(table)
    return Run(name=table.name, queries=none, query=np.empty(0, np.int64), doc=none, score=np.empty(0))


def _read_chunk(data: bytes, begin: Begin, names: Sequence[str], context: Context) -> SourceTable:
    from judged.io.table import concatenate

    lines = decode(data, context.name, begin).split("\n")
    filled = [i for i, line in enumerate(lines) if line.strip()]
    numbered = replace(context, lines=np.array(filled, np.int64) + begin.lines + 1)
    return concatenate(_read_lines(lines, filled, names, numbered))


def _read_lines(lines: list[str], filled: list[int], names: Sequence[str], context: Context) -> ColumnBatches:
    """Read plain records batch by batch, so that few of them exist at a time."""
    from judged.io.containers import take_columns
    from judged.io.table import ColumnBatches

    columns = find_columns(names, context.request, context.place)
    batches = (take_columns(batch, columns, part.items()) for batch, part in _load_batches(lines, filled, context))
    return ColumnBatches(context, columns, batches, lambda: context.items(columns.column))


def _load_batches(lines: list[str], filled: list[int], context: Context) -> Iterator[tuple[list[Any], Context]]:
    """Iterate over the values of lines batch by batch, each with the numbers of its lines."""
    assert context.lines is not None
    for at in range(0, len(filled), _BATCH):
        part = replace(context, lines=context.lines[at : at + _BATCH])
        yield _load_lines(lines, filled[at : at + _BATCH], part), part


def _load_lines(lines: list[str], filled: list[int], context: Context) -> list[Any]:
    """Return the value of each line: fast if all are valid, else with the place of the error."""
    try:
        pairs = [(scan(line := lines[i].strip(" \t\r"), 0), len(line)) for i in filled]
    except (ValueError, RecursionError, StopIteration, DuplicateKeyError):
        pairs = []
    if not pairs or any(end != length for (_, end), length in pairs):
        where = context.items()
        return [load_json(lines[i], where.place(row)) for row, i in enumerate(filled)]
    return [value for (value, _), _ in pairs]


def _read_value(value: Any, context: Context) -> SourceTable | ColumnBatches:
    from judged.io.containers import read_items, read_mapping

    if isinstance(value, Mapping):
        return read_mapping(value, context)
    if isinstance(value, list):
        return read_items(value, context)
    hint = "write {query: {doc: score}}, or one record per line"
    raise DataError("json", "a JSON object or array", got=shown(value), where=context.name, value=value, hint=hint)


JSON = FORMATS.add(FileFormat("JSON", 40, _detect, _read, read_chunks=_read_chunks, unread=_unread))


# ── layouts for the native core ───────────────────────────────────────────────────────────────────


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
        settings = {"listed": listed, "graded": request.what == "qrels", "columns": sum(NAMES["query"], ())}
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
    from judged.io.origin import Origin
    from judged.io.table import SourceTable

    with open_now(content, lines=text.lines) as (data, start):
        rows = read_rows(data, start, text.layout)
        last = data[-1:].tobytes()
    if rows is None:
        return None
    origin: Origin
    if text.lines:
        origin = Origin(name=context.name, typed=False, line=TextLines(open_later(content), text.layout))
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
