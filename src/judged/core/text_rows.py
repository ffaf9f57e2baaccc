"""All rows of a text, or of nested dicts, as columns, found by the native core (`src/native/collect.hpp`, `mapping.cpp`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from judged._types import Bytes, Floats, Ints
from judged.core.ids import IdColumn
from judged.core.numeric.native import native, usable_cores
from judged.core.tables import IdKind
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


class DictRows(NamedTuple):
    """Columns of `{query: {doc: number}}`; a query may have no rows."""

    queries: IdColumn
    query: Ints
    doc: IdColumn
    number: Floats
    query_kind: IdKind
    doc_kind: IdKind


def read_dict(table: dict[Any, Any]) -> DictRows | None:
    """Return all rows of nested dicts; None if only the reference can read them, or there are none."""
    columns = native and native.read_dict(table)
    if not columns:
        return None
    queries, query, doc, number, *integer = columns
    kinds: list[IdKind] = ["integer" if one else "text" for one in integer]
    return DictRows(IdColumn(*queries), query, IdColumn(*doc), number, *kinds)
