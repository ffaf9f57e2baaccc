"""Several judges in one table: one column of grades per judge, or one row per judgment with a column of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core.tables import Qrels
from judged.errors import DataError, Hint, Place, UsageError, shown
from judged.io.cells import Column
from judged.io.columns import NAMES, ColumnRequest, Role, Roles, list_columns
from judged.io.open_table import open_role_table
from judged.io.read import read_qrels
from judged.io.table import RoleTable, with_spellings
from judged.io.text import LARGEST_GRADE
from judged.tables.table import some

_ANY = ColumnRequest("qrels")
_QRELS = _ANY.all_roles


def read_judges(
    source: Any, judges: Sequence[str] | None, judge_col: str | None, request: ColumnRequest
) -> Mapping[str, Qrels]:
    """Return the judgments of each judge in one table: a CSV, JSON Lines or Parquet file, a frame, records.

    An empty cell is a missing judgment, not an error.

    Args:
        source: a table with columns of query ids and of document ids.
        judges: the columns of grades, one per judge; with `judge_col`, the judges to read, None for all.
        judge_col: the column with the judge of each row, or None; the grade is in another column (grade, label …).
        request: the columns that the caller named, and the grades of words.

    >>> sheet = [{"qid": "q", "docno": "a", "ann": 1, "bob": 0}, {"qid": "q", "docno": "b", "ann": 2, "bob": None}]
    >>> {name: qrels.grade.tolist() for name, qrels in read_judges(sheet, ["ann", "bob"], None, _ANY).items()}
    {'ann': [1.0, 2.0], 'bob': [0.0]}
    """
    if judges is not None and (isinstance(judges, str) or not judges or len(set(judges)) < len(judges)):
        hint = Hint("list the columns of grades, as in {judges}", judges=["human", "gpt4"])
        raise UsageError("judges", "distinct names of judges", got=shown(judges), value=judges, hint=hint)
    if judge_col is None:
        columns = {f"grade {name}": name for name in judges or ()}
        roles = {role: _graded(f"the grades of {name}", request) for role, name in columns.items()}
        table = _table(source, roles, columns, request)
        every = np.ones(len(table), bool)
        return {name: _qrels_of(table, role, every, name) for role, name in columns.items()}
    roles = {"judge": _JUDGE, "grade": _graded(_QRELS["grade"].meaning, request)._replace(names=NAMES["grade"])}
    table = _table(source, roles, {"judge": judge_col}, request)
    judge = table.numbers["judge"]
    names = list(dict.fromkeys(judge.tolist()))
    for name in judges or ():
        if name not in names:
            problem = f"column {judge_col!r} has no judge {name!r}, only {some(names, 8)}"
            raise DataError("judges", problem, where=table.name, value=name)
    return {name: _qrels_of(table, "grade", judge == name, name) for name in judges or names}


def _table(source: Any, roles: Roles, named: Mapping[str, str], request: ColumnRequest) -> RoleTable:
    roles = {**{role: _QRELS[role] for role in ("query", "doc")}, **roles}
    chosen = {role: name for role, name in request.named.items() if role in roles}
    try:
        table = open_role_table(source, "judgments", roles, {**chosen, **named})
    except DataError as error:
        if error.slug != "columns":
            raise
        hint = "add a header line with columns of query ids, document ids and grades"
        own = error.hint is not None and (error.hint.options or error.value in named.values())
        raise error.changed(hint=error.hint if own else hint) from None
    if request.used is not None:
        for role in chosen:
            for name in request.names(role):
                request.used.setdefault(name, set()).add(role)
    return table


def _qrels_of(table: RoleTable, column: str, mine: Bools, name: str) -> Qrels:
    """Return the judgments of one judge: those of these rows that have a grade."""
    grade = table.numbers[column]
    rows = np.flatnonzero(mine & ~np.isnan(grade))
    if not len(rows):
        raise DataError("empty-qrels", f"judge {name!r} has no grades", where=table.name, value=name)
    query, doc = table.ids["query"], table.ids["doc"]
    triples = [(query.ids[query.code[row]], doc.ids[doc.code[row]], grade[row].item()) for row in rows.tolist()]
    return replace(read_qrels(triples, name=name), where=partial(_place, table, rows, column))


def _place(table: RoleTable, rows: Ints, column: str, row: int, role: str = "doc") -> Place:
    return table.place(int(rows[row]), column if role == "grade" else role)


def _graded(meaning: str, request: ColumnRequest) -> Role:
    words = request.grade_map
    expected = (
        "a grade as a number, or an empty cell"
        if words is None
        else f"a number, one of {list_columns(words)}, or an empty cell"
    )
    return Role((), meaning, partial(_as_grades, words or {}), True, expected, "grade-type")


def _as_grades(words: Mapping[str, float], column: Column) -> Floats | None:
    """Return grades, NaN for empty cells; None if a cell is something else."""
    try:
        cells = [cell.strip() if isinstance(cell, str) else cell for cell in column]
        grades = with_spellings(words, cells)
        found = [np.nan if _is_empty(cell) else float(grades.get(cell, cell)) for cell in cells]
    except (ValueError, TypeError):
        return None
    return np.array(found) if all(x != x or (isfinite(x) and abs(x) <= LARGEST_GRADE) for x in found) else None


def _is_empty(cell: Any) -> bool:
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or cell is np.ma.masked or type(cell).__name__ == "NAType" or bool(cell != cell)


def _as_names(column: Column) -> NDArray[Any] | None:
    """Return names of judges as text; None if one is missing."""
    cells = list(column)
    if any(_is_empty(cell) for cell in cells):
        return None
    found = np.empty(len(cells), dtype=object)
    found[:] = [cell.strip() if isinstance(cell, str) else str(cell) for cell in cells]
    return found


_JUDGE = Role((), "the names of judges", _as_names, True, "the name of a judge", "judges")
