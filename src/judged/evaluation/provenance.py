"""Provenance of a result: the joined ranking, its judgments and its run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from judged._types import Floats, Ints
from judged.core.ids import IdColumn
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun, read_queries
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import Id, Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError
from judged.io.read import read_run


@dataclass(frozen=True, eq=False, repr=False)
class Provenance:
    """A `Judged` with the judgments and the run that were joined; both are None if the `Judged` was the input."""

    judged: Judged
    qrels: Qrels | None = None
    run: Run | UnreadRun | None = None
    file_stamps: tuple[tuple[str, int, int], ...] = ()  # path, size, modification time
    folder: str = ""  # the current one, from which relative paths start
    alternatives: tuple[Judged, ...] = ()  # one per set of documents, if any one of several answers a query

    def select(self, rows: Ints) -> Provenance:
        """Some queries, by position."""
        parts = tuple(one.select(rows) for one in self.alternatives)
        return replace(self, judged=self.judged.select(rows), alternatives=parts)

    @classmethod
    def of(cls, judged: Judged, qrels: Qrels, run: Run | UnreadRun) -> Provenance:
        """Build it, with the present stamps of its files."""
        stamps = tuple((rows.path, *_stamp(rows.path)) for rows in (qrels, run) if rows.path is not None)
        return cls(judged, qrels, run, stamps, _current_folder() if stamps else "")

    def check_unchanged(self) -> None:
        """Raise if a file changed after it was evaluated: its present content does not belong to the values."""
        for path, *stamp in self.file_stamps:
            if not os.path.isabs(path) and _current_folder() != self.folder:  # noqa: PTH117
                raise DataError(
                    "file-changed",
                    "the current folder is another than when the file was evaluated",
                    where=path,
                    hint=f"change back to {self.folder}, or evaluate again",
                )
            if list(_stamp(path)) != stamp:
                raise DataError(
                    "file-changed", "the file changed after it was evaluated", where=path, hint="evaluate again"
                )

    @property
    def is_local(self) -> bool:
        """True if the run is available as a whole, not in partitions."""
        return self.run is not None and not isinstance(self.run, PartitionedRun)

    @cached_property
    def run_table(self) -> Run:
        """The run in columns; read when unjudged documents are needed."""
        assert self.run is not None
        self.check_unchanged()
        return read_run(self.run, labels=self.qrels)

    def documents(self, rows: Sequence[int], depth: int | None = None) -> list[list[str]]:
        """All documents of some queries (by position), in the order in which they were evaluated, down to a depth."""
        judged = in_one_order(self.judged.select(rows))
        if judged.policy.unjudged == "condensed":
            assert judged.pool_doc is not None
            docs = judged.pool_doc.take(judged.judgment).texts()
            ends = np.cumsum(judged.hits).tolist()
            return [docs[start:end][:depth] for start, end in zip([0, *ends], ends, strict=False)]
        if isinstance(self.run, PartitionedRun):
            run = read_queries(self.run, map(raw_id, judged.queries))
        else:
            run = self.run_table
        last = min((d for d in (depth, judged.policy.depth) if d is not None), default=None)
        return [docs[:last] for docs in _rank_documents(run, judged, depth)]


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - the name is enough
    except OSError:  # it was removed
        return ""


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def in_one_order(judged: Judged) -> Judged:
    """The ranking as it is shown: one order of ties, if the value is a mean over all of them."""
    return judged.under(judged.policy) if judged.policy.ties == "expected" else judged


def as_text(raw: bytes) -> str:
    """Decode an id; bytes that are not UTF-8 are kept."""
    return raw.decode("utf-8", "surrogateescape")


def raw_id(query: Id) -> bytes:
    """The bytes of a query id in the file."""
    return str(query).encode("utf-8", "surrogateescape")


def _rank_documents(run: Run, judged: Judged, depth: int | None) -> list[list[str]]:
    """Every document of each ranking, in the order that ranked the judged ones."""
    from judged.core.find.ranking import ranked_rows

    assert judged.pool_doc is not None
    ids = IdColumn.of(map(raw_id, judged.queries))
    pool = IdPool(
        queries=judged.queries, ids=ids, query=judged.pool_query, grade=judged.pool_grade, doc=judged.pool_doc
    )
    codes = pool.codes()
    selected = np.array([raw in codes for raw in run.queries.tolist()], dtype=bool)
    shorter = run.take(_top_rows(run, np.flatnonzero(selected[run.query]), judged.policy, depth))
    owners, rows = ranked_rows(shorter, judged.policy, pool)
    docs = shorter.doc.take(rows).texts()
    ends = np.searchsorted(owners, np.arange(len(judged)), "right").tolist()
    return [docs[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _top_rows(run: Run, rows: Ints, policy: Policy, depth: int | None) -> Ints:
    """The rows that can be within the depth, to save time: all but those that enough others beat."""
    if depth is None or policy.order != "score" or policy.precision != "float64" or policy.duplicates != "error":
        return rows
    query, score = run.query[rows], run.score[rows]
    order = _best_first(query, score)
    start = np.searchsorted(query[order], np.arange(len(run.queries)))
    size = np.bincount(query, minlength=len(run.queries))
    last = order[np.minimum(start + np.minimum(size, depth) - 1, len(rows) - 1)]
    least = np.where(size > 0, score[last], np.inf)
    return rows[score >= least[query]]


def _best_first(query: Ints, score: Floats) -> Ints:
    """The order of rows by query, then from the highest score down; most files have it."""
    later, same = query[1:] > query[:-1], query[1:] == query[:-1]
    sorted_already = (later | (same & (score[1:] <= score[:-1]))).all()
    return np.arange(len(query)) if sorted_already else np.lexsort((-score, query))


def judged_share(judged: Judged, ranks: Ints) -> Floats:
    """Share of queries whose document at a rank is judged, among those with a document at this rank; NaN if there are none.

    `Judged@k` covers all ranks down to k, this a single one: it shows the depth of the pool.

    >>> from judged.evaluation.evaluate import join
    >>> judged_share(join({"q": {"a": 1}}, {"q": ["a", "b"]}), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """
    last = int(ranks.max(initial=0))
    hits = judged.is_judged & (judged.rank <= last)
    known = np.bincount(judged.rank[hits], minlength=last + 1)[ranks]
    retrieved = (judged.retrieved[:, None] >= ranks[None, :]).sum(axis=0)
    return np.divide(known, retrieved, out=np.full(len(ranks), np.nan), where=retrieved > 0)
