"""Judgments and rankings as columns: the output of the readers, and the input of the join."""

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
    """An input with its name, and its path if it is a file."""

    name: str
    path: str | None = None

    @property
    def label(self) -> str:
        """The name without folders."""
        return self.name.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """Optional columns of chunks; None if unknown.

    `start` and `end` are offsets in the document, in characters or tokens; the end is exclusive.
    """

    doc: IdColumn | None = None  # the document of each chunk
    start: Ints | None = None
    end: Ints | None = None
    tokens: Ints | None = None  # -1 if unknown
    score: Floats | None = None  # scores of a list whose order decides

    @property
    def spans(self) -> bool:
        """True if the document, the start and the end of every chunk are known."""
        return self.doc is not None and self.start is not None and self.end is not None

    def take(self, rows: Ints | Bools) -> Passages:
        """Select rows."""
        known = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return Passages(**{name: _take(column, rows) for name, column in known.items()})


def _take(column: Any, rows: Ints | Bools) -> Any:
    return column.take(rows) if isinstance(column, IdColumn) else None if column is None else column[rows]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _IdTable(HasName):
    """Rows of (query, doc): `query` indexes `queries`; ids of every type are kept as text."""

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
        """Select rows; all queries stay."""
        where = partial(_place, self.where, np.arange(len(self))[rows])
        columns: dict[str, Any] = {"query": self.query[rows], "doc": self.doc.take(rows), "where": where}
        known = ("score", "rank", "grade", "aspect", "sub", "choice")
        columns |= {name: _take(getattr(self, name), rows) for name in known if hasattr(self, name)}
        kept = None if self.passages is None else self.passages.take(rows)
        return replace(self, **columns, passages=kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r}, {len(self.queries)} queries, {len(self)} documents)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Run(_IdTable):
    """A ranking for each query: documents with the scores that a system gave them."""

    score: Floats
    rank: Ints | None = None  # the rank column of the input, if any
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Qrels(_IdTable):
    """Judgments: documents with the grades that a judge gave them.

    `aspect` distinguishes judgments of one document: a subtopic, or a group of judges; `sub` divides an aspect further
    (the sub-groups of preference judgments). `choice` numbers alternative sets of documents, any one of which answers the
    query. If `passages` have spans, spans of documents are judged, and `overlap` is the rule by which a chunk contains one.
    """

    grade: Floats
    aspect: IdColumn | None = None
    sub: IdColumn | None = None
    choice: Ints | None = None
    overlap: str = "any"
