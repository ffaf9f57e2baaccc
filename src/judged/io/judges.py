"""Several judges in one table: a column of grades for each, or a row for each judgment with the judge beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.tables import Qrels
from judged.errors import DataError, Place, UsageError, shown
from judged.io.open_table import open_role_table
from judged.io.read import read_qrels
from judged.io.tables.columns import NAMES, ColumnRequest, Role, Roles
from judged.io.tables.ids import Column
from judged.io.tables.roles import RoleTable
from judged.io.text.decimals import LARGEST_GRADE

__all__ = ["read_judges"]


def read_judges(
    source: Any, judges: Sequence[str] | None = None, judge_column: str | None = None
) -> Mapping[str, Qrels]:
    """The judgments of each judge of one table: a CSV, JSON Lines or Parquet file, a frame, records.

    An empty cell is a judgment that is missing, not an error.

    Args:
        source: with columns of query ids and of document ids.
        judges: the columns of grades, one for each judge; with `judge_column`, the judges to take (all, if not given).
        judge_column: the column that names the judge of a row; the grade stands in a column of its own (grade, label …).

    >>> sheet = [{"qid": "q", "docno": "a", "ann": 1, "bob": 0}, {"qid": "q", "docno": "b", "ann": 2, "bob": None}]
    >>> {name: qrels.grade.tolist() for name, qrels in read_judges(sheet, ["ann", "bob"]).items()}
    {'ann': [1.0, 2.0], 'bob': [0.0]}
    """
    if judges is not None and (isinstance(judges, str) or not judges or len(set(judges)) < len(judges)):
        raise UsageError("judges", "the names of the judges, each once", got=shown(judges), value=judges,
                         hint="for example judges=['human', 'gpt4']")  # fmt: skip
    if judge_column is not None:
        return _long(source, judges, judge_column)
    if judges is None:
        raise UsageError("judges", "judges, the columns of grades, or judge_column", got="neither")
    roles = {f"grade {name}": _graded(f"the grades of {name}") for name in judges}
    table = _table(source, roles, {f"grade {name}": name for name in judges})
    return {name: _judged(table, f"grade {name}", slice(None), name) for name in judges}


def _long(source: Any, judges: Sequence[str] | None, column: str) -> Mapping[str, Qrels]:
    grade = ColumnRequest("qrels").all_roles["grade"]
    roles = {"judge": _JUDGE, "grade": replace(_graded(grade.meaning), names=NAMES["grade"])}
    table = _table(source, roles, {"judge": column})
    judge = table.numbers["judge"]
    there = list(dict.fromkeys(judge.tolist()))
    missing = [name for name in judges or () if name not in there]
    if missing:
        raise DataError("judges", f"a judge called {missing[0]!r} in column {column!r}", got=_some(there),
                        where=table.name, value=missing[0])  # fmt: skip
    return {name: _judged(table, "grade", judge == name, name) for name in judges or there}


def _table(source: Any, roles: Roles, named: Mapping[str, str]) -> RoleTable:
    keys = {role: declared for role, declared in ColumnRequest("qrels").all_roles.items() if role in ("query", "doc")}
    try:
        return open_role_table(source, "judgments", {**keys, **roles}, named)
    except DataError as error:
        slug = {"columns": "columns", "empty-clicks": "empty-qrels"}.get(error.slug)
        if slug is None:
            raise
        hint = "a table of judges has a header, with columns of query ids, of document ids and of grades"
        raise error.changed(slug=slug, hint=hint) from None


def _judged(table: RoleTable, column: str, of: Any, name: str) -> Qrels:
    """One judge's judgments: the rows that are his and have a grade."""
    grade, mine = table.numbers[column], np.zeros(len(table), bool)
    mine[of] = True
    rows = np.flatnonzero(mine & ~np.isnan(grade))
    if not len(rows):
        raise DataError("empty-qrels", f"a grade given by {name!r}", got="none", where=table.name, value=name)
    query, doc = table.ids["query"], table.ids["doc"]
    triples = [
        (query.ids[q], doc.ids[d], g)
        for q, d, g in zip(query.code[rows].tolist(), doc.code[rows].tolist(), grade[rows].tolist(), strict=True)
    ]
    return replace(read_qrels(triples, name=name), where=_Where(table, rows, column))


@dataclass(frozen=True, slots=True, eq=False)
class _Where:
    """The place in the whole table of a row of one judge."""

    table: RoleTable
    rows: Ints
    column: str

    def __call__(self, row: int, role: str = "doc") -> Place:
        return self.table.place(int(self.rows[row]), self.column if role == "grade" else role)


def _graded(meaning: str) -> Role:
    return Role((), meaning, _grades, True, "a grade as a number, or an empty cell", "grade-type")


def _grades(column: Column) -> Floats | None:
    """Grades, NaN where a cell is empty; None where a cell is something else."""
    try:
        found = [np.nan if _is_empty(cell) else float(cell) for cell in column]
    except (ValueError, TypeError):
        return None
    return np.array(found) if all(x != x or (isfinite(x) and abs(x) <= LARGEST_GRADE) for x in found) else None


def _is_empty(cell: Any) -> bool:
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or cell is np.ma.masked or type(cell).__name__ == "NAType" or bool(cell != cell)


def _named(column: Column) -> NDArray[Any] | None:
    """Names of judges, as text; None where one is missing."""
    cells = list(column)
    if any(_is_empty(cell) for cell in cells):
        return None
    found = np.empty(len(cells), dtype=object)
    found[:] = [cell.strip() if isinstance(cell, str) else str(cell) for cell in cells]
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join(shown(name, 40) for name in names[:8]) + (" …" if len(names) > 8 else "")


_JUDGE = Role((), "the names of judges", _named, True, "the name of a judge", "judges")
