"""Parquet and Arrow files as parts: stretches of row groups of large ones, small ones together.

They are read by pyarrow where it is there (20 million rows of Parquet in 1.6 CPU s and 218 MB; by DuckDB in 3 s and 940 MB), else by DuckDB
under a memory limit, else by polars; Arrow files by pyarrow or polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, Protocol

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.io.files.stored import Stored, each
from judged.io.formats.parquet import library_for, undamaged
from judged.io.parts.detect import scores_or_ranks
from judged.io.parts.packing import packed
from judged.io.tables.columns import ColumnRequest

__all__ = ["ParquetRows", "RowGroup", "columnar_parts"]

FEWEST, MOST = 1_000_000, 4_000_000  # rows of a part
_LIBRARIES = {"Parquet": ("pyarrow", "duckdb", "polars"), "Arrow": ("pyarrow", "polars")}
_WHOLE = 5_000_000  # rows that are put in order at once
_BYTES = 24  # of a row in memory, about


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """Some rows of a file. `scored`: they have scores, not ranks alone.

    Of an Arrow file, `block` is the record batch that they begin with, where it is known.
    """

    file: Stored
    form: str
    row: int
    count: int
    wanted: ColumnRequest
    scored: bool
    block: int | None = None

    @property
    def size(self) -> int:
        return _BYTES * self.count

    def batches(self) -> Iterator[Run | UnreadRun]:
        library, module = _library(self.form, self.file)
        with undamaged(self.form, self.file.name):
            yield from library.batches(module, self)


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that are read together, with the least and the greatest query in them where they are known."""

    rows: ParquetRows
    low: Any = None
    high: Any = None


class Library(Protocol):
    """A library that reads these files: what is in one, and some of it."""

    def groups(self, module: Any, file: Stored, form: str, wanted: ColumnRequest) -> list[RowGroup]: ...
    def batches(self, module: Any, rows: ParquetRows) -> Iterator[Run | UnreadRun]: ...


def _library(form: str, file: Stored) -> tuple[Library, Any]:
    name, module = library_for(form, _LIBRARIES[form], file.name)
    library: Any = import_module(f"judged.io.parts.parquet_{name}")  # each is opened where it is used
    return library, module


def columnar_parts(files: Sequence[Stored], form: str, wanted: ColumnRequest) -> tuple[list[Part], bool]:
    """The parts of files; and whether it is certain that no query lies in two of them."""
    groups = [group for found in each(partial(_groups, form=form, wanted=wanted), files) for group in found]
    scores_or_ranks((group.rows.file.name, group.rows.scored) for group in groups)
    total = sum(group.rows.count for group in groups)
    least = min(max(total // 32, FEWEST), MOST)
    clean = _clean(groups, least)
    if clean is not None:
        return clean, True
    parts = packed(_stretches([group.rows for group in groups], least), _BYTES * least)
    return parts, len(parts) == 1 and total <= _WHOLE


def _groups(file: Stored, form: str, wanted: ColumnRequest) -> list[RowGroup]:
    library, module = _library(form, file)
    with undamaged(form, file.name):
        return library.groups(module, file, form, wanted)


def _stretches(rows: Iterable[ParquetRows], least: int) -> list[Part]:
    """Groups of one file that follow each other as one piece, up to the size of a part."""
    out: list[ParquetRows] = []
    for piece in rows:
        last = out[-1] if out else None
        if last is not None and last.file == piece.file and last.count < least and last.row + last.count == piece.row:
            out[-1] = replace(last, count=last.count + piece.count)
        else:
            out.append(piece)
    return list(out)


def _clean(groups: Sequence[RowGroup], least: int) -> list[Part] | None:
    """Parts between which the statistics prove that no query is cut; None where they do not."""
    types = {type(bound) for group in groups for bound in (group.low, group.high)}
    if len(types) != 1 or type(None) in types:
        return None  # of several types, or not known of some
    together: list[list[RowGroup]] = [[groups[0]]]
    size, low, high = groups[0].rows.count, groups[0].low, groups[0].high
    bounds = []
    for group in groups[1:]:
        if size >= least and (group.low > high or group.high < low):
            bounds.append((low, high))
            together.append([])
            size, low, high = 0, group.low, group.high
        together[-1].append(group)
        size, low, high = size + group.rows.count, min(low, group.low), max(high, group.high)
    apart = all(one[1] < other[0] for one, other in pairwise(sorted([*bounds, (low, high)])))
    small = all(sum(group.rows.count for group in part) <= _WHOLE for part in together)
    if not apart or not small or len(together) == 1:
        return None
    return [packed(_stretches([group.rows for group in part], _WHOLE), _BYTES * (_WHOLE + 1))[0] for part in together]
