"""Write docs/measures.md and parts of docs/comparison.md, docs/formats.md and docs/fusion.md from the declarations: `python tools/make_docs.py`."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from judged.evaluation.explain.describe import MeasureDescription
from judged.fusion.normalise import NORMALISATIONS
from judged.fusion.registry import FUSIONS
from judged.io.formats.shapes import all_shapes, all_writers
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES
from judged.references.bibliography import short_form
from judged.stats.effect_sizes import EFFECTS
from judged.stats.multiple.corrections import CORRECTIONS
from judged.stats.paired.registry import TESTS

DOCS = Path(__file__).resolve().parent.parent / "docs"
TARGET = DOCS / "measures.md"
COMPARISON = DOCS / "comparison.md"
FORMATS = DOCS / "formats.md"
FUSION = DOCS / "fusion.md"
FAMILIES = {
    "set": "Sets: which documents, not in which order",
    "count": "Counts",
    "ranked": "Rankings with relevant and non-relevant documents",
    "graded": "Rankings with grades",
    "cascade": "Users who may stop",
    "user model": "Users who go on with a known probability (C/W/L)",
    "coverage": "How much is judged",
    "diversity": "Several subtopics",
    "group": "Several groups of judges",
    "preference": "Preferences",
    "text": "Text: how much of what was looked for is retrieved",
}


def page() -> str:
    """All measures by family, each with its page as `judged measures NAME` prints it; then the profiles."""
    lines = [
        "# Measures", "",
        "Made from the declarations by `tools/make_docs.py`; `judged measures NAME` prints the same.", "",
        "Write `Name`, `Name@k`, `Name(param=value)@k` or `Name@{1,5,10}`; names of other tools are understood.", "",
    ]  # fmt: skip
    order = {family: i for i, family in enumerate(FAMILIES)}
    known = sorted((d for d in MEASURES if d.family != "own"), key=lambda d: order.get(d.family, 99))
    for family, members in groupby(known, key=lambda d: d.family):
        lines += [f"## {FAMILIES.get(family, family)}", ""]
        for definition in members:
            body = str(MeasureDescription(definition)).partition("\n")[2].strip()
            lines += [f"### {definition.name}", "", "```text", body, "```", ""]
    lines += [
        "## Profiles",
        "",
        "The conventions of another tool, all at once: `evaluate(…, profile=NAME)`, `--profile NAME`. Explicit parameters and options "
        "take precedence. A profile may set policies for single measures; results print them as `policy of RR@10: …`. Each profile is compared with its tool in "
        "`tests/conformance/test_profiles.py`; the last column has what differs all the same.",
        "",
    ]
    lines += ["| profile | what it sets | not the same |", "|---|---|---|"]
    lines += [*(f"| `{p.name}` | {p.text} | {p.except_for} |" for p in PROFILES.values()), ""]
    return "\n".join(lines)


def comparison_page(text: str) -> str:
    """The page of comparisons with its tables of tests, corrections and effect sizes made anew."""
    tests = [
        (f"`{t.name}`", t.null, t.assumes, short_form(t.paper))
        for t in sorted(TESTS, key=lambda t: (t.name != "permutation", t.name))
    ]
    corrections = [(f"`{c.name}`", c.controls, c.text, short_form(c.paper)) for c in CORRECTIONS]
    effects = [(f"`{e.name}`", e.text, f"{e.none:g}", short_form(e.paper)) for e in EFFECTS]
    return _with_tables(
        text,
        ("tests", ("test", "null hypothesis", "assumes", "paper"), tests),
        ("corrections", ("correction", "controls", "remark", "paper"), corrections),
        ("effects", ("effect size", "definition", "no effect", "paper"), effects),
    )


def fusion_page(text: str) -> str:
    """The page of fusion with its tables of methods and normalisations made anew."""
    needs = {"needed": "weights", "optional": "takes weights", "none": ""}
    methods = [
        (f"`{m.usage}`", m.text, m.uses, "judgments" if m.train else needs[m.weights], m.missing, short_form(m.paper))
        for m in FUSIONS
    ]
    norms = [(f"`{n.name}`", n.text) for n in NORMALISATIONS]
    return _with_tables(
        text,
        ("methods", ("method", "fused score", "uses", "needs", "a document that a run lacks", "paper"), methods),
        ("normalisations", ("normalisation", "score s at rank r of n"), norms),
    )


def _with_tables(text: str, *tables: tuple[str, tuple[str, ...], list[tuple[str, ...]]]) -> str:
    """The text with each table between its marker and the end."""
    for marker, headers, rows in tables:
        lines = ["| " + " | ".join(row) + " |" for row in (headers, ("---",) * len(headers), *rows)]
        text = _fill(text, marker, lines)
    return text


def formats_page(text: str) -> str:
    """The page of formats with the JSON documents and the formats of judgments that are declared."""
    kinds = {"run": "a run", "qrels": "judgments", "texts": "texts"}
    rows = (f"| `{writer.name}` | {kinds[writer.kind]} | {writer.target} |" for writer in all_writers())
    writers = ["| name | contents | read by |", "|---|---|---|", *rows]
    shapes: list[str] = []
    for shape in all_shapes():
        parts = " and ".join(word for kind, word in kinds.items() if getattr(shape, kind) is not None)
        parts = "questions, with judgments and rankings" if shape.questions else parts
        required = ", ".join(f"`{path}`" for path in shape.requires)
        shapes += [f"### {shape.name}", "", f"From {shape.origin}. Read as {parts}; recognised by {required}.", ""]
        shapes += ["```json", shape.example, "```", ""]
    return _fill(_fill(text, "writers", writers), "shapes", shapes[:-1])


def _fill(text: str, marker: str, lines: list[str]) -> str:
    """The text with new lines between a marker and the end of its part."""
    start = f"<!-- {marker}: generated by tools/make_docs.py -->"
    made = "\n".join([start, "", *lines, "", "<!-- end -->"])
    return re.sub(rf"{re.escape(start)}.*?<!-- end -->", lambda _: made, text, count=1, flags=re.DOTALL)


if __name__ == "__main__":
    FORMATS.write_text(formats_page(FORMATS.read_text(encoding="utf-8")), encoding="utf-8")
    FUSION.write_text(fusion_page(FUSION.read_text(encoding="utf-8")), encoding="utf-8")
    COMPARISON.write_text(comparison_page(COMPARISON.read_text(encoding="utf-8")), encoding="utf-8")
    TARGET.write_text(page(), encoding="utf-8")
