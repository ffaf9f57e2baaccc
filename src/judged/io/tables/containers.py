"""Python's own containers: mappings of queries, mappings of columns, lists of tuples or records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import Hint, Warned
from judged.io.formats.shapes import may_have_shape
from judged.io.tables.columns import are_columns, count_known, is_flat, nested
from judged.io.tables.context import Context
from judged.io.tables.frames import mapping_frame, read_frame
from judged.io.tables.nested import flatten_sets, is_list, raise_several, read_rankings
from judged.io.tables.records import named_fields, read_records, read_tuples, take_column
from judged.io.tables.roles import ColumnBatches, raise_empty
from judged.io.tables.table import SourceTable


def read_mapping(source: Mapping[Any, Any], context: Context) -> SourceTable | ColumnBatches:
    """Read a mapping of queries to rankings, of names to columns, or one record."""
    request = context.request
    if not request.is_ranking:
        columns = context.path is None or all(isinstance(value, list) for value in source.values())
        return read_frame(mapping_frame(source), context) if columns else read_items([source], context)
    shaped = _read_shape(source, context)
    if shaped is not None:
        return shaped
    if source and all(
        isinstance(value, Mapping) for value in source.values()
    ):  # neither columns nor fields are mappings
        request.raise_named(context.name)
        return read_rankings(list(source), list(source.values()), context)
    known = count_known(source, request) >= 2
    if known and not any(is_list(value) or isinstance(value, (Mapping, Set)) for value in source.values()):
        return read_records([source], context)
    keys = nested(source, request)
    if keys is not None and not is_list(source[keys[0]]) and not isinstance(source[keys[0]], Mapping):
        return _read_nested([source], *keys, context)
    if are_columns(source, request) and all(map(is_list, source.values())):
        return read_frame(mapping_frame(source), context)
    request.raise_named(context.name)
    return read_rankings(list(source), list(source.values()), context)


def read_items(items: list[Any], context: Context) -> SourceTable | ColumnBatches:
    """Read a list of tuples, of records with names, or of whole rankings."""
    request = context.request
    if not items and not request.is_ranking:
        raise_empty(context)
    if not items:
        return SourceTable(**context.basics(), origin=context.whole(), query=[], doc=[], number=[])
    kinds = set(map(type, items))
    if request.is_ranking and all(issubclass(kind, Mapping) for kind in kinds):
        shaped = _read_shape(items, context)
        if shaped is not None:
            return shaped
        keys = nested(items[0], request)
        if keys is not None:
            return _read_nested(items, *keys, context)
        if not is_flat(items[0], request) and all(map(_holds_rankings, items)):
            return _read_mappings(items, context)
        return read_records(items, context)
    if all(issubclass(kind, Mapping) or named_fields(kind) is not None for kind in kinds):
        return read_records(items, context)
    if request.is_ranking and all(hasattr(kind, "columns") for kind in kinds):
        raise_several(context)
    return read_tuples(items, context)


def _read_shape(value: Any, context: Context) -> SourceTable | None:
    """Read a document of another program; None if the value is none."""
    if not may_have_shape(value):
        return None
    from judged.io.formats.shape_rows import read_shape

    return read_shape(value, context)


def _holds_rankings(item: Mapping[Any, Any]) -> bool:
    return all(is_list(value) or isinstance(value, Mapping) for value in item.values())


def _read_mappings(items: list[Mapping[Any, Any]], context: Context) -> SourceTable:
    """Read a mapping of queries in several items, such as `{query: {doc: score}}` on each line."""
    queries = [query for item in items for query in item]
    apart = len(items) == len(queries) and (context.path is not None or len(set(map(str, queries))) == len(queries))
    repeated = len(set(map(str, queries))) < len(queries)
    if len(items) > 1 and not apart and (repeated or context.path is None):
        raise_several(context)
    rankings = [ranking for item in items for ranking in item.values()]
    part = np.repeat(np.arange(len(items)), [len(item) for item in items])
    return _read_rankings(queries, rankings, part, context)


def _read_nested(records: list[Any], query: str, ranking: str, context: Context) -> SourceTable:
    """Read records that contain a query with its whole ranking."""
    queries = take_column(records, query, "query", context.items())
    rankings = take_column(records, ranking, "doc", context.items())
    table = _read_rankings(queries, rankings, np.arange(len(records)), context)
    return replace(table, warnings=(*table.warnings, *_warn_rising(rankings, table)))


def _warn_rising(rankings: list[Any], table: SourceTable) -> Iterator[Warned]:
    """Warn if the scores of every list increase along it, as distances do: then the last document is ranked first."""
    if table.request.what != "run" or table.number is None or not all(map(is_list, rankings)) or table.size is None:
        return
    try:
        score = np.array([float(value) for value in table.number])
    except (TypeError, ValueError):
        return  # reported with its place later
    inside = np.ones(len(score), bool)
    inside[(np.cumsum(table.size) - table.size)[table.size > 0]] = False  # the first of each list
    rises = inside[1:] & (score[1:] > score[:-1])
    if rises.any() and (rises == inside[1:]).all():
        text = f"scores increase along every list of {table.name}; the highest score is ranked first"
        yield Warned("scores-rise", len(rankings), text, Hint("leave out the scores if the lists are best first"))


def _read_rankings(queries: list[Any], rankings: list[Any], part: Ints, context: Context) -> SourceTable:
    """Read rankings in items of a list; `part` is the item of each ranking."""
    rankings, choice = flatten_sets(queries, rankings, context)
    size = [len(entries) if hasattr(entries, "__len__") else 0 for entries in rankings]
    origin, item = context.items({}, np.repeat(part, size)), context.items({}, part)
    return read_rankings(queries, rankings, context, origin=origin, item=item, choice=choice)
