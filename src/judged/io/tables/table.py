"""The columns of any source, and how they become a `Run` or `Qrels`: checked once, here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from judged._types import Floats, Ints
from judged.core.ids import IdColumn
from judged.core.tables import IdKind, Passages, Qrels, Run
from judged.errors import DataError, Warned
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.ids import Column, RawIds, grouped, ids, listed
from judged.io.tables.numbers import floats, ranks
from judged.io.tables.origin import Document, Keys, Origin, WholeOrigin
from judged.io.text.decimals import decimals, numbers, refuse_number

__all__ = ["SourceTable", "as_qrels", "as_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTable:
    """Columns as they came. With `size`, `query` has one entry per ranking of that many rows."""

    name: str
    wanted: ColumnRequest
    origin: Origin
    query: RawIds
    doc: RawIds
    number: Column | None  # None: documents stand best first, or all are relevant
    rank: Column | None = None
    aspect: Column | None = None
    size: Ints | None = None
    query_origin: Origin | None = None
    in_text: bool = False  # numbers are text cells
    borrowed: bool = False
    once: bool = False  # the source could be read only once
    choice: Ints | None = None
    passages: Passages | None = None
    warnings: tuple[Warned, ...] = ()


def as_run(table: SourceTable) -> Run:
    keys = _keys(table)
    rank = _rank(table)
    if table.number is not None:
        score = _numbers(table)
    elif rank is not None:
        score = -rank.astype(np.float64)
    else:
        rank, score = _best_first(table, len(keys["queries"]))
    return Run(**keys, score=score, rank=rank, passages=table.passages)


def _best_first(table: SourceTable, queries: int) -> tuple[Ints, Floats]:
    """Ranks and scores of lists: the first document of n has rank 1 and score n."""
    size = table.size
    assert size is not None
    if queries < len(size):
        raise DataError(
            "duplicate-query", "one list of documents per query", got=f"{len(size)} lists for {queries} queries",
            hint="join the lists of a query, or give scores", where=table.name,
        )  # fmt: skip
    rank = np.arange(1, size.sum() + 1) - np.repeat(np.cumsum(size) - size, size)
    return rank, np.repeat(size, size) + 1.0 - rank


def as_qrels(table: SourceTable) -> Qrels:
    keys = _keys(table)
    if not len(keys["doc"]):
        _refuse_empty(table)
    grade = np.ones(len(keys["doc"])) if table.number is None else _numbers(table)
    if table.borrowed and (grade != np.trunc(grade)).any():
        row = int(np.argmax(grade != np.trunc(grade)))
        raise DataError(
            "swapped", "whole grades in a column called score", got=f"{grade[row]:g}{table.origin.about(row)}",
            hint="this looks like a run; the judgments come first, or name the column: grade='score'",
            where=table.origin.place(row, "grade"), value=float(grade[row]),
        )  # fmt: skip
    return Qrels(**keys, grade=grade, aspect=_aspect(table), choice=table.choice, passages=table.passages)


def _keys(table: SourceTable) -> dict[str, Any]:
    """Queries and documents, which runs and judgments have in common."""
    if not len(table.query):
        _refuse_empty(table)
    queries, query, query_kind = grouped(table.query, table.query_origin or table.origin, "query")
    doc_kind: IdKind
    doc, doc_kind = ids(table.doc, table.origin, "doc") if len(table.doc) else (IdColumn.of([]), "text")
    origin = table.origin
    if table.size is not None:
        origin = _kept(origin, queries.take(query), doc)
        query = np.repeat(query, table.size)
    return {
        "name": table.name,
        "queries": queries,
        "query": query,
        "doc": doc,
        "query_kind": query_kind,
        "doc_kind": doc_kind,
        "where": origin.place,
        "warnings": table.warnings,
    }


def _kept(origin: Origin, queries: IdColumn, doc: IdColumn) -> Origin:
    """The origin without the objects that were read, so that they can go."""
    if isinstance(origin, Document):
        return WholeOrigin(origin.path)
    if isinstance(origin, Keys):
        return replace(origin, queries=queries, docs=None if origin.docs is None else doc)
    return origin


def _numbers(table: SourceTable) -> Floats:
    what, origin = table.wanted.number, table.origin
    assert table.number is not None
    if not table.in_text:
        try:
            return floats(table.number, origin, what)
        except DataError as error:
            if error.slug == "grade-type" and error.value is None:
                _refuse_unfilled([cell is None for cell in table.number], table, error.slug)
            raise
    whole = what == "grade"
    out = decimals(list(table.number), whole=whole)
    if out is not None:
        return out
    cells = IdColumn.of([cell.strip().encode("utf-8", "surrogateescape") for cell in table.number])
    values = numbers(cells, lenient=False, whole=whole)
    if not isinstance(values, np.ndarray):
        if what == "grade" and not cells[values]:
            _refuse_unfilled([not cell for cell in cells.tolist()], table, "grade-text")
        refuse_number(cells[values], origin.place(values, what), what, origin.about(values))
    return values


def _refuse_unfilled(empty: list[bool], table: SourceTable, slug: str) -> NoReturn:
    """Say how many rows wait for a grade: most such files are lists that nobody has filled yet."""
    where = table.origin.place(empty.index(True), "grade")
    column, rows = where.column_name or "grade", f"{sum(empty)} of {len(empty)} rows of {table.name}"
    raise DataError(
        slug, f"{rows} {'has' if sum(empty) == 1 else 'have'} no {column} yet", where=where, value="",
        hint="fill them, or leave the lines out",
    )  # fmt: skip


def _rank(table: SourceTable) -> Ints | None:
    if table.rank is None:
        return None
    rank = ranks(table.rank)
    if rank is None and ("rank" in table.wanted.named or table.number is None):
        column = table.wanted.named.get("rank", "rank")
        raise DataError(
            "rank-type", "ranks as whole numbers", got=f"other values in {column!r}", where=table.name, value=column,
            hint="convert them, or give scores",
        )  # fmt: skip
    return rank


def _aspect(table: SourceTable) -> IdColumn | None:
    """Subtopics, where they tell judgments apart or were asked for."""
    if table.aspect is None:
        return None
    values = listed(table.aspect, table.origin, "aspect")
    named = "aspect" in table.wanted.named
    kinds = set(map(type, values))
    if not named and (kinds == {type(None)} or (kinds == {str} and not any(values))):
        return None  # a column that was never filled
    text = ids(values, table.origin, "aspect")[0]
    rows = np.arange(len(text))
    constant = text.same(rows, text, np.zeros_like(rows)).all()
    return None if constant and not named else text


def _refuse_empty(table: SourceTable) -> None:
    what = table.wanted.what
    if table.once:
        raise DataError(
            "exhausted", f"rows of a {what}", got="an iterator with nothing left", where=table.name,
            hint="it was read before; make a list of it, or pass what read_run and read_qrels gave",
        )  # fmt: skip
    thing = "ranking" if what == "run" else "judgment"
    hint = "is this the right one, and was it filled?"
    raise DataError(f"empty-{what}", f"at least one {thing}", got="none", hint=hint, where=table.name)
