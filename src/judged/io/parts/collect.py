"""A run in parts put together in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from judged.core.ids import IdColumn
from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Place
from judged.io.parts.detect import refuse_empty

__all__ = ["together"]


def together(parts: Iterable[Part], name: str) -> Run:
    """All rows of all parts, in their order, with every check.

    Raises:
        DataError: no row at all, ids of several types, and whatever is wrong with a part.
    """
    batches = (batch.read() if isinstance(batch, UnreadRun) else batch for part in parts for batch in part.batches())
    runs = [run for run in batches if len(run)]
    if not runs:
        refuse_empty(name)
    _refuse_kinds(runs)
    seen: dict[bytes, int] = {}
    query = []
    for run in runs:
        codes = [seen.setdefault(raw, len(seen)) for raw in run.queries.tolist()]
        query.append(np.array(codes, np.int64)[run.query])
    ranks = [run.rank for run in runs if run.rank is not None]
    starts = [0, *accumulate(map(len, runs))]

    def where(row: int) -> Place:
        number = bisect_right(starts, row) - 1
        return runs[number].where(row - starts[number])

    return Run(
        name=name,
        queries=IdColumn.of(seen),
        query=np.concatenate(query),
        doc=_texts([run.doc for run in runs]),
        query_kind=runs[0].query_kind,
        doc_kind=runs[0].doc_kind,
        score=np.concatenate([run.score for run in runs]),
        rank=np.concatenate(ranks) if len(ranks) == len(runs) else None,
        tag=runs[-1].tag,
        where=where,
        warnings=tuple(dict.fromkeys(warning for run in runs for warning in run.warnings)),
    )


def _texts(texts: Sequence[IdColumn]) -> IdColumn:
    packed = [text.packed() for text in texts]
    moved = [0, *accumulate(len(text.buffer) for text in packed)]
    start = np.concatenate([text.start + by for text, by in zip(packed, moved, strict=False)])
    return IdColumn(
        np.concatenate([text.buffer for text in packed]), start, np.concatenate([text.length for text in packed])
    )


def _refuse_kinds(runs: Sequence[Run]) -> None:
    for what, kind in (("query", "query_kind"), ("document", "doc_kind")):
        other = next((run for run in runs if getattr(run, kind) != getattr(runs[0], kind)), None)
        if other is not None:
            words = {"text": "str", "integer": "int", "other": "objects"}
            raise DataError(
                "id-type", f"{what} ids of one type in all parts of a run",
                got=f"{words[getattr(runs[0], kind)]} in {runs[0].name} and {words[getattr(other, kind)]} in {other.name}",
                where=other.name, hint=f"convert one of them, for example str({what}_id)",
            )  # fmt: skip
