"""What a run in parts holds of a pool: two looks and the sums of their counts, or one look where each query lies in one part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from judged._types import Ints
from judged.core.find.hits import Hits, raise_duplicate, raise_no_common_query, raise_no_rank
from judged.core.find.pool import IdPool
from judged.core.find.reference import by_grade
from judged.core.numeric import segments_reference as segment
from judged.core.parts.pass_one import LocatedHits, LocateHits, lean
from judged.core.parts.pass_two import CountRanks, HitIndex, RankCounts, index_of
from judged.core.parts.run import PartitionedRun, place_of, raise_errors
from judged.core.parts.whole_queries import found_whole
from judged.core.policy import Policy
from judged.core.tables import IdKind
from judged.errors import DataError, UsageError

__all__ = ["find_in_partitions"]

Progress = Callable[[int, int], object]


def find_in_partitions(
    pool: IdPool, run: PartitionedRun, policy: Policy, kinds: tuple[IdKind, IdKind], progress: Progress | None
) -> Hits:
    """What the run holds of the pool: the bits of `reference.find` on all of it.

    Raises:
        DataError: as there; and a run that is not the same at every look.
    """
    _refuse_order(run, policy)
    if policy.repeats == "all" and not run.whole:
        if run.gather is None:
            raise UsageError("repeats", "repeats='judged' for this run in parts", got="'all'", where=run.name)
        return found_whole(pool, run.gather(), policy, kinds, progress, gathered=True)
    if run.whole:
        return found_whole(pool, run, policy, kinds, progress)
    look = LocateHits(lean(pool, documents=True), policy, kinds)
    alone = run.look or (lambda task: LocatedHits.together(raise_errors(run.results(task, _tell(run, progress, 0)))))
    looked = alone(look)
    count = CountRanks(index_of(pool, looked, policy), policy, kinds)
    counted = count.together(raise_errors(run.results(count, _tell(run, progress, 1))))
    return _placed(pool, run, policy, looked, count.index, counted)


def _tell(run: PartitionedRun, progress: Progress | None, look: int) -> Callable[[int], object] | None:
    """Progress of one of two looks."""
    size = sum(part.size for part in run.parts)
    return None if progress is None else lambda done: progress(look * size + done, 2 * size)


def _refuse_order(run: PartitionedRun, policy: Policy) -> None:
    for name in ("order", "ties"):
        if getattr(policy, name) == "input" and not run.ordered:
            raise UsageError("order", f"{name} by what is in the rows: a table of a database has no order", got="'input'", where=run.name)  # fmt: skip


def _placed(
    pool: IdPool, run: PartitionedRun, policy: Policy, looked: LocatedHits, index: HitIndex, counted: RankCounts
) -> Hits:
    """From counts to ranks."""
    if not counted.rows:
        raise DataError("empty-run", "at least one ranking", got="none", where=run.name)
    if policy.order == "rank" and not counted.ranked:
        raise_no_rank(run.name)
    above, tied = _groups(index, counted)
    retrieved = _by_query(index, counted, tied)
    strangers = tuple(counted.strangers)
    if not retrieved.any():
        raise_no_common_query(pool, run.name, strangers[:3])
    inside, on = _inside(index, counted)
    if (on != index.times).any() or (run.look is None and looked.rows != counted.rows):
        raise DataError("file-changed", "the same rows at every look", got="others the second time", where=run.name,
                        hint="evaluate a run that nobody writes to; a table that is made anew each time must come out the same")  # fmt: skip
    group = np.repeat(np.arange(len(index.value)), np.diff(index.first))
    _refuse_repeats(pool, run, policy, looked, index, above[group])
    again = np.repeat(np.arange(len(group)), index.times)  # documents that stand twice below the depth are left
    inside = inside[again] + segment.positions(index.times)
    group, judgment, position = group[again], index.judgment[again], index.position[again]
    if policy.ties in ("best", "worst"):
        first = np.argsort(position, kind="stable")  # of equal grades, the one that comes first
        best = policy.ties == "best"
        inside[first] = by_grade(group[first], tied[group[first]], pool.grade[judgment[first]], best=best)
    elif policy.ties not in ("id-asc", "input"):
        inside = tied[group] - 1 - inside
    query, rank = pool.query[judgment], above[group] + inside + 1
    order = np.lexsort((rank, query))
    disagreeing = int(counted.disagrees.sum()) + sum(odd for _, odd in counted.strangers.values())
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
        unjudged=len(strangers),
        some_unjudged=strangers[:3],
        more_unjudged=counted.more,
        warnings=tuple(counted.warnings),
    )


def _groups(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints]:
    """How many documents beat each group of its query, and how many it has."""
    query = np.repeat(np.arange(len(index.start) - 1), np.diff(index.start))
    groups = np.arange(len(index.value))
    tied = np.add.reduceat(counted.inside, index.inside_start[:-1]) if len(groups) else groups
    ahead = np.concatenate([[0], np.cumsum(counted.ahead)])
    better = np.concatenate([[0], np.cumsum(tied)])
    first = index.start[query]
    return ahead[groups + query + 1] - ahead[first + query] + better[groups] - better[first], tied


def _by_query(index: HitIndex, counted: RankCounts, tied: Ints) -> Ints:
    """How many documents each query has."""
    queries = np.arange(len(index.start))
    ahead = np.concatenate([[0], np.cumsum(counted.ahead)])
    inside = np.concatenate([[0], np.cumsum(tied)])
    return np.diff(ahead[index.start + queries]) + np.diff(inside[index.start])


def _inside(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints]:
    """How many documents of its group come before each document, and how often it came itself."""
    group = np.repeat(np.arange(len(index.value)), np.diff(index.first))
    start = index.inside_start[group]
    on = start + 2 * (np.arange(len(group)) - index.first[group]) + 1
    before = np.concatenate([[0], np.cumsum(counted.inside)])
    return before[on] - before[start], counted.inside[on]


def _refuse_repeats(
    pool: IdPool, run: PartitionedRun, policy: Policy, looked: LocatedHits, index: HitIndex, above: Ints
) -> None:
    """An error where a judged document stands twice within the depth that is looked at."""
    seen = above < (np.inf if policy.depth is None else policy.depth)
    times = np.bincount(index.judgment[seen], weights=index.times[seen], minlength=len(pool.query))
    if not (times > 1).any():
        return
    lowest = np.full(len(pool.queries), np.inf)
    value = np.repeat(index.value, np.diff(index.first))
    np.minimum.at(lowest, pool.query[index.judgment[seen]], value[seen])
    suspect = np.flatnonzero((times[looked.judgment] > 1) & (looked.value >= lowest[pool.query[looked.judgment]]))
    suspect = suspect[np.lexsort((looked.position[suspect], looked.judgment[suspect]))]
    again = suspect[1:][looked.judgment[suspect][1:] == looked.judgment[suspect][:-1]]
    later = again[np.argmin(looked.position[again])]
    judgment = looked.judgment[later]
    earlier = looked.position[(looked.judgment == judgment) & (looked.position < looked.position[later])].max()
    first, second = (place_of(run.parts, int(row), run.name) for row in (earlier, looked.position[later]))
    raise_duplicate(pool.ids[int(pool.query[judgment])], pool.doc[int(judgment)], first, second, len(again))
