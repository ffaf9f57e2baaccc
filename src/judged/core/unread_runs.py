"""Runs that are not in columns: the native core looks through them where they lie, or the judgments complete them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core.tables import HasName, Qrels, Run
from judged.errors import DataError, Place, Warned

__all__ = ["ArrowRun", "DictRun", "ScoreColumn", "TrecLines", "UnreadRun"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnreadRun(HasName):
    """A run that `read` puts into columns, with every check; nothing is read before that is called."""

    read: Callable[[], Run]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrecLines(UnreadRun):
    """The lines of a TREC file.

    `opened` gives its bytes and how many of them to pass over. `refuse` raises what is wrong with the line that
    begins at a byte, and whether it is the first with data; `place` tells where a byte is.
    """

    opened: Callable[[], AbstractContextManager[tuple[NDArray[np.uint8], int]]]
    refuse: Callable[[NDArray[np.uint8], int, bool], NoReturn]
    place: Callable[[NDArray[np.uint8], int], Place]
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DictRun(UnreadRun):
    """`{query: {doc: score}}` or `{query: [doc, …]}`, in exactly these types."""

    rankings: Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ArrowRun(UnreadRun):
    """A table that hands out Arrow batches (a `PyCapsule` of a stream, or None where it cannot).

    `columns` are the positions of query, doc, score and rank, or -1.
    """

    stream: Callable[[], object | None]
    columns: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreColumn(UnreadRun):
    """A column of scores: one for each row of judgments, in their order. It says of no score whose it is."""

    score: NDArray[np.float64]
    where: Callable[[int], Place]
    warnings: tuple[Warned, ...] = ()

    def beside(self, qrels: Qrels) -> Run:
        """The documents of the judgments with these scores.

        Raises:
            DataError: not as many scores as judgments.
        """
        if len(self.score) != len(qrels):
            raise DataError(
                "lengths",
                f"a score for each of the {len(qrels)} labels in {qrels.label}",
                got=f"{len(self.score)}",
                hint="score i belongs to label i: was one of the files cut off, or made of another part of the data?",
                where=self.name,
            )
        return Run(
            name=self.name,
            path=self.path,
            queries=qrels.queries,
            query=qrels.query,
            doc=qrels.doc,
            query_kind=qrels.query_kind,
            doc_kind=qrels.doc_kind,
            score=self.score,
            where=self.where,
            warnings=self.warnings,
        )
