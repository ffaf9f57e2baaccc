"""The index of the search: what people type leads to the page that answers it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from tools.site.measure_pages import declarations, other_names, paths

ERRORS = "reference/errors"
# Sections that say of one measure or name what the same section says of the others.
_ALIKE = {
    "reference/measures": "use-it range-and-laws edge-cases worked-example paper related-measures",
    "reference/api": "keyword-options raises methods-of-every-result inherited-methods tables records to_data",
}
# What people call a measure whose name is an abbreviation: the search prefers titles that begin with the word.
_CALLED = {
    "R": "Recall",
    "P": "Precision",
    "AP": "MAP, average precision",
    "RR": "MRR, reciprocal rank",
    "F": "F-measure, F1",
    "Success": "Hit rate",
}
_ROW = re.compile(r'^\| <a id="([^"]+)"></a>`[^`]+`( \([^)]*\))? \| (.*?) \| (.*?) \|$', re.MULTILINE)
Item = dict[str, Any]


def write_search(pages: dict[str, str], site: Path) -> None:
    """Rewrite the index that zensical wrote."""
    path = site / "search.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    index["items"] = searched(index["items"], pages[f"{ERRORS}.md"])
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def searched(items: list[Item], errors: str) -> list[Item]:
    """The sections that the search finds: each error by its slug, measures by all their names, and what many pages repeat once."""
    seen: set[tuple[str, str]] = set()
    kept: list[Item] = []
    for item in [*(_titled(item) for item in items if not _repeated(item["location"])), *_errors(errors)]:
        key = item["title"], item["text"]
        if not item["text"] or key not in seen:
            kept.append(item)
        seen.add(key)
    return kept


def _repeated(location: str) -> bool:
    page, _, anchor = location.partition("#")
    if page.startswith("project/") or page == f"{ERRORS}/":
        return bool(anchor)
    return any(page.startswith(f"{folder}/") and anchor in words.split() for folder, words in _ALIKE.items())


def _titled(item: Item) -> Item:
    """A measure with its other names, and a method with its class: `map` alone is the name of a measure too."""
    location, title, path = item["location"], item["title"], item["path"]
    if names := _measures().get(location):
        if called := _CALLED.get(title):
            path = [*path[:-1], called]
        title = f"{f'{called}: ' if called else ''}{title} ({', '.join(names)})"
    elif location.startswith("reference/api/") and item["level"] == 3 and path:
        title = f"{path[-1]}.{re.sub('<[^>]+>', '', title)}"
    return {**item, "title": title, "path": path}


@cache
def _measures() -> dict[str, list[str]]:
    page_of = paths()
    return {
        page_of[d.name].removesuffix(".md") + "/": other_names(d)
        for members in declarations().values()
        for d in members
    }


def _errors(text: str) -> list[Item]:
    """One entry for each row of the page of errors, under its slug."""
    return [
        {
            "location": f"{ERRORS}/#{slug}",
            "level": 2,
            "title": f"{slug}{kind or ''}",
            "text": f"<p>{meaning}</p> <p>{example}</p>",
            "path": ["Reference", "Errors and warnings"],
            "tags": [],
        }
        for slug, kind, meaning, example in _ROW.findall(text)
    ]
