"""Text in fixed width."""

from __future__ import annotations

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import Table
from judged.tables.text import width

__all__ = ["table_text", "text"]


@output_format("table", aliases=("text", "txt"), ending=".txt")
def text(result: Renderable, places: int) -> str:
    """The headline, then the tables, separated by blank lines."""
    headline = ["\n".join(map(safe, result.headline()))] if result.headline() else []
    return "\n\n".join([*headline, *map(table_text, result.tables(places=places))]) + "\n"


def table_text(table: Table) -> str:
    """A table with two blanks between columns."""
    cells = [tuple(map(safe, row)) for row in (table.headers, *table.rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(_pad(c, w, i in table.words) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in cells
    ]
    title = [safe(table.title), ""] if table.title else []
    below = ["", *map(safe, table.lines_below)] if table.lines_below else []
    return "\n".join([*title, lines[0], "  ".join("─" * w for w in widths), *lines[1:], *below])


def _pad(text: str, size: int, left: bool) -> str:
    blank = " " * (size - width(text))
    return text + blank if left else blank + text
