"""Fit a table into a number of terminal columns without breaking a number or a word."""

from __future__ import annotations

from typing import NamedTuple

from judged.tables.table import Table
from judged.tables.text import width

_NARROWEST = 16  # a column of words is not wrapped to less


class Layout(NamedTuple):
    """A table that fits: what is left of it, the width of each column, and whether each row becomes a block of lines."""

    table: Table
    widths: tuple[int, ...]
    stacked: bool = False


def lay_out(table: Table, columns: int | None) -> Layout:
    """Wrap columns of words, then drop optional columns, then stack each row; None is unlimited."""
    if columns is None:
        return Layout(table, tuple(_natural(table)))
    widths = _wrap_widths(table, columns)
    dropped = [i for i in table.optional if i < len(table.headers)]
    for n in range(1, len(dropped) + 1):
        if widths is not None:
            break
        smaller = table.without(frozenset(dropped[:n]))
        if (widths := _wrap_widths(smaller, columns)) is not None:
            names = ", ".join(table.headers[i] for i in sorted(dropped[:n]))
            table = smaller._replace(notes=(*smaller.notes, f"columns that need a wider terminal: {names}"))
    if widths is not None:
        return Layout(table, tuple(widths))
    labels = max(map(width, table.headers), default=0)
    return Layout(table, (labels, max(columns - labels - 2, _NARROWEST)), stacked=True)


def _natural(table: Table) -> list[int]:
    return [max(map(width, column)) for column in zip(table.headers, *table.rows, strict=True)]


def _wrap_widths(table: Table, columns: int) -> list[int] | None:
    """Widths that fit, with the widest columns of words wrapped; None if there are none."""
    widths = _natural(table)
    least = [
        max(_longest_word(cell) for cell in column) if i in table.words else widths[i]
        for i, column in enumerate(zip(table.headers, *table.rows, strict=True))
    ]
    least = [min(w, max(n, _NARROWEST)) for w, n in zip(widths, least, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > columns:
        room = [w - n for w, n in zip(widths, least, strict=True)]
        if not any(room):
            return None
        widths[max(range(len(widths)), key=lambda i: (room[i] > 0, widths[i]))] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def wrap(text: str, columns: int) -> list[str]:
    """Break text between words; a word that is longer than a line gets a line of its own.

    >>> wrap("no clear difference", 9)
    ['no clear', 'difference']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
