"""Markdown tables."""

from __future__ import annotations

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import Table, answer_of

_ESCAPES = str.maketrans({c: f"\\{c}" for c in "\\|`*_<>[]#&~$"} | {"\n": " "})


@output_format("md", aliases=("markdown",), ending=".md")
def markdown(result: Renderable, places: int) -> str:
    """The headline as paragraphs, with its details as a list, then the tables."""
    headline, details = result.headline(), result.details()
    lines = [_escape(line) for line in headline if line]
    if details:
        first, details = answer_of(headline, details)
        lines = [f"**{_escape(first)}**", "\n".join(f"- *{_escape(one.title)}* {_escape(one.text)}" for one in details)]
    return "\n\n".join([*lines, *map(table_markdown, result.tables(places=places))]) + "\n"


def table_markdown(table: Table) -> str:
    """A table with the best values in bold, and its notes as a list below."""
    title = [f"**{_escape(table.title)}**", ""] if table.title else []
    align = [":--" if i in table.words else "--:" for i in range(len(table.headers))]
    rows = [
        [f"**{_escape(c)}**" if (r, i) in table.strong else _escape(c) for i, c in enumerate(row)]
        for r, row in enumerate(table.rows)
    ]
    lines = ["| " + " | ".join(row) + " |" for row in ([*map(_escape, table.headers)], align, *rows)]
    notes = [f"- {_escape(line)}" for line in table.lines_below]
    return "\n".join([*title, *lines, *(["", *notes] if notes else [])])


def _escape(text: str) -> str:
    return safe(text).translate(_ESCAPES)
