"""Several judges side by side: whatever each one's judgments came in, units × judges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.find.pool import decoded, pool_of
from judged.core.ids import IdColumn
from judged.core.policy import Policy, Rejudged
from judged.core.tables import Id, IdKind, Qrels
from judged.errors import DataError, UsageError, Warned, shown
from judged.io.judges import read_judges
from judged.io.read import read_qrels
from judged.io.run_names import short_names
from judged.stats.agreement.ratings import Ratings

__all__ = ["Level", "Panel", "Units", "read_panel"]

Level = float | Mapping[str | None, float]  # one for all; or by judge, None for all others

_ONE_ALONE = (
    "give two files, two columns, or {name: judgments, …}; of one table with all judges, name the columns:"
    " judges=['human', 'gpt4'], or judge_column='annotator' where each row has one judge"
)
_NUMBER = re.compile("0|-?[1-9][0-9]*")
_KIND = {"text": "text", "integer": "whole numbers", "other": "objects"}


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The (query, document) pairs that anybody judged, by query and then by document."""

    queries: tuple[Id, ...]
    query: Ints
    doc: IdColumn
    kinds: tuple[IdKind, IdKind] = ("text", "text")

    def __len__(self) -> int:
        return len(self.query)

    def docs(self, rows: Ints) -> list[Id]:
        """The documents' ids as they were given: text, or whole numbers."""
        return decoded(self.doc.take(rows), self.kinds[1])


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Judges with what they gave to each unit; `units` and `qrels` where the judgments have queries and documents."""

    ratings: Ratings
    units: Units | None = None
    qrels: tuple[Qrels, ...] = ()
    warnings: tuple[Warned, ...] = ()
    given: Ratings | None = None  # with levels: the grades before they were made binary
    levels: tuple[float, ...] | None = None  # of each judge

    @property
    def names(self) -> tuple[str, ...]:
        return self.ratings.names

    @property
    def grades(self) -> Floats:
        """Judges × units, NaN where a judge gave nothing; of labels that are numbers."""
        numbers = self.ratings.numbers
        if numbers is None:
            raise UsageError("label", "labels that are numbers", got="labels that are text")
        return np.append(numbers, np.nan)[self.ratings.codes]


def read_panel(
    sources: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    level: Level | None = None,
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_column: str | None = None,
) -> Panel:
    """Read the judgments of several judges and align them: files, frames, mappings; or columns of labels of one length.

    One mapping of names to judgments, one frame with a column for each judge, or one table of which `judges` or
    `judge_column` names the columns does as well.
    """
    if judges is not None or judge_column is not None:
        if len(sources) != 1:
            option = "judges" if judge_column is None else "judge_column"
            raise UsageError("judges", f"one table, of which {option} names columns", got=f"{len(sources)} sources")
        by_name = read_judges(sources[0], judges, judge_column)
        given, names = list(by_name.values()), names if names is not None else list(by_name)
    else:
        given, names = _split_sources(sources, names)
    if len(given) < 2:
        raise UsageError("judges", "judgments of two judges or more", got=f"{len(given)}", hint=_ONE_ALONE)
    if names is not None and (isinstance(names, str) or len(names) != len(given) or len(set(names)) != len(given)):
        raise UsageError("names", f"{len(given)} different names", got=shown(names), value=names)
    columns = [_is_column(one) for one in given]
    if all(columns):
        names = names or tuple(f"judge {i}" for i in range(1, len(given) + 1))
        return _apply_level(Panel(Ratings.of(*given, names=names)), level)
    if any(columns):
        got = f"number {columns.index(True) + 1} as a column"
        raise UsageError("judges", "all judges as judgments, or all as columns of labels", got=got)
    return _apply_level(_align([read_qrels(one) for one in given], names, Policy(rejudged=rejudged)), level)


def _align(qrels: Sequence[Qrels], names: Sequence[str] | None, policy: Policy) -> Panel:
    """Put the judgments of a document by all judges into one row."""
    _check_forms(qrels)
    names = tuple(names) if names is not None else _labels(qrels)
    pools = [pool_of(one, policy) for one in qrels]
    kinds = (qrels[0].query_kind, qrels[0].doc_kind)
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
    repeats = [w for pool in pools for w in pool.warnings]
    text = "{} judges subtopics; a document's highest grade over them counts"
    several = [Warned("subtopics", 1, text.format(q.label)) for q in qrels if q.aspect is not None]
    units = Units(queries, query[first], doc.take(first), kinds)
    warnings = tuple(dict.fromkeys([*(w for one in qrels for w in one.warnings), *repeats, *several]))
    return Panel(Ratings.of(*table, names=names), units, tuple(qrels), warnings)


def _apply_level(found: Panel, level: Level | None) -> Panel:
    """Make grades 1 from the judge's level up, else 0; warn of different scales and of judges left with one label."""
    if level is None:
        return replace(found, warnings=(*found.warnings, *_scales(found.ratings)))
    levels = _levels(level, found.names)
    grades = found.grades
    binary = np.where(np.isnan(grades), np.nan, grades >= np.array(levels)[:, None])
    ratings = Ratings.of(*binary, names=found.names, categories=(0, 1))
    constant = map(_one_label, found.names, ratings.codes, levels)
    warnings = (*found.warnings, *(w for warned in constant for w in warned))
    return replace(found, ratings=ratings, given=found.ratings, levels=levels, warnings=warnings)


def _levels(level: Level, names: Sequence[str]) -> tuple[float, ...]:
    """Return the lowest grade of each judge that counts as 1."""
    by_name: Mapping[str | None, float] = level if isinstance(level, Mapping) else {None: level}
    for one in by_name.values():
        if not isinstance(one, int | float) or not isfinite(one):
            raise UsageError("parameter", "level to be a number", got=shown(one), value=one)
    unknown = [name for name in by_name if name is not None and name not in names]
    if unknown:
        got = f"one of {shown(unknown[0])}"
        raise UsageError("parameter", f"levels of {', '.join(names)}", got=got, value=unknown[0])
    without = [name for name in names if name not in by_name and None not in by_name]
    if without:
        raise UsageError("parameter", "a level for every judge", got=f"none for {shown(without[0])}", value=without[0],
                         hint="name his too, or give a number for all others beside the names")  # fmt: skip
    return tuple(float(by_name[name] if name in by_name else by_name[None]) for name in names)


def _one_label(name: str, codes: Ints, level: float) -> list[Warned]:
    """A warning where a level leaves a judge with one label: nothing can then be said of how far others agree with him."""
    used = np.unique(codes[codes >= 0])
    if len(used) != 1:
        return []
    what = "no grade" if used[0] == 0 else "only grades"
    text = f"{name} has {what} from {level:g} up: all its labels are {used[0]}. Is its scale another? It can have its own level"
    return [Warned("one-label", int((codes >= 0).sum()), text)]


def _scales(ratings: Ratings) -> list[Warned]:
    """A warning where the highest grades differ: one judge may use 0 and 1, another 0 to 3."""
    if ratings.numbers is None:
        return []
    used = [[ratings.categories[i] for i in np.unique(row[row >= 0])] for row in ratings.codes]
    highest = {grades[-1] for grades in used if grades}
    if len(highest) < 2:
        return []
    lists = "; ".join(
        f"{name} {', '.join(f'{g:g}' for g in grades[:8]) or 'none'}{' …' if len(grades) > 8 else ''}"
        for name, grades in zip(ratings.names, used, strict=True)
    )
    text = f"the judges' highest grades differ: {lists}. Is it the same scale? If not, a level for each judge makes grades binary"
    return [Warned("scale", len(highest), text)]


# ── the forms that judges come in ────────────────────────────────────────────────────────────────


def _split_sources(judges: Sequence[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """Judges one by one, and their names where the form has some."""
    if len(judges) != 1:
        return list(judges), names
    (only,) = judges
    if isinstance(only, Mapping):
        if only and all(
            isinstance(docs, Mapping) and docs and all(map(_is_grade, docs.values())) for docs in only.values()
        ):
            return [only], None  # {query: {doc: grade}}: one judge
        return list(only.values()), names if names is not None else [str(name) for name in only]
    columns = getattr(only, "column_names", getattr(only, "columns", None))
    return ([only], names) if columns is None else _split_frame(only, list(columns), names)


def _is_grade(value: Any) -> bool:
    return isinstance(value, str) or not hasattr(value, "__len__")


def _split_frame(frame: Any, columns: list[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """One frame with a column for each judge: with ids beside them if they can be found, else in rows as they stand."""
    missing = [name for name in names or () if name not in columns]
    if missing:
        raise DataError("columns", "columns of that name", got=shown(missing[0]), hint=f"there are {shown(columns)}")
    if names is None and len(columns) > 2 and _has_ids(frame, columns[-1]):
        raise UsageError("names", "the names of the judges' columns", got="a frame with queries and documents",
                         hint="for example names=['a', 'b']")  # fmt: skip
    if names is None or not _has_ids(frame, names[0]):
        chosen = columns if names is None else names
        return [frame[name] for name in chosen], [str(name) for name in chosen]
    return [read_qrels(_rows_with(frame, name), grade_col=name) for name in names], list(names)


def _has_ids(frame: Any, column: str) -> bool:
    try:
        read_qrels(_rows_with(frame, column)[:1], grade_col=column)
    except DataError as error:
        return error.slug != "columns"
    return True


def _rows_with(frame: Any, column: str) -> Any:
    """The rows in which a column has something."""
    cells = frame[column]
    if hasattr(cells, "notna"):  # pandas
        return frame[cells.notna()]
    return frame.filter(cells.is_not_null() if hasattr(cells, "is_not_null") else cells.is_valid())


def _is_column(source: Any) -> bool:
    """Return whether this is a column of labels, not judgments: scalars side by side."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1 and source.dtype.names is None and not _holds_rows(source[:50].tolist())
    if isinstance(source, list | tuple):
        return not _holds_rows(source)
    return hasattr(source, "to_numpy") and not hasattr(source, "columns") and not hasattr(source, "column_names")


def _holds_rows(items: Sequence[Any]) -> bool:
    return not items or any(isinstance(item, list | tuple | Mapping | np.ndarray) for item in items)


# ── alignment ────────────────────────────────────────────────────────────────────────────────────


def _check_forms(qrels: Sequence[Qrels]) -> None:
    """Raise an error for judgments of anything but documents, and for ids of two types."""
    for one in qrels:
        spans = one.passages is not None and one.passages.spans
        if one.choice is not None or spans:
            got = "spans of documents" if spans else "sets of which any one will do"
            raise UsageError("alternatives", "judgments of documents, one grade each", got=got, where=one.name)
    for other in qrels[1:]:
        pairs = (("query", qrels[0].query_kind, other.query_kind), ("document", qrels[0].doc_kind, other.doc_kind))
        for what, kind, other_kind in pairs:
            if kind != other_kind:
                got = f"{_KIND[kind]} in {qrels[0].label} and {_KIND[other_kind]} in {other.label}"
                raise DataError("id-type", f"{what} ids of one type from all judges", got=got, where=other.name,
                                hint=f"convert one side, for example str({what}_id)")  # fmt: skip


def _sort_queries(queries: set[Id]) -> tuple[Id, ...]:
    """By id: as numbers where all are numbers, else as text; the same whether a file or a frame of integers held them.

    Queries are drawn by their place here, so the order decides what a seed draws.
    """
    if all(_NUMBER.fullmatch(str(query)) for query in queries):
        return tuple(sorted(queries, key=lambda q: int(str(q))))
    return tuple(sorted(queries, key=lambda q: str(q).encode("utf-8", "surrogateescape")))


def _labels(qrels: Sequence[Qrels]) -> tuple[str, ...]:
    """The files' names without folders; judgments in memory have none, and are numbered, as is a file given twice."""
    names = [one.name for one in qrels]
    if set(names) == {"qrels"}:
        return tuple(f"judge {i}" for i in range(1, len(names) + 1))
    if len(set(names)) < len(names):
        return tuple(f"{one.label} ({i})" for i, one in enumerate(qrels, 1))
    return tuple(short_names(names))
