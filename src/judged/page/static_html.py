"""The page without scripts: the answer and the tables that every browser shows."""

from __future__ import annotations

from typing import Any

from judged.comparison.tables import pair_table, system_table
from judged.page.subject import Subject
from judged.tables.formats.html import html_text, table_html


def slots_of(facts: dict[str, Any], subject: Subject) -> dict[str, str]:
    """Return escaped markup for the placeholders of page.html."""
    first, names, warnings = facts["verdicts"][0], facts["runs"], facts["warnings"]
    warned = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
    if warnings:
        warned += f": {warnings[0]['text']}{'; …' if len(warnings) > 1 else ''}"
    if subject.comparison is None:  # tables that notebooks show, without their notes, which are elsewhere on the page
        tables = subject.first.tables()
    else:
        tables = [system_table(subject.comparison), pair_table(subject.comparison, all_pairs=False)]
    return {
        "title": html_text(facts["title"]),
        "verdict": _words(first["words"], names),
        "more": "".join(f"<li>{_words(line, names)}</li>" for line in first["more"]),
        "card": "".join(
            f"<div><dt>{html_text(title)}</dt><dd>{html_text(text)}</dd></div>" for title, text in facts["details"]
        ),
        "key": html_text(facts["key"]),
        "table": "".join(table_html(table._replace(key="", notes=())) for table in tables),
        "warnings": "".join(f"<li>{html_text(w['text'])} <code>{html_text(w['code'])}</code></li>" for w in warnings),
        "warned": str(len(warnings)),
        "warned-title": html_text(warned),
        "methods": "".join(f"<p>{html_text(line)}</p>" for line in facts["methods"]),
        "citations": "".join(f"<li>{html_text(line)}</li>" for line in facts["citations"]),
        "inputs": "".join(
            f"<tr><td>{html_text(one['role'])}</td><td><bdi>{html_text(one['name'])}</bdi></td><td>{html_text(one['of'])}</td><td><code>{one['sha256']}</code></td></tr>"
            for one in facts["inputs"]
        ),
        "version": html_text(facts["version"]),
    }


def _words(words: list[str | int], names: list[str]) -> str:
    return "".join(
        html_text(word) if isinstance(word, str) else f"<bdi>{html_text(names[word])}</bdi>" for word in words
    )
