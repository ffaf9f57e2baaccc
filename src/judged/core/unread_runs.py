"""Runs that have not been read into columns: the native core scans them in place, or the judgments complete them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bytes, Floats, Ints
from judged.core.native import CORES, native
from judged.core.tables import HasName, IdColumn, IdKind, Qrels, Run
from judged.errors import DataError, Place, Warned


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class UnreadRun(HasName):
    """A run that `read` reads into columns, with every check; nothing is read before."""

    read: Callable[[], Run]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r})"


Layout = Mapping[str, Any]  # the name of a source of rows (`text_source` in module.cpp), and its settings
Opened = AbstractContextManager[tuple[NDArray[np.uint8], int]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TextRun(UnreadRun):
    """Text whose rows the native core finds in place.

    `open` returns the bytes and the number of them to skip. `kinds` are the types of the ids of queries and documents.
    `raise_row` raises the error of the row that begins at a byte (and is the first, or not); without it, `read` reads rows that
    the core does not take, or raises the error. `place` returns the place of a byte; without it, `read` finds duplicates too.
    `joinable`: texts of this layout are one text if a line break separates them. `scored`, `ranked`: rows have scores, or ranks.
    """

    open: Callable[[], Opened]
    layout: Layout
    kinds: tuple[IdKind, IdKind] = ("text", "text")
    raise_row: Callable[[NDArray[np.uint8], int, bool], NoReturn] | None = None
    place: Callable[[NDArray[np.uint8], int], Place] | None = None
    joinable: bool = True
    scored: bool = True
    ranked: bool = True
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TextStream(UnreadRun):
    """Text that is made while it is scanned, such as a compressed file.

    `stretches` returns the text piece by piece, each with whole queries if all rows of a query are together. `whole` returns all of
    it in memory, for runs in which a query comes back.
    """

    stretches: Callable[[], Iterator[TextRun]]
    whole: Callable[[], TextRun | None]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DictRun(UnreadRun):
    """`{query: {doc: score}}` or `{query: [doc, …]}`, in exactly these types."""

    rankings: Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ArrowRun(UnreadRun):
    """A table that exports Arrow batches (a `PyCapsule` of a stream, or None if it cannot).

    `columns` are the positions of query, doc, score and rank, or -1.
    """

    stream: Callable[[], object | None]
    columns: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ScoreColumn(UnreadRun):
    """A column of scores, one per judgment, in their order. Scores carry no query or document ids."""

    score: NDArray[np.float64]
    where: Callable[[int], Place]
    warnings: tuple[Warned, ...] = ()

    def align(self, qrels: Qrels) -> Run:
        """Return the documents of the judgments with these scores.

        Raises:
            DataError: different numbers of scores and judgments.
        """
        if len(self.score) != len(qrels.query):
            raise DataError(
                "lengths",
                f"{len(self.score)} scores, but {len(qrels.query)} labels in {qrels.label}",
                hint="check that both files are complete and belong together: score i belongs to label i",
                where=self.name,
            )
        return Run(
            name=self.name,
            path=self.path,
            files=self.files,
            queries=qrels.queries,
            query=qrels.query,
            doc=qrels.doc,
            query_kind=qrels.query_kind,
            doc_kind=qrels.doc_kind,
            score=self.score,
            where=self.where,
            warnings=self.warnings,
        )


_BYTES = 1 << 20  # that a core takes at a time


@dataclass(frozen=True, slots=True)
class TextRows:
    """Columns of a run or of judgments; ids are copies, so that the text is not needed any longer."""

    queries: IdColumn
    query: Ints
    doc: IdColumn
    number: Floats
    rank: Ints | None
    unranked: int  # the first row without a rank, or the number of rows
    aspect: IdColumn  # one id if all rows have the same
    last: int  # the offset of the last row

    def __len__(self) -> int:
        return len(self.number)

    def aspects(self) -> IdColumn:
        """Return the aspect of each row."""
        return self.aspect if len(self.aspect) == len(self) else self.aspect.take(np.zeros(len(self), np.int64))


def read_rows(data: Bytes, start: int, layout: Layout) -> TextRows | None:
    """Return all rows of a text; None if only the reference can read it, or it has none."""
    columns = native and native.read_text(data, start, len(data), dict(layout), CORES, _BYTES)
    if not columns:
        return None
    ids = {name: IdColumn(*columns[name]) for name in ("queries", "doc", "aspect")}
    return TextRows(**{**columns, **ids})


def row_begins(data: Bytes, start: int, layout: Layout) -> Ints:
    """Return the offset of each row of a text that `read_rows` can read."""
    begins: Ints = native.row_begins(data, start, len(data), dict(layout))
    return begins
