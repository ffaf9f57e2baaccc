"""What a record of a text holds: its id, its title, its words; found by their usual names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.tables.columns import Role
from judged.io.tables.columns import match as match_tiers
from judged.io.tables.records import named_fields, names_of

__all__ = ["Fields", "Row", "TextRecords", "fields_of", "id_text", "is_record", "mapped", "words"]

Row = tuple[str, Any, Any]  # id, title, text


def _role(names: tuple[str, ...], meaning: str) -> Role:
    return Role(tuple((name,) for name in names), meaning)


def match(role: Role, names: Sequence[Any]) -> str | None:
    """Return the column of a role; the first of several."""
    return next(iter(match_tiers(role.names, [name for name in names if isinstance(name, str)])), None)


# The surest name first. A passage of MS MARCO has a `pid` beside the `docid` of its document; beside `docno`, `docid` is an
# engine's internal number; beside any id, `query` is the query itself.
_ID = _role(
    (
        "docno", "id", "pid", "passageid", "segmentid", "docid", "documentid", "corpusid", "qid", "queryid", "topicid",
        "questionid", "itemid", "productid", "articleid", "paperid", "number", "num", "key", "topic", "doc", "document", "query",
    ),
    "ids (id, doc_id, docno, pid, qid, query_id …)",
)  # fmt: skip
_TITLE = _role(("title", "headline", "producttitle", "subject", "heading", "name"), "titles")
_TEXT = _role(
    (
        "text", "contents", "content", "body", "passage", "passagetext", "segment", "abstract", "querytext", "query", "question",
        "description", "productdescription", "desc", "document", "doc", "chunk", "summary", "narrative", "topic", "value",
    ),
    "texts (text, contents, body, passage, query …)",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the columns; a text may have only a title, or none."""

    id: str
    title: str | None
    text: str | None


def fields_of(names: Sequence[Any], where: Place, key: str | None = None) -> Fields:
    """The columns by their names; `key` is that of the ids where it is known already."""
    found = key or match(_ID, names)
    listing = ", ".join(shown(name, 40) for name in names) or "none"
    if found is None or found not in names:
        expected = f"a column of {_ID.meaning}" if found is None else f"{found!r} in every record, as in the first"
        raise DataError("columns", expected, got=listing, where=where, value=listing,
                        hint="call the column of ids id, and that of texts text")  # fmt: skip
    if list(names).count(found) > 1:
        raise DataError("columns", f"one column called {found!r}", got=listing, where=where, hint="rename one of them")
    others = [name for name in names if name != found]
    title, text = match(_TITLE, others), match(_TEXT, others)
    if title is None and text is None and key is None:
        raise DataError("columns", f"a column of {_TEXT.meaning}", got=listing, where=where, value=listing,
                        hint="call the column of texts text")  # fmt: skip
    return Fields(found, title, text)


def is_record(item: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one text with its id, and not texts by their ids."""
    names = list(item)
    key = match(_ID, names)
    others = [name for name in names if name != key]
    scalar = key is not None and not isinstance(item[key], (Mapping, list, tuple))
    return scalar and (match(_TEXT, others) or match(_TITLE, others)) is not None


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────


def mapped(source: Mapping[Any, Any], where: Place) -> Iterator[Row]:
    """The rows of {id: text} or {id: {title, text}}."""
    return ((id_text(key, where), *_entry(value)) for key, value in source.items())


def _entry(value: Any) -> tuple[Any, Any]:
    """Title and text of what stands under an id."""
    if not isinstance(value, Mapping) and named_fields(type(value)) is None:
        return None, value
    names = names_of(value)
    title, text = match(_TITLE, names), match(_TEXT, [name for name in names if match(_TITLE, [name]) is None])
    if title is None and text is None and isinstance(value, Mapping):
        return None, value
    return _taken(value, title), _taken(value, text)


class TextRecords:
    """Records one after the other: the id stands under one name in all of them, title and text where the record has them."""

    def __init__(self) -> None:
        self.key: str | None = None
        self._known: dict[tuple[Any, ...], Fields] = {}

    def row(self, item: Any, where: Place) -> Row:
        if type(item) in (tuple, list):
            return _of_tuple(item, where)
        names = tuple(names_of(item))
        fields = self._known.get(names)
        if fields is None:
            if not isinstance(item, Mapping) and named_fields(type(item)) is None:
                _refuse_item(item, where)
            fields = self._known[names] = fields_of(names, where, self.key)
            self.key = fields.id
        return id_text(_taken(item, fields.id), where), _taken(item, fields.title), _taken(item, fields.text)


def _of_tuple(item: Sequence[Any], where: Place) -> Row:
    if len(item) == 2:
        return id_text(item[0], where), None, item[1]
    if len(item) == 3:
        return id_text(item[0], where), item[1], item[2]
    return _refuse_item(item, where)


def _refuse_item(item: Any, where: Place) -> NoReturn:
    raise DataError("columns", "a record with id and text, (id, text) or (id, title, text)", got=shown(item), where=where,
                    value=item, hint='write {"id": …, "title": …, "text": …}')  # fmt: skip


def _taken(item: Any, name: str | None) -> Any:
    if name is None:
        return None
    return item[name] if isinstance(item, Mapping) else getattr(item, name)


# ── cells ────────────────────────────────────────────────────────────────────────────────────────


def id_text(value: Any, where: Place) -> str:
    """An id as text: 7 and "7" are one id here."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if _is_missing(value) or isinstance(value, bool):
        raise DataError("id-null", "an id for every text", got=shown(value), where=where, value=value,
                        hint="drop what has none")  # fmt: skip
    if isinstance(value, (Mapping, list, tuple, set)):
        raise DataError("id-type", "an id as text or as a whole number", got=shown(value), where=where, value=value,
                        hint="convert it, for example with str(id)")  # fmt: skip
    if value == "":
        raise DataError("id-empty", "an id of at least one character", got="''", where=where, value=value,
                        hint="drop what has none")  # fmt: skip
    return str(value)


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def words(value: Any, length: int | None = None) -> str | None:
    """A cell as text that can be shown: paragraphs joined, halves of letters and undecodable bytes replaced; None for none."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if _is_missing(value):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    elif isinstance(value, (list, tuple)):
        value = "\n".join(filter(None, map(words, value)))
    elif isinstance(value, Mapping):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return cut(text, length) if length is not None else text


def cut(text: str, length: int) -> str:
    """The beginning of a text, ended at a word; letters that no blank parts are ended anywhere."""
    if len(text) <= length:
        return text
    head = text[:length]
    if not text[length].isspace():
        blank = max((i for i in range(length // 2, length) if head[i].isspace()), default=length)
        head = head[:blank]
    return f"{head.rstrip()}…"
