"""Fit a table into a number of terminal columns without breaking a number or a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from judged.tables.table import Table
from judged.tables.text import width

_NARROWEST = 10  # a column of words is not wrapped to less


class Layout(NamedTuple):
    """A table that fits: what is left of it, the width of each column, and whether each row becomes a block of lines.

    `headings` are the cells of the first column, if they are written above their rows. `more` has the columns that follow below.
    """

    table: Table
    widths: tuple[int, ...]
    stacked: bool = False
    headings: tuple[str, ...] = ()
    more: tuple[Layout, ...] = ()


def lay_out(table: Table, columns: int | None) -> Layout:
    """Wrap words and headers, then drop optional columns, then continue columns of numbers below the others, or stack each row; None is unlimited."""
    if columns is None:
        return Layout(table, tuple(_natural(table)))
    headings = tuple(row[0] for row in table.rows) if table.grouped else ()
    flat = table.without(frozenset({0})) if table.grouped else table
    for n in range(len(flat.optional) + 1):
        dropped = frozenset(flat.optional[:n]) & set(range(len(flat.headers)))
        smaller = flat.without(dropped)
        if (widths := _wrap_widths(smaller, columns)) is not None:
            names = ", ".join(flat.headers[i] for i in sorted(dropped))
            notes = [f"columns that need a wider terminal: {names}"] if names else []
            return Layout(smaller._replace(notes=(*notes, *smaller.notes)), tuple(widths), headings=headings)
    if table.words == (0,) and (split := _split(table, columns)) is not None:
        return split
    labels = max(map(width, table.headers), default=0)
    return Layout(table, (labels, max(columns - labels - 2, _NARROWEST)), stacked=True)


def _split(table: Table, columns: int) -> Layout | None:
    """Tables with the first column and as many of the others as fit; None if one of them does not fit beside the first."""
    natural, least = _limits(table)
    blocks: list[Layout] = []
    first, size = 1, len(table.headers)
    while first < size:
        widths, end = None, first
        while end < size and (wider := _shrink(natural, least, [0, *range(first, end + 1)], columns)) is not None:
            widths, end = wider, end + 1
        if widths is None:
            return None
        blocks.append(Layout(table.without(frozenset({*range(1, first), *range(end, size)})), tuple(widths)))
        first = end
    if not blocks:
        return None
    return blocks[0]._replace(table=blocks[0].table._replace(notes=table.notes), more=tuple(blocks[1:]))


def _natural(table: Table) -> list[int]:
    return [max(map(width, column)) for column in zip(table.headers, *table.rows, strict=True)]


def _wrap_widths(table: Table, columns: int) -> list[int] | None:
    """Widths that fit, with the widest columns of words wrapped; None if there are none."""
    return _shrink(*_limits(table), range(len(table.headers)), columns)


def _limits(table: Table) -> tuple[list[int], list[int]]:
    """The width of each column without line breaks, and the least one."""
    widths, least = _natural(table), []
    for i, (header, *cells) in enumerate(zip(table.headers, *table.rows, strict=True)):
        size = _longest_word if i in table.words else width
        least.append(max(_longest_word(header), *map(size, cells), _NARROWEST if i in table.words else 0))
    return widths, [min(pair) for pair in zip(widths, least, strict=True)]


def _shrink(natural: Sequence[int], least: Sequence[int], chosen: Sequence[int], columns: int) -> list[int] | None:
    """Widths of some columns that fit, the widest reduced first; None if there are none."""
    widths = [natural[i] for i in chosen]
    while sum(widths) + 2 * (len(widths) - 1) > columns:
        room = [w - least[i] for w, i in zip(widths, chosen, strict=True)]
        if not any(room):
            return None
        widths[max(range(len(widths)), key=lambda i: (room[i] > 0, widths[i]))] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def wrap(text: str, columns: int) -> list[str]:
    """Break text between words, without the spaces there; a word that is longer than a line gets a line of its own.

    >>> wrap("no clear difference", 9)
    ['no clear', 'difference']
    >>> wrap("counted as 0.  [empty-list]", 14)
    ['counted as 0.', '[empty-list]']
    >>> wrap("0    ", 5)
    ['0    ']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    lines[:-1] = [line.rstrip() for line in lines[:-1]]
    return [*lines[:1], *(line.lstrip() for line in lines[1:])]
