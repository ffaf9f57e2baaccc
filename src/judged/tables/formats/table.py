"""Text in fixed width."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import zip_longest
from typing import Literal

from judged.errors import safe
from judged.tables.fit import Layout, lay_out, wrap
from judged.tables.formats import Renderable, answer_of, output_format
from judged.tables.table import BARS, Detail, Table
from judged.tables.text import width

Style = Callable[[str, Literal["headline", "title", "header", "best", "note", "warning"]], str]

_BAR, _WIDEST = 15, 31  # columns of a bar
_NARROWEST = 16  # columns of an answer


def _unstyled(text: str, kind: str) -> str:
    return text


@output_format("table", aliases=("text", "txt"), ending=".txt")
def text(result: Renderable, places: int) -> str:
    """The headline, then the tables, separated by blank lines."""
    return result_text(result, places) + "\n"


def result_text(result: Renderable, places: int, *, columns: int | None = None, style: Style = _unstyled) -> str:
    """A result for a terminal with this number of columns; None is unlimited."""
    first, details = answer_of(result)
    headline = [first] if details else result.headline()
    answer = [style(line, "headline") for text in headline for line in _wrap_lines(text, columns)]
    answer += _details(details, columns, style)
    tables = [table_text(table, columns=columns, style=style) for table in result.tables(places=places)]
    return "\n\n".join([*(["\n".join(answer)] if answer else []), *tables])


def _details(details: Sequence[Detail], columns: int | None, style: Style) -> list[str]:
    """The questions on the left, the answers beside them; the interval below its answer, on a terminal."""
    if not details:
        return []
    from judged.tables.bars import axes_of, text_bar, zero_place

    left = max(width(one.title) for one in details) + 2
    lines = []
    for one in details:
        texts = wrap(safe(one.text), max(columns - left, _NARROWEST)) if columns else [safe(one.text)]
        if one.span and columns and columns - left >= _BAR:
            (axis,) = axes_of([one.span]).values()
            size = min(columns - left, _WIDEST)
            texts += [text_bar(one.span, axis, size), f"{' ' * zero_place(axis, size)}0"]
        heads = [style(_pad(one.title, left, True), "note"), *[" " * left] * (len(texts) - 1)]
        lines += [f"{head}{text}".rstrip() for head, text in zip(heads, texts, strict=True)]
    return lines


def table_text(table: Table, *, columns: int | None = None, style: Style = _unstyled) -> str:
    """A table with two blanks between columns; `columns` is the width of the terminal, None for unlimited."""
    table = table._replace(headers=tuple(map(safe, table.headers)), rows=tuple(tuple(map(safe, r)) for r in table.rows))
    layout = _with_bars(table, columns)
    lines = _stack(layout, style) if layout.stacked else _rows(layout, style)
    for more in layout.more:
        lines += ["", *_rows(more, style)]
    title = [*(style(line, "title") for line in _wrap_lines(table.title, columns)), ""] if table.title else []
    below = [
        (line, "warning" if note.startswith("warning") else "note")
        for note in layout.table.lines_below
        for line in _wrap_lines(note, columns)
    ]
    return "\n".join([*title, *lines, *([""] if below else []), *(style(line, kind) for line, kind in below)])  # type: ignore[arg-type]


def _with_bars(table: Table, columns: int | None) -> Layout:
    """The layout, with a column of bars if there is room for one beside all columns that are more important."""
    if columns is None or not any(table.spans):
        return lay_out(table, columns)
    from judged.tables.bars import axes_of, text_bar, zero_place

    before = table.optional[: table.optional.index(BARS)] if BARS in table.optional else table.optional
    layout = lay_out(table._replace(optional=before), columns - _BAR - 2)
    if layout.stacked or layout.more:
        return lay_out(table, columns)
    size = min(columns - sum(layout.widths) - 2 * len(layout.widths), _WIDEST)
    axes = axes_of(table.spans)
    zero = " " * zero_place(next(iter(axes.values())), size) + "0" if len(axes) == 1 else ""
    bars = [text_bar(span, axes[span.scale], size) if span else "" for span in table.spans]
    rows = tuple((*row, bar) for row, bar in zip(layout.table.rows, bars, strict=True))
    barred = layout.table._replace(headers=(*layout.table.headers, zero.ljust(size)), rows=rows)
    return layout._replace(table=barred, widths=(*layout.widths, size))


def _rows(layout: Layout, style: Style) -> list[str]:
    table, widths, above = layout.table, layout.widths, ""
    lines = [*_row(table.headers, table, widths, lambda cell, i: style(cell, "header"), wrapped=range(len(widths)))]
    lines.append("  ".join("─" * w for w in widths))
    for r, row in enumerate(table.rows):
        heading = layout.headings[r] if layout.headings else ""
        if heading != above:
            lines.append(style(heading, "title"))
        above = heading
        lines += _row(
            row,
            table,
            widths,
            lambda cell, i, r=r: style(cell, "best") if (r, i) in table.strong else cell,  # type: ignore[misc]
            table.words,
        )
    return lines


def _row(
    row: tuple[str, ...],
    table: Table,
    widths: tuple[int, ...],
    style: Callable[[str, int], str],
    wrapped: Container[int],
) -> list[str]:
    """The lines of one row; texts of headers end at the line below them."""
    cells = [
        wrap(cell, w) if i in wrapped and cell.strip() else [cell]
        for i, (cell, w) in enumerate(zip(row, widths, strict=True))
    ]
    if row is table.headers:
        most = max(map(len, cells), default=0)
        cells = [[""] * (most - len(lines)) + lines for lines in cells]
    return [
        "  ".join(
            style(_pad(c, w, i in table.words), i) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]


def _stack(layout: Layout, style: Style) -> list[str]:
    """One block per row: a line for each column, with its header."""
    table, widths = layout.table, layout.widths
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
