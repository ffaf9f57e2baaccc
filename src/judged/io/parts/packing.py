"""Pieces packed into partitions, none too small, because every partition has a fixed cost; and partitions read into memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NoReturn

import numpy as np

from judged.core.ids import IdColumn
from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Place


@dataclass(frozen=True, slots=True)
class PieceGroup:
    """Pieces, one after another."""

    pieces: tuple[Part, ...]

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)

    @property
    def mapped(self) -> bool:
        return all(getattr(piece, "mapped", False) for piece in self.pieces)

    def batches(self) -> Iterator[Run | UnreadRun]:
        for piece in self.pieces:
            yield from piece.batches()


def pack(pieces: Sequence[Part], least: int) -> list[Part]:
    """Group pieces, in their order, into partitions of at least this size, except for the last."""
    parts: list[Part] = []
    group: list[Part] = []
    for piece in pieces:
        group.append(piece)
        if sum(member.size for member in group) >= least:
            parts.append(_group(group))
            group = []
    return [*parts, _group(group)] if group else parts


def _group(group: list[Part]) -> Part:
    return group[0] if len(group) == 1 else PieceGroup(tuple(group))


def read_all(parts: Iterable[Part], name: str) -> Run:
    """Read all rows of all partitions, in their order, with every check.

    Raises:
        DataError: no row at all, ids of several types, or an error of a partition.
    """
    batches = (batch.read() if isinstance(batch, UnreadRun) else batch for part in parts for batch in part.batches())
    runs = [run for run in batches if len(run)]
    if not runs:
        raise_empty_run(name)
    _check_kinds(runs)
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
        doc=_concatenate([run.doc for run in runs]),
        query_kind=runs[0].query_kind,
        doc_kind=runs[0].doc_kind,
        score=np.concatenate([run.score for run in runs]),
        rank=np.concatenate(ranks) if len(ranks) == len(runs) else None,
        tag=runs[-1].tag,
        where=where,
        scored=runs[0].scored,
        warnings=tuple(dict.fromkeys(warning for run in runs for warning in run.warnings)),
    )


def _concatenate(texts: Sequence[IdColumn]) -> IdColumn:
    packed = [text.compact() for text in texts]
    moved = [0, *accumulate(len(text.buffer) for text in packed)]
    start = np.concatenate([text.start + by for text, by in zip(packed, moved, strict=False)])
    buffer, length = (np.concatenate([getattr(text, name) for text in packed]) for name in ("buffer", "length"))
    return IdColumn(buffer, start, length)


def _check_kinds(runs: Sequence[Run]) -> None:
    for what, kind in (("query", "query_kind"), ("document", "doc_kind")):
        other = next((run for run in runs if getattr(run, kind) != getattr(runs[0], kind)), None)
        if other is not None:
            words = {"text": "str", "integer": "int", "other": "objects"}
            first, second = words[getattr(runs[0], kind)], words[getattr(other, kind)]
            problem = f"{what} ids are {first} in {runs[0].name} and {second} in {other.name}"
            raise DataError(
                "id-type", problem, where=other.name, hint=f"convert one of them, for example str({what}_id)"
            )


def raise_empty_run(name: str) -> NoReturn:
    hint = "check that this is the right input and not empty"
    raise DataError("empty-run", "no rankings found", hint=hint, where=name)
