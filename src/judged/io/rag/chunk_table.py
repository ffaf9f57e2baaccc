"""Tables of chunks: the document that each is of, where in it it stands, how many tokens it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.core.ids import IdColumn
from judged.core.tables import Passages, Qrels
from judged.errors import DataError, Place, shown
from judged.io.files.source import Content, is_file_like, is_path, open_content, open_stream
from judged.io.formats.json import JSON, read_values
from judged.io.formats.registry import detect_format
from judged.io.open_table import open_role_table
from judged.io.read import read_qrels
from judged.io.tables.chunks import (
    DOC_NAMES,
    END_NAMES,
    FILE_NAMES,
    ID_NAMES,
    START_NAMES,
    TOKEN_NAMES,
    as_integers,
    count_words,
    read_chunk_entries,
)  # fmt: skip
from judged.io.tables.columns import ColumnRequest, Role
from judged.io.tables.context import Context
from judged.io.tables.ids import encode_ids
from judged.io.tables.roles import RoleTable
from judged.io.text.lines import read_head

__all__ = ["ChunkTable", "any_of", "count_tokens", "read_chunks"]

_WHAT = {"chunks": "(doc, start, end)", "documents": "its document", "tokens": "its number of tokens"}


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """What is known of each chunk, by its id."""

    name: str
    row: Mapping[bytes, int]
    passages: Passages


def read_chunks(source: Any, what: str = "chunks") -> ChunkTable:
    """A table of chunks, by their ids.

    A file or a frame with a column of ids (chunk_id, id) and any of doc, start, end, tokens; records with these; or a mapping: `{chunk: document}` for `documents`,
    `{chunk: count}` for `tokens`, `{chunk: (doc, start, end)}` or `{chunk: {name: value}}` for `chunks`.
    """
    context = Context(ColumnRequest(what))
    if is_path(source):
        with open_content(source) as content:
            return _read_content(content, what)
    if is_file_like(source):
        return _read_content(open_stream(source, default=what), what)
    if isinstance(source, Mapping) and not _are_columns(source):
        return _of_mapping(source, what, context)
    if isinstance(source, list) and all(isinstance(item, Mapping) for item in source):
        return _of_records(source, what, context)
    return _of_table(open_role_table(source, what, _ROLES), what)


def _are_columns(source: Mapping[Any, Any]) -> bool:
    """Whether this is a table as a mapping of columns, not one of chunks."""
    return bool(source) and all(isinstance(value, (list, np.ndarray)) for value in source.values()) and not all(
        len(value) == 3 for value in source.values()
    )  # fmt: skip


def _read_content(content: Content, what: str) -> ChunkTable:
    context = Context(ColumnRequest(what), content.name)
    detected = detect_format(read_head(content), ColumnRequest(what, roles=_ROLES))
    if detected is None or detected.format is not JSON:
        return _of_table(open_role_table(_Reopened(content), what, _ROLES), what)
    value, context = read_values(content.read(), context)
    return _of_mapping(value, what, context) if isinstance(value, Mapping) else _of_records(value, what, context)


class _Reopened:
    """An open file whose beginning was already taken, as a file."""

    def __init__(self, content: Content) -> None:
        self.name = content.name
        self._data: bytes | None = bytes(content.read()[:-8])

    def read(self, size: int = -1) -> bytes:
        data, self._data = self._data or b"", None
        return data


def _of_mapping(source: Mapping[Any, Any], what: str, context: Context) -> ChunkTable:
    records = []
    for key, value in source.items():
        if isinstance(value, Mapping):
            record = {**value, "chunk_id": key}
        elif isinstance(value, (tuple, list)) and len(value) in (3, 4):
            record = {"chunk_id": key, **dict(zip(("doc", "start", "end", "tokens"), value, strict=False))}
        elif what == "chunks" or isinstance(value, (tuple, list)):
            raise DataError(
                "columns", f"for each chunk {_WHAT[what]}", got=f"{shown(value)} for {shown(key)}", where=context.place
            )
        else:
            record = {"chunk_id": key, "doc" if what == "documents" else "tokens": value}
        records.append(record)
    return _of_records(records, what, context)


def _of_records(records: list[Any], what: str, context: Context) -> ChunkTable:
    origin = context.items()
    for i, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise DataError("columns", "one chunk in each record", got=shown(record), where=origin.place(i))
    if not records:
        _refuse_empty(what, context.name)
    chunks = read_chunk_entries(records, "run", origin)
    return _table(
        context.name,
        encode_ids(chunks.ids, origin, "doc")[0],
        chunks.passages or Passages(),
        lambda row: origin.place(row),
    )


def _tiers(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple((name,) for name in names)


_ROLES = {
    "chunk": Role(_tiers((*ID_NAMES, "chunk", "node", "passage")), "chunk ids (chunk_id, id …)"),
    "doc": Role(_tiers((*DOC_NAMES, *FILE_NAMES)), "documents", required=False),
    **{
        name: Role(_tiers(names), name, read=lambda column: np.array(_plain(column), dtype=object), required=False)
        for name, names in (("start", START_NAMES), ("end", END_NAMES), ("tokens", TOKEN_NAMES))
    },
}


def _plain(column: Any) -> list[Any]:
    """Cells as numbers; text that is none stays, and is refused with its place."""
    return [int(cell) if isinstance(cell, str) and cell.strip().isdigit() else cell for cell in list(column)]


def _of_table(table: RoleTable, what: str) -> ChunkTable:
    def column(name: str) -> Any:
        if name not in table.numbers:
            return None
        return as_integers(list(table.numbers[name]), name, lambda row: table.place(row, name))

    def names(role: str) -> IdColumn:
        coded = table.ids[role]
        raw = [str(name).encode("utf-8", "surrogateescape") for name in coded.ids]
        return IdColumn.of([raw[code] for code in coded.code.tolist()])

    doc = names("doc") if "doc" in table.ids else None
    passages = Passages(doc=doc, start=column("start"), end=column("end"), tokens=column("tokens"))
    return _table(table.name, names("chunk"), passages, lambda row: table.place(row, "chunk"))


def _table(name: str, chunk: IdColumn, passages: Passages, place: Any) -> ChunkTable:
    row: dict[bytes, int] = {}
    for i, raw in enumerate(chunk.tolist()):
        first = row.setdefault(raw, i)
        if first != i:
            where: Place = place(i)
            raise DataError(
                "duplicate-doc", "each chunk once", got=f"{shown(raw)}, as at {place(first)}", where=where, value=raw
            )
    return ChunkTable(name, row, passages)


def _refuse_empty(what: str, name: str) -> None:
    raise DataError("columns", f"at least one chunk in {what}", got="none", where=name)


# ── what people write by hand ────────────────────────────────────────────────────────────────────


def any_of(gold: Mapping[Any, Iterable[Any]], name: str | None = None) -> Qrels:
    """Judgments of which any one set will do: {query: [[a, b], [c]]}.

    `read_qrels` takes them, too; this says it where [1, 2] might be a document and its grade.

    >>> any_of({"q": [[1, 2], [3, 4]]}).choice
    array([0, 0, 1, 1])
    """
    sets: dict[Any, list[Any]] = {}
    for query, some in gold.items():
        if not isinstance(some, (list, tuple)) or not all(isinstance(one, (list, tuple, Set)) for one in some):
            raise DataError(
                "alternatives", f"sets of documents for query {shown(query)}, as [[a, b], [c]]", got=shown(some)
            )
        plain = [all(isinstance(entry, (str, int)) for entry in one) for one in some]
        sets[query] = [frozenset(one) if simple else list(one) for one, simple in zip(some, plain, strict=True)]
    return read_qrels(sets, name=name)


def count_tokens(texts: Mapping[Any, str], counter: Callable[[str], Any] | None = None) -> dict[Any, int]:
    """How many tokens each text has: {chunk: count}, for `tokens=`.

    The counter is a function of a text that gives a number, or the tokens themselves, such as the `encode` of a tokenizer. Without one, words and punctuation
    marks are counted, which is about as many tokens as a model sees in plain English, and fewer in code and other languages.

    >>> count_tokens({"c1": "Wait, what?"})
    {'c1': 4}
    """
    counted: dict[Any, int] = {}
    for chunk, text in texts.items():
        found = count_words(text) if counter is None else counter(text)
        counted[chunk] = int(found) if isinstance(found, (int, np.integer)) else len(found)
    return counted
