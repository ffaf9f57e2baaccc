"""The first pass over a partitioned run: locate the judged documents, with the values that they are ranked by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.find.reference import Sieve, check_id_kinds, keys_of, raise_no_rank, ranking_value
from judged.core.find.scan import native_policy, native_pool
from judged.core.native import as_ints, native
from judged.core.parts.run import Part, PartTask
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, TextRun, UnreadRun


@dataclass(frozen=True, slots=True)
class LocatedHits:
    """Judged documents of a run: their judgments, the values they are ranked by, highest first, and their positions."""

    judgment: Ints
    value: Floats
    position: Ints
    rows: int | None  # that were scanned; None if that was done elsewhere

    @classmethod
    def merge(cls, located: Iterable[LocatedHits]) -> LocatedHits:
        """Return the hits of several partitions, in their order."""
        parts = [cls(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64), 0), *located]
        return cls(
            np.concatenate([part.judgment for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.position for part in parts]),
            sum(part.rows or 0 for part in parts),
        )

    def in_order(self) -> LocatedHits:
        """Return the hits in the order of their positions."""
        if (self.position[1:] >= self.position[:-1]).all():
            return self
        return self._take(np.argsort(self.position, kind="stable"))

    def repeated(self) -> LocatedHits:
        """Return the hits of documents that were located more than once."""
        return self._take(np.bincount(self.judgment)[self.judgment] > 1)

    def _take(self, rows: Ints | Bools) -> LocatedHits:
        return LocatedHits(self.judgment[rows], self.value[rows], self.position[rows], self.rows)


@dataclass(frozen=True)
class LocateHits(PartTask[LocatedHits]):
    """Locate the judged documents of a partition."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve.of(self.pool)

    @cached_property
    def _native(self) -> tuple[Any, ...] | None:
        return None if native is None else (native_pool(self.pool), native_policy(self.policy))

    def on(self, part: Part, position: int) -> LocatedHits:
        batches = []
        for batch in part.batches():
            located = self._locate_natively(batch, position) or self._locate(batch, position)
            batches.append(located)
            position += located.rows or 0
        return LocatedHits.merge(batches)

    def _locate_natively(self, batch: Run | UnreadRun, position: int) -> LocatedHits | None:
        """Return the hits of a batch; None if only the reference can handle it."""
        common = self._native
        if common is None or (self.policy.order == "rank" and not _has_ranks(batch)):  # the reference names the file
            return None
        columns = feed_native(batch, self.kinds, lambda rows: native.locate(rows, *common, position))
        return None if columns is None else LocatedHits(*columns)

    def _locate(self, batch: Run | UnreadRun, position: int) -> LocatedHits:
        run = batch.read() if isinstance(batch, UnreadRun) else batch
        check_id_kinds(self.kinds, run)
        query = self.pool.codes_of(run.queries)[run.query]
        row = np.flatnonzero(query >= 0)
        key = keys_of(query[row], run.doc.take(row))
        at, judgment = self._sieve.match(run, row, query[row], key)
        order = np.argsort(at, kind="stable")
        at, judgment = at[order], judgment[order]
        return LocatedHits(judgment, values_of(run, self.policy, position)[row[at]], row[at] + position, len(run))


def values_of(run: Run, policy: Policy, position: int) -> Floats:
    """Return the values that rows are ranked by, highest first; `position` is that of the first row of the batch."""
    if policy.order == "rank" and run.rank is None:
        raise_no_rank(run.name, run)
    value = ranking_value(run, policy)
    return value - position if policy.order == "input" else value


def pack_pool(pool: IdPool, *, documents: bool) -> IdPool:
    """Return what workers need of a pool: ids without the bytes around them, and the documents if requested."""
    kept = slice(None) if documents else slice(0)
    return IdPool(
        queries=tuple(range(len(pool.queries))),
        ids=pool.ids.compact(),
        query=pool.query[kept],
        grade=pool.grade[kept],
        doc=pool.doc.take(kept).compact(),
    )


def _has_ranks(batch: Run | UnreadRun) -> bool:
    if isinstance(batch, ArrowRun):
        return batch.columns[3] >= 0
    return batch.ranked if isinstance(batch, TextRun) else getattr(batch, "rank", None) is not None


def feed_native(batch: Run | UnreadRun, kinds: tuple[IdKind, IdKind], use: Any) -> Any:
    """Return what the native core makes of the rows of a batch; None if only the reference can handle them."""
    if isinstance(batch, TextRun):
        if kinds != batch.kinds:
            return None
        with batch.open() as (data, start):
            result, bad, empty = use(native.text(data, start, len(data), dict(batch.layout)))
            if bad is not None and batch.raise_row is not None:
                batch.raise_row(data, bad, empty)
            return result if bad is None else None
    rows = None
    if isinstance(batch, ArrowRun) and "other" not in kinds and (stream := batch.stream()) is not None:
        rows = native.arrow(stream, batch.columns, *(kind == "integer" for kind in kinds))
    elif isinstance(batch, Run) and (batch.query_kind, batch.doc_kind) == kinds:
        rank = None if batch.rank is None else as_ints(batch.rank)
        score = np.ascontiguousarray(batch.score)
        rows = native.columns(batch.queries.arrays(), as_ints(batch.query), batch.doc.arrays(), score, rank)
    if rows is None:
        return None
    result, bad, _ = use(rows)
    return result if bad is None else None
