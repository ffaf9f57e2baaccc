"""The judgments of several judges side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.policy import Policy, Rejudged
from judged.core.pool import pool_of
from judged.core.reference import check_same_kinds
from judged.core.tables import Id, IdColumn, IdKind, Qrels, decoded
from judged.errors import Hint, UsageError, Warned, shown
from judged.io.columns import ColumnRequest
from judged.io.open_table import read_requested_qrels
from judged.io.run_names import short_names
from judged.judging.judge_columns import read_judges
from judged.stats.ratings import Ratings

Level = float | Mapping[str | None, float]  # for all judges, or by judge, with None for all others

_ONE_ALONE = Hint(
    "name another judge, or set {judges} or {judge_col} for one table with all judges", judges=None, judge_col=None
)
_NUMBER = re.compile("0|-?[1-9][0-9]*")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The (query, document) pairs that at least one judge judged, by query and document."""

    queries: tuple[Id, ...]
    query: Ints
    doc: IdColumn
    kinds: tuple[IdKind, IdKind] = ("text", "text")

    def __len__(self) -> int:
        return len(self.query)

    def docs(self, rows: Ints) -> list[Id]:
        """Return document ids in their original type."""
        return decoded(self.doc.take(rows), self.kinds[1])


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Labels of all judges; `units` and `qrels` are set unless the labels came as plain columns."""

    ratings: Ratings
    units: Units | None = None
    qrels: tuple[Qrels, ...] = ()
    warnings: tuple[Warned, ...] = ()
    original: Ratings | None = None  # with levels: the grades before they became binary
    levels: tuple[float, ...] | None = None  # one per judge

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.ratings.names

    @property
    def grades(self) -> Floats:
        """Numeric labels as judges × units; NaN for a missing judgment."""
        numbers = self.ratings.numbers
        if numbers is None:
            raise UsageError("label", "labels must be numbers, and these are text")
        return np.append(numbers, np.nan)[self.ratings.codes]


def read_panel(
    sources: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    level: Level | None = None,
    rejudged: Rejudged,
    judges: Sequence[str] | None = None,
    judge_col: str | None = None,
    columns: ColumnRequest,
) -> Panel:
    """Read the judgments of several judges and align them; see `agree` for the arguments."""
    request = columns.request("qrels")
    if judges is not None or judge_col is not None:
        if len(sources) != 1:
            problem = f"columns of judges are selected in one table, got {len(sources)}"
            raise UsageError("judges", problem, hint="pass one table with the judgments of all judges")
        by_name = read_judges(sources[0], judges, judge_col, request)
    elif len(sources) == 1 and isinstance(sources[0], Mapping) and not _is_one_judge(sources[0]):
        by_name = sources[0]
    else:
        by_name = None
    judgments = list(sources if by_name is None else by_name.values())
    if by_name is not None and names is None:
        names = [str(name) for name in by_name]
    if len(judgments) < 2:
        raise UsageError("judges", f"agreement needs two or more judges, got {len(judgments)}", hint=_ONE_ALONE)
    columns_of_labels = [_is_column(one) for one in judgments]
    if all(columns_of_labels):
        names = names or tuple(f"judge {i}" for i in range(1, len(judgments) + 1))
        return _apply_level(Panel(Ratings.of(*judgments, names=names)), level)
    if any(columns_of_labels):
        number = columns_of_labels.index(True) + 1
        problem = f"judge {number} is a column of labels and another one has queries and documents"
        raise UsageError("judges", problem)
    qrels = [read_requested_qrels(one, request) for one in judgments]
    return _apply_level(_align(qrels, names, Policy(rejudged=rejudged)), level)


def _align(qrels: Sequence[Qrels], names: Sequence[str] | None, policy: Policy) -> Panel:
    """Align the judgments of all judges by query and document."""
    _check_kinds(qrels)
    names = tuple(names) if names is not None else _labels(qrels)
    pools = [pool_of(one, policy) for one in qrels]
    queries = _sort_queries({query for pool in pools for query in pool.queries})
    place = {query: i for i, query in enumerate(queries)}
    query = np.concatenate([np.array([place[q] for q in p.queries], np.int64)[p.query] for p in pools])
    judge = np.repeat(np.arange(len(pools)), [len(p.query) for p in pools])
    doc, grade = IdColumn.concatenate([p.doc for p in pools]), np.concatenate([p.grade for p in pools])
    order = doc.order(query)
    query, doc, judge = query[order], doc.take(order), judge[order]
    rows = np.arange(len(order))
    first = np.append(True, (query[1:] != query[:-1]) | ~doc.same(rows[1:], doc, rows[:-1]))
    unit = np.cumsum(first) - 1
    table = np.full((len(pools), int(first.sum())), np.nan)
    table[judge, unit] = grade[order]
    text = "{} has subtopics; the highest grade of each document is used"
    several = [Warned("form", 1, text.format(q.label)) for q in qrels if q.aspect is not None]
    warnings = dict.fromkeys(
        [*(w for one in qrels for w in one.warnings), *(w for pool in pools for w in pool.warnings), *several]
    )
    units = Units(queries, query[first], doc.take(first), (qrels[0].query_kind, qrels[0].doc_kind))
    return Panel(Ratings.of(*table, names=names), units, tuple(qrels), tuple(warnings))


def _apply_level(panel: Panel, level: Level | None) -> Panel:
    """Make grades binary by the level of each judge; without levels, warn about different scales."""
    if level is None:
        return replace(panel, warnings=(*panel.warnings, *_scale_warnings(panel.ratings)))
    levels = _levels(level, panel.names)
    grades = panel.grades
    binary = np.where(np.isnan(grades), np.nan, grades >= np.array(levels)[:, None])
    ratings = Ratings.of(*binary, names=panel.names, categories=(0, 1))
    return replace(panel, ratings=ratings, original=panel.ratings, levels=levels)


def _levels(level: Level, names: Sequence[str]) -> tuple[float, ...]:
    """Return the level of each judge."""
    by_name: Mapping[str | None, float] = level if isinstance(level, Mapping) else {None: level}
    levels = [by_name.get(name, by_name.get(None)) for name in names]
    good = all(isinstance(one, int | float) and isfinite(one) for one in (*levels, *by_name.values()))
    if not good or not by_name.keys() <= {None, *names}:
        problem = f"level must be a number, or one for each judge, got {shown(level)}"
        raise UsageError("parameter", problem, hint=f"the judges are {', '.join(names)}", value=level)
    return tuple(float(one) for one in levels if one is not None)


def _scale_warnings(ratings: Ratings) -> list[Warned]:
    """Warn if the highest grades differ: one judge may use 0 to 1, another 0 to 3."""
    highest = ratings.codes.max(axis=1).tolist()
    if ratings.numbers is None or len({*highest} - {-1}) < 2:
        return []
    named = (f"{name} {ratings.categories[i]}" for name, i in zip(ratings.names, highest, strict=True) if i >= 0)
    hint = Hint("if the scales differ, set a level for each judge with {level}", level=None)
    return [Warned("scale", len(highest), f"the highest grades of the judges differ: {', '.join(named)}", hint)]


# ── inputs ───────────────────────────────────────────────────────────────────────────────────────


def _is_one_judge(source: Mapping[Any, Any]) -> bool:
    """Return whether this is {query: {doc: grade}} rather than {name: judgments}."""
    return all(
        isinstance(docs, Mapping)
        and docs
        and all(isinstance(x, str) or not hasattr(x, "__len__") for x in docs.values())
        for docs in source.values()
    )


def _is_column(source: Any) -> bool:
    """Return whether this is a column of labels rather than judgments."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1 and source.dtype.names is None
    if isinstance(source, list | tuple):
        return bool(source) and not any(isinstance(item, list | tuple | Mapping | np.ndarray) for item in source)
    return hasattr(source, "to_numpy") and not hasattr(source, "columns") and not hasattr(source, "column_names")


# ── alignment ────────────────────────────────────────────────────────────────────────────────────


def _check_kinds(qrels: Sequence[Qrels]) -> None:
    """Raise an error unless all judgments are of documents, with ids of one type."""
    first = qrels[0]
    for one in qrels:
        if one.choice is not None or (one.passages is not None and one.passages.spans):
            problem = "judgments of spans or alternative sets cannot be compared; only those of documents can"
            raise UsageError("alternatives", problem, where=one.name)
        kinds, others = ((q.query_kind, q.doc_kind) for q in (first, one))
        check_same_kinds(kinds, others, one.name, sides=(first.label, one.label))


def _sort_queries(queries: set[Id]) -> tuple[Id, ...]:
    """Sort queries by id: as numbers if all are numbers, otherwise as text, for files and frames of integers alike.

    A seed gives the same resamples for the same order.
    """
    if all(_NUMBER.fullmatch(str(query)) for query in queries):
        return tuple(sorted(queries, key=lambda q: int(str(q))))
    return tuple(sorted(queries, key=lambda q: str(q).encode("utf-8", "surrogateescape")))


def _labels(qrels: Sequence[Qrels]) -> tuple[str, ...]:
    """Return file names without folders; judgments in memory, and a file that is used twice, are numbered."""
    names = [one.name for one in qrels]
    if set(names) == {"qrels"}:
        return tuple(f"judge {i}" for i in range(1, len(names) + 1))
    if len(set(names)) < len(names):
        return tuple(f"{one.label} ({i})" for i, one in enumerate(qrels, 1))
    return tuple(short_names(names, extensions=True))
