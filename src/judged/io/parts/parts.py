"""Runs as parts, to be looked through in bounded memory: directories, patterns and lists of files, stores, datasets, lazy frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from judged.core.parts.local import LocalPartitions
from judged.core.parts.run import Part, PartitionedRun
from judged.errors import FileError, Place
from judged.io.files.listing import FileListing, is_listable, listing_of
from judged.io.files.source import file_path
from judged.io.files.stored import each
from judged.io.parts.collect import together
from judged.io.parts.delimited import WholePart, row_pieces
from judged.io.parts.detect import Known, known, of_one_form, refuse_empty, scores_or_ranks
from judged.io.parts.lazy_frames import dataset_parts, is_dataset, is_lazy, lazy_parts
from judged.io.parts.packing import packed
from judged.io.parts.parquet import columnar_parts
from judged.io.parts.text import Compressed, Stretch, cuts
from judged.io.read import read_run
from judged.io.tables.columns import ColumnRequest, find

__all__ = ["is_scattered", "parts_of"]

_ANY = ColumnRequest("run", {})
SMALLEST, LARGEST = 32 << 20, 64 << 20  # bytes of a part of text


def is_scattered(source: Any) -> bool:
    """Whether a source makes sense only in parts: several files, an address in a store, a dataset of pyarrow, a lazy frame of polars.

    >>> is_scattered({"q1": ["d1"]})
    False
    """
    return is_listable(source) or is_dataset(source) or is_lazy(source)


def parts_of(
    source: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    name: str | None = None,
) -> PartitionedRun | None:
    """A run as parts that are looked through one by one; None where it is none, and `read_run` is to be asked.

    A file, a directory (with those in it; names that begin with `_` or `.` are passed over), a pattern (`run/*.parquet`), a list of paths, an
    address that pyarrow can open (`s3://…`), a dataset of pyarrow, or a lazy frame of polars. All files are of one form, which `read_run`
    reads; those that are empty are passed over where others are not. The rows are those that `read_run` gives, in the order of the files'
    names. Files must not change until the run is evaluated; a lazy frame is evaluated twice, and must give the same rows.

    Args:
        source: the files or the object.
        query: the column of query ids, where it is called otherwise.
        doc: the column of document ids.
        score: the column of scores.
        rank: the column of ranks.
        name: what to call the run.

    Raises:
        DataError: files of several forms, none that holds anything, columns that are not found, a damaged file.
        FileError: a file that cannot be opened or read; a directory without any.

    >>> parts_of({"q1": ["d1"]}) is None
    True
    """
    named = {"query": query, "doc": doc, "score": score, "rank": rank}
    wanted = ColumnRequest("run", {role: column for role, column in named.items() if column is not None})
    if is_dataset(source):
        return _scattered("run", dataset_parts(source, wanted), name)
    if is_lazy(source):
        return _scattered("run", lazy_parts(source, wanted), name, source=source, wanted=wanted)
    listing = listing_of(source)
    return None if listing is None else _of_files(source, listing, wanted, name)


def _of_files(source: Any, listing: FileListing, wanted: ColumnRequest, name: str | None) -> PartitionedRun | None:
    if not listing.files:
        raise FileError(
            "io", "a file, or a directory of files", got="a directory without any", where=listing.name, hint="check the path"
        )  # fmt: skip
    found = each(partial(known, wanted=wanted), listing.files)
    if listing.alone and found[0].form in ("empty", "other"):
        return None  # whoever reads it says what is wrong, or puts scores beside labels
    files = of_one_form(found, listing.name)
    form, compressed = files[0].form, any(file.packing for file in files)
    if form in ("Parquet", "Arrow") and not compressed:
        parts, whole = columnar_parts([file.file for file in files], form, wanted)
    else:
        parts = _text_parts(files, wanted)
        whole = len(parts) == 1 and parts[0].size <= LARGEST and not compressed
    path = file_path(source)
    alone = source if path is not None and listing.alone else None
    return replace(_scattered(listing.name, parts, name, whole=whole, source=alone, wanted=wanted), path=path)


def _text_parts(files: Sequence[Known], wanted: ColumnRequest) -> list[Part]:
    _refuse_mixed(files, wanted)
    step = min(max(sum(file.file.size for file in files) // 32, SMALLEST), LARGEST)
    pieces = [piece for file in files for piece in _pieces(file, wanted, step, several=len(files) > 1)]
    return packed(pieces, step // 2)


def _pieces(known: Known, wanted: ColumnRequest, step: int, *, several: bool) -> list[Part]:
    if known.form in ("JSON", "CSV"):
        return row_pieces(known, wanted, step, several=several)
    if known.form != "TREC":
        return [WholePart(known.file, wanted, several)]
    if known.packing is not None:
        return [Compressed(known.file, known.packing)]
    return [Stretch(known.file, *edges) for edges in cuts(known.file, step)]


def _refuse_mixed(files: Sequence[Known], wanted: ColumnRequest) -> None:
    """Columns that are not found, and scores in some of the files alone, are refused before anything is read."""
    scored = []
    for file in files:
        names = file.names if file.header is None else file.header.names
        if names:
            where = Place(file.file.name, file.line if file.header is not None else None)
            scored.append((file.file.name, "score" in find(names, wanted, where).column))
    scores_or_ranks(scored)


def _scattered(
    label: str,
    parts: Sequence[Part],
    name: str | None,
    *,
    whole: bool = False,
    source: Any = None,
    wanted: ColumnRequest = _ANY,
) -> PartitionedRun:
    """Parts as a run; with `source`, the one thing that they are parts of."""
    if not parts:
        refuse_empty(label)
    called = (label if name is None else name).rstrip("/") or label
    read = partial(together, tuple(parts), called)
    if source is not None:
        read = partial(read_run, source, **wanted.named, name=called)
    return PartitionedRun(name=called, read=read, partitions=LocalPartitions(tuple(parts), whole=whole))
