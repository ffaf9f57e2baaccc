"""Texts of documents and queries, by id.

Files are read line by line: of a corpus of millions of passages, only the requested ones are held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from judged.errors import DataError, Place, UsageError, shown
from judged.io.columns import ColumnRequest, Role, match, named_fields
from judged.io.containers import names_of
from judged.io.files import PATH, Content, is_file_like, open_content, open_stream
from judged.io.formats.collections import collection_name, is_collection, iterate_collection, texts_file
from judged.io.formats.columnar import open_columns
from judged.io.formats.delimited import CSV, iterate_rows, raise_width
from judged.io.formats.json import JSON, read_values
from judged.io.formats.registry import detect_format, raise_undetected
from judged.io.frames import Frame, arrow_frame, frame_of
from judged.io.json_parser import load_json
from judged.io.lines import Head, iterate_blocks, iterate_lines, read_head
from judged.io.origin import Context
from judged.io.stored import TextKind
from judged.io.text import raise_encoding

# ── Records of texts: ids, titles and texts, found by their known names ─────────────────────────────

# A record is a mapping, a named tuple, (id, text) or (id, title, text).
Records = Generator[tuple[Any, Place], None, None]
Fields = tuple[str | None, str | None, str | None]  # the names of id, title and text
Ids = Container[str] | None

# The surest name first. A passage of MS MARCO has a `pid` beside the `docid` of its document; beside `docno`, `docid` is an
# engine's internal number; beside any id, `query` is the query itself.
_NAMES = {
    "id": (
        "docno id pid passageid segmentid docid documentid corpusid qid queryid topicid questionid itemid "
        "productid articleid paperid number num key sku chunkid topic doc document query"
    ),
    "title": "title headline producttitle subject heading name",
    "text": (
        "text contents content body passage passagetext segment abstract querytext query question description "
        "productdescription desc document doc chunk summary narrative topic value"
    ),
}
_MEANING = {
    "id": "ids (id, doc_id, docno, pid, qid, query_id …)",
    "title": "titles",
    "text": "texts (text, contents, body, passage, query …)",
}
TEXTS = ColumnRequest(
    "texts",
    roles={
        role: Role(tuple((name,) for name in names.split()), _MEANING[role], required=role != "title")
        for role, names in _NAMES.items()
    },
)


def _match(role: str, names: Sequence[Any]) -> str | None:
    return next(iter(match(TEXTS.roles[role].names, names)), None)


def _fields(names: Sequence[Any], key: str | None = None) -> Fields:
    """Return the names of id, title and text, of those that there are; `key` is that of the ids, if it is known."""
    key = key or _match("id", names)
    others = [name for name in names if name != key]
    return key, _match("title", others), _match("text", others)


def _is_record(names: Sequence[Any]) -> bool:
    """Return whether these are the names of one text with its id, not ids of texts."""
    key, title, text = _fields(names)
    return key is not None and (title or text) is not None


def _find_fields(names: Sequence[Any], where: Place, known: str | None = None) -> Fields:
    """Return the same, or raise; `known` is the name of the ids in earlier records, of which some may have no text."""
    fields = key, title, text = _fields(names, known)
    missing = None
    if key not in names:
        missing = _MEANING["id"] if known is None else f"ids called {known!r}, as in the first record"
    elif title is None and text is None and known is None:
        missing = _MEANING["text"]
    if missing is not None:
        listing = ", ".join(shown(name, 40) for name in names) or "none"
        problem = f"no column of {missing}; the columns are {listing}"
        raise DataError("columns", problem, where=where, value=listing, hint="name the columns id and text")
    if list(names).count(key) > 1:
        raise DataError("columns", f"two columns are called {key!r}", where=where, hint="rename one of them")
    return fields


def _get(item: Any, name: str | None) -> Any:
    if name is None:
        return None
    return item[name] if isinstance(item, Mapping) else getattr(item, name)


def _title_and_text(value: Any) -> tuple[Any, Any]:
    """Return title and text of the value of an id."""
    names = names_of(value)
    title, text = _match("title", names), _match("text", names)
    return (None, value) if title is None and text is None else (_get(value, title), _get(value, text))


def _rows(records: Records) -> Iterator[tuple[str, Any, Any]]:
    """Iterate over id, title and text. The id has the same name in all records; title and text may be missing."""
    key: str | None = None
    known: dict[tuple[Any, ...], Fields] = {}
    for item, where in records:
        if type(item) in (tuple, list) and len(item) in (2, 3):
            yield _id_text(item[0], where), item[1] if len(item) == 3 else None, item[-1]
            continue
        names = tuple(names_of(item))
        if names not in known:
            if not isinstance(item, Mapping) and named_fields(type(item)) is None:
                expected = "a record with id and text, (id, text) or (id, title, text)"
                hint = 'write {"id": …, "title": …, "text": …}'
                raise DataError("columns", expected, got=shown(item), where=where, value=item, hint=hint)
            known[names] = _find_fields(names, where, key)
        key, title, text = known[names]
        yield _id_text(_get(item, key), where), _get(item, title), _get(item, text)


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _id_text(value: Any, where: Place) -> str:
    """Return an id as text: 7 and "7" are one id here."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if _is_missing(value) or value == "" or isinstance(value, (Mapping, list, tuple, set, bool)):
        hint = "write an id for every text"
        raise DataError("id-type", "an id as text or integer", got=shown(value), where=where, value=value, hint=hint)
    return str(value)


# ── Records of each kind of source ──────────────────────────────────────────────────────────────────

_BATCH = 1 << 12
_MARCO = {2: ("id", "text"), 4: ("id", "url", "title", "text")}


def _records(source: Any, ids: Ids, kind: TextKind) -> Records:
    """Iterate over the records of a source, those of these ids among them."""
    where = Place(TEXTS.what)
    if isinstance(source, PATH):
        with open_content(source) as content:
            yield from _file_records(content, ids)
    elif is_file_like(source):
        yield from _file_records(open_stream(source, default=TEXTS.what), ids)
    elif (frame := frame_of(source)) is not None:
        yield from _frame_records(frame, where)
    elif is_collection(source):
        where = Place(collection_name(source) or TEXTS.what)
        for item in iterate_collection(source, kind):
            # Fields of unknown names are left to the dataset, which knows its main text.
            unknown = hasattr(item, "default_text") and not _is_record(names_of(item))
            yield (item[0], item.default_text()) if unknown else item, where
    elif isinstance(source, Iterable):
        yield from _value_records(source, Context(TEXTS))
    else:
        expected = "a path, a frame, {id: text} or records"
        raise DataError("form", expected, got=type(source).__name__, where=where, hint="write them as {id: text}")


def _value_records(value: Any, context: Context) -> Records:
    """Iterate over a JSON document or its like in memory: texts by id, one record, columns, or records."""
    if not isinstance(value, Mapping):
        for i, item in enumerate(value):
            yield item, Place(f"{context.name}[{i}]") if context.lines is None else context.items().place(i)
    elif _is_record(list(value)):
        yield value, context.place
    else:
        for key, entry in value.items():
            yield (key, *_title_and_text(entry)), context.place


def _frame_records(frame: Frame, where: Place) -> Records:
    """Iterate over the rows of a table; of a file, in batches, because texts are large."""
    fields, start = _find_fields(list(frame.names), where), 0
    names = [name for name in fields if name is not None]
    for table in [frame] if frame.batches is None else map(arrow_frame, frame.batches(names, _BATCH)):
        lists = (column.tolist() if hasattr(column, "tolist") else column for column in table.columns(names))
        columns: dict[str | None, Any] = dict(zip(names, lists, strict=True))
        nothing = [None] * len(columns[fields[0]])
        for row, record in enumerate(zip(*(columns.get(name, nothing) for name in fields), strict=True), start):
            yield record, Place(f"{where.path}[{fields[0]!r}][{row}]")
        start += len(nothing)


def _file_records(content: Content, ids: Ids) -> Records:
    """Iterate over the records of a file; other lines than those of the ids are parsed only as far as needed to exclude them."""
    head = read_head(content, short=True)
    detected, context = detect_format(head, TEXTS), Context(TEXTS, content.name)
    if detected is not None and detected.format.open_frame is not None:
        with open_columns(content, detected.format) as frame:
            yield from _frame_records(frame, context.place)
    elif detected is not None and detected.format is JSON:
        if _is_record(detected.header) and head.has_rows:
            yield from _json_lines(content, str(_match("id", detected.header)), ids)
        else:
            yield from _value_records(*read_values(content.read(), context))
    elif detected is not None and detected.format is CSV and _is_record(detected.header.names):
        names = detected.header.names
        at = names.index(_match("id", names))
        for rows, lines, _ in iterate_rows(iterate_blocks(content), detected.header, content.name):
            for cells, number in zip(rows, lines.tolist(), strict=True):
                if ids is None or cells[at] in ids:
                    yield dict(zip(names, cells, strict=True)), Place(content.name, number)
    else:
        yield from _lines(content, head, ids)


def _json_lines(content: Content, key: str, ids: Ids) -> Records:
    """Iterate over records, one per line; a line that begins with another id is not parsed."""
    own_id = re.compile(rb'\s*\{\s*"' + re.escape(key.encode("utf-8", "replace")) + rb'"\s*:\s*"([^"\\]+)"')
    for number, line in enumerate(iterate_lines(content), 1):
        if not line or line.isspace():
            continue
        if ids is not None and (found := own_id.match(line)) and _text(found[1]) not in ids:
            continue
        where = Place(content.name, number)
        try:
            yield load_json(line.decode(), where), where
        except UnicodeDecodeError as error:
            raise_encoding(line, error.start, where)


def _lines(content: Content, head: Head, ids: Ids) -> Records:
    """Iterate over lines without a header and without quoting, as in MS MARCO; the last column may contain tabs."""
    width = 0
    for number, line in enumerate(iterate_lines(content), 1):
        if not line or line.isspace():
            continue
        width = width or line.count(b"\t") + 1
        if width not in _MARCO:
            break
        raw, tab, rest = line.partition(b"\t")
        key = _text(raw)
        if tab and ids is not None and key not in ids:
            continue
        cells = rest.split(b"\t", width - 2)
        where = Place(content.name, number)
        if not tab or len(cells) != width - 1:
            raise_width(line.decode("utf-8", "replace"), line.count(b"\t") + 1, _MARCO[width], where)
        yield (key, cells[1] if width == 4 else None, cells[-1]), where
    if width not in _MARCO:
        raise_undetected(head, Context(TEXTS, content.name))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


# ── Texts of documents and queries, by id ───────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Texts:
    """Title and text of a document or a query; None if the source has no such field."""

    title: str | None
    text: str | None


def read_texts(
    source: Any,
    wanted: Container[str] | None = None,
    *,
    length: int | None = None,
    kind: TextKind = "docs",
    different: set[str] | None = None,
) -> dict[str, Texts]:
    """Return the texts of documents or of queries, {id: Texts}, in the order of the source.

    A file (a path, `-` for standard input, or an open file; plain or compressed) has JSON Lines (`corpus.jsonl` and
    `queries.jsonl` of BEIR), JSON, TSV as in MS MARCO (`id<TAB>text`, or `id<TAB>url<TAB>title<TAB>body`), CSV or TSV with a
    header, Parquet or Arrow. In memory, texts are `{id: text}`, `{id: {"title": …, "text": …}}`, a list of records, of named
    tuples or of (id, text), a frame, or a dataset of ir_datasets. Columns are found by their known names. A BEIR folder has both kinds.

    Ids are compared as text: 7 and "7" are the same. If an id is repeated, its first text is kept. A text file is read line by line; lines of
    other ids are not parsed beyond the id, so errors in them are not found. Bytes that cannot be decoded are replaced in texts and
    kept in ids.

    Args:
        source: the file or the object.
        wanted: the ids to keep (default: all).
        length: maximum number of characters of titles and texts; longer ones are cut at the end of a word, with "…".
        kind: the texts to take of a source that has both: docs or queries.
        different: a set to which ids with several different texts are added; the source is then read to its end.

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
    with closing(_records(texts_file(source, kind), wanted, kind)) as records:
        for key, title, text in _rows(records):
            if wanted is not None and key not in wanted:
                continue
            if key not in texts:
                texts[key] = Texts(_cell_text(title, length), _cell_text(text, length))
                if len(texts) == enough and different is None:
                    break
            elif different is not None and texts[key] != Texts(_cell_text(title, length), _cell_text(text, length)):
                different.add(key)
    return texts


def _cell_text(value: Any, length: int | None = None) -> str | None:
    """Return a cell as text: paragraphs are joined, lone surrogates and undecodable bytes replaced; None if it is missing."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if _is_missing(value):
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
