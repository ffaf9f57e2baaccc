"""Plots of two runs per query."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.measures.grammar import parse
from judged.plots.runs import labels
from judged.plots.style import SIZE, Theme, bare, grid, plain, theme_of
from judged.stats.differences import known_rows
from judged.tables.text import counted, signed

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison

Drawn = tuple[tuple[float, float], Callable[[Any], None]]

_NAME = 0.095  # inches that the name of a query takes below its bar
_MANY = 120  # queries: with white between their bars they would flicker
_MARKERS = {"better": "^", "equal": "o", "worse": "v"}


def _won(measure: str, d: Floats) -> dict[str, NDArray[np.bool_]]:
    """Return masks of the queries on which b is better, equal and worse."""
    gain = -d if parse(measure).definition.lower_is_better else d
    return {"better": gain > 0, "equal": gain == 0, "worse": gain < 0}


def _colour(theme: Theme, verdict: str) -> str:
    return {"better": theme.better, "worse": theme.worse}.get(verdict, theme.same)


def _left_out(comparison: Comparison, known: NDArray[np.bool_]) -> str:
    count = int((~known).sum())
    return f"; {counted(count, 'query', 'queries')} without a value excluded" if count else ""


def bars(comparison: Comparison, measure: str, a: int, b: int) -> Drawn:
    """Plot the difference of every query, from the largest gain to the largest loss, with the mean."""
    x = comparison.matrix(measure)
    known = known_rows(x)
    d = x[known, b] - x[known, a]
    order = np.argsort(-d, kind="stable")
    queries = [plain(str(q), 14) for q, there in zip(comparison.results[0].queries, known, strict=True) if there]
    names = labels(comparison)

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        place = np.empty(len(d))
        place[order] = np.arange(len(d))
        for verdict, mine in _won(measure, d).items():
            if mine.any():
                label = f"{names[b]} {verdict}: {mine.sum()}"
                ax.bar(
                    place[mine],
                    d[mine],
                    width=0.84 if len(d) < _MANY else 1.0,
                    linewidth=0,
                    color=_colour(theme, verdict),
                    label=label,
                    zorder=2,
                )
        ax.axhline(0, color=theme.soft, linewidth=0.9, zorder=3)
        if len(d):
            mean = float(d.mean())
            ax.axhline(
                mean, color=theme.ink, linewidth=1.1, linestyle=(0, (4, 2)), label=f"mean: {signed(mean, 3)}", zorder=3
            )
        _query_axis(ax, [queries[i] for i in order])
        ax.set_xlabel(f"{counted(len(d), 'query', 'queries')}, sorted{_left_out(comparison, known)}")
        lower = " (lower is better)" if parse(measure).definition.lower_is_better else ""
        ax.set_ylabel(f"{plain(measure)}{lower}: {names[b]} − {names[a]}")
        bare(ax)
        grid(ax, "y")
        if len(d):
            ax.legend(loc="best", frameon=True, framealpha=0.7, edgecolor="none", fontsize="small")

    return SIZE, draw


def _query_axis(ax: Any, queries: list[str]) -> None:
    ax.set_xlim(-0.8, max(len(queries), 1) - 0.2)
    if len(queries) * _NAME <= ax.get_window_extent().width / ax.figure.dpi:
        ax.set_xticks(
            range(len(queries)),
            queries,
            rotation=90 if len(queries) > 8 else 0,
            fontsize="x-small" if len(queries) > 8 else "small",
        )
        ax.tick_params(axis="x", length=0, pad=2)
    else:
        ax.set_xticks([])


def scatter(comparison: Comparison, measure: str, a: int, b: int) -> Drawn:
    """Plot the values of a and b per query; coinciding points are drawn larger."""
    x = comparison.matrix(measure)
    known = known_rows(x)
    pairs, count = np.unique(x[known][:, [a, b]], axis=0, return_counts=True)
    names = labels(comparison)
    inside = not len(pairs) or (pairs.min() >= 0 and pairs.max() <= 1)
    low, high = (0.0, 1.0) if inside else (min(0.0, float(pairs.min())), float(pairs.max()))
    room = 0.04 * (high - low)

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        ax.plot(
            [low - room, high + room],
            [low - room, high + room],
            color=theme.soft,
            linewidth=0.9,
            linestyle=(0, (4, 2)),
            zorder=1,
        )
        for verdict, mine in _won(measure, pairs[:, 1] - pairs[:, 0]).items():
            if mine.any():
                ax.scatter(
                    *pairs[mine].T,
                    s=26 * np.sqrt(count[mine]),
                    color=_colour(theme, verdict),
                    marker=_MARKERS[verdict],
                    alpha=0.65,
                    linewidths=0,
                    label=f"{names[b]} {verdict}: {count[mine].sum()}",
                    zorder=2,
                )
        ax.set(xlim=(low - room, high + room), ylim=(low - room, high + room), aspect="equal")
        ax.set_xlabel(f"{plain(measure)} of {names[a]}")
        ax.set_ylabel(f"{plain(measure)} of {names[b]}")
        bare(ax)
        grid(ax)
        label = f"{counted(int(known.sum()), 'query', 'queries')}{_left_out(comparison, known)}"
        if len(pairs):
            legend = ax.legend(
                loc="upper left",
                bbox_to_anchor=(1.02, 1.0),
                frameon=False,
                fontsize="small",
                borderaxespad=0,
                title=label,
                title_fontsize="small",
                alignment="left",
            )
            for handle in legend.legend_handles:
                handle.set_sizes([26])

    return SIZE, draw
