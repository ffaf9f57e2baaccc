"""`Evaluations`: the values of several runs in one result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judged.errors import Warned
from judged.evaluation.result.tables import SUMMARIES, WEIGHTED, policy_notes, range_text, value_text
from judged.evaluation.result.values import Values
from judged.io.run_names import short_names
from judged.measures.registry import Measure
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted

_WITH_INTERVALS = 5  # more measures than this leave no room for intervals beside the means
_PER_QUERY = ("values", "queries", "weights", "if_irrelevant", "if_top")
_SUMMARY = ("summary", "intervals", "bounds")


@dataclass(frozen=True, slots=True, repr=False)
class Evaluations(Result):
    """Values of one or several runs.

    Args:
        results: one per run, with the same measures.
        per_query: include the value of each query.
        summary: include the summaries over queries.
    """

    results: tuple[Values, ...]
    per_query: bool = False
    summary: bool = True

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.results)

    def __getitem__(self, run: int) -> Values:
        return self.results[run]

    @property
    def labels(self) -> list[str]:
        """Names of the runs, with as many folders as needed to distinguish them."""
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
        first = self.results[0]
        measures = first.numeric_measures
        room = len(measures) <= _WITH_INTERVALS
        differ = len({result.queries for result in self.results}) > 1
        rows = []
        for result, label in zip(self.results, self.labels, strict=True):
            means, intervals = result.mean(), result.intervals() if room else {}
            cells = [_cell(result, m, means[str(m)], intervals.get(str(m)), places) for m in measures]
            rows.append(
                (label, *cells, f"{result.coverage.get('judged@10', 1):.0%}", *([str(len(result))] if differ else []))
            )
        notes = [] if differ else [counted(len(first), "query")]
        if first.if_top is not None:
            notes.append("in brackets: if all unjudged documents were irrelevant – of the top grade")
        elif room and first.weights is None:
            notes.append("in brackets: 95% bootstrap interval of the mean over queries")
        elif not room:
            notes.append(f"more than {_WITH_INTERVALS} measures: intervals are in the JSON and CSV output")
        notes += [WEIGHTED] if first.weights is not None else []
        kinds = {kind: [str(m) for m in measures if m.definition.summary == kind] for kind in ("sum", "geometric")}
        notes += [f"{SUMMARIES[kind]} over queries: {', '.join(names)}" for kind, names in kinds.items() if names]
        notes += [*policy_notes(first.policy, measures), *(f"warning: {warning}" for warning in self.warnings)]
        if differ:
            notes.append(
                "warning: the runs have different queries, so their means are not comparable; `compare` uses the common ones"
            )
        optional = (len(measures) + 1, *range(len(measures), 1, -1))
        headers = ("run", *map(str, measures), "judged@10", *(["queries"] if differ else []))
        return Table(headers, tuple(rows), notes=tuple(notes), optional=optional)

    def _query_table(self, places: int) -> Table:
        """One row per query; the columns of several runs are side by side under their names."""
        queries = self.results[0].queries
        headers, columns = [], []
        for result, label in zip(self.results, self.labels, strict=True):
            for m in result.measures:
                headers.append(f"{label} {m}" if len(self) > 1 else str(m))
                known = dict(zip(result.queries, result[m].tolist(), strict=True))
                columns.append([value_text(m, known.get(query), places) for query in queries])
        notes = () if self.summary else tuple(f"warning: {warning}" for warning in self.warnings)
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
        from judged.evaluation.result.saved import with_checksum

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


def _cell(result: Values, m: Measure, mean: float, interval: tuple[float, float] | None, places: int) -> str:
    """A summary, in brackets its bounds if they were computed, otherwise its interval."""
    text = value_text(m, mean, places)
    bounds = result.bounds(m)
    if bounds is not None:
        return f"{text} [{range_text(m, bounds, places)}]"
    return text + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")
