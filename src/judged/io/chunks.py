"""Chunks as retrievers write them: objects with an id, a document, a span, tokens and a score, under known names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.passages import NO_TOKENS
from judged.core.tables import Passages
from judged.errors import DataError, Place, shown
from judged.io.cells import encode_ids
from judged.io.columns import NAMES, plain_name
from judged.io.origin import Origin

# Known names, as `plain_name` writes them; the surest first.
ID_NAMES = ("chunkid", "nodeid", "passageid", "contextid", "pointid", "id", "uuid")
DOC_NAMES = (
    "docid",
    "documentid",
    "docno",
    "doc",
    "document",
    "parentid",
    "parentdocid",
    "refdocid",
    "corpusid",
    "itemid",
    "pid",
)
FILE_NAMES = ("sourceid", "source", "filename", "filepath", "file", "url")  # documents, but not ids of chunks
START_NAMES = ("start", "startindex", "startcharidx", "startchar", "charstart", "startoffset", "begin")
END_NAMES = ("end", "endindex", "endcharidx", "endchar", "charend", "endoffset")
TOKEN_NAMES = ("tokens", "tokencount", "ntokens", "numtokens", "tokenlength")
_TEXT = ("text", "content", "pagecontent", "passage", "chunk", "body")
_SCORE = ("score", "similarity", "sim", "relevancescore", "similarityscore")
_GRADE = (*NAMES["grade"][0], "score")
_LONGEST_ID = 64  # characters
_INNER = ("node", "metadata", "payload", "document", "chunk")  # nested objects
_MARKS = frozenset((*ID_NAMES, *START_NAMES, *TOKEN_NAMES, *_TEXT, "node", "metadata", "payload"))


@dataclass(frozen=True, slots=True)
class Chunks:
    """Ids of chunks, their scores or grades if there are any, and their documents, spans and tokens."""

    ids: list[Any]
    number: list[Any] | None
    passages: Passages | None


def are_chunks(entry: Mapping[Any, Any]) -> bool:
    """Return whether an object has more than a document id and a number."""
    names = {plain_name(name) for name in entry}
    return bool(names & _MARKS) or not names & {*_SCORE, *_GRADE, "rank", "prediction"}


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


@dataclass(frozen=True, slots=True)
class _ChunkFields:
    name: Any
    number: Any = None
    doc: Any = None
    start: Any = None
    end: Any = None
    tokens: Any = None
    text: Any = None


def count_words(text: str) -> int:
    """Count words and punctuation marks: an estimate of tokens without a tokenizer."""
    return len(_WORD.findall(text))


_WORD = re.compile(r"\w+|[^\w\s]")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if (value := fields.get(name)) is not None:
            return value
    return None


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
    own, doc, text = _first(found, ID_NAMES), _first(found, DOC_NAMES), _first(found, _TEXT)
    named, doc = doc, _first(found, FILE_NAMES) if doc is None else doc
    start, end, tokens = _first(found, START_NAMES), _first(found, END_NAMES), _first(found, TOKEN_NAMES)
    if start is not None and end is None and isinstance(start, int) and isinstance(text, str):
        end = start + len(text)  # LangChain gives only the start
    if own is None:
        whole = next((name for name in (named, text, doc) if name is not None), None)
        own = _span_name(doc, start, end) if start is not None else whole
    tokens = len(tokens) if isinstance(tokens, list) else tokens
    return _ChunkFields(own, _first(found, number), doc, start, end, tokens, text)


def chunk_id(entry: Any) -> Any:
    """Return the id of a chunk; without one its text, or the entry itself if it is no object."""
    return _read_object(entry, _SCORE).name if isinstance(entry, Mapping) else entry


def _read_tuple(entry: Any) -> _ChunkFields:
    doc, start, end = entry[:3]
    return _ChunkFields(_span_name(doc, start, end), entry[3] if len(entry) > 3 else None, doc, start, end)


def _span_name(doc: Any, start: Any, end: Any) -> Any:
    return None if doc is None else f"{doc}:{start}-{end}"


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def read_chunk_entries(entries: Sequence[Any], what: str, origin: Origin, *, count: bool = False) -> Chunks:
    """Read chunks that are objects, spans as tuples, or plain ids; with `count`, missing tokens are counted in the texts."""
    number = _SCORE if what == "run" else _GRADE
    for row, entry in enumerate(entries if what != "run" else ()):
        if isinstance(entry, Mapping) and any(
            value is None and plain_name(key) in _GRADE for key, value in entry.items()
        ):
            _raise("a grade in the field for it", entry, row, origin)
    chunks = [
        _read_object(e, number) if isinstance(e, Mapping) else _read_tuple(e) if is_span(e) else _ChunkFields(e, text=e)
        for e in entries
    ]
    if count:
        _check_texts(entries, origin)
        chunks = [
            replace(c, tokens=count_words(c.text)) if c.tokens is None and isinstance(c.text, str) else c
            for c in chunks
        ]
    for row, chunk in enumerate(chunks):
        if chunk.name is None:
            _raise("an id, a document or a text of the chunk", entries[row], row, origin)
    start, end = _spans(chunks, entries, origin)
    doc, tokens = _documents(chunks, entries, origin), _tokens(chunks, origin)
    passages = Passages(doc=doc, start=start, end=end, tokens=tokens)
    known = any(getattr(passages, name) is not None for name in ("doc", "start", "tokens"))
    return Chunks([chunk.name for chunk in chunks], _numbers(chunks, what), passages if known else None)


def _check_texts(entries: Sequence[Any], origin: Origin) -> None:
    """Raise if all entries look like ids, whose words say nothing about the length of their chunks."""
    words = [entry for entry in entries if isinstance(entry, str)]
    if (
        words
        and len(words) == len(entries)
        and all(len(word) <= _LONGEST_ID and len(word.split()) == 1 for word in words)
    ):
        raise DataError(
            "columns",
            f"words cannot be counted without texts, got ids such as {shown(words[0])}",
            where=origin.place(0),
            hint=NO_TOKENS,
            value=words[0],
        )


def _numbers(chunks: list[_ChunkFields], what: str) -> list[Any] | None:
    """Return scores if every chunk has one; grades if any has one, with 1 for the others."""
    given = [chunk.number is not None for chunk in chunks]
    if not any(given) or (what == "run" and not all(given)):
        return None
    return [1 if chunk.number is None else chunk.number for chunk in chunks]


def _documents(chunks: list[_ChunkFields], entries: Sequence[Any], origin: Origin) -> Any:
    given = [chunk.doc is not None for chunk in chunks]
    if not any(given) or all(chunk.doc is chunk.name for chunk in chunks):
        return None
    if not all(given):
        row = given.index(False)
        _raise("a document for every chunk, as others have one", entries[row], row, origin)
    return encode_ids([chunk.doc for chunk in chunks], origin, "doc")[0]


def _tokens(chunks: list[_ChunkFields], origin: Origin) -> Ints | None:
    if all(chunk.tokens is None for chunk in chunks):
        return None
    return as_integers([-1 if c.tokens is None else c.tokens for c in chunks], "tokens", origin.place, -1)


def _spans(chunks: list[_ChunkFields], entries: Sequence[Any], origin: Origin) -> tuple[Ints | None, Ints | None]:
    given = [chunk.start is not None or chunk.end is not None for chunk in chunks]
    if not any(given):
        return None, None
    for row, chunk in enumerate(chunks):
        if chunk.start is None or chunk.end is None or chunk.doc is None:
            _raise("doc, start and end of every chunk, as others have them", entries[row], row, origin)
    start = as_integers([c.start for c in chunks], "start", origin.place)
    end = as_integers([c.end for c in chunks], "end", origin.place)
    if (end <= start).any():
        row = int(np.argmax(end <= start))
        raise DataError(
            "form",
            f"the span {start[row]} to {end[row]}{origin.describe_row(row)} is empty",
            where=origin.place(row),
            hint="write the end after the last character: [0, 5) has five characters",
        )
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
    raise DataError(
        "columns", expected + origin.describe_row(row), got=shown(entry), where=origin.place(row), value=entry
    )
