"""The part of the page that is readable without scripts: verdict, table, warnings and methods."""

from __future__ import annotations

from html import escape
from typing import Any

from judged.errors import safe
from judged.tables.formats.html import table_html
from judged.tables.table import Table
from judged.tables.text import number


def slots_of(facts: dict[str, Any]) -> dict[str, str]:
    """Return escaped markup for the placeholders of page.html."""
    first = facts["verdicts"][0]
    return {
        "title": _text(facts["title"]),
        "verdict": _text(first["words"]),
        "more": "".join(f"<li>{_text(line)}</li>" for line in first["more"]),
        "table": table_html(_table(facts)),
        "warnings": "".join(f"<li>{_text(w['text'])} <code>{_text(w['code'])}</code></li>" for w in facts["warnings"]),
        "warned": str(len(facts["warnings"])),
        "methods": "".join(f"<p>{_text(line)}</p>" for line in facts["methods"]),
        "citations": "".join(f"<li>{_text(line)}</li>" for line in facts["citations"]),
        "inputs": "".join(
            f"<tr><td>{_text(one['role'])}</td><td><bdi>{_text(one['name'])}</bdi></td><td>{_text(one['of'])}</td><td><code>{one['sha256']}</code></td></tr>"
            for one in facts["inputs"]
        ),
        "version": _text(facts["version"]),
    }


def _table(facts: dict[str, Any]) -> Table:
    rows = []
    for k, run in enumerate(facts["runs"]):
        single = len(facts["runs"]) == 1
        cells = [_cell(facts["summary"][i][k], m, single) for i, m in enumerate(facts["measures"])]
        rows.append((run, *cells))
    strong = frozenset((k, 1 + i) for i, by in enumerate(facts["summary"]) for k, one in enumerate(by) if one["best"])
    return Table(("run", *(m["name"] for m in facts["measures"])), tuple(rows), strong=strong)


def _cell(one: dict[str, Any], measure: dict[str, Any], single: bool) -> str:
    """The mean with its interval, or of several runs with the difference to the baseline or the first run."""
    places, mean = measure["places"], number(one["mean"], measure["places"])
    if not single:
        return f"{mean} {one['sign']}".rstrip() + (f" ({' '.join(one['against'])})" if one["against"] else "")
    return mean if one["low"] is None else f"{mean} [{number(one['low'], places)}, {number(one['high'], places)}]"


def _text(text: str) -> str:
    return escape(safe(text))
