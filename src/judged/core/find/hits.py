"""What the join found in a run: the same from the native core and from the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.pool import IdPool
from judged.core.tables import IdKind, Run
from judged.errors import DataError, Place, Warned, shown

__all__ = [
    "KEEP_ONE",
    "Hits",
    "check_id_kinds",
    "check_same_kinds",
    "queries_of",
    "raise_duplicate",
    "raise_no_common_query",
    "raise_no_rank",
]

KEEP_ONE = "keep one of them with duplicates='first' or 'best'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What a run holds of a pool. Hits are sorted by query, then by rank."""

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
    more_unjudged: bool = False  # there are more: so many are not told apart
    warnings: tuple[Warned, ...] = ()  # of the batches that it was read in


def queries_of(pool: IdPool, run: Run) -> dict[str, Any]:
    """Which queries the run answers, a ranking without a document included, and which have no judgments."""
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)
    answered = np.zeros(len(pool.queries), bool)
    answered[code[code >= 0]] = True
    bare = set(pool.bare())
    strangers = [raw for raw in run.queries.take(code < 0).tolist() if raw not in bare]
    return {"answered": answered, "unjudged": len(strangers), "some_unjudged": tuple(strangers[:3])}


def raise_no_common_query(pool: IdPool, name: str, theirs: tuple[bytes, ...]) -> NoReturn:
    theirs = theirs or tuple(pool.bare()[:3])
    if not theirs:
        raise DataError("empty-run", "at least one ranking", got="none", where=name)
    ours = ", ".join(shown(query) for query in pool.queries[:3])
    raise DataError(
        "no-common-query",
        f"queries of the judgments ({ours} …)",
        got=f"only others ({', '.join(map(shown, theirs))} …)",
        hint="are these the judgments for this run?",
        where=name,
    )


def raise_no_rank(name: str) -> NoReturn:
    raise DataError("no-rank", "a rank column", got="none", hint="use order='score'", where=name)


def raise_duplicate(
    query: bytes, doc: bytes, earlier: Place, later: Place, count: int, hint: str = KEEP_ONE
) -> NoReturn:
    raise DataError(
        "duplicate-doc",
        f"each document once in the ranking of query {shown(query)}",
        got=f"{shown(doc)} also at {earlier}" + (f", {count} repeats in all" if count > 1 else ""),
        hint=hint,
        where=later,
        value=doc,
    )


def check_id_kinds(kinds: tuple[IdKind, IdKind], run: Run) -> None:
    """An error where the ids of a run are of other types than those of the judgments."""
    if len(run):
        check_same_kinds(kinds, (run.query_kind, run.doc_kind), run.name, "convert one side, for example str({}_id)")


def check_same_kinds(kinds: tuple[IdKind, IdKind], others: tuple[IdKind, IdKind], name: str, hint: str) -> None:
    """An error where ids of queries or documents are of two types, which would never meet; the hint names which."""
    for what, ours, theirs in zip(("query", "document"), kinds, others, strict=True):
        if ours != theirs:
            raise DataError(
                "id-type",
                f"{what} ids of one type on both sides",
                got=f"{_KIND[ours]} in the judgments and {_KIND[theirs]} in the run",
                hint=hint.format(what),
                where=name,
            )


_KIND = {"text": "str", "integer": "int", "other": "objects"}
