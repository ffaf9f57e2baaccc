"""The first look at a run in parts: which judged documents each part holds, and what they are ranked by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judged._types import Floats, Ints
from judged.core.find.hits import check_id_kinds, raise_no_rank
from judged.core.find.pool import IdPool
from judged.core.find.reference import Sieve, keys_of, ranking_value
from judged.core.parts import native as native_parts
from judged.core.parts.run import Part, PartTask
from judged.core.policy import Policy
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import UnreadRun

__all__ = ["LocateHits", "LocatedHits", "codes_in", "lean", "values_of"]


@dataclass(frozen=True, slots=True)
class LocatedHits:
    """Judged documents that were found: which, what they are ordered by, highest first, and at which position they stand."""

    judgment: Ints
    value: Floats
    position: Ints
    rows: int  # that were looked at

    @classmethod
    def together(cls, found: Iterable[LocatedHits]) -> LocatedHits:
        """What was found in several parts, in their order."""
        parts = [cls(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64), 0), *found]
        return cls(
            np.concatenate([part.judgment for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.position for part in parts]),
            sum(part.rows for part in parts),
        )


@dataclass(frozen=True)
class LocateHits(PartTask[LocatedHits]):
    """Finds the judged documents of a part."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve.of(self.pool)

    @cached_property
    def _native(self) -> native_parts.Looker:
        return native_parts.Looker(self.pool, self.policy, self.kinds)

    def on(self, part: Part, position: int) -> LocatedHits:
        found = []
        for batch in part.batches():
            seen = self._native.look(batch, position)
            looked = LocatedHits(*seen) if seen is not None else self._look(batch, position)
            found.append(looked)
            position += looked.rows
        return LocatedHits.together(found)

    def _look(self, batch: Run | UnreadRun, position: int) -> LocatedHits:
        run = batch.read() if isinstance(batch, UnreadRun) else batch
        check_id_kinds(self.kinds, run)
        query = codes_in(self.pool, run)
        row = np.flatnonzero(query >= 0)
        key = keys_of(query[row], run.doc.take(row))
        at, judgment = self._sieve.found(run, row, query[row], key)
        order = np.argsort(at, kind="stable")
        at, judgment = at[order], judgment[order]
        return LocatedHits(judgment, values_of(run, self.policy, position)[row[at]], row[at] + position, len(run))


def codes_in(pool: IdPool, run: Run) -> Ints:
    """The number of each row's query in the pool; -1 where it has no judgments."""
    codes = pool.codes()
    return np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)[run.query]


def values_of(run: Run, policy: Policy, position: int) -> Floats:
    """What the rows of a batch are ordered by, highest first; the batch begins at a position of the run."""
    if policy.order == "rank" and run.rank is None:
        raise_no_rank(run.name)
    value = ranking_value(run, policy)
    return value - position if policy.order == "input" else value


def lean(pool: IdPool, *, documents: bool) -> IdPool:
    """What of a pool is sent to where the parts lie: ids without what lies around them, the documents where they are sought."""
    kept = slice(None) if documents else slice(0)
    return IdPool(
        queries=tuple(range(len(pool.queries))),
        ids=pool.ids.packed(),
        query=pool.query[kept],
        grade=pool.grade[kept],
        doc=pool.doc.take(kept).packed(),
    )
