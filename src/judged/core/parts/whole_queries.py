"""Rank partitions independently if no query spans two of them; select queries of a partitioned run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged.core.find import reference, scan
from judged.core.find.reference import Hits, check_id_kinds, raise_empty_run, raise_no_common_query
from judged.core.ids import IdColumn
from judged.core.native import usable_cores
from judged.core.parts.pass_one import pack_pool
from judged.core.parts.run import Part, PartitionedRun, PartTask, select_queries
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import IdKind, Run, UnknownRow
from judged.core.unread_runs import ArrowRun, TextRun, UnreadRun
from judged.errors import DataError, Hint, Place, shown


@dataclass(frozen=True)
class RankQueries(PartTask[tuple[Hits, bool] | None]):
    """Rank the queries of a partition. The result is None if it has no rows, else the hits and whether the rows have ranks."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]
    alone: bool = False  # the only partition, so that the task may use all cores

    def on(self, part: Part, position: int) -> tuple[Hits, bool] | None:
        batches = list(part.batches())
        ranked = all(map(_has_ranks, batches))
        warnings = tuple(w for batch in batches if isinstance(batch, Run | TextRun) for w in batch.warnings)
        hits = scan.find_in(self.pool, batches, self.policy, self.kinds, usable_cores() if self.alone else 1)
        if hits is None:
            runs = [batch.read() if isinstance(batch, UnreadRun) else batch for batch in batches]
            if not sum(map(len, runs)):
                return None
            run = concat_runs(runs)
            check_id_kinds(self.kinds, run)
            hits = reference.find_in(self.pool, run, self.policy)
        return replace(hits, warnings=warnings), ranked


def _has_ranks(batch: Run | UnreadRun) -> bool:
    if isinstance(batch, ArrowRun):
        return batch.columns[3] >= 0
    if isinstance(batch, TextRun):
        return batch.ranked
    return not isinstance(batch, Run) or batch.rank is not None


def find_whole_queries(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int, int], object] | None,
    *,
    regrouped: bool = False,
) -> Hits:
    """Find the judged documents of a run in which no query spans two partitions; `regrouped` if rows were moved for that."""
    sizes = run.partitions.sizes
    task = RankQueries(pack_pool(pool, documents=True), policy, kinds, alone=len(sizes) == 1)
    report = None if progress is None else lambda done: progress(done, sum(sizes))
    results = [result for result in run.map(task, report) if result is not None]
    if not results:
        raise_empty_run(run.name)
    parts = [hits for hits, _ in results]
    answered = np.sum([hits.answered for hits in parts], axis=0)
    if (answered > 1).any():
        example = pool.ids[int(np.argmax(answered > 1))]
        raise DataError(
            "not-whole",
            f"query {shown(example)} is in several partitions, though the file statistics say it is in one",
            where=run.name,
            hint=Hint("write the files again, or use {engine}", engine="memory"),
        )
    some_unjudged = tuple(query for hits in parts for query in hits.some_unjudged)[:3]
    if not answered.any():
        raise_no_common_query(pool.queries, run.name, some_unjudged or pool.bare())
    query = np.concatenate([hits.query for hits in parts])
    order = np.argsort(query, kind="stable")
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(hits, name) for hits in parts])[order]
        for name in ("rank", "judgment", "tie_first", "tie_last")
    }
    totals: dict[str, Any] = {
        name: sum(getattr(hits, name) for hits in parts) for name in ("infinite", "disagreeing", "unjudged")
    }
    if regrouped or not all(ranked for _, ranked in results):  # other neighbours than in the run, or no ranks
        totals["disagreeing"] = 0
    return Hits(
        retrieved=np.sum([hits.retrieved for hits in parts], axis=0),
        answered=answered > 0,
        query=query[order],
        some_unjudged=some_unjudged,
        warnings=tuple(dict.fromkeys(w for hits in parts for w in hits.warnings)),
        **columns,
        **totals,
    )


def concat_runs(runs: Sequence[Run]) -> Run:
    """Return the rows of several runs as one run."""
    if len(runs) == 1:
        return runs[0]
    runs = [run for run in runs if len(run)] or list(runs[:1])
    code: dict[bytes, int] = {}
    queries = [
        np.array([code.setdefault(raw, len(code)) for raw in run.queries.tolist()], np.int64)[run.query] for run in runs
    ]
    starts = np.cumsum([0, *map(len, runs)])

    def where(row: int) -> Place:
        at = int(np.searchsorted(starts, row, "right")) - 1
        return runs[at].where(row - int(starts[at]))

    ranks = [run.rank for run in runs if run.rank is not None]
    return replace(
        runs[0],
        queries=IdColumn.of(code),
        query=np.concatenate(queries),
        doc=IdColumn.of([raw for run in runs for raw in run.doc.tolist()]),
        score=np.concatenate([run.score for run in runs]),
        rank=np.concatenate(ranks) if len(ranks) == len(runs) else None,
        where=where,
        wrong_rank=next((run.wrong_rank for run in runs if run.wrong_rank is not None), None),
    )


@dataclass(frozen=True)
class TakeQueries(PartTask[Run | None]):
    """Return the rows of some queries of a partition; None if it has none of them."""

    queries: frozenset[bytes]

    def on(self, part: Part, position: int) -> Run | None:
        runs = (batch.read() if isinstance(batch, UnreadRun) else batch for batch in part.batches())
        selected = (
            select_queries(run, np.array([raw in self.queries for raw in run.queries.tolist()])) for run in runs
        )
        kept = [replace(run, doc=run.doc.compact()) for run in selected if len(run)]
        return replace(concat_runs(kept), where=UnknownRow(kept[0].name)) if kept else None


def read_queries(run: PartitionedRun, queries: Iterable[bytes]) -> Run:
    """Read the rows of some queries of a partitioned run."""
    runs = [part for part in run.map(TakeQueries(frozenset(queries))) if part is not None]
    if runs:
        return concat_runs(runs)
    empty = np.empty(0, np.int64)
    return Run(name=run.name, queries=IdColumn.of(()), query=empty, doc=IdColumn.of(()), score=np.empty(0))
