"""Colours, dashes, markers and sizes of plots, and the lazy import of matplotlib."""

from __future__ import annotations

from typing import Any

from judged.errors import UsageError, safe

# Okabe & Ito 2008: distinguishable for colour-blind readers. Dashes and markers distinguish curves without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 2, 1, 2)), (0, (9, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # one more than colours, so that the second round differs
SIZE = (5.6, 3.9)  # inches
DPI = 200
FONT = 9  # points: the size of text in most papers' figures
_LONGEST = 60


def matplotlib(instead: str = "") -> Any:
    """Import matplotlib, or raise an error with installation instructions."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError("needs", "plots need matplotlib, which is not installed",
                         hint="install it with: pip install 'judged[plot]'" + (f"; {instead}" if instead else "")) from error  # fmt: skip
    return mpl


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
    ax.grid(axis=axis, color="#000000", alpha=0.08, linewidth=0.7)
    ax.set_axisbelow(True)


def plain(text: str, longest: int = _LONGEST) -> str:
    """Return a text without math markup and control characters, shortened."""
    text = safe(text)
    text = text if len(text) <= longest else f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text  # matplotlib hides what begins with _
