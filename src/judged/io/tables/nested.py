"""Rankings, one per query: `{doc: score}`, `[doc, …]` with the best first, or `[(doc, score), …]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.tables import Passages
from judged.errors import DataError, Place, shown
from judged.io.tables.chunks import are_chunks, are_sets, are_spans, chunks_of, is_set
from judged.io.tables.columns import find
from judged.io.tables.context import Context
from judged.io.tables.ids import listed
from judged.io.tables.origin import Origin
from judged.io.tables.records import columns_of, named_fields, names_of
from judged.io.tables.table import SourceTable

__all__ = ["flattened", "is_list", "of_rankings"]


def is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) or (hasattr(value, "tolist") and hasattr(value, "__len__"))


def of_rankings(
    queries: list[Any],
    rankings: list[Any],
    context: Context,
    *,
    origin: Origin | None = None,
    item: Origin | None = None,
    choice: Ints | None = None,
) -> SourceTable:
    """One ranking per query, all of one form. An empty ranking is an answer, too.

    `origin` tells the place of an entry and `item` that of a ranking, where a mapping of queries does not; `choice` which set an entry is
    of, where sets were `flattened` before.
    """
    if choice is None:
        rankings, choice = flattened(queries, rankings, context)
    forms: dict[str, None] = {}
    for i, ranking in enumerate(rankings):
        form = _form(ranking, context) or _refuse(queries[i], ranking, item.place(i) if item else None, context)
        if len(ranking):
            forms[form] = None
    if len(forms) > 1:
        raise DataError(
            "form", "rankings of one form", got=f"a mix of {' and '.join(forms)}", where=context.name,
            hint="write all of them as {doc: score} or all of them as [doc, …]",
        )  # fmt: skip
    keyed = "mapping" in forms
    size = np.fromiter(map(len, rankings), np.int64, len(rankings))
    number: list[Any] | None
    passages: Passages | None = None
    if keyed:
        docs = list(chain.from_iterable(rankings))
        number = list(chain.from_iterable(ranking.values() for ranking in rankings if len(ranking)))
    else:
        entries = list(chain.from_iterable(_entries(ranking, context) for ranking in rankings if len(ranking)))
        if _say_more(entries):
            chunks = chunks_of(
                entries, context.wanted.what, origin or context.keys(queries, size, entries, keyed=False)
            )
            docs, number, passages = chunks.ids, chunks.number, chunks.passages
        else:
            docs, number = _split(entries, context)
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


def flattened(queries: list[Any], rankings: list[Any], context: Context) -> tuple[list[Any], Ints | None]:
    """Judgments that are sets of documents, of which any one will do, one after the other; and the number of the set that each entry is of."""
    if context.wanted.what != "qrels":
        return rankings, None
    nested = list(map(are_sets, rankings))
    if not any(nested):
        return rankings, None
    flat, choice = [], []
    for query, ranking, sets in zip(queries, rankings, nested, strict=True):
        some = list(ranking) if sets else [ranking] if is_list(ranking) else _refuse(query, ranking, None, context)
        wrong = next((one for one in some if sets and (not is_set(one) or not len(one))), None)
        if wrong is not None:
            raise DataError(
                "alternatives", f"sets of documents for query {shown(query)}, none of them empty, of which any one will do", got=shown(wrong),
                where=context.name, value=wrong, hint="write [[a, b], [c]]; a document alone is a set, too: [c]",
            )  # fmt: skip
        parts = [sorted(one, key=str) if isinstance(one, Set) else list(one) for one in some]
        flat.append([entry for part in parts for entry in part])
        choice += [number for number, part in enumerate(parts) for _ in part]
    return flat, np.array(choice, dtype=np.int64)


def _say_more(entries: list[Any]) -> bool:
    """Whether entries of lists hold more than documents and numbers: spans, tokens, ids under other names."""
    if not entries or isinstance(entries[0], (str, int)):
        return False
    if are_spans(entries):
        return True
    return all(isinstance(entry, Mapping) for entry in entries) and are_chunks(entries[0])


def _form(ranking: Any, context: Context) -> str | None:
    if isinstance(ranking, Mapping):
        return "mapping"
    if is_list(ranking):
        return "list"
    return "set" if isinstance(ranking, Set) and context.wanted.what == "qrels" else None


def _refuse(query: Any, ranking: Any, where: Place | None, context: Context) -> NoReturn:
    if where is None:
        where = context.place if context.path else Place(f"{context.name}[{shown(query)}]")
    what = "judgments" if context.wanted.what == "qrels" else "ranking"
    if isinstance(ranking, Set):
        raise DataError(
            "unordered", f"the {what} of query {shown(query)} in an order", got="a set", where=where, value=ranking,
            hint="write a list, best first, or {doc: score}",
        )  # fmt: skip
    raise DataError(
        "form", f"the {what} of query {shown(query)} as {{doc: {context.wanted.number}}} or [doc, …]",
        got=f"{shown(ranking)}, a {type(ranking).__name__}", where=where, value=ranking,
        hint="one document alone is a list too: [doc]",
    )  # fmt: skip


def _entries(ranking: Any, context: Context) -> Sequence[Any]:
    if isinstance(ranking, (list, tuple)):
        return ranking
    if isinstance(ranking, np.ndarray):
        return listed(ranking, context.whole(), "doc")
    return sorted(ranking, key=str) if isinstance(ranking, Set) else list(ranking.tolist())


def _split(entries: list[Any], context: Context) -> tuple[list[Any], list[Any] | None]:
    """Documents and their numbers, where the entries of lists hold both."""
    if not entries:
        return [], None
    kinds = set(map(type, entries))
    if all(named_fields(kind) is not None or issubclass(kind, Mapping) for kind in kinds):
        found = find(names_of(entries[0]), context.wanted, context.place, query=False)
        columns = columns_of(entries, found, context)
        return columns["doc"], columns.get(context.wanted.number)
    if all(issubclass(kind, (tuple, list)) for kind in kinds) and set(map(len, entries)) == {2}:
        return [doc for doc, _ in entries], [number for _, number in entries]
    return entries, None
