"""Lists of tuples or of records, from memory or from JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any, NoReturn

from judged.errors import DataError, Hint, shown, to_choose
from judged.io.tables.columns import ColumnRequest, RoleColumns, find_columns
from judged.io.tables.context import Context
from judged.io.tables.origin import Origin
from judged.io.tables.roles import ColumnBatches

_TUPLES = {
    ("run", 3): ("query", "doc", "score"),
    ("qrels", 3): ("query", "doc", "grade"),
    ("qrels", 4): ("query", "aspect", "doc", "grade"),
}


def named_fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a named tuple or a dataclass; None for other types."""
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def read_records(records: list[Any], context: Context) -> ColumnBatches:
    """Read records with the same names in each of them."""
    columns = find_columns(names_of(records[0]), context.request, context.place)
    cells = take_columns(records, columns, context.items())
    return ColumnBatches(context, columns, [cells], lambda: context.items(columns.column))


def take_columns(records: list[Any], columns: RoleColumns, origin: Origin) -> dict[str, list[Any]]:
    """Return the cells of each role."""
    return {role: take_column(records, name, role, origin) for role, name in columns.column.items()}


def take_column(records: list[Any], name: str, role: str, origin: Origin) -> list[Any]:
    """Return the value of each record under a name."""
    get = itemgetter(name) if isinstance(records[0], Mapping) else attrgetter(name)
    try:
        return list(map(get, records))
    except (KeyError, AttributeError, TypeError):
        _raise_record(records, name, role, origin)


def _raise_record(records: list[Any], name: str, role: str, origin: Origin) -> NoReturn:
    row = next(i for i, record in enumerate(records) if name not in names_of(record))
    hint = Hint(f"add it, or name another column: {{{role}_col}}", **{f"{role}_col": to_choose(f"{role}_col")})
    problem = f"a record has no {name!r}{origin.describe_row(row)}: {shown(records[row])}"
    raise DataError("columns", problem, value=records[row], hint=hint, where=origin.place(row))


def names_of(record: Any) -> list[Any]:
    return list(record) if isinstance(record, Mapping) else list(named_fields(type(record)) or ())


def read_tuples(items: list[Any], context: Context) -> ColumnBatches:
    """Read tuples of one length, in the order of the roles."""
    request, origin = context.request, context.items()
    request.raise_named(context.name)
    lengths = [len(item) if isinstance(item, (tuple, list)) else 0 for item in items]
    layouts = [tuple(request.roles)]
    if request.is_ranking:
        layouts = [roles for (what, _), roles in _TUPLES.items() if what == request.what]
    roles = next((layout for layout in layouts if len(layout) == lengths[0]), None)
    numbers = request.is_ranking and all(map(_is_number_row, items))
    if numbers and any(cell % 1 != 0 for item in items for cell in item[:2]):
        raise_matrix(request, context.name)
    if roles is None or lengths.count(lengths[0]) < len(items):
        row = 0 if roles is None else next(i for i, length in enumerate(lengths) if length != lengths[0])
        expected = " or ".join(f"({', '.join(layout)})" for layout in layouts)
        hint = (
            "write a list with one tuple per document, or a mapping {query: [doc, …]}" if request.is_ranking else None
        )
        if numbers:
            raise_matrix(request, context.name)
        got, about = shown(items[row]), origin.describe_row(row)
        raise DataError("columns", f"{expected}{about}", got=got, where=origin.place(row), value=items[row], hint=hint)
    cells = {role: [item[at] for item in items] for at, role in enumerate(roles)}
    key: dict[str, object] = {role: at if request.is_ranking else role for at, role in enumerate(roles)}
    return ColumnBatches(context, RoleColumns({role: role for role in roles}), [cells], lambda: context.items(key))


def _is_number_row(item: Any) -> bool:
    """Return whether an item is a row of a matrix of numbers."""
    return isinstance(item, (list, tuple)) and bool(item) and all(isinstance(cell, (int, float)) for cell in item)


def raise_matrix(request: ColumnRequest, where: str) -> NoReturn:
    """Raise for a matrix of users × items, which has no ids."""
    if request.what == "run":
        expected, hint = "a run with ids", "convert it to a run with jd.recommenders.top_k"
    else:
        expected, hint = "judgments with ids", "evaluate labels and scores in matrices with jd.score(labels, scores)"
    raise DataError("score-matrix", expected, got="a matrix of numbers", where=where, hint=hint)
