"""Python's own containers: mappings of queries, lists of tuples or records, mappings of columns."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from judged._types import Ints
from judged.io.tables.columns import are_columns, nested, usual
from judged.io.tables.context import Context
from judged.io.tables.frames import of_columns
from judged.io.tables.nested import flattened, is_list, of_rankings
from judged.io.tables.records import named_fields, of_records, of_tuples, values
from judged.io.tables.table import SourceTable

__all__ = ["is_flat", "of_items", "of_mapping"]


def of_mapping(source: Mapping[Any, Any], context: Context) -> SourceTable:
    """A mapping of queries to rankings; or of names to columns; or one record."""
    if source and all(isinstance(value, Mapping) for value in source.values()):  # no column, and no field, holds one
        context.wanted.refuse_names(context.name)
        return of_rankings(list(source), list(source.values()), context)
    named = usual(source, context.wanted) >= 2
    if named and not any(is_list(value) or isinstance(value, (Mapping, Set)) for value in source.values()):
        return of_records([source], context)
    keys = nested(source, context.wanted)
    if keys is not None and not is_list(source[keys[0]]) and not isinstance(source[keys[0]], Mapping):
        return _of_nested([source], *keys, context)
    if are_columns(source, context.wanted) and all(map(is_list, source.values())):
        return of_columns(source, context)
    context.wanted.refuse_names(context.name)
    return of_rankings(list(source), list(source.values()), context)


def of_items(items: list[Any], context: Context) -> SourceTable:
    """A list of (query, doc, number) tuples, of records with names, or of whole rankings."""
    if not items:
        return SourceTable(**context.basics(), origin=context.whole(), query=[], doc=[], number=[])
    kinds = set(map(type, items))
    if all(issubclass(kind, Mapping) for kind in kinds):
        keys = nested(items[0], context.wanted)
        if keys is not None:
            return _of_nested(items, *keys, context)
        if not is_flat(items[0], context) and all(map(_holds_rankings, items)):
            return _of_mappings(items, context)
        return of_records(items, context)
    if all(named_fields(kind) is not None for kind in kinds):
        return of_records(items, context)
    return of_tuples(items, context)


def is_flat(item: Any, context: Context) -> bool:
    """Whether an item is a record of one document."""
    wanted = context.wanted
    return isinstance(item, Mapping) and nested(item, wanted) is None and usual(item, wanted) > 0


def _holds_rankings(item: Mapping[Any, Any]) -> bool:
    return all(is_list(value) or isinstance(value, Mapping) for value in item.values())


def _of_mappings(items: list[Mapping[Any, Any]], context: Context) -> SourceTable:
    """A mapping of queries in several parts: `{query: {doc: score}}` on each line, say."""
    queries = [query for item in items for query in item]
    rankings = [ranking for item in items for ranking in item.values()]
    part = np.repeat(np.arange(len(items)), [len(item) for item in items])
    return _of_parts(queries, rankings, part, context)


def _of_nested(records: list[Any], query: str, ranking: str, context: Context) -> SourceTable:
    """Records that hold a query with its whole ranking."""
    queries = values(records, query, "query", context)
    rankings = values(records, ranking, "doc", context)
    return _of_parts(queries, rankings, np.arange(len(records)), context)


def _of_parts(queries: list[Any], rankings: list[Any], part: Ints, context: Context) -> SourceTable:
    """Rankings that stand in items of a list: `part` says in which."""
    rankings, choice = flattened(queries, rankings, context)
    size = [len(entries) if hasattr(entries, "__len__") else 0 for entries in rankings]
    origin, item = context.items({}, np.repeat(part, size)), context.items({}, part)
    return of_rankings(queries, rankings, context, origin=origin, item=item, choice=choice)
