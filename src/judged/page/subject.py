"""The content of a page: one result, or several compared results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from judged.comparison.compare import compare
from judged.comparison.comparison import Comparison
from judged.comparison.evaluated_runs import matrix
from judged.core.judged import Judged
from judged.errors import UsageError, Warned, shown
from judged.evaluation.evaluate import evaluate
from judged.evaluation.inputs import are_questions
from judged.evaluation.values import Values
from judged.io.recognise import recognise
from judged.io.run_names import short_names
from judged.measures.registry import Measure
from judged.stats.checks import no_weights
from judged.stats.differences import known_rows


@dataclass(frozen=True, eq=False)
class Subject:
    """Runs and their results over the same queries, with the comparison if there are several runs."""

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
        """The judged rankings under the names of the page; empty if unavailable or if the judgments differ between runs."""
        if self.comparison is not None:
            judged = self.comparison.judged
        else:
            judged = () if self.first.source is None else (self.first.source.judged,)
        return tuple(replace(j, names=(j.names[0], name)) for j, name in zip(judged, self.runs, strict=bool(judged)))

    @cached_property
    def means(self) -> list[list[float]]:
        """The means as printed in the terminal, [measure][run]."""
        if self.comparison is None:
            means = self.first.mean()
            return [[means[str(m)]] for m in self.measures]
        return [self.comparison.mean_of(str(m)).tolist() for m in self.measures]

    @cached_property
    def intervals(self) -> list[list[tuple[float, float] | None]]:
        """Intervals of the means over the queries with a value in every run, [measure][run]."""
        whole = [result.intervals(self.measures) for result in self.results]
        table = [[ends.get(str(m)) for ends in whole] for m in self.measures]
        for ends, m in zip(table, self.measures, strict=True):
            rows = known_rows(matrix(self.results, str(m)))
            if self.first.model is None and not rows.all():
                queries = tuple(q for q, keep in zip(self.first.queries, rows, strict=True) if keep)
                for i, r in enumerate(self.results):
                    clusters = None if r.clusters is None else r.clusters[rows]
                    columns = {str(m): r[m][rows]}
                    known = replace(r, queries=queries, measures=(m,), columns=columns, clusters=clusters)
                    ends[i] = known.interval(m)
        return table

    def kind(self, measure: Measure) -> str:
        """Return the word for the summary of a measure over queries; a comparison has means only."""
        kinds = {"sum": "total", "geometric": "geometric mean"}
        return "mean" if self.comparison else kinds.get(measure.definition.summary, "mean")

    @property
    def level(self) -> float:
        """The lowest relevant grade of the first measure that has one."""
        return float(next((m.get("level") for m in self.measures if m.definition.binary), 1))


def subject_of(result: Any) -> Subject:
    """Return the subject for a result, a comparison, or several results."""
    first = result.results[0] if isinstance(result, Comparison) else result
    if isinstance(first, Values) and first.weights is not None:
        raise no_weights("a report")
    if isinstance(result, Values):
        numbers = tuple(m for m in result.measures if not m.definition.text)
        if not numbers:
            names = ", ".join(map(str, result.measures))
            raise UsageError("measure", f"no measure with numeric values: {names}")
        return Subject(tuple(short_names([result.names[1]])), (result,), numbers, None, result.warnings)
    if isinstance(result, Comparison):
        numbers = tuple(m for m in result.results[0].measures if str(m) in result.measures)
        return Subject(result.names, result.results, numbers, result, result.warnings)
    several = (
        list(result.values()) if isinstance(result, Mapping) else result if isinstance(result, list | tuple) else []
    )
    if several and all(isinstance(one, Values) for one in several):
        if len(several) > 1:
            return subject_of(compare(result))
        alone = subject_of(several[0])
        return replace(alone, runs=tuple(map(str, result))) if isinstance(result, Mapping) else alone
    if are_questions(result, {}):
        several = [] if recognise(result).kind == "questions" else several
        return subject_of(compare(result) if len(several) > 1 else evaluate(*(several or [result])))
    raise UsageError(
        "option",
        "a result of jd.evaluate or jd.compare, or several results of jd.evaluate",
        got=shown(result),
        value=result,
        hint="for example, call jd.report(jd.compare(qrels, runs), 'report.html')",
    )
