"""Write docs/measures.md from the declarations of the measures: `python tools/make_docs.py`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from judged.evaluation.explain.describe import MeasureDescription
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES

TARGET = Path(__file__).resolve().parent.parent / "docs" / "measures.md"
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
        "The conventions of another tool, all at once: `evaluate(…, profile=NAME)`, `--profile NAME`.",
        "",
    ]
    lines += ["| profile | what it sets |", "|---|---|", *(f"| `{p.name}` | {p.text} |" for p in PROFILES.values()), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
