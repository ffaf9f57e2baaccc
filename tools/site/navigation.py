"""Order and titles of the pages: the navigation, and the order of `llms.txt`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tools.site.api_names import purposes
from tools.site.measure_pages import families


class Section(NamedTuple):
    """Pages of one folder under a title, those named first in this order; and sections inside it."""

    title: str
    folder: str
    first: str
    inside: tuple[Section, ...] = ()


PAGES = Section("Start", "", "start choose not_read questions")  # all other pages are in folders
TABS = (
    PAGES,
    Section("Tutorials", "tutorials/", "index trec shop rag recommender lightgbm assessors spark"),
    Section(
        "Guides",
        "guides/",
        "index inputs comparison power curves fusion correlation gate report rag recommenders arrays letor training judging agreement clicks integrations scale",
        (Section("Coming from another tool", "migration/", "index trec_eval pytrec_eval ir_measures ranx beir sklearn"),),
    ),
    Section(
        "Learn",
        "learn/",
        "index sets ranked curves average_precision first_hit graded users roc judges comparing correlation play notes",
    ),
    Section(
        "Reference",
        "reference/",
        "index measures policies profiles api cli formats trec_eval",
        (
            Section("Explanations", "explanations/", "statistics unjudged ties conventions reproducibility join judging spark benchmarks decisions"),
            Section("Project", "project/", "changelog contributing architecture benchmarks benchmarks_scale benchmarks_notes"),
        ),
    ),
)  # fmt: skip
LINKED_ONLY = ("reference/errors.md", "explanations/error_rates.md")  # generated lists, which other pages link


def title_of(text: str) -> str:
    """The first heading of a page, without marks."""
    found = re.search(r"^# (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return re.sub(r"[`*]|\\(?=[_*<])", "", found[1]).strip() if found else "Untitled"


def ordered(pages: dict[str, str]) -> list[str]:
    """The paths of all pages in reading order."""
    return [*dict.fromkeys([*paths_of(navigation(pages)), *pages])]


def navigation(pages: dict[str, str]) -> list[Any]:
    """The navigation of the pages that exist, as zensical reads it: at most six tabs, the first of which is the home page."""
    return [{"Home": "index.md"}, *({tab.title: _section(pages, tab)} for tab in TABS)]


def sections() -> dict[str, str]:
    """The title of the section of each folder."""
    return {section.folder: section.title for tab in TABS for section in (tab, *tab.inside)}


def _section(pages: dict[str, str], section: Section) -> list[Any]:
    folder, first = section.folder, section.first.split()
    here = [path for path in pages if path.startswith(folder) and path not in LINKED_ONLY]
    names = {path.removeprefix(folder).split("/")[0].removesuffix(".md") for path in here}
    rest = sorted(names - set(first)) if folder else []
    entries: list[Any] = []
    for name in [*first, *rest]:
        page, index = f"{folder}{name}.md", f"{folder}{name}/index.md"
        if page in pages:
            entries.append({title_of(pages[page]): page} if name != "index" else page)
        elif index in pages:
            entries.append({title_of(pages[index]): [index, *_listed(pages, f"{folder}{name}/")]})
    return [*entries, *({inner.title: _section(pages, inner)} for inner in section.inside)]


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


def paths_of(entries: list[Any]) -> list[str]:
    """The paths of the pages of a navigation."""
    found: list[str] = []
    for entry in entries:
        value = entry if isinstance(entry, str) else next(iter(entry.values()))
        found += [value] if isinstance(value, str) else paths_of(value)
    return found
