"""Text whose rows the native core finds in place: delimited text and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from judged.core.tables import Run
from judged.core.unread_runs import Layout, TextRun, read_rows
from judged.io.columns import is_borrowed
from judged.io.files import Content, open_later
from judged.io.origin import Context
from judged.io.text import check_end

if TYPE_CHECKING:
    from judged.io.origin import Origin
    from judged.io.table import SourceTable


@dataclass(frozen=True, slots=True)
class NativeText:
    """The rows of a text, as the native core finds them.

    Args:
        layout: the source, and the places of the columns in it.
        columns: the column of each role; none, if rankings are not written as columns.
        scored: rows have scores.
        ranked: rows have ranks.
        start: the first byte of the rows; None: the first after a byte-order mark.
        lines: every row is on its own line.
    """

    layout: Layout
    columns: Mapping[str, str]
    scored: bool
    ranked: bool
    start: int | None = None
    lines: bool = True

    def unread(self, content: Content, read: Callable[[], Run]) -> TextRun:
        """Return an open file as a run; `read` reads it by the reference."""
        return TextRun(
            name=content.name,
            read=read,
            open=open_later(content, self.start, lines=self.lines),
            layout=self.layout,
            joinable=self.lines,
            scored=self.scored,
            ranked=self.ranked,
            warnings=check_end(content.last_bytes(), content.name) if self.lines else (),
        )

    def read(self, content: Content, context: Context, origin: Callable[[Any], Origin]) -> SourceTable | None:
        """Read an open file; None if only the reference can. `origin` takes the rows."""
        from judged.io.table import SourceTable

        with open_later(content, self.start, lines=self.lines)() as (data, start):
            rows = read_rows(data, start, self.layout)
            warnings = check_end(data[-1:].tobytes(), context.name) if self.lines else ()
        if rows is None:
            return None
        context = replace(context, warnings=(*context.warnings, *warnings))
        return SourceTable(
            **context.basics(),
            origin=origin(rows),
            query=(rows.queries, rows.query),
            doc=rows.doc,
            number=rows.number if self.scored or not self.columns else None,
            rank=rows.rank if self.ranked else None,
            aspect=rows.aspects() if "aspect" in self.columns else None,
            scored=self.scored,
            borrowed=is_borrowed(self.columns, context.request),
            implicit="time" in self.columns,
        )
