"""Text in fixed width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import BARS, Detail, Table, answer_of, axes_of, text_bar, width, zero_place

_NARROWEST = 10  # a column of words is not wrapped to less
_LINE = 132  # in files and pipes, wider tables have their headers wrapped, then their words; no column is dropped


class Layout(NamedTuple):
    """A table that fits: what is left of it, the width of each column, and whether each row becomes a block of lines.

    `headings` are the cells of the first column, if they are written above their rows.
    """

    table: Table
    widths: tuple[int, ...]
    stacked: bool = False
    headings: tuple[str, ...] = ()


def lay_out(table: Table, columns: int) -> Layout:
    """Wrap words and headers, then drop optional columns, then stack each row."""
    headings = tuple(row[0] for row in table.rows) if table.grouped else ()
    flat = table.without(frozenset({0})) if table.grouped else table
    for n in range(len(flat.optional) + 1):
        dropped = frozenset(flat.optional[:n]) & set(range(len(flat.headers)))
        smaller = flat.without(dropped)
        if (widths := _widths(smaller, columns)) is not None:
            names = ", ".join(flat.headers[i] for i in sorted(dropped))
            notes = [f"columns that need a wider terminal: {names}"] if names else []
            return Layout(smaller._replace(notes=(*notes, *smaller.notes)), tuple(widths), headings=headings)
    labels = max(map(width, table.headers), default=0)
    return Layout(table, (labels, max(columns - labels - 2, _NARROWEST)), stacked=True)


def _widths(table: Table, columns: int | None) -> list[int] | None:
    """Widths that fit, the widest columns of words wrapped first; None if there are none.

    In files (`columns` is None) headers are wrapped before words, and a table that does not fit is wider.
    """
    by_column = list(zip(table.headers, *table.rows, strict=True))
    widths = [max(map(width, column)) for column in by_column]
    most = (_LINE if columns is None else columns) - 2 * (len(widths) - 1)
    if sum(widths) <= most:
        return widths
    cells = [max([_longest_word(header), *map(width, own)]) for header, *own in by_column]
    if columns is None and sum(cells) <= most:
        return cells
    least = [
        max([_NARROWEST, *map(_longest_word, column)]) if i in table.words else cells[i]
        for i, column in enumerate(by_column)
    ]
    while sum(widths) > most:
        room = [max(now - least[i], 0) for i, now in enumerate(widths)]
        if not any(room):
            return None if columns is not None else cells
        widths[max(range(len(widths)), key=lambda i: (room[i] > 0, widths[i]))] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def wrap(text: str, columns: int | None) -> list[str]:
    """Break text between words, without the spaces there; a word that is longer than a line gets a line of its own. None is unlimited.

    >>> wrap("no clear difference", 9)
    ['no clear', 'difference']
    >>> wrap("counted as 0.  [empty-list]", 14)
    ['counted as 0.', '[empty-list]']
    >>> wrap("0    ", 5)
    ['0    ']
    """
    if columns is None:
        return [text]
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    lines[:-1] = [line.rstrip() for line in lines[:-1]]
    return [*lines[:1], *(line.lstrip() for line in lines[1:])]


Style = Mapping[str, Callable[[str], str]]
PLAIN: Style = dict.fromkeys(("headline", "title", "header", "best", "note", "warning"), str)

_BAR, _WIDEST = 15, 31  # columns of a bar
_ANSWER = 16  # columns of an answer, at least


@output_format("table", aliases=("text", "txt"), ending=".txt")
def text(result: Renderable, places: int, *, columns: int | None = None, style: Style = PLAIN) -> str:
    """The headline, then the tables, separated by blank lines; `columns` is the width of the terminal, None for unlimited."""
    headline, beside = result.headline(), list[str]()
    if details := result.details():
        first, details = answer_of(headline, details)
        headline, beside = [first], _details(details, columns, style)
    answer = [*(style["headline"](line) for text in headline for line in wrap(safe(text), columns)), *beside]
    tables = [table_text(table, columns=columns, style=style) for table in result.tables(places=places)]
    return "\n\n".join([*(["\n".join(answer)] if answer else []), *tables]) + "\n"


def _details(details: Sequence[Detail], columns: int | None, style: Style) -> list[str]:
    """The questions on the left, the answers beside them; the interval below its answer, on a terminal."""
    left = max(width(one.title) for one in details) + 2
    lines = []
    for one in details:
        texts = wrap(safe(one.text), max(columns - left, _ANSWER) if columns else None)
        if one.span and columns and columns - left >= _BAR:
            (axis,) = axes_of([one.span]).values()
            size = min(columns - left, _WIDEST)
            texts += [text_bar(one.span, axis, size), f"{' ' * zero_place(axis, size)}0"]
        heads = [style["note"](_pad(one.title, left, True)), *[" " * left] * (len(texts) - 1)]
        lines += [f"{head}{text}".rstrip() for head, text in zip(heads, texts, strict=True)]
    return lines


def table_text(table: Table, *, columns: int | None = None, style: Style = PLAIN) -> str:
    """A table with two blanks between columns; `columns` is the width of the terminal, None for unlimited."""
    table = table._replace(headers=tuple(map(safe, table.headers)), rows=tuple(tuple(map(safe, r)) for r in table.rows))
    layout = Layout(table, tuple(_widths(table, None) or ())) if columns is None else _with_bars(table, columns)
    lines = _stack(layout, style) if layout.stacked else _rows(layout, style)
    title = [*(style["title"](line) for line in wrap(safe(table.title), columns)), ""] if table.title else []
    below = [
        (line, "warning" if note.startswith("warning") else "note")
        for note in layout.table.lines_below
        for line in wrap(safe(note), columns)
    ]
    return "\n".join([*title, *lines, *([""] if below else []), *(style[kind](line) for line, kind in below)])


def _with_bars(table: Table, columns: int) -> Layout:
    """The layout, with a column of bars if there is room for one beside all columns that are more important."""
    if not any(table.spans):
        return lay_out(table, columns)
    before = table.optional[: table.optional.index(BARS)] if BARS in table.optional else table.optional
    layout = lay_out(table._replace(optional=before), columns - _BAR - 2)
    if layout.stacked:
        return lay_out(table, columns)
    size = min(columns - sum(layout.widths) - 2 * len(layout.widths), _WIDEST)
    axes = axes_of(table.spans)
    zero = " " * zero_place(next(iter(axes.values())), size) + "0" if len(axes) == 1 else ""
    bars = [text_bar(span, axes[span.scale], size) if span else "" for span in table.spans]
    rows = tuple((*row, bar) for row, bar in zip(layout.table.rows, bars, strict=True))
    barred = layout.table._replace(headers=(*layout.table.headers, zero.ljust(size)), rows=rows)
    return layout._replace(table=barred, widths=(*layout.widths, size))


def _rows(layout: Layout, style: Style) -> list[str]:
    """The lines of the headers and of each row, whose cells have one line or several."""
    table, widths, above = layout.table, layout.widths, ""
    heads = [wrap(cell, size) for cell, size in zip(table.headers, widths, strict=True)]
    most = max(map(len, heads), default=0)  # texts of headers end at the line below them
    rows = [[[""] * (most - len(cell)) + cell for cell in heads]]
    for row in table.rows:
        cells = enumerate(zip(row, widths, strict=True))
        rows.append([wrap(cell, size) if i in table.words and cell.strip() else [cell] for i, (cell, size) in cells])
    lines = []
    for r, cells_of_row in enumerate(rows, -1):
        if r >= 0 and layout.headings and layout.headings[r] != above:
            above = layout.headings[r]
            lines.append(style["title"](above))
        for line in zip_longest(*cells_of_row, fillvalue=""):
            texts = [
                _pad(text, size, i in table.words) for i, (text, size) in enumerate(zip(line, widths, strict=True))
            ]
            for i, text in enumerate(texts):
                if r < 0 or (r, i) in table.strong:
                    texts[i] = style["header" if r < 0 else "best"](text)
            lines.append("  ".join(texts).rstrip())
        if r < 0:
            lines.append("  ".join("─" * size for size in widths))
    return lines


def _stack(layout: Layout, style: Style) -> list[str]:
    """One block per row: a line for each column, with its header."""
    table, widths = layout.table, layout.widths
    blocks = []
    for r, row in enumerate(table.rows):
        lines = [
            f"{style['header'](_pad(header if n == 0 else '', widths[0], True))}  {style['best'](line) if (r, i) in table.strong else line}"
            for i, (header, cell) in enumerate(zip(table.headers, row, strict=True))
            for n, line in enumerate(wrap(cell, widths[1]))
        ]
        blocks.append("\n".join(line.rstrip() for line in lines))
    return ["\n\n".join(blocks)]


def _pad(text: str, size: int, left: bool) -> str:
    blank = " " * (size - width(text))
    return text + blank if left else blank + text
