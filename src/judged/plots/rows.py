"""Named rows of a plot, with numbers to the right of the axes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from judged.plots.style import SIZE, bare, grid, plain, theme_of

_AXES, _LETTER = 3.5, 0.068  # inches: width of the axes, and of one letter of names and numbers


def row_size(rows: int, height: float, names: Sequence[str], numbers: Iterable[str] = ()) -> tuple[float, float]:
    """Return the size of a figure: height by rows, width by names and numbers."""
    beside = max(map(len, names), default=0) + 0.9 * max(map(len, numbers), default=0)
    return max(SIZE[0], _AXES + _LETTER * beside), max(1.6, 0.95 + height * rows)


def forest_axes(ax: Any, rows: Mapping[float, str], heads: Container[float] = ()) -> None:
    """Set up named rows from top to bottom; rows in `heads` are group headings."""
    ax.set_yticks(list(rows), list(rows.values()))
    for place, tick in zip(rows, ax.get_yticklabels(), strict=True):
        tick.set_fontweight("bold" if place in heads else "normal")
    ax.set_ylim(max(rows, default=0) + 0.6, min(rows, default=0) - 0.6)
    ax.tick_params(axis="y", length=0)
    bare(ax, "top", "right", "left")
    grid(ax, "x")


def write_numbers(ax: Any, head: str, rows: Mapping[float, str]) -> None:
    """Write numbers to the right of the axes."""
    beside, theme = ax.get_yaxis_transform(), theme_of(ax)
    ax.text(1.02, 1.0, head, transform=ax.transAxes, ha="left", va="bottom", fontsize="small", color=theme.soft)
    for y, text in rows.items():
        ax.text(1.02, y, text, transform=beside, ha="left", va="center", fontsize="small", color=theme.ink)


def group_rows(groups: Mapping[str, int]) -> tuple[dict[float, str], dict[str, list[float]]]:
    """Return the positions of headings and of the rows of each group; a single group has no heading."""
    heads: dict[float, str] = {}
    rows: dict[str, list[float]] = {}
    y = 0.0
    for name, size in groups.items():
        if len(groups) > 1:
            heads[y] = plain(name, 24)
            y += 1
        rows[name] = [y + k for k in range(size)]
        y += size
    return heads, rows
