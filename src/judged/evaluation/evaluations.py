"""`Evaluations`: the values of several runs in one result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judged.errors import Warned, fold_warnings
from judged.evaluation.values import SUMMARIES, Values, policy_notes, range_text, value_text
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison


_WITH_INTERVALS = 5  # more measures than this leave no room for intervals beside the means
_PER_QUERY = ("values", "queries", "weights", "clusters", "model", "if_irrelevant", "if_top")
_SUMMARY = ("summary", "intervals", "bounds")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Evaluations(Result):
    """Values of one or several runs.

    Args:
        results: one per run, with the same measures.
        per_query: include the value of each query.
        summary: include the summaries over queries.
        compare: compares several results with the first, for the table of runs: `comparison.compare.compare_with_first`. Without
            it the table has means only: intervals of means side by side would be read for overlap, though runs share queries.
    """

    results: tuple[Values, ...]
    per_query: bool = False
    summary: bool = True
    compare: Callable[[Sequence[Values], Sequence[str]], Comparison | None] | None = None

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.results)

    def __getitem__(self, run: int) -> Values:
        return self.results[run]

    @property
    def labels(self) -> list[str]:
        """Names of the runs, with as many folders as needed to distinguish them."""
        from judged.io.run_names import short_names

        return short_names([result.names[1] for result in self.results])

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings of all runs, each once."""
        return tuple(dict.fromkeys(warning for result in self.results for warning in result.warnings))

    def tables(self, *, places: int = 4) -> list[Table]:
        """Values per query, then one row per measure, or per run if there are several."""
        tables = [self._query_table(places)] if self.per_query else []
        if self.summary:
            tables += self.results[0].tables(places=places) if len(self) == 1 else [self._run_table(places)]
        return tables

    def _run_table(self, places: int) -> Table:
        first, labels = self.results[0], self.labels
        measures, bounded = first.numeric_measures, first.if_top is not None
        found = None
        if self.compare is not None and not bounded and len(measures) <= _WITH_INTERVALS:
            found = self.compare(self.results, labels)
        alone = found is not None and len(measures) == 1  # the difference then has columns of its own
        differ = len({result.queries for result in self.results}) > 1
        rows = []
        for result, label in zip(self.results, labels, strict=True):
            means, cells, told = result.mean(), [], ["", "", ""] if alone else []
            for m in measures:
                text = value_text(m, means[str(m)], places)
                if (bounds := result.bounds(m)) is not None:
                    text += f" [{range_text(m, bounds, places)}]"
                elif found is not None and label != labels[0] and str(m) in found.measures:
                    difference = found.of(str(m), labels[0], label)
                    if alone:
                        told = list(difference.columns(places))
                    else:
                        text += f" {difference.columns(3)[1]} {difference.sign or ' '}"
                cells.append(text)
            share = f"{result.coverage.get('judged@10', 1):.0%}"
            rows.append((label, *cells, *told, share, *([str(len(result))] if differ else [])))
        told = [f"difference to {labels[0]}", found.settings.interval_name(), "verdict"] if found and alone else []
        headers = ("run", *map(str, measures), *told, "judged@10", *(["queries"] if differ else []))
        words = (0, headers.index("verdict")) if alone else (0,)
        notes = self._run_notes(found, alone=alone, differ=differ)
        return Table(headers, tuple(rows), notes=notes, words=words, optional=(headers.index("judged@10"),))

    def _run_notes(self, found: Comparison | None, *, alone: bool, differ: bool) -> tuple[str, ...]:
        first = self.results[0]
        measures = first.numeric_measures
        notes = [] if differ else [counted(len(first), "query")]
        if first.if_top is not None:
            notes.append("in brackets: if all unjudged documents were irrelevant – of the top grade")
        elif found is not None:
            notes += found.notes_on_first(signs=not alone)
        elif len(measures) > _WITH_INTERVALS:
            notes.append(f"more than {_WITH_INTERVALS} measures: intervals are in the JSON and CSV output")
        notes += first.about()
        for kind in ("sum", "geometric"):
            if names := [str(m) for m in measures if m.definition.summary == kind]:
                notes.append(f"{SUMMARIES[kind]} over queries: {', '.join(names)}")
        notes += [*policy_notes(first.policy, measures), *(f"warning: {w}" for w in fold_warnings(self.warnings))]
        if differ:
            notes.append(
                "warning: the runs have different queries, so their means are not comparable; `compare` uses the common ones"
            )
        return tuple(notes)

    def _query_table(self, places: int) -> Table:
        """One row per query; the columns of several runs are side by side under their names."""
        queries = self.results[0].queries
        headers, columns = [], []
        for result, label in zip(self.results, self.labels, strict=True):
            for m in result.measures:
                headers.append(f"{label} {m}" if len(self) > 1 else str(m))
                known = dict(zip(result.queries, result[m].tolist(), strict=True))
                columns.append([value_text(m, known.get(query), places) for query in queries])
        notes = () if self.summary else tuple(f"warning: {w}" for w in fold_warnings(self.warnings))
        return Table(("query", *headers), tuple(zip(map(str, queries), *columns, strict=True)), notes=notes)

    def records(self) -> list[dict[str, Any]]:
        """One row per run, measure and query; the query of a summary is `all`."""
        rows: list[dict[str, Any]] = []
        for result, label in zip(self.results, self.labels, strict=True):
            rows += result.query_records(label) if self.per_query else []
            rows += result.summary_records(label) if self.summary else []
        return rows

    def to_data(self) -> Any:
        """Everything about one run, or a list of several."""
        from judged.evaluation.saved_values import with_checksum

        dropped = (() if self.per_query else _PER_QUERY) + (() if self.summary else _SUMMARY)
        data = []
        for result in self.results:
            bounds = {str(m): result.bounds(m) for m in result.measures if result.bounds(m) is not None}
            everything = {**result.to_data(), "intervals": result.intervals(), "bounds": bounds}
            data.append(with_checksum({name: value for name, value in everything.items() if name not in dropped}))
        return data if len(data) > 1 else data[0]

    def to_trec(self, *, places: int = 4) -> str:
        """Lines as trec_eval prints them: measure, query, value."""
        pairs = zip(self.results, self.labels, strict=True)
        return "".join(
            r.to_trec(places=places, per_query=self.per_query, summary=self.summary, label=x) for r, x in pairs
        )
