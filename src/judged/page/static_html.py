"""The page without scripts: the answer and the tables that every browser shows."""

from __future__ import annotations

from html import escape
from typing import Any

from judged.comparison.tables import pair_table, system_table
from judged.errors import safe
from judged.page.subject import Subject
from judged.tables.formats.html import table_html
from judged.tables.table import Table


def _text(text: str) -> str:
    return escape(safe(text))


def slots_of(facts: dict[str, Any], subject: Subject) -> dict[str, str]:
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
        "table": "".join(map(table_html, _tables(subject))),
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


def _tables(subject: Subject) -> list[Table]:
    """The tables that notebooks show, without their notes, which are elsewhere on the page."""
    tables = subject.first.tables()
    if subject.comparison is not None:
        tables = [system_table(subject.comparison), pair_table(subject.comparison, all_pairs=False)]
    return [table._replace(key="", notes=()) for table in tables]


def _warned(warnings: list[dict[str, Any]]) -> str:
    count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
    return f"{count}: {warnings[0]['text']}{'; …' if len(warnings) > 1 else ''}" if warnings else count


def _words(words: list[str | int], names: list[str]) -> str:
    return "".join(_text(word) if isinstance(word, str) else f"<bdi>{_text(names[word])}</bdi>" for word in words)
