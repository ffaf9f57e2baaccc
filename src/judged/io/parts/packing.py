"""Pieces of files together as parts: none too small, because every part has a fixed cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun

__all__ = ["Together", "packed"]


@dataclass(frozen=True, slots=True)
class Together:
    """Pieces, one after another."""

    pieces: tuple[Part, ...]

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)

    def batches(self) -> Iterator[Run | UnreadRun]:
        for piece in self.pieces:
            yield from piece.batches()


def packed(pieces: Sequence[Part], least: int) -> list[Part]:
    """Parts of at least this size, but for the last, of pieces in their order."""
    parts: list[Part] = []
    group: list[Part] = []
    for piece in pieces:
        group.append(piece)
        if sum(member.size for member in group) >= least:
            parts.append(_one(group))
            group = []
    return [*parts, _one(group)] if group else parts


def _one(group: list[Part]) -> Part:
    return group[0] if len(group) == 1 else Together(tuple(group))
