"""Text in fixed width."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Literal

from judged.errors import safe
from judged.tables.fit import lay_out, wrap
from judged.tables.formats import Renderable, output_format
from judged.tables.table import Table
from judged.tables.text import width

Style = Callable[[str, Literal["headline", "title", "header", "best", "note", "warning"]], str]


def _unstyled(text: str, kind: str) -> str:
    return text


@output_format("table", aliases=("text", "txt"), ending=".txt")
def text(result: Renderable, places: int) -> str:
    """The headline, then the tables, separated by blank lines."""
    return result_text(result, places) + "\n"


def result_text(result: Renderable, places: int, *, columns: int | None = None, style: Style = _unstyled) -> str:
    """A result for a terminal with this number of columns; None is unlimited."""
    headline = [style(line, "headline") for text in result.headline() for line in _wrap_lines(text, columns)]
    tables = [table_text(table, columns=columns, style=style) for table in result.tables(places=places)]
    return "\n\n".join([*(["\n".join(headline)] if headline else []), *tables])


def table_text(table: Table, *, columns: int | None = None, style: Style = _unstyled) -> str:
    """A table with two blanks between columns; `columns` is the width of the terminal, None for unlimited."""
    table = table._replace(headers=tuple(map(safe, table.headers)), rows=tuple(tuple(map(safe, r)) for r in table.rows))
    layout = lay_out(table, columns)
    lines = (_stack if layout.stacked else _rows)(layout.table, layout.widths, style)
    title = [*(style(line, "title") for line in _wrap_lines(table.title, columns)), ""] if table.title else []
    below = [(line, "warning" if note.startswith("warning") else "note") for note in layout.table.lines_below for line in _wrap_lines(note, columns)]  # fmt: skip
    return "\n".join([*title, *lines, *([""] if below else []), *(style(line, kind) for line, kind in below)])  # type: ignore[arg-type]


def _rows(table: Table, widths: tuple[int, ...], style: Style) -> list[str]:
    lines = [*_row(table.headers, table, widths, lambda cell, i: style(cell, "header"))]
    lines.append("  ".join("─" * w for w in widths))
    for r, row in enumerate(table.rows):
        lines += _row(row, table, widths, lambda cell, i, r=r: style(cell, "best") if (r, i) in table.strong else cell)  # type: ignore[misc]
    return lines


def _row(row: tuple[str, ...], table: Table, widths: tuple[int, ...], style: Callable[[str, int], str]) -> list[str]:
    cells = [wrap(cell, w) if i in table.words else [cell] for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
    return [
        "  ".join(
            style(_pad(c, w, i in table.words), i) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]


def _stack(table: Table, widths: tuple[int, ...], style: Style) -> list[str]:
    """One block per row: a line for each column, with its header."""
    blocks = []
    for r, row in enumerate(table.rows):
        lines = [
            f"{style(_pad(header if n == 0 else '', widths[0], True), 'header')}  {style(line, 'best') if (r, i) in table.strong else line}"
            for i, (header, cell) in enumerate(zip(table.headers, row, strict=True))
            for n, line in enumerate(wrap(cell, widths[1]))
        ]
        blocks.append("\n".join(line.rstrip() for line in lines))
    return ["\n\n".join(blocks)]


def _wrap_lines(text: str, columns: int | None) -> list[str]:
    return [safe(text)] if columns is None else wrap(safe(text), columns)


def _pad(text: str, size: int, left: bool) -> str:
    blank = " " * (size - width(text))
    return text + blank if left else blank + text
