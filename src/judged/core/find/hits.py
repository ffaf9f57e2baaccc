"""Hits: judged documents that a run retrieved; the same from the native core and from the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.pool import IdPool
from judged.core.tables import Id, IdKind, Run
from judged.errors import DataError, Hint, Place, Warned, shown

KEEP_ONE = Hint("keep one with {duplicates}", duplicates="first")
_IN_TWO_FILES = Hint(
    "if the files are different runs, name each of them (a pattern without quotes); otherwise keep one with {duplicates}",
    duplicates="first",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Hits:
    """The judged documents of a run, sorted by query, then by rank."""

    retrieved: Ints  # per query of the pool
    answered: NDArray[np.bool_]
    query: Ints  # per hit
    rank: Ints
    judgment: Ints
    tie_first: Ints
    tie_last: Ints
    infinite: int  # scores of all rows, judged or not
    disagreeing: int  # queries whose rank column contradicts the scores
    unjudged: int  # queries without judgments
    some_unjudged: tuple[bytes, ...]  # the first three of them
    more_unjudged: bool = False  # there are more than were counted
    warnings: tuple[Warned, ...] = ()  # of the readers of batches


def queries_of(pool: IdPool, run: Run) -> dict[str, Any]:
    """Return the queries that the run answers, including empty rankings, and those without judgments."""
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)
    answered = np.zeros(len(pool.queries), bool)
    answered[code[code >= 0]] = True
    bare = set(pool.bare())
    unjudged = [raw for raw in run.queries.take(code < 0).tolist() if raw not in bare]
    return {"answered": answered, "unjudged": len(unjudged), "some_unjudged": tuple(unjudged[:3])}


def raise_empty_run(name: str) -> NoReturn:
    raise DataError("empty-run", "the run contains no rankings", hint="check the path", where=name)


def raise_no_common_query(
    judged: Sequence[Id], name: str, unjudged: Sequence[Id], warnings: Sequence[Warned] = ()
) -> NoReturn:
    """Raise `no-common-query` with examples of the queries of the judgments and of the run; `empty-run` if it has none.

    Args:
        judged: queries of the judgments.
        name: of the run.
        unjudged: queries of the run.
        warnings: of the reader of the run; if it used positions as ids, its action is the one to take.
    """
    if not unjudged:
        raise_empty_run(name)
    ours, theirs = (", ".join(map(shown, queries[:3])) for queries in (judged, unjudged))
    positions = next((warned.hint for warned in warnings if warned.slug == "query-positions"), None)
    likely: Hint | str | None = positions or _explain_difference(judged, unjudged)
    if len(unjudged) == 1 and is_named_after(name, unjudged[0]):
        likely = "give the file the name of its query, or write {query: response}, since a response has no query id"
    raise DataError(
        "no-common-query",
        f"run and judgments have no query in common (judgments: {ours} …, run: {theirs} …)",
        hint=likely or "check that these are the judgments for this run",
        where=name,
    )


def is_named_after(file: str, query: Id) -> bool:
    """Return whether a file has the name of a query, as one with a single response of a search engine."""
    return file.rpartition("/")[2].partition(".")[0] == _as_text(query)


def _as_text(query: Id) -> str:
    return query.decode("utf-8", "surrogateescape") if isinstance(query, bytes) else str(query)


def _explain_difference(judged: Sequence[Id], unjudged: Sequence[Id]) -> str | None:
    """Return an action if the ids differ in their encoding, in case, in blanks, or in leading zeros."""
    ours, theirs = (list(map(_as_text, side)) for side in (judged, unjudged))
    broken = [any("\udc80" <= letter <= "\udcff" for query in side for letter in query) for side in (ours, theirs)]
    if broken[0] != broken[1]:
        return f"convert the {'judgments' if broken[0] else 'run'} to UTF-8, for example with iconv -f CP1252 -t UTF-8"
    for change, words in (
        (str.casefold, "case"),
        (str.strip, "blanks"),
        (lambda query: query.lstrip("0"), "leading zeros"),
    ):
        if set(map(change, ours)) & set(map(change, theirs)):
            return f"write the query ids alike: they differ only in {words}"
    return None


def raise_no_rank(name: str, run: Run | None = None) -> NoReturn:
    """Raise for a run that cannot be ordered by rank; if it has ranks, at the first that is wrong."""
    hint = Hint("use {order}", order="score")
    if run is not None and run.wrong_rank is not None:
        where, cell = run.wrong_rank
        raise DataError("no-rank", f"ranks must be integers ≥ 0, got {cell}", where=where, hint=hint, value=cell)
    raise DataError("no-rank", "the run has no column of ranks that are integers ≥ 0", hint=hint, where=name)


def raise_duplicate(
    query: bytes, doc: bytes, earlier: Place, later: Place, count: int, hint: Hint | str = KEEP_ONE
) -> NoReturn:
    more = f" ({count} duplicates in total)" if count > 1 else ""
    problem = f"duplicate document {shown(doc)} in query {shown(query)}; first at {earlier}{more}"
    if hint is KEEP_ONE and earlier.path != later.path and later.line is not None:
        hint = _IN_TWO_FILES
    raise DataError("duplicate-doc", problem, hint=hint, where=later, value=doc)


def check_id_kinds(kinds: tuple[IdKind, IdKind], run: Run) -> None:
    """Raise `id-type` if the ids of a run are of other types than those of the judgments."""
    if len(run):
        check_same_kinds(kinds, (run.query_kind, run.doc_kind), run.name, "convert one side, for example str({}_id)")


def check_same_kinds(kinds: tuple[IdKind, IdKind], others: tuple[IdKind, IdKind], name: str, hint: str) -> None:
    """Raise `id-type` if ids of queries or documents are of two types, which never match; `{}` in the hint is the noun."""
    for what, ours, theirs in zip(("query", "document"), kinds, others, strict=True):
        if ours != theirs:
            problem = f"{what} ids are {_KIND[ours]} in the judgments and {_KIND[theirs]} in the run"
            raise DataError("id-type", problem, hint=hint.format(what), where=name)


_KIND = {"text": "str", "integer": "int", "other": "objects"}
