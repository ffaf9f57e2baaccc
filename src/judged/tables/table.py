"""A table as plain data."""

from __future__ import annotations

from typing import NamedTuple

from judged.tables.text import counted

BARS = -1  # the column of bars, among the optional ones


class Span(NamedTuple):
    """A value and its interval, drawn as a bar against 0. Spans with the same `scale` share an axis; `tone` is better, worse or empty."""

    low: float
    value: float
    high: float
    tone: str = ""
    scale: str = ""


class Detail(NamedTuple):
    """A line below the headline: a question, the answer, and an interval that is drawn where there is room."""

    title: str
    text: str
    span: Span | None = None


class Table(NamedTuple):
    """Headers, rows of text, a title above and notes below.

    Args:
        headers: one per column.
        rows: the cells, as text.
        title: above the table.
        key: the meaning of signs in the cells; it belongs to the table wherever it is printed.
        notes: further lines below it. One that begins with the header of a column and a colon is dropped with the column.
        words: columns that contain words and are aligned left; the others contain numbers.
        strong: (row, column) of the best values, which are bold where the format has bold.
        optional: columns to drop if the table is too wide, the least important first; `BARS`, if not here, are dropped last.
        grouped: rows with the same first cell are adjacent; terminals write it above them.
        spans: intervals, one per row or none; drawn as a further column of bars in terminals with enough room and in HTML.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    words: tuple[int, ...] = (0,)
    strong: frozenset[tuple[int, int]] = frozenset()
    key: str = ""
    optional: tuple[int, ...] = ()
    grouped: bool = False
    spans: tuple[Span | None, ...] = ()

    @property
    def lines_below(self) -> tuple[str, ...]:
        """The key and the notes."""
        return (self.key, *self.notes) if self.key else self.notes

    def head(self, n: int) -> Table:
        """The first n rows, with a note that counts the others."""
        more = len(self.rows) - n
        if more <= 0:
            return self
        notes = (f"… and {counted(more, 'more row')}", *self.notes)
        return self._replace(rows=self.rows[:n], spans=self.spans[:n], notes=notes)

    def without(self, columns: frozenset[int]) -> Table:
        """The table without some columns, and without the notes on them."""
        kept = [i for i in range(len(self.headers)) if i not in columns]
        place = {BARS: BARS} | {old: new for new, old in enumerate(kept)}
        gone = tuple(f"{self.headers[i]}:" for i in columns)
        return self._replace(
            headers=tuple(self.headers[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
            words=tuple(place[i] for i in self.words if i in place),
            strong=frozenset((row, place[i]) for row, i in self.strong if i in place),
            notes=tuple(note for note in self.notes if not note.startswith(gone)),
            optional=tuple(place[i] for i in self.optional if i in place),
            grouped=self.grouped and 0 not in columns,
        )
