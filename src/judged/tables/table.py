"""A table as plain data, and numbers, counts and lists as text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from judged.errors import shown


def number(value: Any, places: int = 4, *, whole: bool = False, sign: str = "") -> str:
    """Format a value: floats with a fixed number of decimals (never -0.0000), missing values as a dash, the rest as is.

    >>> number(0.5), number(3), number(float("nan")), number(7.0, whole=True), number(0.5, 2, sign="+")
    ('0.5000', '3', '–', '7', '+0.50')
    """
    if value is None or value != value:
        return "–"
    return f"{value:{sign}z.{0 if whole else places}f}" if isinstance(value, float) else str(value)


def signed(value: float, places: int = 4) -> str:
    """Format a difference for sentences and pictures: with its sign, and a minus in place of a hyphen.

    >>> signed(0.25, 3), signed(-0.25, 3)
    ('+0.250', '−0.250')
    """
    return number(value, places, sign="+").replace("-", "−")


def p_text(p: float | None) -> str:
    """Format a p-value; it is never 0."""
    return "–" if p is None or p != p else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun.

    >>> counted(1, "document"), counted(2, "document"), counted(3, "query", "queries")
    ('1 document', '2 documents', '3 queries')
    """
    plural = plural or (f"{noun[:-1]}ies" if noun.endswith("query") else f"{noun}s")
    return f"{n} {noun if n == 1 else plural}"


def some(items: Sequence[Any], n: int = 3) -> str:
    """Quote the first few items, with an ellipsis if there are more."""
    return ", ".join(map(shown, items[:n])) + (" …" if len(items) > n else "")


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def plain_data(value: Any) -> Any:
    """Convert to what strict JSON holds: NumPy values become Python's, tuples become lists, NaN and infinities become None.

    >>> import numpy as np
    >>> plain_data([np.float64(0.5), np.str_("a"), np.int64(2), (float("nan"),)])
    [0.5, 'a', 2, [None]]
    """
    if isinstance(value, float):
        return (
            float(value) if math.isfinite(value) else None
        )  # NumPy's float64 is a float, and prints as np.float64(0.5)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | None):
        return value
    if isinstance(value, dict):
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(item) for item in value]
    return plain_data(value.tolist()) if hasattr(value, "tolist") else value


def distinct_columns(names: Sequence[str], taken: Callable[[str], bool]) -> list[str]:
    """Names of judges as column names; a name that another column has gets the prefix `judge_` until it is unique.

    >>> distinct_columns(["human", "query"], {"query", "doc"}.__contains__)
    ['human', 'judge_query']
    """
    columns: list[str] = []
    for name in names:
        column = name
        while taken(column) or column in columns or (column != name and column in names):
            column = f"judge_{column}"  # no blank: columns of TREC files are separated by blanks
        columns.append(column)
    return columns


def width(text: str) -> int:
    """Terminal columns that a text takes: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def natural_key(text: object) -> list[Any]:
    """Return a key that sorts numbers inside ids by their size.

    >>> sorted(["Q-10", "Q-2", "Q-1"], key=natural_key)
    ['Q-1', 'Q-2', 'Q-10']
    """
    parts = re.split(r"(\d+)", str(text))
    return [(len(part.lstrip("0")), part.lstrip("0")) if i % 2 else part for i, part in enumerate(parts)]


def tie_notes(values: Sequence[float], shown: Sequence[float], last: str) -> tuple[str, ...]:
    """Return a note that counts the queries whose value equals the last one that is shown, unless all of them are shown.

    >>> tie_notes([0.0, 0.0, 0.0, 1.0], [0.0, 0.0], "the value 0")
    ('3 of 4 queries have the value 0; the first 2 are shown, in order of id',)
    """
    tied, seen = (sum(value == shown[-1] for value in some) for some in (values, shown)) if len(shown) else (0, 0)
    have = f"{tied} of {counted(len(values), 'query')} have {last}"
    return (f"{have}; the first {seen} are shown, in order of id",) if tied > seen else ()


def title_of(names: tuple[str, str]) -> str:
    """The run and the judgments, without folders; those of a question file are in one of its fields."""
    qrels, run = (name.rpartition("/")[2] for name in names)
    return f"{run} (judgments in {qrels})" if qrels.startswith("field '") else f"{run}, judgments: {qrels}"


# ── tables ────────────────────────────────────────────────────────────────────────────────────────

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


def answer_of(headline: Sequence[str], details: Sequence[Detail]) -> tuple[str, list[Detail]]:
    """The first sentence, which is above the details, and these with the other sentences as the last of them."""
    first, *others = headline or [""]
    return first, [*details, *([Detail("Also", " ".join(others))] if others else [])]


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


Axis = tuple[float, float]

# Both colours have a contrast of 3:1 with white and with black paper, because notebooks do not tell which they have.
TONES = {"better": "#1f8f6b", "worse": "#cf5a33"}
_HEIGHT = 16
_ROOM = 5  # pixels beside the ends of a bar


def axes_of(spans: Sequence[Span | None]) -> dict[str, Axis]:
    """Return for each scale the ends of its axis, which contains 0."""
    axes: dict[str, Axis] = {}
    for span in spans:
        if span is not None:
            low, high = axes.get(span.scale, (0.0, 0.0))
            axes[span.scale] = min(low, span.low), max(high, span.high)
    return axes


def text_bar(span: Span, axis: Axis, columns: int) -> str:
    """Return a bar of this number of columns: an interval, its value (hollow if nothing is clear) and a line at 0.

    >>> text_bar(Span(0.1, 0.2, 0.3, "better"), (-0.1, 0.3), 17), text_bar(Span(-0.1, 0.0, 0.1), (-0.1, 0.3), 17)
    ('    │   ├───●───┤', '├───○───┤        ')
    """
    cells = [" "] * columns
    low, value, high = (_place(x, axis, columns - 1) for x in (span.low, span.value, span.high))
    cells[zero_place(axis, columns)] = "│"
    for k in range(low, high + 1):
        cells[k] = "┼" if cells[k] == "│" else "─"
    if low < high:
        cells[low], cells[high] = "├", "┤"
    cells[value] = "●" if span.tone else "○"
    return "".join(cells)


def zero_place(axis: Axis, columns: int) -> int:
    """Return the column of 0 in a bar."""
    return _place(0.0, axis, columns - 1)


def svg_bar(span: Span, axis: Axis, width: int = 140) -> str:
    """Return a bar as SVG in the colour of its tone, or hollow and in that of the text; the line at 0 is fainter."""
    low, value, high, zero = (
        _ROOM + _share(at, axis) * (width - 2 * _ROOM) for at in (span.low, span.value, span.high, 0.0)
    )
    colour, y = TONES.get(span.tone, "currentColor"), _HEIGHT / 2
    parts = [(low, high)] if span.tone else [(low, value - 4), (value + 4, high)]
    dot = f'fill="{colour}"' if span.tone else f'fill="none" stroke="{colour}" stroke-width="1.5"'
    return (
        f'<svg width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}" aria-hidden="true">'
        f'<path d="M{zero:.1f} 0V{_HEIGHT}" stroke="currentColor" stroke-opacity=".45"/>'
        + "".join(f'<path d="M{a:.1f} {y:g}H{b:.1f}" stroke="{colour}" stroke-width="2"/>' for a, b in parts if a < b)
        + f'<circle cx="{value:.1f}" cy="{y:g}" r="3.5" {dot}/></svg>'
    )


def _place(x: float, axis: Axis, last: int) -> int:
    return min(max(round(_share(x, axis) * last), 0), last)


def _share(x: float, axis: Axis) -> float:
    return (x - axis[0]) / (axis[1] - axis[0]) if axis[1] > axis[0] else 0.5
