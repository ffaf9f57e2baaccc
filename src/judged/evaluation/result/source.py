"""What stands behind a result: the judged ranking, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from judged._types import Ints
from judged.core.find.pool import IdPool
from judged.core.find.ranking import ranked_rows
from judged.core.ids import IdColumn
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.tables import Id, Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError
from judged.io.read import read_run

__all__ = ["Provenance", "as_text", "in_one_order", "raw_id"]


@dataclass(frozen=True, eq=False)
class Provenance:
    """A `Judged` with the judgments and the run that were joined; these are None where it was given as it is."""

    judged: Judged
    qrels: Qrels | None = None
    run: Run | UnreadRun | None = None
    written: tuple[tuple[str, int, int], ...] = ()  # the files: path, size, time of writing
    alternatives: tuple[Judged, ...] = ()  # by each set of documents, where any one of several will do

    def select(self, rows: Ints) -> Provenance:
        """Of some queries, by position."""
        parts = tuple(one.select(rows) for one in self.alternatives)
        return replace(self, judged=self.judged.select(rows), alternatives=parts)

    @classmethod
    def of(cls, judged: Judged, qrels: Qrels, run: Run | UnreadRun) -> Provenance:
        """The source, with what its files looked like now."""
        paths = [rows.path for rows in (qrels, run) if rows.path is not None]
        return cls(judged, qrels, run, tuple((path, *_stamp(path)) for path in paths))

    def refuse_changed(self) -> None:
        """An error where a file is not what it was: what it says now would stand beside values of what it said then."""
        for path, *stamp in self.written:
            if list(_stamp(path)) != stamp:
                raise DataError("file-changed", "the file as it was when it was evaluated", got="another: it was written, or removed, since", where=path,
                                hint="evaluate again")  # fmt: skip

    @property
    def near(self) -> bool:
        """Whether the run is at hand as a whole; not where it lies in parts."""
        return self.run is not None and not isinstance(self.run, PartitionedRun)

    @cached_property
    def read(self) -> Run:
        """The run in columns: read when something asks for documents that nobody judged."""
        assert self.run is not None
        self.refuse_changed()
        return read_run(self.run, labels=self.qrels)

    def _read_of(self, judged: Judged) -> Run:
        """The run in columns; of a run in parts the rows of some queries."""
        if not isinstance(self.run, PartitionedRun):
            return self.read
        from judged.core.parts.whole_queries import read_queries

        return read_queries(self.run, map(raw_id, judged.queries))

    def documents(self, rows: Sequence[int], depth: int | None = None) -> list[list[str]]:
        """The documents of some queries (by position) in the order they were evaluated in, unjudged ones included, down to a depth."""
        judged = in_one_order(self.judged.select(rows))
        if judged.policy.unjudged == "condensed":
            return [[as_text(doc) for doc in docs[:depth]] for docs in _placed(judged)]
        last = min((d for d in (depth, judged.policy.depth) if d is not None), default=None)
        return [docs[:last] for docs in _ranked(self._read_of(judged), judged, depth)]


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = Path(path).stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def in_one_order(judged: Judged) -> Judged:
    """The ranking as it is shown: where the value is a mean over the orders of ties, one of them stands for all."""
    return judged.under(judged.policy) if judged.policy.ties == "expected" else judged


def as_text(raw: bytes) -> str:
    """An id as text; bytes that are not UTF-8 are kept."""
    return raw.decode("utf-8", "surrogateescape")


def raw_id(query: Id) -> bytes:
    """A query id as the bytes that stood in the file."""
    return str(query).encode("utf-8", "surrogateescape")


def _placed(judged: Judged) -> list[list[bytes]]:
    """The judged documents of each ranking, by rank."""
    assert judged.pool_doc is not None
    docs = judged.pool_doc.take(judged.judgment).tolist()
    ends = np.cumsum(judged.hits).tolist()
    return [docs[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _ranked(run: Run, judged: Judged, depth: int | None) -> list[list[str]]:
    """Every document of each ranking, in the order that ranked the judged ones."""
    assert judged.pool_doc is not None
    ids = IdColumn.of(map(raw_id, judged.queries))
    pool = IdPool(
        queries=judged.queries, ids=ids, query=judged.pool_query, grade=judged.pool_grade, doc=judged.pool_doc
    )
    codes = pool.codes()
    asked = np.array([raw in codes for raw in run.queries.tolist()], dtype=bool)
    part = run.take(_upper(run, np.flatnonzero(asked[run.query]), judged.policy, depth))
    owners, rows = ranked_rows(part, judged.policy, pool)
    ranked: list[list[str]] = [[] for _ in judged.queries]
    for owner, doc in zip(owners.tolist(), part.doc.take(rows).tolist(), strict=True):
        ranked[owner].append(as_text(doc))
    return ranked


def _upper(run: Run, rows: Ints, policy: Policy, depth: int | None) -> Ints:
    """The rows that can stand within the depth: all but those that as many others beat. Only a saving."""
    if depth is None or policy.order != "score" or policy.precision != "float64" or policy.duplicates != "error":
        return rows
    query, score = run.query[rows], run.score[rows]
    order = np.lexsort((-score, query))
    start = np.searchsorted(query[order], np.arange(len(run.queries)))
    size = np.bincount(query, minlength=len(run.queries))
    last = order[np.minimum(start + np.minimum(size, depth) - 1, len(rows) - 1)]
    least = np.where(size > 0, score[last], np.inf)
    return rows[score >= least[query]]
