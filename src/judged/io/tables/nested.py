"""Rankings, one per query: `{doc: score}`, `[doc, …]` with the best first, or `[(doc, score), …]`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.tables import HasName, Passages
from judged.errors import DataError, Place, UsageError, shown
from judged.io.tables.chunks import are_chunks, are_sets, are_spans, is_set, read_chunk_entries
from judged.io.tables.columns import find_columns
from judged.io.tables.context import Context
from judged.io.tables.ids import as_list
from judged.io.tables.numbers import floats
from judged.io.tables.origin import Origin
from judged.io.tables.records import named_fields, names_of, take_columns
from judged.io.tables.table import SourceTable


def is_list(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return True
    return hasattr(value, "tolist") and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def read_rankings(
    queries: list[Any],
    rankings: list[Any],
    context: Context,
    *,
    origin: Origin | None = None,
    item: Origin | None = None,
    choice: Ints | None = None,
) -> SourceTable:
    """Read one ranking per query, all of one kind. An empty ranking is allowed.

    Args:
        queries: one per ranking.
        rankings: mappings or lists.
        context: of the source.
        origin: the places of entries, if the source is not a mapping of queries.
        item: the places of rankings, likewise.
        choice: the set of each entry, after `flatten_sets`.
    """
    if choice is None:
        rankings, choice = flatten_sets(queries, rankings, context)
    kinds: dict[str, None] = {}
    for i, ranking in enumerate(rankings):
        kind = _kind(ranking, context) or _raise(queries[i], ranking, item.place(i) if item else None, context)
        if len(ranking):
            kinds[kind] = None
    if len(kinds) > 1:
        raise DataError(
            "form",
            f"the rankings are a mix of {' and '.join(kinds)}",
            where=context.name,
            hint="write all of them as {doc: score} or all of them as [doc, …]",
        )
    keyed = "mapping" in kinds
    size = np.fromiter(map(len, rankings), np.int64, len(rankings))
    number: list[Any] | None
    passages: Passages | None = None
    if keyed:
        docs = list(chain.from_iterable(rankings))
        number = list(chain.from_iterable(ranking.values() for ranking in rankings if len(ranking)))
        if {dict, list} & set(
            map(type, number)
        ) and context.request.grade_map is None:  # no table of rankings: raised here, with its shape
            floats(number, origin or context.keys(queries, size, docs, keyed=True), context.request.number)
    else:
        entries = list(chain.from_iterable(_entries(ranking, context) for ranking in rankings if len(ranking)))
        places = origin or context.keys(queries, size, entries, keyed=False)
        if _have_details(entries):
            chunks = read_chunk_entries(entries, context.request.what, places)
            docs, number, passages = chunks.ids, chunks.number, chunks.passages
        else:
            docs, number = _split(entries, context, places)
    return SourceTable(
        **context.basics(),
        origin=origin or context.keys(queries, size, docs, keyed=keyed),
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
            raise DataError(
                "alternatives",
                f"non-empty sets of documents for query {shown(query)}",
                got=shown(wrong),
                where=context.name,
                value=wrong,
                hint="write [[a, b], [c]], with a set for a single document too: [c]",
            )
        parts = [sorted(one, key=str) if isinstance(one, Set) else list(one) for one in some]
        flat.append([entry for part in parts for entry in part])
        choice += [number for number, part in enumerate(parts) for _ in part]
    return flat, np.array(choice, dtype=np.int64)


def _have_details(entries: list[Any]) -> bool:
    """Return whether entries of lists have more than documents and numbers: spans, tokens, ids under other names."""
    if not entries or isinstance(entries[0], (str, int)):
        return False
    if are_spans(entries):
        return True
    return all(isinstance(entry, Mapping) for entry in entries) and are_chunks(entries[0])


def _kind(ranking: Any, context: Context) -> str | None:
    if isinstance(ranking, Mapping):
        return "mapping"
    if is_list(ranking):
        return "list"
    return "set" if isinstance(ranking, Set) and context.request.what == "qrels" else None


def raise_several(context: Context) -> NoReturn:
    """Say that there are several runs, or the judgments of several judges, where one is expected."""
    run = context.request.what == "run"
    problem = f"several {'runs' if run else 'judgments'} where one {'run is' if run else 'table is'} expected"
    hint = f"compare them with {'jd.compare(qrels, runs)' if run else 'jd.agree(a, b)'}, or pass one at a time"
    if context.path is not None:
        hint = "write each of them to its own file"
    raise UsageError("runs", problem, where=context.name, hint=hint)


def _is_file_or_frame(thing: Any) -> bool:
    """Return whether this is a table of its own, read or not; a text that names no file may be a document."""
    named = isinstance(thing, str) and 0 < len(thing) < 256 and Path(thing).is_file()
    return named or isinstance(thing, (os.PathLike, HasName)) or hasattr(type(thing), "columns")


def _raise(query: Any, ranking: Any, where: Place | None, context: Context) -> NoReturn:
    if where is None:
        where = context.place if context.path else Place(f"{context.name}[{shown(query)}]")
    what = "judgments" if context.request.what == "qrels" else "ranking"
    if context.path is None and _is_file_or_frame(ranking):
        raise_several(context)
    if isinstance(ranking, Set):
        problem, hint = (
            f"the {what} of query {shown(query)} is a set, without order",
            "write a list, best first, or {doc: score}",
        )
        raise DataError("unordered", problem, where=where, value=ranking, hint=hint)
    raise DataError(
        "form",
        f"the {what} of query {shown(query)} as {{doc: {context.request.number}}} or [doc, …]",
        got=f"{shown(ranking)} ({type(ranking).__name__})",
        where=where,
        value=ranking,
        hint="write a single document as a list too, [doc]; pass {name: file} to jd.compare"
        if isinstance(ranking, str) and "." in ranking and context.path is None
        else "write a single document as a list too: [doc]",
    )


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
