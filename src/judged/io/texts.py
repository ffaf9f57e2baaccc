"""Texts of documents and queries, by id.

Files are read line by line: of a corpus of millions of passages, only the requested ones are held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from judged.errors import DataError, Place, UsageError, shown
from judged.io.columns import ColumnRequest, Role, match, named_fields
from judged.io.containers import names_of
from judged.io.files import PAD, Content, is_file_like, is_path, open_content, open_stream
from judged.io.formats.collections import collection_name, is_collection, iterate_collection, texts_file
from judged.io.formats.columnar import open_columns
from judged.io.formats.delimited import Header, find_header, raise_width, split_line, split_lines
from judged.io.formats.json import JSON, iterate_json
from judged.io.formats.registry import detect_format
from judged.io.formats.shapes import TextRow, shape_texts
from judged.io.frames import Frame, arrow_frame, frame_of, mapping_frame, raise_lengths
from judged.io.stored import TextKind
from judged.io.text.lines import Head, Numbered, first_line, iterate_lines

# ── Records of texts: ids, titles and texts, found by their known names ─────────────────────────────

Row = tuple[str, Any, Any]  # id, title, text
Ids = Container[str] | None


def _role(meaning: str, *names: str) -> Role:
    return Role(tuple((name,) for name in names), meaning)


# The surest name first. A passage of MS MARCO has a `pid` beside the `docid` of its document; beside `docno`, `docid` is an
# engine's internal number; beside any id, `query` is the query itself.
_ID = _role(
    "ids (id, doc_id, docno, pid, qid, query_id …)",
    "docno",
    "id",
    "pid",
    "passageid",
    "segmentid",
    "docid",
    "documentid",
    "corpusid",
    "qid",
    "queryid",
    "topicid",
    "questionid",
    "itemid",
    "productid",
    "articleid",
    "paperid",
    "number",
    "num",
    "key",
    "sku",
    "chunkid",
    "topic",
    "doc",
    "document",
    "query",
)
_TITLE = _role("titles", "title", "headline", "producttitle", "subject", "heading", "name")
_TEXT = _role(
    "texts (text, contents, body, passage, query …)",
    "text",
    "contents",
    "content",
    "body",
    "passage",
    "passagetext",
    "segment",
    "abstract",
    "querytext",
    "query",
    "question",
    "description",
    "productdescription",
    "desc",
    "document",
    "doc",
    "chunk",
    "summary",
    "narrative",
    "topic",
    "value",
)
TEXTS = ColumnRequest("texts", roles={"id": _ID, "title": _TITLE, "text": _TEXT})


class Fields(NamedTuple):
    """The names of the columns; a text may have only a title, or neither."""

    id: str
    title: str | None
    text: str | None


def _match(role: Role, names: Sequence[Any]) -> str | None:
    columns = match(role.names, names)
    return columns[0] if columns else None


def find_text_fields(names: Sequence[Any], where: Place, known: str | None = None) -> Fields:
    """Find the columns by their names; `known` is that of the ids in earlier records."""
    key = known or _match(_ID, names)
    listing = ", ".join(shown(name, 40) for name in names) or "none"
    hint = "name the columns id and text"
    if key is None or key not in names:
        problem = f"no column of {_ID.meaning}" if key is None else f"no {key!r} in this record, unlike in the first"
        raise DataError("columns", f"{problem}; the columns are {listing}", where=where, value=listing, hint=hint)
    if list(names).count(key) > 1:
        raise DataError("columns", f"two columns are called {key!r}", where=where, hint="rename one of them")
    others = [name for name in names if name != key]
    title, text = _match(_TITLE, others), _match(_TEXT, others)
    if title is None and text is None and known is None:
        problem = f"no column of {_TEXT.meaning}; the columns are {listing}"
        raise DataError("columns", problem, where=where, value=listing, hint=hint)
    return Fields(key, title, text)


def _is_record(item: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one text with its id, not texts by their ids."""
    key = _match(_ID, list(item))
    others = [name for name in item if name != key]
    scalar = key is not None and not isinstance(item[key], (Mapping, list, tuple))
    return scalar and (_match(_TEXT, others) or _match(_TITLE, others)) is not None


# ── records ──────────────────────────────────────────────────────────────────────────────────────


class TextRecords:
    """Records one after the other: the id has the same name in all of them; title and text may be missing."""

    def __init__(self) -> None:
        self.key: str | None = None
        self._known: dict[tuple[Any, ...], Fields] = {}

    def row(self, item: Any, where: Place) -> Row:
        if type(item) in (tuple, list) and len(item) in (2, 3):
            return id_text(item[0], where), item[1] if len(item) == 3 else None, item[-1]
        names = tuple(names_of(item))
        fields = self._known.get(names)
        if fields is None:
            if not isinstance(item, Mapping) and named_fields(type(item)) is None:
                expected = "a record with id and text, (id, text) or (id, title, text)"
                hint = 'write {"id": …, "title": …, "text": …}'
                raise DataError("columns", expected, got=shown(item), where=where, value=item, hint=hint)
            fields = self._known[names] = find_text_fields(names, where, self.key)
            self.key = fields.id
        return id_text(_get(item, fields.id), where), _get(item, fields.title), _get(item, fields.text)


def _get(item: Any, name: str | None) -> Any:
    if name is None:
        return None
    return item[name] if isinstance(item, Mapping) else getattr(item, name)


def _title_and_text(value: Any) -> tuple[Any, Any]:
    """Return title and text of the value of an id."""
    names = names_of(value)
    title = _match(_TITLE, names)
    text = _match(_TEXT, [name for name in names if name != title])
    if title is None and text is None:
        return None, value
    return _get(value, title), _get(value, text)


def is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def id_text(value: Any, where: Place) -> str:
    """Return an id as text: 7 and "7" are one id here."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if is_missing(value) or value == "":
        problem = f"the id is missing: {shown(value)}"
        raise DataError("id-type", problem, where=where, value=value, hint="drop texts without an id")
    if isinstance(value, (Mapping, list, tuple, set, bool)):
        hint = "convert it, for example with str(id)"
        raise DataError("id-type", "an id as text or integer", got=shown(value), where=where, value=value, hint=hint)
    return str(value)


def _iterate_document(value: Any, where: Place) -> Iterator[Row]:
    """Iterate over the rows of a JSON document: texts by id, one record, columns, or a list of records."""
    if (rows := shape_texts(value, where)) is not None:
        return _name_texts(rows, where)
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        if len(columns) == len(value) > 1 and _is_record(dict.fromkeys(columns, "")):
            return _iterate_frame(mapping_frame(columns), where)
        if _is_record(value):
            return iter([TextRecords().row(value, where)])
        return ((id_text(key, where), *_title_and_text(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return _iterate_records(value, where.path)
    hint = "write {id: text}, or one record per line"
    raise DataError("json", "a JSON object or array", got=shown(value), where=where, value=value, hint=hint)


def _iterate_records(items: Iterable[Any], name: str | None) -> Iterator[Row]:
    records = TextRecords()
    return (records.row(item, Place(f"{name}[{i}]")) for i, item in enumerate(items))


def _name_texts(rows: Iterator[TextRow], where: Place) -> Iterator[Row]:
    """Return the texts of a document of another program; an object is searched for title and text."""
    return ((id_text(key, where), *_title_and_text(text)) for key, _, text in rows)


def _iterate_frame(frame: Frame, where: Place) -> Iterator[Row]:
    """Iterate over the rows of a table; of a file, in batches, because texts are large."""
    fields, start = find_text_fields(list(frame.names), where), 0
    names = [name for name in fields if name is not None]
    for table in [frame] if frame.batches is None else map(arrow_frame, frame.batches(names, _BATCH)):
        lists = (column.tolist() if hasattr(column, "tolist") else column for column in table.columns(names))
        columns: dict[str | None, Any] = dict(zip(names, lists, strict=True))
        if len(set(map(len, columns.values()))) > 1:
            raise_lengths({str(name): len(column) for name, column in columns.items()}, where)
        nothing = [None] * len(columns[fields.id])
        titles, texts = columns.get(fields.title, nothing), columns.get(fields.text, nothing)
        for row, (value, title, text) in enumerate(zip(columns[fields.id], titles, texts, strict=True), start):
            yield id_text(value, Place(f"{where.path}[{fields.id!r}][{row}]")), title, text
        start += len(nothing)


# ── Texts in files, line by line ────────────────────────────────────────────────────────────────────

_BATCH = 1 << 12
_MARCO = {2: ("id", "text"), 4: ("id", "url", "title", "text")}


def _iterate_file(content: Content, ids: Ids) -> Iterator[Row]:
    """Iterate over the rows of a file; other lines than those of the ids are parsed only as far as needed to exclude them."""
    name = content.name
    head = Head(content.head, *first_line(bytes(content.head) + PAD), content.complete)
    detected = detect_format(head, TEXTS)
    if detected is not None and detected.format.open_frame is not None:
        with open_columns(content, detected.format) as frame:
            yield from _iterate_frame(frame, Place(name))
        return
    lines: Numbered = enumerate(iterate_lines(content), 1)
    filled = ((number, line) for number, line in lines if line and not line.isspace())
    first = next(filled, None)
    if first is None:
        hint = "check that this is the right file"
        raise DataError("columns", "the file is empty", where=Place(name), hint=hint)
    if detected is not None and detected.format is JSON:
        yield from _iterate_json(chain([first], filled), name, ids)
        return
    line, where = _text(first[1]), Place(name, first[0])
    headers = (one for one in find_header(line) if len(set(one.names)) == len(one.names))
    header = next((one for one in headers if _is_record(dict.fromkeys(one.names, ""))), None)
    cells = split_line(line, ",")
    if header is None and "\t" not in line and len(cells) in _MARCO and " " not in cells[0].strip():
        header = Header(",", _MARCO[len(cells)], spaced=cells[1].startswith(" "))
        lines = chain([first], lines)
    if header is not None:
        yield from _iterate_cells(lines, header, find_text_fields(header.names, where), name, ids)
    elif (width := line.count("\t") + 1) in _MARCO:
        yield from _iterate_marco(chain([first], filled), width, name, ids)
    else:
        expected = "expected id and text, or id, url, title and body, separated by tabs"
        hint = "add a header line, such as id<TAB>title<TAB>text"
        raise DataError("columns", f"{expected}, got {width}: {shown(line)}", where=where, value=line, hint=hint)


def _iterate_json(lines: Numbered, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over the records of JSON Lines, or over the texts of one document."""
    records = TextRecords()
    own_id: re.Pattern[bytes] | None = None  # of a line that begins with its id

    def is_excluded(line: bytes) -> bool:
        found = None if own_id is None or ids is None else own_id.match(line)
        return found is not None and ids is not None and _text(found[1] or found[2]) not in ids

    for value, where in iterate_json(lines, name, is_excluded):
        if where.line is None:
            yield from _iterate_document(value, where)
            return
        if records.key is None and (rows := shape_texts(value, where)) is not None:
            yield from _name_texts(rows, where)
            continue
        yield records.row(value, where)
        if own_id is None and records.key is not None:
            key = re.escape(json.dumps(records.key, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            own_id = re.compile(
                rb"[ \t]*\{[ \t]*" + key + rb'[ \t]*:[ \t]*(?:"([^"\\]+)"|(0|-?[1-9][0-9]*)(?=[ \t]*[,}]))'
            )


def _iterate_marco(rows: Numbered, width: int, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over lines without quoting, as in MS MARCO; the last column may contain tabs."""
    for number, line in rows:
        raw, tab, rest = line.partition(b"\t")
        key = _text(raw)
        if tab and ids is not None and key not in ids:
            continue
        cells = rest.split(b"\t", width - 2)
        if not tab or len(cells) != width - 1:
            raise_width(line.decode("utf-8", "replace"), line.count(b"\t") + 1, _MARCO[width], Place(name, number))
        yield id_text(key, Place(name, number)), cells[1] if width == 4 else None, cells[-1]


def _iterate_cells(rest: Numbered, header: Header, fields: Fields, name: str, ids: Ids) -> Iterator[Row]:
    """Iterate over the rows below a header. A cell in quotes may contain delimiters and line breaks."""
    at = [None if field is None else header.names.index(field) for field in fields]
    first, delimiter = at[0] == 0 and not header.spaced, header.delimiter.encode()
    for number, line in rest:
        if not line or line.isspace():
            continue
        if first and ids is not None and b'"' not in line and _text(line.partition(delimiter)[0]) not in ids:
            continue
        where = Place(name, number)
        cells = split_lines(_text(line), (_text(below) for _, below in rest), header, where)
        if len(cells) != len(header.names):
            raise_width(header.delimiter.join(cells), len(cells), header.names, where)
        key, title, text = (None if i is None else cells[i].encode("utf-8", "surrogateescape") for i in at)
        yield id_text(key, where), title, text


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


# ── Texts of documents and queries, by id ───────────────────────────────────────────────────────────

_WHAT = "texts"


@dataclass(frozen=True, slots=True)
class Texts:
    """Title and text of a document or a query; None if the source has no such field."""

    title: str | None
    text: str | None


def read_texts(
    source: Any, wanted: Container[str] | None = None, *, length: int | None = None, kind: TextKind = "docs"
) -> dict[str, Texts]:
    """Return the texts of documents or of queries, {id: Texts}, in the order of the source.

    A file (a path, `-` for standard input, or an open file; plain or compressed) has JSON Lines (`corpus.jsonl` and
    `queries.jsonl` of BEIR), JSON, TSV as in MS MARCO (`id<TAB>text`, or `id<TAB>url<TAB>title<TAB>body`), CSV or TSV with a
    header, Parquet or Arrow. In memory, texts are `{id: text}`, `{id: {"title": …, "text": …}}`, a list of records, of named
    tuples or of (id, text), a frame, or a dataset of ir_datasets. Columns are found by their known names. A BEIR folder has both kinds.

    Ids are compared as text: 7 and "7" are one. Of duplicate ids, the first text is kept. A text file is read line by line; lines of
    other ids are not parsed beyond the id, so errors in them are not found. Bytes that cannot be decoded are replaced in texts and
    kept in ids.

    Args:
        source: the file or the object.
        wanted: the ids to keep (default: all).
        length: the most characters of titles and texts; longer ones are cut at the end of a word, with "…".
        kind: the texts to take of a source that has both: docs or queries.

    Raises:
        DataError: anything that cannot be used, with its place.
        FileError: a file that cannot be opened or read.

    >>> read_texts({"d1": "Salt the water, then boil it."}, length=16)["d1"].text
    'Salt the water,…'
    """
    if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
        raise UsageError("parameter", "length as an integer ≥ 1", got=shown(length), value=length)
    if isinstance(wanted, (str, bytes)):
        raise UsageError("parameter", "wanted as a set or a list of ids", got=shown(wanted), value=wanted)
    texts: dict[str, Texts] = {}
    enough = len(wanted) if isinstance(wanted, Sized) else None
    with closing(_rows(texts_file(source, kind), wanted, kind)) as rows:
        for key, title, text in rows:
            if key not in texts and (wanted is None or key in wanted):
                texts[key] = Texts(_cell_text(title, length), _cell_text(text, length))
                if len(texts) == enough:
                    break
    return texts


def _rows(source: Any, ids: Ids, kind: TextKind) -> Generator[Row, None, None]:
    """Iterate over the rows of a source, those of these ids among them."""
    if is_path(source):
        with open_content(source) as content:
            yield from _iterate_file(content, ids)
    elif is_file_like(source):
        yield from _iterate_file(open_stream(source, default=_WHAT), ids)
    elif (frame := frame_of(source)) is not None:
        yield from _iterate_frame(frame, Place(_WHAT))
    elif is_collection(source):
        yield from _collection_rows(source, kind)
    elif isinstance(source, Mapping):
        yield from _iterate_document(source, Place(_WHAT))
    elif isinstance(source, Iterable):
        yield from _iterate_records(source, _WHAT)
    else:
        expected, got = "a path, a frame, {id: text} or records", type(source).__name__
        raise DataError("form", expected, got=got, where=_WHAT, hint="write them as {id: text}")


def _collection_rows(source: Any, kind: TextKind) -> Iterator[Row]:
    """Iterate over the texts of a dataset; fields of unknown names are left to the dataset, which knows its main text."""
    records, where = TextRecords(), Place(collection_name(source) or _WHAT)
    for item in iterate_collection(source, kind):
        text = getattr(item, "default_text", None)
        try:
            row = records.row(item, where)
        except DataError:
            if not callable(text):
                raise
            row = id_text(item[0], where), None, None
        yield (row[0], None, text()) if row[1:] == (None, None) and callable(text) else row


def _cell_text(value: Any, length: int | None = None) -> str | None:
    """Return a cell as text: paragraphs are joined, lone surrogates and undecodable bytes replaced; None if it is missing."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    elif isinstance(value, (list, tuple)):
        value = "\n".join(filter(None, map(_cell_text, value)))
    elif isinstance(value, Mapping):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text if length is None else cut_text(text, length)


def cut_text(text: str, length: int) -> str:
    """Cut a text at the end of a word; if it has no blanks there, anywhere."""
    if len(text) <= length:
        return text
    head = text[:length]
    if not text[length].isspace():
        blank = max((i for i in range(length // 2, length) if head[i].isspace()), default=length)
        head = head[:blank]
    return f"{head.rstrip()}…"
