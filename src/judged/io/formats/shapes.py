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
from judged.io.columns import choose_split, plain_name
from judged.io.formats.known_shapes import SHAPES, Paths, Shape
from judged.io.origin import Context
from judged.io.table import SourceTable
from judged.io.text import is_decimal
from judged.tables.table import counted

_QUERIES = (
    "queryid",
    "qid",
    "topicid",
    "topic",
    "query",
    "q",
    "searchterm",
    "searchquery",
    "querytext",
    "keyword",
    "question",
)
_FEW = 16  # entries by which a value is recognised
_CONTENTS = {"run": "rankings", "qrels": "judgments", "texts": "texts"}
_EXTENSIONS = re.compile(r"(\.(jsonl?|ndjson|gz|bz2|xz|zst))+$", re.IGNORECASE)


# ── recognition ──────────────────────────────────────────────────────────────────────────────────


class Shaped(NamedTuple):
    """A document in a source, with the query that it answers and the number of the item that contains it."""

    shape: Shape
    value: Any
    query: Any = None
    item: int = 0


def shape_of(value: Any, *, alone: bool = True) -> Shape | None:
    """Return the shape of one document, of several that it matches the most specific; None if it has none of them, or is a table.

    Not `alone`, it is the entry of a query: an object of numbers may be a ranking, but none that contains others.
    """
    if not isinstance(value, Mapping):
        return None
    found = [shape for shape in SHAPES if all(_values_at(value, path) for path in shape.requires)]
    if not found or _has_numbers(value) or (alone and any(value.values()) and all(map(_is_ranking, value.values()))):
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
        value: a document, `{query: document}`, a record with a query and a document; or several of these. A query may have a list of
            documents, its pages.
    """
    items = iter([value]) if isinstance(value, Mapping) else iter(value) if isinstance(value, Iterable) else iter(())
    first = _parts_in(next(items, None), 0)
    if first is None:
        return None
    # An item of no shape is read as if it had that of the first, whose reader names what is wrong.
    others = (_parts_in(item, i) or [Shaped(first[0].shape, item, item=i)] for i, item in enumerate(items, 1))
    return chain(first, chain.from_iterable(others))


def _parts_in(value: Any, item: int) -> list[Shaped] | None:
    if (shape := shape_of(value)) is not None:
        return [Shaped(shape, value, _query_beside(value, _QUERIES) if shape.one_query else None, item)]
    if not isinstance(value, Mapping):
        return None
    found: dict[Any, list[Shaped]] = {}
    for i, (name, entry) in enumerate(value.items()):
        if pages := _pages(entry, name, item):
            found[name] = pages
        elif i >= _FEW and not found:
            return None  # a table of many queries
    query = _query_beside(value, (*_QUERIES, "id"))
    if query is not None and len(found) == 1:
        return [part._replace(query=query) for parts in found.values() for part in parts]
    if not found or not all(isinstance(entry, Mapping | list) for entry in value.values()):
        return None
    shape = next(iter(found.values()))[0].shape
    return [part for name in value for part in found.get(name) or [Shaped(shape, value[name], name, item)]]


def _pages(entry: Any, query: Any, item: int) -> list[Shaped]:
    """Return the documents of one query; none if one of them has no shape."""
    pages = []
    for page in entry if isinstance(entry, list) else [entry]:
        shape = shape_of(page, alone=False)
        if shape is None or not shape.one_query:
            return []
        pages.append(Shaped(shape, page, query, item))
    return pages


def _query_beside(value: Mapping[str, Any], known: tuple[str, ...]) -> Any:
    return next((x for name, x in value.items() if plain_name(name) in known and isinstance(x, str | int)), None)


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def lookup(value: Any, path: str) -> Any:
    """Return the value at a path; None if there is none. `{"a": {"b": 1}}` and `{"a.b": 1}` both have `a.b`."""
    ways = path.split("|") if path else ()
    return next((found for way in ways for found in _values_at(value, way) if found is not None), None)


def _values_at(value: Any, path: str) -> list[Any]:
    """Return the values at a path, see `Shape.requires`; a name may contain dots."""
    if not path:
        return [value]
    if not isinstance(value, Mapping):
        return []
    steps, found = path.split("."), []
    for end in range(1, len(steps) + 1):
        step, rest = ".".join(steps[:end]), ".".join(steps[end:])
        inner = value.get(step.rstrip("[]{}"))
        if step.endswith("[]"):
            if isinstance(inner, list) and (inner or not rest):
                found += _values_at(inner[0] if rest else inner, rest)
        elif isinstance(inner, Mapping) or (step in value and not step.endswith("{}")):
            found += _values_at(inner, rest)
    return found


def _take(value: Any, path: str, where: Place, at: str) -> Any:
    """Return the value at a path, which must be there; `at` is the path of the value itself."""
    if not any(_values_at(value, way) for way in path.split("|")):
        problem = f"{path.rpartition('|')[2]!r} is missing{f' in {at}' if at else ''}: {shown(value)}"
        raise DataError("form", problem, where=where, value=path)
    return lookup(value, path)


def _column(items: list[Any], path: str, where: Place, at: str) -> list[Any]:
    """Return one field of each object of a list; an error names the first object without it."""
    try:
        return [item[path] for item in items]
    except (KeyError, TypeError, IndexError):
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
        shape: of the document.
        docs: ids.
        numbers: None: the order decides.
        total: the number of documents that match the query.
        partial: why documents may be missing.
        skipped: number of documents that have no grade.
    """

    query: Any
    item: int
    shape: Shape
    docs: list[Any]
    numbers: list[Any] | None
    total: Any
    partial: str
    skipped: int


def read_shape(value: Any, context: Context) -> SourceTable | None:
    """Read a document of a known shape, or several, see `parts_of`; None if the value has no such shape."""
    parts = parts_of(value)
    if parts is None:
        return None
    rankings: list[Ranking] = []
    what = context.request.what
    for part in parts:
        where = _place(context, part.item)
        paths = _paths_of(part.shape, what, where)
        try:
            rankings += _read_document(part, paths, context, where)
        except DataError as error:
            about = "" if part.query is None else f" in the document of query {shown(part.query)}"
            raise error.changed(problem=f"{error.problem}{about}") from None
    return _table(rankings, context)


def shape_texts(value: Any, where: Place) -> Iterator[tuple[Any, Any]] | None:
    """Return ids and texts in a document of a known shape; None if the value has no such shape."""
    parts = parts_of(value)
    return None if parts is None else chain.from_iterable(_texts(part, where) for part in parts)


def _texts(part: Shaped, where: Place) -> Iterator[tuple[Any, Any]]:
    paths = _paths_of(part.shape, "texts", where)
    ids, docs, _ = _documents(part.value, paths, where, "")
    return zip(ids, [lookup(doc, paths.value) if paths.value else doc for doc in docs], strict=True)


def _paths_of(shape: Shape, what: str, where: Place) -> Paths:
    paths: Paths | None = getattr(shape, what)
    if paths is None:
        others = " or ".join(_CONTENTS[kind] for kind in _CONTENTS if getattr(shape, kind) is not None)
        hint = f"it has {others}; where judgments and a run are needed, the judgments come first"
        raise DataError("swapped", f"no {_CONTENTS[what]} in this {shape.name}", where=where, hint=hint)
    return paths


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
    shape, what = part.shape, context.request.what
    document = _choose_split(part, context, where) if shape.splits else part.value
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
        numbers = _numbers(docs, paths, what, where, place)
        partial = _partial(document, paths.partial) or _partial(entry, paths.partial)
        yield Ranking(query, part.item, shape, ids, numbers, lookup(entry, paths.total), partial, listed - len(docs))


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


def _table(rankings: list[Ranking], context: Context) -> SourceTable:
    """Return the rows of all rankings; those of one query follow each other."""
    context.request.raise_named(context.name)
    is_run = context.request.what == "run"
    rankings, warnings = _name_queries(rankings, context)
    by_query: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        group = by_query.setdefault(f"{ranking.query!r}" if context.typed else f"{ranking.query}", [])
        if group and is_run and not ranking.shape.one_query:  # no pages
            first = "" if context.lines is None else f"; first at {_place(context, group[0].item)}"
            raise DataError(
                "duplicate-query",
                f"duplicate query {shown(ranking.query)}{first}",
                where=_place(context, ranking.item),
                value=ranking.query,
                hint="keep one of them, or give each an id of its own",
            )
        group.append(ranking)
    groups = list(by_query.values())
    if is_run:
        warnings += _warn_partial(groups, context)
    elif skipped := sum(ranking.skipped for ranking in rankings):
        groups = [group for group in groups if any(ranking.docs for ranking in group)]
        text = f"no grade for {counted(skipped, 'document')} of {context.name}, left unjudged"
        warnings.append(Warned("unrated", skipped, text))
    rankings = [ranking for group in groups for ranking in group]
    docs = [doc for ranking in rankings for doc in ranking.docs]
    size = np.array([sum(len(ranking.docs) for ranking in group) for group in groups], np.int64)
    queries = [group[0].query for group in groups]
    if context.lines is None:
        origin, query_origin = context.keys(queries, size, docs, keyed=True), context.whole()
    else:
        item = np.repeat([ranking.item for ranking in rankings], [len(ranking.docs) for ranking in rankings])
        origin = context.items({}, item.astype(np.int64))
        query_origin = context.items({}, np.array([group[0].item for group in groups], np.int64))
    ordered = is_run and docs and _paths_of(rankings[0].shape, "run", context.place).ordered
    numbers: list[Any] = []
    for group in groups:  # without scores, the order of a query's documents decides
        known = [ranking.numbers for ranking in group if ranking.docs]
        numbers += range(sum(len(r.docs) for r in group), 0, -1) if None in known else chain.from_iterable(known)  # type: ignore[arg-type]
    scored = any(ranking.numbers is not None for ranking in rankings if ranking.docs)
    return SourceTable(
        **(context.basics() | {"warnings": (*context.warnings, *warnings)}),
        origin=origin,
        query_origin=query_origin,
        query=queries,
        doc=docs,
        size=size,
        number=numbers if scored else None,
        rank=np.arange(1, len(docs) + 1) - np.repeat(np.cumsum(size) - size, size) if ordered else None,
    )


def _name_queries(rankings: list[Ranking], context: Context) -> tuple[list[Ranking], list[Warned]]:
    """Give the rankings without a query their ids: the name of the file for one of them, their positions for several."""
    bare = sum(ranking.query is None for ranking in rankings)
    if not bare:
        return rankings, []
    if bare > 1:
        ids = [str(position) for position in range(1, bare + 1)]
        hint = "name the queries: {query: response}, a field query in each record, or a list queries beside responses"
        text = f"{bare} responses of {context.name} have no query ids; their positions are used: 1, 2, …"
        warnings = [Warned("query-positions", bare, text, Hint(hint))]
    elif context.path is None or context.path.startswith("<"):
        hint = "write {query: response}, or save it in a file with the query as its name"
        raise DataError("form", "the response does not have the id of its query", where=context.name, hint=hint)
    else:
        ids, warnings = [_EXTENSIONS.sub("", os.path.basename(context.path))], []  # noqa: PTH119 - may be a URL
    named = iter(ids)
    return [ranking._replace(query=next(named)) if ranking.query is None else ranking for ranking in rankings], warnings


def _warn_partial(groups: list[list[Ranking]], context: Context) -> list[Warned]:
    """Warn of rankings that may lack documents; raise for one without any, unless none matches: it would count as a bad one."""
    reasons = []
    for group in groups:
        reason = next((ranking.partial for ranking in group if ranking.partial), "")
        total = next((ranking.total for ranking in group if ranking.total), 0)
        if not any(ranking.docs for ranking in group) and (reason or total):
            problem = f"the response to query {shown(group[0].query)} has no documents: "
            problem += reason or f"{total} match, and none was requested"
            raise DataError("engine-error", problem, where=_place(context, group[0].item), hint="repeat the request")
        reasons += [reason] if reason else []
    if not reasons:
        return []
    text = f"{counted(len(reasons), 'response')} of {context.name} may lack documents: {reasons[0]}"
    return [Warned("partial-response", len(reasons), text, Hint("repeat the requests"))]
