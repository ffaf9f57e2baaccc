"""Parquet and Arrow files, by whichever library is there: pyarrow, polars or DuckDB."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from judged.errors import DataError, JudgedError
from judged.io.tables.context import Context
from judged.io.tables.frames import Frame, arrow_frame, arrow_text, of_frame, polars_frame, unmasked
from judged.io.tables.ids import Column
from judged.io.tables.table import SourceTable
from judged.io.text.encoding import Raw

__all__ = ["MAGIC", "in_our_words", "library_for", "of_columnar", "undamaged"]

MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow"}


def of_columnar(data: Raw, context: Context) -> SourceTable:
    """A frame in a file: ids keep their types, as in memory."""
    form = next(name for magic, name in MAGIC.items() if data.startswith(magic))
    library, module = _library(form, context)
    with undamaged(form, context.name):
        frame = _READERS[form, library](module, memoryview(data)[:-8])
        return of_frame(frame, replace(context, columnar=True))


def undamaged(form: str, name: str) -> AbstractContextManager[None]:
    """Whatever a library says of a file, in our words."""
    return in_our_words(f"a whole {form} file", "a damaged one", name, "copy or write it again")


@contextmanager
def in_our_words(expected: str, got: str, where: str, hint: str) -> Iterator[None]:
    """Whatever a library says while it reads, as one error."""
    try:
        yield
    except (JudgedError, MemoryError):
        raise
    except Exception as error:  # each library has exceptions of its own
        said = f"{got} ({error})".replace("\n", " ")
        raise DataError("damaged", expected, got=said, where=where, hint=f"nothing of it was used; {hint}") from error


def _library(form: str, context: Context) -> tuple[str, Any]:
    return library_for(form, [library for kind, library in _READERS if kind == form], context.name)


def library_for(form: str, names: Sequence[str], where: str) -> tuple[str, Any]:
    """The first of these libraries that is there."""
    for name in names:
        with suppress(ImportError):
            return name, import_module(name)
    raise DataError(
        "needs", f"one of {', '.join(names)}, to read a {form} file", got="none of them",
        hint="pip install judged[parquet]", where=where,
    )  # fmt: skip


def _pyarrow_parquet(pyarrow: Any, data: memoryview) -> Frame:
    file = import_module("pyarrow.parquet").ParquetFile(pyarrow.BufferReader(pyarrow.py_buffer(data)))
    names = list(file.schema_arrow.names)
    return Frame(
        names,
        lambda wanted: arrow_frame(file.read(columns=list(wanted))).columns(wanted),
        text=lambda name: arrow_text(file.read(columns=[name]).column(0)),
    )


def _pyarrow_ipc(pyarrow: Any, data: memoryview) -> Frame:
    ipc = import_module("pyarrow.ipc")
    return arrow_frame(ipc.open_file(pyarrow.BufferReader(pyarrow.py_buffer(data))).read_all())


def _polars_parquet(polars: Any, data: memoryview) -> Frame:
    return polars_frame(polars.read_parquet(io.BytesIO(data)))


def _polars_ipc(polars: Any, data: memoryview) -> Frame:
    return polars_frame(polars.read_ipc(io.BytesIO(data)))


def _duckdb_parquet(duckdb: Any, data: memoryview) -> Frame:
    """DuckDB reads names, not bytes, and takes `*` in a name for a pattern: so a copy with a plain name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.parquet"
        path.write_bytes(data)
        with duckdb.connect() as connection:
            fetched = connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchnumpy()

    def columns(names: Sequence[str]) -> list[Column]:
        return [unmasked(fetched[name]) for name in names]

    return Frame(list(fetched), columns)


_READERS: dict[tuple[str, str], Callable[[Any, memoryview], Frame]] = {
    ("Parquet", "pyarrow"): _pyarrow_parquet,
    ("Parquet", "polars"): _polars_parquet,
    ("Parquet", "duckdb"): _duckdb_parquet,
    ("Arrow", "pyarrow"): _pyarrow_ipc,
    ("Arrow", "polars"): _polars_ipc,
}
