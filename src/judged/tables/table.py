"""A table as plain data, and its plainest renderings: fixed width, and HTML without any style."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.errors import safe, shown

__all__ = ["Table", "Tabled", "as_html", "cell", "counted", "plain", "safe", "some"]

_MOST = 100  # rows in a notebook: more make it slow, and nobody reads them there
# Colours are those around it, made fainter: so it reads on light and on dark pages.
_STYLE = """<style>
.judged-result{overflow-x:auto}
.judged-result table.judged{border-collapse:collapse;margin:.6em 0 .3em;border:0;font-size:.92em}
.judged-result table.judged caption{caption-side:top;text-align:left;font-weight:600;padding:0 0 .4em;color:inherit}
.judged-result table.judged th,.judged-result table.judged td{text-align:left;vertical-align:top;font-weight:400;padding:.25em .7em;\
border:0;max-width:44em;white-space:normal}
.judged-result table.judged thead th,.judged-result table.judged thead td{font-weight:600;vertical-align:bottom;\
border-bottom:1px solid currentColor}
.judged-result table.judged tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.25)}
.judged-result table.judged .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.judged-result p+table.judged{margin-top:1.1em}
.judged-result p{margin:.15em 0;max-width:80em}
.judged-result p.note{opacity:.8}
</style>"""


@dataclass(frozen=True, slots=True)
class Table:
    """Headers, rows of text, a title above and notes below."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    words: tuple[int, ...] = (0,)  # which columns hold words, aligned to the left; the others hold numbers
    strong: frozenset[tuple[int, int]] = (
        frozenset()
    )  # (row, column) of the best values, shown in bold where that can be


def plain(table: Table) -> str:
    """The table in fixed width, with two blanks between columns."""
    cells = [tuple(map(safe, row)) for row in (table.headers, *table.rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(_pad(c, w, i in table.words) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in cells
    ]
    title = [safe(table.title), ""] if table.title else []
    notes = ["", *map(safe, table.notes)] if table.notes else []
    rule = "  ".join("─" * w for w in widths)
    return "\n".join([*title, lines[0], rule, *lines[1:], *notes])


def as_html(table: Table) -> str:
    """The table as HTML without style or script: cells of numbers have the class `number`; notes stand below as paragraphs."""
    caption = f"<caption>{_escaped(table.title)}</caption>\n" if table.title else ""
    head = "".join(_html_cell(text, i, table, row=None) for i, text in enumerate(table.headers))
    rows = (
        "".join(_html_cell(text, i, table, row=r) for i, text in enumerate(row)) for r, row in enumerate(table.rows)
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    notes = "".join(f'\n<p class="note"><small>{_escaped(note)}</small></p>' for note in table.notes)
    return f'<table class="judged">\n{caption}<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}'


def _html_cell(text: str, column: int, table: Table, *, row: int | None) -> str:
    """The first cell of a row is its header, the cells above are those of their columns; an empty one heads nothing."""
    scope = "col" if row is None else "row" if column == 0 else ""
    tag, attributes = ("th", f' scope="{scope}"') if scope and text else ("td", "")
    attributes += "" if column in table.words else ' class="number"'
    inner = _escaped(text)
    inner = f"<strong>{inner}</strong>" if (row, column) in table.strong else inner
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _escaped(text: str) -> str:
    return html.escape(safe(text))


class Tabled:
    """A result that is shown as tables: in fixed width, and as HTML in a notebook. `_tables` tells more than `table()`, where there is more."""

    __slots__ = ()

    def _tables(self) -> Sequence[Table]:
        """What is shown, one below the other."""
        result: Any = self
        return [result.table()]

    def _lines(self) -> Sequence[str]:
        """What stands above the tables."""
        return ()

    def __str__(self) -> str:
        lines = ["\n".join(map(safe, self._lines()))] if self._lines() else []
        return "\n\n".join([*lines, *map(plain, self._tables())])

    def _repr_html_(self) -> str:
        lines = [f"<p>{_escaped(line)}</p>" for line in self._lines() if line]
        shown = [*lines, *(as_html(_beginning(table)) for table in self._tables())]
        return "\n".join([f'<div class="judged-result">{_STYLE}', *shown, "</div>"])


def _beginning(table: Table) -> Table:
    """A table that is not too long for a notebook; what is left out is said."""
    left = len(table.rows) - _MOST
    if left <= 0:
        return table
    return replace(table, rows=table.rows[:_MOST], notes=(f"… and {counted(left, 'more row')}", *table.notes))


def cell(value: Any) -> Any:
    """A value for a CSV file: empty where it is missing; no text that a spreadsheet would compute."""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return "" if value is None or value != value else value


def counted(n: int, noun: str, several: str = "") -> str:
    """A number with its noun: 1 document, 2 documents, 3 queries."""
    return f"{n} {noun}" if n == 1 else f"{n} {several or noun + 's'}"


def some(things: Sequence[Any], n: int = 3) -> str:
    """The first few things, quoted, and an ellipsis if there are more."""
    return ", ".join(map(shown, things[:n])) + (" …" if len(things) > n else "")


def _width(text: str) -> int:
    """Columns a text takes on a terminal: wide letters two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, left: bool) -> str:
    blank = " " * (width - _width(text))
    return text + blank if left else blank + text
