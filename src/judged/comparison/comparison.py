"""`Comparison`: differences between runs, and the queries on which they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from judged._types import Bools, Floats
from judged.comparison.difference import ComparisonSettings, Difference, best_first, tracked_differences, words_text
from judged.comparison.evaluated_runs import Incomparable, matrix
from judged.core.judged import Judged
from judged.errors import UsageError, Warned, shown
from judged.evaluation.values import ByMeasure, Values, find_measure, policy_notes
from judged.measures.registry import Measure, parse
from judged.stats.checks import check_choice
from judged.stats.differences import known_rows
from judged.stats.intervals import summarise
from judged.tables.result import ArrowTable, Tracked
from judged.tables.table import Detail, Table

if TYPE_CHECKING:
    from judged.comparison.tables import Change, ComparisonReport, TableName
    from judged.judging.next_documents import Strategy
    from judged.judging.todo import Todo
    from judged.plots.results import Plot


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ArrowTable, Tracked):
    """Differences over all queries (`rows`) and over slices (`parts`), with intervals, p-values, effect sizes and verdicts."""

    names: tuple[str, ...]
    results: tuple[Values, ...]
    rows: tuple[Difference, ...]
    settings: ComparisonSettings
    parts: tuple[Difference, ...] = ()
    baseline: str | None = None
    warnings: tuple[Warned, ...] = ()
    judged: tuple[Judged, ...] = ()
    slices: Mapping[str, Bools] = field(default_factory=dict)  # the queries of each
    incomparable: Mapping[str, Incomparable] = field(default_factory=dict)  # by name

    @property
    def measures(self) -> list[str]:
        """The measures, in the order of the call."""
        return list(self.by_measure)

    @property
    def compared(self) -> list[Measure]:
        """The measures as objects."""
        return [m for m in self.results[0].measures if str(m) in self.by_measure]

    @cached_property
    def by_measure(self) -> dict[str, list[Difference]]:
        """The rows of each measure."""
        rows = dict[str, list[Difference]]()
        for row in self.rows:
            rows.setdefault(row.measure, []).append(row)
        return ByMeasure(rows, self.results[0])

    @cached_property
    def by_pair(self) -> dict[tuple[str, str, str], Difference]:
        """The rows by measure, a and b."""
        return {(row.measure, row.a, row.b): row for row in self.rows}

    def of(self, measure: str, a: str, b: str) -> Difference:
        """The difference of two runs by a measure."""
        row = self.by_pair.get((self._name(measure), a, b))
        if row is not None:
            return row
        pairs = ", ".join(dict.fromkeys(f"{r.b} with {r.a}" for r in self.rows))
        problem = f"{b} was not compared with {a} by {shown(measure)}"
        raise UsageError("runs", problem, hint=f"choose one of {pairs}, by {', '.join(self.measures)}")

    def _name(self, measure: str) -> str:
        """The name of a measure in `measures`, which may be asked for by another; a name that was not computed stays."""
        first = self.results[0]
        try:
            return str(find_measure(measure, first.measures, first.profile))
        except UsageError:
            return measure

    def means(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean over the queries on which all runs have a value}}; counts are averaged too."""
        columns = {m: self.mean_of(m).tolist() for m in self.measures}
        return {
            name: ByMeasure({m: column[i] for m, column in columns.items()}, self.results[0])
            for i, name in enumerate(self.names)
        }

    def tracked(self) -> dict[str, float]:
        """The mean of each run, as `run/measure`, and each difference with its interval, as `b-a/measure`."""
        means = {f"{run}/{name}": mean for run, row in self.means().items() for name, mean in row.items()}
        return {**means, **tracked_differences(self.rows)}

    def mean_of(self, measure: str) -> Floats:
        """The mean of each run over the queries on which all runs have a value."""
        x = matrix(self.results, measure)
        known, weights = known_rows(x), self.results[0].weights
        if self.results[0].model is not None:
            return np.array([result.mean()[measure] for result in self.results])
        if weights is None:
            return np.asarray(x[known].mean(axis=0)) if known.any() else np.full(x.shape[1], np.nan)
        return np.array([summarise(np.where(known, column, np.nan), "mean", weights) for column in x.T])

    def order(self, measure: str) -> list[int]:
        """The runs by mean, best first; those without a mean, and then those that are not comparable, come last."""
        order = best_first(parse(measure), self.mean_of(measure).tolist())
        return sorted(order, key=lambda run: self.names[run] in self.incomparable)

    def matrix(self, measure: str) -> Floats:
        """Values of queries × runs."""
        return matrix(self.results, measure)

    def where(
        self,
        measure: str,
        a: str | None = None,
        b: str | None = None,
        *,
        n: int = 10,
        only: Literal["better", "worse"] | None = None,
    ) -> tuple[Change, ...]:
        """The n queries that changed most from a to b, largest change first, with the judged documents that moved.

        Args:
            measure: one of `measures`.
            a: name of a run. [default: that of the first pair]
            b: name of the other run. [default: that of the first pair]
            n: number of queries.
            only: changes in one direction. [default: both]
        """
        from judged.comparison.tables import largest_changes

        pairs = self.by_measure.get(self._name(measure), [])
        first = pairs[0] if pairs else self.of(measure, a or "", b or "")
        return largest_changes(self, measure, self._place(a or first.a), self._place(b or first.b), n, only)

    def next_to_judge(
        self,
        n: int = 50,
        measure: str | None = None,
        a: str | None = None,
        b: str | None = None,
        *,
        strategy: Strategy = "depth",
        depth: int | None = None,
    ) -> Todo:
        """Return the unjudged documents to judge next, and whether any of them can change the verdict.

        Args:
            n: number of documents.
            measure: one of `measures`. [default: the first]
            a: name of a run; without a and b, documents are chosen for all runs, and the verdict is that of the first pair.
            b: name of the other run.
            strategy: depth (best rank first), or bounds (documents first that can move the difference most).
            depth: ranks that are searched. [default: the cutoff of the measure, or 100]
        """
        from judged.comparison.next_to_judge import next_to_judge

        name = self._name(self.measures[0] if measure is None else measure)
        row = next((r for r in self.rows if r.measure == name and {r.a, r.b} >= {a or r.a, b or r.b}), None)
        row = row if row is not None else self.of(name, a or "", b or "")
        return next_to_judge(self, row, n, strategy=strategy, depth=depth, every=a is None and b is None)

    def _place(self, name: str) -> int:
        if name not in self.names:
            hint = f"choose one of {', '.join(self.names)}"
            raise UsageError("runs", f"no run is called {shown(name)}", hint=hint, value=name)
        return self.names.index(name)

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def verdicts(self) -> list[str]:
        """One sentence per pair and measure."""
        return [row.words for row in self.rows]

    def notes_on_first(self, *, signs: bool) -> list[str]:
        """Notes on a table of runs that shows the differences to the first: the intervals, and the signs of verdicts."""
        from judged.comparison.tables import key_of_signs

        name = self.settings.interval_name()
        shown = [f"in brackets: {name} of the difference to {self.names[0]}", key_of_signs(self)] if signs else []
        told = [words_text(why.words, self.names) for why in self.incomparable.values()]
        return [*told, *shown, str(self.settings), *self.settings.remarks]

    def headline(self) -> list[str]:
        """One sentence of at most twelve words per measure: the verdict."""
        return self.report().headline()

    def details(self) -> list[Detail]:
        """Size, certainty and place of the difference: the lines below the verdict on the first measure."""
        return self.report().details()

    def tables(self, *, places: int = 4) -> list[Table]:
        """Means of runs by measures, the pairs, and the slices if there are any."""
        return self.report().tables(places=places)

    def records(self) -> list[dict[str, Any]]:
        """One mapping per pair and measure; slices follow."""
        return [row.to_dict() for row in (*self.rows, *self.parts)]

    def to_data(self) -> dict[str, Any]:
        """Runs, settings, means, differences and warnings."""
        return {
            "judged-comparison": 1,
            "runs": self.names,
            "baseline": self.baseline,
            "queries": len(self.results[0]),
            "policy": policy_notes(self.results[0].policy, self.compared)[0].removeprefix("policy: "),
            "settings": asdict(self.settings),
            "incomparable": {name: words_text(why.words, self.names) for name, why in self.incomparable.items()},
            "means": self.means(),
            "rows": self.records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_latex(self, *, places: int = 4, table: TableName | None = None) -> str:
        """LaTeX tables in booktabs style: all, or only `systems`, `pairs` or `slices`."""
        return self.report(table=table).render("latex", places=places)

    def report(self, *, table: TableName | None = None, where: int = 0) -> ComparisonReport:
        """The comparison with the queries that changed most, or only one table of it.

        Args:
            table: only this table: `systems`, `pairs`, `slices` or `where`.
            where: add this number of queries that changed most, for each pair and measure.
        """
        from judged.comparison.tables import ComparisonReport, TableName

        if table is not None:
            check_choice(table, TableName, "table")
        return ComparisonReport(self, table, where)

    def plot(
        self,
        kind: Plot = "means",
        measure: str | None = None,
        a: str | None = None,
        b: str | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw `means`, `differences` or `queries` on matplotlib axes. [default: new ones]

        See `judged.plots.results.draw_comparison`.
        """
        from judged.plots.results import draw_comparison

        return draw_comparison(self, kind, None if measure is None else self._name(measure), a, b, ax)
