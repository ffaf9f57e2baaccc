"""The reader of JSON documents of search engines and evaluation tools, which `known_shapes.py` describes.

A document is alone, under its query in an object, in a record beside its query, or in a list of these; see `parts_of`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.chunks import chunk_id
from judged.io.columns import NAMES, choose_split, plain_name
from judged.io.formats.known_shapes import SHAPES, Paths, Shape
from judged.io.origin import Context
from judged.io.table import SourceTable
from judged.io.text import is_decimal
from judged.tables.table import counted

_QUERIES = {"q", "queryid", "qid", "topicid", *NAMES["query"][1]} - {"user"}
_FEW = 16  # entries by which a value is recognised
_CONTENTS = {"run": "rankings", "qrels": "judgments"}
_EXTENSIONS = re.compile(r"(\.(jsonl?|ndjson|gz|bz2|xz|zst))+$", re.IGNORECASE)


# ── recognition ──────────────────────────────────────────────────────────────────────────────────


class Shaped(NamedTuple):
    """A document in a source, with the query that it answers and the number of the item that contains it."""

    shape: Shape
    value: Any
    query: Any = None
    item: int = 0


def shape_of(value: Any) -> Shape | None:
    """Return the shape of one document, of several that it matches the most specific; None if it has none of them, or is a table."""
    found = [shape for shape in SHAPES if all(_has(value, path) for path in shape.requires)]
    if not found or _has_numbers(value) or (any(value.values()) and all(map(_is_ranking, value.values()))):
        return None
    return max(found, key=lambda shape: sum(path.count(".") + 1 for path in shape.requires))


def _is_ranking(entry: Any) -> bool:
    """Return whether an entry of a query is `{doc: score}` or `[doc, …]`, whatever the ids are."""
    if isinstance(entry, list):
        return not any(isinstance(inner, Mapping | list) for inner in entry)
    return isinstance(entry, Mapping) and _has_numbers(entry)


def _has_numbers(entry: Mapping[Any, Any]) -> bool:
    return all(isinstance(inner, int | float) for inner in entry.values())


def parts_of(value: Any) -> Iterator[Shaped] | None:
    """Return the documents of known shapes in a value; None if it has none.

    Args:
        value: a document, `{query: document}`, a record with a query and a document; or several of these.
    """
    items = iter([value]) if isinstance(value, Mapping) else iter(value) if isinstance(value, Iterable) else iter(())
    first = _parts_in(next(items, None), 0)
    if first is None:
        return None
    # An item of no shape is read as if it had that of the first, whose reader names what is wrong.
    others = (_parts_in(item, i) or [Shaped(first[0].shape, item, item=i)] for i, item in enumerate(items, 1))
    return chain(first, chain.from_iterable(others))


def _parts_in(value: Any, item: int) -> list[Shaped] | None:
    if not isinstance(value, Mapping):
        return None
    beside = {plain_name(name): x for name, x in value.items() if isinstance(x, str | int)}
    query = next((x for name, x in beside.items() if name in _QUERIES), None)
    if (shape := shape_of(value)) is not None:
        return [Shaped(shape, value, query if shape.one_query else None, item)]
    found: dict[Any, Shape] = {}
    for i, (name, entry) in enumerate(value.items()):
        if (shape := shape_of(entry)) is not None and shape.one_query:
            found[name] = shape
        elif i >= _FEW and not found:
            return None  # a table of many queries
    query = beside.get("id") if query is None else query
    if query is not None and len(found) == 1:
        return [Shaped(shape, value[name], query, item) for name, shape in found.items()]
    if not found or not all(isinstance(entry, Mapping | list) for entry in value.values()):
        return None
    shape = next(iter(found.values()))
    return [Shaped(found.get(name, shape), entry, name, item) for name, entry in value.items()]


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def _has(value: Any, path: str) -> bool:
    """Return whether a value has a path, see `Shape.requires`."""
    step, _, rest = path.partition(".")
    name = step.rstrip("[]{}")
    if not isinstance(value, Mapping) or name not in value:
        return False
    inner = value[name]
    if step.endswith("[]"):
        return isinstance(inner, list) and (not rest or (bool(inner) and _has(inner[0], rest)))
    return _has(inner, rest) if rest else name == step or isinstance(inner, Mapping)


def lookup(value: Any, path: str) -> Any:
    """Return the value at a path; None if there is none."""
    for way in path.split("|"):
        inner = value
        for name in way.split("."):
            inner = inner.get(name) if isinstance(inner, Mapping) else None
        if inner is not None:
            return inner
    return None


def _take(value: Any, path: str, where: Place, at: str) -> Any:
    """Return the value at a path, which must be there; `at` is the path of the value itself."""
    if not any(_has(value, way) for way in path.split("|")):
        problem = f"{path.rpartition('|')[2]!r} is missing{f' in {at}' if at else ''}: {shown(value)}"
        raise DataError("form", problem, where=where, value=path)
    return lookup(value, path)


def _column(items: list[Any], path: str, where: Place, at: str) -> list[Any]:
    """Return one field of each object of a list; an error names the first object without it."""
    return [_take(item, path, where, f"{at}[{i}]") for i, item in enumerate(items)]


def _container(value: Any, path: str, where: Place, at: str = "") -> tuple[str, Any]:
    """Return the path of the list or the object at a path such as `hits.hits[]` or `details{}`, and itself."""
    kind, name = path[-2:], path[:-2]
    inner = _take(value, name, where, at) if name else value
    at = f"{at}.{name}" if at and name else at or name
    if not isinstance(inner, list if kind == "[]" else Mapping):
        expected = f"{'a list' if kind == '[]' else 'an object'}{f' at {at}' if at else ''}"
        raise DataError("form", expected, got=f"{shown(inner)} ({type(inner).__name__})", where=where, value=inner)
    return at, inner


# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


class Ranking(NamedTuple):
    """Documents of one query in one document that was read, with scores or grades; ids and numbers are not yet checked.

    Args:
        query: the id; None if it is not known yet.
        item: the number of the item that contains it.
        docs: ids.
        numbers: None: the order decides.
        partial: why documents may be missing.
        skipped: number of documents that have no grade.
    """

    query: Any
    item: int
    docs: list[Any]
    numbers: list[Any] | None
    partial: str
    skipped: int


def read_shape(value: Any, context: Context) -> SourceTable | None:
    """Read a document of a known shape, or several, see `parts_of`; None if the value has no such shape."""
    parts = parts_of(value)
    if parts is None:
        return None
    rankings: list[Ranking] = []
    what, ordered = context.request.what, True
    for part in parts:
        where = _place(context, part.item)
        paths: Paths | None = part.shape.run if what == "run" else part.shape.qrels
        if paths is None:
            hint = f"it has {_CONTENTS['qrels' if what == 'run' else 'run']}; where judgments and a run are needed, the judgments come first"
            raise DataError("swapped", f"no {_CONTENTS[what]} in this {part.shape.name}", where=where, hint=hint)
        ordered = paths.ordered
        try:
            rankings += _read_document(part, paths, context, where)
        except DataError as error:
            about = "" if part.query is None else f" in the document of query {shown(part.query)}"
            raise error.changed(problem=f"{error.problem}{about}") from None
    return _table(rankings, context, ordered=ordered)


def _place(context: Context, item: int) -> Place:
    """Return the place of an item: its line, or the whole source."""
    return context.place if context.lines is None else context.items().place(item)


def _choose_split(part: Shaped, context: Context, where: Place) -> Any:
    """Return the chosen part of `{subset: {split: part}}`."""
    splits = {
        f"{subset}/{name}": found
        for subset in part.value
        if f"{subset}{{}}" != part.shape.requires[0]
        for name, found in _container(part.value, f"{subset}{{}}", where)[1].items()
    }
    if not splits:
        raise DataError("empty-run", "the predictions have no split", where=where, hint="check that MTEB has finished")
    return splits[choose_split(list(splits), context.request.split, where)]


def _read_document(part: Shaped, paths: Paths, context: Context, where: Place) -> Iterator[Ranking]:
    """Read the rankings or judgments of one document."""
    what = context.request.what
    document = _choose_split(part, context, where) if part.shape.splits else part.value
    queries = lookup(document, paths.queries)
    lists: list[tuple[str, Any, Any]] = [("", part.query, document)]
    if paths.lists:
        at, found = _container(document, paths.lists, where)
        if isinstance(found, Mapping):
            lists = [(f"{at}.{key}" if at else str(key), key, entry) for key, entry in found.items()]
        else:
            lists = [(f"{at}[{i}]", None, entry) for i, entry in enumerate(found)]
        if queries is not None and (not isinstance(queries, list) or len(queries) != len(lists)):
            expected = f"a list of {len(lists)} queries at {paths.queries}, one per response"
            raise DataError("form", expected, got=shown(queries), where=where)
    for i, (at, key, entry) in enumerate(lists):
        query = key if queries is None else queries[i]
        if paths.query and (query := _take(entry, paths.query, where, at)) is None:
            hint = "fill it in, or drop the record"
            raise DataError("id-type", f"the id is missing: null at {paths.query}", where=where, hint=hint)
        if error := lookup(document, paths.error) or lookup(entry, paths.error):
            problem = f"the engine returned an error{f' at {at}' if at else ''}: {shown(error, 200)}"
            raise DataError("engine-error", problem, where=where, hint="repeat the request, or leave the query out")
        ids, docs, place = _documents(entry, paths, where, at)
        listed = len(docs)
        if paths.skip is not None:
            graded = [row for row, doc in enumerate(docs) if lookup(doc, paths.skip[0]) != paths.skip[1]]
            ids, docs = [ids[row] for row in graded], [docs[row] for row in graded]
        partial = _partial(document, paths.partial) or _partial(entry, paths.partial)
        total = lookup(entry, paths.total)
        if what == "run" and not ids and (partial or total):  # it would count as a bad ranking
            problem = f"the response to query {shown(query)} has no documents: "
            problem += partial or f"{total} match, and none was requested"
            raise DataError("engine-error", problem, where=where, hint="repeat the request")
        yield Ranking(query, part.item, ids, _numbers(docs, paths, what, where, place), partial, listed - len(docs))


def _documents(entry: Any, paths: Paths, where: Place, inside: str) -> tuple[list[Any], list[Any], str]:
    """Return the ids of the documents of a query, the documents, and the path of their list."""
    if not paths.docs:
        return [_take(entry, paths.doc, where, inside)], [entry], inside
    path = paths.docs.removesuffix("?")
    if path != paths.docs and lookup(entry, path[:-2]) is None:
        return [], [], inside
    at, found = _container(entry, path, where, inside)
    if isinstance(found, Mapping):
        return list(found), list(found.values()), at
    ids, docs = _column(found, paths.doc, where, at) if paths.doc else list(map(chunk_id, found)), found
    if paths.id_pattern:
        matches = [re.fullmatch(paths.id_pattern, str(key), re.DOTALL) for key in ids]
        docs = [doc for doc, match in zip(docs, matches, strict=True) if match]
        ids = [match[1] for match in matches if match]
    return ids, docs, at


def _numbers(docs: list[Any], paths: Paths, what: str, where: Place, at: str) -> list[Any] | None:
    """Return scores or grades; None if the order of the documents decides, as without any score. Numbers may be text."""
    if not paths.value:
        return docs if paths.docs.endswith("{}") else None
    if what == "run" and paths.ordered and all(lookup(doc, paths.value) is None for doc in docs):
        return None
    numbers = _column(docs, paths.value, where, at)
    return [float(x) if isinstance(x, str) and is_decimal(x.encode("utf-8", "replace")) else x for x in numbers]


def _partial(value: Any, paths: str) -> str:
    """Return why documents may be missing; see `Paths`."""
    for path in paths.split("|"):
        name = path.removeprefix("!")
        found = lookup(value, name)
        if found is False if path != name else found:
            return f"{name} is {shown(found)}"
    return ""


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def _table(rankings: list[Ranking], context: Context, *, ordered: bool) -> SourceTable:
    """Return the rows of all rankings. `ordered`: those of a run are in the order of their ranks."""
    context.request.raise_named(context.name)
    is_run = context.request.what == "run"
    rankings, warnings = _name_queries(rankings, context), list[Warned]()
    if is_run:
        _check_queries(rankings, context)
        if partial := [ranking.partial for ranking in rankings if ranking.partial]:
            text = f"{counted(len(partial), 'response')} of {context.name} may lack documents: {partial[0]}"
            warnings.append(Warned("partial-response", len(partial), text, Hint("repeat the requests")))
    elif skipped := sum(ranking.skipped for ranking in rankings):
        rankings = [ranking for ranking in rankings if ranking.docs]
        text = f"treated {counted(skipped, 'document')} of {context.name} without a grade as unjudged"
        warnings.append(Warned("unrated", skipped, text))
    docs = [doc for ranking in rankings for doc in ranking.docs]
    size = np.array([len(ranking.docs) for ranking in rankings], np.int64)
    queries = [ranking.query for ranking in rankings]
    origin, query_origin = context.keys(queries, size, docs, keyed=True), context.whole()
    if context.lines is not None:
        item = np.array([ranking.item for ranking in rankings], np.int64)
        origin, query_origin = context.items({}, np.repeat(item, size)), context.items({}, item)
    # Without scores, the order decides.
    numbers = [range(len(one.docs), 0, -1) if one.numbers is None else one.numbers for one in rankings]
    return SourceTable(
        **(context.basics() | {"warnings": (*context.warnings, *warnings)}),
        origin=origin,
        query_origin=query_origin,
        query=queries,
        doc=docs,
        size=size,
        number=list(chain.from_iterable(numbers)) if any(one.numbers for one in rankings) else None,
        rank=np.arange(1, len(docs) + 1) - np.repeat(np.cumsum(size) - size, size) if is_run and ordered else None,
    )


def _check_queries(rankings: list[Ranking], context: Context) -> None:
    """Raise if a query has two rankings."""
    seen: dict[str, Ranking] = {}
    for ranking in rankings:
        first = seen.setdefault(f"{ranking.query!r}" if context.typed else f"{ranking.query}", ranking)
        if first is not ranking:
            earlier = "" if context.lines is None else f"; first at {_place(context, first.item)}"
            raise DataError(
                "duplicate-query",
                f"duplicate query {shown(ranking.query)}{earlier}",
                where=_place(context, ranking.item),
                value=ranking.query,
                hint="keep one of them, or give each an id of its own",
            )


def _name_queries(rankings: list[Ranking], context: Context) -> list[Ranking]:
    """Give one ranking without a query the name of its file."""
    bare = [ranking.query is None for ranking in rankings]
    if not any(bare):
        return rankings
    if sum(bare) > 1 or context.path is None or context.path.startswith("<"):
        hint = "name the queries: {query: response}, a field query in each record, or a list queries beside responses"
        raise DataError("form", "a response does not have the id of its query", where=context.name, hint=hint)
    query = _EXTENSIONS.sub("", os.path.basename(context.path))  # noqa: PTH119 - may be a URL
    return [one._replace(query=query) if one.query is None else one for one in rankings]
