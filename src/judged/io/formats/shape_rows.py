"""Rows of the documents that `shapes.py` detects: rankings and judgments of any shape as one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, NoReturn

import numpy as np

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.formats.shape_checks import check_hits, check_whole, place_of, warn_judgments, warn_runs
from judged.io.formats.shapes import Shaped, TextRow, a_shape, may_have_shape, parts_of
from judged.io.origin import Context
from judged.io.run_names import short_names
from judged.io.table import SourceTable
from judged.io.text.decimals import is_decimal
from judged.tables.text import counted

_REQUESTS = ("request", "body", "params")
_OTHER = {"run": "rankings", "qrels": "judgments", "texts": "texts"}
_USE: dict[str, Hint | str] = {
    "run": "pass it as a run",
    "qrels": "pass it as the judgments, which come first",
    "texts": Hint("pass it as {query_texts}", query_texts=None),
}


class Ranking(NamedTuple):
    """Documents of one query, in the order of a document that was read, with scores or grades.

    Args:
        docs: ids, not yet checked.
        numbers: scores or grades, not yet checked; None: the order decides, or all documents are relevant.
        query: the id; None if only the surroundings of the document have it.
        total: the number of documents that match the query, if it is known.
        start: the number of documents before the first one.
        partial: why documents may be missing.
        page: an identifier that all pages of one ranking have.
        unscored: the scores are null.
        whole: no other document has more of this ranking: a second one of the same query is an error.
        ordered: False if the order of the documents means nothing.
        left_out: number of documents that were not judged after all.
    """

    docs: list[Any]
    numbers: list[Any] | None = None
    query: Any = None
    total: int | None = None
    start: int = 0
    partial: str = ""
    page: str | None = None
    unscored: bool = False
    whole: bool = False
    ordered: bool = True
    left_out: int = 0


# ── helpers for readers ──────────────────────────────────────────────────────────────────────────

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "text", int: "an integer", float: "a number"}


def take(value: Any, path: str, kind: type, where: Place, at: str = "") -> Any:
    """Return the value at a path such as `hits.hits`, of a kind; an error names the path. `at` is the path of the value itself."""
    for name in path.split(".") if path else ():
        if not isinstance(value, Mapping):
            raise_kind(value, at, dict, where)
        if name not in value:
            raise DataError("json-field", f"{name!r} is missing{f' in {at}' if at else ''}", where=where, value=name)
        value, at = value[name], f"{at}.{name}" if at else name
    fits = isinstance(value, Mapping if kind is dict else kind) and not (kind is int and isinstance(value, bool))
    return value if fits else raise_kind(value, at, kind, where)


def column(items: list[Any], name: str, where: Place, at: str) -> list[Any]:
    """Return one field of each object of a list; an error names the first object without it."""
    try:
        return [item[name] for item in items]
    except (KeyError, TypeError, IndexError):
        for i, item in enumerate(items):
            take(item, name, object, where, f"{at}[{i}]")
        raise


def take_id(value: Any, path: str, where: Place) -> Any:
    """Return the id at a path, which is not null: a ranking without one would be numbered."""
    found = take(value, path, object, where)
    if found is None:
        raise DataError(
            "id-null", f"the id is missing: null at {path}", where=where, hint="fill it in, or drop the record"
        )
    return found


def scores_of(hits: list[Any], name: str, where: Place, at: str) -> dict[str, Any]:
    """Return the scores of hits as fields of a `Ranking`: none if no hit has any, or if all of them are null."""
    if not any(isinstance(hit, Mapping) and name in hit for hit in hits):
        return {}
    scores = column(hits, name, where, at)
    return {"numbers": scores} if any(score is not None for score in scores) else {"unscored": True}


def decimals(values: list[Any]) -> list[Any]:
    """Return numbers that are written as text; everything else stays, and is checked later."""
    return [
        float(value) if isinstance(value, str) and is_decimal(value.encode("utf-8", "replace")) else value
        for value in values
    ]


def raise_kind(value: Any, at: str, kind: type, where: Place) -> NoReturn:
    got = f"{shown(value)} ({type(value).__name__})"
    raise DataError("json-field", f"{_KINDS[kind]}{f' at {at}' if at else ''}", got=got, where=where, value=value)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


class QueryPage(NamedTuple):
    """Documents of a query, and the item that contains them."""

    query: Any
    ranking: Ranking
    item: int


def read_shape(value: Any, context: Context) -> SourceTable | None:
    """Read a document of a known shape, or several, see `parts_of`; None if the value has no such shape."""
    parts = parts_of(value)
    return None if parts is None else _read_pages(list(_pages(parts, context)), context)


def read_shape_lines(first: Any, batches: Iterable[list[Any]], context: Context) -> SourceTable:
    """Read the lines of a file, the first of which is a document of a known shape, in batches of which few are in memory at a time."""
    pages: list[QueryPage] = []
    lines = 0
    for batch in batches:
        parts = (
            parts_of([first, *batch]) or []
        )  # a line of no shape is like the first, whose reader names what is wrong
        pages += _pages([part._replace(item=part.item - 1 + lines) for part in parts if part.item], context)
        lines += len(batch)
    return _read_pages(pages, context)


def _read_pages(pages: list[QueryPage], context: Context) -> SourceTable:
    context.request.raise_named(context.name)
    named, warned = _name_queries(pages, context)
    return table_of(named, replace(context, warnings=(*context.warnings, *warned)))


def shape_texts(value: Any, where: Place) -> Iterator[TextRow] | None:
    """Return the texts in a document of a known shape; None if the value has no such shape."""
    parts = parts_of(value) if may_have_shape(value) else None
    if parts is None:
        return None
    return chain.from_iterable(_reader(part, "texts", where)(part.value, where) for part in parts)


def _reader(part: Shaped, what: str, where: Place) -> Any:
    read = getattr(part.shape, what)
    if read is None:
        use = next(_USE[kind] for kind in _USE if getattr(part.shape, kind) is not None)
        raise DataError("swapped", f"{a_shape(part.shape)} has no {_OTHER[what]}", where=where, hint=use)
    return read


def _pages(parts: list[Shaped], context: Context) -> Iterator[QueryPage]:
    for part in parts:
        where = place_of(context, part.item)
        read = _reader(part, context.request.what, where)
        try:
            for ranking in read(part.choose(context.request.split, where), where):
                query = part.query if ranking.query is None else ranking.query
                yield QueryPage(query, ranking._replace(start=ranking.start or _offset(part.beside)), part.item)
        except DataError as error:
            about = "" if part.query is None else f" in the document of query {shown(part.query)}"
            raise error.changed(problem=f"{error.problem}{about}") from None


def _offset(record: Mapping[str, Any] | None) -> int:
    """Return the number of documents that a request skips, if it is in the record of its response."""
    if record is None:
        return 0
    requests = [record, *(record[name] for name in _REQUESTS if isinstance(record.get(name), Mapping))]
    found = (request.get(name) for request in requests for name in ("from", "start", "offset"))
    return next((start for start in found if isinstance(start, int) and not isinstance(start, bool)), 0)


def _name_queries(pages: list[QueryPage], context: Context) -> tuple[list[QueryPage], list[Warned]]:
    """Give the rankings without a query their ids: the name of the file for one of them, their positions for several."""
    bare = [page for page in pages if page.query is None]
    keys = dict.fromkeys(page.ranking.page or i for i, page in enumerate(bare))
    if not keys:
        return pages, []
    warned: list[Warned] = []
    ids = [str(i) for i in range(1, len(keys) + 1)]
    if len(keys) > 1:
        text = (
            f"{counted(len(keys), 'response')} of {context.name} have no query ids; their positions are used: 1, 2, …"
        )
        warned = [
            Warned(
                "query-positions",
                len(keys),
                text,
                Hint(
                    "name the queries: {query: response}, a field query in each record, or a list queries beside responses"
                ),
            )
        ]
    elif context.path is None or context.path.startswith("<"):
        hint = "write {query: response}, or save it in a file with the query as its name"
        raise DataError(
            "query-unnamed", "the response does not have the id of its query", where=context.name, hint=hint
        )
    else:
        ids = short_names([context.path])
    named = dict(zip(keys, ids, strict=True))
    found = (named[page.ranking.page or i] for i, page in enumerate(bare))
    return [page if page.query is not None else page._replace(query=next(found)) for page in pages], warned


def table_of(pages: list[QueryPage], context: Context) -> SourceTable:
    """Return the rows of all pages; those of one query follow each other."""
    by_query: dict[str, list[QueryPage]] = {}
    for page in pages:
        by_query.setdefault(f"{page.query!r}" if context.typed else f"{page.query}", []).append(page)
    check_whole(by_query.values(), context)
    groups = [sorted(group, key=lambda page: page.ranking.start) for group in by_query.values()]
    is_run = context.request.what == "run"
    if left_out := sum(page.ranking.left_out for page in pages):
        text = f"{counted(left_out, 'answer')} of {context.name} had no grade that could be read, left out"
        context = replace(context, warnings=(*context.warnings, Warned("no-answer", left_out, text)))
        groups = [group for group in groups if any(page.ranking.docs for page in group)]
    if is_run:
        check_hits(groups, context)
    context = replace(
        context, warnings=(*context.warnings, *(warn_runs if is_run else warn_judgments)(groups, context))
    )
    docs = [doc for group in groups for page in group for doc in page.ranking.docs]
    size = np.array([sum(len(page.ranking.docs) for page in group) for group in groups], np.int64)
    pages = [page for group in groups for page in group]
    item = np.repeat(np.array([page.item for page in pages], np.int64), [len(page.ranking.docs) for page in pages])
    queries = [group[0].query for group in groups]
    rank = np.arange(1, size.sum() + 1) - np.repeat(np.cumsum(size) - size, size)
    origin = context.keys(queries, size, docs, keyed=True) if context.lines is None else context.items({}, item)
    first = np.array([group[0].item for group in groups], np.int64)
    return SourceTable(
        **context.basics(),
        origin=origin,
        query_origin=context.whole() if context.lines is None else context.items({}, first),
        query=queries,
        doc=docs,
        size=size,
        number=_numbers(groups),
        rank=rank if is_run and len(docs) and pages[0].ranking.ordered else None,
    )


def _numbers(groups: list[list[QueryPage]]) -> list[Any] | None:
    """Return scores or grades; without them, the order of a query's documents decides."""
    lists = [[page.ranking for page in group if page.ranking.docs] for group in groups]
    if all(ranking.numbers is None for rankings in lists for ranking in rankings):
        return None
    numbers: list[Any] = []
    for rankings in lists:
        known = [ranking.numbers for ranking in rankings if ranking.numbers is not None]
        if len(known) == len(rankings):
            numbers += chain.from_iterable(known)
        else:
            numbers += range(sum(len(ranking.docs) for ranking in rankings), 0, -1)
    return numbers
