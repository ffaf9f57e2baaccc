"""Records of texts: ids, titles and texts, found by their known names."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judged.errors import DataError, Place, shown
from judged.io.formats.shape_rows import shape_texts
from judged.io.formats.shapes import TextRow
from judged.io.tables.column_names import match
from judged.io.tables.columns import ColumnRequest, Role
from judged.io.tables.frames import Frame, mapping_frame, raise_lengths
from judged.io.tables.records import named_fields, names_of

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


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the columns; a text may have only a title, or neither."""

    id: str
    title: str | None
    text: str | None

    @property
    def names(self) -> list[str]:
        return [name for name in (self.id, self.title, self.text) if name is not None]


def _match(role: Role, names: Sequence[Any]) -> str | None:
    columns = match(role.names, names)
    return columns[0] if columns else None


def find_fields(names: Sequence[Any], where: Place, known: str | None = None) -> Fields:
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


def is_record(item: Mapping[Any, Any]) -> bool:
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
                expected, hint = (
                    "a record with id and text, (id, text) or (id, title, text)",
                    'write {"id": …, "title": …, "text": …}',
                )
                raise DataError("columns", expected, got=shown(item), where=where, value=item, hint=hint)
            fields = self._known[names] = find_fields(names, where, self.key)
            self.key = fields.id
        return id_text(_get(item, fields.id), where), _get(item, fields.title), _get(item, fields.text)


def _get(item: Any, name: str | None) -> Any:
    if name is None:
        return None
    return item[name] if isinstance(item, Mapping) else getattr(item, name)


def _title_and_text(value: Any) -> tuple[Any, Any]:
    """Return title and text of the value of an id."""
    if not isinstance(value, Mapping) and named_fields(type(value)) is None:
        return None, value
    names = names_of(value)
    title, text = _match(_TITLE, names), _match(_TEXT, [name for name in names if _match(_TITLE, [name]) is None])
    if title is None and text is None and isinstance(value, Mapping):
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
    if is_missing(value) or isinstance(value, bool):
        raise DataError(
            "id-null", f"the id is missing: {shown(value)}", where=where, value=value, hint="drop texts without an id"
        )
    if isinstance(value, (Mapping, list, tuple, set)):
        hint = "convert it, for example with str(id)"
        raise DataError("id-type", "an id as text or integer", got=shown(value), where=where, value=value, hint=hint)
    if value == "":
        raise DataError("id-empty", "the id is empty", where=where, value=value, hint="drop texts without an id")
    return str(value)


def iterate_document(value: Any, where: Place) -> Iterator[Row]:
    """Iterate over the rows of a JSON document: texts by id, one record, columns, or a list of records."""
    if (rows := shape_texts(value, where)) is not None:
        return name_texts(rows, where)
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        if len(columns) == len(value) > 1 and is_record(dict.fromkeys(columns, "")):
            return iterate_frame(mapping_frame(columns), where, None)
        if is_record(value):
            return iter([TextRecords().row(value, where)])
        return ((id_text(key, where), *_title_and_text(entry)) for key, entry in value.items())
    if isinstance(value, list):
        records = TextRecords()
        return (records.row(item, Place(f"{where.path}[{i}]")) for i, item in enumerate(value))
    hint = "write {id: text}, or one record per line"
    raise DataError("json", "a JSON object or array", got=shown(value), where=where, value=value, hint=hint)


def name_texts(rows: Iterator[TextRow], where: Place) -> Iterator[Row]:
    """Return the texts of a document of another program; an object without a title of its own is searched for title and text."""
    return (
        (id_text(key, where), *((title, text) if title is not None else _title_and_text(text)))
        for key, title, text in rows
    )


def iterate_frame(frame: Frame, where: Place, ids: Ids, start: int = 0, fields: Fields | None = None) -> Iterator[Row]:
    """Iterate over the rows of a table with these ids."""
    fields = fields or find_fields(list(frame.names), where)
    lists = (column.tolist() if hasattr(column, "tolist") else column for column in frame.columns(fields.names))
    columns: dict[str | None, Any] = dict(zip(fields.names, lists, strict=True))
    if len(set(map(len, columns.values()))) > 1:
        raise_lengths({str(name): len(column) for name, column in columns.items()}, where)
    for row, value in enumerate(columns[fields.id]):
        key = id_text(value, Place(f"{where.path}[{fields.id!r}][{start + row}]"))
        if ids is None or key in ids:
            title, text = (None if name is None else columns[name][row] for name in (fields.title, fields.text))
            yield key, title, text
