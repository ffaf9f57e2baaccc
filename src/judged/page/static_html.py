"""The page without scripts: tables and charts that every browser shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from judged.errors import safe
from judged.tables.formats.html import table_html
from judged.tables.table import Table
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


def slots_of(facts: dict[str, Any]) -> dict[str, str]:
    """Return escaped markup for the placeholders of page.html."""
    first, names = facts["verdicts"][0], facts["runs"]
    return {
        "title": _text(facts["title"]),
        "verdict": _words(first["words"], names),
        "more": "".join(f"<li>{_words(line, names)}</li>" for line in first["more"]),
        "card": _card(facts),
        "chart": chart_html(facts),
        "key": _text(facts["key"]),
        "table": table_html(_table(facts)),
        "warnings": "".join(f"<li>{_text(w['text'])} <code>{_text(w['code'])}</code></li>" for w in facts["warnings"]),
        "warned": str(len(facts["warnings"])),
        "warned-title": _text(_warned(facts["warnings"])),
        "methods": "".join(f"<p>{_text(line)}</p>" for line in facts["methods"]),
        "citations": "".join(f"<li>{_text(line)}</li>" for line in facts["citations"]),
        "inputs": "".join(
            f"<tr><td>{_text(one['role'])}</td><td><bdi>{_text(one['name'])}</bdi></td><td>{_text(one['of'])}</td><td><code>{one['sha256']}</code></td></tr>"
            for one in facts["inputs"]
        ),
        "version": _text(facts["version"]),
    }


def _table(facts: dict[str, Any]) -> Table:
    summary, single = facts["summary"], len(facts["runs"]) == 1
    sign = 1 if facts["measures"][0]["lower"] else -1
    means = [float("inf") if one["mean"] is None else sign * one["mean"] for one in summary[0]]
    order = sorted(range(len(means)), key=means.__getitem__)  # best first
    rows = [
        (facts["runs"][k], *(_cell(summary[i][k], m, single) for i, m in enumerate(facts["measures"]))) for k in order
    ]
    strong = frozenset((r, 1 + i) for i, by in enumerate(summary) for r, k in enumerate(order) if by[k]["best"])
    return Table(("run", *(m["name"] for m in facts["measures"])), tuple(rows), strong=strong)


def _cell(one: dict[str, Any], measure: dict[str, Any], single: bool) -> str:
    """The mean with its interval, or of several runs with the difference to the baseline or the first run."""
    places, mean = measure["places"], number(one["mean"], measure["places"])
    if not single:
        return f"{mean} {one['sign']}".rstrip() + (f" ({' '.join(one['against'])})" if one["against"] else "")
    return mean if one["low"] is None else f"{mean} [{number(one['low'], places)}, {number(one['high'], places)}]"


def _card(facts: dict[str, Any]) -> str:
    """The answer on the first measure: size, certainty and queries, as a list."""
    return "".join(f"<div><dt>{_text(title)}</dt><dd>{_text(text)}</dd></div>" for title, text in facts["details"])


def _warned(warnings: list[dict[str, Any]]) -> str:
    count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
    return f"{count}: {warnings[0]['text']}{'; …' if len(warnings) > 1 else ''}" if warnings else count


def _words(words: list[str | int], names: list[str]) -> str:
    return "".join(_text(word) if isinstance(word, str) else f"<bdi>{_text(names[word])}</bdi>" for word in words)
