"""What the readers give: judgments and rankings as columns, before they are joined."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.ids import IdColumn
from judged.errors import Place, Warned

__all__ = ["HasName", "Id", "IdKind", "Passages", "Qrels", "Run"]

Id = Hashable
IdKind = Literal["text", "integer", "other"]


def _nowhere(row: int) -> Place:
    return Place(f"row {row + 1}")


def _place(where: Callable[[int], Place], rows: Ints, row: int) -> Place:
    return where(int(rows[row]))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HasName:
    """Something that was read, or will be, with the name it is called by; and the path, where it lies in a file."""

    name: str
    path: str | None = None

    @property
    def label(self) -> str:
        """The name without its folders."""
        return self.name.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """What is known of the chunks of rows beside their ids; None for what is not known.

    `start` and `end` count characters of the document (or tokens), the end not included.
    """

    doc: IdColumn | None = None  # the document that a chunk is of
    start: Ints | None = None
    end: Ints | None = None
    tokens: Ints | None = None  # -1 where a chunk has no count
    score: Floats | None = None  # as given, where the order of a list decides

    @property
    def spans(self) -> bool:
        """Whether it is known where each chunk stands in its document."""
        return self.doc is not None and self.start is not None and self.end is not None

    def take(self, rows: Ints | Bools) -> Passages:
        """The same of some rows."""
        known = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return Passages(**{name: _taken(column, rows) for name, column in known.items()})


def _taken(column: Any, rows: Ints | Bools) -> Any:
    return column.take(rows) if isinstance(column, IdColumn) else None if column is None else column[rows]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _IdTable(HasName):
    """Rows of (query, doc): `query` indexes `queries`; ids are text, whatever they were given as."""

    queries: IdColumn  # each query id once, in order of appearance
    query: Ints
    doc: IdColumn
    query_kind: IdKind = "text"
    doc_kind: IdKind = "text"
    where: Callable[[int], Place] = field(default=_nowhere, repr=False)
    warnings: tuple[Warned, ...] = ()
    passages: Passages | None = None

    def __len__(self) -> int:
        return len(self.query)

    def take(self, rows: Ints | Bools) -> Self:
        """The same queries with some of the rows."""
        where = partial(_place, self.where, np.arange(len(self))[rows])
        columns: dict[str, Any] = {"query": self.query[rows], "doc": self.doc.take(rows), "where": where}
        known = ("score", "rank", "grade", "aspect", "sub", "choice")
        columns |= {name: _taken(getattr(self, name), rows) for name in known if hasattr(self, name)}
        kept = None if self.passages is None else self.passages.take(rows)
        return replace(self, **columns, passages=kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r}, {len(self.queries)} queries, {len(self)} documents)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Run(_IdTable):
    """A ranking for each query: documents with the scores that a system gave them."""

    score: Floats
    rank: Ints | None = None  # the rank column as written, where there is one
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Qrels(_IdTable):
    """Judgments: documents with the grades that a judge gave them.

    `aspect` tells judgments of one document apart: a subtopic, or a group of judges; `sub` divides an
    aspect further (the sub-groups of preference judgments). `choice` numbers the sets of a query of which any one
    will do. With `passages` that have spans, what is judged are parts of documents, and `overlap` says which chunks hold one.
    """

    grade: Floats
    aspect: IdColumn | None = None
    sub: IdColumn | None = None
    choice: Ints | None = None
    overlap: str = "any"
