"""The public names of the package: the page of each, and their order by purpose."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import judged

FOLDER = "reference/api/"
GROUPS = {  # of the names at the top level, in the order of the index
    "Evaluate": "evaluate score Evaluator join Values",
    "Explain": "explain describe conventions cite",
    "Compare and decide": "compare Comparison leaderboard power variance gate baseline Gate report",
    "Curves, correlation and fusion": "curve correlate fuse tune_fusion",
    "Judgments": "pool label model_judge pool_bias agree merge_judgments",
    "Read and write": "read_run read_qrels read_questions write_run write_qrels load Run Qrels sample_path",
    "Measures": "measure",
    "Conventions": "Policy",
    "Engines": "Threads Spark",
    "Errors": "JudgedError DataError UsageError FileError EngineError",
    "Core": "Judged __version__",
}
NAMESPACES = ("clicks", "curves", "recommenders", "rag", "stats", "measures", "integrations", "compat", "typing")
_MODULES = ("integrations", "compat")  # whose names are modules
_LAST = "typing"  # result classes, most of which have a page elsewhere


@dataclass(frozen=True)
class PublicName:
    """A public name: how it is written after `jd.`, the thing itself, its page, and other names of the same thing."""

    name: str
    thing: Any
    page: str
    aliases: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition(".")[2]


def public_names() -> dict[str, Any]:
    """Every public name and what it is: at the top level, and in each namespace."""
    top = [name for name in judged.__all__ if not isinstance(getattr(judged, name), ModuleType)]
    order = [name for names in GROUPS.values() for name in names.split()]
    top.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    found = {name: getattr(judged, name) for name in top}
    for space in NAMESPACES:
        module = import_module(f"judged.{space}")
        order = sorted(module.__all__, key=lambda n, m=module: (n.lower(), inspect.isclass(getattr(m, n))))
        found |= {f"{space}.{name}": getattr(module, name) for name in order}
    return found


@cache
def pages() -> tuple[PublicName, ...]:
    """One entry per thing; a thing with several names has one page, under the first of them."""
    first: dict[Any, str] = {}
    also: dict[str, list[str]] = {}
    for name, thing in public_names().items():
        key = id(thing) if not isinstance(thing, str) else name
        if key in first:
            also[first[key]].append(name)
        else:
            first[key] = name
            also[name] = []
    known = public_names()
    taken: dict[str, str] = {}
    for name in also:
        path = f"{FOLDER}{name.replace('.', '/').lower().strip('_')}.md"
        if path in taken.values():
            path = f"{path.removesuffix('.md')}_class.md"
        assert path not in taken.values(), f"two public names have the page {path}"
        taken[name] = path
    return tuple(PublicName(name, known[name], taken[name], tuple(others)) for name, others in also.items())


def purposes() -> dict[str, str]:
    """The group of each page of the top level, for the navigation."""
    group_of = {name: group for group, names in GROUPS.items() for name in names.split()}
    return {entry.page: group_of[entry.name] for entry in pages() if entry.name in group_of}


@cache
def page_of_name() -> dict[str, str]:
    """The page of each name and alias; for links also names without their namespace, if only one thing has them."""
    found = {name: entry.page for entry in pages() for name in (entry.name, *entry.aliases)}
    short: dict[str, set[str]] = {}
    for name, page in found.items():
        short.setdefault(name.rpartition(".")[2], set()).add(page)
    return {**{name: next(iter(those)) for name, those in short.items() if len(those) == 1}, **found}


def find(name: str) -> str | None:
    """The page for a name as docstrings write it: `evaluate`, `jd.stats.rbo`, `Values.mean`, `score(…)`; a common word is no link."""
    name = name.partition("(")[0]
    known = page_of_name()
    if name in known:
        return known[name] if "." in name or name[:1].isupper() or "_" in name or name in judged.__all__ else None
    owner = name.rpartition(".")[0]
    return known.get(owner) if owner[:1].isupper() else None
