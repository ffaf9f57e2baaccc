"""Files of columns, Parquet and Arrow, by pyarrow; and workbooks, recognised to say what to do with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from judged.errors import DataError, JudgedError, Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import ARROW_STREAM, Content
from judged.io.formats.registry import FORMATS, Detected, FileFormat, Rows
from judged.io.origin import Context

if TYPE_CHECKING:
    from judged.core.tables import Run
    from judged.core.unread_runs import ArrowRun, UnreadRun
    from judged.io.frames import Frame
    from judged.io.stored import Stored
    from judged.io.table import ColumnBatches

_AGAIN = "copy or write it again"
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


def unread_columns(content: Content, detected: Detected, read: Callable[[], Run]) -> UnreadRun | None:
    """Leave the columns of a run to the native core."""
    from judged.io.frames import unread_frame

    with open_columns(content, detected.format) as frame:
        return unread_frame(frame, Context(ColumnRequest("run"), content.name, columnar=True))


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


@contextmanager
def _opened(file: Stored, format: str) -> Iterator[tuple[Any, Any]]:
    """Open a file of a partitioned run, and return the library that reads it, and the file."""
    module, handle = ("pyarrow.parquet", "OSFile") if format == "Parquet" else ("pyarrow.ipc", "memory_map")
    library = import_pyarrow(format, file.name, module)
    with report_library(f"the {format} file is damaged", file.name, _AGAIN), file.open(handle) as raw:
        yield library, raw


def _group_rows(
    file: Stored, format: str, request: ColumnRequest, columns: Mapping[str, str], counts: Iterable[int]
) -> list[Rows]:
    """Return the groups of rows of a file, from the number of rows of each."""
    groups, row = [], 0
    for block, count in enumerate(counts):
        if count:
            groups.append(Rows(file, format, row, count, request, "score" in columns, block))
        row += count
    return groups


def _read_batches(rows: Rows, names: Sequence[str], batches: Iterable[Any]) -> Iterator[ArrowRun]:
    """Return the requested rows for the native core; `batches` are the record batches from the first of them on."""
    from judged.io.frames import arrow_frame, unread_frame

    pyarrow, row = import_module("pyarrow"), rows.row
    context = Context(rows.request, rows.file.name, columnar=True)
    for batch in batches:
        for at in range(0, batch.num_rows, ROWS):  # a record batch may be as large as its file
            table = pyarrow.Table.from_batches([batch.slice(at, ROWS)])
            unread = unread_frame(replace(arrow_frame(table), names=names), replace(context, row=row + at))
            assert unread is not None  # pyarrow has Arrow batches
            yield unread
        row += batch.num_rows
        if row >= rows.row + rows.count:
            return


# ── Parquet ───────────────────────────────────────────────────────────────────────────────────────


_CODE = 4  # bytes of a row, at most, in a column that is dictionary-encoded
_NEAR, _FAR = 1 << 18, 1 << 23  # bytes read at a time, on disk and in a store: a row group may be as large as its file


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


def _parquet_groups(file: Stored, request: ColumnRequest) -> list[Rows]:
    with _opened(file, "Parquet") as (parquet, raw):
        footer = parquet.read_metadata(raw)
        columns = find_columns(footer.schema.to_arrow_schema().names, request, Place(file.name))
        counts = [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]
        return _group_rows(file, "Parquet", request, columns, counts)


def _read_parquet_rows(rows: Rows) -> Iterator[ArrowRun]:
    with _opened(rows.file, "Parquet") as (parquet, raw):
        footer = parquet.read_metadata(raw)
        schema = footer.schema.to_arrow_schema()
        columns = find_columns(schema.names, rows.request, Place(rows.file.name))
        texts = [columns["query"]] if _is_coded_text(footer, schema, columns["query"], rows.block) else []
        buffer = _NEAR if rows.file.store is None else _FAR
        file = parquet.ParquetFile(raw, metadata=footer, read_dictionary=texts, pre_buffer=False, buffer_size=buffer)
        groups, count = list[int](), 0
        while count < rows.count:
            groups.append(rows.block + len(groups))
            count += footer.row_group(groups[-1]).num_rows
        batches = file.iter_batches(ROWS, columns=list(columns.values()), row_groups=groups, use_threads=False)
        yield from _read_batches(rows, schema.names, batches)


def _is_coded_text(footer: Any, schema: Any, name: str, number: int = 0) -> bool:
    """Return whether a column is dictionary-encoded text; otherwise building a dictionary would cost more than it saves."""
    if not footer.num_rows or str(schema.field(name).type) not in ("string", "large_string"):
        return False
    group = footer.row_group(number)
    columns = [group.column(i) for i in range(group.num_columns)]
    size = next((c.total_uncompressed_size for c in columns if c.path_in_schema == name), 0)
    return 0 < size <= _CODE * group.num_rows


PARQUET = FORMATS.add(
    FileFormat(
        "Parquet",
        None,
        read_columns,
        unread=unread_columns,
        open_frame=_open_parquet,
        row_groups=_parquet_groups,
        read_rows=_read_parquet_rows,
    )
)


# ── Arrow files (Feather) and streams, as `datasets` writes them ──────────────────────────────────


_END = ARROW_STREAM + bytes(4)  # of a stream; without it, a stream that was cut between two batches looks complete


def _open_arrow(data: Any) -> Frame:
    from judged.io.frames import arrow_frame

    return arrow_frame(_reader(import_module("pyarrow.ipc"), open_buffer(data)).read_all())


def _arrow_groups(file: Stored, request: ColumnRequest) -> list[Rows]:
    with _opened(file, "Arrow") as (ipc, raw):
        names = _reader(ipc, raw).schema.names
        columns = find_columns(names, request, Place(file.name))
        reader = _reader(ipc, raw, [names.index(columns.get("score") or columns["rank"])])
        return _group_rows(file, "Arrow", request, columns, [batch.num_rows for batch in _batches(reader)])


def _read_arrow_rows(rows: Rows) -> Iterator[ArrowRun]:
    with _opened(rows.file, "Arrow") as (ipc, raw):
        names = _reader(ipc, raw).schema.names
        columns = find_columns(names, rows.request, Place(rows.file.name))
        reader = _reader(ipc, raw, sorted(names.index(name) for name in columns.values()))
        yield from _read_batches(rows, names, _batches(reader, rows.block))


def _reader(ipc: Any, raw: Any, fields: list[int] | None = None) -> Any:
    """Open a file, or a stream, of which the end is checked."""
    raw.seek(0)
    options = {} if fields is None else {"options": ipc.IpcReadOptions(included_fields=fields, use_threads=False)}
    if raw.read(6) == b"ARROW1":
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
        None,
        read_columns,
        unread=unread_columns,
        open_frame=_open_arrow,
        row_groups=_arrow_groups,
        read_rows=_read_arrow_rows,
    )
)


# ── workbooks ─────────────────────────────────────────────────────────────────────────────────────


def _refuse_workbook(content: Content, detected: Detected, context: Context) -> NoReturn:
    hint = "save the sheet as CSV; of an archive, extract the file, or compress it with gzip"
    raise DataError("format", "this is an Excel workbook or a ZIP archive", where=context.name, hint=hint)


FORMATS.add(FileFormat("workbook", None, _refuse_workbook))
