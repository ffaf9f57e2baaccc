"""Texts in files, line by line: a corpus of millions of passages is looked through, never held."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Container, Iterator, Mapping
from itertools import chain
from typing import Any, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.files.limits import LONGEST_LINE
from judged.io.files.source import PAD, Content
from judged.io.formats.columnar import find_damage, import_pyarrow
from judged.io.formats.delimited import Header, find_header, split_line
from judged.io.formats.json import JSON, is_json, load_json
from judged.io.formats.registry import FileFormat, detect_format
from judged.io.rag.text_records import Fields, Row, TextRecords, fields_of, id_text, is_record, mapped
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.frames import Frame, arrow_frame, raise_lengths
from judged.io.text.lines import iterate_lines, read_head

__all__ = ["of_document", "of_frame", "rows_of"]

Numbered = Iterator[tuple[int, bytes]]
Ids = Container[str] | None

_BATCH = 1 << 12
_MARCO = {2: Fields("id", None, "text"), 4: Fields("id", "title", "text")}  # id, text; id, url, title, body


def rows_of(stream: Content, wanted: Ids) -> Iterator[Row]:
    """The rows of a file whose ids are wanted; other lines are looked at as far as it takes to tell that."""
    detected = detect_format(read_head(stream), ColumnRequest("texts"))
    if detected is not None and detected.format.open_frame is not None:
        return _of_columnar(stream, detected.format, wanted)
    numbered = enumerate(iterate_lines(stream), 1)
    number, line = next(_filled(numbered), (1, b""))
    if not line:
        raise DataError("empty-texts", "at least one text", got="an empty file", where=Place(stream.name),
                        hint="is this the right one, and was it filled?")  # fmt: skip
    if detected is not None and detected.format is JSON:
        return _of_json((number, line), numbered, stream.name, wanted)
    return _of_delimited((number, line), numbered, stream.name, wanted)


def _filled(rows: Numbered) -> Numbered:
    return ((number, line) for number, line in rows if line and not line.isspace())


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def _of_json(first: tuple[int, bytes], rest: Numbered, name: str, wanted: Ids) -> Iterator[Row]:
    """JSON Lines where the first line is whole, or could never begin a document; else one document."""
    second = next(rest, None)
    while second is not None and not second[1].strip():
        second = next(rest, None)
    whole = is_json(_utf8(first[1], Place(name, first[0])))
    broken = not whole and second is not None and first[1].lstrip()[:1] == b"{" and _begins_record(second[1])
    if second is not None and (whole or broken):
        return _of_json_lines(chain([first, second], _filled(rest)), name, wanted)
    gap = b"\n" * (1 if second is None else second[0] - first[0])  # so that errors name the right line
    text = b"\n" * (first[0] - 1) + first[1] + gap + (b"" if second is None else second[1])
    text += b"".join(b"\n" + line for _, line in rest)
    return of_document(load_json(_utf8(text, Place(name)), Place(name)), Place(name))


def _begins_record(line: bytes) -> bool:
    return line.lstrip()[:1] == b"{" and is_json(line.decode("utf-8", "replace"))


def _of_json_lines(rows: Numbered, name: str, wanted: Ids) -> Iterator[Row]:
    records = TextRecords()
    early: _Early | None = None
    for number, line in rows:
        if early is not None and wanted is not None and early.excludes(line, wanted):
            continue
        where = Place(name, number)
        row = records.row(load_json(_utf8(line, where), where), where)
        early = early or (None if records.key is None else _Early(records.key))
        if wanted is None or row[0] in wanted:
            yield row


class _Early:
    """The id of a record before it is parsed, where that is written plainly under `key`; what is in doubt is parsed."""

    def __init__(self, key: str) -> None:
        name = re.escape(json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        value = rb'[ \t]*:[ \t]*(?:"([^"\\]+)"|(0|-?[1-9][0-9]*)(?=[ \t]*[,}]))'
        self._first, self._any = re.compile(rb"[ \t]*\{[ \t]*" + name + value), re.compile(name + value + rb"?")

    def excludes(self, line: bytes, wanted: Container[str]) -> bool:
        """Whether a record is of none of these ids.

        Objects inside it may have ids too, under the same name: so all are looked at, unless the record begins with its own.
        Inside a text quotes are escaped, and nothing is found.
        """
        met = self._first.match(line)
        try:
            if met is not None:
                return (met[1] or met[2]).decode() not in wanted
            found = self._any.findall(line)
            return bool(found) and all((raw := text or number) and raw.decode() not in wanted for text, number in found)
        except UnicodeDecodeError:
            return False


def _utf8(raw: bytes, where: Place) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1 if where.line is None else where.line
        raise DataError(
            "encoding", "UTF-8 text", got=f"the byte {raw[error.start]:#04x} in it", where=Place(where.path, line),
            value=raw[error.start : error.start + 1], hint="convert the file to UTF-8, for example with iconv",
        ) from error  # fmt: skip


def of_document(value: Any, where: Place) -> Iterator[Row]:
    """The rows of a JSON document: texts by id, one record, columns, or a list of records."""
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        if len(columns) == len(value) > 1 and is_record(dict.fromkeys(columns, "")):
            return of_frame(Frame(list(columns), lambda names: [columns[name] for name in names]), where, None)
        return iter([TextRecords().row(value, where)]) if is_record(value) else mapped(value, where)
    if isinstance(value, list):
        records = TextRecords()
        return (records.row(item, Place(f"{where.path}[{i}]")) for i, item in enumerate(value))
    raise DataError("json", "a JSON object or array", got=shown(value), where=where, value=value,
                    hint="write {id: text}, or one record a line")  # fmt: skip


# ── CSV and TSV ──────────────────────────────────────────────────────────────────────────────────


def _of_delimited(first: tuple[int, bytes], rest: Numbered, name: str, wanted: Ids) -> Iterator[Row]:
    line, where = first[1].decode("utf-8", "surrogateescape"), Place(name, first[0])
    header = _header(line)
    if header is not None:
        return _of_cells(rest, header, fields_of(header.names, where), name, wanted)
    width = line.count("\t") + 1
    if width in _MARCO:
        return _of_marco(_filled(chain([first], rest)), width, name, wanted)
    cells = split_line(line, ",") if width == 1 else []
    if len(cells) in _MARCO and " " not in cells[0].strip():
        marco = Header(
            ",", ("id", "text") if len(cells) == 2 else ("id", "url", "title", "text"), spaced=cells[1].startswith(" ")
        )
        return _of_cells(chain([first], rest), marco, _MARCO[len(cells)], name, wanted)
    raise DataError(
        "columns", "2 columns apart by tabs (id, text), 4 (id, url, title, body), or a header line with their names",
        got=f"{width}: {shown(line)}", where=where, value=line, hint="put a header above them, such as id<TAB>title<TAB>text",
    )  # fmt: skip


def _header(line: str) -> Header | None:
    """The first line as names of columns, where one is that of ids and another that of texts or titles."""
    for header in find_header(line):
        if len(set(header.names)) == len(header.names) and is_record(dict.fromkeys(header.names, "")):
            return header
    return None


def _of_marco(rows: Numbered, width: int, name: str, wanted: Ids) -> Iterator[Row]:
    """Lines without quotes, as MS MARCO has them: a quote is a letter; a tab in the last column too."""
    for number, line in rows:
        raw, tab, rest = line.partition(b"\t")
        key = raw.decode("utf-8", "surrogateescape")
        if tab and wanted is not None and key not in wanted:
            continue
        cells = rest.split(b"\t", width - 2)
        if not tab or len(cells) != width - 1:
            _refuse_width(line.decode("utf-8", "replace"), line.count(b"\t") + 1, width, Place(name, number))
        yield id_text(key, Place(name, number)), cells[1] if width == 4 else None, cells[-1]


def _of_cells(rest: Numbered, header: Header, fields: Fields, name: str, wanted: Ids) -> Iterator[Row]:
    """The rows below a header. A cell in quotes may hold separators and line breaks."""
    at = {field: header.names.index(field) for field in (fields.id, fields.title, fields.text) if field is not None}
    first, separator = at[fields.id] == 0 and not header.spaced, header.delimiter.encode()
    for number, line in rest:
        if not line or line.isspace():
            continue
        if first and wanted is not None and b'"' not in line and _text(line.partition(separator)[0]) not in wanted:
            continue
        where = Place(name, number)
        cells = _cells(line, rest, header, where)
        if len(cells) != len(header.names):
            _refuse_width(header.delimiter.join(cells), len(cells), len(header.names), where)
        key = id_text(cells[at[fields.id]], where)
        if wanted is None or key in wanted:
            title, text = (None if field is None else _bytes(cells[at[field]]) for field in (fields.title, fields.text))
            yield key, title, text


def _cells(line: bytes, rest: Numbered, header: Header, where: Place) -> list[str]:
    """The cells of a line; and of those below it, while a quote is open."""
    text = _text(line)
    if '"' not in text:
        cells = text.split(header.delimiter)
        return [cell.lstrip(" ") for cell in cells] if header.spaced else cells
    reader = header.reader(f"{part}\n" for part in chain([text], (_text(below) for _, below in rest)))
    longest = csv.field_size_limit(LONGEST_LINE)
    try:
        return list(next(reader))
    except csv.Error as error:
        apart = header.delimiter == "\t" and text.count("\t") == len(header.names) - 1
        if apart and reader.line_num <= 1 and not split_line(f'{text}"', "\t"):  # not a quote that the end left open
            return text.split("\t")  # no writer of quotes makes `"a" b`: here a quote is a letter
        raise DataError("csv", "cells with closed quotes", got=str(error), where=where,
                        hint="quotes stand around a whole cell and are doubled inside") from error  # fmt: skip
    finally:
        csv.field_size_limit(longest)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _bytes(cell: str) -> bytes:
    """The bytes of a cell: those that are no UTF-8 are replaced later, in its text."""
    return cell.encode("utf-8", "surrogateescape")


def _refuse_width(line: str, got: int, width: int, where: Place) -> NoReturn:
    raise DataError("columns", f"{width} columns", got=f"{got}: {shown(line)}", where=where, value=line,
                    hint="was the file cut off, or does a cell hold the separator without quotes?")  # fmt: skip


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def of_frame(frame: Frame, where: Place, wanted: Ids, start: int = 0) -> Iterator[Row]:
    """The rows of a table; texts that are not wanted are passed over."""
    fields = fields_of(list(frame.names), where)
    names = [name for name in (fields.id, fields.title, fields.text) if name is not None]
    columns = {name: _listed(column) for name, column in zip(names, frame.columns(names), strict=True)}
    if len({len(column) for column in columns.values()}) > 1:
        raise_lengths({name: len(column) for name, column in columns.items()}, where)
    for row, value in enumerate(columns[fields.id]):
        key = id_text(value, Place(f"{where.path}[{fields.id!r}][{start + row}]"))
        if wanted is None or key in wanted:
            title, text = (None if name is None else columns[name][row] for name in (fields.title, fields.text))
            yield key, title, text


def _listed(column: Any) -> Any:
    return column.tolist() if hasattr(column, "tolist") else column


def _of_columnar(stream: Content, format: FileFormat, wanted: Ids) -> Iterator[Row]:
    """Read a columnar file in batches, if the library can: texts are large."""
    import_pyarrow(format.name, stream.name)
    where, start = Place(stream.name), 0
    with find_damage(format.name, stream.name):
        assert format.open_frame is not None
        frame = format.open_frame(memoryview(stream.read())[: -len(PAD)])
        if frame.batches is None:
            yield from of_frame(frame, where, wanted)
            return
        fields = fields_of(list(frame.names), where)
        columns = [name for name in (fields.id, fields.title, fields.text) if name is not None]
        for table in frame.batches(columns, _BATCH):
            yield from of_frame(arrow_frame(table), where, wanted, start)
            start += table.num_rows
