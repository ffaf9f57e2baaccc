"""Chunks as retrievers write them: objects with an id, a document, a span, tokens and a score, under known names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.tables import Passages
from judged.errors import DataError, Place, shown
from judged.io.cells import encode_ids
from judged.io.columns import NAMES, plain_name
from judged.io.origin import Origin

# Known names, as `plain_name` writes them; the surest first.
CHUNK_NAMES: Mapping[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "id": "chunkid nodeid passageid contextid pointid id uuid",
        "doc": "docid documentid docno doc document parentid parentdocid refdocid corpusid itemid pid",
        "file": "sourceid source filename filepath file url",  # documents, but not ids of chunks
        "start": "start startindex startcharidx startchar charstart startoffset begin",
        "end": "end endindex endcharidx endchar charend endoffset",
        "tokens": "tokens tokencount ntokens numtokens tokenlength",
        "text": "text content pagecontent passage chunk body",
        "score": "score similarity sim relevancescore similarityscore",
    }.items()
}
_GRADE = (*NAMES["grade"][0], "score")
_GRADES = frozenset(_GRADE)
_INNER = ("node", "metadata", "payload", "document", "chunk")  # nested objects
_MARKS = {
    *("node", "metadata", "payload"),
    *(name for role in ("id", "start", "tokens", "text") for name in CHUNK_NAMES[role]),
}


def are_chunks(entry: Mapping[Any, Any]) -> bool:
    """Return whether an object has more than a document id and a number."""
    names = {plain_name(name) for name in entry}
    return bool(names & _MARKS) or not names & {*CHUNK_NAMES["score"], *_GRADE, "rank", "prediction"}


def is_span(entry: Any) -> bool:
    """Return whether an entry is (doc, start, end) or (doc, start, end, grade)."""
    if not isinstance(entry, (tuple, list)) or len(entry) not in (3, 4):
        return False
    whole = all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in entry[1:3])
    return whole and (isinstance(entry, tuple) or isinstance(entry[0], str))


def are_spans(entries: Sequence[Any]) -> bool:
    return bool(entries) and all(map(is_span, entries))


def are_sets(entries: Any) -> bool:
    """Return whether the judgments of a query are sets of documents: lists in a list that are not all (doc, grade) or spans."""
    if not isinstance(entries, (list, tuple)) or not entries or not is_set(entries[0]):
        return False
    return not all(is_pair(entry) for entry in entries)


def is_set(entry: Any) -> bool:
    return isinstance(entry, Set) or (isinstance(entry, (list, tuple)) and not is_span(entry))


def is_pair(entry: Any) -> bool:
    """Return whether an entry is (doc, number)."""
    if not isinstance(entry, (list, tuple)) or len(entry) != 2:
        return False
    return isinstance(entry[1], (int, float, np.number)) and not isinstance(entry[1], bool)


# ── one chunk ────────────────────────────────────────────────────────────────────────────────────


class _ChunkFields(NamedTuple):
    name: Any
    number: Any = None
    doc: Any = None
    start: Any = None
    end: Any = None
    tokens: Any = None
    text: Any = None


def _read_object(entry: Mapping[Any, Any], number: tuple[str, ...]) -> _ChunkFields:
    found: dict[str, Any] = {}
    for key, value in entry.items():
        name = plain_name(key).rpartition(".")[2]  # OpenInference: `document.id`
        if name in _INNER and isinstance(value, Mapping):
            inner = {plain_name(k): v for k, v in value.items()}
            if isinstance(inner.get("metadata"), Mapping):  # LlamaIndex: a node with metadata
                inner = {**{plain_name(k): v for k, v in inner["metadata"].items()}, **inner}
            found = {**inner, **found}
        else:
            found[name] = value

    first = {
        role: next((found[name] for name in names if found.get(name) is not None), None)
        for role, names in {**CHUNK_NAMES, "number": number}.items()
    }
    named, text, start, end = first["doc"], first["text"], first["start"], first["end"]
    doc = first["file"] if named is None else named
    if start is not None and end is None and isinstance(start, int) and isinstance(text, str):
        end = start + len(text)  # LangChain gives only the start
    own, tokens = first["id"], first["tokens"]
    if own is None and start is None:
        own = next((name for name in (named, text, doc) if name is not None), None)
    elif own is None and doc is not None:
        own = f"{doc}:{start}-{end}"
    return _ChunkFields(
        own, first["number"], doc, start, end, len(tokens) if isinstance(tokens, list) else tokens, text
    )


def chunk_id(entry: Any) -> Any:
    """Return the id of a chunk; without one its text, or the entry itself if it is no object."""
    return _read_object(entry, ()).name if isinstance(entry, Mapping) else entry


def read_entry(entry: Any, number: tuple[str, ...] = ()) -> _ChunkFields:
    """Return the fields of a chunk: an object, a span as a tuple, or a plain id."""
    if isinstance(entry, Mapping):
        return _read_object(entry, number)
    if not is_span(entry):
        return _ChunkFields(entry, text=entry)
    doc, start, end = entry[:3]
    name = None if doc is None else f"{doc}:{start}-{end}"
    return _ChunkFields(name, entry[3] if len(entry) > 3 else None, doc, start, end)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def read_chunk_entries(
    entries: Sequence[Any], what: str, origin: Origin
) -> tuple[list[Any], list[Any] | None, Passages | None]:
    """Return ids of chunks, their scores or grades if there are any, and their documents, spans and tokens.

    Chunks are objects, spans as tuples, or plain ids. Scores count if every chunk has one; of grades, missing ones are 1.
    """
    names = CHUNK_NAMES["score"] if what == "run" else _GRADE
    chunks = [read_entry(entry, names) for entry in entries]
    for row, (entry, chunk) in enumerate(zip(entries, chunks, strict=True)):
        if chunk.name is None:
            _raise("an id, a document or a text of the chunk", entry, row, origin)
        graded = what != "run" and isinstance(entry, Mapping) and not _GRADES.isdisjoint(map(plain_name, entry))
        if graded and chunk.number is None:
            _raise("a grade in the field for it", entry, row, origin)
    start, end = _spans(chunks, entries, origin)
    doc = tokens = number = None
    if any(chunk.doc is not None and chunk.doc is not chunk.name for chunk in chunks):
        lost = next((row for row, chunk in enumerate(chunks) if chunk.doc is None), None)
        if lost is not None:
            _raise("a document for every chunk, as others have one", entries[lost], lost, origin)
        doc = encode_ids([chunk.doc for chunk in chunks], origin, "doc")[0]
    if any(chunk.tokens is not None for chunk in chunks):
        counts = [-1 if chunk.tokens is None else chunk.tokens for chunk in chunks]
        tokens = as_integers(counts, "tokens", origin.place, -1)
    given = [chunk.number is not None for chunk in chunks]
    if any(given) and (what != "run" or all(given)):
        number = [1 if chunk.number is None else chunk.number for chunk in chunks]
    known = doc is not None or start is not None or tokens is not None
    passages = Passages(doc=doc, start=start, end=end, tokens=tokens) if known else None
    return [chunk.name for chunk in chunks], number, passages


def _spans(chunks: list[_ChunkFields], entries: Sequence[Any], origin: Origin) -> tuple[Ints | None, Ints | None]:
    if all(chunk.start is None and chunk.end is None for chunk in chunks):
        return None, None
    for row, chunk in enumerate(chunks):
        if chunk.start is None or chunk.end is None or chunk.doc is None:
            _raise("doc, start and end of every chunk, as others have them", entries[row], row, origin)
    start = as_integers([c.start for c in chunks], "start", origin.place)
    end = as_integers([c.end for c in chunks], "end", origin.place)
    if (end <= start).any():
        row = int(np.argmax(end <= start))
        problem = f"the span {start[row]} to {end[row]}{origin.describe_row(row)} is empty"
        hint = "write the end after the last character: [0, 5) has five characters"
        raise DataError("form", problem, where=origin.place(row), hint=hint)
    return start, end


def as_integers(values: Sequence[Any], name: str, place: Callable[[int], Place], least: int = 0) -> Ints:
    """Return a column of integers ≥ 0, or ≥ another limit."""
    for row, value in enumerate(values):
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not number or not least <= float(value) <= 2**53 or float(value) != int(value):
            raise DataError(
                "form" if name != "tokens" else "columns",
                f"{name} as an integer ≥ 0",
                got=shown(value),
                where=place(row),
                value=value,
            )
    return np.array([int(value) for value in values], dtype=np.int64)


def _raise(expected: str, entry: Any, row: int, origin: Origin) -> NoReturn:
    raise origin.error("columns", expected, row, value=entry)
