"""What the readers of columns in parts have in common: which columns, and a table of some of them as a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, Place
from judged.io.files.stored import Stored
from judged.io.tables.columns import ColumnRequest, find, usual
from judged.io.tables.context import Context
from judged.io.tables.frames import Frame, batches_of

__all__ = ["ROWS", "batch_of", "found_in"]

ROWS = 1 << 19  # of a batch: large, because each looks its queries up anew


def found_in(names: Sequence[str], file: Stored, wanted: ColumnRequest) -> dict[str, str]:
    """The column of each role. Columns that are names of folders are no columns of the file, and that is said."""
    try:
        return dict(find(names, wanted, Place(file.name)).column)
    except DataError as error:
        folders = [step.partition("=")[0] for step in file.path.split("/")[:-1] if "=" in step]
        if not usual(folders, wanted):
            raise
        raise DataError(
            error.slug, error.problem, got=f"{error.got}; and folders called {folders[0]}=…", where=error.where, value=error.value,
            hint="names of folders are not read; give pyarrow.dataset.dataset(path, partitioning='hive'), which does",
        ) from error  # fmt: skip


def batch_of(frame: Frame, names: Sequence[str], context: Context, row: int) -> ArrowRun:
    """Some columns of a file, whose columns have these names, as the native core takes them."""
    found = batches_of(replace(frame, names=names), replace(context, columnar=True, row=row))
    assert found is not None  # each of these libraries hands out batches
    return found
