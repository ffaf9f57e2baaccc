"""Shared by the readers of columnar files: the library, its errors, and batches of rows for the native core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from judged.errors import DataError, JudgedError, Place
from judged.io.columns import ColumnRequest, count_known, find_columns
from judged.io.files import Content
from judged.io.formats.registry import Detected, FileFormat, Rows
from judged.io.origin import Context

if TYPE_CHECKING:
    from judged.core.tables import Run
    from judged.core.unread_runs import ArrowRun, UnreadRun
    from judged.io.frames import Frame
    from judged.io.stored import Stored
    from judged.io.table import ColumnBatches

ROWS = 1 << 19  # of a batch: large, because each looks its queries up again


def import_pyarrow(format: str, where: str, module: str = "pyarrow") -> Any:
    """Import a module of pyarrow, which is optional."""
    try:
        return import_module(module)
    except ImportError as error:
        hint = "install it with pip install judged[parquet]"
        raise DataError("needs", f"reading a {format} file needs pyarrow", hint=hint, where=where) from error


def open_buffer(data: Any) -> Any:
    pyarrow = import_module("pyarrow")
    return pyarrow.BufferReader(pyarrow.py_buffer(data))


@contextmanager
def open_columns(content: Content, format: FileFormat) -> Iterator[Frame]:
    """Open a file as a frame; errors of the library that reads it become a `DataError`."""
    import_pyarrow(format.name, content.name)
    assert format.open_frame is not None
    with find_damage(format.name, content.name):
        yield format.open_frame(content.binary())


def read_columns(content: Content, detected: Detected, context: Context) -> ColumnBatches:
    """Read the columns of a file. Ids keep their types, as in memory."""
    from judged.io.frames import read_frame

    with open_columns(content, detected.format) as frame:
        return read_frame(frame, replace(context, columnar=True))


def unread_columns(content: Content, detected: Detected, read: Callable[[], Run]) -> UnreadRun | None:
    """Leave the columns of a run to the native core."""
    from judged.io.frames import unread_frame

    with open_columns(content, detected.format) as frame:
        return unread_frame(frame, Context(ColumnRequest("run"), content.name, columnar=True))


def find_damage(format: str, name: str) -> AbstractContextManager[None]:
    """Convert the errors of a library that reads a file to a `DataError`."""
    return report_library(f"the {format} file is damaged", name, "copy or write it again")


@contextmanager
def report_library(problem: str, where: str, hint: str) -> Iterator[None]:
    """Convert the errors of a library to a `DataError`."""
    try:
        yield
    except (JudgedError, MemoryError):
        raise
    except Exception as error:  # each library has its own exceptions
        reason = f"{problem} ({error}); none of it was used".replace("\n", " ")
        raise DataError("damaged", reason, where=where, hint=hint) from error


def columns_in_file(names: Sequence[str], file: Stored, request: ColumnRequest) -> dict[str, str]:
    """Return the column of each role. If missing columns are names of folders, the error says so."""
    try:
        return dict(find_columns(names, request, Place(file.name)).column)
    except DataError as error:
        folders = [step.partition("=")[0] for step in file.path.split("/")[:-1] if "=" in step]
        if not count_known(folders, request):
            raise
        hint = "pass pyarrow.dataset.dataset(path, partitioning='hive'), which reads names of folders"
        raise error.changed(problem=f"{error.problem}; and folders called {folders[0]}=…", hint=hint) from error


def cut_batches(rows: Rows, names: Sequence[str], row: int, batches: Iterable[Any]) -> Iterator[ArrowRun]:
    """Return the requested rows of record batches, of which the first begins at `row`, for the native core."""
    from judged.io.frames import arrow_frame, unread_frame

    pyarrow, end = import_module("pyarrow"), rows.row + rows.count
    context = Context(rows.request, rows.file.name, columnar=True)
    for batch in batches:
        for at in range(0, batch.num_rows, ROWS):  # a record batch may be as large as its file
            low, high = max(row + at, rows.row), min(row + at + ROWS, row + batch.num_rows, end)
            if low < high:
                table = pyarrow.Table.from_batches([batch.slice(low - row, high - low)])
                unread = unread_frame(replace(arrow_frame(table), names=names), replace(context, row=low))
                assert unread is not None  # pyarrow has Arrow batches
                yield unread
        row += batch.num_rows
        if row >= end:
            return
