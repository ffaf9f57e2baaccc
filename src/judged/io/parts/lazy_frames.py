"""Datasets of pyarrow and lazy frames of polars as parts: evaluated anew for each look, and only the columns that are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import FileError, Place
from judged.io.formats.parquet import in_our_words
from judged.io.parts.columns import ROWS
from judged.io.parts.packing import packed
from judged.io.parts.parquet import FEWEST
from judged.io.tables.columns import ColumnRequest, find
from judged.io.tables.context import Context
from judged.io.tables.frames import arrow_frame, batches_of, polars_frame

__all__ = ["dataset_parts", "is_dataset", "is_lazy", "lazy_parts"]

_AMONG = " of those that pass the filter"


def _rooms(source: Any) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(source).__mro__}


def is_dataset(source: Any) -> bool:
    """Whether this is a dataset of pyarrow, which is not imported for that."""
    return "pyarrow" in _rooms(source) and hasattr(source, "get_fragments")


def is_lazy(source: Any) -> bool:
    """Whether this is a lazy frame of polars, which is not imported for that."""
    return "polars" in _rooms(source) and hasattr(type(source), "collect_schema") and hasattr(type(source), "collect")


# ── datasets ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A fragment of a dataset: a file, some of its row groups, or a table in memory."""

    fragment: Any
    schema: Any
    filter: Any
    wanted: ColumnRequest
    size: int
    row: int
    stamp: tuple[Any, ...] | None

    def batches(self) -> Iterator[Run | UnreadRun]:
        pyarrow = import_module("pyarrow")
        names = self.schema.names
        path = getattr(self.fragment, "path", None)
        among = "" if self.filter is None else _AMONG
        context, row = Context(self.wanted, path, columnar=True, among=among), self.row
        found = find(names, self.wanted, context.place).column
        self._check()
        with _evaluated("a dataset that can be read", context.name):
            for batch in _scanned(self.fragment, self.schema, list(found.values()), self.filter):
                if batch.num_rows:
                    frame = replace(arrow_frame(pyarrow.Table.from_batches([batch])), names=names)
                    unread = batches_of(frame, replace(context, row=row))
                    assert unread is not None
                    yield unread
                row += batch.num_rows
        self._check()

    def _check(self) -> None:
        if self.stamp is not None and _stamp(self.fragment) != self.stamp:
            reason = "the file changed while it was read"
            raise FileError(
                "io", "a file that can be read", got=reason, where=self.fragment.path, hint="read it when it is complete"
            )  # fmt: skip


def _scanned(fragment: Any, schema: Any, columns: list[str], filter: Any) -> Iterator[Any]:
    if hasattr(fragment, "slice"):  # a table in memory
        return iter(fragment.select(columns).to_batches(max_chunksize=ROWS))
    scanner = fragment.scanner(
        schema=schema,
        columns=columns,
        filter=filter,
        batch_size=ROWS,
        batch_readahead=1,
        fragment_readahead=1,
        use_threads=False,
    )
    return iter(scanner.to_batches())


def _stamp(fragment: Any) -> tuple[Any, ...] | None:
    """What tells whether a file is still the same."""
    if not hasattr(fragment, "filesystem"):
        return None
    info = fragment.filesystem.get_file_info(fragment.path)
    return info.size, info.mtime_ns


def dataset_parts(dataset: Any, wanted: ColumnRequest) -> list[Part]:
    """Parts of a dataset: some row groups of Parquet files, other files, tables in memory. Its filter is kept."""
    find(dataset.schema.names, wanted, Place("run"))
    kept = getattr(dataset, "_scan_options", {}).get("filter")
    if kept is not None:  # fragments are asked of a dataset without a filter alone
        dataset = import_module("pyarrow.dataset").UnionDataset(dataset.schema, [dataset])
    pieces: list[Part] = []
    with _evaluated("a dataset that can be read", "run"):
        for fragment in dataset.get_fragments():
            pieces += _fragments(fragment, dataset.schema, kept, wanted)
    return packed(pieces, FEWEST) if all(isinstance(p, _Fragment) and p.row >= 0 for p in pieces) else pieces


def _fragments(fragment: Any, schema: Any, kept: Any, wanted: ColumnRequest) -> list[_Fragment]:
    stamp = _stamp(fragment)
    if stamp is None:
        columns = list(find(schema.names, wanted, Place("run")).column.values())
        table = fragment.scanner(schema=schema, columns=columns, filter=kept).to_table()
        return [_Fragment(table, schema, kept, wanted, table.num_rows, 0, None)]
    if not hasattr(fragment, "row_groups"):
        return [_Fragment(fragment, schema, kept, wanted, stamp[0] or 0, 0, stamp)]
    pieces, ids, size, row = [], [], 0, 0
    groups = fragment.row_groups
    for group in groups:
        ids.append(group.id)
        size += group.num_rows
        if size >= FEWEST or group is groups[-1]:
            some = fragment.subset(row_group_ids=ids)
            pieces.append(_Fragment(some, schema, kept, wanted, size, 0 if kept is not None else row, stamp))
            row, ids, size = row + size, [], 0
    return pieces


# ── lazy frames ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _LazyFrame:
    """A lazy frame. polars evaluates it on all cores, and hands it out in batches (before 1.34: all at once)."""

    frame: Any
    wanted: ColumnRequest
    size: int = 1 << 20  # unknown

    def batches(self) -> Iterator[Run | UnreadRun]:
        context, row = Context(self.wanted), 0
        with _evaluated("a lazy frame that can be evaluated", "run"):
            names = self.frame.collect_schema().names()
            chosen = self.frame.select(list(find(names, self.wanted, context.place).column.values()))
            hand_out = getattr(chosen, "collect_batches", None)
            for frame in [chosen.collect()] if hand_out is None else hand_out(chunk_size=ROWS, maintain_order=True):
                for piece in frame.iter_slices(ROWS):
                    if piece.height:
                        unread = batches_of(replace(polars_frame(piece), names=names), replace(context, row=row))
                        assert unread is not None
                        yield unread
                    row += piece.height


def lazy_parts(frame: Any, wanted: ColumnRequest) -> list[Part]:
    """One part: how the rows of a query that is not evaluated yet could be divided is not known."""
    with _evaluated("a lazy frame that can be evaluated", "run"):
        find(frame.collect_schema().names(), wanted, Place("run"))
    return [_LazyFrame(frame, wanted)]


def _evaluated(expected: str, where: str) -> AbstractContextManager[None]:
    """Whatever a library says while it evaluates, in our words."""
    return in_our_words(expected, "an error", where, "look at what the library says of it")
