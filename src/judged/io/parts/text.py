"""Text files as parts: stretches of bytes that end where lines end; compressed files in one go, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Place
from judged.io.files.source import PAD
from judged.io.files.stored import Stored
from judged.io.formats.trec import run_of
from judged.io.formats.trec_mapped import lines, lines_in, mapped
from judged.io.text.encoding import Begin, text_start

__all__ = ["CHUNK", "Compressed", "Stretch", "chunks_of", "counting", "cuts", "moved_run", "uncounted"]

CHUNK = 16 << 20  # bytes of text that are in memory at a time
_LOOK = 1 << 16


def cuts(file: Stored, step: int) -> list[tuple[int, int]]:
    """Stretches of a file of about this many bytes, each from the beginning of a line to the end of one."""
    edges = [0]
    with file.opened() as raw:
        while edges[-1] + step + step // 2 < file.size:
            at = edges[-1] + step
            raw.seek(at)
            while (piece := raw.read(_LOOK)) and b"\n" not in piece:
                at += len(piece)
            edge = at + piece.find(b"\n") + 1 if piece else file.size
            if edge >= file.size:
                break
            edges.append(edge)
    return list(zip(edges, [*edges[1:], file.size], strict=True))


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a file with TREC lines."""

    file: Stored
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        file = self.file
        head = file.between(self.begin, min(self.begin + 3, self.end))
        start = text_start(head, file.name, Begin(self.begin))
        last = file.between(self.end - 1, self.end)
        opened: Any = partial(mapped, Path(file.path), file.name, start, file.stamp, self.begin, self.end)
        if file.store is not None:
            data = np.frombuffer(file.between(self.begin, self.end) + PAD, np.uint8)[: -len(PAD)]
            opened = partial(nullcontext, (data, start))
        yield lines(file.name, partial(self._read, opened), opened, last, self._counted)

    def _counted(self) -> Begin:
        return Begin(self.begin, self.file.newlines(self.begin))

    def _read(self, opened: Any) -> Run:
        with opened() as (data, _):
            raw = data.tobytes() + PAD
        with counting(self._counted):
            return moved_run(run_of(raw, self.file.name, begin=uncounted(self.begin)), self._counted)


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed file with TREC lines."""

    file: Stored
    packing: str

    @property
    def size(self) -> int:
        return self.file.size

    def batches(self) -> Iterator[Run | UnreadRun]:
        for data, begin in chunks_of(self.file, self.packing):
            found = lines_in(data, self.file.name, begin)
            yield run_of(data, self.file.name, begin=begin) if found is None else found


def chunks_of(
    file: Stored, packing: str | None, begin: int = 0, end: int | None = None
) -> Iterator[tuple[bytes, Begin]]:
    """The text of a file in chunks of whole lines, each padded (`core.text`), with the place where it begins."""
    at, rest = uncounted(begin), b""
    with file.opened() as raw:
        for piece in _pieces(file, raw, packing, begin, end):
            cut = piece.rfind(b"\n") + 1
            if not cut:
                rest += piece
                continue
            text = b"".join((rest, memoryview(piece)[:cut], PAD))
            rest = piece[cut:]
            yield text, at
            at = Begin(at.offset + len(text) - len(PAD), at.lines + text.count(b"\n"))
            del text
        if rest:
            yield rest + PAD, at


def _pieces(file: Stored, raw: Any, packing: str | None, begin: int, end: int | None) -> Iterator[bytes]:
    """Bytes of a text, some at a time."""
    if packing is None:
        raw.seek(begin)
        left = (file.size if end is None else end) - begin
        while left and (piece := raw.read(min(CHUNK, left))):
            left -= len(piece)
            yield piece
        return
    from judged.io.files.decompress import guarded

    held: list[bytes] = []
    size = 0
    for piece in guarded(raw, packing, file.name):
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


# ── lines that come before ───────────────────────────────────────────────────────────────────────


def uncounted(offset: int) -> Begin:
    """Where a stretch begins, as if one line came before it: no line of it is the first of the file."""
    return Begin(offset, 1 if offset else 0)


@contextmanager
def counting(begin: Callable[[], Begin]) -> Iterator[None]:
    """Errors of a stretch that was `uncounted` with the lines of the file; those before it are counted only then."""
    try:
        yield
    except DataError as error:
        if error.where is None or error.where.line is None:
            raise
        where = _moved(error.where, begin)
        raise DataError(
            error.slug, error.problem, got=error.got, hint=error.hint, where=where, value=error.value
        ) from error.__cause__  # fmt: skip


def moved_run(run: Run, begin: Callable[[], Begin]) -> Run:
    """The rows of a stretch that was `uncounted` with the lines of the file."""
    return replace(run, where=lambda row: _moved(run.where(row), begin))


def _moved(place: Place, begin: Callable[[], Begin]) -> Place:
    if place.line is None:
        return place
    counted = begin()
    return replace(place, line=place.line + counted.lines - uncounted(counted.offset).lines)
