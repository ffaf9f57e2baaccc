"""The scan of a run for judged documents in C++ (`src/native`), on all cores; the same bits as the reference."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from mmap import mmap
from typing import Any

import numpy as np

from judged._types import Bytes
from judged.core.native import CORES, as_ints, native
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.reference import (
    Hits,
    queries_of,
    raise_duplicate,
    raise_no_common_query,
    raise_no_rank,
)
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, DictRun, TextRun, TextStream, UnreadRun
from judged.errors import Place, Warned

_HITS = ("query", "rank", "judgment", "tie_first", "tie_last")
_FROM_SCAN = (*_HITS, "infinite", "disagreeing", "unjudged", "some_unjudged")

Progress = Callable[[int, int], object]
Kinds = tuple[IdKind, IdKind]

INDEX = "native"  # among the results of a pool
BYTES = 1 << 20  # that a core takes at a time
_ROWS = 1 << 15

# The native name of each choice that the core knows (`ORDERS`, `TIES` and `DUPLICATES` in ranking.hpp).
POLICY_CODES = {
    "order": {"score": "score", "rank": "rank", "input": "input"},
    "ties": {
        "id-desc": "id_descending",
        "id-asc": "id_ascending",
        "input": "input",
        "best": "best",
        "worst": "worst",
        "expected": "id_descending",  # any order: only the groups of tied documents matter
    },
    "duplicates": {"error": "error", "first": "first", "best": "best"},
}


def find(
    pool: IdPool, run: Run | UnreadRun, policy: Policy, kinds: Kinds, progress: Progress | None = None
) -> Hits | None:
    """Find the judged documents in a run, and their ranks; None if only the reference can (or can name the error).

    `kinds` are the types of the ids of queries and documents in the judgments.
    """
    if native is None:
        return None
    integer = kinds[0] == "integer", kinds[1] == "integer"
    common = (pool.once(INDEX, lambda: native_pool(pool)), native_policy(policy), CORES)
    if isinstance(run, TextStream):
        return _find_in_stream(pool, run, policy, kinds, progress, *common)
    if isinstance(run, TextRun):
        if kinds != run.kinds:
            return None
        with run.open() as (data, start):
            stretch = data, start, len(data), dict(run.layout)
            scan = native.scan_text(*stretch, *common, BYTES, progress, mapped=_is_mapped(data))
            if scan["bad"] is not None and run.raise_row is not None:
                run.raise_row(data, scan["bad"], scan["empty"])
            place = None if run.place is None else partial(run.place, data)
            return hits_of(pool, run, policy, scan, place)
    if isinstance(run, Run):
        rank = None if run.rank is None else as_ints(run.rank)
        columns = run.queries.arrays(), as_ints(run.query), run.doc.arrays(), np.ascontiguousarray(run.score), rank
        return hits_of(pool, run, policy, native.scan_rows(*columns, *common, _ROWS, progress), run.where)
    scan = None
    if isinstance(run, ArrowRun) and "other" not in kinds and (stream := run.stream()) is not None:
        scan = native.scan_arrow([stream], run.columns, *integer, *common, _ROWS, progress)
    elif isinstance(run, DictRun) and "other" not in kinds:
        scan = native.scan_dict(run.rankings, *integer, *common[:2])
    return None if scan is None else hits_of(pool, run, policy, scan, None)


def _find_in_stream(
    pool: IdPool, run: TextStream, policy: Policy, kinds: Kinds, progress: Progress | None, *common: Any
) -> Hits | None:
    if kinds != ("text", "text"):
        return None
    stream = scan_stream(pool, run, *common, BYTES)
    if stream is not None:
        hits = hits_of(pool, run, policy, stream.result(), stream.place)
        return None if hits is None else replace(hits, warnings=stream.warnings)
    whole = run.whole()
    hits = None if whole is None else find(pool, whole, policy, kinds, progress)
    return None if hits is None or whole is None else replace(hits, warnings=whole.warnings)


def hits_of(
    pool: IdPool, run: Run | UnreadRun, policy: Policy, scan: dict[str, Any], place: Callable[[int], Place] | None
) -> Hits | None:
    """Return the hits of a scan of a whole run, which must have a query in common with the pool.

    None if the reference has to read the rows again: there are none, or without their places there is an error to name.
    """
    if scan["empty"] or (place is None and (scan["bad"] is not None or scan["repeat"] is not None)):
        return None
    judged = slice(len(pool.queries))
    hits = Hits(
        retrieved=scan["retrieved"][judged],
        answered=scan["answered"].view(np.bool_)[judged],
        **{name: scan[name] for name in _FROM_SCAN},
    )
    if isinstance(run, Run):
        hits = replace(hits, **queries_of(pool, run))
    if not np.count_nonzero(hits.answered):
        raise_no_common_query(pool.queries, run.name, hits.some_unjudged or pool.bare())
    if policy.order == "rank" and not scan["ranked"]:
        table = run.read() if isinstance(run, TextRun | TextStream | ArrowRun) else run
        if not isinstance(table, Run) or table.rank is None:
            raise_no_rank(run.name, table if isinstance(table, Run) else None)
    if scan["repeat"] is not None and place is not None:
        query, doc, earlier, later, count = scan["repeat"]
        raise_duplicate(pool.ids[query], doc, place(earlier), place(later), count)
    return hits


def _is_mapped(data: Bytes) -> bool:
    """Return whether bytes are those of a mapped file, whose pages can be released after use."""
    memory: Any = data
    while isinstance(memory, np.ndarray):
        memory = memory.base
    return isinstance(memory.obj if isinstance(memory, memoryview) else memory, mmap)


def native_pool(pool: IdPool) -> Any:
    """Convert the pool; queries without judgments follow the others."""
    columns = as_ints(pool.query), np.ascontiguousarray(pool.grade), pool.doc.arrays()
    return native.Pool(pool.ids.arrays(), len(pool.queries), *columns)


@lru_cache(maxsize=64)
def native_policy(policy: Policy) -> Any:
    codes = {name: codes[getattr(policy, name)] for name, codes in POLICY_CODES.items()}
    return native.Policy(**codes, depth=policy.depth or 0, single=policy.precision == "float32")


_SUMS = ("retrieved", "infinite", "disagreeing", "unjudged")
ALL = 1 << 62  # queries without judgments to name


class StreamScan:
    """The scans of the stretches so far, merged; the result of `native.scan_text` on the whole text."""

    def __init__(self, pool: IdPool) -> None:
        self._has_bare = len(pool.ids) > len(pool.queries)
        self._scans: list[dict[str, Any]] = []
        self._merged: dict[str, Any] = {}
        self._unjudged: dict[bytes, None] = {}
        self._places: dict[int, Place] = {}
        self.warnings: tuple[Warned, ...] = ()

    def scan(self, text: TextRun, *arguments: Any) -> bool:
        """Scan a stretch; return False if a query comes back in it."""
        with text.open() as (data, start):
            scan = native.scan_text(data, start, len(data), dict(text.layout), *arguments, None, ALL)
            if scan["bad"] is not None:
                assert text.raise_row is not None
                text.raise_row(data, scan["bad"], scan["empty"])
            if scan["repeat"] is not None:
                assert text.place is not None
                query, doc, *rows, count = scan["repeat"]
                self._places.update({len(self._places) + i: text.place(data, row) for i, row in enumerate(rows)})
                scan["repeat"] = query, doc, len(self._places) - 2, len(self._places) - 1, count
        self.warnings = text.warnings  # about the end of the text
        return self.add(scan)

    def add(self, scan: dict[str, Any]) -> bool:
        """Add the scan of a stretch, which names all queries without judgments; return False if a query comes back in it."""
        before = self._merged
        unjudged = scan.pop("some_unjudged")
        if before:
            mixed = self._has_bare and before["disagreeing"] and scan["disagreeing"]  # perhaps of one query
            if (
                mixed
                or (before["answered"] & scan["answered"]).any()
                or any(map(self._unjudged.__contains__, unjudged))
            ):
                return False
        self._unjudged.update(dict.fromkeys(unjudged))
        self._scans.append({name: scan.pop(name) for name in _HITS})
        if not before:
            self._merged = scan
            return True
        for name in _SUMS:
            before[name] = before[name] + scan[name]
        before["answered"] |= scan["answered"]
        before["empty"] &= scan["empty"]
        before["ranked"] &= scan["ranked"]
        if before["repeat"] is None:
            before["repeat"] = scan["repeat"]
        elif scan["repeat"] is not None:
            before["repeat"] = (*before["repeat"][:4], before["repeat"][4] + scan["repeat"][4])
        return True

    def result(self) -> dict[str, Any]:
        """Return the merged scan."""
        hits = {name: np.concatenate([scan[name] for scan in self._scans]) for name in _HITS}
        order = np.argsort(hits["query"], kind="stable")
        some = tuple(self._unjudged)[:3]
        disagreeing = self._merged["disagreeing"] if self._merged["ranked"] else 0
        columns = {name: column[order] for name, column in hits.items()}
        return self._merged | columns | {"some_unjudged": some, "disagreeing": disagreeing}

    def place(self, number: int) -> Place:
        """Return the place of a row of the first duplicate."""
        return self._places[number]


def scan_stream(pool: IdPool, run: TextStream, *arguments: Any) -> StreamScan | None:
    """Scan all stretches; None if a query comes back in a later one."""
    stream = StreamScan(pool)
    with closing(run.stretches()) as stretches:  # type: ignore[type-var]
        for text in stretches:
            if not stream.scan(text, *arguments):
                return None
    return stream
