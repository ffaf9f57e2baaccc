"""The reference of Python: an index by purpose and one page per public name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tools.site.api_names import FOLDER, GROUPS, NAMESPACES, PublicName, find, page_of_name, pages
from tools.site.docstrings import markdown, parse
from tools.site.signatures import attributes, inherited, keyword_options, methods, signature
from tools.site.writing import block, code, front, prose, relative, table

from judged.registry import Registry
from judged.tables.result import Result

_GUIDES = {  # by the module that has the name; the longest prefix counts
    "judged.clicks": "guides/clicks.md", "judged.comparison": "guides/comparison.md", "judged.comparison.power": "guides/power.md",
    "judged.compat": "migration/index.md", "judged.core.policy": "reference/policies.md", "judged.correlation": "guides/correlation.md",
    "judged.curves": "guides/curves.md", "judged.distributed": "guides/scale.md", "judged.errors": "reference/errors.md",
    "judged.evaluation": "guides/inputs.md", "judged.evaluation.arrays": "guides/arrays.md", "judged.evaluation.conventions": "explanations/conventions.md",
    "judged.evaluation.roll_up": "guides/rag.md", "judged.evaluation.stream": "guides/training.md",
    "judged.fusion": "guides/fusion.md", "judged.integrations": "guides/integrations.md", "judged.io": "reference/formats.md", "judged.io.questions": "guides/rag.md", "judged.evaluation.chunk_table": "guides/rag.md",
    "judged.judging.agreement": "guides/agreement.md", "judged.judging.merge": "guides/agreement.md", "judged.judging": "guides/judging.md", "judged.page": "guides/report.md", "judged.page.label_page": "guides/judging.md",
    "judged.quality_gate": "guides/gate.md", "judged.recommenders": "guides/recommenders.md", "judged.stats": "guides/comparison.md",
    "judged.stats.agreement": "guides/agreement.md", "judged.stats.power": "guides/power.md", "judged.stats.rank_correlation": "guides/correlation.md", "judged.stats.rank_overlap": "guides/correlation.md",
}  # fmt: skip
_SPACES = {
    "clicks": "Clicks", "curves": "Curves", "recommenders": "Recommenders", "rag": "Retrieval for question answering", "stats": "Statistics",
    "measures": "Measures", "integrations": "Other libraries", "compat": "Drop-in replacements", "typing": "Result classes",
}  # fmt: skip


def api_pages(exists: set[str]) -> Iterator[tuple[str, str]]:
    """Path and text of each page; `exists` are the written pages that can be linked."""
    yield f"{FOLDER}index.md", "\n".join(_index())
    yield f"{FOLDER}array_functions.md", "\n".join(_array_functions())
    for entry in pages():
        yield entry.page, "\n".join(_page(entry, exists))


def summary(entry: PublicName) -> str:
    """One line about a name."""
    if entry.name == "__version__":
        return "Version of the package."
    if not _documented(entry.thing):
        return _CONSTANTS.get(entry.short) or f"A constant: {type(entry.thing).__name__}."
    return parse(inspect.getdoc(entry.thing) or "").summary


_CONSTANTS = {
    "PROFILES": "Profiles: the conventions of other tools, by name.",
    "MEASURES": "The measures, found by name or alias.",
    "TESTS": "The paired tests, found by name or alias.",
    "CORRECTIONS": "The corrections for several tests, found by name or alias.",
    "SUMMARIES": "The summaries of the values of queries.",
}


def _documented(thing: Any) -> bool:
    return (
        inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismethod(thing) or isinstance(thing, ModuleType)
    )


# ── the index ────────────────────────────────────────────────────────────────────────────────────


def _index() -> Iterator[str]:
    page, known = f"{FOLDER}index.md", {entry.name: entry for entry in pages()}
    yield from front("Python", "Every public name of the package, by purpose.")
    yield from (
        "Everything begins with `import judged as jd`. Names that are not on these pages are internal and may change.",
        "",
    )
    listed = set[str]()
    for title, names in GROUPS.items():
        yield from (f"## {title}", "", *_names([known[name] for name in names.split() if name in known], page), "")
        listed.update(names.split())
    rest = [entry for name, entry in known.items() if "." not in name and name not in listed]
    if rest:
        yield from ("## Others", "", *_names(rest, page), "")
    yield from ("## Measures as objects and as functions", "")
    yield "Every measure is an object in `judged.measures`: `nDCG @ 10`, `AP(level=2)`; [measures](../measures/index.md) lists them. Most are also functions of labels and scores in `judged.metrics`, such as `ndcg(labels, scores, k=10)`: see [their list](array_functions.md)."
    yield ""
    for space in NAMESPACES:
        module = inspect.importlib.import_module(f"judged.{space}")  # type: ignore[attr-defined]
        yield from (f"## jd.{space}", "", prose(parse(module.__doc__ or "").summary, page), "")
        own = [known[name] for name in known if name.startswith(f"{space}.")]
        others = sorted(alias for entry in known.values() for alias in entry.aliases if alias.startswith(f"{space}."))
        yield from (*_names(own, page), "")
        if others:
            links = ", ".join(f"[{code(a.rpartition('.')[2])}]({relative(page, page_of_name()[a])})" for a in others)
            yield from (f"Also here: {links}.", "")


def _names(entries: list[PublicName], page: str) -> list[str]:
    return table(
        ("name", "purpose"), [(f"[`{e.name}`]({relative(page, e.page)})", prose(summary(e), page)) for e in entries]
    )


def _array_functions() -> Iterator[str]:
    from tools.site.measure_examples import array_functions_of
    from tools.site.measure_pages import declarations, paths

    from judged import metrics

    page, where = f"{FOLDER}array_functions.md", paths()
    yield from front("judged.metrics", "Measures as functions of labels and scores.")
    yield f"{len(dir(metrics))} functions take labels and scores as arrays and return one value per list. Names in one row are the same function; parameters are on the page of the measure. "
    yield "The layouts of arrays, masks and groups are in [arrays](../../guides/arrays.md)."
    yield ""
    yield from block("jd.metrics.ndcg(labels, scores, k=None, *, mask=None, pad=None, group=None, qid=None, total_relevant=None,\n        same_kind=False, ties='input', empty='zero', **parameters_of_the_measure)", "python")  # fmt: skip
    yield ""
    rows = [
        (", ".join(code(name) for name in names), f"[{d.name}]({relative(page, where[d.name])})")
        for members in declarations().values()
        for d in members
        if (names := array_functions_of(d))  # type: ignore[arg-type]
    ]
    yield from (*table(("functions", "measure"), rows), "")


# ── one name ─────────────────────────────────────────────────────────────────────────────────────


def _page(entry: PublicName, exists: set[str]) -> Iterator[str]:
    thing, page = entry.thing, entry.page
    yield from front(entry.name.replace("__version__", "\\_\\_version\\_\\_"), summary(entry))
    if isinstance(thing, ModuleType):
        yield from _module(entry)
    elif not _documented(thing):
        yield from _constant(entry)
    else:
        if inspect.isclass(thing):
            yield from _class(entry)
        else:
            yield from (*block(signature(thing, f"jd.{entry.name}"), "python"), "")
            yield from markdown(parse(inspect.getdoc(thing) or ""), page, find, module=thing.__module__)
            yield from _options(thing, page)
    yield from _see_also(entry, exists)


def _class(entry: PublicName) -> Iterator[str]:
    thing, page = entry.thing, entry.page
    if not issubclass(thing, (Result, Exception)) and not getattr(thing, "_is_protocol", False):
        yield from (*block(signature(thing, f"jd.{entry.name}"), "python"), "")
    elif issubclass(thing, Exception):
        base = thing.__mro__[1]
        yield from (f"Bases: {prose(code(base.__name__), page, find)}.", "")
    doc = parse(inspect.getdoc(thing) or "")
    yield from markdown(doc, page, find, module=thing.__module__)
    described = {name.strip() for section in doc.sections.values() for names, _ in section for name in names.split(",")}
    rows = [
        (code(name), code(kind) if kind else "", prose(text, page, find))
        for name, kind, text in attributes(thing)
        if name not in described
    ]
    if rows:
        yield from ("## Attributes", "", *table(("name", "type", "meaning"), rows), "")
    own = list(methods(thing))
    if own:
        yield from ("## Methods", "")
    for name, method in own:
        yield from (f"### {code(name)}", "", *block(signature(method, name), "python"), "")
        yield from markdown(parse(inspect.getdoc(method) or ""), page, find, module=thing.__module__, heading="###")
    rows = [(code(f"{name}()"), prose(parse(text).summary, page, find)) for name, text in inherited(thing)]
    if rows:
        yield from (
            "## Methods of every result" if issubclass(thing, Result) else "## Inherited methods",
            "",
            *table(("method", "meaning"), rows),
            "",
        )


def _options(thing: Any, page: str) -> Iterator[str]:
    rows = [(code(name), code(kind), prose(text, page, find)) for name, kind, text in keyword_options(thing)]
    if rows:
        yield from (
            "## Keyword options",
            "",
            "Those that `**` in the signature stands for:",
            "",
            *table(("option", "type", "meaning"), rows),
            "",
        )


def _module(entry: PublicName) -> Iterator[str]:
    thing, page = entry.thing, entry.page
    yield from markdown(parse(thing.__doc__ or ""), page, find)
    names = getattr(thing, "__all__", None) or [
        n for n, v in vars(thing).items() if not n.startswith("_") and getattr(v, "__module__", "") == thing.__name__
    ]
    described = [
        name for name in names if inspect.isfunction(getattr(thing, name)) or inspect.isclass(getattr(thing, name))
    ]
    for name in described:
        value = getattr(thing, name)
        yield from (f"## {code(name)}", "", *block(signature(value, f"jd.{entry.name}.{name}"), "python"), "")
        yield from markdown(parse(inspect.getdoc(value) or ""), page, find, module=thing.__name__, heading="###")
        if inspect.isclass(value):
            rows = [
                (code(f"{n}()"), prose(parse(inspect.getdoc(m) or "").summary, page, find)) for n, m in methods(value)
            ]
            yield from (*table(("method", "meaning"), rows), "") if rows else ()
    others = [name for name in names if name not in described]
    if others:
        yield from ("## Other names", "", ", ".join(map(code, others)) + ".", "")


def _constant(entry: PublicName) -> Iterator[str]:
    thing, page = entry.thing, entry.page
    yield from (prose(summary(entry), page), "")
    if isinstance(thing, (Registry, dict)):
        values = list(thing.values() if isinstance(thing, dict) else thing)
        names = (
            [getattr(value, "name", str(value)) for value in values]
            if isinstance(thing, Registry)
            else list(map(str, thing))
        )
        yield from (f"{len(names)} entries: {', '.join(map(code, names))}.", "")
    else:
        yield from (*block(f"jd.{entry.name} = {thing!r}".replace("typing.", ""), "python"), "")


def _see_also(entry: PublicName, exists: set[str]) -> Iterator[str]:
    module = (
        entry.thing.__name__
        if isinstance(entry.thing, ModuleType)
        else getattr(entry.thing, "__module__", None) or "judged"
    )
    guides = [
        target
        for prefix, target in sorted(_GUIDES.items(), key=lambda g: -len(g[0]))
        if f"{module}.".startswith(f"{prefix}.")
    ]
    links = (
        [f"[guide]({relative(entry.page, guides[0])})"]
        if guides and (guides[0] in exists or guides[0] == "reference/policies.md")
        else []
    )
    links += [f"[all names]({relative(entry.page, FOLDER + 'index.md')})"]
    same = (
        f"Other names of the same: {', '.join(code(f'jd.{alias}') for alias in entry.aliases)}. "
        if entry.aliases
        else ""
    )
    source = f"Source: `src/{module.replace('.', '/')}.py`. " if module != "judged" and _documented(entry.thing) else ""
    source = source.replace(".py`", "/__init__.py`") if hasattr(entry.thing, "__path__") else source
    yield from (f"{same}{source}See also: {', '.join(links)}.", "")
