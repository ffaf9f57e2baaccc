"""Parquet files in parts, by DuckDB under a memory limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from itertools import accumulate
from typing import Any

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.io.files.stored import Stored
from judged.io.formats.parquet import undamaged
from judged.io.parts.columns import batch_of, found_in
from judged.io.parts.parquet import ParquetRows, RowGroup
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.frames import Frame, unmasked
from judged.io.tables.ids import Column

__all__ = ["batches", "groups"]

_EMPTY = "SELECT * FROM read_parquet({}) LIMIT 0"
_LIMITS = {"threads": 1, "memory_limit": "512MB"}


def groups(duckdb: Any, file: Stored, form: str, wanted: ColumnRequest) -> list[RowGroup]:
    """The row groups. DuckDB tells their statistics as text, which proves nothing of numbers."""
    with _asking(duckdb, file) as (ask, path):
        asked = f"SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata({path}) ORDER BY 1"  # noqa: S608 - a quoted path
        sizes = [size for _, size in ask(asked).fetchall() if size]
        if not sizes:
            return []
        found = found_in(ask(_EMPTY.format(path)).columns, file, wanted)
    ends = list(accumulate(sizes))
    return [
        RowGroup(ParquetRows(file, form, end - size, size, wanted, "score" in found))
        for end, size in zip(ends, sizes, strict=True)
    ]


def batches(duckdb: Any, rows: ParquetRows) -> Iterator[Run | UnreadRun]:
    """All rows as one batch, which is a stream: DuckDB holds little of it at a time."""
    file = rows.file
    with _asking(duckdb, file) as (ask, path):
        names = ask(_EMPTY.format(path)).columns
        found_in(names, file, rows.wanted)
        between = f"WHERE file_row_number >= {rows.row} AND file_row_number < {rows.row + rows.count}"

        def chosen(wanted: Sequence[str]) -> str:
            columns = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
            return f"SELECT {columns} FROM read_parquet({path}, file_row_number = true) {between}"  # noqa: S608 - all of it is quoted

        def columns(wanted: Sequence[str]) -> list[Column]:
            with undamaged(rows.form, file.name), _connected(duckdb) as connection:
                fetched = connection.sql(chosen(wanted)).fetchnumpy()
                return [unmasked(fetched[name]) for name in wanted]

        def stream(wanted: list[str]) -> Any:
            return ask(chosen(wanted)).__arrow_c_stream__()

        yield batch_of(Frame(names, columns, stream=stream), names, Context(rows.wanted, file.name), rows.row)


@contextmanager
def _asking(duckdb: Any, file: Stored) -> Iterator[tuple[Callable[[str], Any], str]]:
    """A way to ask DuckDB, and the file's name as it stands in a question."""
    file.check()
    with _connected(duckdb) as connection:
        yield connection.sql, "'" + escape(file.path).replace("'", "''") + "'"  # it takes a path for a pattern
    file.check()


@contextmanager
def _connected(duckdb: Any) -> Iterator[Any]:
    with duckdb.connect(config=_LIMITS) as connection:
        yield connection
