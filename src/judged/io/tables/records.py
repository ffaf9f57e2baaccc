"""Lists of tuples or of records, from memory or from JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any, NoReturn

from judged.errors import DataError, shown
from judged.io.tables.columns import RoleColumns, find
from judged.io.tables.context import Context
from judged.io.tables.origin import Origin
from judged.io.tables.table import SourceTable

__all__ = ["columns_of", "named_fields", "names_of", "of_records", "of_tuples", "table_of", "values"]

_ROLES = {
    ("run", 3): ("query", "doc", "score"),
    ("qrels", 3): ("query", "doc", "grade"),
    ("qrels", 4): ("query", "aspect", "doc", "grade"),
}


def named_fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a named tuple or a dataclass."""
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def of_records(records: list[Any], context: Context) -> SourceTable:
    """Records with the same names in each of them."""
    found = find(names_of(records[0]), context.wanted, context.place)
    return table_of(found, columns_of(records, found, context), context, context.items(found.column))


def table_of(
    found: RoleColumns, columns: Mapping[str, Any], context: Context, origin: Origin, **other: Any
) -> SourceTable:
    """The columns that were found, each in its role; `other` says what this kind of source knows besides."""
    return SourceTable(
        **{**context.basics(), **other},
        origin=origin,
        query=columns["query"],
        doc=columns["doc"],
        number=columns.get(context.wanted.number),
        rank=columns.get("rank"),
        aspect=columns.get("aspect"),
        borrowed=found.borrowed,
    )


def columns_of(records: list[Any], found: RoleColumns, context: Context) -> dict[str, list[Any]]:
    """The column of each role."""
    return {role: values(records, name, role, context) for role, name in found.column.items()}


def values(records: list[Any], name: str, role: str, context: Context) -> list[Any]:
    """What each record holds under a name."""
    get = itemgetter(name) if isinstance(records[0], Mapping) else attrgetter(name)
    try:
        return list(map(get, records))
    except (KeyError, AttributeError, TypeError):
        _refuse_record(records, name, role, context)


def _refuse_record(records: list[Any], name: str, role: str, context: Context) -> NoReturn:
    row = next(i for i, record in enumerate(records) if name not in names_of(record))
    origin = context.items()
    raise DataError(
        "columns", f"{name!r} in every record{origin.about(row)}", got=shown(records[row]), value=records[row],
        hint=f"add it, or name another column: {role}='…'", where=origin.place(row),
    )  # fmt: skip


def names_of(record: Any) -> list[Any]:
    return list(record) if isinstance(record, Mapping) else list(named_fields(type(record)) or ())


def of_tuples(items: list[Any], context: Context) -> SourceTable:
    what, origin = context.wanted.what, context.items()
    context.wanted.refuse_names(context.name)
    lengths = [len(item) if isinstance(item, (tuple, list)) else 0 for item in items]
    roles = _ROLES.get((what, lengths[0]))
    if roles is None or lengths.count(lengths[0]) < len(items):
        row = 0 if roles is None else next(i for i, length in enumerate(lengths) if length != lengths[0])
        wanted = " or ".join(f"({', '.join(names)})" for (kind, _), names in _ROLES.items() if kind == what)
        raise DataError(
            "columns", f"{wanted}{origin.about(row)}", got=shown(items[row]), where=origin.place(row), value=items[row],
            hint="a list holds one tuple for each document; a mapping holds {query: [doc, …]}",
        )  # fmt: skip
    columns = {role: [item[at] for item in items] for at, role in enumerate(roles)}
    return SourceTable(
        **context.basics(),
        origin=context.items({role: at for at, role in enumerate(roles)}),
        query=columns["query"],
        doc=columns["doc"],
        number=columns[context.wanted.number],
        aspect=columns.get("aspect"),
    )
