"""Partitioned runs, scanned in bounded memory: directories, patterns and lists of files, stores, datasets, lazy frames."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

from judged.core.parts.run import LocalPartitions, Part, PartitionedRun, concatenate_runs
from judged.core.reference import raise_empty_run
from judged.core.tables import Run
from judged.core.unread_runs import TextStream, UnreadRun
from judged.errors import DataError, Hint, Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import file_path, map_file, open_regular, raise_file_error
from judged.io.formats.columnar import ROW_SIZE, ROWS, Rows, report_library, unread_batches
from judged.io.formats.registry import Detected, detect_format
from judged.io.formats.trec import ENDS, TREC, check_ends, unread_lines
from judged.io.lines import read_head
from judged.io.open_table import open_whole_run
from judged.io.origin import Context
from judged.io.outputs import located
from judged.io.recognise import is_dataset, is_lazy
from judged.io.stored import Stored, is_beir_folder, list_files
from judged.io.text import Begin, text_start

FEWEST, MOST = 1_000_000, 4_000_000  # rows of a partition of a columnar file
SMALLEST, LARGEST = 32 << 20, 64 << 20  # bytes of a partition of text
_LOOK = 1 << 16


def open_partitions(source: Any, request: ColumnRequest, name: str | None = None) -> PartitionedRun | None:
    """Return a run as partitions that are scanned one by one; None if it has none and must be read as a whole.

    A file, a directory (with its subfolders; names that begin with `_` or `.` are skipped), a pattern (`run/*.parquet`), a list of paths,
    a dataset of pyarrow, or a lazy frame of polars. All files have one format, which `read_run`
    reads; empty files are skipped, unless all are empty. The rows are those of `read_run`, in the order of the
    file names. Files must not change until the run is evaluated; a dataset and a lazy frame are evaluated twice, and must give the same rows.

    Args:
        source: the files or the object.
        request: the columns that the caller named.
        name: the name of the run.

    Raises:
        DataError: files of several formats, no rows, columns that are not found, a damaged file.
        FileError: a file that cannot be opened or read; a directory without files.
    """
    if is_dataset(source) or is_lazy(source):
        with _report():
            names = list(source.schema.names if is_dataset(source) else source.collect_schema().names())
            columns = find_columns(names, request, Place("run"))
            return _as_run([LazyTable(source, request, names, list(columns.values()))], "run", name)
    listed = list_files(source)
    if listed is None:
        return None
    label = _label(source, listed)
    if is_beir_folder(source):
        problem = "a BEIR folder has judgments and texts, but no run"
        raise DataError("swapped", problem, where=label, hint="pass it as the judgments, which come first")
    if not listed:
        raise_file_error(label, "the directory has no files")
    files = [file for one in listed if (file := _examine(one, request)) is not None]
    if file_path(source) is not None and not (files and files[0].can_cut):
        return None  # the reader of whole files says what is wrong, or joins scores with labels
    if not files:
        raise_empty_run(label)
    for file in files:
        if file.format_name != files[0].format_name:
            words = " and ".join(f"{one.format_name} ({one.file.path})" for one in (files[0], file))
            hint = "choose files by a pattern, such as 'run/*.parquet'"
            raise DataError("form", f"the files of the run have different formats: {words}", where=label, hint=hint)
    detected = files[0].detected
    if detected is None or detected.format.row_groups is None or any(file.packing for file in files):
        parts = _cut_text(files, request)
    else:
        parts = _cut_columnar([file.file for file in files], detected, request)
    return located(_as_run(parts, label, name), source)


def _label(source: Any, files: Sequence[Stored]) -> str:
    """Return the name of a run in files."""
    if isinstance(source, list | tuple):
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        return f"{files[0].path}{more}" if files else "run"
    return os.fsdecode(source)


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
    runs = [run for run in batches if len(run.query)]
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
    starts = [0, *accumulate(len(run.query) for run in runs)]

    def where(row: int) -> Place:
        number = bisect_right(starts, row) - 1
        return runs[number].where(row - starts[number])

    return concatenate_runs(runs, name, where)


# ── Files, examined by their beginning ──────────────────────────────────────────────────────────────


class _Examined(NamedTuple):
    """A file that is not empty, and its format. `detected` is None for text that no format recognises."""

    file: Stored
    detected: Detected | None
    packing: str | None

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
        if self.detected is None or (self.detected.format is TREC and not self.has_lines):
            return False
        return self.detected.format.unread is not None


def _examine(file: Stored, request: ColumnRequest) -> _Examined | None:
    """Detect the format of a file; None if it is empty."""
    if not file.size:
        return None
    with file.open() as raw:
        content = open_regular(raw, file.path)
    head = read_head(content, short=True)
    detected = detect_format(head, request)
    if detected is None:
        empty = head.complete and not head.line
    else:  # a header without rows
        empty = hasattr(detected.header, "names") and b"\n" in head.data and not head.has_rows
    return None if empty else _Examined(file, detected, content.packing)


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
            where = Place(file.file.path, getattr(header, "line", None))
            scored.append((file.file.path, "score" in find_columns(names, request, where)))
    _check_scores(scored)
    step = min(max(sum(file.file.size for file in files) // 32, SMALLEST), LARGEST)
    return _pack((piece for file in files for piece in _cut(file, request, step)), step // 2)


def _cut(examined: _Examined, request: ColumnRequest, step: int) -> list[Part]:
    """Cut plain files of TREC lines at line ends; others are partitions as they are."""
    file, detected = examined.file, examined.detected
    if detected is None or detected.format is not TREC or not examined.has_lines or examined.packing:
        return [WholeFile(file, request)]
    return [TrecPiece(file, *edges) for edges in cut_lines(file, step)]


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
    """A file that is read like a run of one file."""

    file: Stored
    request: ColumnRequest

    @property
    def size(self) -> int:
        return self.file.size

    def batches(self) -> Iterator[Run | UnreadRun]:
        self.file.check()
        try:
            run = open_whole_run(self.file.path, self.request)
        except DataError as error:
            if error.slug != "empty-run":  # other files may have rows
                raise
            return
        if isinstance(run, TextStream):
            yield from run.stretches()
        else:
            yield run
        self.file.check()


@dataclass(frozen=True, slots=True)
class TrecPiece:
    """A stretch of a plain file of TREC lines, which is mapped for the native core."""

    file: Stored
    begin: int
    end: int
    mapped = True

    @property
    def size(self) -> int:
        return self.end - self.begin

    def batches(self) -> Iterator[Run | UnreadRun]:
        file = self.file
        head = file.between(0, min(ENDS, self.end))
        start = text_start(head, file.path, Begin(self.begin))
        warnings = check_ends(head, file.between(max(self.end - ENDS, self.begin), self.end), file.path)
        opened = partial(map_file, file.path, file.path, start, file.stamp, self.begin, self.end)
        yield unread_lines(file.path, opened, warnings, partial(file.begin, self.begin))


# ── Columnar files: stretches of row groups of large files, small files together ────────────────────


def _cut_columnar(files: Sequence[Stored], detected: Detected, request: ColumnRequest) -> list[Part]:
    """Return the partitions of files; adjacent groups of one file are read together, up to the size of a partition."""
    row_groups = detected.format.row_groups
    assert row_groups is not None
    groups = [group for file in files for group in row_groups(file, request)]
    _check_scores((rows.file.path, rows.scored) for rows in groups)
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
    """A dataset of pyarrow or a lazy frame of polars: one partition, evaluated in batches for each pass, on all cores.

    `names` are those of its columns, of which `columns` are needed.
    """

    source: Any
    request: ColumnRequest
    names: list[str]
    columns: list[str]

    size = 1 << 20  # unknown

    def batches(self) -> Iterator[Run | UnreadRun]:
        with _report():
            yield from unread_batches(self._tables(), self.names, Context(self.request))

    def _tables(self) -> Iterable[Any]:
        if is_dataset(self.source):
            options = {"batch_size": ROWS, "batch_readahead": 2, "fragment_readahead": 1}
            return self.source.scanner(columns=self.columns, **options).to_batches()
        chosen = self.source.select(self.columns)
        if hasattr(chosen, "collect_batches"):  # since polars 1.34
            return chosen.collect_batches(chunk_size=ROWS, maintain_order=True)
        return [chosen.collect()]


def _report() -> AbstractContextManager[None]:
    return report_library("cannot evaluate the table", "run", "see the message of the library")
