"""results.svg, from the raw numbers alone: the time of each tool as a multiple of `judged`'s, on a log scale.

Colours are of middling lightness, to read on white and on black alike; blue and orange differ to every eye, and
the side of the line on which a bar lies says the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from verdict import Results, Row, measured, ratio

__all__ = ["plot"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Helvetica, Arial, sans-serif"
TEXT, SLOWER, FASTER, SAME = "#727c87", "#3d86c6", "#d9731a", "#8b949e"
WIDTH, LEFT, RIGHT = 900, 205, 165  # the picture; the names; the figures
TOP, HEAD, STEP, BAR, GAP = 92, 25, 20, 13, 16
LEGEND = ((SLOWER, "slower than judged"), (FASTER, "faster than judged"), (SAME, "judged, another way"))


def plot(results: Results) -> str:
    """One group of bars a work; right of the line at 1, `judged` is the faster."""
    works = [work for work in results["works"] if work["name"] != "growth" and measured(work["rows"][0])]
    groups = [(work, [row for row in work["rows"][1:] if measured(row)]) for work in works]
    axis = _Axis([times for work, rows in groups for row in rows for times in _extent(work, row)])
    height = TOP + sum(HEAD + STEP * len(rows) + GAP for _, rows in groups)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="{FONT}" font-size="13" fill="{TEXT}" role="img" aria-label="Time as a multiple of judged’s">',
        _text(0, 20, "Time as a multiple of judged’s", size=17, weight=600),
        *_legend(),
        *axis.names(),
        _text(WIDTH - 66, TOP - 12, "× judged", anchor="end", size=12),
        _text(WIDTH, TOP - 12, "time", anchor="end", size=12),
    ]
    top = TOP
    for work, rows in groups:
        parts += _group(work, rows, top, axis)
        top += HEAD + STEP * len(rows) + GAP
    return "\n".join([*parts, "</svg>", ""])


class _Axis:
    """Powers of ten, as many as the data need."""

    def __init__(self, times: list[float]) -> None:
        logs = [0.0, *map(math.log10, times)]
        self.powers = range(math.floor(min(logs)), max(1, math.ceil(max(logs))) + 1)

    def at(self, times: float) -> float:
        place = (math.log10(times) - self.powers[0]) / (len(self.powers) - 1)
        return LEFT + place * (WIDTH - LEFT - RIGHT)

    def names(self) -> Iterator[str]:
        for power in self.powers:
            name = f"{10**power:,} ×" if power > 0 else f"1/{10**-power:,}" if power else "judged"
            yield _text(self.at(10.0**power), TOP - 12, name, anchor="middle", size=12, weight=400 if power else 600)

    def grid(self, top: float, bottom: float) -> Iterator[str]:
        for power in self.powers:
            yield _line(self.at(10.0**power), top, bottom, width=1 if power else 1.5, opacity=0.3 if power else 1)


def _extent(work: Results, row: Row) -> Iterator[float]:
    yield ratio(work, row) or 1.0
    if row["limit"]:
        yield 1 / row["limit"]


def _legend() -> Iterator[str]:
    x = 0
    for colour, name in LEGEND:
        yield _box(x, 36, 11, 11, colour)
        yield _text(x + 17, 46, name, size=12)
        x += 155
    yield _line(x + 5, 34, 49, width=2.5)
    yield _text(x + 14, 46, "to reach", size=12)
    yield _text(WIDTH, 46, "CPU time unless it says wall; log scale", size=12, anchor="end")


def _group(work: Results, rows: list[Row], top: float, axis: _Axis) -> Iterator[str]:
    base, clock = work["rows"][0], work["clock"]
    title = work["title"] + (", wall time" if clock == "wall" else "")
    yield f"<g><title>{escape(title)}</title>"
    yield _text(0, top + 14, title, weight=600)
    yield _text(WIDTH, top + 14, f"judged {_seconds(base[clock])}", anchor="end", weight=600)
    yield from axis.grid(top + HEAD - 4, top + HEAD + STEP * len(rows) - 3)
    for i, row in enumerate(rows):
        y, times = top + HEAD + STEP * i, ratio(work, row) or 1.0
        colour = SAME if row["ours"] else SLOWER if times >= 1 else FASTER
        start, end = sorted((axis.at(1.0), axis.at(times)))
        yield _text(LEFT - 12, y + 11, row["tool"], anchor="end")
        yield _box(start, y, max(end - start, 1), BAR, colour)
        if row["limit"]:
            mark = axis.at(1 / row["limit"])
            yield _line(mark, y - 3, y + BAR + 3, width=2.5)
            if start < mark < end:  # on a bar, the middling grey would drown
                yield _line(mark, y, y + BAR, width=2.5, colour="#fff")
        yield _text(WIDTH - 66, y + 11, f"{times:.3g}", anchor="end")
        yield _text(WIDTH, y + 11, _seconds(row[clock]), anchor="end")
    yield "</g>"


def _seconds(x: float) -> str:
    return f"{x:.3g} s" if x >= 0.1 else f"{x * 1000:.3g} ms"


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 13, weight: int = 400) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="{size}" font-weight="{weight}">{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{colour}"/>'


def _line(x: float, top: float, bottom: float, *, width: float, opacity: float = 1, colour: str = TEXT) -> str:
    place = f'x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width}" stroke-opacity="{opacity}"/>'
