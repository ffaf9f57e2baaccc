"""Pieces of files: stretches of bytes that end at line ends, compressed files chunk by chunk, small files as they are."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from judged.core.numeric.native import NATIVE
from judged.core.tables import Run
from judged.core.unread_runs import ScoreColumn, TextRun, UnreadRun
from judged.errors import DataError, Place
from judged.io.files.limits import limit_text
from judged.io.files.mapped import map_file
from judged.io.files.outputs import located
from judged.io.files.source import PAD
from judged.io.files.stored import Stored
from judged.io.formats.registry import FORMATS
from judged.io.formats.trec import unread_lines
from judged.io.open_table import as_read_run, open_unread, read_one_run
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.text.encoding import Begin, text_start
from judged.io.text.trec import parse_run

CHUNK = 16 << 20  # bytes of text that are in memory at a time
_LOOK = 1 << 16


def cut_lines(file: Stored, step: int) -> list[tuple[int, int]]:
    """Cut a file into stretches of about this many bytes, each from the beginning of a line to the end of one."""
    edges = [0]
    with file.open() as raw:
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
class WholeFile:
    """A file that is read like a run of one file. `several`: one of them may be empty."""

    file: Stored
    request: ColumnRequest
    several: bool

    @property
    def size(self) -> int:
        return self.file.size

    def batches(self) -> Iterator[Run | UnreadRun]:
        self.file.check()
        try:
            yield self._read()
        except DataError as error:
            if not (self.several and error.slug == "empty-run"):
                raise

    def _read(self) -> Run | UnreadRun:
        if self.file.store is None:
            read = partial(read_one_run, self.file.path, self.request)
            if self.request.named or not NATIVE:
                return read()
            table = open_unread(self.file.path, read)
            if isinstance(table, UnreadRun) and not isinstance(table, ScoreColumn):
                return table
            return located(as_read_run(table), self.file.path)
        with self.file.open() as raw:
            stream = io.BytesIO(raw.read())
            stream.name = self.file.name
            return read_one_run(stream, self.request)


@dataclass(frozen=True, slots=True)
class LinesPiece:
    """A stretch of a text file of any format that is read in chunks of lines; a compressed file is one stretch."""

    file: Stored
    format: str
    header: Any
    request: ColumnRequest
    packing: str | None
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        read_chunks = FORMATS.find(self.format).read_chunks
        assert read_chunks is not None
        from judged.io.tables.table import SourceTable, as_run

        chunks = _chunks(self.file, self.packing, self.begin, self.end)
        with _with_lines(self._counted):
            for table in read_chunks(chunks, self.header, Context(self.request, self.file.name)):
                if isinstance(table, TextRun):
                    yield replace(table, read=partial(self._read, table.read))
                elif not isinstance(table, SourceTable):
                    yield table
                elif len(table.query):
                    yield _shift_lines(as_run(table), self._counted)

    def _read(self, read: Callable[[], Run]) -> Run:
        with _with_lines(self._counted):
            return _shift_lines(read(), self._counted)

    def _counted(self) -> Begin:
        return Begin(self.begin, self.file.newlines(self.begin, returns=self.format == "CSV") if self.begin else 0)


@dataclass(frozen=True, slots=True)
class TrecPiece:
    """A stretch of a plain file of TREC lines, which is mapped for the native core."""

    file: Stored
    begin: int
    end: int

    @property
    def mapped(self) -> bool:
        return self.file.store is None

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        file = self.file
        head = file.between(self.begin, min(self.begin + 3, self.end))
        start = text_start(head, file.name, Begin(self.begin))
        last = file.between(self.end - 1, self.end)
        opened: Any = partial(map_file, file.path, file.name, start, file.stamp, self.begin, self.end)
        if file.store is not None:
            data = np.frombuffer(file.between(self.begin, self.end) + PAD, np.uint8)[: -len(PAD)]
            opened = partial(nullcontext, (data, start))
        yield unread_lines(file.name, partial(self._read, opened), opened, last, self._counted)

    def _counted(self) -> Begin:
        return Begin(self.begin, self.file.newlines(self.begin))

    def _read(self, opened: Any) -> Run:
        with opened() as (data, _):
            raw = data.tobytes() + PAD
        with _with_lines(self._counted):
            return _shift_lines(parse_run(raw, self.file.name, begin=_uncounted(self.begin)), self._counted)


def _chunks(file: Stored, packing: str | None, begin: int, end: int) -> Iterator[tuple[bytes, Begin]]:
    """Iterate over chunks of whole lines of a file, each padded, with the place where it begins."""
    at, rest = _uncounted(begin), b""
    with file.open() as raw:
        for piece in _read_pieces(file, raw, packing, begin, end):
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


def _read_pieces(file: Stored, raw: Any, packing: str | None, begin: int, end: int) -> Iterator[bytes]:
    if packing is None:
        raw.seek(begin)
        left = end - begin
        while left and (piece := raw.read(min(CHUNK, left))):
            left -= len(piece)
            yield piece
        return
    from judged.io.files.decompress import decompress

    held: list[bytes] = []
    size = 0
    for piece in limit_text(decompress(raw, packing, file.name), file.name, raw.tell):
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


# ── numbers of lines ─────────────────────────────────────────────────────────────────────────────


def _uncounted(offset: int) -> Begin:
    """Return the beginning of a stretch as if one line came before it: no line of it is the first of the file."""
    return Begin(offset, 1 if offset else 0)


@contextmanager
def _with_lines(begin: Callable[[], Begin]) -> Iterator[None]:
    """Correct the lines in errors of an `_uncounted` stretch; the lines before it are counted only then."""
    try:
        yield
    except DataError as error:
        if error.where is None or error.where.line is None:
            raise
        raise error.changed(where=_shift(error.where, begin)) from error.__cause__


def _shift_lines(run: Run, begin: Callable[[], Begin]) -> Run:
    """Correct the lines of the rows of an `_uncounted` stretch."""
    return replace(run, where=lambda row: _shift(run.where(row), begin))


def _shift(place: Place, begin: Callable[[], Begin]) -> Place:
    if place.line is None:
        return place
    counted = begin()
    return place._replace(line=place.line + counted.lines - _uncounted(counted.offset).lines)
