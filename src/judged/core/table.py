"""What the readers give: judgments and rankings as columns, before they are joined."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judged.core.text import Text
from judged.errors import Place, Warned

__all__ = ["Id", "IdKind", "Named", "Qrels", "Run"]

Id = Hashable
IdKind = Literal["text", "integer", "other"]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _nowhere(row: int) -> Place:
    return Place(f"row {row + 1}")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Named:
    """Something that was read, or will be, with the name it is called by; and the path, where it lies in a file."""

    name: str
    path: str | None = None

    @property
    def label(self) -> str:
        """The name without its folders."""
        return self.name.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Rows(Named):
    """Rows of (query, doc): `query` indexes `queries`; ids are text, whatever they were given as."""

    queries: Text  # each query id once, in order of appearance
    query: Ints
    doc: Text
    query_kind: IdKind = "text"
    doc_kind: IdKind = "text"
    where: Callable[[int], Place] = field(default=_nowhere, repr=False)
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r}, {len(self.queries)} queries, {len(self)} documents)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Run(_Rows):
    """A ranking for each query: documents with the scores that a system gave them."""

    score: Floats
    rank: Ints | None = None  # the rank column as written, where there is one
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Qrels(_Rows):
    """Judgments: documents with the grades that a judge gave them.

    `aspect` tells judgments of one document apart: a subtopic, or a group of judges; `sub` divides an
    aspect further (the sub-groups of preference judgments).
    """

    grade: Floats
    aspect: Text | None = None
    sub: Text | None = None
