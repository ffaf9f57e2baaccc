"""Tables in memory: pandas, polars, Arrow, DuckDB, Spark, structured arrays, mappings of columns.

No library is imported for a frame of another one: a frame is known by the module of its class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from judged.core.ids import IdColumn
from judged.core.tables import Run
from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, Place
from judged.io.tables.columns import find
from judged.io.tables.context import Context
from judged.io.tables.ids import Column
from judged.io.tables.origin import CellOrigin, Origin, RowOrigin
from judged.io.tables.records import table_of
from judged.io.tables.table import SourceTable, as_run

__all__ = [
    "Frame",
    "arrow_frame",
    "arrow_text",
    "batches_of",
    "frame_of",
    "of_columns",
    "of_frame",
    "polars_frame",
    "unmasked",
]


@dataclass(frozen=True, slots=True)
class Frame:
    """The names of a table's columns, and a way to take some of them whole.

    `stream` hands some of them out as Arrow batches, without a copy where the library can; `text` one of them as bytes, where it is text
    that can be used as it is.
    """

    names: Sequence[Any]
    columns: Callable[[Sequence[str]], Iterable[Column]]
    once: bool = False
    stream: Callable[[list[str]], Any] | None = None
    text: Callable[[str], IdColumn | None] | None = None


def frame_of(source: Any) -> Frame | None:
    """The source as a frame; None where it is none."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
    if "pandas" in rooms and hasattr(source, "columns"):
        return _pandas(source)
    if "polars" in rooms and hasattr(type(source), "columns"):  # asking a lazy frame itself warns
        return polars_frame(source.collect() if hasattr(source, "collect") else source)
    if rooms & {"duckdb", "_duckdb"} and hasattr(source, "fetchnumpy"):
        return _duckdb(source)
    if "pyspark" in rooms and hasattr(source, "toArrow"):
        from judged.io.tables.spark_frames import spark_frame

        return spark_frame(source)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return Frame(source.dtype.names, lambda names: [source[name] for name in names])
    arrow = hasattr(source, "__arrow_c_stream__") or ("pyarrow" in rooms and hasattr(source, "schema"))
    return _arrow(source) if arrow else None


def of_columns(source: Mapping[Any, Any], context: Context) -> SourceTable:
    """A mapping of names to columns of one length."""

    def column(name: str) -> Column:
        values = source[name]
        return values if isinstance(values, (list, np.ndarray)) else list(getattr(values, "tolist", values.__iter__)())

    return of_frame(Frame(list(source), lambda names: map(column, names)), context)


def batches_of(frame: Frame, context: Context) -> ArrowRun | None:
    """The columns of a run as the native core takes them; None where the library hands out no batches."""
    if frame.stream is None:
        return None
    found = find(list(frame.names), context.wanted, context.place).column
    places = {role: place for place, role in enumerate(found)}
    query, doc, score, rank = (places.get(role, -1) for role in ("query", "doc", "score", "rank"))
    hand_out = frame.stream

    def stream() -> Any:
        try:
            return hand_out(list(found.values()))
        except Exception:  # each library has exceptions of its own; who reads the frame says what is wrong
            return None

    def read() -> Run:  # from what is held already: a source may be read only once
        return as_run(of_frame(frame, context))

    return ArrowRun(name=context.name, read=read, stream=stream, columns=(query, doc, score, rank))


def of_frame(frame: Frame, context: Context) -> SourceTable:
    names = list(frame.names)
    found = find(names, context.wanted, context.place)
    columns = _ids_as_text(frame, found.column)
    others = {role: name for role, name in found.column.items() if role not in columns}
    columns |= dict(zip(others, frame.columns(list(others.values())), strict=True))
    lengths = {found.column[role]: len(column) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
        hint = "each row has one entry in each column"
        raise DataError("columns", "columns of one length", got=got, where=context.place, hint=hint)
    origin: Origin = CellOrigin(context.name, found.column, first=context.row)
    if context.path is not None:
        position = {name: i for i, name in enumerate(names)}
        origin = RowOrigin(context.path, found.column, position, context.typed, context.row, context.among)
    return table_of(found, columns, context, origin, once=frame.once)


def _ids_as_text(frame: Frame, names: Mapping[str, str]) -> dict[str, Any]:
    """The columns of ids that need not become Python strings first."""
    if frame.text is None:
        return {}
    found = {role: frame.text(names[role]) for role in ("query", "doc")}
    return {role: text for role, text in found.items() if text is not None}


# ── the libraries ────────────────────────────────────────────────────────────────────────────────


def _pandas(frame: Any) -> Frame:
    def column(name: str) -> Column:
        series = frame[name]
        if isinstance(series.dtype, np.dtype):
            return np.asarray(series.to_numpy())
        if series.dtype.name == "category" or series.hasnans:
            return np.asarray(series.astype(object).where(series.notna(), None).to_numpy())
        return np.asarray(series.to_numpy())

    def stream(names: list[str]) -> Any:
        return frame[names].__arrow_c_stream__()

    return Frame(list(frame.columns), lambda names: map(column, names), stream=stream)


def polars_frame(frame: Any) -> Frame:
    def column(name: str) -> Column:
        series = frame[name]
        plain = str(series.dtype).startswith(("Int", "UInt", "Float")) and str(series.dtype) != "Int128"
        return np.asarray(series.to_numpy()) if plain else list(series.to_list())

    def stream(names: list[str]) -> Any:
        return frame.select(names).__arrow_c_stream__()

    return Frame(frame.columns, lambda names: map(column, names), stream=stream)


def _duckdb(source: Any) -> Frame:
    """A relation, or a connection with a result; fetched once, so that all columns have one order."""

    def columns(names: Sequence[str]) -> Iterable[Column]:
        fetched = source.fetchnumpy()
        return [unmasked(fetched[name]) for name in names]

    def stream(names: list[str]) -> Any:
        return source.project(", ".join('"' + name.replace('"', '""') + '"' for name in names)).__arrow_c_stream__()

    if hasattr(source, "columns"):
        return Frame(source.columns, columns, stream=stream)
    return Frame([entry[0] for entry in source.description or ()], columns, once=True)


def unmasked(values: Any) -> Column:
    """DuckDB's way to say NULL, in Python's words."""
    if not hasattr(values, "mask"):
        return np.asarray(values)
    objects = np.array(values.data, dtype=object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def _arrow(source: Any) -> Frame:
    """Anything that hands out Arrow batches, through the library that is loaded, or can be."""
    once = hasattr(source, "read_next_batch")
    order = ["pyarrow", "polars"] if "pyarrow" in sys.modules or "polars" not in sys.modules else ["polars", "pyarrow"]
    for library in order:
        try:
            module = import_module(library)
        except ImportError:
            continue
        try:
            arrow = library == "pyarrow"
            frame = arrow_frame(_table_of(module, source)) if arrow else polars_frame(module.DataFrame(source))
        except (ValueError, TypeError, NotImplementedError) as error:  # a single column, say
            kind = type(source).__name__
            raise DataError(
                "form", "a table of columns", got=f"another object ({error})", where=kind,
                hint="a frame has columns for queries, documents and numbers",
            ) from error  # fmt: skip
        return replace(frame, once=once)
    raise DataError(
        "needs", "pyarrow or polars, to take Arrow data", got="neither",
        hint="pip install judged[parquet]", where=Place(type(source).__name__),
    )  # fmt: skip


def _table_of(pyarrow: Any, source: Any) -> Any:
    if isinstance(source, pyarrow.Table):
        return source
    if isinstance(source, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([source])
    reader = source if hasattr(source, "read_all") else pyarrow.RecordBatchReader.from_stream(source)
    return reader.read_all()


def arrow_frame(table: Any) -> Frame:
    def column(name: str) -> Column:
        chunked = table.column(name)
        if hasattr(chunked.type, "value_type") and hasattr(chunked.type, "index_type") and chunked.null_count:
            chunked = chunked.cast(chunked.type.value_type)  # pyarrow would give a null the value of another row
        return np.asarray(chunked.to_numpy())

    def stream(names: list[str]) -> Any:
        return table.select(names).__arrow_c_stream__()

    def text(name: str) -> IdColumn | None:
        return arrow_text(table.column(name))

    return Frame(table.column_names, lambda names: map(column, names), stream=stream, text=text)


def arrow_text(column: Any) -> IdColumn | None:
    """A column of strings as it lies in memory; None where it holds anything else, or what no id may hold."""
    if str(column.type) not in ("string", "large_string") or column.null_count or not len(column):
        return None
    array = column.cast("large_string").combine_chunks()
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    length = np.diff(offsets)
    if not length.all() or not data.all():
        return None
    return IdColumn(np.concatenate([data, np.zeros(8, np.uint8)]), offsets[:-1] - offsets[0], length)
