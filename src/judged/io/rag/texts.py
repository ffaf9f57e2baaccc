"""Texts of documents and queries, by id: what a person reads beside the numbers."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from judged.errors import DataError, Place, UsageError, shown
from judged.io.files.source import is_file_like, is_path, open_content, open_stream
from judged.io.rag.text_files import of_document, of_frame, rows_of
from judged.io.rag.text_records import Row, TextRecords, words
from judged.io.tables.frames import frame_of

__all__ = ["Texts", "read_texts"]

_WHAT = "texts"


@dataclass(frozen=True, slots=True)
class Texts:
    """What a document or a query says; None where the source has no such field."""

    title: str | None
    text: str | None


def read_texts(source: Any, wanted: Container[str] | None = None, *, length: int | None = None) -> dict[str, Texts]:
    """The texts of documents or of queries, {id: Prose}, in the order of the source.

    A file (a path, `-` for standard input, or an open file; plain or compressed) holds JSON Lines (`corpus.jsonl` and
    `queries.jsonl` of BEIR), JSON, TSV as MS MARCO has it (`id<TAB>text`, or `id<TAB>url<TAB>title<TAB>body`), CSV or TSV with a
    header, Parquet or Arrow. In memory it is `{id: text}`, `{id: {"title": …, "text": …}}`, a list of records, of named tuples or of
    (id, text), or a frame. Columns are found by their usual names.

    Ids are compared as text: 7 and "7" are one. Of an id that comes twice the first text is kept. A text file is read line by line, and no
    more of a line than its id where that is not wanted; so what is wrong behind such an id is not found. Letters that cannot be decoded are
    replaced in texts and kept in ids.

    Args:
        source: the file or the object.
        wanted: the ids to keep; all of them without it.
        length: titles and texts are cut at so many characters, at the end of a word, with "…".

    Raises:
        DataError: what cannot be used, with its place.
        FileError: a file that cannot be opened or read.

    >>> read_texts({"d1": "Salt the water, then boil it."}, length=16)["d1"].text
    'Salt the water,…'
    """
    if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
        raise UsageError("parameter", "length: a whole number from 1", got=shown(length), value=length)
    if isinstance(wanted, (str, bytes)):
        raise UsageError("parameter", "wanted: ids in a set or a list", got=shown(wanted), value=wanted)
    found: dict[str, Texts] = {}
    all_of_them = len(wanted) if isinstance(wanted, Sized) else None
    with closing(_rows(source, wanted)) as rows:
        for key, title, text in rows:
            if key not in found:
                found[key] = Texts(words(title, length), words(text, length))
                if len(found) == all_of_them:
                    break
    return found


def _rows(source: Any, wanted: Container[str] | None) -> Generator[Row, None, None]:
    """The rows of a source whose ids are wanted."""
    if is_path(source):
        with open_content(source) as stream:
            yield from _kept(rows_of(stream, wanted), wanted)
    elif is_file_like(source):
        yield from _kept(rows_of(open_stream(source, default=_WHAT), wanted), wanted)
    elif (frame := frame_of(source)) is not None:
        yield from of_frame(frame, Place(_WHAT), wanted)
    elif isinstance(source, Mapping):
        yield from _kept(of_document(source, Place(_WHAT)), wanted)
    elif isinstance(source, Iterable):
        records = TextRecords()
        yield from _kept((records.row(item, Place(f"{_WHAT}[{i}]")) for i, item in enumerate(source)), wanted)
    else:
        raise DataError("form", "texts: a path, a frame, {id: text} or records", got=f"a {type(source).__name__}",
                        where=_WHAT, hint="write them as {id: text}")  # fmt: skip


def _kept(rows: Iterator[Row], wanted: Container[str] | None) -> Iterator[Row]:
    return rows if wanted is None else (row for row in rows if row[0] in wanted)
