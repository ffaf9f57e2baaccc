"""Plots of results on matplotlib axes: distributions over queries, and comparisons of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import Hint, UsageError, shown
from judged.plots.comparisons import bars, differences, means
from judged.plots.style import (
    FONT,
    Theme,
    forest_axes,
    matplotlib,
    mean_text,
    new_axes,
    plain,
    row_size,
    theme_of,
    write_caption,
    write_numbers,
)
from judged.stats.checks import check_choice
from judged.stats.differences import known_rows
from judged.tables.table import counted, title_of

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison
    from judged.evaluation.values import Values

Plot = Literal["means", "differences", "queries"]

_BINS = 70  # of a strip; points of one bin are drawn side by side
_ROW = 0.62  # inches


def draw_values(values: Values, measures: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Plot one strip per measure: a point per query, a box of the middle half, and the mean with its 95% interval.

    Args:
        values: a result of `evaluate`.
        measures: some of its measures, as they are printed. [default: all] Several share an axis, so their values must be in 0…1.
        ax: axes to draw on. [default: new ones]
    """
    matplotlib()
    choices = [str(m) for m in values.measures if not m.definition.text]
    names = choices if measures is None else list(dict.fromkeys(measures))
    if not names:
        raise UsageError("not-asked", "no measure was named")
    columns = {name: np.asarray(values[name], float) for name in names}
    known = {name: column[np.isfinite(column)] for name, column in columns.items()}
    limits = _limits(known, "measures")
    intervals = values.intervals(names)
    averages = dict(values.mean())
    for m in values.measures:  # a sum over queries would be far from its parts
        if m.definition.summary == "sum" and len(known.get(str(m), ())):
            averages[str(m)] = float(known[str(m)].mean())

    labels = [plain(name, 24) for name in names]
    texts = [mean_text(averages.get(name, np.nan), intervals[name]) for name in names]

    def draw(ax: Any) -> None:
        theme = theme_of(ax)
        for row, name in enumerate(names):
            if len(known[name]):
                _strip(ax, row, known[name], limits, theme.runs[0])
                _mark_mean(ax, row, averages[name], intervals[name], theme)
        forest_axes(ax, dict(enumerate(labels)))
        ax.set_xlim(*limits)
        ax.set_xlabel("value per query" if len(names) > 1 else f"{labels[0]} per query")
        ax.set_title(plain(title_of(values.names)), loc="left", fontsize="medium")
        write_numbers(ax, "mean [95% interval]", dict(enumerate(texts)))

    over = counted(max((len(x) for x in known.values()), default=0), "query")
    about = f"A point per query ({over}); the box is the middle half, the diamond the mean with its 95% interval."
    return _on(ax, row_size(len(names), _ROW, labels, texts), draw, about)


def _strip(ax: Any, row: int, x: Floats, limits: tuple[float, float], colour: str) -> None:
    quartiles = np.quantile(x, [0.25, 0.5, 0.75])
    ax.barh(row, quartiles[2] - quartiles[0], left=quartiles[0], height=0.62, color=colour, alpha=0.13, zorder=1)
    ax.plot([quartiles[1]] * 2, [row - 0.31, row + 0.31], color=colour, linewidth=1.1, alpha=0.75, zorder=2)
    ax.scatter(x, row + _spread(x, limits), s=11, color=colour, alpha=0.55, linewidths=0, zorder=3)


def _mark_mean(ax: Any, row: int, mean: float, interval: tuple[float, float] | None, theme: Theme) -> None:
    """Draw the mean above the points, outlined in the colour of the paper."""
    if interval is not None:
        for colour, width in ((theme.paper, 4.4), (theme.ink, 1.7)):
            ax.plot(interval, [row, row], color=colour, linewidth=width, solid_capstyle="butt", zorder=4)
    ax.plot(
        [mean],
        [row],
        marker="D",
        markersize=6.2,
        color=theme.ink,
        markeredgecolor=theme.paper,
        markeredgewidth=1.1,
        zorder=5,
    )


def _spread(x: Floats, limits: tuple[float, float]) -> Floats:
    """Return vertical offsets that separate equal points."""
    cell = np.floor((x - limits[0]) / (limits[1] - limits[0]) * _BINS)
    order = np.lexsort((x, cell))
    _, first, count = np.unique(cell[order], return_index=True, return_counts=True)
    place = np.empty(len(x))
    place[order] = np.arange(len(x)) - np.repeat(first, count)
    step = min(0.085, 0.72 / max(int(count.max()), 1))
    return np.asarray(np.ceil(place / 2) * np.where(place % 2 == 1, 1, -1) * step)


# ── comparisons ──────────────────────────────────────────────────────────────────────────────────


def draw_comparison(
    comparison: Comparison,
    kind: Plot = "means",
    measure: str | None = None,
    a: str | None = None,
    b: str | None = None,
    ax: Any = None,
) -> Any:
    """Plot a comparison, over the queries with a value in every run.

    Args:
        comparison: a result of `compare`.
        kind: `means`: the mean of each run with its interval (intervals may overlap although the difference is significant: see
            `differences`); `differences`: every pair with the interval of its difference and the verdict; `queries`: the difference b - a
            per query, sorted.
        measure: one of its measures. [default: the first; for means and differences all of them, if their values are in 0…1]
        a: a run, for `queries`. [default: the baseline, or the first run]
        b: the run that is compared with `a`.
        ax: axes to draw on. [default: new ones]
    """
    matplotlib()
    check_choice(kind, Plot, "kind", slug="plot")
    if (a is not None or b is not None) and kind != "queries":
        raise UsageError("plot", f"a and b are for queries only, not for {kind}", hint="omit them")
    if measure is not None and measure not in comparison.measures:
        hint = f"choose one of {', '.join(comparison.measures)}"
        raise UsageError("not-asked", f"{measure} was not evaluated", hint=hint, value=measure)
    chosen = comparison.measures if measure is None else [measure]
    tables = {m: comparison.matrix(m) for m in (chosen[:1] if kind == "queries" else chosen)}
    known = {m: x[known_rows(x)] for m, x in tables.items()}
    if kind == "queries":
        size, draw = bars(comparison, chosen[0], *_pair(comparison, a, b))
    else:
        limits = _limits(known, "measure")
        size, draw = (means if kind == "means" else differences)(comparison, known, limits)
    return _on(ax, size, draw, _caption(comparison, kind, [len(x) for x in known.values()]))


def _caption(comparison: Comparison, kind: Plot, sizes: Sequence[int]) -> str:
    """Return what a picture shows, for readers who see it without the text around it."""
    over = counted(max(sizes), "query")
    over = over if min(sizes) == max(sizes) else f"{min(sizes)} to {over}"
    level = f"{round(100 * (1 - comparison.settings.alpha), 6):g}%"
    return {
        "means": f"Means over {over}; lines are {level} intervals. Runs are compared query by query, so intervals may overlap although a difference is clear.",
        "differences": f"Differences of means over {over}; lines are {comparison.settings.interval_name()}s ({comparison.settings}).",
        "queries": f"Differences of {over}, from the largest gain to the largest loss.",
    }[kind]


def _pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[int, int]:
    names = list(comparison.names)
    first = a or next(name for name in (comparison.baseline, *names) if name is not None and name != b)
    second = b or next(name for name in names if name != first)
    for name in (first, second):
        if name not in names:
            hint = f"choose one of {', '.join(names)}"
            raise UsageError("runs", f"no run is called {shown(name)}", hint=hint, value=name)
    if first == second:
        raise UsageError("runs", f"a and b are the same run, {shown(first)}", value=first)
    return names.index(first), names.index(second)


def _limits(known: dict[str, Floats], option: str) -> tuple[float, float]:
    """Return the limits of the shared axis: 0 to 1, or for one measure its range."""
    wide = [name for name, x in known.items() if x.size and (x.min() < 0 or x.max() > 1)]
    if not wide:
        return -0.03, 1.03
    if len(known) > 1:
        raise UsageError(
            "plot",
            f"values of {', '.join(wide)} are not from 0 to 1 and need their own axis",
            hint=Hint(f"set {{{option}}} to one of {', '.join(known)}", **{option: None}),
            value=wide[0],
        )
    x = known[wide[0]]
    low, high = min(float(x.min()), 0.0), float(x.max())
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


# ── axes ─────────────────────────────────────────────────────────────────────────────────────────


def _on(ax: Any, size: tuple[float, float], draw: Callable[[Any], None], caption: str) -> Any:
    """Draw on the given axes, or on new ones with the size and font of a paper and a caption."""
    if ax is not None:
        draw(ax)
        return ax
    with matplotlib().rc_context({"font.size": FONT}):
        ax = new_axes((size[0], size[1] + 0.3))
        draw(ax)
        write_caption(ax, caption)
    return ax
