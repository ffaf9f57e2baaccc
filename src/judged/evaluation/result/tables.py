"""Several results in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judged.evaluation.result.values import Values
from judged.io.run_names import short_names
from judged.measures.registry import Measure
from judged.tables.table import Table

__all__ = ["board", "labels", "number", "per_query"]

_WITH_INTERVALS = 5  # more measures than this leave no room for intervals beside the means


def number(value: Any, places: int, *, whole: bool = False) -> str:
    """A value as text: counts without decimals, missing values as a dash."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    return f"{value:.0f}" if whole else f"{value:.{places}f}"


def labels(results: Sequence[Values]) -> list[str]:
    """The runs' names without folders; with as many as it takes to tell them apart."""
    return short_names([result.names[1] for result in results])


def board(results: Sequence[Values], *, places: int = 4) -> Table:
    """One run: a row a measure. Several: a row a run, a column a measure."""
    if len(results) == 1:
        return results[0].table(places=places)
    measures = [m for m in results[0].measures if not m.definition.text]
    room = len(measures) <= _WITH_INTERVALS
    rows = []
    for result, label in zip(results, labels(results), strict=True):
        means, intervals = result.mean(), result.intervals() if room else {}
        cells = [_beside(result, m, means[str(m)], intervals.get(str(m)), places) for m in measures]
        rows.append((label, *cells, f"{result.coverage.get('judged@10', 1):.0%}"))
    first = results[0]
    notes = [f"{len(first)} {'query' if len(first) == 1 else 'queries'}", f"policy: {first.policy}"]
    if first.if_top is not None:
        notes.insert(1, "in brackets: if all unjudged documents were irrelevant – of the top grade")
    elif room:
        notes.insert(1, "in brackets: 95% bootstrap interval of the mean over queries")
    else:
        notes.insert(1, f"more than {_WITH_INTERVALS} measures: intervals in --format json or csv")
    notes += [f"warning: {w}" for r in results for w in r.warnings]
    return Table(("run", *map(str, measures), "judged@10"), tuple(rows), notes=tuple(dict.fromkeys(notes)))


def _beside(result: Values, m: Measure, mean: float, between: tuple[float, float] | None, places: int) -> str:
    """A mean with what stands in brackets beside it: bounds if they were asked for, else the interval."""
    text = number(mean, places, whole=m.definition.whole)
    bounds = result.bounds(m)
    if bounds is not None:
        return f"{text} [{number(bounds[0], places, whole=m.definition.whole)} – {number(bounds[1], places, whole=m.definition.whole)}]"
    return text + (f" [{between[0]:.3f}, {between[1]:.3f}]" if between else "")


def per_query(results: Sequence[Values], *, places: int = 4) -> Table:
    """A row a query; the columns of several runs stand side by side under their names."""
    several = len(results) > 1
    headers, columns = [], []
    for result, label in zip(results, labels(results), strict=True):
        for m in result.measures:
            headers.append(f"{label} {m}" if several else str(m))
            known = dict(zip(result.queries, result[m].tolist(), strict=True))
            columns.append([number(known.get(q), places, whole=m.definition.whole) for q in results[0].queries])
    rows = tuple(zip(map(str, results[0].queries), *columns, strict=True))
    return Table(("query", *headers), rows)
