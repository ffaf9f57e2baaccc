"""The page without scripts: a table with bars that every browser shows."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from judged.errors import safe
from judged.tables.formats.html import table_html
from judged.tables.table import Span, Table
from judged.tables.text import number

_TONES = {"better": "better", "worse": "worse", "wins more queries": "better", "loses more queries": "worse"}
_OPPOSITE = {"better": "worse", "worse": "better", "": ""}


def _text(text: str) -> str:
    return escape(safe(text))


def slots_of(facts: dict[str, Any]) -> dict[str, str]:
    """Return escaped markup for the placeholders of page.html."""
    first, names = facts["verdicts"][0], facts["runs"]
    return {
        "title": _text(facts["title"]),
        "verdict": _words(first["words"], names),
        "more": "".join(f"<li>{_words(line, names)}</li>" for line in first["more"]),
        "card": "".join(
            f"<div><dt>{_text(title)}</dt><dd>{_text(text)}</dd></div>" for title, text in facts["details"]
        ),
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
    """The means of the runs, best first, with bars: of a single run its interval, of several the differences on the first measure."""
    summary, measures, runs = facts["summary"], facts["measures"], facts["runs"]
    sign = 1 if measures[0]["lower"] else -1
    means = [math.inf if one["mean"] is None else sign * one["mean"] for one in summary[0]]
    order = sorted(range(len(means)), key=means.__getitem__)
    rows = [(runs[k], *(_cell(summary[i][k], m, len(runs) == 1) for i, m in enumerate(measures))) for k in order]
    strong = frozenset((r, 1 + i) for i, by in enumerate(summary) for r, k in enumerate(order) if by[k]["best"])
    first = facts["baseline"] if facts["baseline"] >= 0 else order[0]
    spans = tuple(_difference(facts["pairs"], first, k) for k in order)
    if len(runs) == 1:
        one = summary[0][0]
        spans = (None if one["low"] is None else Span(one["low"], one["mean"], one["high"]),)
    headers = ("run", *(m["name"] for m in measures))
    return Table(headers, tuple(rows), strong=strong, spans=spans if any(spans) else ())


def _difference(pairs: list[dict[str, Any]], first: int, run: int) -> Span | None:
    """The difference of a run to another one on the first measure."""
    for pair in pairs:
        if pair["measure"] == 0 and {pair["a"], pair["b"]} == {first, run} and pair["low"] is not None:
            span = Span(pair["low"], pair["difference"], pair["high"], _TONES.get(pair["verdict"], ""))
            if pair["a"] == first:
                return span
            return Span(-span.high, -span.value, -span.low, _OPPOSITE[span.tone])
    return None


def _cell(one: dict[str, Any], measure: dict[str, Any], single: bool) -> str:
    """The mean with its interval, or of several runs with the difference to the baseline or the first run."""
    places, mean = measure["places"], number(one["mean"], measure["places"])
    if not single:
        return f"{mean} {one['sign']}".rstrip() + (f" ({' '.join(one['against'])})" if one["against"] else "")
    return mean if one["low"] is None else f"{mean} [{number(one['low'], places)}, {number(one['high'], places)}]"


def _warned(warnings: list[dict[str, Any]]) -> str:
    count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
    return f"{count}: {warnings[0]['text']}{'; …' if len(warnings) > 1 else ''}" if warnings else count


def _words(words: list[str | int], names: list[str]) -> str:
    return "".join(_text(word) if isinstance(word, str) else f"<bdi>{_text(names[word])}</bdi>" for word in words)
