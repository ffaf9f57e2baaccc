"""The first pass over a partitioned run: locate the judged documents, with the values that they are ranked by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.native import as_ints, native
from judged.core.parts.run import Part, PartTask
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.reference import check_id_kinds
from judged.core.scan import native_policy, native_pool
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, TextRun, UnreadRun
from judged.errors import Hint, UsageError


@dataclass(frozen=True, slots=True)
class LocatedHits:
    """Judged documents of a run in its order: their judgments, the values they are ranked by, highest first, and their positions."""

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

    def repeated(self) -> LocatedHits:
        """Return the hits of documents that were located more than once."""
        rows = np.bincount(self.judgment)[self.judgment] > 1
        return replace(self, judgment=self.judgment[rows], value=self.value[rows], position=self.position[rows])


@dataclass(frozen=True)
class LocateHits(PartTask[LocatedHits]):
    """Locate the judged documents of a partition."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]

    @cached_property
    def _native(self) -> tuple[Any, Any]:
        return native_pool(self.pool), native_policy(self.policy)

    def on(self, part: Part, position: int) -> LocatedHits:
        require_native()

        def locate(rows: Any) -> Any:
            return native.locate(rows, *self._native, position)

        batches = []
        for batch in part.batches():
            batches.append(LocatedHits(*feed_native(batch, self.kinds, locate)))
            position += batches[-1].rows or 0
        return LocatedHits.merge(batches)


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


def require_native() -> None:
    """Raise `needs` on a worker without the native core, which alone scans partitions."""
    if native is None:
        hint = "install judged there from a wheel of its platform, or read the run into memory with {engine}"
        raise UsageError("needs", "a worker has no native core of judged", hint=Hint(hint, engine="memory"))


def feed_native(batch: Run | UnreadRun, kinds: tuple[IdKind, IdKind], use: Callable[[Any], Any]) -> Any:
    """Return what the native core makes of the rows of a batch; a batch that it cannot scan in place is read into columns first."""
    if isinstance(batch, TextRun) and kinds == batch.kinds:
        with batch.open() as (data, start):
            result, bad, empty = use(native.text(data, start, len(data), dict(batch.layout)))
            if bad is None:
                return result
            if batch.raise_row is not None:
                batch.raise_row(data, bad, empty)
    elif isinstance(batch, ArrowRun) and "other" not in kinds and (stream := batch.stream()) is not None:
        rows = native.arrow(stream, batch.columns, *(kind == "integer" for kind in kinds))
        result, bad, _ = (None, 0, True) if rows is None else use(rows)
        if bad is None:
            return result
    run = batch.read() if isinstance(batch, UnreadRun) else batch
    check_id_kinds(kinds, run)
    rank = None if run.rank is None else as_ints(run.rank)
    score = np.ascontiguousarray(run.score)
    return use(native.columns(run.queries.arrays(), as_ints(run.query), run.doc.arrays(), score, rank))[0]
