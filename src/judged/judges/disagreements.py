"""The documents that judges disagree on, most first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import UsageError, shown
from judged.io.tables.columns import is_usual
from judged.judges.panel import Panel
from judged.stats.agreement.ratings import Ratings
from judged.tables.records import RecordTable, distinct_columns

__all__ = ["adjudicable", "disagreed"]


def disagreed(panel: Panel, n: int | None, per_query: int | None) -> RecordTable:
    """At most n of them, and at most so many of one query; grades as they were given, also where a level made them binary."""
    _check_count(n, "n")
    _check_count(per_query, "per_query")
    ratings, units = panel.given or panel.ratings, panel.units
    spread = _spread(ratings, panel.levels)
    rows = np.flatnonzero(_spread(panel.ratings) > 0)
    count = len(rows)
    rows = rows[np.argsort(-spread[rows], kind="stable")]
    if per_query is not None and units is not None:
        rows = rows[_place_within(units.query[rows]) < per_query]
    rows = rows[:n]
    labels = (*ratings.categories, None)
    where: dict[str, tuple[Any, ...]] = {"row": tuple(rows.tolist())}
    if units is not None:
        where = {"query": tuple(units.queries[i] for i in units.query[rows]), "doc": tuple(units.docs(rows))}
    judges = distinct_columns(panel.names, {*where, "difference"}.__contains__)
    given = {name: tuple(labels[c] for c in row[rows]) for name, row in zip(judges, ratings.codes, strict=True)}
    columns = {**where, **given, "difference": tuple(_tidy(x) for x in spread[rows].tolist())}
    whole = "the only disagreement" if count == 1 else f"all {count} disagreements"
    title = f"{len(rows)} of {count} disagreements" if len(rows) < count else whole
    return RecordTable(columns, words=("query", "doc"), title=title)


def adjudicable(panel: Panel) -> RecordTable:
    """All disagreements, with an empty column `relevance` to be filled: judgments that `read_qrels` reads once they are.

    Judges whose names the reader would take for ids or grades are called otherwise, so that it finds the right columns.
    """
    if panel.units is None:
        raise UsageError("judges", "judgments with queries and documents", got="columns of labels")
    found = disagreed(panel, None, None)
    query, doc, *given, difference = found.columns.values()
    judges = distinct_columns(panel.names, lambda name: name == "difference" or is_usual(name))
    columns = {"query_id": query, "doc_id": doc, **dict(zip(judges, given, strict=True)), "difference": difference}
    return RecordTable({**columns, "relevance": (None,) * len(found)}, words=("query_id", "doc_id"), title=found.title)


def _check_count(n: object, name: str) -> None:
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0):
        raise UsageError("parameter", f"{name} to be a whole number from 0, or None", got=shown(n), value=n)


def _spread(ratings: Ratings, levels: Sequence[float] | None = None) -> NDArray[np.float64]:
    """Of each unit, its highest label less its lowest (of grades with levels: of how far they are from their judge's level);
    of labels that are text, how many others there are besides one.
    """
    codes = ratings.codes
    missing, size = codes < 0, len(ratings.categories)
    if ratings.numbers is not None:
        value = np.append(ratings.numbers, np.nan)[codes] - (0.0 if levels is None else np.array(levels)[:, None])
        high, low = np.where(missing, -np.inf, value).max(axis=0), np.where(missing, np.inf, value).min(axis=0)
        return np.where(missing.all(axis=0), 0.0, high - low)
    used = np.zeros((size + 1, codes.shape[1]), bool)
    for row in codes:
        used[row, np.arange(codes.shape[1])] = True
    return np.maximum(used[:size].sum(axis=0) - 1.0, 0.0)


def _place_within(group: Ints) -> Ints:
    """Of each row, how many of its group stand before it."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    return place


def _tidy(x: float) -> float | int:
    return int(x) if x == int(x) else x
