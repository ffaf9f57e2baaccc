"""Texts in files, line by line: of a corpus of millions of passages, only the requested ones are held."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from itertools import chain

from judged.errors import DataError, Place, shown
from judged.io.files.source import PAD, Content
from judged.io.formats.columnar import open_columns
from judged.io.formats.delimited import Header, find_header, raise_width, split_line, split_lines
from judged.io.formats.json import JSON, iterate_json
from judged.io.formats.registry import detect_format
from judged.io.formats.shape_rows import shape_texts
from judged.io.rag.text_records import (
    TEXTS,
    Fields,
    Ids,
    Row,
    TextRecords,
    find_fields,
    id_text,
    is_record,
    iterate_document,
    iterate_frame,
    name_texts,
)
from judged.io.tables.frames import Frame, arrow_frame
from judged.io.text.lines import Head, Numbered, first_line, iterate_lines

_BATCH = 1 << 12
_MARCO = {2: Fields("id", None, "text"), 4: Fields("id", "title", "text")}
_MARCO_NAMES = {2: ("id", "text"), 4: ("id", "url", "title", "text")}


def iterate_file(content: Content, ids: Ids) -> Iterator[Row]:
    """Iterate over the rows of a file with these ids; other lines are parsed only as far as needed to exclude them."""
    head = Head(content.head, *first_line(bytes(content.head) + PAD), content.complete)
    detected = detect_format(head, TEXTS)
    if detected is not None and detected.format.open_frame is not None:
        with open_columns(content, detected.format) as frame:
            yield from _iterate_columnar(frame, Place(content.name), ids)
        return
    numbered = enumerate(iterate_lines(content), 1)
    number, line = next(_filled(numbered), (1, b""))
    if not line:
        hint = "check that this is the right file"
        raise DataError("empty-texts", "the file is empty", where=Place(content.name), hint=hint)
    if detected is not None and detected.format is JSON:
        yield from _iterate_json(chain([(number, line)], numbered), content.name, ids)
    else:
        yield from _iterate_delimited((number, line), numbered, content.name, ids)


def _iterate_columnar(frame: Frame, where: Place, ids: Ids) -> Iterator[Row]:
    if frame.batches is None:
        yield from iterate_frame(frame, where, ids)
        return
    fields, start = find_fields(list(frame.names), where), 0
    for table in frame.batches(fields.names, _BATCH):  # texts are large
        yield from iterate_frame(arrow_frame(table), where, ids, start, fields)
        start += len(table)


def _filled(rows: Numbered) -> Numbered:
    return ((number, line) for number, line in rows if line and not line.isspace())


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def _iterate_json(lines: Numbered, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over the records of JSON Lines, or over the texts of one document."""
    records, early = TextRecords(), None

    def is_excluded(line: bytes) -> bool:
        return early is not None and ids is not None and early.excludes(line, ids)

    for value, where in iterate_json(lines, name, is_excluded):
        if where.line is None:
            yield from iterate_document(value, where)
            return
        if early is None and (rows := shape_texts(value, where)) is not None:
            yield from name_texts(rows, where)
            continue
        row = records.row(value, where)
        early = early or (None if records.key is None else _EarlyId(records.key))
        if ids is None or row[0] in ids:
            yield row


class _EarlyId:
    """The id of a record before it is parsed, if it is plain text or an integer under `key`; doubtful records are parsed."""

    def __init__(self, key: str) -> None:
        name = re.escape(json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        value = rb'[ \t]*:[ \t]*(?:"([^"\\]+)"|(0|-?[1-9][0-9]*)(?=[ \t]*[,}]))'
        self._first, self._any = re.compile(rb"[ \t]*\{[ \t]*" + name + value), re.compile(name + value + rb"?")

    def excludes(self, line: bytes, ids: Container[str]) -> bool:
        """Return whether a record has none of these ids.

        Nested objects may have ids under the same name, so all are compared unless the record begins with its own.
        Inside a text quotes are escaped and match nothing.
        """
        first = self._first.match(line)
        try:
            if first is not None:
                return (first[1] or first[2]).decode() not in ids
            matches = self._any.findall(line)
            return bool(matches) and all(
                (raw := text or number) and raw.decode() not in ids for text, number in matches
            )
        except UnicodeDecodeError:
            return False


# ── CSV and TSV ──────────────────────────────────────────────────────────────────────────────────


def _iterate_delimited(first: tuple[int, bytes], rest: Numbered, name: str, ids: Ids) -> Iterator[Row]:
    line, where = _text(first[1]), Place(name, first[0])
    header = next((one for one in find_header(line) if _names_texts(one)), None)
    if header is not None:
        return _iterate_cells(rest, header, find_fields(header.names, where), name, ids)
    width = line.count("\t") + 1
    if width in _MARCO:
        return _iterate_marco(_filled(chain([first], rest)), width, name, ids)
    cells = split_line(line, ",") if width == 1 else []
    if len(cells) in _MARCO and " " not in cells[0].strip():
        header = Header(",", _MARCO_NAMES[len(cells)], spaced=cells[1].startswith(" "))
        return _iterate_cells(chain([first], rest), header, _MARCO[len(cells)], name, ids)
    raise DataError(
        "columns",
        f"expected id and text, or id, url, title and body, separated by tabs, got {width}: {shown(line)}",
        where=where,
        value=line,
        hint="add a header line, such as id<TAB>title<TAB>text",
    )


def _names_texts(header: Header) -> bool:
    """Return whether a line names a column of ids and another of texts or titles."""
    return len(set(header.names)) == len(header.names) and is_record(dict.fromkeys(header.names, ""))


def _iterate_marco(rows: Numbered, width: int, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over lines without quoting, as in MS MARCO; the last column may contain tabs."""
    for number, line in rows:
        raw, tab, rest = line.partition(b"\t")
        key = _text(raw)
        if tab and ids is not None and key not in ids:
            continue
        cells = rest.split(b"\t", width - 2)
        if not tab or len(cells) != width - 1:
            raise_width(
                line.decode("utf-8", "replace"), line.count(b"\t") + 1, _MARCO_NAMES[width], Place(name, number)
            )
        yield id_text(key, Place(name, number)), cells[1] if width == 4 else None, cells[-1]


def _iterate_cells(rest: Numbered, header: Header, fields: Fields, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over the rows below a header. A cell in quotes may contain delimiters and line breaks."""
    at = {field: header.names.index(field) for field in fields.names}
    first, delimiter = at[fields.id] == 0 and not header.spaced, header.delimiter.encode()
    for number, line in rest:
        if not line or line.isspace():
            continue
        if first and ids is not None and b'"' not in line and _text(line.partition(delimiter)[0]) not in ids:
            continue
        where = Place(name, number)
        cells = split_lines(_text(line), (_text(below) for _, below in rest), header, where)
        if len(cells) != len(header.names):
            raise_width(header.delimiter.join(cells), len(cells), header.names, where)
        key = id_text(cells[at[fields.id]], where)
        if ids is None or key in ids:
            chosen = (None if field is None else cells[at[field]] for field in (fields.title, fields.text))
            title, text = (None if cell is None else cell.encode("utf-8", "surrogateescape") for cell in chosen)
            yield key, title, text


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
