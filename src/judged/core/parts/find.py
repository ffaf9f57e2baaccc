"""Find the judged documents of a partitioned run: two passes whose counts add up, or one if no query spans two partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NoReturn, TypeVar

import numpy as np

from judged._types import Ints
from judged.core import segments
from judged.core.find.reference import (
    Hits,
    by_grade,
    raise_duplicate,
    raise_empty_run,
    raise_no_common_query,
    raise_no_rank,
)
from judged.core.ids import IdColumn
from judged.core.native import return_memory
from judged.core.parts.one_pass import find_in_one_pass
from judged.core.parts.pass_one import LocatedHits, LocateHits, pack_pool
from judged.core.parts.pass_two import CountRanks, CountsTogether, HitIndex, RankCounts, index_hits
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import IdKind
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError

Progress = Callable[[int, int], object]
Result = TypeVar("Result")
PARTITIONS_BETWEEN = 4


def find_in_partitions(
    pool: IdPool, run: PartitionedRun, policy: Policy, kinds: tuple[IdKind, IdKind], progress: Progress | None
) -> Hits:
    """Find the judged documents and their ranks; bit-identical to `reference.find` on all rows.

    Raises:
        DataError: as `reference.find`; or a run that changed between the two passes.
    """
    if not run.partitions.ordered and "input" in (policy.order, policy.ties):
        option = "order" if policy.order == "input" else "ties"
        raise UsageError(
            "engine",
            f"{option}='input' needs the order of the rows, which a database table does not have",
            where=run.name,
            value="input",
        )
    size = sum(run.partitions.sizes)
    first = None if progress is None else lambda done: progress(done, 2 * size)
    second = None if progress is None else lambda done: progress(size + done, 2 * size)
    if (once := find_in_one_pass(pool, run, policy, kinds, second)) is not None:
        return once
    if policy.duplicates != "error":  # of which documents are judged, the counts of the others do not tell
        raise UsageError(
            "engine",
            f"duplicates={policy.duplicates!r} needs all rows of a query together, which partitions do not have",
            where=run.name,
            hint=Hint("read the run into memory with {engine}", engine="memory"),
        )
    located = _locate(pool, run, policy, kinds, first)
    index = index_hits(pool, located, policy)
    located = located.repeated()
    return_memory()
    together = CountsTogether(index.no_counts()) if run.partitions.in_process else None
    counts = _count(run, CountRanks(index, policy, kinds, together), second)
    index = replace(index, doc=IdColumn.of([]))  # ranks need its order only
    return_memory()
    hits = _rank_hits(pool, run, policy, located, index, counts)
    return_memory()
    return hits


def _locate(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int], object] | None,
) -> LocatedHits:
    """The first pass. Its index of the judgments is gone before the second."""
    locate = LocateHits(pool if run.partitions.in_process else pack_pool(pool, documents=True), policy, kinds)
    return run.partitions.locate(locate) or LocatedHits.merge(_tidy(run.map(locate, progress)))


def _tidy(results: Iterable[Result]) -> Iterator[Result]:
    """The results of partitions; what earlier ones left in the allocator is returned from time to time, since it adds up to hundreds of megabytes."""
    for number, result in enumerate(results, 1):
        yield result
        if number % PARTITIONS_BETWEEN == 0:
            return_memory()


def _count(run: PartitionedRun, count: CountRanks, progress: Callable[[int], object] | None) -> RankCounts:
    """The second pass. Its own index is gone before counts become ranks."""
    return count.merge(_tidy(run.map(count, progress)))


def _rank_hits(
    pool: IdPool, run: PartitionedRun, policy: Policy, located: LocatedHits, index: HitIndex, counted: RankCounts
) -> Hits:
    """Turn counts into ranks."""
    if not counted.rows:
        raise_empty_run(run.name)
    if policy.order == "rank" and not counted.ranked:
        _raise_no_rank(run)
    above, tied = _groups(index, counted)
    retrieved = _by_query(index, counted, tied)
    unjudged_queries = tuple(counted.unjudged_queries)
    if not retrieved.any():
        raise_no_common_query(pool.queries, run.name, unjudged_queries or pool.bare())
    inside, on = _inside(index, counted)
    if (on != index.times).any() or located.rows not in (None, counted.rows):
        raise DataError(
            "file-changed",
            "the run changed between the two passes",
            where=run.name,
            hint="evaluate a run that is not being written, and make sure that a computed table is deterministic",
        )
    group = np.repeat(np.arange(len(index.value)), np.diff(index.first))
    _check_duplicates(pool, run, policy, located, index, above[group])
    judgment, position = index.judgment, index.position
    if (index.times > 1).any():  # duplicates below the depth are kept
        again = np.repeat(np.arange(len(group)), index.times)
        inside = inside[again] + segments.positions(index.times)
        group, judgment, position = group[again], judgment[again], position[again]
    if policy.ties in ("best", "worst"):
        first = np.argsort(position, kind="stable")  # of equal grades, the first one
        best = policy.ties == "best"
        inside[first] = by_grade(group[first], tied[group[first]], pool.grade[judgment[first]], best=best)
    elif policy.ties not in ("id-asc", "input"):
        inside = tied[group] - 1 - inside
    query, rank = pool.query[judgment], above[group] + inside + 1
    order = np.lexsort((rank, query))
    disagreeing = int(counted.disagrees.sum()) + sum(odd for _, odd in counted.unjudged_queries.values())
    return Hits(
        retrieved=retrieved,
        answered=retrieved > 0,
        query=query[order],
        rank=rank[order],
        judgment=judgment[order],
        tie_first=(above[group] + 1)[order],
        tie_last=(above[group] + tied[group])[order],
        infinite=counted.infinite,
        disagreeing=disagreeing if counted.ranked else 0,
        unjudged=len(unjudged_queries),
        some_unjudged=unjudged_queries[:3],
        more_unjudged=counted.more,
        warnings=tuple(counted.warnings),
    )


def _raise_no_rank(run: PartitionedRun) -> NoReturn:
    """Raise for the first batch without ranks, at its first wrong rank if its rows are in memory."""
    for part in getattr(run.partitions, "parts", ()):
        for batch in part.batches():
            rows = batch.read() if isinstance(batch, UnreadRun) else batch
            if rows.rank is None:
                raise_no_rank(rows.name, rows)
    raise_no_rank(run.name)


def _groups(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints]:
    """Return the number of documents that beat each group of its query, and the size of the group."""
    query = np.repeat(np.arange(len(index.start) - 1), np.diff(index.start))
    groups = np.arange(len(index.value))
    tied = np.add.reduceat(counted.inside, index.inside_start[:-1], dtype=np.int64) if len(groups) else groups
    ahead = np.concatenate([[0], np.cumsum(counted.ahead, dtype=np.int64)])
    better = np.concatenate([[0], np.cumsum(tied)])
    first = index.start[query]
    return ahead[groups + query + 1] - ahead[first + query] + better[groups] - better[first], tied


def _by_query(index: HitIndex, counted: RankCounts, tied: Ints) -> Ints:
    """Return the number of documents of each query."""
    queries = np.arange(len(index.start))
    ahead = np.concatenate([[0], np.cumsum(counted.ahead, dtype=np.int64)])
    inside = np.concatenate([[0], np.cumsum(tied)])
    return np.diff(ahead[index.start + queries]) + np.diff(inside[index.start])


def _inside(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints]:
    """Return the number of documents before each document in its group, and the number of its own rows."""
    group = np.repeat(np.arange(len(index.value)), np.diff(index.first))
    start = index.inside_start[group]
    on = start + 2 * (np.arange(len(group)) - index.first[group]) + 1
    before = np.concatenate([[0], np.cumsum(counted.inside, dtype=np.int64)])
    return before[on] - before[start], counted.inside[on]


def _check_duplicates(
    pool: IdPool, run: PartitionedRun, policy: Policy, located: LocatedHits, index: HitIndex, above: Ints
) -> None:
    """Raise `duplicate-doc` for a judged document that is in a ranking twice, within the depth that is evaluated."""
    seen = above < (np.inf if policy.depth is None else policy.depth)
    times = np.bincount(index.judgment[seen], weights=index.times[seen], minlength=len(pool.query))
    if not (times > 1).any():
        return
    lowest = np.full(len(pool.queries), np.inf)
    value = np.repeat(index.value, np.diff(index.first))
    np.minimum.at(lowest, pool.query[index.judgment[seen]], value[seen])
    suspect = np.flatnonzero((times[located.judgment] > 1) & (located.value >= lowest[pool.query[located.judgment]]))
    suspect = suspect[np.lexsort((located.position[suspect], located.judgment[suspect]))]
    again = suspect[1:][located.judgment[suspect][1:] == located.judgment[suspect][:-1]]
    later = again[np.argmin(located.position[again])]
    judgment = located.judgment[later]
    earlier = located.position[(located.judgment == judgment) & (located.position < located.position[later])].max()
    first, second = (run.partitions.place(int(row), run.name) for row in (earlier, located.position[later]))
    raise_duplicate(pool.ids[int(pool.query[judgment])], pool.doc[int(judgment)], first, second, len(again))
