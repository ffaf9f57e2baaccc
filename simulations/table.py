"""A table of simulated rates, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

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

    def interval(self) -> tuple[float, float]:
        """The 95% interval of the rate in percent (Wilson 1927)."""
        n, share, z = self.repeats, self.percent / 100, 1.96
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
        return 100 * (middle - half), 100 * (middle + half)


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
        """Lines of Markdown; a rate that misses the goal is bold, and one that is not decided has a question mark."""
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
        return {"meets": text, "misses": f"**{text}**", "not decided": f"{text} ?"}[self.outcome(cell)]

    def outcome(self, cell: Cell) -> Literal["meets", "misses", "not decided"]:
        """Whether the 95% interval of the rate is within the goal, outside of it, or neither."""
        if self.goal is None:
            return "meets"
        (low, high), (least, most) = cell.interval(), self.goal
        if high < least or low > most:
            return "misses"
        return "meets" if max(low, 0.0) >= least and high <= most else "not decided"

    def summary(self) -> str:
        """How many of the rates to which the goal applies meet it, miss it, or are not decided; empty if there are none."""
        found = [self.outcome(c) for _, row in self.rows for c in row if isinstance(c, Cell) and c.counts]
        if self.goal is None or not found:
            return ""
        meets, misses, open_ = (found.count(each) for each in ("meets", "misses", "not decided"))
        return f"Of the {len(found)} figures to which the goal applies {meets} meet it, {misses} miss it, and {open_} are not decided."
