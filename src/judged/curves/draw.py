"""Draw curves in fixed-width text, and with matplotlib, which is imported when it is needed."""

from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.errors import safe
from judged.plots.style import (
    DASHES,
    DPI,
    FONT,
    MARKERS,
    SIZE,
    Theme,
    bare,
    grid,
    matplotlib,
    plain,
    theme_of,
    write_caption,
)
from judged.tables.formats.table import wrap

if TYPE_CHECKING:
    from judged.curves.points import Curve, Curves


_WIDE, _NARROW, _HIGH, _LEFT = 61, 20, 17, 9  # cells of the picture, and columns to its left
_SIGNS = "●○▲△■□◆◇+x*#@%&abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draw_text(curves: Curves, columns: int | None = None) -> str:
    """Draw axes and curves, one sign per curve, with a legend below; `columns` is the width of the terminal, None for unlimited."""
    x, y = _limits(curves, "x"), _limits(curves, "y")
    wide = _WIDE if columns is None else max(min(_WIDE, columns - _LEFT), _NARROW)
    cells = [[" "] * wide for _ in range(_HIGH)]
    for i in reversed(range(len(curves))):  # the first curve is on top
        for column, row in _cells(curves[i], x, y, wide, curves.log_x):
            cells[row][column] = _SIGNS[i % len(_SIGNS)]
    ticks = {0: y[1], (_HIGH - 1) // 2: (y[0] + y[1]) / 2, _HIGH - 1: y[0]}
    lines = [
        f"{_number(ticks[r]) if r in ticks else '':>7} {'┤' if r in ticks else '│'}{''.join(row).rstrip()}"
        for r, row in enumerate(cells)
    ]
    rule = f"{'':>7} └{'─' * wide}"
    names = [
        f"{'':>{_LEFT}}{_SIGNS[i % len(_SIGNS)]} {safe(curve.name)}{f' {curves.marks[i]}' if curves.marks else ''}"
        for i, curve in enumerate(curves)
    ]
    below = [*map(safe, curves.notes), *(f"warning: {safe(str(w))}" for w in curves.warnings)]
    notes = ["", *below] if columns is None else ["", *(line for note in below for line in wrap(note, columns))]
    low, high = _number(x[0]), _number(x[1])
    axis = f"{'':>{_LEFT}}{low}{curves.x_label.center(wide - len(low) - len(high))}{high}"
    body = [f"{'':>7} {curves.y_label}", *lines, rule, axis, "", *names]
    return "\n".join([*body, *(notes if len(notes) > 1 else [])])


def _limits(curves: Curves, axis: str) -> tuple[float, float]:
    if axis in curves.limits:
        return curves.limits[axis]
    values = np.concatenate([getattr(curve, axis) for curve in curves] or [np.zeros(1)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    low = min(low, 0.0) if axis == "y" else low
    return (low, high) if high > low else (low, low + 1.0)


def _cells(curve: Curve, x: tuple[float, float], y: tuple[float, float], wide: int, log: bool) -> list[tuple[int, int]]:
    """Return the cells of a curve, one per column, by linear interpolation between points."""
    fine = np.isfinite(curve.x) & np.isfinite(curve.y)
    if not fine.any():
        return []
    scale: Any = np.log if log else np.asarray
    first, last = scale(np.array(x))
    across = (scale(curve.x[fine]) - first) / (last - first) * (wide - 1)
    columns = np.arange(math.ceil(across[0] - 0.5), math.floor(across[-1] + 0.5) + 1)
    heights = np.interp(columns, across, curve.y[fine])
    rows = np.rint((1 - (heights - y[0]) / (y[1] - y[0])) * (_HIGH - 1)).astype(int)
    return [(int(c), int(r)) for c, r in zip(columns, rows, strict=True) if 0 <= c < wide and 0 <= r < _HIGH]


def _number(value: float) -> str:
    return f"{value:g}" if value == int(value) else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"


_FEW = 3  # curves whose legend fits inside the axes; the legend of more is beside them
_BANDS = 4  # more bands than this hide each other

_INSTEAD = "points can be saved as .csv or .json without it"


def picture(curves: Curves, format: str) -> bytes:
    """Return the picture as bytes without a date."""
    mpl = matplotlib(_INSTEAD)
    from matplotlib.figure import Figure

    settings = {
        "svg.hashsalt": "judged",
        "svg.fonttype": "none" if format == "svg" else "path",
        "pdf.fonttype": 42,
        "font.size": FONT,
    }
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # characters missing in the font are drawn as boxes
        figure = Figure(figsize=_with_room(curves), layout="constrained")
        _draw_figure(curves, figure)
        out = io.BytesIO()
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format, {})
        figure.savefig(out, format=format, dpi=DPI, metadata=undated)
    return out.getvalue()


def _with_room(curves: Curves) -> tuple[float, float]:
    """Return the default size, enlarged for a legend beside the axes, so that the axes keep their size."""
    if len(curves) <= _FEW:
        return SIZE
    longest = max(len(_label(curves, i)) for i in range(len(curves)))
    return SIZE[0] + 0.55 + 0.068 * longest, max(SIZE[1], 0.6 + 0.17 * len(curves))


def draw(curves: Curves, ax: Any = None) -> Any:
    """Draw curves on axes, or on new ones, which have a caption; return them."""
    matplotlib(_INSTEAD)
    if ax is not None:
        _draw_curves(curves, ax)
        return ax
    import matplotlib.pyplot as plt

    return _draw_figure(curves, plt.figure(figsize=_with_room(curves), layout="constrained"))


def _draw_figure(curves: Curves, figure: Any) -> Any:
    ax = figure.subplots()
    _draw_curves(curves, ax)
    if curves.notes:
        write_caption(ax, f"{curves.notes[0][:1].upper()}{curves.notes[0][1:]}.")
    return ax


def _draw_curves(curves: Curves, ax: Any) -> None:
    theme = theme_of(ax)
    _background(curves, ax, theme)
    for i, curve in enumerate(curves):
        colour = theme.runs[i % len(theme.runs)]
        points = int((np.isfinite(curve.x) & np.isfinite(curve.y)).sum())
        ax.plot(
            curve.x,
            curve.y,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            marker=MARKERS[i % len(MARKERS)],
            markersize=4.5,
            markevery=(0.02 + 0.03 * (i % 4), 0.13) if points > 1 else None,  # shifted for each curve
            label=_label(curves, i),
            drawstyle="steps-pre" if curve.rule == "step" else "default",
            zorder=3,
        )
        if len(curves) <= _BANDS and curve.low is not None and curve.high is not None:
            ax.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0, zorder=2)
    beside = len(curves) > _FEW
    ax.legend(
        handles=ax.get_lines()[-len(curves) :],
        frameon=not beside,
        framealpha=0.6,
        edgecolor="none",
        fontsize="small",
        handlelength=4.2,
        loc="upper left" if beside else "best",
        bbox_to_anchor=(1.01, 1.0) if beside else None,
    )
    ax.set(xlabel=curves.x_label, ylabel=curves.y_label)
    if curves.log_x:
        _log_axis(ax, curves)
    for axis, (low, high) in curves.limits.items():
        margin = 0.02 * (high - low)
        ax.set(**{f"{axis}lim": (low - margin, high + margin)})
    if "y" not in curves.limits:
        ax.set_ylim(bottom=0)


def _label(curves: Curves, i: int) -> str:
    return f"{plain(curves[i].name)} {curves.marks[i] if curves.marks else ''}".rstrip()


def _background(curves: Curves, ax: Any, theme: Theme) -> None:
    bare(ax)
    grid(ax)
    guide = {"color": theme.soft, "linewidth": 0.9, "linestyle": (0, (2, 2)), "zorder": 1}
    if curves.kind == "roc":
        ax.plot([0, 1], [0, 1], **guide)  # chance
    if curves.kind == "pr":
        for f in (0.2, 0.4, 0.6, 0.8):  # lines of equal F1, from precision 1 to recall 1
            recall = np.linspace(f / (2 - f), 1, 200)
            ax.plot(recall, f * recall / (2 * recall - f), **guide)
            ax.annotate(f"F1 {f:g}", (1.0, f / (2 - f)), color=theme.soft, fontsize="xx-small", ha="right")


def _log_axis(ax: Any, curves: Curves) -> None:
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

    last = max((float(curve.x[-1]) for curve in curves if len(curve)), default=1.0)
    ticks = [m * 10**p for p in range(10) for m in (1, 2, 5) if m * 10**p <= last]
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FormatStrFormatter("%d"))
