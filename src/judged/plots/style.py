"""Colours, dashes, markers and sizes of plots, named rows, and the lazy import of matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from judged.errors import UsageError, safe

# The colours of runs, on light and on dark paper; the page has the same. Any two are at least 10 apart (CIEDE2000), also for readers
# without red or green receptors, and from BETTER and WORSE too; contrast with the paper is at least 3:1. Dashes and markers
# distinguish curves without colour.
COLOURS = ("#315fd0", "#994882", "#8a9a00", "#28303c", "#308fbc", "#5c0b8e", "#c269ff", "#573a0a", "#a88f5f", "#c13e5e")
DARK_COLOURS = (
    "#6895ff",
    "#c37fae",
    "#c6d01f",
    "#ebefb4",
    "#5fd0fd",
    "#7d5acd",
    "#cfb7cb",
    "#9e794b",
    "#a6930f",
    "#c54573",
)
BETTER, WORSE, SAME = "#14795a", "#b3401f", "#6b7280"
DARK_BETTER, DARK_WORSE, DARK_SAME = "#5fcaa4", "#ff9573", "#9aa3af"
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 2, 1, 2)), (0, (9, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # fewer than colours, so that the second round differs
SIZE = (5.6, 3.9)  # inches
DPI = 200
FONT = 9  # points: the size of text in most papers' figures
_LONGEST = 60


def matplotlib(instead: str = "") -> Any:
    """Import matplotlib, or raise an error with installation instructions."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError(
            "needs",
            "plots need matplotlib, which is not installed",
            hint="install it with: pip install 'judged[plot]'" + (f"; {instead}" if instead else ""),
        ) from error
    return mpl


class Theme(NamedTuple):
    """Colours that are visible on the axes: of lines and texts, fainter ones, the paper, the runs, and verdicts."""

    ink: Any
    soft: Any
    paper: Any
    runs: tuple[str, ...]
    better: str
    worse: str
    same: str


def theme_of(ax: Any) -> Theme:
    """Return the theme of axes: their own ink and paper, which follow the user's style, and the palette for such paper."""
    from matplotlib.colors import to_rgb, to_rgba

    faces = [to_rgba(part.get_facecolor()) for part in (ax, ax.figure)]
    ink = to_rgb(ax.xaxis.label.get_color())
    paper = next(
        (face[:3] for face in faces if face[3] > 0.5), (1.0, 1.0, 1.0) if _light(ink) < _DARK else (0.0, 0.0, 0.0)
    )
    soft = tuple(0.65 * a + 0.35 * b for a, b in zip(ink, paper, strict=True))
    if _light(paper) < _DARK:
        return Theme(ink, soft, paper, DARK_COLOURS, DARK_BETTER, DARK_WORSE, DARK_SAME)
    return Theme(ink, soft, paper, COLOURS, BETTER, WORSE, SAME)


_DARK = 0.179  # relative luminance (WCAG) with which white and black have the same contrast


def _light(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def write_caption(ax: Any, text: str) -> None:
    """Write a sentence below a figure, so that a saved picture says what its lines and bars are."""
    figure = ax.figure
    lines = textwrap.fill(plain(text, 400), max(int(figure.get_figwidth() * _CAPTION), 20))
    figure.supxlabel(lines, x=0.01, ha="left", fontsize="x-small", color=theme_of(ax).soft)


_CAPTION = 19  # characters per inch


def new_axes(size: tuple[float, float] = SIZE) -> Any:
    """Return axes of a new figure, which notebooks display."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def bare(ax: Any, *sides: str) -> None:
    """Remove the frame on the top and right, or on the given sides."""
    for side in sides or ("top", "right"):
        ax.spines[side].set_visible(False)


def grid(ax: Any, axis: str = "both") -> None:
    """Draw faint grid lines below everything else."""
    ax.grid(axis=axis, color=theme_of(ax).ink, alpha=0.1, linewidth=0.7)
    ax.set_axisbelow(True)


def plain(text: str, longest: int = _LONGEST) -> str:
    """Return a text without math markup and control characters, shortened."""
    text = safe(text)
    text = text if len(text) <= longest else f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text  # matplotlib hides what begins with _


_AXES, _LETTER = 3.5, 0.068  # inches: width of the axes, and of one letter of names and numbers


def row_size(rows: int, height: float, names: Sequence[str], numbers: Iterable[str] = ()) -> tuple[float, float]:
    """Return the size of a figure: height by rows, width by names and numbers."""
    beside = max(map(len, names), default=0) + 0.9 * max(map(len, numbers), default=0)
    return max(SIZE[0], _AXES + _LETTER * beside), max(1.6, 0.95 + height * rows)


def mean_text(mean: float, ends: tuple[float, float] | None) -> str:
    """Return a mean with its interval."""
    between = "" if ends is None else f" [{ends[0]:.3f}, {ends[1]:.3f}]"
    return "–" if math.isnan(mean) else f"{mean:.3f}{between}"


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
