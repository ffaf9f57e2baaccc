"""Python's own containers: mappings of queries, mappings of columns, lists of tuples, records or rankings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.tables import HasName, Passages
from judged.errors import DataError, Hint, Place, UsageError, shown, to_choose
from judged.io.cells import as_list
from judged.io.chunks import are_chunks, are_sets, are_spans, is_set, read_chunk_entries
from judged.io.columns import (
    are_columns,
    count_known,
    find_columns,
    is_flat,
    named_fields,
    nested,
)
from judged.io.formats.shapes import read_shape
from judged.io.frames import mapping_frame, read_frame
from judged.io.origin import Context, Origin
from judged.io.table import ColumnBatches, SourceTable, raise_empty

# ── Lists of tuples or of records, from memory or from JSON ─────────────────────────────────────────

_TUPLES: dict[str, list[tuple[str, ...]]] = {
    "run": [("query", "doc", "score")],
    "qrels": [("query", "doc", "grade"), ("query", "aspect", "doc", "grade")],
}


def read_records(records: list[Any], context: Context) -> ColumnBatches:
    """Read records with the same names in each of them."""
    columns = find_columns(names_of(records[0]), context.request, context.place)
    cells = take_columns(records, columns, context.items())
    return ColumnBatches(context, columns, [cells], lambda: context.items(columns))


def take_columns(records: list[Any], columns: Mapping[str, str], origin: Origin) -> dict[str, list[Any]]:
    """Return the cells of each role."""
    return {role: take_column(records, name, role, origin) for role, name in columns.items() if role != "time"}


def take_column(records: list[Any], name: str, role: str, origin: Origin) -> list[Any]:
    """Return the value of each record under a name."""
    get = itemgetter(name) if isinstance(records[0], Mapping) else attrgetter(name)
    try:
        return list(map(get, records))
    except (KeyError, AttributeError, TypeError):
        row = next(i for i, record in enumerate(records) if name not in names_of(record))
        hint = Hint(f"add it, or name another column: {{{role}_col}}", **{f"{role}_col": to_choose(f"{role}_col")})
        problem = f"a record has no {name!r}{origin.describe_row(row)}: {shown(records[row])}"
        raise DataError("columns", problem, value=records[row], hint=hint, where=origin.place(row)) from None


def names_of(record: Any) -> list[Any]:
    return list(record) if isinstance(record, Mapping) else list(named_fields(type(record)) or ())


def read_tuples(items: list[Any], context: Context) -> ColumnBatches:
    """Read tuples of one length, in the order of the roles."""
    request, origin = context.request, context.items()
    request.raise_named(context.name)
    lengths = [len(item) if isinstance(item, (tuple, list)) else 0 for item in items]
    layouts = _TUPLES[request.what] if request.is_ranking else [tuple(request.roles)]
    roles = next((layout for layout in layouts if len(layout) == lengths[0]), ())
    row = next((i for i, length in enumerate(lengths) if length != lengths[0]), None) if roles else 0
    if row is not None:
        expected = " or ".join(f"({', '.join(layout)})" for layout in layouts)
        hint = "write one tuple per document, or a mapping {query: [doc, …]}" if request.is_ranking else None
        raise origin.error("columns", expected, row, value=items[row], hint=hint)
    cells = {role: [item[at] for item in items] for at, role in enumerate(roles)}
    ids = [cell for role in ("query", "doc") if role in cells for cell in cells[role]]
    if request.is_ranking and all(isinstance(cell, int | float) for cell in ids) and any(cell % 1 for cell in ids):
        raise_matrix(context.name)  # ids are no fractions
    key: dict[str, object] = {role: at if request.is_ranking else role for at, role in enumerate(roles)}
    return ColumnBatches(context, {role: role for role in roles}, [cells], lambda: context.items(key))


def raise_matrix(where: str) -> NoReturn:
    """Raise for a matrix of users × items, which has no ids."""
    hint = "evaluate matrices with jd.score(labels, scores), or make a run with jd.recommenders.top_k"
    raise DataError("form", "rows with ids", got="a matrix of numbers", where=where, hint=hint)


# ── Rankings, one per query ─────────────────────────────────────────────────────────────────────────


def is_list(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return True
    return hasattr(value, "tolist") and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def read_rankings(queries: list[Any], rankings: list[Any], context: Context, part: Ints | None = None) -> SourceTable:
    """Read one ranking per query, all of one kind. An empty ranking is allowed.

    Args:
        queries: one per ranking.
        rankings: mappings or lists.
        context: of the source.
        part: the item of each ranking, if the source is not a mapping of queries but a list of items.
    """
    rankings, choice = flatten_sets(queries, rankings, context)
    item = None if part is None else context.items({}, part)
    kinds: dict[str, None] = {}
    for i, ranking in enumerate(rankings):
        kind = _kind(ranking, context) or _raise(queries[i], ranking, item.place(i) if item else None, context)
        if len(ranking):
            kinds[kind] = None
    if len(kinds) > 1:
        hint = "write all of them as {doc: score} or all of them as [doc, …]"
        raise DataError("form", f"the rankings are a mix of {' and '.join(kinds)}", where=context.name, hint=hint)
    keyed = "mapping" in kinds
    size = np.fromiter(map(len, rankings), np.int64, len(rankings))

    def places(entries: list[Any]) -> Origin:
        if part is not None:
            return context.items({}, np.repeat(part, size))
        return context.keys(queries, size, entries, keyed=keyed)

    number: list[Any] | None
    passages: Passages | None = None
    if keyed:
        docs = list(chain.from_iterable(rankings))
        number = list(chain.from_iterable(ranking.values() for ranking in rankings if len(ranking)))
    else:
        entries = list(chain.from_iterable(_entries(ranking, context) for ranking in rankings if len(ranking)))
        plain = not entries or isinstance(entries[0], (str, int))
        objects = not plain and all(isinstance(entry, Mapping) for entry in entries)
        if (objects and are_chunks(entries[0])) or (not plain and are_spans(entries)):  # more than ids and numbers
            docs, number, passages = read_chunk_entries(entries, context.request.what, places(entries))
        else:
            docs, number = _split(entries, context, places(entries))
    return SourceTable(
        **context.basics(),
        origin=places(docs),
        query_origin=item or context.whole(),
        query=queries,
        doc=docs,
        number=number,
        size=size,
        choice=choice,
        passages=passages,
    )


def flatten_sets(queries: list[Any], rankings: list[Any], context: Context) -> tuple[list[Any], Ints | None]:
    """Return alternative sets of documents one after the other, and the number of the set of each entry."""
    if context.request.what != "qrels":
        return rankings, None
    nested = list(map(are_sets, rankings))
    if not any(nested):
        return rankings, None
    flat, choice = [], []
    for query, ranking, sets in zip(queries, rankings, nested, strict=True):
        some = list(ranking) if sets else [ranking] if is_list(ranking) else _raise(query, ranking, None, context)
        wrong = next((one for one in some if sets and (not is_set(one) or not len(one))), None)
        if wrong is not None:
            problem = f"non-empty sets of documents for query {shown(query)}"
            hint = "write [[a, b], [c]], with a set for a single document too: [c]"
            raise DataError("alternatives", problem, got=shown(wrong), where=context.name, value=wrong, hint=hint)
        parts = [sorted(one, key=str) if isinstance(one, Set) else list(one) for one in some]
        flat.append([entry for part in parts for entry in part])
        choice += [number for number, part in enumerate(parts) for _ in part]
    return flat, np.array(choice, dtype=np.int64)


def _kind(ranking: Any, context: Context) -> str | None:
    if isinstance(ranking, Mapping):
        return "mapping"
    if is_list(ranking):
        return "list"
    return "set" if isinstance(ranking, Set) and context.request.what == "qrels" else None


def raise_several(context: Context) -> NoReturn:
    """Say that there are several runs, or the judgments of several judges, where one is expected."""
    hint = "pass one at a time, each in its own file or object; jd.compare takes several runs, jd.agree two judges"
    raise UsageError("runs", "several tables where one is expected", where=context.name, hint=hint)


def _raise(query: Any, ranking: Any, where: Place | None, context: Context) -> NoReturn:
    if where is None:
        where = context.place if context.path else Place(f"{context.name}[{shown(query)}]")
    if isinstance(ranking, (os.PathLike, HasName)) or hasattr(type(ranking), "columns"):
        raise_several(context)
    what = "judgments" if context.request.what == "qrels" else "ranking"
    problem = f"the {what} of query {shown(query)} as {{doc: {context.request.number}}} or [doc, …]"
    got = f"{shown(ranking)} ({type(ranking).__name__})"
    hint = "write a list, best first, of a single document too; other formats are listed in docs/reference/formats.md"
    raise DataError("form", problem, got=got, where=where, value=ranking, hint=hint)


def _entries(ranking: Any, context: Context) -> Sequence[Any]:
    if isinstance(ranking, (list, tuple)):
        return ranking
    if isinstance(ranking, np.ndarray):
        return as_list(ranking, context.whole(), "doc")
    return sorted(ranking, key=str) if isinstance(ranking, Set) else list(ranking.tolist())


def _split(entries: list[Any], context: Context, places: Origin) -> tuple[list[Any], list[Any] | None]:
    """Return documents and their numbers, if the entries of lists have both."""
    if not entries:
        return [], None
    kinds = set(map(type, entries))
    if all(named_fields(kind) is not None or issubclass(kind, Mapping) for kind in kinds):
        columns = find_columns(names_of(entries[0]), context.request, context.place, query=False)
        cells = take_columns(entries, columns, places)
        return cells["doc"], cells.get(context.request.number)
    if all(issubclass(kind, (tuple, list)) for kind in kinds) and set(map(len, entries)) == {2}:
        return [doc for doc, _ in entries], [number for _, number in entries]
    return entries, None


# ── Python's own containers ─────────────────────────────────────────────────────────────────────────


def read_mapping(source: Mapping[Any, Any], context: Context) -> SourceTable | ColumnBatches:
    """Read a mapping of queries to rankings, of names to columns, or one record."""
    request = context.request
    if not request.is_ranking:
        columns = context.path is None or all(isinstance(value, list) for value in source.values())
        return read_frame(mapping_frame(source), context) if columns else read_items([source], context)
    shaped = read_shape(source, context)
    if shaped is not None:
        return shaped
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
        shaped = read_shape(items, context)
        if shaped is not None:
            return shaped
        keys = nested(items[0], request)
        if keys is not None:
            return _read_nested(items, *keys, context)
        tables = all(is_list(value) or isinstance(value, Mapping) for value in items[0].values())
        if tables and len(items) > 1 and not is_flat(items[0], request):
            raise_several(context)
        return read_records(items, context)
    if all(issubclass(kind, Mapping) or named_fields(kind) is not None for kind in kinds):
        return read_records(items, context)
    if request.is_ranking and all(hasattr(kind, "columns") for kind in kinds):
        raise_several(context)
    return read_tuples(items, context)


def _read_nested(records: list[Any], query: str, ranking: str, context: Context) -> SourceTable:
    """Read records that contain a query with its whole ranking."""
    queries = take_column(records, query, "query", context.items())
    rankings = take_column(records, ranking, "doc", context.items())
    return read_rankings(queries, rankings, context, np.arange(len(records)))
