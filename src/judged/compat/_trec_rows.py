"""Rows of TREC files as ir_measures returns them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from judged.core.tables import decoded
from judged.io.read import read_qrels, read_run

Row = TypeVar("Row", bound=tuple[Any, ...])


class Qrel(NamedTuple):
    """A judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document."""

    query_id: str
    doc_id: str
    score: float


def whole(grade: float) -> Any:
    """The grade as an integer, if it is one."""
    return int(grade) if grade.is_integer() else grade


class TrecRows(Generic[Row]):
    """The rows of a file, read when they are needed; a calculation takes the file itself, which is faster than its rows.

    Args:
        source: a path, an open file, or the text of a file, which has at least one line end.
        rows: reads them.
    """

    def __init__(self, source: Any, rows: Callable[[Any], Iterator[Row]]) -> None:
        self._source = io.StringIO(source) if isinstance(source, str) and "\n" in source else source
        self._rows = rows
        self._started: Iterator[Row] | None = None

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        if self._started is None:
            self._started = self._rows(self._source)
        return next(self._started)

    @property
    def unread(self) -> Any:
        """The file, or the remaining rows once one of them was taken."""
        return self._source if self._started is None else self


def read_trec_qrels(file: Any) -> TrecRows[Qrel]:
    r"""Read judgments from a TREC file: a path, an open file, or its text.

    >>> list(read_trec_qrels("q1 0 d1 2\n"))
    [Qrel(query_id='q1', doc_id='d1', relevance=2, iteration='0')]
    """
    return TrecRows(file, _qrel_rows)


def _qrel_rows(source: Any) -> Iterator[Qrel]:
    table = read_qrels(source)
    ids, docs = decoded(table.queries, table.query_kind), decoded(table.doc, table.doc_kind)
    aspects = ["0"] * len(table) if table.aspect is None else decoded(table.aspect, "text")
    for at, doc, grade, aspect in zip(table.query.tolist(), docs, table.grade.tolist(), aspects, strict=True):
        yield Qrel(str(ids[at]), str(doc), whole(grade), str(aspect))


def read_trec_run(file: Any) -> TrecRows[ScoredDoc]:
    r"""Read a run from a TREC file: a path, an open file, or its text.

    >>> list(read_trec_run("q1 Q0 d1 1 2.5 bm25\n"))
    [ScoredDoc(query_id='q1', doc_id='d1', score=2.5)]
    """
    return TrecRows(file, _run_rows)


def _run_rows(source: Any) -> Iterator[ScoredDoc]:
    table = read_run(source)
    ids, docs = decoded(table.queries, table.query_kind), decoded(table.doc, table.doc_kind)
    for at, doc, score in zip(table.query.tolist(), docs, table.score.tolist(), strict=True):
        yield ScoredDoc(str(ids[at]), str(doc), score)
