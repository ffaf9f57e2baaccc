"""Attributes of queries: a table with a column of query ids and one column per attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core.tables import Id
from judged.errors import DataError, Hint, UsageError, shown, to_choose
from judged.io.columns import NAMES, Role
from judged.io.open_table import open_role_table

_QUERY = Role((*NAMES["query"], ("id",)), "query ids (query_id, qid, topic …)")


def read_attribute(source: Any, name: str, *, option: str = "by") -> Mapping[Id, Id]:
    """Return one column of a table of queries as {query: value}, from a CSV, JSON Lines or Parquet file, or a frame.

    Empty cells are skipped; a query with two different values is an error. `option` names the column in the message of a missing one.
    """
    roles = {"query": _QUERY, "attribute": Role((), f"the attribute {name!r}", read=_values)}
    try:
        table = open_role_table(source, "queries", roles, {"attribute": name})
    except (DataError, UsageError) as error:
        if isinstance(error, UsageError):  # the caller named an attribute, not a column
            hint = f"use {{query: {name}}}, or a table with a column of query ids and a column {name}"
            raise error.changed(hint=hint) from None
        if error.slug != "columns":
            raise
        both = "can both be" in error.problem
        again = Hint(f"choose another column with {{{option}}}", **{option: to_choose(option)})
        raise error.changed(hint="rename one of them" if both else again) from None
    query, values = table.ids["query"], table.numbers["attribute"]
    attribute: dict[Id, Id] = {}
    for row, (code, value) in enumerate(zip(query.code.tolist(), values.tolist(), strict=True)):
        key = query.ids[code]
        if value is not None and attribute.setdefault(key, value) != value:
            problem = f"query {shown(key)} has two values of {name}: {shown(attribute[key])} and {shown(value)}"
            raise DataError("slice", problem, where=table.place(row, "attribute"))
    return attribute


@dataclass(frozen=True, slots=True)
class QueryValues:
    """The value of each query, None without one; the ids of other queries; and whether a table had them, so that numbers may be text."""

    values: list[Any]
    others: list[str]
    from_table: bool


def values_of_queries(source: Any, queries: Sequence[Id], column: str, *, option: str) -> QueryValues:
    """Return the values of queries from {query: value}, or from a column of a table of queries.

    Ids may be text on one side and numbers on the other, so their text is compared too.
    """
    columns = isinstance(source, Mapping) and any(
        isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) for value in source.values()
    )
    table = columns or not isinstance(source, Mapping)  # {column: values}, not {query: value}
    given = read_attribute(source, column, option=option) if table else source
    by_text = {str(query): value for query, value in given.items()}
    found = [given.get(query, by_text.get(str(query))) for query in queries]
    known = set(map(str, queries))
    return QueryValues(found, [query for query in by_text if query not in known], table)


def _values(column: Any) -> NDArray[Any]:
    """Return the cells as they are; None for empty ones."""
    out = np.empty(len(column), dtype=object)
    for i, cell in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
        blank = cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())
        out[i] = None if blank else cell.strip() if isinstance(cell, str) else cell
    return out
