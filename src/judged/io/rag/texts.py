"""Texts of documents and queries, by id."""

from __future__ import annotations

import json
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from judged.errors import DataError, Place, UsageError, shown
from judged.io.files.beir_folder import TextKind
from judged.io.files.source import is_file_like, is_path, open_content, open_stream
from judged.io.formats.tools.beir import texts_file
from judged.io.formats.tools.ir_datasets import collection_name, is_collection, iterate_collection
from judged.io.rag.text_files import iterate_file
from judged.io.rag.text_records import Row, TextRecords, id_text, is_missing, iterate_document, iterate_frame
from judged.io.tables.frames import frame_of

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
            if key not in texts:
                texts[key] = Texts(_cell_text(title, length), _cell_text(text, length))
                if len(texts) == enough:
                    break
    return texts


def _rows(source: Any, ids: Container[str] | None, kind: TextKind) -> Generator[Row, None, None]:
    """Iterate over the rows of a source with these ids."""
    if is_path(source):
        with open_content(source) as content:
            yield from _keep(iterate_file(content, ids), ids)
    elif is_file_like(source):
        yield from _keep(iterate_file(open_stream(source, default=_WHAT), ids), ids)
    elif (frame := frame_of(source)) is not None:
        yield from iterate_frame(frame, Place(_WHAT), ids)
    elif is_collection(source):
        yield from _keep(_collection_rows(source, kind), ids)
    elif isinstance(source, Mapping):
        yield from _keep(iterate_document(source, Place(_WHAT)), ids)
    elif isinstance(source, Iterable):
        records = TextRecords()
        yield from _keep((records.row(item, Place(f"{_WHAT}[{i}]")) for i, item in enumerate(source)), ids)
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


def _keep(rows: Iterator[Row], ids: Container[str] | None) -> Iterator[Row]:
    return rows if ids is None else (row for row in rows if row[0] in ids)


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
