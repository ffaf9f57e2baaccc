"""The reference of measures: an index by family, and one page per measure, from the declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from tools.site.measure_examples import call_examples
from tools.site.writing import block, code, front, prose, relative, table

from judged.evaluation.describe import MeasureDescription, edge_cases
from judged.evaluation.tool_differences import peers_of
from judged.measures.notation import LIST_NOTATION, NOTATION
from judged.measures.registry import MEASURES, Definition
from judged.recommenders.measures import BEYOND
from judged.references import keys_in, references, short_form
from judged.tables.table import Table

FOLDER = "reference/measures/"
FAMILIES = {
    "set": "Sets, without an order",
    "ranked": "Rankings, relevant or not",
    "graded": "Rankings with grades",
    "cascade": "Users who may stop",
    "user model": "User models (C/W/L)",
    "overlap": "Against the ideal ranking",
    "diversity": "Subtopics",
    "preference": "Preferences",
    "group": "Groups of judges",
    "text": "Passages of text",
    "coverage": "How much is judged",
    "count": "Counts",
    "beyond": "Beyond accuracy",
}
_EXAMPLE = "Example: "


def declarations() -> dict[str, list[Definition]]:
    """Every measure of the package by family, in the order of the index."""
    known: list[Definition] = [d for d in MEASURES if d.family != "own"]
    order = list(FAMILIES)
    everything = sorted([*known, *BEYOND], key=lambda d: order.index(family_of(d)))
    return {family: list(members) for family, members in groupby(everything, key=family_of)}


def family_of(d: Definition) -> str:
    """The family; measures beyond accuracy are one."""
    return "beyond" if d.needs == "recommendations" else d.family


def paths() -> dict[str, str]:
    """The page of each measure: its name in lower case; of two that differ only in case, the second has its family in the name."""
    taken: dict[str, str] = {}
    for family, members in declarations().items():
        for d in members:
            path = f"{FOLDER}{d.name.lower()}.md"
            taken[d.name] = (
                path if path not in taken.values() else f"{FOLDER}{d.name.lower()}_{family.replace(' ', '_')}.md"
            )
    return taken


def families() -> dict[str, str]:
    """The family of each page, in words, for the navigation."""
    where = paths()
    return {where[d.name]: FAMILIES[family] for family, members in declarations().items() for d in members}


def measure_pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    known, page_of = declarations(), paths()
    yield f"{FOLDER}index.md", "\n".join(_index(known, page_of))
    for family, members in known.items():
        for d in members:
            yield page_of[d.name], "\n".join(_page(d, family, members, page_of))


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    return text.replace("e.g. ", "e.g.\u00a0").partition(". ")[0].rstrip(".") + "."


def _index(known: dict[str, list[Definition]], page_of: dict[str, str]) -> Iterator[str]:
    count = sum(map(len, known.values()))
    yield from front("Measures", "All measures by family, with one sentence about each.")
    yield f"`judged` has {count} measures. Each page has the idea, the formula, a worked example, the parameters, the names in other tools and the paper; "
    yield "`judged measures NAME` prints most of it. [Which measure should I use?](../../choose.md) helps to choose."
    yield ""
    yield "Write `Name`, `Name@k`, `Name(parameter=value)@k` or `Name@{1,5,10}`; names of other tools are understood."
    for family, members in known.items():
        yield from ("", f"## {FAMILIES[family]}", "")
        yield from table(
            ("measure", "idea"),
            [(f"[{d.name}]({relative(f'{FOLDER}index.md', page_of[d.name])})", _idea(d)) for d in members],
        )
    yield ""


def _idea(d: Definition) -> str:
    return prose(first_sentence(d.intuition or d.description.partition("\n")[0]), f"{FOLDER}index.md")


def _page(d: Definition, family: str, members: list[Definition], page_of: dict[str, str]) -> Iterator[str]:
    page, description = page_of[d.name], MeasureDescription(d)
    first, *others = d.description.split("\n")

    def find(name: str) -> str | None:
        return page_of.get(name.partition("@")[0])

    yield from front(d.name, first_sentence(d.intuition or first))
    if d.intuition:
        yield from (prose(d.intuition, page, find), "")
    yield from (f"**Definition.** {prose(first, page, find)}", *(prose(line, page, find) for line in others), "")
    if d.latex:
        yield from (f"$${d.latex}$$", "", *_notation(d))
    if d.formula:
        yield from (f"In plain text: {code(d.formula)}", "")
    if names := other_names(d):
        yield from (f"Also called {', '.join(map(code, names))}; every name is understood.", "")
    yield from _calls(d)
    yield from _parameters(description, page)
    yield from (
        "## Range and laws",
        "",
        *(f"- {prose(fact[0].upper() + fact[1:], page)}." for fact in facts(d, description)),
        "",
    )
    yield from _edge_cases(d, page)
    yield from _example(description)
    yield from _other_tools(d, page)
    yield from _paper(d)
    related = [m for m in members if m is not d]
    links = ", ".join(f"[{m.name}]({relative(page, page_of[m.name])})" for m in related)
    yield from (
        "## Related measures",
        "",
        f"{FAMILIES[family]}: {links}. [All measures](index.md) · [Which measure should I use?](../../choose.md)",
        "",
    )


def other_names(d: Definition) -> list[str]:
    """The names that a measure has in other tools and papers, each once."""
    names = [name.removesuffix(" (trec_eval)") for name in MeasureDescription(d).to_data()["aliases"]]
    return [name for name in dict.fromkeys(names) if name != d.name]


def _notation(d: Definition) -> Iterator[str]:
    """The symbols of the formula."""
    symbols = LIST_NOTATION if d.needs == "recommendations" else NOTATION
    rows = [
        (", ".join(f"${one}$" for one in key.split(r",\ ")), text)
        for key, text in symbols.items()
        if _used(key, d.latex)
    ]
    if rows:
        yield from (*table(("symbol", "meaning"), rows), "")


def _used(key: str, latex: str) -> bool:
    """True if a formula has one of the symbols of a key."""
    letters = re.sub(r"\\mathrm\{[^}]*\}|\\[a-zA-Z]+", " ", latex)
    for symbol in key.split(r",\ "):
        if symbol == r"[\ldots]":
            found = "[" in letters
        elif len(symbol) == 1:
            found = re.search(rf"(?<![A-Za-z]){symbol}(?![A-Za-z_^])", letters) is not None
        else:
            found = symbol.split(r" \le")[0].replace(" ", "") in latex.replace(" ", "")
        if found:
            return True
    return False


def facts(d: Definition, description: MeasureDescription) -> list[str]:
    """Range and laws in words."""
    words = description.to_data()["properties"]
    if d.range is not None:
        low, high = (f"{limit:g}".replace("inf", "∞") for limit in d.range)
        return [f"values are between {low} and {high}", f"one value per {'user' if d.of == 'user' else 'run'}", *words]
    return list(words)


def _calls(d: Definition) -> Iterator[str]:
    yield from ("## Use it", "")
    yield from call_examples(d)


def _parameters(description: MeasureDescription, page: str) -> Iterator[str]:
    rows = description.to_data()["parameters"]
    if rows:
        yield from ("## Parameters", "")
        yield from table(("parameter", "default", "meaning"), [(code(r["parameter"].split()[0]) + r["parameter"][len(r["parameter"].split()[0]) :], code(r["default"]), prose(r["meaning"], page)) for r in rows])  # fmt: skip
        yield ""


def _edge_cases(d: Definition, page: str) -> Iterator[str]:
    cases = edge_cases(d)
    if cases:
        rows = [(prose(c.case, page), "no value" if c.value is None else f"{c.value:.6g}") for c in cases]
        yield from ("## Edge cases", "", "Computed, for one query:", "", *table(("case", "value"), rows), "")
        yield from (
            "[Policies](../policies.md) change which queries count and what a query without a relevant document is worth.",
            "",
        )


def _example(description: MeasureDescription) -> Iterator[str]:
    for t in [
        t for t in description.tables() if t.title.startswith(_EXAMPLE)
    ]:  # other tables have sections of their own
        yield from ("## Worked example", "", *_shown(t))


def _shown(t: Table) -> Iterator[str]:
    title = t.title.removeprefix(_EXAMPLE)
    yield from (f"{title}:", "", *table(t.headers, t.rows, numbers=True), "")
    for note in t.notes:
        yield from (f"{code(note)}", "")


def _other_tools(d: Definition, page: str) -> Iterator[str]:
    peers = peers_of(d) if d.needs != "recommendations" else []
    if peers:
        yield from ("## In other tools", "")
        rows = [(p.tool, code(p.name), prose(p.difference, page) if p.difference else "the same") for p in peers]
        yield from (*table(("tool", "name there", "differs from the defaults here"), rows), "")
        yield from ("A [profile](../profiles.md) computes the values of a tool.", "")


def _paper(d: Definition) -> Iterator[str]:
    if not d.paper:
        return
    yield from ("## Paper", "", f"{short_form(d.paper)}.", "")
    for key in keys_in(d.paper):
        yield from (*block(references()[key].bibtex, "bibtex"), "")
