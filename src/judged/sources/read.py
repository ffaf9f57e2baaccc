"""One reader of runs and one of judgments, for whatever a person has; the content decides, not a flag."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from judged.core import NATIVE, Qrels, Run, Unread
from judged.errors import DataError
from judged.sources._columns import Wanted
from judged.sources._context import Context
from judged.sources._delimited import Header, header_of, of_delimited
from judged.sources._encoding import Raw
from judged.sources._file import read_bytes, read_stream, source_name
from judged.sources._frame import batches_of, frame_of, of_frame
from judged.sources._ids import listed
from judged.sources._json import of_json
from judged.sources._layout import QRELS, RUN
from judged.sources._memory import of_items, of_mapping
from judged.sources._parquet import MAGIC, of_columnar
from judged.sources._sniff import first_line, is_trec
from judged.sources._table import Table, as_qrels, as_run
from judged.sources._trec import qrels_of, run_of
from judged.sources._unread import lines_in, lines_of, nested_of

__all__ = ["open_run", "read_qrels", "read_run"]


def read_run(
    source: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    name: str | None = None,
) -> Run:
    """A ranking for each query, from a file or from memory.

    A file (a path, `-` for standard input, or an open file; plain or compressed) holds TREC lines, JSON,
    JSON Lines, CSV or TSV with a header, Parquet or Arrow. In memory it is `{query: {doc: score}}`,
    `{query: [doc, …]}` with the best document first, (query, doc, score) tuples, records, or a frame of
    pandas, polars, Arrow or DuckDB. Columns are found by their usual names. Without scores, the order of
    a list or the rank column decides. In text files every id is text; elsewhere 7 and "7" are two ids.

    Args:
        source: the file or the object.
        query: the column of query ids, where it is called otherwise.
        doc: the column of document ids.
        score: the column of scores.
        rank: the column of ranks.
        name: what to call the run; a file is called by its path.

    Raises:
        DataError: anything that cannot be used, with its place; nothing is half read.
        FileError: a file that cannot be opened or read.

    >>> read_run({"q1": ["d2", "d1"]}).score
    array([2., 1.])
    """
    if isinstance(source, Run):
        return source
    if isinstance(source, Unread):
        return source.read()
    named = {"query": query, "doc": doc, "score": score, "rank": rank}
    wanted = Wanted("run", {role: column for role, column in named.items() if column is not None})
    found = _opened(source, wanted)
    run = as_run(found) if isinstance(found, Table) else run_of(*found)
    return run if name is None else replace(run, name=name)


def open_run(source: Any) -> Run | Unread:
    """What `read_run` reads; left unread where the native core can look through it as it lies.

    Then nothing is wrong with it yet: that shows when it is joined with judgments, or read.
    """
    if isinstance(source, (Run, Unread)):
        return source
    if not NATIVE:
        return read_run(source)
    read = partial(read_run, source)
    unread: Unread | None = None
    if isinstance(source, (str, bytes, os.PathLike)):
        unread = lines_of(source, read)
    elif isinstance(source, dict):
        unread = nested_of(source, read)
    elif (frame := frame_of(source)) is not None:
        context = Context(Wanted("run", {}))
        unread = batches_of(frame, context, lambda: as_run(of_frame(frame, context)))
    if unread is not None:
        return unread
    found = _opened(source, Wanted("run", {}))
    if isinstance(found, Table):
        return as_run(found)
    return lines_in(*found) or run_of(*found)


def read_qrels(
    source: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    grade: str | None = None,
    aspect: str | None = None,
    name: str | None = None,
) -> Qrels:
    """Judgments, from a file or from memory; the forms are those of `read_run`.

    Documents that are only listed (`{query: [doc, …]}`) are relevant, with grade 1. Judgments tell
    subtopics apart where the second column of a TREC file, or a column of that name, varies.

    Args:
        source: the file or the object.
        query: the column of query ids, where it is called otherwise.
        doc: the column of document ids.
        grade: the column of grades.
        aspect: the column of subtopics.
        name: what to call the judgments; a file is called by its path.

    Raises:
        DataError: anything that cannot be used, with its place; nothing is half read.
        FileError: a file that cannot be opened or read.

    >>> read_qrels([("q1", "d1", 2), ("q1", "d2", 0.5)]).grade
    array([2. , 0.5])
    """
    if isinstance(source, Qrels):
        return source
    named = {"query": query, "doc": doc, "grade": grade, "aspect": aspect}
    wanted = Wanted("qrels", {role: column for role, column in named.items() if column is not None})
    found = _opened(source, wanted)
    qrels = as_qrels(found) if isinstance(found, Table) else qrels_of(*found)
    return qrels if name is None else replace(qrels, name=name)


def _opened(source: Any, wanted: Wanted) -> Table | tuple[Raw, str]:
    """The columns of a source; or the bytes and the name of a TREC file."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return _of_content(read_bytes(source), source_name(source), wanted)
    frame = frame_of(source)
    if frame is not None:
        return of_frame(frame, Context(wanted))
    if hasattr(source, "read") and not isinstance(source, type):
        label = getattr(source, "name", None)
        name = label if isinstance(label, str) else wanted.what
        return _of_content(read_stream(source, name), name, wanted)
    context = Context(wanted, once=isinstance(source, Iterator))
    if isinstance(source, Mapping):
        return of_mapping(source, context)
    if isinstance(source, np.ndarray):
        return of_items(listed(source, context.whole(), "doc") if source.ndim else [], context)
    if isinstance(source, Iterable) and not isinstance(source, (Run, Qrels)):
        return of_items(list(source), context)
    swapped = isinstance(source, (Run, Qrels, Unread))
    raise DataError(
        "swapped" if swapped else "form", f"a {wanted.what}: a path, a frame, a mapping or a list",
        got=f"a {type(source).__name__}", where=wanted.what,
        hint="the judgments come first, then the run" if swapped else "write it as {query: {doc: number}}",
    )  # fmt: skip


def _of_content(data: Raw, name: str, wanted: Wanted) -> Table | tuple[Raw, str]:
    context = Context(wanted, name)
    if any(data.startswith(magic) for magic in MAGIC):
        return of_columnar(data, context)
    line, number = first_line(data)
    if not wanted.named and is_trec(line, RUN if wanted.what == "run" else QRELS):
        return data, name
    if line[:1] in (b"{", b"["):
        return of_json(data, context)
    text = line.decode("utf-8", "surrogateescape")
    header = header_of(text, wanted)
    if header is None and "," in text and (wanted.named or len(text.split()) == 1):
        header = Header(",", tuple(text.split(",")))
    if header is not None:
        return of_delimited(data, header, number, context)
    wanted.refuse_names(name)
    return data, name
