"""Attributes of queries: a table with a column of query ids and others of whatever is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core.tables import Id
from judged.errors import DataError, shown
from judged.io.open_table import open_role_table
from judged.io.tables.columns import Role, list_names

__all__ = ["read_attribute"]

_QUERY = Role((*((name,) for name in (*list_names("query"), "id")),), "query ids (query_id, qid, topic …)")


def read_attribute(source: Any, name: str) -> Mapping[Id, Id]:
    """One column of a table of queries as {query: value}: a CSV, JSON Lines or Parquet file, or a frame.

    An empty cell says nothing; a query twice with different values is an error.
    """
    roles = {"query": _QUERY, "attribute": Role((), f"the attribute {name!r}", read=_values)}
    table = open_role_table(source, "queries", roles, {"attribute": name})
    query, values = table.ids["query"], table.numbers["attribute"]
    found: dict[Id, Id] = {}
    for row, (q, group) in enumerate(zip(query.code.tolist(), values.tolist(), strict=True)):
        key = query.ids[q]
        if group is None:
            continue  # in no group
        if found.setdefault(key, group) != group:
            raise DataError(
                "slice",
                f"one {name} for query {shown(key)}",
                got=f"{shown(found[key])} and {shown(group)}",
                where=table.place(row, "attribute"),
            )
    return found


def _values(column: Any) -> NDArray[Any]:
    """The cells as they are; None for those that hold nothing."""
    out = np.empty(len(column), dtype=object)
    for i, cell in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
        blank = cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())
        out[i] = None if blank else cell.strip() if isinstance(cell, str) else cell
    return out
