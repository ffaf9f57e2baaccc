"""Tables of chunks: document, span and number of tokens of each chunk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.core.tables import IdColumn, Passages, Qrels
from judged.errors import DataError, shown
from judged.io.chunks import CHUNK_NAMES, as_integers
from judged.io.columns import ColumnRequest, Role
from judged.io.containers import read_items
from judged.io.files import PATH, is_file_like
from judged.io.open_table import open_role_table, open_values
from judged.io.origin import Context
from judged.io.read import read_qrels
from judged.io.table import ColumnBatches, gather_columns

_WORD = re.compile(r"\w+|[^\w\s]")
_WHAT = {"chunks": "(doc, start, end)", "documents": "its document", "tokens": "its number of tokens"}


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """Document, span and tokens of each chunk; `row` is the row of each id."""

    name: str
    row: Mapping[bytes, int]
    passages: Passages


def read_chunks(source: Any, what: str = "chunks") -> ChunkTable:
    """Read a table of chunks.

    A file or a frame has a column of ids (chunk_id, id) and any of doc, start, end, tokens; so have records. A mapping is
    `{chunk: document}` for `documents`, `{chunk: count}` for `tokens`, `{chunk: (doc, start, end)}` or `{chunk: {name: value}}` for
    `chunks`.
    """
    request = ColumnRequest(what, roles=_ROLES)
    context, value = Context(request), source
    if isinstance(source, PATH) or is_file_like(source):
        value, context = open_values(source, request)
    if isinstance(value, Mapping) and not _are_columns(value):
        value = [_record(key, entry, what, context) for key, entry in value.items()]
    if isinstance(value, list):
        value = read_items(value, context)
    table = gather_columns(value) if isinstance(value, ColumnBatches) else open_role_table(value, what, _ROLES)

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
    rows: dict[bytes, int] = {}
    for i, chunk in enumerate(names("chunk").tolist()):
        first = rows.setdefault(chunk, i)
        if first != i:
            problem = f"duplicate chunk {shown(chunk)}; first at {table.place(first, 'chunk')}"
            raise DataError("duplicate-doc", problem, where=table.place(i, "chunk"), value=chunk)
    return ChunkTable(table.name, rows, passages)


def _are_columns(source: Mapping[Any, Any]) -> bool:
    """Return whether this is a mapping of columns, not of chunks."""
    lists = bool(source) and all(isinstance(value, (list, np.ndarray)) for value in source.values())
    return lists and not all(len(value) == 3 for value in source.values())


def _record(chunk: Any, value: Any, what: str, context: Context) -> dict[str, Any]:
    """Return an entry of a mapping of chunks as a record."""
    if isinstance(value, Mapping):
        return {**value, "chunk_id": chunk}
    if isinstance(value, (tuple, list)) and len(value) in (3, 4):
        return {"chunk_id": chunk, **dict(zip(("doc", "start", "end", "tokens"), value, strict=False))}
    if what == "chunks" or isinstance(value, (tuple, list)):
        got = f"{shown(value)} for {shown(chunk)}"
        raise DataError("columns", f"{_WHAT[what]} for each chunk", got=got, where=context.place)
    return {"chunk_id": chunk, "doc" if what == "documents" else "tokens": value}


def _ids(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that are surely ids: two such columns are ambiguous."""
    return tuple(name for name in names if name not in ("id", "doc", "document"))


_ROLES = {
    "chunk": Role((_ids(CHUNK_NAMES["id"]), ("id",), ("chunk", "node", "passage")), "chunk ids (chunk_id, id …)"),
    "doc": Role(
        (_ids(CHUNK_NAMES["doc"]), ("doc", "document"), *((name,) for name in CHUNK_NAMES["file"])),
        "documents",
        required=False,
    ),
    **{
        name: Role(
            (CHUNK_NAMES[name],), name, read=lambda column: np.array(_as_integers(column), dtype=object), required=False
        )
        for name in ("start", "end", "tokens")
    },
}


def _as_integers(column: Any) -> list[Any]:
    """Return cells as integers; other cells stay, and raise later with their place."""
    return [int(cell) if isinstance(cell, str) and cell.strip().isdigit() else cell for cell in list(column)]


# ── judgments and tokens from mappings ───────────────────────────────────────────────────────────


def any_of(gold: Mapping[Any, Iterable[Any]], name: str | None = None) -> Qrels:
    """Return judgments with alternative sets, each of which answers the query: {query: [[a, b], [c]]}.

    `read_qrels` also accepts them, but reads [1, 2] as a document and its grade.

    >>> any_of({"q": [[1, 2], [3, 4]]}).choice
    array([0, 0, 1, 1])
    """
    sets: dict[Any, list[Any]] = {}
    for query, choices in gold.items():
        if not isinstance(choices, (list, tuple)) or not all(isinstance(one, (list, tuple, Set)) for one in choices):
            expected = f"sets of documents for query {shown(query)}, as [[a, b], [c]]"
            raise DataError("alternatives", expected, got=shown(choices))
        plain = [all(isinstance(entry, (str, int)) for entry in one) for one in choices]
        sets[query] = [frozenset(one) if simple else list(one) for one, simple in zip(choices, plain, strict=True)]
    return read_qrels(sets, name=name)


def count_tokens(texts: Mapping[Any, str], counter: Callable[[str], Any] | None = None) -> dict[Any, int]:
    """Return the number of tokens of each text, {chunk: count}, for `tokens=`.

    The counter takes a text and returns a number or the tokens, such as the `encode` of a tokenizer. Without it, words and
    punctuation marks are counted: about the number of tokens in plain English, fewer in code and other languages.

    >>> count_tokens({"c1": "Wait, what?"})
    {'c1': 4}
    """
    counted: dict[Any, int] = {}
    for chunk, text in texts.items():
        tokens = _WORD.findall(text) if counter is None else counter(text)
        counted[chunk] = int(tokens) if isinstance(tokens, (int, np.integer)) else len(tokens)
    return counted
