"""Find the judged documents in a text that is made while it is scanned: one pass, stretch by stretch, in bounded memory."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from judged.core.find.pool import IdPool
from judged.core.numeric.native import native
from judged.core.unread_runs import TextRun, TextStream
from judged.errors import Place, Warned

_SUMS = ("retrieved", "infinite", "disagreeing", "unjudged")
_HITS = ("query", "rank", "judgment", "tie_first", "tie_last")
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
