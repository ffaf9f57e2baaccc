"""The result of `compare` in ranx."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number

PairKey = frozenset[str]


class ByPair(dict[PairKey, dict[str, dict[str, Any]]]):
    """{two runs: …}; the two are given in any order, as a set or a tuple.

    >>> ByPair({frozenset({"a", "b"}): {}})["b", "a"]
    {}
    """

    def __getitem__(self, runs: Iterable[str]) -> dict[str, dict[str, Any]]:
        return super().__getitem__(frozenset(runs))


@dataclass(frozen=True, eq=False, repr=False)
class RanxReport(Result):
    """Means of runs, with the letters of the runs that each is significantly better than.

    Args:
        model_names: names of the runs.
        results: {run: {measure: mean}}.
        comparisons: {two runs: {measure: {"p_value", "significant"}}}.
        metrics: names of the measures.
        max_p: significance level.
        win_tie_loss: {(run, other): {measure: {"W", "T", "L"}}}.
        rounding_digits: decimals of the table.
        show_percentages: print means as percentages.
        stat_test: the paired test.
    """

    model_names: list[str]
    results: dict[str, dict[str, float]]
    comparisons: ByPair
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per run; the number of decimals is that of the report."""
        rows = [
            (_letter(i), name, *(self._cell(name, m) for m in self.metrics)) for i, name in enumerate(self.model_names)
        ]
        best = frozenset(
            (row, column + 2)
            for column, m in enumerate(self.metrics)
            for row, name in enumerate(self.model_names)
            if self.results[name][m] == max(self.results[other][m] for other in self.model_names)
        )
        key = f"letters: runs with a significantly lower mean ({self.stat_test}, p ≤ {self.max_p:g})"
        return [Table(("#", "Model", *self.metrics), tuple(rows), words=(0, 1), strong=best, key=key)]

    def _cell(self, name: str, metric: str) -> str:
        mean, digits = self.results[name][metric], self.rounding_digits
        text = number(mean * 100, max(0, digits - 2)) if self.show_percentages else number(mean, digits)
        lower = [
            _letter(i)
            for i, other in enumerate(self.model_names)
            if other != name
            and self.comparisons[name, other][metric]["significant"]
            and mean > self.results[other][metric]
        ]
        return f"{text} {''.join(lower)}" if lower else text

    def records(self) -> list[dict[str, Any]]:
        """One row per run."""
        return [{"model_names": name, **self.results[name]} for name in self.model_names]

    def to_table(self) -> str:
        """The table as text."""
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: means, p-values, wins, ties and losses."""
        data: dict[str, Any] = {"stat_test": self.stat_test, "metrics": self.metrics, "model_names": self.model_names}
        for name in self.model_names:
            others = [other for other in self.model_names if other != name]
            data[name] = {
                "scores": self.results[name],
                "comparisons": {o: {m: self.comparisons[name, o][m]["p_value"] for m in self.metrics} for o in others},
                "win_tie_loss": {o: self.win_tie_loss[name, o] for o in others},
            }
        return data

    def to_data(self) -> dict[str, Any]:
        """The same as `to_dict`."""
        return self.to_dict()

    def to_dataframe(self) -> Any:
        """A pandas frame with one row per run."""
        return self.to_pandas()

    def save(self, path: str) -> None:
        """Write `to_dict` as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=4), encoding="utf-8")


def _letter(position: int) -> str:
    """The letter of a run; from the 27th on it is followed by a number."""
    round_, at = divmod(position, len(ascii_lowercase))
    return ascii_lowercase[at] + (str(round_) if round_ else "")
