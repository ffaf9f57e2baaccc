"""Scan a partitioned run once, if no query is in two partitions that do not follow each other, as in a file that was split.

The first and the last query of a partition may continue in its neighbours: their rows are scanned together. If another query is in two
partitions, or anything is unusual, the run is scanned in two passes, which report it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from judged.core.find.reference import Hits
from judged.core.find.scan import (
    StreamScan,
    TextScan,
    as_hits,
    native_policy,
    native_pool,
    scan_all,
    scan_between_edges,
)
from judged.core.native import native
from judged.core.parts.run import MAX_UNJUDGED, InTurn, LocalPartitions, Part, PartitionedRun, PartTask
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import IdKind
from judged.core.unread_runs import TextRun
from judged.errors import Warned

_LEAST, _PER_QUERY = 1 << 20, 64  # bytes of a text for which a scan of its own pays


Scanned = tuple[list[TextScan], Any, tuple[Warned, ...]]  # with the layout of the texts, and their warnings


@dataclass(frozen=True)
class ScanPart(PartTask[Scanned | None]):
    """Scan the texts of a partition. None if it has to be scanned otherwise."""

    pool: IdPool
    policy: Policy
    kinds: tuple[IdKind, IdKind]
    threads: int

    @cached_property
    def common(self) -> tuple[Any, ...]:
        """The arguments of all scans."""
        return native_pool(self.pool), native_policy(self.policy), self.threads

    def on(self, part: Part, position: int) -> Scanned | None:
        batches = list(part.batches())
        texts = [batch for batch in batches if isinstance(batch, TextRun)]
        if not texts or len(texts) < len(batches):
            return None
        least = max(_LEAST, _PER_QUERY * len(self.pool.ids))
        scanned = scan_between_edges(texts, least, self.kinds, *self.common)
        if scanned is None:
            return None
        return scanned, texts[0].layout, tuple(warning for text in texts for warning in text.warnings)


def find_in_one_pass(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int], object] | None,
) -> Hits | None:
    """Find the judged documents and their ranks; None if two passes are necessary."""
    parts = run.partitions
    if native is None or not isinstance(parts, LocalPartitions) or not parts.mapped:
        return None
    threads = getattr(parts.executor, "threads", 1)
    run = replace(run, partitions=replace(parts, executor=InTurn()))  # all cores scan one text
    task = ScanPart(pool, policy, kinds, threads)
    stream, rest, layout = StreamScan(pool), b"", None
    warnings: dict[Warned, None] = {}
    for result in run.map(task, progress):
        if result is None or layout not in (None, result[1]):
            return None
        texts, layout, noted = result
        warnings |= dict.fromkeys(noted)
        for text in texts:
            rest += b"\n" + text.first
            if text.scan is None:
                continue
            if not (_add_rows(stream, rest, layout, task) and stream.add(text.scan)):
                return None
            rest = text.last
    if not _add_rows(stream, rest, layout, task):
        return None
    scan = stream.result()
    unusual = scan["empty"] or scan["unjudged"] > MAX_UNJUDGED or (policy.order == "rank" and not scan["ranked"])
    if unusual or not scan["answered"].any():
        return None
    return replace(as_hits(pool, scan), warnings=tuple(warnings))


def _add_rows(stream: StreamScan, rows: bytes, layout: Any, task: ScanPart) -> bool:
    scan = scan_all(np.frombuffer(rows, np.uint8), 0, len(rows), layout, *task.common)
    return scan is not None and stream.add(scan)
