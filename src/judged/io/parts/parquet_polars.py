"""Parquet and Arrow files in parts, by polars."""

from __future__ import annotations

from collections.abc import Iterator
from glob import escape
from typing import Any

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.io.files.stored import Stored
from judged.io.parts.columns import ROWS, batch_of, found_in
from judged.io.parts.parquet import FEWEST, ParquetRows, RowGroup
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.frames import polars_frame

__all__ = ["batches", "groups"]


def groups(polars: Any, file: Stored, form: str, wanted: ColumnRequest) -> list[RowGroup]:
    """Stretches of rows: polars does not tell the row groups."""
    file.check()
    lazy = _scanned(polars, file, form)
    rows = lazy.select(polars.len()).collect().item()
    if not rows:
        return []
    scored = "score" in found_in(lazy.collect_schema().names(), file, wanted)
    return [
        RowGroup(ParquetRows(file, form, row, min(FEWEST, rows - row), wanted, scored))
        for row in range(0, rows, FEWEST)
    ]


def batches(polars: Any, rows: ParquetRows) -> Iterator[Run | UnreadRun]:
    file = rows.file
    file.check()
    lazy = _scanned(polars, file, rows.form)
    names = lazy.collect_schema().names()
    chosen = lazy.select(list(found_in(names, file, rows.wanted).values()))
    for at in range(rows.row, rows.row + rows.count, FEWEST):
        frame = chosen.slice(at, min(FEWEST, rows.row + rows.count - at)).collect()
        for start in range(0, frame.height, ROWS):
            yield batch_of(polars_frame(frame.slice(start, ROWS)), names, Context(rows.wanted, file.name), at + start)
    file.check()


def _scanned(polars: Any, file: Stored, form: str) -> Any:
    path = escape(file.path)  # it takes a path for a pattern
    return polars.scan_parquet(path) if form == "Parquet" else polars.scan_ipc(path)
