"""Tables in memory: pandas, polars, Arrow, DuckDB, Spark, structured arrays, mappings of columns.

No library is imported for a frame of another one: a frame is recognised by the module of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from judged.core.tables import IdColumn, Run
from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, Place
from judged.io.cells import Column
from judged.io.columns import find_columns
from judged.io.origin import Context
from judged.io.table import ColumnBatches, as_run

_NUMBERS = {
    "double": "f8",
    "float": "f4",
    **{f"{u}int{8 * size}": f"{u or 'i'}{size}" for u in ("", "u") for size in (1, 2, 4, 8)},
}


@dataclass(frozen=True, slots=True)
class Frame:
    """The names of a table's columns, and functions that return some of them.

    `select` returns some columns as a table that exports Arrow batches, without a copy if the library can; `text` returns a column of
    text as bytes, if it needs no conversion; `batches` iterates over Arrow tables of some columns, for files that need not fit into memory.
    """

    names: Sequence[Any]
    columns: Callable[[list[str]], Iterable[Column]]
    select: Callable[[list[str]], Any] | None = None
    text: Callable[[str], IdColumn | None] | None = None
    batches: Callable[[list[str], int], Iterable[Any]] | None = None


def frame_of(source: Any) -> Frame | None:
    """Return the source as a frame; None if it is none."""
    packages = {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
    if "pandas" in packages and hasattr(source, "columns"):
        return _pandas(source)
    if "polars" in packages and hasattr(type(source), "columns"):  # asking a lazy frame itself warns
        return polars_frame(source.collect() if hasattr(source, "collect") else source)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return Frame(source.dtype.names, lambda names: [source[name] for name in names])
    spark = "pyspark" in packages and hasattr(source, "toArrow")
    if not (spark or hasattr(source, "__arrow_c_stream__") or ("pyarrow" in packages and hasattr(source, "schema"))):
        return None
    kind = type(source).__name__
    try:
        pyarrow = import_module("pyarrow")
        source = source.toArrow() if spark else source
        if isinstance(source, pyarrow.RecordBatch):
            source = pyarrow.Table.from_batches([source])
        elif not isinstance(source, pyarrow.Table):
            reader = source if hasattr(source, "read_all") else pyarrow.RecordBatchReader.from_stream(source)
            source = reader.read_all()
        return arrow_frame(source)
    except ImportError as error:
        hint = "install it with pip install judged[parquet]"
        raise DataError("needs", "Arrow data needs pyarrow", hint=hint, where=kind) from error
    except Exception as error:  # each library has its own: of a single column, say, or a lost session of Spark
        reason = str(error).partition("\n")[0]
        raise DataError("form", f"not a table of columns ({reason})", where=kind) from error


def mapping_frame(source: Mapping[Any, Any]) -> Frame:
    """Return a mapping of names to columns as a frame."""

    def column(name: str) -> Column:
        values = source[name]
        return values if isinstance(values, (list, np.ndarray)) else list(getattr(values, "tolist", values.__iter__)())

    return Frame(list(source), lambda names: map(column, names))


def unread_frame(frame: Frame, context: Context) -> ArrowRun | None:
    """Return the columns of a run for the native core; None if the library has no Arrow batches."""
    select = frame.select
    if select is None:
        return None
    found = find_columns(list(frame.names), context.request, context.place)
    places = {role: place for place, role in enumerate(found)}
    query, doc, score, rank = (places.get(role, -1) for role in ("query", "doc", "score", "rank"))

    def stream() -> Any:
        try:
            return select(list(found.values())).__arrow_c_stream__()
        except Exception:  # each library has its own exceptions; the reader of the frame reports them
            return None

    def read() -> Run:  # from the frame: a source may be readable only once
        return as_run(read_frame(frame, context))

    return ArrowRun(name=context.name, read=read, stream=stream, columns=(query, doc, score, rank))


def read_frame(frame: Frame, context: Context) -> ColumnBatches:
    """Return the columns of a frame, as one batch."""
    names = list(frame.names)
    found = find_columns(names, context.request, context.place)
    columns: dict[str, Any] = {}
    if frame.text is not None and context.request.is_ranking:  # ids that are text need no conversion
        texts = {role: frame.text(found[role]) for role in ("query", "doc")}
        columns = {role: text for role, text in texts.items() if text is not None}
    others = {role: name for role, name in found.items() if role not in columns}
    columns |= dict(zip(others, frame.columns(list(others.values())), strict=True))
    lengths = {found[role]: len(column) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise_lengths(lengths, context.place)
    return ColumnBatches(context, found, [columns], lambda: context.columns(found, names))


def raise_lengths(lengths: Mapping[str, int], where: Place) -> NoReturn:
    listing = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
    raise DataError("columns", f"the columns have different lengths: {listing}", where=where)


# ── libraries ────────────────────────────────────────────────────────────────────────────────


def _pandas(frame: Any) -> Frame:
    def column(name: str) -> Column:
        series = frame[name]
        if not isinstance(series.dtype, np.dtype) and (series.dtype.name == "category" or series.hasnans):
            series = series.astype(object).where(series.notna(), None)
        return np.asarray(series.to_numpy())

    return Frame(list(frame.columns), lambda names: map(column, names), frame.__getitem__)


def polars_frame(frame: Any) -> Frame:
    def column(name: str) -> Column:
        series = frame[name]
        plain = str(series.dtype).startswith(("Int", "UInt", "Float")) and str(series.dtype) != "Int128"
        return np.asarray(series.to_numpy()) if plain else list(series.to_list())

    return Frame(frame.columns, lambda names: map(column, names), frame.select)


def arrow_frame(table: Any) -> Frame:
    def column(name: str) -> Column:
        values = _without_dictionary(table.column(name))
        dtype = _NUMBERS.get(str(values.type))
        if dtype is None or values.null_count or not len(values):
            return values.to_pylist()
        array = values.combine_chunks() if values.num_chunks > 1 else values.chunk(0)  # `to_numpy` imports pandas
        return np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array)]

    return Frame(
        table.column_names, lambda names: map(column, names), table.select, lambda name: arrow_text(table.column(name))
    )


def _without_dictionary(column: Any) -> Any:
    return column.cast(column.type.value_type) if hasattr(column.type, "index_type") else column


def arrow_text(column: Any) -> IdColumn | None:
    """Return a column of strings without a copy; None if it has other types, or anything that no id may contain."""
    column = _without_dictionary(column)
    if str(column.type) not in ("string", "large_string") or column.null_count or not len(column):
        return None
    array = column.cast("large_string").combine_chunks()
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    length = np.diff(offsets)
    if not length.all() or not data.all():
        return None
    return IdColumn(np.concatenate([data, np.zeros(8, np.uint8)]), offsets[:-1] - offsets[0], length)
