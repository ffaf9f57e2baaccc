"""Order and titles of the pages: the navigation, and the order of `llms.txt`."""

from __future__ import annotations

import re
from typing import Any

from tools.site.api_names import purposes
from tools.site.measure_pages import families

# Sections in reading order, and in each the pages that come first; others follow by name. A folder is a section of its own.
ORDER = [
    "index.md",
    "start.md",
    ("Tutorials", "tutorials", "index trec shop rag recommender lightgbm assessors spark"),
    ("Learn", "learn", "index sets ranked curves average_precision first_hit graded users roc judges comparing correlation play notes"),
    "choose.md",
    ("Guides", "guides", "index inputs comparison power curves fusion correlation gate report rag recommenders arrays letor training judging agreement clicks integrations scale"),
    ("Reference", "reference", "index measures policies profiles api cli formats errors trec_eval"),
    ("Explanations", "explanations", "index statistics error_rates unjudged ties conventions reproducibility join spark benchmarks decisions"),
    ("Migration", "migration", "index trec_eval pytrec_eval ir_measures ranx beir sklearn"),
    "questions.md",
    ("Project", "project", "changelog contributing architecture benchmarks benchmarks_scale benchmarks_notes"),
]  # fmt: skip
TITLES = {"index.md": "Home", "questions.md": "Questions"}


def title_of(text: str) -> str:
    """The first heading of a page, without marks."""
    found = re.search(r"^# (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return re.sub(r"[`*]|\\(?=[_*<])", "", found[1]).strip() if found else "Untitled"


def ordered(pages: dict[str, str]) -> list[str]:
    """The paths of all pages in reading order."""
    return [*dict.fromkeys([*_paths(navigation(pages)), *pages])]


def navigation(pages: dict[str, str]) -> list[Any]:
    """The navigation of the pages that exist, as zensical reads it."""
    entries: list[Any] = []
    for item in ORDER:
        if isinstance(item, str):
            entries += [{TITLES.get(item) or title_of(pages[item]): item}] if item in pages else []
            continue
        name, folder, first = item
        if children := _section(pages, f"{folder}/", first.split()):
            entries.append({name: children})
    return entries


def _section(pages: dict[str, str], folder: str, first: list[str]) -> list[Any]:
    names = {path.removeprefix(folder).split("/")[0].removesuffix(".md") for path in pages if path.startswith(folder)}
    chosen = [name for name in first if name in names] + sorted(names - set(first))
    entries: list[Any] = []
    for name in chosen:
        page, index = f"{folder}{name}.md", f"{folder}{name}/index.md"
        if page in pages:
            entries.append({title_of(pages[page]): page} if name != "index" else page)
        elif index in pages:
            entries.append({title_of(pages[index]): [index, *_listed(pages, f"{folder}{name}/")]})
    return entries


def _listed(pages: dict[str, str], folder: str) -> list[Any]:
    """The other pages of a generated folder, in their order, in the groups of its index."""
    group_of = {**families(), **purposes()}
    entries: list[Any] = []
    groups: dict[str, list[Any]] = {}
    for path in (path for path in pages if path.startswith(folder) and path != f"{folder}index.md"):
        inside, _, _ = path.removeprefix(folder).rpartition("/")
        name = group_of.get(path) or (f"jd.{inside}" if inside else "")
        entry = {title_of(pages[path]).removeprefix(f"{inside}."): path}
        if name and name not in groups:
            groups[name] = []
            entries.append({name: groups[name]})
        (groups[name] if name else entries).append(entry)
    return entries


def _paths(entries: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        value = entry if isinstance(entry, str) else next(iter(entry.values()))
        found += [value] if isinstance(value, str) else _paths(value)
    return found
