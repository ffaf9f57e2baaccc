"""CSV, TSV and JSON Lines as parts: small files whole, large and compressed ones in chunks, by the readers of whole files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError
from judged.io.files.stored import Stored
from judged.io.formats.delimited import Header, of_rows, rows_in
from judged.io.formats.jsonl import of_json_lines
from judged.io.parts.detect import Known
from judged.io.parts.text import chunks_of, counting, cuts, moved_run, uncounted
from judged.io.read import read_run
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.table import as_run
from judged.io.text.encoding import Begin, check_encoding

__all__ = ["Delimited", "RecordPart", "WholePart", "row_pieces"]

LARGE = 64 << 20  # bytes of a file that is not read whole
_ROWS = 32  # batches of `rows_in`, of 2,048 rows each


@dataclass(frozen=True, slots=True)
class WholePart:
    """A file that is read like a run of its own. `several`: one of them may be empty."""

    file: Stored
    wanted: ColumnRequest
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

    def _read(self) -> Run:
        if self.file.store is None:
            return read_run(self.file.path, **self.wanted.named)
        with self.file.opened() as raw:
            stream = io.BytesIO(raw.read())
            stream.name = self.file.name
            return read_run(stream, **self.wanted.named)


@dataclass(frozen=True, slots=True)
class Delimited:
    """A stretch of a CSV or TSV file; a compressed one is all of it. The header stands in line `line`."""

    file: Stored
    wanted: ColumnRequest
    header: Header
    line: int
    packing: str | None
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        before = uncounted(self.begin).lines or self.line
        context = Context(self.wanted, self.file.name)
        with counting(self._counted):
            text = islice(self._text(), 0 if self.begin else self.line, None)
            batches = rows_in(text, self.header, before, self.file.name)
            for first in batches:
                table = of_rows(chain([first], islice(batches, _ROWS - 1)), self.header, self.line, context)
                if len(table.query):
                    yield moved_run(as_run(table), self._counted)

    def _text(self) -> Iterator[str]:
        for data, begin in chunks_of(self.file, self.packing, self.begin, self.end):
            size = len(data) - 8
            start = check_encoding(data, size, self.file.name, begin)
            yield from io.StringIO(data[start:size].decode("utf-8", "surrogateescape"), newline="")

    def _counted(self) -> Begin:
        return Begin(self.begin, self.file.newlines(self.begin, returns=True) if self.begin else 0)


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A stretch of a JSON Lines file; a compressed one is all of it. Its first record has these names."""

    file: Stored
    wanted: ColumnRequest
    names: tuple[str, ...]
    packing: str | None
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        context = Context(self.wanted, self.file.name)
        with counting(self._counted):
            for data, begin in chunks_of(self.file, self.packing, self.begin, self.end):
                table = of_json_lines(data, self.names, begin, context)
                if len(table.query):
                    yield moved_run(as_run(table), self._counted)

    def _counted(self) -> Begin:
        return Begin(self.begin, self.file.newlines(self.begin) if self.begin else 0)


def row_pieces(known: Known, wanted: ColumnRequest, step: int, *, several: bool) -> list[Part]:
    """The pieces of a file. A line of CSV may end inside quotes: a file that has any is not cut."""
    file, packing = known.file, known.packing
    if packing is None and file.size < LARGE:
        return [WholePart(file, wanted, several)]
    edges = [(0, file.size)]
    if known.names:
        edges = edges if packing else cuts(file, step)
        return [RecordPart(file, wanted, known.names, packing, *edge) for edge in edges]
    if known.header is not None:
        edges = edges if packing or file.holds(b'"') else cuts(file, step)
        return [Delimited(file, wanted, known.header, known.line, packing, *edge) for edge in edges]
    return [WholePart(file, wanted, several)]
