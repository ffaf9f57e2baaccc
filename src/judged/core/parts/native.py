"""The two passes over a partitioned run in C++ (`src/native/counting.hpp`), batch by batch; the same bits as `pass_one` and `pass_two`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.find.native import as_ints, native_policy, native_pool
from judged.core.find.pool import IdPool
from judged.core.numeric.native import native
from judged.core.policy import Policy
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, TextRun, UnreadRun

if TYPE_CHECKING:
    from judged.core.parts.pass_two import HitIndex

Kinds = tuple[IdKind, IdKind]


class NativeLocator:
    """Locates judged documents in batches."""

    def __init__(self, pool: IdPool, policy: Policy, kinds: Kinds) -> None:
        self._kinds, self._by_rank = kinds, policy.order == "rank"
        self._common = None if native is None else (native_pool(pool), native_policy(policy))

    def locate(self, batch: Run | UnreadRun, position: int) -> tuple[Any, ...] | None:
        """Return judgments, values and positions of judged documents, and the number of rows; None if only the reference can."""
        if self._common is None or (self._by_rank and not _has_ranks(batch)):  # the reference names the file
            return None
        common = self._common
        return _feed(batch, self._kinds, lambda rows: native.locate(rows, *common, position))


class NativeCounter:
    """Makes tallies that count rows between judged documents."""

    def __init__(self, index: HitIndex, policy: Policy, kinds: Kinds, max_unjudged: int) -> None:
        self._kinds = kinds
        self._arguments = None
        if native is not None:
            documents = index.doc.arrays(), as_ints(index.position), index.by_position
            order = as_ints(index.start), np.ascontiguousarray(index.value), as_ints(index.first), *documents
            self._arguments = native.Index(native_pool(index.pool), *order), native_policy(policy), max_unjudged

    def tally(self) -> NativeTally | None:
        """Return a tally at zero; None without the native core."""
        return None if self._arguments is None else NativeTally(native.Tally(*self._arguments), self._kinds)


class NativeTally:
    """Counts of the batches so far."""

    def __init__(self, counts: Any, kinds: Kinds) -> None:
        self._counts, self._kinds = counts, kinds

    def add(self, batch: Run | UnreadRun, position: int) -> int | None:
        """Count a batch and return the number of its rows; None if only the reference can, and nothing was counted."""
        return _feed(batch, self._kinds, lambda rows: self._counts.add(rows, position))

    def result(self) -> dict[str, Any]:
        """Return the fields of `RankCounts`."""
        return self._counts.result()


def _has_ranks(batch: Run | UnreadRun) -> bool:
    if isinstance(batch, ArrowRun):
        return batch.columns[3] >= 0
    return batch.ranked if isinstance(batch, TextRun) else getattr(batch, "rank", None) is not None


def _feed(batch: Run | UnreadRun, kinds: Kinds, use: Any) -> Any:
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
