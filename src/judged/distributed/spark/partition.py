"""A partition of a Spark table: Arrow batches, as the JVM sends them; and ids as Spark columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from judged.core.ids import IdColumn
from judged.core.parts.run import UnknownRow
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, shown
from judged.io.read import read_run

_ROWS = 1 << 17  # of a batch; Spark sends 10,000 at a time


@dataclass(frozen=True, slots=True)
class SparkColumns:
    """The name of a table, and its column for each role, in the order in which columns are sent."""

    name: str
    column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SparkPartition:
    """The rows that a worker receives; they can be scanned once."""

    rows: Iterator[Any]
    columns: SparkColumns

    @property
    def size(self) -> int:
        """Unknown in advance."""
        return 0

    def batches(self) -> Iterator[ArrowRun]:
        """Yield the rows, several Spark batches at a time."""
        collected: list[Any] = []
        count = 0
        for batch in self.rows:
            collected.append(batch)
            count += batch.num_rows
            if count >= _ROWS:
                yield as_arrow_run(as_table(collected), self.columns)
                collected, count = [], 0
        if count:
            yield as_arrow_run(as_table(collected), self.columns)


def as_table(batches: list[Any]) -> Any:
    """Return Arrow batches as one table, without copying."""
    import pyarrow as pa

    return pa.Table.from_batches(batches)


def as_arrow_run(table: Any, columns: SparkColumns) -> ArrowRun:
    """Return an Arrow table, whose columns are in the order of the roles, as a run."""
    table = table.rename_columns(list(columns.column.values()))
    places = {role: place for place, role in enumerate(columns.column)}
    query, doc, score, rank = (places.get(role, -1) for role in ("query", "doc", "score", "rank"))
    read = partial(_read, table, columns)
    return ArrowRun(name=columns.name, read=read, stream=table.__arrow_c_stream__, columns=(query, doc, score, rank))


def _read(table: Any, columns: SparkColumns) -> Run:
    """Read the rows with every check."""
    named: dict[str, Any] = {f"{role}_col": column for role, column in columns.column.items()}
    with naming_rows(table, columns):
        run = read_run(table, **named, name=columns.name)
    return replace(run, where=UnknownRow(columns.name))


@contextmanager
def naming_rows(table: Any, columns: SparkColumns) -> Iterator[None]:
    """Add query and document to errors: rows of a Spark table have no numbers."""
    try:
        yield
    except DataError as error:
        raise error.changed(problem=f"{error.problem}{_row_name(table, columns.column)}", where=columns.name) from None


def _row_name(table: Any, named: Mapping[str, str]) -> str:
    """Return the query and the document of the first row with a missing value, as far as it has them."""
    import pyarrow.compute as pc

    for role in named:
        missing = pc.is_null(table.column(named[role]), nan_is_null=True)
        row = pc.index(missing, True).as_py()
        if row >= 0:
            query, doc = (table.column(named[key])[row].as_py() for key in ("query", "doc"))
            parts = [f"document {shown(doc)}"] * (doc is not None) + [f"query {shown(query)}"] * (query is not None)
            return f" for {' of '.join(parts)}" if parts else ""
    return ""


def ids_for_spark(ids: IdColumn, kind: IdKind) -> Any:
    """Return an Arrow column of strings or 64-bit integers; null for an id that Spark cannot hold."""
    import pyarrow as pa

    raw = ids.tolist()
    if kind == "integer":
        return pa.array([number if -(2**63) <= number < 2**63 else None for number in map(int, raw)], pa.int64())
    try:
        return pa.array(raw, pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([_decode(item) for item in raw], pa.string())


def _decode(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
