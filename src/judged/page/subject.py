"""What a page is about: one result, or several that were compared, seen in one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged.comparison.compare import compare
from judged.comparison.result import Comparison
from judged.core.judged import Judged
from judged.errors import UsageError, Warned, shown
from judged.evaluation.result.values import Values
from judged.io.run_names import plain_names
from judged.measures.registry import Measure

__all__ = ["Subject", "subject_of"]


@dataclass(frozen=True, eq=False)
class Subject:
    """Runs with their results over the same queries; the comparison of them, where there are several."""

    runs: tuple[str, ...]
    results: tuple[Values, ...]
    measures: tuple[Measure, ...]
    comparison: Comparison | None
    warnings: tuple[Warned, ...]

    @property
    def first(self) -> Values:
        return self.results[0]

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """The judged rankings, called as the page calls the runs; none where they are not at hand, or rest on different judgments."""
        if self.comparison is not None:
            found = self.comparison.judged
        else:
            found = () if self.first.source is None else (self.first.source.judged,)
        return tuple(replace(j, names=(j.names[0], name)) for j, name in zip(found, self.runs, strict=bool(found)))

    @cached_property
    def means(self) -> list[list[float]]:
        """[measure][run]: the numbers that the tables of the terminal show."""
        if self.comparison is None:
            return [[self.first.mean()[str(m)]] for m in self.measures]
        means = self.comparison.means()
        return [[means[run][str(m)] for run in self.runs] for m in self.measures]

    @cached_property
    def intervals(self) -> list[list[tuple[float, float] | None]]:
        """[measure][run]: bootstrap intervals of these means, over the queries that all runs have a value for."""
        table = []
        for result in self.results:
            whole = [m for m in self.measures if self.known(m).all()]
            found = result.intervals(whole) if whole else {}
            for m in self.measures:
                if str(m) not in found:
                    found |= _only(result, m, self.known(m)).intervals()
            table.append(found)
        return [[by[str(m)] for by in table] for m in self.measures]

    @property
    def level(self) -> float:
        """The lowest grade that counts as relevant to the first measure that asks."""
        return float(next((m.get("level") for m in self.measures if m.definition.binary), 1))

    def known(self, measure: Measure) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """The queries that every run has a value for."""
        return ~np.isnan(np.stack([np.asarray(r[measure], float) for r in self.results])).any(axis=0)


def _only(result: Values, measure: Measure, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> Values:
    kept = tuple(q for q, wanted in zip(result.queries, rows, strict=True) if wanted)
    return replace(result, queries=kept, measures=(measure,), columns={str(measure): result[measure][rows]})


def subject_of(result: Any) -> Subject:
    """The subject that a result, a comparison, or several results make."""
    if isinstance(result, Values):
        numbers = tuple(m for m in result.measures if not m.definition.text)
        if not numbers:
            raise UsageError("measure", "a measure whose values are numbers", got=", ".join(map(str, result.measures)))
        return Subject(tuple(plain_names([result.names[1]])), (result,), numbers, None, result.warnings)
    if isinstance(result, Comparison):
        wanted = result.measures
        numbers = tuple(m for m in result.results[0].measures if str(m) in wanted)
        return Subject(result.names, result.results, numbers, result, result.warnings)
    several = (
        list(result.values()) if isinstance(result, Mapping) else result if isinstance(result, list | tuple) else []
    )
    if several and all(isinstance(one, Values) for one in several):
        if len(several) > 1:
            return subject_of(compare(result))
        alone = subject_of(several[0])
        return replace(alone, runs=tuple(map(str, result))) if isinstance(result, Mapping) else alone
    raise UsageError(
        "report", "what jd.evaluate or jd.compare gave, or several results", got=shown(result), value=result,
        hint="for example jd.report(jd.compare(qrels, runs), 'report.html')",
    )  # fmt: skip
