"""Runs that are not in columns: the native core looks through them where they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core.table import Named, Run
from judged.errors import Place, Warned

__all__ = ["Batches", "Lines", "Nested", "Unread"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Unread(Named):
    """A run that `read` puts into columns, with every check; nothing is read before that is called."""

    read: Callable[[], Run]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Lines(Unread):
    """The lines of a TREC file.

    `opened` gives its bytes and how many of them to pass over. `refuse` raises what is wrong with the line that
    begins at a byte, and whether it is the first with data; `place` tells where a byte is.
    """

    opened: Callable[[], AbstractContextManager[tuple[NDArray[np.uint8], int]]]
    refuse: Callable[[NDArray[np.uint8], int, bool], NoReturn]
    place: Callable[[NDArray[np.uint8], int], Place]
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Nested(Unread):
    """`{query: {doc: score}}` or `{query: [doc, …]}`, in exactly these types."""

    rankings: Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Batches(Unread):
    """A table that hands out Arrow batches (a `PyCapsule` of a stream, or None where it cannot).

    `columns` are the positions of query, doc, score and rank, or -1.
    """

    stream: Callable[[], object | None]
    columns: tuple[int, int, int, int]
