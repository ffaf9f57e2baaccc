"""Several judges side by side: whatever each one's judgments came in, units × judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.reliability.rating import Ratings
from judged.core import Id, IdKind, Policy, Qrels, Run, Text, join
from judged.engine.named import short_names
from judged.errors import DataError, UsageError, Warned, shown
from judged.sources import read_qrels

__all__ = ["Panel", "Units", "aligned", "panel"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KIND = {"text": "text", "integer": "whole numbers", "other": "objects"}


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The (query, document) pairs that anybody judged, by query and then by document."""

    queries: tuple[Id, ...]
    query: Ints
    doc: Text
    kinds: tuple[IdKind, IdKind] = ("text", "text")

    def __len__(self) -> int:
        return len(self.query)

    def docs(self, rows: Ints) -> list[Id]:
        """The documents' ids as they were given: text, or whole numbers."""
        texts = [raw.decode("utf-8", "surrogateescape") for raw in self.doc.take(rows).tolist()]
        return [int(text) for text in texts] if self.kinds[1] == "integer" else list(texts)


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Judges with what they gave to each unit; `units` and `qrels` where the judgments have queries and documents."""

    ratings: Ratings
    units: Units | None = None
    qrels: tuple[Qrels, ...] = ()
    warnings: tuple[Warned, ...] = ()

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


def panel(judges: Sequence[Any], names: Sequence[str] | None = None, *, level: float | None = None) -> Panel:
    """The judges' judgments, aligned: files, frames, mappings; or columns of labels of one length.

    One mapping of names to judgments, or one frame with a column for each judge, does as well.
    """
    given, names = _spread(judges, names)
    if len(given) < 2:
        raise UsageError("judges", "judgments of two judges or more", got=f"{len(given)}",
                         hint="give two files, two columns, or {name: judgments, …}")  # fmt: skip
    if names is not None and (isinstance(names, str) or len(names) != len(given) or len(set(names)) != len(given)):
        raise UsageError("names", f"{len(given)} different names", got=shown(names), value=names)
    columns = [_is_column(one) for one in given]
    if all(columns):
        names = names or tuple(f"judge {i}" for i in range(1, len(given) + 1))
        return _levelled(Panel(Ratings.of(*given, names=names)), level)
    if any(columns):
        which = columns.index(True) + 1
        raise UsageError(
            "judges", "all judges as judgments, or all as columns of labels", got=f"number {which} as a column"
        )
    return _levelled(aligned([read_qrels(one) for one in given], names), level)


def aligned(qrels: Sequence[Qrels], names: Sequence[str] | None = None) -> Panel:
    """Judgments of the same documents in one row each."""
    _check_kinds(qrels)
    names = tuple(names) if names is not None else _labels(qrels)
    pools = [join(one, _nothing(one), Policy()) for one in qrels]
    kinds = (qrels[0].query_kind, qrels[0].doc_kind)
    queries = _ordered({query for pool in pools for query in pool.queries}, kinds[0])
    place = {query: i for i, query in enumerate(queries)}
    query = np.concatenate([np.array([place[q] for q in p.queries], np.int64)[p.pool_query] for p in pools])
    judge = np.repeat(np.arange(len(pools)), [len(p.pool_query) for p in pools])
    doc, grade = (
        _joined([p.pool_doc for p in pools if p.pool_doc is not None]),
        np.concatenate([p.pool_grade for p in pools]),
    )
    order = doc.order(query)
    query, doc, judge = query[order], doc.take(order), judge[order]
    first = np.ones(len(order), bool)
    rows = np.arange(len(order))
    first[1:] = (query[1:] != query[:-1]) | ~doc.same(rows[1:], doc, rows[:-1])
    unit = np.cumsum(first) - 1
    table = np.full((len(pools), int(first.sum())), np.nan)
    table[judge, unit] = grade[order]
    repeats = [w for pool in pools for w in pool.warnings if w.slug == "duplicate-judgment"]
    several = [Warned("subtopics", 1, f"{q.label} judges subtopics; a document's highest grade over them counts")
               for q in qrels if q.aspect is not None]  # fmt: skip
    units = Units(queries, query[first], doc.take(first), kinds)
    warnings = tuple(dict.fromkeys([*(w for one in qrels for w in one.warnings), *repeats, *several]))
    return Panel(Ratings.of(*table, names=names), units, tuple(qrels), warnings)


def _levelled(found: Panel, level: float | None) -> Panel:
    """Grades as 1 from the level up, else 0; and a warning where judges seem to use different scales."""
    if level is None:
        return Panel(found.ratings, found.units, found.qrels, (*found.warnings, *_scales(found.ratings)))
    if not isinstance(level, int | float) or level != level:
        raise UsageError("parameter", "level to be a number", got=shown(level), value=level)
    grades = found.grades
    binary = np.where(np.isnan(grades), np.nan, grades >= level)
    ratings = Ratings.of(*binary, names=found.names, categories=(0, 1))
    return Panel(ratings, found.units, found.qrels, found.warnings)


def _scales(ratings: Ratings) -> list[Warned]:
    """A warning where the highest grades differ: one judge may use 0 and 1, another 0 to 3."""
    if ratings.numbers is None:
        return []
    used = [[ratings.categories[i] for i in np.unique(row[row >= 0])] for row in ratings.codes]
    if len({grades[-1] for grades in used if grades}) < 2:
        return []
    lists = "; ".join(f"{name} {_list(grades)}" for name, grades in zip(ratings.names, used, strict=True))
    text = f"the judges' highest grades differ: {lists}. Is it the same scale? A level makes grades binary"
    return [Warned("scale", len({grades[-1] for grades in used if grades}), text)]


def _list(grades: Sequence[Any]) -> str:
    shown_grades = ", ".join(f"{g:g}" for g in grades[:8])
    return shown_grades + (" …" if len(grades) > 8 else "") if grades else "none"


# ── the forms judges come in ─────────────────────────────────────────────────────────────────────


def _spread(judges: Sequence[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """Judges one by one, and their names where the form has some."""
    if len(judges) != 1:
        return list(judges), names
    (only,) = judges
    if isinstance(only, Mapping):
        if only and all(
            isinstance(v, Mapping) and v and not any(_is_rows(x) for x in v.values()) for v in only.values()
        ):
            return [only], None  # {query: {doc: grade}}: one judge
        return list(only.values()), names if names is not None else [str(name) for name in only]
    columns = getattr(only, "column_names", None)
    columns = columns if columns is not None else getattr(only, "columns", None)
    if columns is None:
        return [only], names
    return _of_frame(only, list(columns), names)


def _is_rows(value: Any) -> bool:
    """Whether a value of a mapping holds more values, and is no grade."""
    return hasattr(value, "__len__") and not isinstance(value, str)


def _of_frame(frame: Any, columns: list[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """One frame with a column for each judge: with ids beside them if they can be found, else in rows as they stand."""
    missing = [name for name in names or () if name not in columns]
    if missing:
        raise DataError("columns", "columns of that name", got=shown(missing[0]), hint=f"there are {shown(columns)}")
    if names is None:
        if len(columns) > 2 and _has_ids(frame, columns[-1]):
            raise UsageError("names", "the names of the judges' columns", got="a frame with queries and documents",
                             hint="for example names=['a', 'b']")  # fmt: skip
        return [frame[name] for name in columns], [str(name) for name in columns]
    if not _has_ids(frame, names[0]):
        return [frame[name] for name in names], [str(name) for name in names]
    judged = [_filled(frame, name) for name in names]
    return [read_qrels(rows, grade=name) for rows, name in zip(judged, names, strict=True)], list(names)


def _has_ids(frame: Any, column: str) -> bool:
    try:
        read_qrels(_filled(frame, column)[:1], grade=column)
    except DataError as error:
        return error.slug != "columns"
    return True


def _filled(frame: Any, column: str) -> Any:
    """The rows in which a column has something."""
    there = frame[column]
    if hasattr(there, "notna"):  # pandas
        return frame[there.notna()]
    return frame.filter(there.is_not_null() if hasattr(there, "is_not_null") else there.is_valid())


def _is_column(source: Any) -> bool:
    """Whether this is a column of labels, and no judgments: what holds scalars side by side."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1 and source.dtype.names is None and not _holds_rows(source[:50].tolist())
    if isinstance(source, list | tuple):
        return not _holds_rows(source)
    return hasattr(source, "to_numpy") and not hasattr(source, "columns") and not hasattr(source, "column_names")


def _holds_rows(items: Sequence[Any]) -> bool:
    return not items or any(isinstance(x, list | tuple | Mapping | np.ndarray) for x in items)


# ── alignment ────────────────────────────────────────────────────────────────────────────────────


def _nothing(qrels: Qrels) -> Run:
    """A run that answers the judged queries with no document: joined with it, judgments are checked and sorted."""
    none = np.zeros(0, np.int64)
    return Run(name=qrels.name, queries=qrels.queries, query=none, doc=Text.of([]), query_kind=qrels.query_kind,
               doc_kind=qrels.doc_kind, score=np.zeros(0))  # fmt: skip


def _check_kinds(qrels: Sequence[Qrels]) -> None:
    for other in qrels[1:]:
        pairs = (("query", qrels[0].query_kind, other.query_kind), ("document", qrels[0].doc_kind, other.doc_kind))
        for what, ours, theirs in pairs:
            if ours != theirs:
                raise DataError(
                    "id-type", f"{what} ids of one type from all judges",
                    got=f"{_KIND[ours]} in {qrels[0].label} and {_KIND[theirs]} in {other.label}",
                    hint=f"convert one side, for example str({what}_id)", where=other.name,
                )  # fmt: skip


def _ordered(queries: set[Id], kind: IdKind) -> tuple[Id, ...]:
    if kind == "integer":
        return tuple(sorted(queries, key=lambda q: int(str(q))))
    return tuple(sorted(queries, key=lambda q: str(q).encode("utf-8", "surrogateescape")))


def _joined(texts: Sequence[Text]) -> Text:
    """Several columns of ids as one."""
    at = np.cumsum([0, *(len(t.buffer) for t in texts[:-1])])
    return Text(
        np.concatenate([t.buffer for t in texts]),
        np.concatenate([t.start + shift for t, shift in zip(texts, at, strict=True)]),
        np.concatenate([t.length for t in texts]),
    )


def _labels(qrels: Sequence[Qrels]) -> tuple[str, ...]:
    """The files' names without folders; judgments in memory have none, and are numbered, as is a file given twice."""
    names = [one.name for one in qrels]
    if set(names) == {"qrels"}:
        return tuple(f"judge {i}" for i in range(1, len(names) + 1))
    if len(set(names)) < len(names):
        return tuple(f"{one.label} ({i})" for i, one in enumerate(qrels, 1))
    return tuple(short_names(names))
