"""Rows with named columns: what a result lists, as data, as frames, as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.tables.table import Table, Tabled

__all__ = ["HasRecords", "RecordTable", "distinct_columns", "number", "p_text", "scalar"]


@dataclass(frozen=True, slots=True)
class RecordTable(Tabled):
    """Columns of one length, by name; `words` are those that hold words, and are aligned to the left."""

    columns: dict[str, tuple[Any, ...]]
    words: tuple[str, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Sequence[dict[str, Any]]) -> RecordTable:
        """Rows that are mappings with the same keys."""
        return cls({name: tuple(row[name] for row in records) for name in records[0]} if records else {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(zip(*self.columns.values(), strict=True))

    def __getitem__(self, column: str) -> tuple[Any, ...]:
        return self.columns[column]

    def take(self, rows: Sequence[int]) -> RecordTable:
        """Some rows, in this order."""
        return replace(self, columns={name: tuple(column[i] for i in rows) for name, column in self.columns.items()})

    def table(self, *, places: int = 4) -> Table:
        headers = tuple(self.columns)
        rows = tuple(tuple(number(x, places) for x in row) for row in self)
        words = tuple(i for i, header in enumerate(headers) if header in self.words)
        return Table(headers, rows, title=self.title, notes=self.notes, words=words)

    def to_pandas(self) -> Any:
        import pandas as pd

        return pd.DataFrame({name: list(column) for name, column in self.columns.items()})

    def to_polars(self) -> Any:
        import polars as pl

        return pl.DataFrame({name: list(column) for name, column in self.columns.items()}, strict=False)

    def to_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, map(scalar, row), strict=True)) for row in self]

    def to_json(self) -> str:
        return json.dumps(self.to_dicts(), allow_nan=False)

    __repr__ = Tabled.__str__


class HasRecords(Tabled):
    """A result that lists rows, and so comes as frames."""

    def _tables(self) -> Sequence[Table]:
        table: Callable[[], Table] | None = getattr(self, "table", None)
        return [self.listing().table() if table is None else table()]

    def listing(self) -> RecordTable:
        """Its rows."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas frame."""
        return self.listing().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars frame."""
        return self.listing().to_polars()


def distinct_columns(names: Sequence[str], taken: Callable[[str], bool]) -> list[str]:
    """Names of judges as columns beside others: a name that another column has gets `judge_` before it, until it is its own.

    >>> distinct_columns(["human", "query"], {"query", "doc"}.__contains__)
    ['human', 'judge_query']
    """
    found: list[str] = []
    for name in names:
        column = name
        while taken(column) or column in found or (column != name and column in names):
            column = f"judge_{column}"  # no blank: columns of TREC files are apart by blanks
        found.append(column)
    return found


def number(value: Any, places: int = 4) -> str:
    """A value as text: whole numbers as they are, others with their places (and no -0.0000), missing ones as a dash."""
    if value is None or value != value:
        return "–"
    if isinstance(value, float):
        return f"{value:z.{places}f}"
    return str(value)


def p_text(p: float | None) -> str:
    """A p-value as text: never 0."""
    return "–" if p is None or p != p else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def scalar(value: Any) -> Any:
    """A value for JSON: missing ones are None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
