"""Several results in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judged.engine import Table, Values

__all__ = ["board", "number", "per_query"]

_WITH_INTERVALS = 4  # more measures than this leave no room for intervals beside the means


def number(value: Any, places: int, *, whole: bool = False) -> str:
    """A value as text: counts without decimals, missing values as a dash."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    return f"{value:.0f}" if whole else f"{value:.{places}f}"


def board(results: Sequence[Values], *, places: int = 4) -> Table:
    """One run: a row a measure. Several: a row a run, a column a measure."""
    if len(results) == 1:
        return results[0].table(places=places)
    measures = [m for m in results[0].measures if not m.definition.text]
    rows = []
    for result in results:
        means, cells = result.mean(), []
        for m in measures:
            text = number(means[str(m)], places, whole=m.definition.whole)
            between = result.interval(m) if len(measures) <= _WITH_INTERVALS else None
            cells.append(text + (f" [{between[0]:.3f}, {between[1]:.3f}]" if between else ""))
        rows.append((result.names[1], *cells))
    notes = [f"{len(results[0])} queries of {results[0].names[0]}", f"policy: {results[0].policy}"]
    notes += [f"warning: {r.names[1]}: {w}" for r in results for w in r.warnings]
    if len(measures) <= _WITH_INTERVALS:
        notes.insert(1, "in brackets: 95% bootstrap interval of the mean over queries")
    return Table(("run", *map(str, measures)), tuple(rows), notes=tuple(dict.fromkeys(notes)))


def per_query(results: Sequence[Values], *, places: int = 4) -> Table:
    """A row a query; the columns of several runs stand side by side under their names."""
    several = len(results) > 1
    headers, columns = [], []
    for result in results:
        for m in result.measures:
            headers.append(f"{result.names[1]} {m}" if several else str(m))
            known = dict(zip(result.queries, result[m].tolist(), strict=True))
            columns.append([number(known.get(q), places, whole=m.definition.whole) for q in results[0].queries])
    rows = tuple(zip(map(str, results[0].queries), *columns, strict=True))
    return Table(("query", *headers), rows)
