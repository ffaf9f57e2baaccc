"""A table of simulated rates, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Cell:
    """A simulated rate in percent, with the number of repetitions; `counts` if the goal applies to it."""

    percent: float
    repeats: int
    counts: bool = False

    @classmethod
    def of(cls, hits: Any, *, counts: bool = False) -> Cell:
        """The share of hits."""
        flags = np.asarray(hits, dtype=bool)
        return cls(100 * float(flags.mean()), len(flags), counts)

    def error(self) -> float:
        """The standard error in points, of the nominal rate if all or none are hits."""
        share = min(max(self.percent / 100, 0.01), 0.99)
        return 100 * math.sqrt(share * (1 - share) / self.repeats)


@dataclass(frozen=True, slots=True)
class SimulatedTable:
    """Rates by population and number of queries, or by anything else."""

    title: str
    columns: Sequence[Any]
    rows: Sequence[tuple[str, Sequence[Cell | str]]]
    goal: tuple[float, float] | None = None
    head: str = "differences"
    prefix: str = "n = "
    notes: Sequence[str] = field(default=())

    def markdown(self) -> Iterator[str]:
        """Lines of Markdown; a rate outside of the goal by more than two standard errors is bold."""
        yield f"*{self.title}*"
        yield ""
        yield "| " + " | ".join([self.head, *(f"{self.prefix}{c}" for c in self.columns)]) + " |"
        yield "|---|" + "--:|" * len(self.columns)
        for name, cells in self.rows:
            yield "| " + " | ".join([name, *(self._text(cell) for cell in cells)]) + " |"
        yield ""
        for note in self.notes:
            yield note
            yield ""

    def _text(self, cell: Cell | str) -> str:
        if isinstance(cell, str):
            return cell
        text = f"{cell.percent:.1f}"
        return f"**{text}**" if self.misses(cell) else text

    def misses(self, cell: Cell | str) -> bool:
        """True if the rate is outside of the goal by more than two standard errors."""
        if self.goal is None or isinstance(cell, str):
            return False
        low, high = self.goal
        slack = 2 * cell.error()
        return cell.percent < low - slack or cell.percent > high + slack

    def within(self) -> tuple[int, int]:
        """The number of cells to which the goal applies and that meet it, and of all to which it applies."""
        cells = [c for _, row in self.rows for c in row if isinstance(c, Cell) and c.counts]
        return sum(not self.misses(c) for c in cells), len(cells)
