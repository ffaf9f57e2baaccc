"""Arrow files (Feather) and streams, as `datasets` writes them, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from judged.io.files import ARROW_STREAM
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
    from judged.io.columns import ColumnRequest
    from judged.io.frames import Frame
    from judged.io.stored import Stored
    from judged.io.text.lines import Head


_FILE = b"ARROW1"
_END = ARROW_STREAM + bytes(4)  # of a stream; without it, a stream that was cut between two batches looks complete


def _detect(head: Head, request: ColumnRequest) -> bool:
    return head.data.startswith((_FILE, ARROW_STREAM))


def _open(data: Any) -> Frame:
    from judged.io.frames import arrow_frame

    return arrow_frame(_reader(import_module("pyarrow.ipc"), open_buffer(data)).read_all())


def _row_groups(file: Stored, request: ColumnRequest) -> list[RowGroup]:
    ipc = import_pyarrow("Arrow", file.name, "pyarrow.ipc")
    with find_damage("Arrow", file.name), file.open("memory_map") as raw:
        names = _reader(ipc, raw).schema.names
        columns = columns_in_file(names, file, request)
        reader = _reader(ipc, raw, [names.index(columns.get("score") or columns["rank"])])
        groups, row = [], 0
        for number, batch in enumerate(_batches(reader)):
            if batch.num_rows:
                groups.append(RowGroup(Rows(file, "Arrow", row, batch.num_rows, request, "score" in columns, number)))
            row += batch.num_rows
        return groups


def _read_rows(rows: Rows) -> Iterator[ArrowRun]:
    ipc = import_pyarrow("Arrow", rows.file.name, "pyarrow.ipc")
    with find_damage("Arrow", rows.file.name), rows.file.open("memory_map") as raw:
        names = _reader(ipc, raw).schema.names
        columns = columns_in_file(names, rows.file, rows.request)
        reader = _reader(ipc, raw, sorted(names.index(name) for name in columns.values()))
        first = 0 if rows.block is None else rows.row
        yield from cut_batches(rows, names, first, _batches(reader, rows.block or 0))


def _reader(ipc: Any, raw: Any, fields: list[int] | None = None) -> Any:
    """Open a file, or a stream, of which the end is checked."""
    raw.seek(0)
    options = {} if fields is None else {"options": ipc.IpcReadOptions(included_fields=fields, use_threads=False)}
    if raw.read(len(_FILE)) == _FILE:
        return ipc.open_file(raw, **options)
    raw.seek(max(0, raw.size() - len(_END)))
    if raw.read(len(_END)) != _END:
        raise ValueError("the stream has no end")
    raw.seek(0)
    return ipc.open_stream(raw, **options)


def _batches(reader: Any, first: int = 0) -> Iterator[Any]:
    """Iterate over record batches; those of a stream are found one after the other."""
    if hasattr(reader, "num_record_batches"):
        return map(reader.get_batch, range(first, reader.num_record_batches))
    return islice(reader, first, None)


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
