"""Parquet and Arrow files in parts, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.io.files.stored import Stored
from judged.io.parts.columns import ROWS, batch_of, found_in
from judged.io.parts.parquet import ParquetRows, RowGroup
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.frames import arrow_frame

__all__ = ["batches", "groups"]

_CODE = 4  # bytes of a row, at most, in a column that is written as a dictionary
_NEAR, _FAR = 1 << 18, 1 << 23  # bytes that are read at a time: a row group may be as large as its file


def groups(pyarrow: Any, file: Stored, form: str, wanted: ColumnRequest) -> list[RowGroup]:
    return (_parquet_groups if form == "Parquet" else _arrow_groups)(pyarrow, file, wanted)


def batches(pyarrow: Any, rows: ParquetRows) -> Iterator[Run | UnreadRun]:
    context, end = Context(rows.wanted, rows.file.name), rows.row + rows.count
    with (_parquet if rows.form == "Parquet" else _arrow)(pyarrow, rows) as (names, row, stream):
        for batch in stream:
            for at in range(0, batch.num_rows, ROWS):  # a record batch may be as large as its file
                low, high = max(row + at, rows.row), min(row + at + ROWS, row + batch.num_rows, end)
                if low < high:
                    table = pyarrow.Table.from_batches([batch.slice(low - row, high - low)])
                    yield batch_of(arrow_frame(table), names, context, low)
            row += batch.num_rows
            if row >= end:
                return


# ── Parquet ──────────────────────────────────────────────────────────────────────────────────────


def _parquet_groups(_: Any, file: Stored, wanted: ColumnRequest) -> list[RowGroup]:
    with file.opened("OSFile") as raw:
        footer = import_module("pyarrow.parquet").read_metadata(raw)
        if not footer.num_rows:
            return []
        names = found_in(footer.schema.to_arrow_schema().names, file, wanted)
        query = names["query"]
        leaves = [footer.schema.column(i).path for i in range(footer.num_columns)]
        found, row = [], 0
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            bounds = _bounds(group.column(leaves.index(query))) if query in leaves else ()
            if group.num_rows:
                found.append(
                    RowGroup(ParquetRows(file, "Parquet", row, group.num_rows, wanted, "score" in names), *bounds)
                )
            row += group.num_rows
        return found


def _bounds(column: Any) -> tuple[Any, ...]:
    """The least and the greatest value; nothing where they are not known for certain."""
    try:
        statistics = column.statistics
        if statistics is None or not statistics.has_min_max:
            return ()
        low, high = statistics.min, statistics.max
    except (ValueError, NotImplementedError):  # ids that are no UTF-8; types without an order
        return ()
    return (low, high) if type(low) is type(high) and type(low) in (str, int) else ()


@contextmanager
def _parquet(pyarrow: Any, rows: ParquetRows) -> Iterator[tuple[list[str], int, Iterable[Any]]]:
    parquet, types = import_module("pyarrow.parquet"), pyarrow.types
    with rows.file.opened("OSFile") as raw:
        footer = parquet.read_metadata(raw)
        schema = footer.schema.to_arrow_schema()
        found = found_in(schema.names, rows.file, rows.wanted)
        first, numbers = _numbers(footer, rows)
        kind = schema.field(found["query"]).type
        text = types.is_string(kind) or types.is_large_string(kind)
        texts = [found["query"]] if text and _is_coded(footer.row_group(numbers[0]), found["query"]) else []
        buffer = _NEAR if rows.file.store is None else _FAR
        file = parquet.ParquetFile(raw, metadata=footer, read_dictionary=texts, pre_buffer=False, buffer_size=buffer)
        yield (
            schema.names,
            first,
            file.iter_batches(ROWS, columns=list(found.values()), row_groups=numbers, use_threads=False),
        )


def _is_coded(group: Any, name: str) -> bool:
    """Whether a column is written as a dictionary: then a row takes a few bytes of it. Otherwise making one would cost more than it saves."""
    columns = [group.column(i) for i in range(group.num_columns)]
    size = next((c.total_uncompressed_size for c in columns if c.path_in_schema == name), 0)
    return 0 < size <= _CODE * group.num_rows


def _numbers(footer: Any, rows: ParquetRows) -> tuple[int, list[int]]:
    """The first row of the row groups that hold these rows, and their numbers."""
    numbers: list[int] = []
    row = first = 0
    for number in range(footer.num_row_groups):
        end = row + footer.row_group(number).num_rows
        if row < rows.row + rows.count and end > rows.row:
            first = first if numbers else row
            numbers.append(number)
        row = end
    return first, numbers


# ── Arrow ────────────────────────────────────────────────────────────────────────────────────────


def _arrow_groups(pyarrow: Any, file: Stored, wanted: ColumnRequest) -> list[RowGroup]:
    with file.opened("memory_map") as raw:
        names = import_module("pyarrow.ipc").open_file(raw).schema.names
        found = found_in(names, file, wanted)
        thin = found.get("score") or found["rank"]
        reader = _reader(pyarrow, raw, [names.index(thin)])
        groups, row = [], 0
        for number in range(reader.num_record_batches):
            size = reader.get_batch(number).num_rows
            if size:
                groups.append(RowGroup(ParquetRows(file, "Arrow", row, size, wanted, "score" in found, number)))
            row += size
        return groups


@contextmanager
def _arrow(pyarrow: Any, rows: ParquetRows) -> Iterator[tuple[list[str], int, Iterable[Any]]]:
    with rows.file.opened("memory_map") as raw:
        names = import_module("pyarrow.ipc").open_file(raw).schema.names
        found = found_in(names, rows.file, rows.wanted)
        reader = _reader(pyarrow, raw, sorted(names.index(name) for name in found.values()))
        first = 0 if rows.block is None else rows.row
        yield names, first, map(reader.get_batch, range(rows.block or 0, reader.num_record_batches))


def _reader(pyarrow: Any, raw: Any, fields: list[int]) -> Any:
    ipc = import_module("pyarrow.ipc")
    return ipc.open_file(raw, options=ipc.IpcReadOptions(included_fields=fields, use_threads=False))
