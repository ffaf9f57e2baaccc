"""Scan a partitioned run once, if no query is in two partitions that do not follow each other, as in a file that was split.

The first and the last query of a text may continue in its neighbours: their rows are scanned together. If another query is in two
partitions, or anything is unusual, the run is scanned in two passes, which report it. A directory of TREC files takes two thirds of the
time of two passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from judged._types import Bytes
from judged.core.find.reference import Hits
from judged.core.find.scan import ALL, BYTES, StreamScan, as_hits, is_regular, native_policy, native_pool
from judged.core.native import native
from judged.core.parts.run import MAX_UNJUDGED, LocalPartitions, PartitionedRun
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import IdKind
from judged.core.unread_runs import TextRun
from judged.errors import Warned

_LEAST, _PER_QUERY = 1 << 20, 64  # bytes of a text for which a scan of its own pays


def find_in_one_pass(
    pool: IdPool,
    run: PartitionedRun,
    policy: Policy,
    kinds: tuple[IdKind, IdKind],
    progress: Callable[[int], object] | None,
) -> Hits | None:
    """Find the judged documents and their ranks; None if two passes are necessary."""
    parts = run.partitions
    # Only texts that are mapped into this process: there, a scan that stops early costs little.
    if native is None or not isinstance(parts, LocalPartitions) or not parts.in_process:
        return None
    if not all(getattr(part, "mapped", False) for part in parts.parts):
        return None
    common = native_pool(pool), native_policy(policy), getattr(parts.executor, "threads", 1)  # all cores scan one text
    least = max(_LEAST, _PER_QUERY * len(pool.ids))
    stream, rest, layout, done = StreamScan(pool), b"", None, 0
    warnings: dict[Warned, None] = {}

    def add(data: Bytes, begin: int, end: int) -> bool:
        scan = native.scan_text(data, begin, end, dict(layout or {}), *common, BYTES, None, ALL)
        return is_regular(scan) and stream.add(scan)

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
    return replace(as_hits(pool, scan), warnings=tuple(warnings))


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
