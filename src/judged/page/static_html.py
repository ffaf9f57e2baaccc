"""The part of the page that is readable without scripts: verdict, table, warnings and methods."""

from __future__ import annotations

from html import escape
from typing import Any

from judged.errors import safe
from judged.page.static_chart import chart_html
from judged.tables.formats.html import table_html
from judged.tables.table import Table
from judged.tables.text import number


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


def _text(text: str) -> str:
    return escape(safe(text))
