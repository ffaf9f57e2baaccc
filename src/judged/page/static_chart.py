"""The main chart as static SVG, for readers without scripts: differences to the best run or the baseline, or means of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from judged.errors import safe
from judged.tables.bars import TONES
from judged.tables.text import number, signed

_MOST = 20  # rows
_ROW, _TOP, _BOTTOM = 26, 8, 40  # pixels
_NAMES, _WIDE, _NUMBERS = 190, 330, 210  # pixels: names, bars, numbers
_LETTERS = 26  # of a name
_TONES = {"better": "better", "wins more queries": "better", "worse": "worse", "loses more queries": "worse"}
_PLACES = 3


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A name, a value with its interval (None without one), a text beside it, and better, worse or an empty tone."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    tone: str = ""


def static_chart(facts: Mapping[str, Any]) -> str:
    """Return the SVG of the first measure of the facts of a page; empty if there is nothing to draw."""
    rows, title = _means(facts) if len(facts["runs"]) == 1 else _differences(facts)
    if not rows:
        return ""
    more = f"; {len(rows) - _MOST} more runs are in the table" if len(rows) > _MOST else ""
    return interval_chart(rows[:_MOST], title + more)


def _means(facts: Mapping[str, Any]) -> tuple[list[ChartRow], str]:
    rows = []
    for measure, (one, *_) in zip(facts["measures"], facts["summary"], strict=True):
        if measure["unit"] and one["mean"] is not None:
            ends = "" if one["low"] is None else f" [{number(one['low'], _PLACES)}, {number(one['high'], _PLACES)}]"
            rows.append(ChartRow(measure["name"], one["mean"], one["low"], one["high"], number(one["mean"], _PLACES) + ends))  # fmt: skip
    return rows, f"Means with {round(100 * facts['level'])}% intervals"


def _differences(facts: Mapping[str, Any]) -> tuple[list[ChartRow], str]:
    """Return each run compared with the baseline, or with the best run, in the order of the differences."""
    measure, means = facts["measures"][0], [one["mean"] for one in facts["summary"][0]]
    known = [run for run, mean in enumerate(means) if mean is not None]
    if not known:
        return [], ""
    best = (min if measure["lower"] else max)(known, key=means.__getitem__)
    first = facts["baseline"] if facts["baseline"] >= 0 else best
    rows = []
    for pair in facts["pairs"]:
        if pair["measure"] == 0 and first in (pair["a"], pair["b"]) and pair["difference"] is not None:
            rows.append(_row(facts, pair, turned=pair["b"] == first))
    sign = 1 if measure["lower"] else -1
    rows.sort(key=lambda row: sign * row.value)
    name = facts["runs"][first]
    return rows, f"Difference in {measure['name']} to {name}, with {facts['intervals']['all']}"


def _row(facts: Mapping[str, Any], pair: Mapping[str, Any], *, turned: bool) -> ChartRow:
    value, low, high = pair["difference"], pair["low"], pair["high"]
    tone = _TONES.get(pair["verdict"], "")
    if turned:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
        tone = {"better": "worse", "worse": "better"}.get(tone, "")
    ends = "" if low is None else f" [{signed(low, _PLACES)}, {signed(high, _PLACES)}]"
    name = facts["runs"][pair["a"] if turned else pair["b"]]
    return ChartRow(name, value, low, high, f"{signed(value, _PLACES)}{ends}", tone)


def interval_chart(rows: Sequence[ChartRow], title: str) -> str:
    """Return rows of values and intervals against 0 as SVG in the colour of the text; it needs no style and no script."""
    ends = [end for row in rows for end in (row.low, row.value, row.high) if end is not None]
    least, most = min(0.0, *ends), max(0.0, *ends)
    scale = (_WIDE - 20) / ((most - least) or 1.0)

    def at(value: float) -> str:
        return f"{_NAMES + 10 + (value - least) * scale:.1f}"

    floor = _TOP + _ROW * len(rows)
    marks = [f'<path d="M{at(0)} {_TOP}V{floor}" stroke="currentColor" stroke-opacity=".5"/>']
    marks += [_text(at(end), floor + 14, signed(end, 2) if end else "0", "middle", ".7") for end in _ticks(least, most)]
    for k, row in enumerate(rows):
        y = _TOP + _ROW * k + _ROW / 2
        colour = TONES.get(row.tone, "currentColor")
        marks.append(_text(str(_NAMES - 6), y + 4, _short(row.name), "end"))
        if row.low is not None and row.high is not None:
            marks.append(
                f'<path d="M{at(row.low)} {y:g}H{at(row.high)}" stroke="{colour}" stroke-width="2.5" stroke-opacity="{1 if row.tone else 0.6}"/>'
            )
        marks.append(f'<circle cx="{at(row.value)}" cy="{y:g}" r="4.5" fill="{colour}"/>')
        marks.append(_text(str(_NAMES + _WIDE + 8), y + 4, row.text, "start"))
    marks.append(_text(str(_NAMES), floor + 32, title, "start", ".8"))
    width, height = _NAMES + _WIDE + _NUMBERS, floor + _BOTTOM
    return (
        f'<svg class="static-chart" role="img" aria-label="{_escape(title)}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-size="13" fill="currentColor">{"".join(marks)}</svg>'
    )


def _ticks(least: float, most: float) -> list[float]:
    """Return 0 and the ends of the axis that are far enough from it."""
    return [0.0, *(end for end in (least, most) if abs(end) > 0.12 * (most - least))]


def _text(x: str, y: float, text: str, anchor: str, opacity: str = "1") -> str:
    return f'<text x="{x}" y="{y:g}" text-anchor="{anchor}" fill-opacity="{opacity}">{_escape(text)}</text>'


def _short(name: str) -> str:
    name = safe(name)
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS // 2]}…{name[-_LETTERS // 2 + 1 :]}"


def _escape(text: str) -> str:
    return escape(safe(text))
