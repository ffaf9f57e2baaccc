"""Datasets of pyarrow and lazy frames of polars as partitions: evaluated for each pass, only the columns that are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import Place
from judged.io.columns import ColumnRequest, find_columns
from judged.io.files import CHANGED, raise_file_error
from judged.io.formats.columnar import ROWS, report_library
from judged.io.frames import arrow_frame, polars_frame, unread_frame
from judged.io.origin import Context

_AMONG = " of those that pass the filter"


# ── datasets ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A fragment of a dataset: a file, some of its row groups, or a table in memory."""

    fragment: Any
    schema: Any
    filter: Any
    request: ColumnRequest
    size: int
    row: int
    stamp: tuple[Any, ...] | None

    def batches(self) -> Iterator[Run | UnreadRun]:
        pyarrow = import_module("pyarrow")
        names = self.schema.names
        path = getattr(self.fragment, "path", None)
        among = "" if self.filter is None else _AMONG
        context, row = Context(self.request, path, columnar=True, among=among), self.row
        found = find_columns(names, self.request, context.place).column
        self._check()
        with _evaluate("cannot read the dataset", context.name):
            for batch in _scan(self.fragment, self.schema, list(found.values()), self.filter):
                if batch.num_rows:
                    frame = replace(arrow_frame(pyarrow.Table.from_batches([batch])), names=names)
                    unread = unread_frame(frame, replace(context, row=row))
                    assert unread is not None
                    yield unread
                row += batch.num_rows
        self._check()

    def _check(self) -> None:
        if self.stamp is not None and _stamp(self.fragment) != self.stamp:
            raise_file_error(self.fragment.path, CHANGED, "read it when it is complete")


def _scan(fragment: Any, schema: Any, columns: list[str], filter: Any) -> Iterator[Any]:
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
    """Return size and time of a file, by which a change is noticed."""
    if not hasattr(fragment, "filesystem"):
        return None
    info = fragment.filesystem.get_file_info(fragment.path)
    return info.size, info.mtime_ns


def cut_dataset(dataset: Any, request: ColumnRequest, fewest: int) -> list[Part]:
    """Cut a dataset into row groups of Parquet files, `fewest` rows together, other files, tables in memory. Its filter is kept."""
    find_columns(dataset.schema.names, request, Place("run"))
    filter = getattr(dataset, "_scan_options", {}).get("filter")
    if filter is not None:  # only a dataset without a filter has fragments
        dataset = import_module("pyarrow.dataset").UnionDataset(dataset.schema, [dataset])
    pieces: list[Part] = []
    with _evaluate("cannot read the dataset", "run"):
        for fragment in dataset.get_fragments():
            pieces += _fragments(fragment, dataset.schema, filter, request, fewest)
    return pieces


def _fragments(fragment: Any, schema: Any, filter: Any, request: ColumnRequest, fewest: int) -> list[_Fragment]:
    stamp = _stamp(fragment)
    if stamp is None:
        columns = list(find_columns(schema.names, request, Place("run")).column.values())
        table = fragment.scanner(schema=schema, columns=columns, filter=filter).to_table()
        return [_Fragment(table, schema, filter, request, table.num_rows, 0, None)]
    if not hasattr(fragment, "row_groups"):
        return [_Fragment(fragment, schema, filter, request, stamp[0] or 0, 0, stamp)]
    pieces, ids, size, row = [], [], 0, 0
    groups = fragment.row_groups
    for group in groups:
        ids.append(group.id)
        size += group.num_rows
        if size >= fewest or group is groups[-1]:
            some = fragment.subset(row_group_ids=ids)
            pieces.append(_Fragment(some, schema, filter, request, size, 0 if filter is not None else row, stamp))
            row, ids, size = row + size, [], 0
    return pieces


# ── lazy frames ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _LazyFrame:
    """A lazy frame. polars evaluates it on all cores, in batches (before 1.34: at once)."""

    frame: Any
    request: ColumnRequest
    size: int = 1 << 20  # unknown

    def batches(self) -> Iterator[Run | UnreadRun]:
        context, row = Context(self.request), 0
        with _evaluate("cannot evaluate the lazy frame", "run"):
            names = self.frame.collect_schema().names()
            chosen = self.frame.select(list(find_columns(names, self.request, context.place).column.values()))
            hand_out = getattr(chosen, "collect_batches", None)
            for frame in [chosen.collect()] if hand_out is None else hand_out(chunk_size=ROWS, maintain_order=True):
                for piece in frame.iter_slices(ROWS):
                    if piece.height:
                        unread = unread_frame(replace(polars_frame(piece), names=names), replace(context, row=row))
                        assert unread is not None
                        yield unread
                    row += piece.height


def cut_lazy(frame: Any, request: ColumnRequest) -> list[Part]:
    """Return one partition: the rows of a frame that is not yet evaluated cannot be divided."""
    with _evaluate("cannot evaluate the lazy frame", "run"):
        find_columns(frame.collect_schema().names(), request, Place("run"))
    return [_LazyFrame(frame, request)]


def _evaluate(problem: str, where: str) -> AbstractContextManager[None]:
    """Convert the errors of a library that evaluates to a `DataError`."""
    return report_library(problem, where, "see the message of the library")
