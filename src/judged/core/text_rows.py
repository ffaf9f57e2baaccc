"""All rows of a text as columns, found by the native core (`src/native/collect.hpp`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bytes, Floats, Ints
from judged.core.ids import IdColumn
from judged.core.numeric.native import native, usable_cores
from judged.core.unread_runs import Layout

_BYTES = 1 << 20  # that a core takes at a time


@dataclass(frozen=True, slots=True)
class TextRows:
    """Columns of a run or of judgments; ids are copies, so that the text is not needed any longer."""

    queries: IdColumn
    query: Ints
    doc: IdColumn
    number: Floats
    rank: Ints | None
    unranked: int  # the first row without a rank, or the number of rows
    aspect: IdColumn  # one id if all rows have the same
    last: int  # the offset of the last row

    def __len__(self) -> int:
        return len(self.number)

    def aspects(self) -> IdColumn:
        """Return the aspect of each row."""
        return self.aspect if len(self.aspect) == len(self) else self.aspect.take(np.zeros(len(self), np.int64))


def read_rows(data: Bytes, start: int, layout: Layout) -> TextRows | None:
    """Return all rows of a text; None if only the reference can read it, or it has none."""
    columns = native and native.read_text(data, start, len(data), dict(layout), usable_cores(), _BYTES)
    if not columns:
        return None
    ids = {name: IdColumn(*columns[name]) for name in ("queries", "doc", "aspect")}
    return TextRows(**{**columns, **ids})


def row_begins(data: Bytes, start: int, layout: Layout) -> Ints:
    """Return the offset of each row of a text that `read_rows` can read."""
    begins: Ints = native.row_begins(data, start, len(data), dict(layout))
    return begins
