"""Find the judged documents of a partitioned run: two passes whose counts add up, or one if no query spans two partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NoReturn, TypeVar

import numpy as np

from judged._types import Bytes, Ints
from judged.core import segments
from judged.core.native import native, return_memory
from judged.core.parts.pass_one import LocatedHits, LocateHits, pack_pool
from judged.core.parts.pass_two import CountRanks, HitIndex, RankCounts, index_hits
from judged.core.parts.run import MAX_UNJUDGED, LocalPartitions, PartitionedRun
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.reference import (
    Hits,
    by_grade,
    check_id_kinds,
    find,
    raise_duplicate,
    raise_empty_run,
    raise_no_common_query,
    raise_no_rank,
)
from judged.core.scan import ALL, BYTES, StreamScan, hits_of, native_policy, native_pool
from judged.core.tables import IdColumn, IdKind
from judged.core.unread_runs import TextRun, UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned

Progress = Callable[[int, int], object]
Result = TypeVar("Result")
PARTITIONS_BETWEEN = 4
_LEAST, _PER_QUERY = 1 << 20, 64  # bytes of a text for which a scan of its own pays


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
    if native is None:  # counting in Python would take much longer than reading
        table = run.read()
        check_id_kinds(kinds, table)
        return replace(find(pool, table, policy), warnings=table.warnings)
    size = sum(run.partitions.sizes)
    first = None if progress is None else lambda done: progress(done, 2 * size)
    second = None if progress is None else lambda done: progress(size + done, 2 * size)
    if (once := _find_in_one_pass(pool, run, policy, kinds, second)) is not None:
        return once
    if policy.duplicates != "error":  # of which documents are judged, the counts of the others do not tell
        raise UsageError(
            "engine",
            f"duplicates={policy.duplicates!r} needs all rows of a query together, which partitions do not have",
            where=run.name,
            hint=Hint("read the run into memory with {engine}", engine="memory"),
        )
    # Each task has an index of its own, which is gone before the next step.
    locate = LocateHits(pool if run.partitions.in_process else pack_pool(pool, documents=True), policy, kinds)
    located = run.partitions.locate(locate) or LocatedHits.merge(_tidy(run.map(locate, first)))
    del locate
    index = index_hits(pool, located, policy)
    located = located.repeated()
    return_memory()
    count = CountRanks(index, policy, kinds)
    counts = count.merge(_tidy(run.map(count, second)))
    del count
    index = replace(index, doc=IdColumn.of([]))  # ranks need its order only
    return_memory()
    hits = _rank_hits(pool, run, policy, located, index, counts)
    return_memory()
    return hits


def _tidy(results: Iterable[Result]) -> Iterator[Result]:
    """The results of partitions; what earlier ones left in the allocator is returned from time to time, since it adds up to hundreds of megabytes."""
    for number, result in enumerate(results, 1):
        yield result
        if number % PARTITIONS_BETWEEN == 0:
            return_memory()


def _rank_hits(
    pool: IdPool, run: PartitionedRun, policy: Policy, located: LocatedHits, index: HitIndex, counted: RankCounts
) -> Hits:
    """Turn counts into ranks."""
    if not counted.rows:
        raise_empty_run(run.name)
    if policy.order == "rank" and not counted.ranked:
        _raise_no_rank(run)
    above, tied, retrieved = _groups(index, counted)
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
    group = index.group
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


def _groups(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints, Ints]:
    """Return the number of documents that beat each group of its query, the size of each group, and the number of documents of each query."""
    queries, groups = np.arange(len(index.start)), np.arange(len(index.value))
    tied = np.add.reduceat(counted.inside, index.inside_start[:-1], dtype=np.int64) if len(groups) else groups
    ahead = np.concatenate([[0], np.cumsum(counted.ahead, dtype=np.int64)])
    better = np.concatenate([[0], np.cumsum(tied)])
    query = np.repeat(queries[:-1], np.diff(index.start))
    first = index.start[query]
    above = ahead[groups + query + 1] - ahead[first + query] + better[groups] - better[first]
    return above, tied, np.diff(ahead[index.start + queries]) + np.diff(better[index.start])


def _inside(index: HitIndex, counted: RankCounts) -> tuple[Ints, Ints]:
    """Return the number of documents before each document in its group, and the number of its own rows."""
    start = index.inside_start[index.group]
    on = start + 2 * (np.arange(len(start)) - index.first[index.group]) + 1
    before = np.concatenate([[0], np.cumsum(counted.inside, dtype=np.int64)])
    return before[on] - before[start], counted.inside[on]


def _check_duplicates(
    pool: IdPool, run: PartitionedRun, policy: Policy, located: LocatedHits, index: HitIndex, above: Ints
) -> None:
    """Raise `duplicate-doc` for a judged document that is in a ranking twice, within the depth that is evaluated.

    `located` has the rows of documents that were located more than once; `above`, for each document, how many beat it.
    """
    if not len(located.judgment):
        return
    seen = above < (np.inf if policy.depth is None else policy.depth)
    lowest = np.full(len(pool.queries), np.inf)
    np.minimum.at(lowest, pool.query[index.judgment[seen]], index.value[index.group][seen])
    row = np.flatnonzero(located.value >= lowest[pool.query[located.judgment]])
    row = row[np.lexsort((located.position[row], located.judgment[row]))]
    judgment, position = located.judgment[row], located.position[row]
    again = np.flatnonzero(judgment[1:] == judgment[:-1]) + 1
    if not len(again):
        return
    later = int(again[np.argmin(position[again])])
    first, second = (run.partitions.place(int(position[at]), run.name) for at in (later - 1, later))
    twice = int(judgment[later])
    raise_duplicate(pool.ids[int(pool.query[twice])], pool.doc[twice], first, second, len(again))


# ── one pass ────────────────────────────────────────────────────────────────────────────────────


def _find_in_one_pass(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int], object] | None,
) -> Hits | None:
    """Find the judged documents and their ranks in one pass; None if two passes are necessary.

    One is enough if no query is in two partitions that do not follow each other, as in a file that was split. The first and the last query of a
    text may continue in its neighbours: their rows are scanned together. If another query is in two partitions, or anything is unusual,
    the run is scanned in two passes, which report it. A directory of TREC files takes two fifths of the time of two passes.
    """
    parts = run.partitions
    # Only texts that are mapped into this process: there, a scan that stops early costs little.
    if not isinstance(parts, LocalPartitions) or not parts.in_process:
        return None
    if not all(getattr(part, "mapped", False) for part in parts.parts):
        return None
    common = native_pool(pool), native_policy(policy), getattr(parts.executor, "threads", 1)  # all cores scan one text
    least = max(_LEAST, _PER_QUERY * len(pool.ids))
    stream, rest, layout, done = StreamScan(pool), b"", None, 0
    warnings: dict[Warned, None] = {}

    def add(data: Bytes, begin: int, end: int) -> bool:
        scan = native.scan_text(data, begin, end, dict(layout or {}), *common, BYTES, None, ALL)
        return scan["bad"] is None and scan["repeat"] is None and stream.add(scan)

    for part in parts.parts:
        batches = list(part.batches())
        texts = [batch for batch in batches if isinstance(batch, TextRun) and batch.kinds == kinds]
        if not texts or len(texts) < len(batches):
            return None
        layout = layout or texts[0].layout
        if any(text.layout != layout or not (text.joinable or len(texts) == 1) for text in texts):
            return None
        warnings |= dict.fromkeys(warning for text in texts for warning in text.warnings)
        for data, start in _join_texts(texts, least):
            edges = native.query_edges(data, start, len(data), dict(layout))
            if edges is None:
                return None
            first, last = edges
            if first >= last:  # at most two queries
                rest += b"\n" + data[start:].tobytes()
                continue
            rest += b"\n" + data[start:first].tobytes()
            if not (add(np.frombuffer(rest, np.uint8), 0, len(rest)) and add(data, first, last)):
                return None
            rest = data[last:].tobytes()
        done += part.size
        if progress is not None:
            progress(done)
    if not add(np.frombuffer(rest, np.uint8), 0, len(rest)):
        return None
    scan = stream.result()
    unusual = scan["empty"] or scan["unjudged"] > MAX_UNJUDGED or (policy.order == "rank" and not scan["ranked"])
    if unusual or not scan["answered"].any():
        return None
    hits = hits_of(pool, run, policy, scan, None)
    return None if hits is None else replace(hits, warnings=tuple(warnings))


def _join_texts(texts: Sequence[TextRun], least: int) -> Iterator[tuple[Bytes, int]]:
    """Yield lines of texts, and the number of bytes to skip: short texts copied into one, a long one as it is. One file is open at a time."""
    short = bytearray()
    for text in texts:
        with text.open() as (data, start):
            long = len(data) >= least
            if not long:
                short += data[start:].data
                short += b"\n"  # a blank line is skipped
            if short and (long or len(short) >= least):
                yield np.frombuffer(short, np.uint8), 0
                short = bytearray()
            if long:
                yield data, start
    if short:
        yield np.frombuffer(short, np.uint8), 0
