"""Arrow (Feather) files, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from judged.io.formats.columnar import (
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
    from judged.io.files.stored import Stored
    from judged.io.tables.columns import ColumnRequest
    from judged.io.tables.frames import Frame
    from judged.io.text.lines import Head


def _detect(head: Head, request: ColumnRequest) -> bool:
    return head.data.startswith(b"ARROW1")


def _open(data: Any) -> Frame:
    from judged.io.tables.frames import arrow_frame

    return arrow_frame(import_module("pyarrow.ipc").open_file(open_buffer(data)).read_all())


def _row_groups(file: Stored, request: ColumnRequest) -> list[RowGroup]:
    ipc = import_pyarrow("Arrow", file.name, "pyarrow.ipc")
    with find_damage("Arrow", file.name), file.open("memory_map") as raw:
        names = ipc.open_file(raw).schema.names
        columns = columns_in_file(names, file, request)
        reader = _reader(ipc, raw, [names.index(columns.get("score") or columns["rank"])])
        groups, row = [], 0
        for number in range(reader.num_record_batches):
            size = reader.get_batch(number).num_rows
            if size:
                groups.append(RowGroup(Rows(file, "Arrow", row, size, request, "score" in columns, number)))
            row += size
        return groups


def _read_rows(rows: Rows) -> Iterator[ArrowRun]:
    ipc = import_pyarrow("Arrow", rows.file.name, "pyarrow.ipc")
    with find_damage("Arrow", rows.file.name), rows.file.open("memory_map") as raw:
        names = ipc.open_file(raw).schema.names
        columns = columns_in_file(names, rows.file, rows.request)
        reader = _reader(ipc, raw, sorted(names.index(name) for name in columns.values()))
        first = 0 if rows.block is None else rows.row
        batches = map(reader.get_batch, range(rows.block or 0, reader.num_record_batches))
        yield from cut_batches(rows, names, first, batches)


def _reader(ipc: Any, raw: Any, fields: list[int]) -> Any:
    return ipc.open_file(raw, options=ipc.IpcReadOptions(included_fields=fields, use_threads=False))


ARROW = FORMATS.add(
    FileFormat(
        "Arrow",
        11,
        _detect,
        read_columns,
        unread=unread_columns,
        open_frame=_open,
        row_groups=_row_groups,
        read_rows=_read_rows,
    )
)
