"""`Todo`: documents to judge, and the files that hold them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core.tables import Id
from judged.errors import DataError, shown
from judged.io.atomic import write_atomically
from judged.io.cells import Column
from judged.io.columns import NAMES, Role
from judged.io.open_table import open_role_table
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number


@dataclass(frozen=True, slots=True)
class TodoItem:
    """A document to judge.

    Args:
        query, doc: the ids.
        rank: the best rank that a run gave it; 0 if unknown.
        runs: names of the runs that retrieved it.
        stratum: the stratum of ranks that it was sampled from, by its last rank; 0 without sampling.
        probability: the probability with which it was chosen; below 1 in a sample.
        reason: why it should be judged, in words.
    """

    query: Id
    doc: Id
    rank: int = 0
    runs: tuple[str, ...] = ()
    stratum: int = 0
    probability: float = 1.0
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """Return what a file contains of it: fields without information are left out."""
        fields = {
            "query": self.query,
            "doc": self.doc,
            "rank": self.rank or None,
            "runs": list(self.runs) or None,
            "stratum": self.stratum or None,
            "probability": self.probability if self.stratum else None,
            "reason": self.reason or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True, repr=False)
class Todo(Result):
    """Documents to judge, in the order in which they should be judged.

    >>> todo = Todo((TodoItem("q1", "d7", rank=1, runs=("bm25", "dense")),))
    >>> [item.doc for item in todo]
    ['d7']
    """

    items: tuple[TodoItem, ...]
    title: str = "documents to judge"
    notes: tuple[str, ...] = ()
    answer: str = ""  # whether judging them can change anything

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[TodoItem]:
        return iter(self.items)

    @property
    def sampled(self) -> bool:
        """True if some documents were chosen with a probability below 1."""
        return any(item.probability < 1 for item in self.items)

    def head(self, n: int) -> Todo:
        """Return the first n documents."""
        return replace(self, items=self.items[:n])

    def headline(self) -> Sequence[str]:
        """Return whether judging can change anything, and the number of documents and queries."""
        queries = len({item.query for item in self.items})
        count = f"{counted(len(self), 'document')} to judge, of {counted(queries, 'query')}."
        return (self.answer, count) if self.answer else (count,)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return the documents as one table; columns that say nothing are left out."""
        headers = ("query", "doc", "rank", "runs", "probability", "reason")
        rows = [
            (
                str(item.query),
                str(item.doc),
                str(item.rank or ""),
                ", ".join(item.runs),
                number(item.probability, places),
                item.reason,
            )
            for item in self.items
        ]
        silent = {
            2: not any(item.rank for item in self.items),
            3: not any(item.runs for item in self.items),
            4: not self.sampled,
            5: not any(item.reason for item in self.items),
        }
        table = Table(headers, tuple(rows), title=self.title, notes=self.notes, words=(0, 1, 3, 5), optional=(3,))
        return [table.without(frozenset(column for column, empty in silent.items() if empty))] if self.items else []

    def records(self) -> list[dict[str, Any]]:
        """Return one mapping per document, all with the same keys."""
        return [
            {
                "query": item.query,
                "doc": item.doc,
                "rank": item.rank or None,
                "runs": " ".join(item.runs),
                "stratum": item.stratum,
                "probability": item.probability,
                "reason": item.reason,
            }
            for item in self.items
        ]

    def to_data(self) -> list[dict[str, Any]]:
        """Return the records of a file."""
        return [item.record() for item in self.items]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as JSON Lines, one record per document; `read_todo` reads them. CSV if the name ends in .csv."""
        with write_atomically(path) as file:
            if Path(path).suffix == ".csv":
                file.write(self.to_csv())
            else:
                file.writelines(json.dumps(item.record(), ensure_ascii=False) + "\n" for item in self.items)


def read_todo(source: Any) -> Todo:
    """Read documents to judge: a file that `Todo.save` wrote, any table with columns of query and document ids, or pairs of ids.

    Raises:
        DataError: a document is listed twice for a query.
    """
    if isinstance(source, Todo):
        return source
    if isinstance(source, list | tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in source):
        source = [{"query": query, "doc": doc} for query, doc in source]
    try:
        table = open_role_table(source, "documents to judge", _ROLES)
    except DataError as error:
        raise error.changed(slug="empty-pool") if error.slug == "empty-clicks" else error from None
    query, doc = table.ids["query"], table.ids["doc"]
    columns = {
        role: table.numbers[role].tolist() if role in table.numbers else None
        for role in ("rank", "runs", "stratum", "probability", "reason")
    }
    items: list[TodoItem] = []
    seen: dict[tuple[int, int], int] = {}
    for row, (q, d) in enumerate(zip(query.code.tolist(), doc.code.tolist(), strict=True)):
        if (q, d) in seen:
            problem = f"duplicate document {shown(doc.ids[d])} in query {shown(query.ids[q])}; first at {table.place(seen[q, d], 'doc')}"
            raise DataError("duplicate-doc", problem, where=table.place(row, "doc"), value=doc.ids[d])
        seen[q, d] = row
        found = {role: column[row] for role, column in columns.items() if column is not None}
        items.append(TodoItem(query.ids[q], doc.ids[d], **found))
    return Todo(tuple(items))


def _as_counts(column: Column) -> NDArray[Any] | None:
    """Return integers ≥ 0; 0 for an empty cell."""
    try:
        found = np.array([0 if _is_missing(cell) else int(cell) for cell in column], np.int64)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if not len(found) or found.min() >= 0 else None


def _as_probabilities(column: Column) -> NDArray[Any] | None:
    """Return numbers above 0 and at most 1; 1 for an empty cell."""
    try:
        found = np.array([1.0 if _is_missing(cell) else float(cell) for cell in column])
    except (ValueError, TypeError):
        return None
    return found if ((found > 0) & (found <= 1)).all() else None


def _as_names(column: Column) -> NDArray[Any] | None:
    """Return tuples of names: of a list, or of words separated by blanks."""
    found = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column):
        names = () if _is_missing(cell) else cell.split() if isinstance(cell, str) else cell
        if not isinstance(names, list | tuple | np.ndarray):
            return None
        found[row] = tuple(map(str, names))
    return found


def _as_words(column: Column) -> NDArray[Any]:
    found = np.empty(len(column), dtype=object)
    found[:] = ["" if _is_missing(cell) else str(cell) for cell in column]
    return found


def _is_missing(cell: Any) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and cell != cell)


_ROLES = {
    "query": Role(NAMES["query"], "query ids (query, query_id, qid …)"),
    "doc": Role(NAMES["doc"], "document ids (doc, doc_id, docno …)"),
    "rank": Role((("rank",),), "best ranks", _as_counts, False, "an integer ≥ 0", "rank-type"),
    "runs": Role((("runs",),), "names of runs", _as_names, False, "a list of names", "columns"),
    "stratum": Role((("stratum",),), "strata", _as_counts, False, "an integer ≥ 0", "columns"),
    "probability": Role(
        (("probability",),),
        "inclusion probabilities",
        _as_probabilities,
        False,
        "a number above 0 and at most 1",
        "inclusion",
    ),
    "reason": Role((("reason",),), "reasons", _as_words, False, "text", "columns"),
}
