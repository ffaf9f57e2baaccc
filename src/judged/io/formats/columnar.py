"""Files of columns, Parquet and Arrow, by pyarrow; and workbooks, recognised to say what to do with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from judged.errors import DataError, JudgedError, Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import ARROW_STREAM, Content
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.origin import Context

if TYPE_CHECKING:
    from judged.core.tables import Run
    from judged.core.unread_runs import ArrowRun
    from judged.io.frames import Frame
    from judged.io.stored import Stored
    from judged.io.table import ColumnBatches

_AGAIN = "copy or write it again"
ROW_SIZE = 24  # bytes of a row in memory, about
ROWS = 1 << 19  # of a batch: large, because each looks its queries up again


def import_pyarrow(format: str, where: str, module: str = "pyarrow") -> Any:
    """Import a module of pyarrow, which is optional."""
    try:
        return import_module(module)
    except ImportError as error:
        hint = "install it with pip install judged[parquet]"
        raise DataError("needs", f"a {format} file needs pyarrow", hint=hint, where=where) from error


def open_buffer(data: Any) -> Any:
    pyarrow = import_module("pyarrow")
    return pyarrow.BufferReader(pyarrow.py_buffer(data))


@contextmanager
def open_columns(content: Content, format: FileFormat) -> Iterator[Frame]:
    """Open a file as a frame; errors of the library that reads it become a `DataError`."""
    import_pyarrow(format.name, content.name)
    assert format.open_frame is not None
    with report_library(f"the {format.name} file is damaged", content.name, _AGAIN):
        yield format.open_frame(content.binary())


def read_columns(content: Content, detected: Detected, context: Context) -> ColumnBatches:
    """Read the columns of a file. Ids keep their types, as in memory."""
    from judged.io.frames import read_frame

    with open_columns(content, detected.format) as frame:
        return read_frame(frame, replace(context, columnar=True))


def unread_columns(content: Content, detected: Detected, context: Context, read: Callable[[], Run]) -> ArrowRun | None:
    """Leave the columns of a run to the native core."""
    from judged.io.frames import unread_frame

    with open_columns(content, detected.format) as frame:
        run = unread_frame(frame, replace(context, columnar=True))
    if run is None:
        return None
    problem = f"the {detected.format.name} file is damaged"
    return replace(run, read=partial(_reported, run.read, problem, content.name))


def _reported(read: Callable[[], Any], problem: str, where: str) -> Any:
    with report_library(problem, where, _AGAIN):
        return read()


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


# ── Parquet ───────────────────────────────────────────────────────────────────────────────────────


_CODE = 4  # bytes of a row, at most, in a column that is dictionary-encoded
_BUFFER = 1 << 18  # bytes read at a time: a row group may be as large as its file


def _open_parquet(data: Any) -> Frame:
    from judged.io.frames import Frame, arrow_frame, arrow_text

    parquet = import_module("pyarrow.parquet")
    file = parquet.ParquetFile(open_buffer(data))

    def select(names: list[str]) -> Any:
        coded = [name for name in names if _is_coded_text(file.metadata, file.schema_arrow, name)]
        reader = parquet.ParquetFile(open_buffer(data), metadata=file.metadata, read_dictionary=coded)
        return reader.read(columns=names).select(names)

    return Frame(
        list(file.schema_arrow.names),
        lambda names: arrow_frame(file.read(columns=names)).columns(names),
        select,
        text=lambda name: arrow_text(file.read(columns=[name]).column(0)),
        batches=lambda names, size: (
            import_module("pyarrow").Table.from_batches([b]) for b in file.iter_batches(size, columns=names)
        ),
    )


@contextmanager
def _opened(file: Stored) -> Iterator[tuple[Any, Any]]:
    """Open a file of a partitioned run, and return the library that reads it, and the file."""
    parquet = import_pyarrow("Parquet", file.path, "pyarrow.parquet")
    with report_library("the Parquet file is damaged", file.path, _AGAIN), file.open("OSFile") as raw:
        yield parquet, raw


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Rows:
    """Some row groups of a file: a partition. `scored`: they have scores, not only ranks. `block`: the number of their first group."""

    file: Stored
    row: int
    count: int
    request: ColumnRequest
    scored: bool
    block: int

    @property
    def size(self) -> int:
        return ROW_SIZE * self.count

    def batches(self) -> Iterator[ArrowRun]:
        with _opened(self.file) as (parquet, raw):
            footer = parquet.read_metadata(raw)
            schema = footer.schema.to_arrow_schema()
            columns = find_columns(schema.names, self.request, Place(self.file.path))
            texts = [columns["query"]] if _is_coded_text(footer, schema, columns["query"], self.block) else []
            file = parquet.ParquetFile(
                raw, metadata=footer, read_dictionary=texts, pre_buffer=False, buffer_size=_BUFFER
            )
            groups, count = list[int](), 0
            while count < self.count:
                groups.append(self.block + len(groups))
                count += footer.row_group(groups[-1]).num_rows
            batches = file.iter_batches(ROWS, columns=list(columns.values()), row_groups=groups, use_threads=False)
            context = Context(self.request, self.file.path, columnar=True, row=self.row)
            yield from unread_batches(batches, schema.names, context)


def unread_batches(batches: Iterable[Any], names: Sequence[str], context: Context) -> Iterator[ArrowRun]:
    """Return Arrow or polars tables of some columns for the native core; `names` are those of all columns."""
    from judged.io.frames import frame_of, unread_frame

    for batch in batches:
        frame = frame_of(batch)
        assert frame is not None
        unread = unread_frame(replace(frame, names=names), context)
        assert unread is not None
        if len(batch):
            yield unread
        context = replace(context, row=context.row + len(batch))


def _row_groups(file: Stored, request: ColumnRequest) -> list[Rows]:
    with _opened(file) as (parquet, raw):
        footer = parquet.read_metadata(raw)
        columns = find_columns(footer.schema.to_arrow_schema().names, request, Place(file.path))
        groups, row = [], 0
        for block in range(footer.num_row_groups):
            count = footer.row_group(block).num_rows
            if count:
                groups.append(Rows(file, row, count, request, "score" in columns, block))
            row += count
        return groups


def _is_coded_text(footer: Any, schema: Any, name: str, number: int = 0) -> bool:
    """Return whether a column is dictionary-encoded text; otherwise building a dictionary would cost more than it saves."""
    if not footer.num_rows or str(schema.field(name).type) not in ("string", "large_string"):
        return False
    group = footer.row_group(number)
    columns = [group.column(i) for i in range(group.num_columns)]
    size = next((c.total_uncompressed_size for c in columns if c.path_in_schema == name), 0)
    return 0 < size <= _CODE * group.num_rows


PARQUET = FORMATS.add(
    FileFormat("Parquet", None, read_columns, unread=unread_columns, open_frame=_open_parquet, row_groups=_row_groups)
)


# ── Arrow files (Feather) and streams, as `datasets` writes them ──────────────────────────────────


_END = ARROW_STREAM + bytes(4)  # of a stream; without it, a stream that was cut between two batches looks complete


def _open_arrow(data: Any) -> Frame:
    from judged.io.frames import arrow_frame

    return arrow_frame(_reader(import_module("pyarrow.ipc"), open_buffer(data)).read_all())


def _reader(ipc: Any, raw: Any) -> Any:
    """Open a file, or a stream, of which the end is checked."""
    raw.seek(0)
    if raw.read(6) == b"ARROW1":
        return ipc.open_file(raw)
    raw.seek(max(0, raw.size() - len(_END)))
    if raw.read(len(_END)) != _END:
        raise ValueError("the stream has no end")
    raw.seek(0)
    return ipc.open_stream(raw)


ARROW = FORMATS.add(FileFormat("Arrow", None, read_columns, unread=unread_columns, open_frame=_open_arrow))


# ── workbooks ─────────────────────────────────────────────────────────────────────────────────────


def _refuse_workbook(content: Content, detected: Detected, context: Context) -> NoReturn:
    hint = "save the sheet as CSV; of an archive, extract the file, or compress it with gzip"
    raise DataError("format", "this is an Excel workbook or a ZIP archive", where=context.name, hint=hint)


FORMATS.add(FileFormat("workbook", None, _refuse_workbook))
