"""Columnar files as partitions: stretches of row groups of large files, small files together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from judged.core.parts.run import Part
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint
from judged.io.files.stored import Stored, map_files
from judged.io.formats.registry import FORMATS, FileFormat, RowGroup, Rows
from judged.io.parts.packing import pack
from judged.io.tables.columns import ColumnRequest

FEWEST, MOST = 1_000_000, 4_000_000  # rows of a partition
_WHOLE = 5_000_000  # rows that are sorted at once
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


def cut_columnar(files: Sequence[Stored], format: FileFormat, request: ColumnRequest) -> tuple[list[Part], bool]:
    """Return the partitions of files, and whether it is certain that no query is in two of them."""
    assert format.row_groups is not None
    row_groups = format.row_groups
    groups = [group for of_file in map_files(lambda file: row_groups(file, request), files) for group in of_file]
    check_scores((group.rows.file.name, group.rows.scored) for group in groups)
    total = sum(group.rows.count for group in groups)
    least = min(max(total // 32, FEWEST), MOST)
    clean = _cut_between_queries(groups, least)
    if clean is not None:
        return clean, True
    parts = pack(_stretches([group.rows for group in groups], least), _BYTES * least)
    return parts, len(parts) == 1 and total <= _WHOLE


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


def _cut_between_queries(groups: Sequence[RowGroup], least: int) -> list[Part] | None:
    """Return partitions for which the statistics prove that no query is cut; None if they do not."""
    types = {type(bound) for group in groups for bound in (group.low, group.high)}
    if len(types) != 1 or type(None) in types:
        return None  # of several types, or unknown for some
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
    disjoint = all(one[1] < other[0] for one, other in pairwise(sorted([*bounds, (low, high)])))
    small = all(sum(group.rows.count for group in part) <= _WHOLE for part in together)
    if not disjoint or not small or len(together) == 1:
        return None
    return [pack(_stretches([group.rows for group in part], _WHOLE), _BYTES * (_WHOLE + 1))[0] for part in together]


def check_scores(files: Iterable[tuple[str, bool]]) -> None:
    """Raise if some files have scores and others only ranks: the two cannot be compared."""
    kinds = {scored: name for name, scored in files}
    if len(kinds) > 1:
        hint = Hint("write them with the same columns, or name one that all of them have: {rank_col}", rank_col="rank")
        raise DataError(
            "columns", f"{kinds[True]} has scores, {kinds[False]} only ranks", where=kinds[False], hint=hint
        )
