"""Tables in memory: pandas, polars, Arrow, DuckDB, structured arrays, mappings of columns.

No library is imported for a frame of another one: a frame is known by the module of its class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from judged.core import Batches, Run
from judged.errors import DataError, Place
from judged.sources._columns import find
from judged.sources._context import Context
from judged.sources._ids import Column
from judged.sources._origin import Cells, Origin, Rows
from judged.sources._records import table_of
from judged.sources._table import Table, as_run

__all__ = ["Frame", "arrow_frame", "batches_of", "frame_of", "of_columns", "of_frame", "polars_frame", "unmasked"]


@dataclass(frozen=True, slots=True)
class Frame:
    """The names of a table's columns, and a way to take some of them whole.

    `stream` hands some of them out as Arrow batches, without a copy where the library can.
    """

    names: Sequence[Any]
    columns: Callable[[Sequence[str]], Iterable[Column]]
    once: bool = False
    stream: Callable[[list[str]], Any] | None = None


def frame_of(source: Any) -> Frame | None:
    """The source as a frame; None where it is none."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
    if "pandas" in rooms and hasattr(source, "columns"):
        return _pandas(source)
    if "polars" in rooms and hasattr(type(source), "columns"):  # asking a lazy frame itself warns
        return polars_frame(source.collect() if hasattr(source, "collect") else source)
    if rooms & {"duckdb", "_duckdb"} and hasattr(source, "fetchnumpy"):
        return _duckdb(source)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return Frame(source.dtype.names, lambda names: [source[name] for name in names])
    arrow = hasattr(source, "__arrow_c_stream__") or ("pyarrow" in rooms and hasattr(source, "schema"))
    return _arrow(source) if arrow else None


def of_columns(source: Mapping[Any, Any], context: Context) -> Table:
    """A mapping of names to columns of one length."""

    def column(name: str) -> Column:
        values = source[name]
        return values if isinstance(values, (list, np.ndarray)) else list(getattr(values, "tolist", values.__iter__)())

    return of_frame(Frame(list(source), lambda names: map(column, names)), context)


def batches_of(frame: Frame, context: Context) -> Batches | None:
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

    return Batches(name=context.name, read=read, stream=stream, columns=(query, doc, score, rank))


def of_frame(frame: Frame, context: Context) -> Table:
    names = list(frame.names)
    found = find(names, context.wanted, context.place)
    columns = dict(zip(found.column, frame.columns(list(found.column.values())), strict=True))
    lengths = {found.column[role]: len(column) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
        hint = "each row has one entry in each column"
        raise DataError("columns", "columns of one length", got=got, where=context.place, hint=hint)
    origin: Origin = Cells(context.name, found.column)
    if context.path is not None:
        origin = Rows(context.path, found.column, {name: i for i, name in enumerate(names)}, context.typed)
    return table_of(found, columns, context, origin, once=frame.once)


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
    def columns(names: Sequence[str]) -> Iterable[Column]:
        return [np.asarray(table.column(name).to_numpy()) for name in names]

    def stream(names: list[str]) -> Any:
        return table.select(names).__arrow_c_stream__()

    return Frame(table.column_names, columns, stream=stream)
