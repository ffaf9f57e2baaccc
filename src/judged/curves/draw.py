"""Draw curves with matplotlib, which is imported when it is needed."""

from __future__ import annotations

import io
import math
import warnings
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.plots.style import COLOURS, DASHES, DPI, FONT, MARKERS, SIZE, bare, grid, matplotlib, new_axes, plain

if TYPE_CHECKING:
    from judged.curves.result import Curve, Curves

_FEW = 3  # curves whose legend fits inside the axes; the legend of more is beside them
_BANDS = 4  # more bands than this hide each other


_INSTEAD = "points can be saved as .csv or .json without it"


def picture(curves: Curves, format: str, size: tuple[float, float] | None = None, dpi: int | None = None) -> bytes:
    """Return the picture as bytes without a date; size in inches, resolution in dots per inch."""
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
        figure = Figure(figsize=size or _with_room(curves), layout="constrained")
        draw(curves, figure.add_subplot())
        out = io.BytesIO()
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format, {})
        figure.savefig(out, format=format, dpi=dpi or DPI, metadata=undated)
    return out.getvalue()


def _with_room(curves: Curves) -> tuple[float, float]:
    """Return the default size, enlarged if the legend is beside the axes, so that the axes keep their size."""
    if len(curves) <= _FEW:
        return SIZE
    longest = max(len(_label(curves, i)) for i in range(len(curves)))
    return SIZE[0] + 0.55 + 0.068 * longest, max(SIZE[1], 0.6 + 0.17 * len(curves))


def draw(curves: Curves, ax: Any = None) -> Any:
    """Draw curves on axes, or on new ones."""
    matplotlib(_INSTEAD)
    if ax is None:
        ax = new_axes(_with_room(curves))
    _background(curves, ax)
    styles = zip(cycle(COLOURS), cycle(DASHES), cycle(MARKERS), strict=False)
    lines = []
    for i, (curve, (colour, dashes, marker)) in enumerate(zip(curves, styles, strict=False)):
        (line,) = ax.plot(curve.x, curve.y, color=colour, linestyle=dashes, linewidth=1.7, marker=marker, markersize=4.5,
                          markevery=_marker_positions(curve, i), label=_label(curves, i),
                          drawstyle="steps-pre" if curve.rule == "step" else "default", zorder=3)  # fmt: skip
        lines.append((line, _height(curve)))
        if len(curves) <= _BANDS and curve.low is not None and curve.high is not None:
            ax.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0, zorder=2)
    ax.set(xlabel=curves.x_label, ylabel=curves.y_label)
    if curves.title:
        ax.set_title(plain(curves.title), loc="left", fontsize="medium")
    if curves.log_x:
        _log_axis(ax, curves)
    if "x" in curves.limits:
        ax.set_xlim(*_pad(curves.limits["x"]))
    if "y" in curves.limits:
        ax.set_ylim(*_pad(curves.limits["y"]))
    _legend(ax, lines)
    return ax


def _label(curves: Curves, i: int) -> str:
    return f"{plain(curves[i].name)} {curves.marks[i] if curves.marks else ''}".rstrip()


def _legend(ax: Any, lines: list[tuple[Any, float]]) -> None:
    """List names from the highest curve to the lowest; beside the axes unless there are few."""
    ordered = [line for line, _ in sorted(lines, key=lambda pair: -pair[1])]
    beside = len(lines) > _FEW
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {"loc": "best"}
    ax.legend(handles=ordered, frameon=not beside, framealpha=0.6, edgecolor="none", fontsize="small", handlelength=4.2, **where)  # fmt: skip


def _background(curves: Curves, ax: Any) -> None:
    bare(ax)
    grid(ax)
    if curves.kind == "roc":
        ax.plot([0, 1], [0, 1], color="#888888", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        ax.annotate(
            "chance", (0.24, 0.24), xytext=(4, -10), textcoords="offset points", color="#777777", fontsize="x-small"
        )
    if curves.kind == "pr":
        for f in (0.2, 0.4, 0.6, 0.8):  # lines of equal F1, from precision 1 to recall 1
            recall = np.linspace(f / (2 - f), 1, 200)
            ax.plot(recall, f * recall / (2 * recall - f), color="#888888", alpha=0.45, linewidth=0.7, zorder=1)
            ax.annotate(f"F1 {f:g}", (1.0, f / (2 - f)), xytext=(1, 3), textcoords="offset points", color="#777777",
                        fontsize="xx-small", ha="right", bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.7})  # fmt: skip


def _log_axis(ax: Any, curves: Curves) -> None:
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

    last = max((float(curve.x[-1]) for curve in curves if len(curve)), default=1.0)
    ticks = [m * 10**p for p in range(int(math.log10(max(last, 1))) + 1) for m in (1, 2, 5) if m * 10**p <= last]
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FormatStrFormatter("%d"))


def _marker_positions(curve: Curve, i: int) -> Any:
    """Return evenly spaced positions of markers, shifted for each curve."""
    several = int((np.isfinite(curve.x) & np.isfinite(curve.y)).sum()) > 1
    return (0.02 + 0.03 * (i % 4), 0.13) if several else None


def _height(curve: Curve) -> float:
    """Return the area under a curve, so that a short curve is not above a long one."""
    fine = np.isfinite(curve.x) & np.isfinite(curve.y)
    x, y = curve.x[fine], curve.y[fine]
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])))


def _pad(limits: tuple[float, float]) -> tuple[float, float]:
    margin = 0.02 * (limits[1] - limits[0])
    return limits[0] - margin, limits[1] + margin
