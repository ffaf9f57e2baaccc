"""Partitioned runs, scanned in bounded memory: directories, patterns and lists of files, stores, datasets, lazy frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from judged.core.parts.local import LocalPartitions
from judged.core.parts.run import Part, PartitionedRun
from judged.errors import DataError, Place
from judged.io.files.listing import FileListing, list_files
from judged.io.files.outputs import located
from judged.io.files.source import HEAD, PAD, compression, file_path, raise_file_error
from judged.io.files.stored import Stored, map_files
from judged.io.formats.registry import Detected, detect_format
from judged.io.formats.trec import TREC
from judged.io.open_table import read_one_run
from judged.io.parts.packing import pack, raise_empty_run, read_all
from judged.io.parts.pieces import LinesPiece, TrecPiece, WholeFile, cut_lines
from judged.io.parts.recognise import is_dataset, is_lazy
from judged.io.tables.columns import ColumnRequest, find_columns
from judged.io.text.lines import Head, first_line

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
        from judged.io.parts.lazy_frames import cut_dataset

        return _partitioned("run", cut_dataset(source, request), name, request)
    if is_lazy(source):
        from judged.io.parts.lazy_frames import cut_lazy

        return _partitioned("run", cut_lazy(source, request), name, request, source=source)
    listing = list_files(source)
    if listing is None:
        return None
    if not listing.alone:
        from judged.io.files.beir_folder import check_no_run

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
        from judged.io.files.decompress import decompress

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
        from judged.io.parts.row_groups import cut_columnar

        parts, whole = cut_columnar([file.file for file in files], detected.format, request)
    else:
        parts = _cut_text(files, request)
        whole = len(parts) == 1 and parts[0].size <= LARGEST and not compressed
    alone = source if file_path(source) is not None and listing.alone else None
    return located(_partitioned(listing.name, parts, name, request, whole=whole, source=alone), source)


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
        from judged.io.parts.row_groups import check_scores

        check_scores(scored)


def _partitioned(
    label: str,
    parts: Sequence[Part],
    name: str | None,
    request: ColumnRequest,
    *,
    whole: bool = False,
    source: Any = None,
) -> PartitionedRun:
    """Return partitions as a run. `source`: the single object that they are partitions of."""
    if not parts:
        raise_empty_run(label)
    called = (label if name is None else name).rstrip("/") or label
    read = partial(read_all, tuple(parts), called)
    if source is not None:
        read = partial(read_one_run, source, request, name=called)
    return PartitionedRun(name=called, read=read, partitions=LocalPartitions(tuple(parts), whole=whole))
