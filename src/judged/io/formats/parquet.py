"""Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from judged.io.formats.columnar import (
    ROWS,
    columns_in_file,
    cut_batches,
    find_damage,
    import_pyarrow,
    open_buffer,
    read_columns,
    unread_columns,
)
from judged.io.formats.registry import FORMATS, FileFormat, RowGroup, Rows

if TYPE_CHECKING:
    from judged.core.unread_runs import ArrowRun
    from judged.io.columns import ColumnRequest
    from judged.io.frames import Frame
    from judged.io.stored import Stored
    from judged.io.text.lines import Head

_CODE = 4  # bytes of a row, at most, in a column that is dictionary-encoded
_NEAR, _FAR = 1 << 18, 1 << 23  # bytes read at a time, on disk and in a store: a row group may be as large as its file


def _detect(head: Head, request: ColumnRequest) -> bool:
    return head.data.startswith(b"PAR1")


def _open(data: Any) -> Frame:
    from judged.io.frames import Frame, arrow_frame, arrow_text

    parquet = import_module("pyarrow.parquet")
    file = parquet.ParquetFile(open_buffer(data))

    def stream(names: list[str]) -> Any:
        coded = [name for name in names if _is_coded_text(file.metadata, file.schema_arrow, name)]
        reader = parquet.ParquetFile(open_buffer(data), metadata=file.metadata, read_dictionary=coded)
        return reader.read(columns=names).select(names).__arrow_c_stream__()

    return Frame(
        list(file.schema_arrow.names),
        lambda names: arrow_frame(file.read(columns=list(names))).columns(names),
        stream=stream,
        text=lambda name: arrow_text(file.read(columns=[name]).column(0)),
        batches=lambda names, size: (
            import_module("pyarrow").Table.from_batches([b]) for b in file.iter_batches(size, columns=names)
        ),
    )


def _row_groups(file: Stored, request: ColumnRequest) -> list[RowGroup]:
    parquet = import_pyarrow("Parquet", file.name, "pyarrow.parquet")
    with find_damage("Parquet", file.name), file.open("OSFile") as raw:
        footer = parquet.read_metadata(raw)
        if not footer.num_rows:
            return []
        columns = columns_in_file(footer.schema.to_arrow_schema().names, file, request)
        query = columns["query"]
        leaves = [footer.schema.column(i).path for i in range(footer.num_columns)]
        groups, row = [], 0
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            bounds = _bounds(group.column(leaves.index(query))) if query in leaves else ()
            if group.num_rows:
                rows = Rows(file, "Parquet", row, group.num_rows, request, "score" in columns)
                groups.append(RowGroup(rows, *bounds))
            row += group.num_rows
        return groups


def _bounds(column: Any) -> tuple[Any, ...]:
    """Return the least and the greatest value; () if they are not certain."""
    try:
        statistics = column.statistics
        if statistics is None or not statistics.has_min_max:
            return ()
        low, high = statistics.min, statistics.max
    except (ValueError, NotImplementedError):  # ids that are not UTF-8; types without an order
        return ()
    return (low, high) if type(low) is type(high) and type(low) in (str, int) else ()


def _read_rows(rows: Rows) -> Iterator[ArrowRun]:
    parquet = import_pyarrow("Parquet", rows.file.name, "pyarrow.parquet")
    with find_damage("Parquet", rows.file.name), rows.file.open("OSFile") as raw:
        footer = parquet.read_metadata(raw)
        schema = footer.schema.to_arrow_schema()
        columns = columns_in_file(schema.names, rows.file, rows.request)
        first, numbers = _group_numbers(footer, rows)
        texts = [columns["query"]] if _is_coded_text(footer, schema, columns["query"], numbers[0]) else []
        buffer = _NEAR if rows.file.store is None else _FAR
        file = parquet.ParquetFile(raw, metadata=footer, read_dictionary=texts, pre_buffer=False, buffer_size=buffer)
        batches = file.iter_batches(ROWS, columns=list(columns.values()), row_groups=numbers, use_threads=False)
        yield from cut_batches(rows, schema.names, first, batches)


def _is_coded_text(footer: Any, schema: Any, name: str, number: int = 0) -> bool:
    """Return whether a column is dictionary-encoded text; otherwise building a dictionary would cost more than it saves."""
    if not footer.num_rows or str(schema.field(name).type) not in ("string", "large_string"):
        return False
    group = footer.row_group(number)
    columns = [group.column(i) for i in range(group.num_columns)]
    size = next((c.total_uncompressed_size for c in columns if c.path_in_schema == name), 0)
    return 0 < size <= _CODE * group.num_rows


def _group_numbers(footer: Any, rows: Rows) -> tuple[int, list[int]]:
    """Return the first row of the row groups that contain these rows, and their numbers."""
    numbers: list[int] = []
    row = first = 0
    for number in range(footer.num_row_groups):
        end = row + footer.row_group(number).num_rows
        if row < rows.row + rows.count and end > rows.row:
            first = first if numbers else row
            numbers.append(number)
        row = end
    return first, numbers


PARQUET = FORMATS.add(
    FileFormat(
        "Parquet",
        10,
        _detect,
        read_columns,
        unread=unread_columns,
        open_frame=_open,
        row_groups=_row_groups,
        read_rows=_read_rows,
    )
)
