"""A picture of 1200 × 630 pixels with the answer of a comparison, for chats, slides and link previews."""

from __future__ import annotations

import io
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

from judged.plots.style import Theme, matplotlib, theme_of

_PIXELS, _DPI = (1200, 630), 100
_LEFT, _RIGHT, _MIDDLE = 0.055, 0.945, 0.56  # of the width; the middle is between both columns
_LINE = 44  # characters of a headline


@dataclass(frozen=True, slots=True)
class Card:
    """The texts and numbers of a card. `tone` is better, worse or empty; `ends` is None without an interval."""

    headline: str
    tone: str
    size: str
    unit: str
    means: str
    difference: float
    ends: tuple[float, float] | None
    ends_text: tuple[str, str]
    interval: str
    sure: str
    odds: str
    counts: tuple[int, int, int]  # queries better, same and worse
    footer: str


def card_picture(card: Card, format: str = "png", *, dark: bool = False) -> bytes:
    """Draw a card as PNG, SVG or PDF; the same card gives the same bytes."""
    mpl = matplotlib()
    from matplotlib.figure import Figure

    paper, ink = ("#14171c", "#eceff4") if dark else ("#ffffff", "#1c2530")
    settings = {"text.color": ink, "axes.labelcolor": ink, "svg.hashsalt": "judged", "text.parse_math": False}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # characters missing in the font are drawn as boxes
        figure = Figure(figsize=(_PIXELS[0] / _DPI, _PIXELS[1] / _DPI), facecolor=paper)
        ax = figure.add_axes((0, 0, 1, 1), facecolor=paper, xlim=(0, 1), ylim=(0, 1))
        ax.set_axis_off()
        _draw(ax, card, theme_of(ax))
        out = io.BytesIO()
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format, {})
        figure.savefig(out, format=format, dpi=_DPI, metadata=undated)
    return out.getvalue()


def _draw(ax: Any, card: Card, theme: Theme) -> None:
    tone = {"better": theme.better, "worse": theme.worse}.get(card.tone, theme.soft)
    lines = textwrap.wrap(card.headline, _LINE, max_lines=3, placeholder=" …")
    ax.add_patch(_box(0, 0, 0.012, 1, tone))
    headline = ax.text(
        _LEFT,
        0.81,
        "\n".join(lines),
        fontsize=(40, 34, 27)[len(lines) - 1],
        fontweight="bold",
        va="center",
        linespacing=1.25,
    )
    _shrink(headline, _RIGHT - _LEFT)
    _question(ax, _LEFT, f"By how much?  {card.unit}", theme)
    ax.text(_LEFT, 0.475, card.size, fontsize=42, fontweight="bold", color=tone, va="baseline")
    _shrink(ax.text(_LEFT, 0.405, card.means, fontsize=17, va="baseline"), _MIDDLE - _LEFT - 0.06)
    _strip(ax, card, theme, tone)
    _question(ax, _MIDDLE, "How certain?", theme)
    ax.text(_MIDDLE, 0.487, card.sure, fontsize=27, fontweight="bold", va="baseline")
    ax.text(_MIDDLE, 0.45, "\n".join(textwrap.wrap(card.odds, 42)), fontsize=16, va="top", linespacing=1.35)
    _question(ax, _MIDDLE, "Where?", theme, y=0.285)
    _counts(ax, card.counts, theme)
    ax.text(_LEFT, 0.055, card.footer, fontsize=14, color=theme.soft, va="baseline")


def _shrink(text: Any, width: float) -> None:
    """Reduce the font until a text is at most this share of the picture wide."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(text.figure).get_renderer()  # type: ignore[no-untyped-call]
    wide = text.get_window_extent(renderer).width / text.figure.bbox.width
    text.set_fontsize(text.get_fontsize() * min(1.0, width / wide))


def _question(ax: Any, x: float, text: str, theme: Theme, y: float = 0.6) -> None:
    ax.text(x, y, text, fontsize=16, color=theme.soft, va="baseline")


def _strip(ax: Any, card: Card, theme: Theme, tone: Any) -> None:
    """Draw the interval of the difference against 0."""
    if card.ends is None:
        return
    low, high = card.ends
    least, most = min(0.0, low), max(0.0, high)
    begin, width, y = _LEFT + 0.01, _MIDDLE - _LEFT - 0.09, 0.29

    def at(value: float) -> float:
        return begin + width * ((value - least) / (most - least) if most > least else 0.5)

    ax.plot([begin - 0.01, begin + width + 0.01], [y, y], color=theme.soft, linewidth=1, alpha=0.4)
    ax.plot([at(0), at(0)], [y - 0.045, y + 0.045], color=theme.ink, linewidth=1.4)
    ax.text(at(0), y - 0.062, "0", fontsize=13, color=theme.soft, ha="center", va="top")
    ax.plot([at(low), at(high)], [y, y], color=tone, linewidth=6, solid_capstyle="butt")
    ax.plot(
        [at(card.difference)],
        [y],
        marker="o",
        markersize=15,
        color=tone,
        markeredgewidth=2.5,
        markerfacecolor=tone if card.tone else theme.paper,
    )
    text = f"{card.ends_text[0]} to {card.ends_text[1]}: {card.interval}"
    ax.text(_LEFT, 0.135, text, fontsize=14, color=theme.soft, va="baseline")


def _counts(ax: Any, counts: tuple[int, int, int], theme: Theme) -> None:
    """Draw queries better, same and worse as one bar, with the counts below."""
    colours, words = (theme.better, theme.same, theme.worse), ("better", "same", "worse")
    total, x = max(sum(counts), 1), _MIDDLE
    for count, colour in zip(counts, colours, strict=True):
        width = (_RIGHT - _MIDDLE) * count / total
        ax.add_patch(_box(x, 0.205, width, 0.045, colour))
        x += width
    text = ax.text(_MIDDLE, 0.135, "", fontsize=17)
    for count, colour, word in zip(counts, colours, words, strict=True):
        text = ax.annotate(
            f"{count:,} {word}",
            xycoords=text,
            xy=(1, 0),
            xytext=(0 if text.get_text() == "" else 22, 0),
            textcoords="offset points",
            fontsize=17,
            fontweight="bold",
            color=colour,
            va="bottom",
        )


def _box(x: float, y: float, width: float, height: float, colour: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, facecolor=colour, linewidth=0)
