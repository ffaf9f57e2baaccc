"""Several judges side by side: whatever each one's judgments came in, units × judges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.find.pool import pool_of
from judged.core.ids import IdColumn
from judged.core.policy import Policy, Rejudged
from judged.core.tables import Id, IdKind, Qrels
from judged.errors import DataError, UsageError, Warned, shown
from judged.io.read import read_qrels
from judged.io.run_names import short_names
from judged.judges.forms import from_table, is_column, spread
from judged.stats.agreement.ratings import Ratings

__all__ = ["Level", "Panel", "Units", "aligned", "panel"]


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
        texts = [raw.decode("utf-8", "surrogateescape") for raw in self.doc.take(rows).tolist()]
        return [int(text) for text in texts] if self.kinds[1] == "integer" else list(texts)


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


def panel(
    sources: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    level: Level | None = None,
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_column: str | None = None,
) -> Panel:
    """The judges' judgments, aligned: files, frames, mappings; or columns of labels of one length.

    One mapping of names to judgments, one frame with a column for each judge, or one table of which `judges` or
    `judge_column` names the columns does as well.
    """
    policy = Policy(rejudged=rejudged)
    if judges is not None or judge_column is not None:
        given, theirs = from_table(sources, judges, judge_column)
        names = names if names is not None else theirs
    else:
        given, names = spread(sources, names)
    if len(given) < 2:
        raise UsageError("judges", "judgments of two judges or more", got=f"{len(given)}", hint=_ONE_ALONE)
    if names is not None and (isinstance(names, str) or len(names) != len(given) or len(set(names)) != len(given)):
        raise UsageError("names", f"{len(given)} different names", got=shown(names), value=names)
    columns = [is_column(one) for one in given]
    if all(columns):
        names = names or tuple(f"judge {i}" for i in range(1, len(given) + 1))
        return _levelled(Panel(Ratings.of(*given, names=names)), level)
    if any(columns):
        which = columns.index(True) + 1
        raise UsageError(
            "judges", "all judges as judgments, or all as columns of labels", got=f"number {which} as a column"
        )
    return _levelled(aligned([read_qrels(one) for one in given], names, policy), level)


def aligned(qrels: Sequence[Qrels], names: Sequence[str] | None = None, policy: Policy | None = None) -> Panel:
    """Judgments of the same documents in one row each."""
    _check_kinds(qrels)
    names = tuple(names) if names is not None else _labels(qrels)
    pools = [pool_of(one, policy or Policy()) for one in qrels]
    kinds = (qrels[0].query_kind, qrels[0].doc_kind)
    queries = _ordered({query for pool in pools for query in pool.queries})
    place = {query: i for i, query in enumerate(queries)}
    query = np.concatenate([np.array([place[q] for q in p.queries], np.int64)[p.query] for p in pools])
    judge = np.repeat(np.arange(len(pools)), [len(p.query) for p in pools])
    doc, grade = _joined([p.doc for p in pools]), np.concatenate([p.grade for p in pools])
    order = doc.order(query)
    query, doc, judge = query[order], doc.take(order), judge[order]
    first = np.ones(len(order), bool)
    rows = np.arange(len(order))
    first[1:] = (query[1:] != query[:-1]) | ~doc.same(rows[1:], doc, rows[:-1])
    unit = np.cumsum(first) - 1
    table = np.full((len(pools), int(first.sum())), np.nan)
    table[judge, unit] = grade[order]
    repeats = [w for pool in pools for w in pool.warnings]
    several = [Warned("subtopics", 1, f"{q.label} judges subtopics; a document's highest grade over them counts")
               for q in qrels if q.aspect is not None]  # fmt: skip
    units = Units(queries, query[first], doc.take(first), kinds)
    warnings = tuple(dict.fromkeys([*(w for one in qrels for w in one.warnings), *repeats, *several]))
    return Panel(Ratings.of(*table, names=names), units, tuple(qrels), warnings)


def _levelled(found: Panel, level: Level | None) -> Panel:
    """Grades as 1 from the judge's level up, else 0; and warnings: of different scales, of judges left with one label."""
    if level is None:
        return replace(found, warnings=(*found.warnings, *_scales(found.ratings)))
    levels = _levels(level, found.names)
    grades = found.grades
    binary = np.where(np.isnan(grades), np.nan, grades >= np.array(levels)[:, None])
    ratings = Ratings.of(*binary, names=found.names, categories=(0, 1))
    constant = [
        w for name, row, one in zip(found.names, ratings.codes, levels, strict=True) for w in _one_label(name, row, one)
    ]
    return replace(found, ratings=ratings, given=found.ratings, levels=levels, warnings=(*found.warnings, *constant))


def _levels(level: Level, names: Sequence[str]) -> tuple[float, ...]:
    """Of each judge, the lowest grade that counts as 1."""
    by_name: Mapping[str | None, float] = level if isinstance(level, Mapping) else {None: level}
    for one in by_name.values():
        if not isinstance(one, int | float) or not isfinite(one):
            raise UsageError("parameter", "level to be a number", got=shown(one), value=one)
    unknown = [name for name in by_name if name is not None and name not in names]
    if unknown:
        raise UsageError(
            "parameter", f"levels of {', '.join(names)}", got=f"one of {shown(unknown[0])}", value=unknown[0]
        )
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
    if len({grades[-1] for grades in used if grades}) < 2:
        return []
    lists = "; ".join(f"{name} {_list(grades)}" for name, grades in zip(ratings.names, used, strict=True))
    text = f"the judges' highest grades differ: {lists}. Is it the same scale? If not, a level for each judge makes grades binary"
    return [Warned("scale", len({grades[-1] for grades in used if grades}), text)]


def _list(grades: Sequence[Any]) -> str:
    shown_grades = ", ".join(f"{g:g}" for g in grades[:8])
    return shown_grades + (" …" if len(grades) > 8 else "") if grades else "none"


# ── alignment ────────────────────────────────────────────────────────────────────────────────────


def _check_kinds(qrels: Sequence[Qrels]) -> None:
    for one in qrels:
        spans = one.passages is not None and one.passages.spans
        if one.choice is not None or spans:
            got = "spans of documents" if spans else "sets of which any one will do"
            raise UsageError("alternatives", "judgments of documents, one grade each", got=got, where=one.name)
    for other in qrels[1:]:
        pairs = (("query", qrels[0].query_kind, other.query_kind), ("document", qrels[0].doc_kind, other.doc_kind))
        for what, ours, theirs in pairs:
            if ours != theirs:
                raise DataError(
                    "id-type", f"{what} ids of one type from all judges",
                    got=f"{_KIND[ours]} in {qrels[0].label} and {_KIND[theirs]} in {other.label}",
                    hint=f"convert one side, for example str({what}_id)", where=other.name,
                )  # fmt: skip


def _ordered(queries: set[Id]) -> tuple[Id, ...]:
    """By id: as numbers where all are numbers, else as text; the same whether a file or a frame of integers held them.

    Queries are drawn by their place here, so the order decides what a seed draws.
    """
    if all(_NUMBER.fullmatch(str(query)) for query in queries):
        return tuple(sorted(queries, key=lambda q: int(str(q))))
    return tuple(sorted(queries, key=lambda q: str(q).encode("utf-8", "surrogateescape")))


def _joined(texts: Sequence[IdColumn]) -> IdColumn:
    """Several columns of ids as one."""
    at = np.cumsum([0, *(len(t.buffer) for t in texts[:-1])])
    return IdColumn(
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
