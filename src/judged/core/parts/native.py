"""The two looks at a run in parts, in C++ (`src/native/counting.hpp`): batch by batch, with the same bits as `looking` and `counting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.find.native import as_ints, as_text, native_policy, native_pool
from judged.core.find.pool import IdPool
from judged.core.numeric.native import native
from judged.core.policy import Policy
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, TrecLines, UnreadRun

if TYPE_CHECKING:
    from judged.core.parts.pass_two import HitIndex

__all__ = ["Counter", "Looker", "NativeTally"]

Kinds = tuple[IdKind, IdKind]


class Looker:
    """Finds judged documents in batches."""

    def __init__(self, pool: IdPool, policy: Policy, kinds: Kinds) -> None:
        self._kinds = kinds
        self._common = None if native is None else (native_pool(pool), native_policy(policy))

    def look(self, batch: Run | UnreadRun, position: int) -> tuple[Any, ...] | None:
        """Judgments, values and positions of judged documents, and the number of rows; None where only the reference can say."""
        if self._common is None:
            return None
        common = self._common
        return _fed(batch, self._kinds, lambda rows: native.look(rows, *common, position))


class Counter:
    """Counts rows between judged documents."""

    def __init__(self, index: HitIndex, policy: Policy, kinds: Kinds, strangers: int) -> None:
        self._kinds = kinds
        self._made = None
        if native is not None:
            where = as_text(index.doc), as_ints(index.position), index.by_position
            order = as_ints(index.start), np.ascontiguousarray(index.value), as_ints(index.first), *where
            self._made = native.Index(native_pool(index.pool), *order), native_policy(policy), strangers

    def tally(self) -> NativeTally | None:
        """Counts that begin at nothing; None without the native core."""
        return None if self._made is None else NativeTally(native.Tally(*self._made), self._kinds)


class NativeTally:
    """Counts of the batches so far."""

    def __init__(self, counts: Any, kinds: Kinds) -> None:
        self._counts, self._kinds = counts, kinds

    def add(self, batch: Run | UnreadRun, position: int) -> int | None:
        """Count a batch, which begins at a position; the number of its rows, or None where only the reference can say, and nothing was counted."""
        return _fed(batch, self._kinds, lambda rows: self._counts.add(rows, position))

    def result(self) -> dict[str, Any]:
        """The fields of `Counted`."""
        return self._counts.result()


def _fed(batch: Run | UnreadRun, kinds: Kinds, use: Any) -> Any:
    """What the core makes of the rows of a batch; None where only the reference can say."""
    if isinstance(batch, TrecLines):
        if kinds != ("text", "text"):
            return None
        with batch.opened() as (data, start):
            found, bad, empty = use(native.lines(data, start, len(data)))
            if bad is not None:
                batch.refuse(data, bad, empty)
            return found
    rows = None
    if isinstance(batch, ArrowRun) and "other" not in kinds and (stream := batch.stream()) is not None:
        rows = native.arrow(stream, batch.columns, *(kind == "integer" for kind in kinds))
    elif isinstance(batch, Run) and (batch.query_kind, batch.doc_kind) == kinds:
        rank = None if batch.rank is None else as_ints(batch.rank)
        rows = native.columns(
            as_text(batch.queries), as_ints(batch.query), as_text(batch.doc), np.ascontiguousarray(batch.score), rank
        )
    if rows is None:
        return None
    found, bad, _ = use(rows)
    return found if bad is None else None
