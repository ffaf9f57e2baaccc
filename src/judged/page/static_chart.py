"""The main chart as plain SVG, for readers without scripts: differences to the best run, or the mean of a single one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from judged.errors import safe
from judged.tables.text import number

_ROW, _LEFT, _WIDTH, _RIGHT = 26, 190, 640, 90
_LETTERS = 26
_COLOURS = {
    "better": "var(--better)",
    "worse": "var(--worse)",
    "wins more queries": "var(--better)",
    "loses more queries": "var(--worse)",
}

Row = tuple[str, float | None, float | None, float | None, str, str]  # name, value, interval, colour, text


def chart_html(facts: dict[str, Any]) -> str:
    """Return the chart with its caption; empty if there is no value."""
    measure = facts["measures"][0]["name"]
    if len(facts["runs"]) == 1:
        one, of = facts["summary"][0][0], facts["measures"][0]
        shown = number(one["mean"], min(3, of["places"]))
        rows: list[Row] = [(facts["runs"][0], one["mean"], one["low"], one["high"], "var(--run0)", shown)]
        caption = f"{of['kind'].capitalize()} {measure}{'' if one['low'] is None else ' with its 95% interval'}"
    else:
        rows = _differences(facts)
        first = "the best run" if facts["baseline"] < 0 else facts["runs"][facts["baseline"]]
        caption = f"{measure}: differences to {first}, with {facts['intervals']['all']}s. Filled: a clear difference."
    known = [value for row in rows for value in row[1:4] if value is not None]
    if not known:
        return ""
    low, high = min(0.0, *known), max(0.0, *known)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / span

    zero, height = x(0.0), _ROW * len(rows) + 24
    marks = [
        f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="{_ROW * len(rows)}" stroke="var(--soft)"/>',
        f'<text x="{zero:.1f}" y="{height - 6}" text-anchor="middle" fill="var(--soft)">0</text>',
    ]
    for i, row in enumerate(rows):
        marks += _row_marks(row, _ROW * i + _ROW / 2, x)
    svg = f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" font-size="13" role="img" aria-label="{_text(caption)}">{"".join(marks)}</svg>'
    return f'<figure class="static"><figcaption>{_text(caption)}</figcaption>{svg}</figure>'


def _differences(facts: dict[str, Any]) -> list[Row]:
    """The difference of each run to the baseline or the best run, best first."""
    means = [one["mean"] for one in facts["summary"][0]]
    sign = 1 if facts["measures"][0]["lower"] else -1
    order = sorted(range(len(means)), key=lambda k: float("inf") if means[k] is None else sign * means[k])
    first = facts["baseline"] if facts["baseline"] >= 0 else order[0]
    found = {(p["a"], p["b"]): p for p in facts["pairs"] if p["measure"] == 0}
    rows: list[Row] = []
    for run in order:
        name = facts["runs"][run]
        if run == first:
            rows.append((name, 0.0, None, None, "var(--ink)", number(means[run], 3)))
            continue
        pair = found.get((first, run))
        turned = found.get((run, first))
        row = pair or turned
        if row is None or row["difference"] is None:
            rows.append((name, None, None, None, "", "–"))
            continue
        ends = (row["low"], row["high"]) if pair or row["low"] is None else (-row["high"], -row["low"])
        value = row["difference"] if pair else -row["difference"]
        rows.append(
            (name, value, *ends, _colour(row["verdict"], turned=not pair), number(value, 3, sign="+").replace("-", "−"))
        )
    return rows


def _colour(verdict: str, *, turned: bool) -> str:
    colour = _COLOURS.get(verdict, "")
    if turned and colour:
        return "var(--worse)" if colour == "var(--better)" else "var(--better)"
    return colour


def _row_marks(row: Row, y: float, x: Any) -> Sequence[str]:
    name, value, low, high, colour, text = row
    short = name if len(name) <= _LETTERS else f"{name[: _LETTERS // 2]}…{name[-_LETTERS // 2 + 1 :]}"
    marks = [
        f'<text x="0" y="{y + 4}" fill="var(--ink)">{_text(short)}</text>',
        f'<text x="{_WIDTH}" y="{y + 4}" text-anchor="end" fill="var(--ink)">{_text(text)}</text>',
    ]
    paint = colour or "var(--soft)"
    if low is not None and high is not None:
        marks.append(
            f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{y}" y2="{y}" stroke="{paint}" stroke-width="2"/>'
        )
    if value is not None:
        fill = paint if colour else "var(--paper)"
        marks.append(
            f'<circle cx="{x(value):.1f}" cy="{y}" r="4.5" fill="{fill}" stroke="{paint}" stroke-width="1.5"/>'
        )
    return marks


def _text(text: str) -> str:
    return escape(safe(text))
