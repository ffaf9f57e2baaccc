"""Plots of comparisons: means, differences, and two runs query by query."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Floats
from judged.io.run_names import short_names
from judged.measures.registry import parse
from judged.plots.style import (
    MARKERS,
    SIZE,
    Theme,
    bare,
    forest_axes,
    grid,
    group_rows,
    mean_text,
    plain,
    row_size,
    theme_of,
    write_numbers,
)
from judged.stats.decisions import Verdict
from judged.stats.differences import known_rows
from judged.stats.intervals import interval
from judged.tables.table import counted, p_text, signed

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison
    from judged.comparison.difference import Difference


Drawn = tuple[tuple[float, float], Callable[[Any], None]]  # size in inches, and the function that draws

_VERDICTS: dict[Verdict, tuple[str, str, bool]] = {  # marker, colour of the theme, and whether it is hollow
    "better": ("^", "better", False),
    "worse": ("v", "worse", False),
    "wins more queries": ("^", "better", True),
    "loses more queries": ("v", "worse", True),
    "equal": ("s", "same", False),
    "identical": ("|", "same", False),
    "no clear difference": ("o", "same", True),
    "too few queries": ("x", "same", False),
    "not comparable": ("x", "same", False),
}
_MOST = 40  # pairs that are shown
_LONGEST = 28


def labels(comparison: Comparison, longest: int = _LONGEST) -> list[str]:
    """Return the names of the runs without folders and extensions, shortened."""
    return [plain(name, longest) for name in short_names(comparison.names)]


# ── means ────────────────────────────────────────────────────────────────────────────────────────


def means(comparison: Comparison, known: dict[str, Floats], limits: tuple[float, float]) -> Drawn:
    """Plot the means: one row per run, group_rows by measure; for one measure sorted from best to worst."""
    level = 1 - comparison.settings.alpha
    ends = {
        m: interval(x, confidence=level, limits=[parse(m).definition.limits] * x.shape[1]) for m, x in known.items()
    }
    center = {m: x.mean(axis=0) if len(x) else np.full(x.shape[1], np.nan) for m, x in known.items()}
    names, alone = labels(comparison), len(known) == 1
    heads, places = group_rows(dict.fromkeys(known, len(names)))
    rows: dict[float, tuple[str, int]] = {}  # the measure and the run at each place
    for m, at in places.items():
        goodness = [_goodness(m, float(mean)) for mean in center[m]]
        order = sorted(range(len(names)), key=goodness.__getitem__) if alone else range(len(names))
        rows |= {y: (m, i) for y, i in zip(at, order, strict=True)}
    texts = {y: mean_text(float(center[m][i]), ends[m][i]) for y, (m, i) in rows.items()}

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        for y, (m, i) in rows.items():
            colour, marker, found = theme.runs[i % len(theme.runs)], MARKERS[i % len(MARKERS)], ends[m][i]
            if found is not None:
                ax.plot(found, [y, y], color=colour, linewidth=1.8, solid_capstyle="butt", zorder=2)
            look = {"color": colour, "marker": marker, "markersize": 9 if marker == "*" else 6, "linestyle": "none"}
            ax.plot([center[m][i]], [y], **look, markeredgecolor=theme.paper, markeredgewidth=0.7, zorder=3)
        forest_axes(ax, dict(sorted({**heads, **{y: names[i] for y, (_, i) in rows.items()}}.items())), heads)
        if alone:  # around the means, within the range of values
            low, high = ax.get_xlim()
            room = 0.04 * (high - low)
            ax.set_xlim(max(low - room, limits[0]), min(high + room, limits[1]))
        else:
            ax.set_xlim(*limits)
        only = next(iter(known))
        ax.set_xlabel(f"mean {plain(only)}{_lower(only)}" if alone else "mean")
        write_numbers(ax, f"mean [{level:.0%} interval]", texts)

    return row_size(len(rows) + len(heads), 0.24, names, texts.values()), draw


def _goodness(measure: str, mean: float) -> float:
    """Return a sort key: lower is better, runs without a mean come last."""
    return math.inf if math.isnan(mean) else mean if parse(measure).definition.lower_is_better else -mean


def _lower(measure: str) -> str:
    return ", lower is better" if parse(measure).definition.lower_is_better else ""


# ── differences ──────────────────────────────────────────────────────────────────────────────────


def differences(comparison: Comparison, known: dict[str, Floats], limits: tuple[float, float]) -> Drawn:
    """Plot one row per pair, largest difference first: the mean difference, its interval, and the verdict as colour and marker."""
    short = dict(zip(comparison.names, labels(comparison, 22), strict=True))
    of, hidden = _largest(comparison, list(known))
    heads, places = group_rows({m: len(pairs) for m, pairs in of.items()})
    rows = {y: row for m, pairs in of.items() for y, row in zip(places[m], pairs, strict=True)}
    names = {y: f"{short[row.b]} − {short[row.a]}" for y, row in rows.items()}
    texts = {y: f"{signed(row.difference, 3)}, {p_text(row.adjusted)}" for y, row in rows.items()}
    numbers = f"difference, {comparison.settings.deciding_p}"

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        if margin := comparison.settings.margin:
            ax.axvspan(-margin, margin, color=theme.same, alpha=0.13, linewidth=0, zorder=0)
        ax.axvline(0, color=theme.soft, linewidth=0.9, zorder=1)
        for y, row in rows.items():
            look = _look(row.verdict, theme)
            if not math.isnan(row.low):
                ends = [row.low, row.high]
                ax.plot(ends, [y, y], color=look["color"], linewidth=1.8, solid_capstyle="butt", zorder=2)
            ax.plot([row.difference], [y], linestyle="none", markersize=6.5, zorder=3, **look)
        forest_axes(ax, dict(sorted({**heads, **names}.items())), heads)
        only = next(iter(known))
        what = f"{plain(only)}{_lower(only)}" if len(known) == 1 else "means"
        more = f"\n{counted(hidden, 'pair')} with smaller differences not shown" if hidden else ""
        ax.set_xlabel(f"difference in {what}, with {comparison.settings.interval_name()}{more}")
        write_numbers(ax, numbers, texts)
        _legend(ax, {row.verdict for row in rows.values()}, theme)

    return row_size(len(rows) + len(heads), 0.24, list(names.values()), [numbers]), draw


def _largest(comparison: Comparison, measures: list[str]) -> tuple[dict[str, list[Difference]], int]:
    """Return the largest differences by each measure, and the number of the others; without a baseline all are gains."""
    shown: dict[str, list[Difference]] = {}
    most, hidden = max(_MOST // len(measures), 5), 0
    for m in measures:
        sign = -1 if parse(m).definition.lower_is_better else 1
        rows = comparison.by_measure[m]
        if comparison.baseline is None:
            rows = [row.turned() if sign * row.difference < 0 else row for row in rows]
        largest = sorted(rows, key=lambda row: -abs(row.difference))[:most]
        shown[m] = sorted(largest, key=lambda row: -sign * row.difference)
        hidden += len(rows) - len(largest)
    return shown, hidden


def _look(verdict: Verdict, theme: Theme) -> dict[str, Any]:
    """Return the marker of a verdict: filled for a conclusion about the mean, hollow otherwise."""
    marker, name, hollow = _VERDICTS[verdict]
    colour = getattr(theme, name)
    return {"marker": marker, "color": colour, "markerfacecolor": theme.paper if hollow else colour}


def _legend(ax: Any, verdicts: Container[str], theme: Theme) -> None:
    """Draw the legend above the axes."""
    met = [verdict for verdict in _VERDICTS if verdict in verdicts]
    for verdict in met:
        ax.plot([], [], linestyle="none", markersize=6, label=verdict, **_look(verdict, theme))
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=len(met),
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        handletextpad=0.3,
        columnspacing=1.2,
    )


# ── two runs per query ───────────────────────────────────────────────────────────────────────────

_NAME = 0.095  # inches that the name of a query takes below its bar
_MANY = 120  # queries: with white between their bars they would flicker


def bars(comparison: Comparison, measure: str, a: int, b: int) -> Drawn:
    """Plot the difference of every query, from the largest gain to the largest loss, with the mean."""
    x = comparison.matrix(measure)
    known = known_rows(x)
    d = x[known, b] - x[known, a]
    order = np.argsort(-d, kind="stable")
    queries = [plain(str(q), 14) for q, there in zip(comparison.results[0].queries, known, strict=True) if there]
    names, lower = labels(comparison), parse(measure).definition.lower_is_better
    gain, lost = -d if lower else d, int((~known).sum())

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        place = np.empty(len(d))
        place[order] = np.arange(len(d))
        for verdict, mine, colour in (
            ("better", gain > 0, theme.better),
            ("equal", gain == 0, theme.same),
            ("worse", gain < 0, theme.worse),
        ):
            if mine.any():
                label, width = f"{names[b]} {verdict}: {mine.sum()}", 0.84 if len(d) < _MANY else 1.0
                ax.bar(place[mine], d[mine], width=width, linewidth=0, color=colour, label=label, zorder=2)
        ax.axhline(0, color=theme.soft, linewidth=0.9, zorder=3)
        ax.set_xlim(-0.8, max(len(d), 1) - 0.2)
        if len(d) * _NAME <= ax.get_window_extent().width / ax.figure.dpi:
            turned = {"rotation": 90, "fontsize": "x-small"} if len(d) > 8 else {"fontsize": "small"}
            ax.set_xticks(range(len(d)), [queries[i] for i in order], **turned)
            ax.tick_params(axis="x", length=0, pad=2)
        else:
            ax.set_xticks([])
        excluded = f"; {counted(lost, 'query')} without a value excluded" if lost else ""
        ax.set_xlabel(f"{counted(len(d), 'query')}, sorted{excluded}")
        ax.set_ylabel(f"{plain(measure)}{' (lower is better)' if lower else ''}: {names[b]} − {names[a]}")
        bare(ax)
        grid(ax, "y")
        if len(d):
            mean, dashes = float(d.mean()), (0, (4, 2))
            told = f"mean: {signed(mean, 3)}"
            ax.axhline(mean, color=theme.ink, linewidth=1.1, linestyle=dashes, label=told, zorder=3)
            ax.legend(loc="best", frameon=True, framealpha=0.7, edgecolor="none", fontsize="small")

    return SIZE, draw
