"""Several results in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judged.engine import Table, Values

__all__ = ["board", "labels", "number", "per_query"]

_WITH_INTERVALS = 4  # more measures than this leave no room for intervals beside the means


def number(value: Any, places: int, *, whole: bool = False) -> str:
    """A value as text: counts without decimals, missing values as a dash."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    return f"{value:.0f}" if whole else f"{value:.{places}f}"


def labels(results: Sequence[Values]) -> list[str]:
    """The runs' names without folders; with as many as it takes to tell them apart."""
    parts = [result.names[1].strip("/").split("/") for result in results]
    for depth in range(1, max(map(len, parts)) + 1):
        short = ["/".join(part[-depth:]) for part in parts]
        if len(set(short)) == len(short):
            return short
    return [f"{name} ({i})" for i, name in enumerate(short, 1)]


def board(results: Sequence[Values], *, places: int = 4) -> Table:
    """One run: a row a measure. Several: a row a run, a column a measure."""
    if len(results) == 1:
        return results[0].table(places=places)
    measures = [m for m in results[0].measures if not m.definition.text]
    rows = []
    for result, label in zip(results, labels(results), strict=True):
        means, cells = result.mean(), []
        for m in measures:
            text = number(means[str(m)], places, whole=m.definition.whole)
            between = result.interval(m) if len(measures) <= _WITH_INTERVALS else None
            cells.append(text + (f" [{between[0]:.3f}, {between[1]:.3f}]" if between else ""))
        rows.append((label, *cells))
    notes = [f"{len(results[0])} queries", f"policy: {results[0].policy}"]
    notes += [f"warning: {w}" for r in results for w in r.warnings]
    if len(measures) <= _WITH_INTERVALS:
        notes.insert(1, "in brackets: 95% bootstrap interval of the mean over queries")
    return Table(("run", *map(str, measures)), tuple(rows), notes=tuple(dict.fromkeys(notes)))


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
