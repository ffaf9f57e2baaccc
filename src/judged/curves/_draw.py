"""Pictures for print: matplotlib, imported when a picture is asked for."""

from __future__ import annotations

import io
import math
import warnings
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.errors import UsageError, safe

if TYPE_CHECKING:
    from judged.curves.curve import Curve, Picture

__all__ = ["draw", "picture"]

# Okabe & Ito 2008: told apart by colour-blind readers. Dashes and markers tell curves apart without colour.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 2, 1, 2)), (0, (9, 3)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # one more than colours: the second round looks otherwise
_SIZE = (5.6, 3.9)  # inches
_DPI = 200
_FEW = 3  # curves whose names fit inside the axes; those of more stand beside them
_LONGEST = 60
_BANDS = 4  # more bands than this hide each other


def _matplotlib() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError("needs", "matplotlib, to draw a picture", got="no such package",
                         hint="pip install 'judged[plot]'; points can be saved as .csv or .json without it") from error  # fmt: skip
    return mpl


def picture(curves: Picture, form: str, size: tuple[float, float] | None = None, dpi: int | None = None) -> bytes:
    """The picture as bytes, in inches and dots an inch; nothing in them tells when they were made."""
    mpl = _matplotlib()
    from matplotlib.figure import Figure

    settings = {
        "svg.hashsalt": "judged",
        "svg.fonttype": "none" if form == "svg" else "path",
        "pdf.fonttype": 42,
        "font.size": 9,
    }
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that the font lacks are drawn as boxes
        figure = Figure(figsize=size or _with_room(curves), layout="constrained")
        draw(curves, figure.add_subplot())
        out = io.BytesIO()
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
        figure.savefig(out, format=form, dpi=dpi or _DPI, metadata=undated)
    return out.getvalue()


def _with_room(curves: Picture) -> tuple[float, float]:
    """The usual size; wider and higher where names stand beside the axes, so that these keep theirs."""
    if len(curves) <= _FEW:
        return _SIZE
    longest = max(len(_label(curves, i)) for i in range(len(curves)))
    return _SIZE[0] + 0.55 + 0.068 * longest, max(_SIZE[1], 0.6 + 0.17 * len(curves))


def draw(curves: Picture, ax: Any = None) -> Any:
    """The curves on these axes, or on new ones."""
    _matplotlib()
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=_with_room(curves), layout="constrained")[1]
    _background(curves, ax)
    styles = zip(cycle(_COLOURS), cycle(_DASHES), cycle(_MARKERS), strict=False)
    lines = []
    for i, (curve, (colour, dashes, marker)) in enumerate(zip(curves, styles, strict=False)):
        (line,) = ax.plot(curve.x, curve.y, color=colour, linestyle=dashes, linewidth=1.7, marker=marker, markersize=4.5,
                          markevery=_every(curve, i), label=_label(curves, i),
                          drawstyle="steps-pre" if curve.rule == "step" else "default", zorder=3)  # fmt: skip
        lines.append((line, _height(curve)))
        if len(curves) <= _BANDS and curve.low is not None and curve.high is not None:
            ax.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0, zorder=2)
    ax.set(xlabel=curves.x_label, ylabel=curves.y_label)
    if curves.title:
        ax.set_title(_plain(curves.title), loc="left", fontsize="medium")
    if curves.log_x:
        _log_axis(ax, curves)
    if "x" in curves.limits:
        ax.set_xlim(*_padded(curves.limits["x"]))
    if "y" in curves.limits:
        ax.set_ylim(*_padded(curves.limits["y"]))
    _legend(ax, lines)
    return ax


def _label(curves: Picture, i: int) -> str:
    return f"{_plain(curves[i].name)} {curves.marks[i] if curves.marks else ''}".rstrip()


def _legend(ax: Any, lines: list[tuple[Any, float]]) -> None:
    """Names from the highest curve to the lowest; beside the axes, unless they are few."""
    ordered = [line for line, _ in sorted(lines, key=lambda pair: -pair[1])]
    beside = len(lines) > _FEW
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {"loc": "best"}
    ax.legend(
        handles=ordered,
        frameon=not beside,
        framealpha=0.6,
        edgecolor="none",
        fontsize="small",
        handlelength=4.2,
        **where,
    )


def _background(curves: Picture, ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(color="#000000", alpha=0.08, linewidth=0.7)
    ax.set_axisbelow(True)
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


def _log_axis(ax: Any, curves: Picture) -> None:
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

    last = max((float(curve.x[-1]) for curve in curves if len(curve)), default=1.0)
    ticks = [m * 10**p for p in range(int(math.log10(max(last, 1))) + 1) for m in (1, 2, 5) if m * 10**p <= last]
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FormatStrFormatter("%d"))


def _every(curve: Curve, i: int) -> Any:
    """Markers at even distances along the curve, at other places for each."""
    several = int((np.isfinite(curve.x) & np.isfinite(curve.y)).sum()) > 1
    return (0.02 + 0.03 * (i % 4), 0.13) if several else None


def _height(curve: Curve) -> float:
    """How high a curve runs, over all of its way: a short one does not stand above a long one."""
    fine = np.isfinite(curve.x) & np.isfinite(curve.y)
    x, y = curve.x[fine], curve.y[fine]
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])))


def _padded(limits: tuple[float, float]) -> tuple[float, float]:
    margin = 0.02 * (limits[1] - limits[0])
    return limits[0] - margin, limits[1] + margin


def _plain(text: str) -> str:
    """Text without matplotlib's mathematics, control characters, or more than fits."""
    text = safe(text).replace("$", r"\$")
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
    return f" {text}" if text.startswith("_") or not text else text  # matplotlib hides what begins with _
