"""Partitioned runs, scanned in bounded memory: directories, patterns and lists of files, stores, datasets, lazy frames."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import accumulate
from typing import Any, NamedTuple, NoReturn

import numpy as np

from judged.core.native import NATIVE
from judged.core.parts.run import LocalPartitions, Part, PartitionedRun, concatenate_runs
from judged.core.tables import Run
from judged.core.unread_runs import ScoreColumn, UnreadRun
from judged.errors import DataError, Hint, Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import PAD, limit_text, open_regular, raise_file_error
from judged.io.formats.registry import FORMATS, ROW_SIZE, Detected, Rows, detect_format
from judged.io.formats.trec import TREC, unread_lines
from judged.io.mapped import map_file
from judged.io.open_table import as_read_run, open_unread, read_one_run
from judged.io.origin import Context
from judged.io.outputs import located
from judged.io.recognise import is_dataset, is_lazy
from judged.io.stored import Stored, is_beir_folder, list_files, map_files
from judged.io.text.encoding import Begin, text_start
from judged.io.text.lines import Head, first_line
from judged.io.text.trec import parse_run

FEWEST, MOST = 1_000_000, 4_000_000  # rows of a partition of a columnar file
SMALLEST, LARGEST = 32 << 20, 64 << 20  # bytes of a partition of text
LARGE = 64 << 20  # bytes of a file that is not read as a whole
CHUNK = 16 << 20  # bytes of text that are in memory at a time
_LOOK = 1 << 16


def open_partitions(source: Any, request: ColumnRequest, name: str | None = None) -> PartitionedRun | None:
    """Return a run as partitions that are scanned one by one; None if it has none, and has to be read as a whole.

    A file, a directory (with its subfolders; names that begin with `_` or `.` are skipped), a pattern (`run/*.parquet`), a list of paths, an
    address that pyarrow opens (`s3://…`), a dataset of pyarrow, or a lazy frame of polars. All files have one format, which `read_run`
    reads; empty files are skipped if others are not empty. The rows are those of `read_run`, in the order of the files'
    names. Files must not change until the run is evaluated; a dataset and a lazy frame are evaluated twice, and must give the same rows.

    Args:
        source: the files or the object.
        request: the columns that the caller named.
        name: the name of the run.

    Raises:
        DataError: files of several formats, no rows, columns that are not found, a damaged file.
        FileError: a file that cannot be opened or read; a directory without files.
    """
    if is_dataset(source) or is_lazy(source):
        table = LazyTable(source, request)
        table.check()
        return _as_run([table], "run", name)
    listing = list_files(source)
    if listing is None:
        return None
    if not listing.alone and is_beir_folder(source):
        problem = "a BEIR folder has judgments and texts, but no run"
        raise DataError("swapped", problem, where=listing.name, hint="pass it as the judgments, which come first")
    if not listing.files:
        raise_file_error(listing.name, "the directory has no files")
    examined = map_files(partial(_examine, request=request), listing.files)
    if listing.alone and not examined[0].can_cut:
        return None  # the reader of whole files says what is wrong, or joins scores with labels
    files = _check_formats(examined, listing.name)
    detected = files[0].detected
    if detected is None or detected.format.row_groups is None or any(file.packing for file in files):
        parts = _cut_text(files, request)
    else:
        parts = _cut_columnar([file.file for file in files], detected, request)
    return located(_as_run(parts, listing.name, name), source)


def _as_run(parts: Sequence[Part], label: str, name: str | None) -> PartitionedRun:
    if not parts:
        raise_empty_run(label)
    called = (label if name is None else name).rstrip("/") or label
    read = partial(read_all, tuple(parts), called)
    return PartitionedRun(name=called, read=read, partitions=LocalPartitions(tuple(parts)))


def read_all(parts: Iterable[Part], name: str) -> Run:
    """Read all rows of all partitions, in their order, with every check.

    Raises:
        DataError: no row at all, ids of several types, or an error of a partition.
    """
    batches = (batch.read() if isinstance(batch, UnreadRun) else batch for part in parts for batch in part.batches())
    runs = [run for run in batches if len(run)]
    if not runs:
        raise_empty_run(name)
    first = runs[0]
    for run in runs:
        if (run.query_kind, run.doc_kind) != (first.query_kind, first.doc_kind):
            raise DataError(
                "id-type",
                f"ids are {first.query_kind} (queries) and {first.doc_kind} (documents) in {first.name}, "
                f"{run.query_kind} and {run.doc_kind} in {run.name}",
                where=run.name,
                hint="convert one of them, for example with str(…)",
            )
    starts = [0, *accumulate(map(len, runs))]

    def where(row: int) -> Place:
        number = bisect_right(starts, row) - 1
        return runs[number].where(row - starts[number])

    return concatenate_runs(runs, name, where)


def raise_empty_run(name: str) -> NoReturn:
    hint = "check that this is the right input and not empty"
    raise DataError("empty-run", "no rankings found", hint=hint, where=name)


# ── Files, examined by their beginning ──────────────────────────────────────────────────────────────


class _Examined(NamedTuple):
    """A file and its format. `detected` is None for text that no format recognises, and for an empty file."""

    file: Stored
    detected: Detected | None
    packing: str | None = None
    empty: bool = False

    @property
    def format_name(self) -> str:
        return "other" if self.detected is None else self.detected.format.name

    @property
    def has_lines(self) -> bool:
        """True if lines end in a line feed, so that the file can be cut there."""
        head = None if self.detected is None else self.detected.head
        return head is not None and (b"\n" in head.data or (head.complete and b"\r" not in head.data))

    @property
    def can_cut(self) -> bool:
        if self.empty or self.detected is None or (self.detected.format is TREC and not self.has_lines):
            return False
        return self.detected.format.read_chunks is not None or self.detected.format.row_groups is not None


def _examine(file: Stored, request: ColumnRequest) -> _Examined:
    """Detect the format of a file."""
    if not file.size:
        return _Examined(file, None, empty=True)
    with file.open() as raw:
        content = open_regular(raw, file.name)
    head = Head(content.head, *first_line(bytes(content.head) + PAD), content.complete)
    detected = detect_format(head, request)
    empty = head.complete and not head.line and detected is None
    if detected is not None and hasattr(detected.header, "names"):  # a header without rows
        empty = b"\n" in head.data and not head.has_rows
    return _Examined(file, detected, content.packing, empty)


def _check_formats(examined: Iterable[_Examined], name: str) -> list[_Examined]:
    """Return the files that are not empty, which have one format."""
    files = [file for file in examined if not file.empty]
    if not files:
        raise_empty_run(name)
    first = files[0]
    for file in files:
        if file.format_name != first.format_name:
            words = " and ".join(f"{one.format_name} ({one.file.name})" for one in (first, file))
            hint = "choose files by a pattern, such as 'run/*.parquet'"
            raise DataError("form", f"the files of the run have different formats: {words}", where=name, hint=hint)
    return files


def _check_scores(files: Iterable[tuple[str, bool]]) -> None:
    """Raise if some files have scores and others only ranks: the two cannot be compared."""
    kinds = {scored: name for name, scored in files}
    if len(kinds) > 1:
        problem = f"{kinds[True]} has scores, {kinds[False]} only ranks"
        hint = Hint("write them with the same columns, or name one that all of them have: {rank_col}", rank_col="rank")
        raise DataError("columns", problem, where=kinds[False], hint=hint)


@dataclass(frozen=True, slots=True)
class PieceGroup:
    """Pieces, one after another: a partition of its own has a fixed cost, which small files do not pay each."""

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


def _pack(pieces: Iterable[Part], least: int) -> list[Part]:
    """Group pieces, in their order, into partitions of at least this size, except for the last."""
    groups: list[list[Part]] = []
    for piece in pieces:
        if not groups or sum(member.size for member in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(piece)
    return [group[0] if len(group) == 1 else PieceGroup(tuple(group)) for group in groups]


# ── Text ────────────────────────────────────────────────────────────────────────────────────────────


def _cut_text(files: Sequence[_Examined], request: ColumnRequest) -> list[Part]:
    """Return the partitions of files. Columns that are missing are reported before anything is read."""
    scored = []
    for file in files:
        header = file.detected.header if file.detected is not None else None
        names = getattr(header, "names", header)
        if isinstance(names, tuple) and names:
            where = Place(file.file.name, getattr(header, "line", None))
            scored.append((file.file.name, "score" in find_columns(names, request, where)))
    _check_scores(scored)
    step = min(max(sum(file.file.size for file in files) // 32, SMALLEST), LARGEST)
    return _pack((piece for file in files for piece in _cut(file, request, step, len(files) > 1)), step // 2)


def _cut(examined: _Examined, request: ColumnRequest, step: int, several: bool) -> list[Part]:
    """Cut TREC lines at line ends; other large and compressed files are read in chunks, if their format can be."""
    file, packing, detected = examined.file, examined.packing, examined.detected
    if detected is None or detected.format.read_chunks is None or not examined.has_lines or not detected.header:
        return [WholeFile(file, request, several)]
    if packing is None and detected.format is TREC:
        return [TrecPiece(file, *edges) for edges in cut_lines(file, step)]
    if packing is None and file.size < LARGE:
        return [WholeFile(file, request, several)]
    return [ChunkedFile(file, detected.format.name, detected.header, request, packing)]


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
class ChunkedFile:
    """A file of any format that can be read in chunks of lines, plain or compressed."""

    file: Stored
    format: str
    header: Any
    request: ColumnRequest
    packing: str | None

    @property
    def size(self) -> int:
        return self.file.size

    def batches(self) -> Iterator[Run | UnreadRun]:
        read_chunks = FORMATS.find(self.format).read_chunks
        assert read_chunks is not None
        return read_chunks(self._chunks(), self.header, Context(self.request, self.file.name))

    def _chunks(self) -> Iterator[tuple[bytes, Begin]]:
        """Iterate over chunks of whole lines, each padded, with the place where it begins."""
        at, rest = Begin(), b""
        with self.file.open() as raw:
            for piece in self._pieces(raw):
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

    def _pieces(self, raw: Any) -> Iterator[bytes]:
        if self.packing is None:
            yield from iter(partial(raw.read, CHUNK), b"")
            return
        from judged.io.decompress import decompress

        held: list[bytes] = []
        size = 0
        for piece in limit_text(decompress(raw, self.packing, self.file.name), self.file.name, raw.tell):
            held.append(piece)
            size += len(piece)
            if size >= CHUNK:
                yield b"".join(held)
                held, size = [], 0
        yield b"".join(held)


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
        # Lines are counted only for a message. As if one came before: no line of a stretch is the first of the file.
        begin = Begin(self.begin, 1 if self.begin else 0)
        try:
            run = parse_run(raw, self.file.name, begin=begin)
        except DataError as error:
            if error.where is None:
                raise
            raise error.changed(where=self._shift(error.where, begin.lines)) from error.__cause__
        return replace(run, where=lambda row: self._shift(run.where(row), begin.lines))

    def _shift(self, place: Place, counted: int) -> Place:
        return place if place.line is None else place._replace(line=place.line + self._counted().lines - counted)


# ── Columnar files: stretches of row groups of large files, small files together ────────────────────


def _cut_columnar(files: Sequence[Stored], detected: Detected, request: ColumnRequest) -> list[Part]:
    """Return the partitions of files; adjacent groups of one file are read together, up to the size of a partition."""
    row_groups = detected.format.row_groups
    assert row_groups is not None
    groups = [group for of_file in map_files(lambda file: row_groups(file, request), files) for group in of_file]
    _check_scores((rows.file.name, rows.scored) for rows in groups)
    least = min(max(sum(rows.count for rows in groups) // 32, FEWEST), MOST)
    stretches: list[Rows] = []
    for rows in groups:
        last = stretches[-1] if stretches else None
        if last is not None and last.file == rows.file and last.count < least and last.row + last.count == rows.row:
            stretches[-1] = replace(last, count=last.count + rows.count)
        else:
            stretches.append(rows)
    return _pack(stretches, ROW_SIZE * least)


# ── Datasets of pyarrow and lazy frames of polars ───────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class LazyTable:
    """A dataset of pyarrow or a lazy frame of polars: one partition, evaluated in batches for each pass, on all cores."""

    source: Any
    request: ColumnRequest
    size: int = 1 << 20  # unknown

    def check(self) -> None:
        """Raise if a column is missing."""
        with self._report():
            find_columns(self._names(), self.request, Place("run"))

    def batches(self) -> Iterator[Run | UnreadRun]:
        from judged.io.frames import arrow_frame, polars_frame, unread_frame

        row = 0
        with self._report():
            names = self._names()
            columns = list(find_columns(names, self.request, Place("run")).values())
            for table in self._tables(columns):
                frame = arrow_frame(table) if is_dataset(self.source) else polars_frame(table)
                unread = unread_frame(replace(frame, names=names), Context(self.request, row=row))
                assert unread is not None
                if len(table):
                    yield unread
                row += len(table)

    def _tables(self, columns: list[str]) -> Iterator[Any]:
        from judged.io.formats.columnar import ROWS

        if not is_dataset(self.source):
            chosen = self.source.select(columns)
            if hasattr(chosen, "collect_batches"):  # since polars 1.34
                yield from chosen.collect_batches(chunk_size=ROWS, maintain_order=True)
            else:
                yield chosen.collect()
            return
        pyarrow = import_module("pyarrow")
        scanner = self.source.scanner(columns=columns, batch_size=ROWS, batch_readahead=2, fragment_readahead=1)
        for batch in scanner.to_batches():
            yield pyarrow.Table.from_batches([batch])

    def _names(self) -> list[str]:
        return list(self.source.schema.names if is_dataset(self.source) else self.source.collect_schema().names())

    @staticmethod
    def _report() -> Any:
        from judged.io.formats.columnar import report_library

        return report_library("cannot evaluate the table", "run", "see the message of the library")
