"""`Explanation`: the arithmetic of one query under one measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.core.tables import Id
from judged.measures.registry import Measure
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted


@dataclass(frozen=True, slots=True)
class IdealRanking:
    """The arithmetic of the ideal ranking, which a measure compares the actual one with."""

    measure: Measure
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    closing: str
    hidden: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """One query under one measure: one row per rank, then the last step.

    Args:
        rows: the cells of each rank, under `headers`.
        closing: the last step to the value.
        hidden: number of documents below the last row.
        ideal: the ideal ranking, if the measure has one.
        chosen: True if the query was chosen automatically.
    """

    measure: Measure
    query: Id
    value: Any
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    closing: str
    hidden: int = 0
    ideal: IdealRanking | None = None
    chosen: bool = False

    def headline(self) -> tuple[str, ...]:
        """The reason for the query, if it was chosen."""
        return (
            (
                f"Showing a typical query: of all queries with a relevant document retrieved, its {self.measure} is closest to the mean.",
            )
            if self.chosen
            else ()
        )

    def tables(self, *, places: int = 4) -> list[Table]:
        """The actual ranking, and the ideal one if there is one."""
        title = f"{self.measure} of query {self.query}"
        formula = self.measure.definition.formula
        closing = (self.closing, f"{self.measure}: {formula}") if formula else (self.closing,)
        if self.ideal is None:
            return [_table(self.headers, self.rows, self.hidden, title, closing)]
        below = _table(self.ideal.headers, self.ideal.rows, self.ideal.hidden, "ideal ranking", (self.ideal.closing,))
        if self.measure.definition.ideal_only:
            return [_table(self.ideal.headers, self.ideal.rows, self.ideal.hidden, f"{title}: ideal ranking", closing)]
        return [_table(self.headers, self.rows, self.hidden, f"{title}: actual ranking", closing), below]

    def records(self) -> list[dict[str, Any]]:
        """One row per rank of the actual ranking, then of the ideal one."""
        sides = [("actual", self.headers, self.rows)]
        sides += [("ideal", self.ideal.headers, self.ideal.rows)] if self.ideal else []
        return [
            {"measure": str(self.measure), "query": self.query, "ranking": side, **dict(zip(headers, row, strict=True))}
            for side, headers, rows in sides
            for row in rows
        ]

    def to_data(self) -> dict[str, Any]:
        """The value with every step."""
        data = {
            "measure": str(self.measure),
            "query": self.query,
            "value": self.value,
            "closing": self.closing,
            "formula": self.measure.definition.formula,
            "rows": _row_data(self.headers, self.rows),
        }
        if self.ideal is None:
            return data
        ideal = {"closing": self.ideal.closing, "rows": _row_data(self.ideal.headers, self.ideal.rows)}
        return {**data, "ideal": ideal}


@dataclass(frozen=True, slots=True, repr=False)
class Explanations(Result):
    """Explanations of several measures."""

    explanations: tuple[Explanation, ...]

    def headline(self) -> tuple[str, ...]:
        """The reasons for the queries, if they were chosen."""
        return tuple(line for one in self.explanations for line in one.headline())

    def tables(self, *, places: int = 4) -> list[Table]:
        """The tables of each measure."""
        return [table for one in self.explanations for table in one.tables(places=places)]

    def records(self) -> list[dict[str, Any]]:
        """The rows of each measure."""
        return [row for one in self.explanations for row in one.records()]

    def to_data(self) -> Any:
        """The explanation, or a list of several."""
        data = [one.to_data() for one in self.explanations]
        return data if len(data) > 1 else data[0]


def _table(
    headers: tuple[str, ...], rows: tuple[tuple[Any, ...], ...], hidden: int, title: str, notes: tuple[str, ...]
) -> Table:
    more = (f"… and {counted(hidden, 'more document')}",) if hidden else ()
    cells = tuple(tuple(cell_text(value) for value in row) for row in rows)
    return Table(headers, cells, title=title, notes=(*more, *notes), words=(1,))


def _row_data(headers: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]) -> list[dict[str, Any]]:
    return [dict(zip(headers, row, strict=True)) for row in rows]


def cell_text(value: Any) -> str:
    """Format a number of the arithmetic, with four decimals at most and no trailing zeros."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def plain_number(value: Any) -> Any:
    """Convert a NumPy number to Python's, and a float that is an integer to int."""
    value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value
