"""Attributes of queries: a table with a column of query ids and others of whatever is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judged.core import Id
from judged.errors import DataError, shown
from judged.sources._gather import Role
from judged.sources._roles import table_of_roles

__all__ = ["read_attribute"]

_QUERY = Role(
    ("queryid", "qid", "topicid", "userid", "query", "topic", "user", "id"), "query ids (query_id, qid, topic …)"
)


def read_attribute(source: Any, name: str) -> Mapping[Id, Id]:
    """One column of a table of queries as {query: value}: a CSV, JSON Lines or Parquet file, or a frame.

    A query twice with different values is an error.
    """
    roles = {"query": _QUERY, "attribute": Role((), f"the attribute {name!r}")}
    table = table_of_roles(source, "queries", roles, {"attribute": name})
    query, value = table.ids["query"], table.ids["attribute"]
    found: dict[Id, Id] = {}
    for row, (q, v) in enumerate(zip(query.code.tolist(), value.code.tolist(), strict=True)):
        key, group = query.ids[q], value.ids[v]
        if found.setdefault(key, group) != group:
            raise DataError(
                "slice",
                f"one {name} for query {shown(key)}",
                got=f"{shown(found[key])} and {shown(group)}",
                where=table.place(row, "attribute"),
            )
    return found
