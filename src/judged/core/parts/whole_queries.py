"""A run in parts where each query lies in one: every part is ranked on its own, in one look. And how to bring queries together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core.find import native, reference
from judged.core.find.hits import Hits, check_id_kinds, raise_no_common_query
from judged.core.find.pool import IdPool
from judged.core.ids import IdColumn
from judged.core.parts.pass_one import lean
from judged.core.parts.run import Part, PartitionedRun, PartTask, Somewhere, raise_errors
from judged.core.policy import Policy
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, TrecLines, UnreadRun
from judged.errors import DataError, Place, shown

__all__ = ["found_whole", "in_buckets", "of_queries", "one_run"]

_BUCKET = 64 << 20  # bytes of parts that are brought together at a time


@dataclass(frozen=True)
class Rank(PartTask[tuple[Hits, bool] | None]):
    """Ranks the queries of a part, and says whether its rows have ranks; None where it has no row."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]

    def on(self, part: Part, position: int) -> tuple[Hits, bool] | None:
        batches = list(part.batches())
        ranked = all(map(_has_ranks, batches))
        warnings = tuple(w for batch in batches if isinstance(batch, Run | TrecLines) for w in batch.warnings)
        found = native.find_in(self.pool, batches, self.policy, self.kinds)
        if found is not None:
            return found, ranked  # tables have nothing to say
        runs = [batch.read() if isinstance(batch, UnreadRun) else batch for batch in batches]
        if not sum(map(len, runs)):
            return None
        run = one_run(runs)
        check_id_kinds(self.kinds, run)
        return replace(reference.found_in(self.pool, run, self.policy), warnings=warnings), ranked


def _has_ranks(batch: Run | UnreadRun) -> bool:
    return (
        batch.columns[3] >= 0 if isinstance(batch, ArrowRun) else not isinstance(batch, Run) or batch.rank is not None
    )


def found_whole(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int, int], object] | None,
    *,
    gathered: bool = False,
) -> Hits:
    """What the run holds of the pool, where no query lies in two parts; `gathered`: because its rows were brought together."""
    size = sum(part.size for part in run.parts)
    task = Rank(lean(pool, documents=True), policy, kinds)
    tell = None if progress is None else lambda done: progress(done, size)
    results = [one for one in raise_errors(run.results(task, tell)) if one is not None]
    found = [one for one, _ in results]
    if not found:
        raise DataError("empty-run", "at least one ranking", got="none", where=run.name)
    answered = np.sum([one.answered for one in found], axis=0)
    if (answered > 1).any():
        twice = pool.ids[int(np.argmax(answered > 1))]
        raise DataError("not-whole", "each query in one part of the run", got=f"{shown(twice)} in several", where=run.name,
                        hint="the statistics of its files are wrong: write them again, or use engine='memory'")  # fmt: skip
    strangers = tuple(query for one in found for query in one.some_unjudged)[:3]
    if not answered.any():
        raise_no_common_query(pool, run.name, strangers)
    query = np.concatenate([one.query for one in found])
    order = np.argsort(query, kind="stable")
    columns: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in found])[order] for name in ("rank", "judgment", "tie_first", "tie_last")}  # fmt: skip
    totals: dict[str, Any] = {
        name: sum(getattr(one, name) for one in found) for name in ("infinite", "disagreeing", "unjudged")
    }
    if gathered or not all(
        ranked for _, ranked in results
    ):  # neighbours are no longer what they were, or have no ranks
        totals["disagreeing"] = 0
    return Hits(
        retrieved=np.sum([one.retrieved for one in found], axis=0),
        answered=answered > 0,
        query=query[order],
        some_unjudged=strangers,
        warnings=tuple(dict.fromkeys(w for one in found for w in one.warnings)),
        **columns,
        **totals,
    )


def one_run(runs: Sequence[Run]) -> Run:
    """Rows that were read in several batches, as one run."""
    if len(runs) == 1:
        return runs[0]
    runs = [run for run in runs if len(run)] or list(runs[:1])
    place: dict[bytes, int] = {}
    codes = [
        np.array([place.setdefault(raw, len(place)) for raw in run.queries.tolist()], np.int64)[run.query]
        for run in runs
    ]
    starts = np.cumsum([0, *map(len, runs)])

    def where(row: int) -> Place:
        at = int(np.searchsorted(starts, row, "right")) - 1
        return runs[at].where(row - int(starts[at]))

    ranks = [run.rank for run in runs if run.rank is not None]
    return replace(
        runs[0],
        queries=IdColumn.of(place),
        query=np.concatenate(codes),
        doc=IdColumn.of([raw for run in runs for raw in run.doc.tolist()]),
        score=np.concatenate([run.score for run in runs]),
        rank=np.concatenate(ranks) if len(ranks) == len(runs) else None,
        where=where,
    )


@dataclass(frozen=True)
class Take(PartTask[Run | None]):
    """The rows of some queries of a part; None where there are none."""

    queries: frozenset[bytes]

    def on(self, part: Part, position: int) -> Run | None:
        runs = (batch.read() if isinstance(batch, UnreadRun) else batch for batch in part.batches())
        mine = (_of_queries(run, np.array([raw in self.queries for raw in run.queries.tolist()])) for run in runs)
        kept = [replace(run, doc=run.doc.packed()) for run in mine if len(run)]
        return replace(one_run(kept), where=Somewhere(kept[0].name)) if kept else None


def of_queries(run: PartitionedRun, queries: Iterable[bytes]) -> Run:
    """The rows of some queries of a run in parts, as a run of their own."""
    found = [part for part in raise_errors(run.results(Take(frozenset(queries)))) if part is not None]
    if found:
        return one_run(found)
    empty = np.empty(0, np.int64)
    return Run(name=run.name, queries=IdColumn.of(()), query=empty, doc=IdColumn.of(()), score=np.empty(0))


@dataclass(frozen=True, slots=True)
class Bucket:
    """Of all parts the rows of some queries: those whose hash falls into one of several buckets."""

    parts: tuple[Part, ...]
    number: int
    buckets: int

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def batches(self) -> Iterator[Run]:
        for part in self.parts:
            for batch in part.batches():
                run = batch.read() if isinstance(batch, UnreadRun) else batch
                yield _of_queries(run, run.queries.hash() % np.uint64(self.buckets) == self.number)


def _of_queries(run: Run, mine: NDArray[np.bool_]) -> Run:
    """The rows of some queries."""
    part = run.take(mine[run.query])
    return replace(part, queries=run.queries.take(mine), query=(np.cumsum(mine) - 1)[part.query])


def in_buckets(run: PartitionedRun) -> PartitionedRun:
    """The same run with each query in one part: as many looks as are needed for a part to be held in memory."""
    size = sum(part.size for part in run.parts)
    buckets = max(1, math.ceil(size / _BUCKET))
    parts = tuple(Bucket(tuple(run.parts), number, buckets) for number in range(buckets))
    return replace(run, parts=parts, whole=True)
