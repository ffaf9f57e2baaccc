"""The one reader of tables: files of every format, open files, frames, mappings, lists and records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Ints
from judged.core.native import NATIVE
from judged.core.tables import IdColumn, Qrels, Run, read_dict
from judged.core.unread_runs import DictRun, ScoreColumn, UnreadRun
from judged.errors import DataError, Place, UsageError, shown
from judged.io.columns import ANY_COLUMNS, ColumnRequest, Name, Roles, are_columns
from judged.io.files import PATH, Content, is_file_like, open_content, open_stream
from judged.io.formats.registry import detect_format, raise_undetected
from judged.io.lines import read_head
from judged.io.origin import Context, keys_origin
from judged.io.outputs import located
from judged.io.recognise import Input

if TYPE_CHECKING:
    from judged.io.formats.registry import Detected, OpenTable
    from judged.io.table import RoleTable


def open_whole_run(source: Any, columns: ColumnRequest = ANY_COLUMNS) -> Run | UnreadRun:
    """Open a run in one piece. It stays unread if the native core can scan it in place.

    Errors in an unread run show when it is joined with judgments, or read.
    """
    if isinstance(source, Run | UnreadRun):
        return source
    request = columns.request("run")
    if request.split or request.tag:
        return read_one_run(source, request)
    read = partial(read_one_run, source, request)
    if NATIVE and type(source) is dict:
        kinds = set(map(type, source.values()))
        if kinds == {dict} or (kinds == {list} and not are_columns(source, request)):
            return DictRun(name="run", read=read, rankings=source)
    run = open_table(source, request, read if NATIVE else None)
    return located(run if isinstance(run, UnreadRun) else as_read_run(run), source)


def read_requested_qrels(source: Any, request: ColumnRequest, *, name: str | None = None) -> Qrels:
    """Read judgments as `read_qrels` does, with the columns of a request."""
    source = source.source if isinstance(source, Input) else source
    if isinstance(source, Qrels):
        return source
    if request.grade_map is not None and not isinstance(request.grade_map, Mapping):
        raise UsageError("option", "grade_map as {word: grade}", got=shown(request.grade_map), value=request.grade_map)
    if isinstance(source, PATH) and os.path.isdir(os.fsdecode(source)):  # noqa: PTH112 - `Path` raises for long texts
        from judged.io.formats.collections import qrels_file

        source = qrels_file(source, request.split)
    qrels = open_table(source, request)
    if request.split is not None and request.used is None:
        request.check_parts()
    if not isinstance(qrels, Qrels):
        from judged.io.table import as_qrels

        assert not isinstance(qrels, Run | ScoreColumn)
        qrels = as_qrels(qrels)
    if type(source) is not dict:
        qrels = located(qrels, source)
    return qrels if name is None else replace(qrels, name=name)


def open_table(source: Any, request: ColumnRequest, read: Callable[[], Run] | None = None) -> Any:
    """Return the table of a source; with `read`, a run as the native core takes it, if it can.

    Args:
        source: a path, `-`, an open file, a frame, a mapping, a list of records or tuples.
        request: the kind of table, and the columns that the caller named.
        read: reads the source again.
    """
    if type(source) is dict:
        table = read_plain_dict(source, request)
        if table is not None:
            return table
    elif isinstance(source, PATH):
        with open_content(source) as content:
            return _read_content(content, request, read)
    return _open_object(source, request, read)


def read_plain_dict(source: dict[Any, Any], request: ColumnRequest) -> Run | Qrels | None:
    """Return a run or judgments; None if the dict is anything but ordinary."""
    if not request.is_ranking or request.named or request.grade_map is not None:
        return None
    rows = read_dict(source)
    if rows is None:
        return None
    columns, number = rows
    where = partial(_place, request.what, columns["queries"], columns["query"], columns["doc"])
    if request.what == "run":
        return Run(name="run", where=where, **columns, score=number)
    return Qrels(name="qrels", where=where, **columns, grade=number)


def _place(what: str, queries: IdColumn, query: Ints, doc: IdColumn, row: int) -> Place:
    return keys_origin(what, queries, np.bincount(query, minlength=len(queries)), doc).place(row)


def open_values(source: Any, request: ColumnRequest) -> tuple[Any, Context]:
    """Return the value of a JSON file; of another file, the table if the request has roles, else the content."""
    with (
        open_content(source)
        if isinstance(source, PATH)
        else nullcontext(open_stream(source, default=request.what)) as content
    ):
        context = Context(request, content.name)
        detected = detect_format(read_head(content), request)
        if detected is not None and detected.format.name == "JSON":
            from judged.io.formats.json import read_values

            return read_values(content.read(), context)
        if request.roles:
            return _read_content(content, request), context
        content.read()  # before the file is closed
        return content, context


def open_role_table(source: Any, what: str, roles: Roles, named: Mapping[str, Name] | None = None) -> RoleTable:
    """Return the columns of a table by their roles.

    Args:
        source: see `open_table`; tuples are in the order of the roles.
        what: the kind of table, for messages.
        roles: the columns to find.
        named: the columns that the caller named.
    """
    from judged.io.table import ColumnBatches, gather_columns

    table = open_table(source, ColumnRequest(what, named or {}, roles))
    assert isinstance(table, ColumnBatches)
    return gather_columns(table)


def read_one_run(
    source: Any, request: ColumnRequest, labels: Callable[[], Qrels] | None = None, *, name: str | None = None
) -> Run:
    """Read a run that is one file or object.

    Args:
        source: see `open_table`.
        request: the columns that the caller named.
        labels: reads the judgments that a column of scores belongs to.
        name: the name of the run.
    """
    run = located(as_read_run(open_table(source, request), labels), source)
    return run if name is None else replace(run, name=name)


def as_read_run(table: OpenTable, labels: Callable[[], Qrels] | None = None) -> Run:
    """Return a table as a run; a column of scores needs labels."""
    if isinstance(table, ScoreColumn):
        return table.read() if labels is None else table.align(labels())
    if isinstance(table, Run):
        return table
    from judged.io.table import as_run

    assert not isinstance(table, Qrels)
    return as_run(table)


def _read_content(
    content: Content, request: ColumnRequest, read: Callable[[], Run] | None = None
) -> UnreadRun | OpenTable:
    """Read an open file by the format that its beginning shows; TREC lines are the format of last resort."""
    head, context = read_head(content), Context(request, content.name)
    detected = detect_format(head, request)
    if detected is None and not request.is_ranking:
        raise_undetected(head, context)
    if detected is None:
        from judged.io.formats.trec import read_trec

        request.raise_named(content.name)
        return read_trec(content, None, context)
    if read is not None and detected.format.unread is not None:
        again = read if content.opened is not None else partial(_read_held, content, detected, context)
        unread = detected.format.unread(content, detected, context, again)
        if unread is not None:
            return unread
    return detected.format.read(content, detected, context)


def _read_held(content: Content, detected: Detected, context: Context) -> Run:
    """Read a content that can be opened only once, and is held in memory."""
    return as_read_run(detected.format.read(content, detected, context))


def _open_object(source: Any, request: ColumnRequest, read: Callable[[], Run] | None = None) -> UnreadRun | OpenTable:
    from judged.io.arrays import is_column, is_matrix_without_ids, read_score_column
    from judged.io.cells import as_list
    from judged.io.containers import raise_matrix, read_items, read_mapping
    from judged.io.formats.collections import collection_name, is_collection, iterate_collection
    from judged.io.frames import frame_of, read_frame, unread_frame

    if request.is_ranking and is_matrix_without_ids(source, (3,) if request.what == "run" else (3, 4)):
        raise_matrix(request.what)
    if request.what == "run" and request.is_ranking and is_column(source):
        request.raise_named(request.what)
        return read_score_column(source)
    if is_file_like(source):
        return _read_content(open_stream(source, default=request.what), request, read)
    context = Context(request, once=isinstance(source, Iterator))
    swapped = isinstance(source, (Run, Qrels, UnreadRun))
    frame = None if swapped else frame_of(source)
    if frame is not None:
        context = replace(context, once=False)
        unread = None if read is None else unread_frame(frame, context)
        return read_frame(frame, context) if unread is None else unread
    if isinstance(source, Mapping):
        return read_mapping(source, context)
    if isinstance(source, np.ndarray):
        return read_items(as_list(source, context.whole(), "doc") if source.ndim else [], context)
    if isinstance(source, Iterable) and not swapped:
        return read_items(list(source), context)
    if is_collection(source):
        context = replace(context, path=collection_name(source))
        return read_items(list(iterate_collection(source, request.what)), context)
    expected = "a path, a frame, a mapping or a list"
    hint = "pass the judgments first, then the run" if swapped else "write it as {query: {doc: number}}"
    raise DataError(
        "swapped" if swapped else "form",
        expected,
        got=type(source).__name__,
        where=request.what,
        hint=hint if request.is_ranking else None,
    )
