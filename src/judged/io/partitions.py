"""Partitioned runs, scanned in bounded memory: directories, patterns and lists of files, stores, datasets, lazy frames."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, NoReturn

import numpy as np

from judged.core.ids import IdColumn
from judged.core.native import NATIVE
from judged.core.parts.run import LocalPartitions, Part, PartitionedRun
from judged.core.tables import Run
from judged.core.unread_runs import ScoreColumn, TextRun, UnreadRun
from judged.errors import DataError, Hint, Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import HEAD, PAD, compression, file_path, limit_text, raise_file_error
from judged.io.formats.registry import FORMATS, Detected, FileFormat, Rows, detect_format
from judged.io.formats.trec import TREC, unread_lines
from judged.io.mapped import map_file
from judged.io.open_table import as_read_run, open_unread, read_one_run
from judged.io.origin import Context
from judged.io.outputs import located
from judged.io.recognise import is_dataset, is_lazy
from judged.io.stored import FileListing, Stored, list_files, map_files
from judged.io.text.encoding import Begin, text_start
from judged.io.text.lines import Head, first_line
from judged.io.text.trec import parse_run

# ── Pieces packed into partitions, none too small, because every partition has a fixed cost; and partitions read into memory ───


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


# ── Pieces of files ─────────────────────────────────────────────────────────────────────────────────

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
        from judged.io.table import SourceTable, as_run

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
    from judged.io.decompress import decompress

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


# ── Columnar files as partitions: stretches of row groups of large files, small files together ──────

FEWEST, MOST = 1_000_000, 4_000_000  # rows of a partition
_BYTES = 24  # of a row in memory, about


@dataclass(frozen=True, slots=True)
class RowsPiece:
    """Some rows of a columnar file."""

    rows: Rows

    @property
    def size(self) -> int:
        return _BYTES * self.rows.count

    def batches(self) -> Iterator[Run | UnreadRun]:
        read_rows = FORMATS.find(self.rows.format).read_rows
        assert read_rows is not None
        yield from read_rows(self.rows)


def cut_columnar(files: Sequence[Stored], format: FileFormat, request: ColumnRequest) -> list[Part]:
    """Return the partitions of files."""
    assert format.row_groups is not None
    row_groups = format.row_groups
    groups = [group for of_file in map_files(lambda file: row_groups(file, request), files) for group in of_file]
    check_scores((rows.file.name, rows.scored) for rows in groups)
    total = sum(rows.count for rows in groups)
    least = min(max(total // 32, FEWEST), MOST)
    return pack(_stretches(groups, least), _BYTES * least)


def _stretches(rows: Iterable[Rows], least: int) -> list[RowsPiece]:
    """Join adjacent groups of one file, up to the size of a partition."""
    out: list[Rows] = []
    for piece in rows:
        last = out[-1] if out else None
        if last is not None and last.file == piece.file and last.count < least and last.row + last.count == piece.row:
            out[-1] = replace(last, count=last.count + piece.count)
        else:
            out.append(piece)
    return list(map(RowsPiece, out))


def check_scores(files: Iterable[tuple[str, bool]]) -> None:
    """Raise if some files have scores and others only ranks: the two cannot be compared."""
    kinds = {scored: name for name, scored in files}
    if len(kinds) > 1:
        hint = Hint("write them with the same columns, or name one that all of them have: {rank_col}", rank_col="rank")
        raise DataError(
            "columns", f"{kinds[True]} has scores, {kinds[False]} only ranks", where=kinds[False], hint=hint
        )


# ── Partitioned runs, scanned in bounded memory ─────────────────────────────────────────────────────

SMALLEST, LARGEST = 32 << 20, 64 << 20  # bytes of a partition of text
LARGE = 64 << 20  # bytes of a file that is not read as a whole


def open_partitions(
    source: Any,
    *,
    query_col: str | None = None,
    doc_col: str | None = None,
    score_col: str | None = None,
    rank_col: str | None = None,
    name: str | None = None,
) -> PartitionedRun | None:
    """Return a run as partitions that are scanned one by one; None if it has none, and has to be read as a whole.

    A file, a directory (with its subfolders; names that begin with `_` or `.` are skipped), a pattern (`run/*.parquet`), a list of paths, an
    address that pyarrow opens (`s3://…`), a dataset of pyarrow, or a lazy frame of polars. All files have one format, which `read_run`
    reads; empty files are skipped if others are not empty. The rows are those of `read_run`, in the order of the files'
    names. Files must not change until the run is evaluated; a lazy frame is evaluated twice, and must give the same rows.

    Args:
        source: the files or the object.
        query_col: the column of query ids, if its name is not known.
        doc_col: the column of document ids.
        score_col: the column of scores.
        rank_col: the column of ranks.
        name: the name of the run.

    Raises:
        DataError: files of several formats, no rows, columns that are not found, a damaged file.
        FileError: a file that cannot be opened or read; a directory without files.

    >>> open_partitions({"q1": ["d1"]}) is None
    True
    """
    columns = {"query": query_col, "doc": doc_col, "score": score_col, "rank": rank_col}
    request = ColumnRequest("run", {role: column for role, column in columns.items() if column is not None})
    return open_requested_partitions(source, request, name)


def open_requested_partitions(source: Any, request: ColumnRequest, name: str | None = None) -> PartitionedRun | None:
    """Open a run as `open_partitions` does, with the columns of a request."""
    if is_dataset(source):
        from judged.io.lazy_frames import cut_dataset

        return _partitioned("run", pack(cut_dataset(source, request, FEWEST), FEWEST), name, request)
    if is_lazy(source):
        from judged.io.lazy_frames import cut_lazy

        return _partitioned("run", cut_lazy(source, request), name, request, source=source)
    listing = list_files(source)
    if listing is None:
        return None
    if not listing.alone:
        from judged.io.stored import check_no_run

        check_no_run(source)
    return _open_files(source, listing, request, name)


@dataclass(frozen=True, slots=True)
class _Examined:
    """A file and its format, by its beginning. `detected` is None for text that no format recognises, and for an empty file."""

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


def _examine(file: Stored, request: ColumnRequest) -> _Examined:
    """Detect the format of a file."""
    if not file.size:
        return _Examined(file, None, empty=True)
    head, packing = _read_head(file)
    detected = detect_format(head, request)
    empty = head.complete and not head.line and detected is None
    if detected is not None and hasattr(detected.header, "names"):  # a header without rows
        empty = b"\n" in head.data and not head.has_rows
    return _Examined(file, detected, packing, empty)


def _read_head(file: Stored) -> tuple[Head, str | None]:
    """Return the beginning of a file, decompressed, and its compression."""
    with file.open() as raw:
        data = raw.read(HEAD)
        packing = compression(data)
        if packing is None:
            return Head(data, *first_line(data + PAD), len(data) == file.size), None
        from judged.io.decompress import decompress

        raw.seek(0)
        data = b""
        for part in decompress(raw, packing, file.name, HEAD):
            data += part
            if len(data) >= HEAD:
                break
        return Head(data[:HEAD], *first_line(data[:HEAD] + PAD), len(data) < HEAD), packing


def _check_formats(examined: Iterable[_Examined], name: str) -> list[_Examined]:
    """Return the files that are not empty, which have one format."""
    files = [file for file in examined if not file.empty]
    if not files:
        raise_empty_run(name)
    first = files[0]
    other = next((file for file in files if file.format_name != first.format_name), None)
    if other is not None:
        words = [f"{file.format_name} ({file.file.name})" for file in (first, other)]
        hint = "choose files by a pattern, such as 'run/*.parquet'"
        raise DataError(
            "form", f"the files of the run have different formats: {' and '.join(words)}", where=name, hint=hint
        )
    return files


def _open_files(source: Any, listing: FileListing, request: ColumnRequest, name: str | None) -> PartitionedRun | None:
    if not listing.files:
        raise_file_error(listing.name, "the directory has no files")
    examined = map_files(partial(_examine, request=request), listing.files)
    if listing.alone and (examined[0].empty or not _is_cuttable(examined[0])):
        return None  # the reader of whole files says what is wrong, or joins scores with labels
    files = _check_formats(examined, listing.name)
    detected, compressed = files[0].detected, any(file.packing for file in files)
    if detected is not None and detected.format.row_groups is not None and not compressed:
        parts = cut_columnar([file.file for file in files], detected.format, request)
    else:
        parts = _cut_text(files, request)
    alone = source if file_path(source) is not None and listing.alone else None
    return located(_partitioned(listing.name, parts, name, request, source=alone), source)


def _is_cuttable(file: _Examined) -> bool:
    format = file.detected.format if file.detected is not None else None
    if format is None or (format is TREC and not file.has_lines):
        return False
    return format.read_chunks is not None or format.row_groups is not None


def _cut_text(files: Sequence[_Examined], request: ColumnRequest) -> list[Part]:
    _check_columns(files, request)
    step = min(max(sum(file.file.size for file in files) // 32, SMALLEST), LARGEST)
    pieces = [piece for file in files for piece in _cut(file, request, step, several=len(files) > 1)]
    return pack(pieces, step // 2)


def _cut(examined: _Examined, request: ColumnRequest, step: int, *, several: bool) -> list[Part]:
    """Cut a file at line ends, if its format can be read so."""
    file, packing, detected = examined.file, examined.packing, examined.detected
    if detected is None or detected.format.read_chunks is None or not examined.has_lines or not detected.header:
        return [WholeFile(file, request, several)]
    format = detected.format
    if packing is None and format is TREC:
        return [TrecPiece(file, *edges) for edges in cut_lines(file, step)]
    if packing is None and file.size < LARGE:
        return [WholeFile(file, request, several)]
    edges = cut_lines(file, step) if packing is None and format.can_cut(file) else [(0, file.size)]
    return [LinesPiece(file, format.name, detected.header, request, packing, *edge) for edge in edges]


def _check_columns(files: Sequence[_Examined], request: ColumnRequest) -> None:
    """Raise before anything is read if columns are not found, or only some of the files have scores."""
    scored = []
    for file in files:
        header = file.detected.header if file.detected is not None else None
        names = getattr(header, "names", header)
        if isinstance(names, tuple) and names:
            where = Place(file.file.name, getattr(header, "line", None))
            scored.append((file.file.name, "score" in find_columns(names, request, where).column))
    if scored:
        check_scores(scored)


def _partitioned(
    label: str,
    parts: Sequence[Part],
    name: str | None,
    request: ColumnRequest,
    *,
    source: Any = None,
) -> PartitionedRun:
    """Return partitions as a run. `source`: the single object that they are partitions of."""
    if not parts:
        raise_empty_run(label)
    called = (label if name is None else name).rstrip("/") or label
    read = partial(read_all, tuple(parts), called)
    if source is not None:
        read = partial(read_one_run, source, request, name=called)
    return PartitionedRun(name=called, read=read, partitions=LocalPartitions(tuple(parts)))
