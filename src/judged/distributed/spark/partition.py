"""A partition of a Spark table as a part of a run: batches of Arrow, as they come from the JVM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from judged.core.parts.run import Somewhere
from judged.core.tables import Run
from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, shown
from judged.io.read import read_run

__all__ = ["Partition", "SparkColumns", "as_batches", "as_table", "telling"]

_ROWS = 1 << 17  # looked through at a time; Spark hands out 10,000 of them


@dataclass(frozen=True, slots=True)
class SparkColumns:
    """What to call a run, and the columns of its roles, in the order in which they are handed out."""

    name: str
    column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows that a worker is given; they can be looked through once."""

    rows: Iterator[Any]
    layout: SparkColumns

    @property
    def size(self) -> int:
        """Not known before they came."""
        return 0

    def batches(self) -> Iterator[ArrowRun]:
        """The rows, some batches of Spark together."""
        together: list[Any] = []
        count = 0
        for batch in self.rows:
            together.append(batch)
            count += batch.num_rows
            if count >= _ROWS:
                yield as_batches(as_table(together), self.layout)
                together, count = [], 0
        if count:
            yield as_batches(as_table(together), self.layout)


def as_table(batches: list[Any]) -> Any:
    """Batches of Arrow as one table; nothing is copied."""
    import pyarrow as pa

    return pa.Table.from_batches(batches)


def as_batches(table: Any, layout: SparkColumns) -> ArrowRun:
    """A table of Arrow, its columns in the order of the layout, as the core takes it."""
    table = table.rename_columns(list(layout.column.values()))
    places = {role: place for place, role in enumerate(layout.column)}
    query, doc, score, rank = (places.get(role, -1) for role in ("query", "doc", "score", "rank"))
    read = partial(_read, table, layout)
    return ArrowRun(name=layout.name, read=read, stream=table.__arrow_c_stream__, columns=(query, doc, score, rank))


def _read(table: Any, layout: SparkColumns) -> Run:
    """The rows with every check."""
    with telling(table, layout):
        named: dict[str, Any] = {f"{role}_col": column for role, column in layout.column.items()}
        run = read_run(table, **named, name=layout.name)
    return replace(run, where=Somewhere(layout.name))


@contextmanager
def telling(table: Any, layout: SparkColumns) -> Iterator[None]:
    """Rows of a table in Spark have no numbers: what is wrong with one is told by its query and document."""
    try:
        yield
    except DataError as error:
        said = f"{error.problem}{_about(table, layout.column)}"
        raise DataError(error.slug, said, got=error.got, hint=error.hint, where=layout.name, value=error.value) from None  # fmt: skip


def _about(table: Any, named: Mapping[str, str]) -> str:
    """The query and the document of the first row in which something is missing, as far as it has them."""
    import pyarrow.compute as pc

    for role in named:
        missing = pc.is_null(table.column(named[role]), nan_is_null=True)
        row = pc.index(missing, True).as_py()
        if row >= 0:
            query, doc = (table.column(named[key])[row].as_py() for key in ("query", "doc"))
            of = [f"document {shown(doc)}"] * (doc is not None) + [f"query {shown(query)}"] * (query is not None)
            return f" for {' of '.join(of)}" if of else ""
    return ""
