"""Columns that a caller named for judgments and runs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judged.errors import DataError, Hint
from judged.io.tables.column_names import list_columns, nearest_column
from judged.io.tables.columns import ColumnRequest, UsedColumns

if TYPE_CHECKING:
    from judged.io.tables.splits import Split


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class NamedColumns:
    """Columns by role: query, doc, score, grade, rank. Each is used in every table that has it.

    Args:
        columns: the name of the column of each role.
        grade_map: grades of words.
        split: the split to read, of inputs that have several.
        used: the columns that tables had.
    """

    columns: Mapping[str, str]
    grade_map: Mapping[str, float] | None = None
    split: Split | None = None
    used: UsedColumns = field(default_factory=UsedColumns)

    def __bool__(self) -> bool:
        return bool(self.columns) or self.grade_map is not None or self.split is not None

    def request(self, what: str) -> ColumnRequest:
        """Return the request for a run or for judgments."""
        if not self:
            return ColumnRequest(what)
        other = ("grade",) if what == "run" else ("score", "rank")
        named = {role: column for role, column in self.columns.items() if role not in other}
        grade_map = self.grade_map if what == "qrels" else None
        return ColumnRequest(what, named, grade_map=grade_map, used=self.used, split=self.split)

    def check_used(self) -> None:
        """Raise `columns` if no table has a column that was named, `split` if no input has splits."""
        if self.split is not None:
            self.split.check_used()
        for role, column in self.columns.items():
            if role not in self.used.roles:
                names = list(self.used.names)
                near, option = nearest_column(column, names), f"{role}_col"
                hint = Hint(f"{'leave out' if near is None else 'use'} {{{option}}}", **{option: near})
                have = f"; the columns are {list_columns(names)}" if names else ""
                raise DataError("columns", f"no input has the column {column!r}{have}", hint=hint, value=column)


NO_NAMES = NamedColumns({})
