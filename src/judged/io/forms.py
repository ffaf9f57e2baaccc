"""Every form that is not a TREC file on disk: frames, mappings, lists, open files, JSON, CSV, Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from judged.core.tables import Qrels, Run
from judged.core.unread_runs import DictRun, ScoreColumn, UnreadRun
from judged.errors import DataError, Place
from judged.io.files.source import read_stream
from judged.io.formats.delimited import header_for, of_delimited
from judged.io.formats.jsonl import of_json
from judged.io.formats.letor import letor_in
from judged.io.formats.parquet import MAGIC, of_columnar
from judged.io.formats.trec import scores_of
from judged.io.tables.columns import ColumnRequest, are_columns
from judged.io.tables.containers import of_items, of_mapping
from judged.io.tables.context import Context
from judged.io.tables.frames import batches_of, frame_of, of_frame
from judged.io.tables.ids import listed
from judged.io.tables.score_column import column_of, is_column
from judged.io.tables.table import SourceTable
from judged.io.text.detect import first_line, is_letor, is_score, is_trec
from judged.io.text.encoding import Raw
from judged.io.text.trec_columns import QRELS, RUN

__all__ = ["Opened", "of_content", "of_object", "unread_of"]

Opened = SourceTable | Qrels | ScoreColumn | tuple[Raw, str]


def unread_of(source: Any, read: Callable[[], Run]) -> UnreadRun | None:
    """A run in memory as the native core takes it; None where it has to be read first."""
    if type(source) is dict:
        return _nested(source, read)
    frame = None if is_column(source) else frame_of(source)
    return None if frame is None else batches_of(frame, Context(ColumnRequest("run", {})))


def _nested(source: dict[Any, Any], read: Callable[[], Run]) -> DictRun | None:
    """`{query: {doc: score}}` or `{query: [doc, …]}`; None where a ranking is of another type."""
    kinds = set(map(type, source.values()))
    rankings = kinds == {dict} or (kinds == {list} and not are_columns(source, ColumnRequest("run", {})))
    return DictRun(name="run", read=read, rankings=source) if rankings else None


def of_object(source: Any, wanted: ColumnRequest) -> Opened:
    """The columns of what is in memory, or in an open file; or the bytes and the name of TREC lines, labels, a column of scores."""
    if wanted.what == "run" and is_column(source):
        wanted.refuse_names(wanted.what)
        return column_of(source)
    frame = frame_of(source)
    if frame is not None:
        return of_frame(frame, Context(wanted))
    if hasattr(source, "read") and not isinstance(source, type):
        label = getattr(source, "name", None)
        name = label if isinstance(label, str) else wanted.what
        return of_content(read_stream(source, name), name, wanted)
    context = Context(wanted, once=isinstance(source, Iterator))
    if isinstance(source, Mapping):
        return of_mapping(source, context)
    if isinstance(source, np.ndarray):
        return of_items(listed(source, context.whole(), "doc") if source.ndim else [], context)
    if isinstance(source, Iterable) and not isinstance(source, (Run, Qrels)):
        return of_items(list(source), context)
    swapped = isinstance(source, (Run, Qrels, UnreadRun))
    raise DataError(
        "swapped" if swapped else "form", f"a {wanted.what}: a path, a frame, a mapping or a list",
        got=f"a {type(source).__name__}", where=wanted.what,
        hint="the judgments come first, then the run" if swapped else "write it as {query: {doc: number}}",
    )  # fmt: skip


def of_content(data: Raw, name: str, wanted: ColumnRequest) -> Opened:
    """The columns of a file's content; or the content itself where it is, or should be, TREC lines."""
    context = Context(wanted, name)
    if any(data.startswith(magic) for magic in MAGIC):
        return of_columnar(data, context)
    line, number = first_line(data)
    if not wanted.named and is_trec(line, RUN if wanted.what == "run" else QRELS):
        return data, name
    if not wanted.named and (is_letor(line) or is_score(line)):
        return _learning_to_rank(data, Place(name, number), wanted, labels=is_letor(line))
    if line[:1] in (b"{", b"["):
        return of_json(data, context)
    header = header_for(line.decode("utf-8", "surrogateescape"), wanted)
    if header is not None:
        return of_delimited(data, header, number, context)
    wanted.refuse_names(name)
    return data, name


def _learning_to_rank(data: Raw, where: Place, wanted: ColumnRequest, *, labels: bool) -> Qrels | ScoreColumn:
    """Labels with features as judgments; a column of scores as the run beside them."""
    if labels and wanted.what == "qrels":
        return letor_in(data, where.path)
    if not labels and wanted.what == "run":
        return scores_of(data, where.path)
    got = "labels with features (label qid:…)" if labels else "a column of scores"
    hint = "the judgments come first, then the run"
    raise DataError("swapped", "a run" if labels else "judgments", got=got, hint=hint, where=where)
