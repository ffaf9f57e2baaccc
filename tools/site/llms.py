"""`llms.txt`, `llms-full.txt`, and the Markdown of each page beside its HTML, for programs that read the site."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site.navigation import ordered, sections, title_of

_HEAD = """\
# judged

> Your rankings, judged: `judged` measures how good a ranking is, tests whether one ranking is better than another, and shows where and why. Python package, command line and one-page HTML report.

Every page below is Markdown; links in pages are relative. `llms-full.txt` has the written pages in one file.
"""
_GENERATED = {"reference/measures": "Measures", "reference/api": "Python API", "reference/cli": "Command line"}


def write_llms(pages: dict[str, str], site: Path) -> None:
    """Write both files and the pages into the site."""
    for path, text in pages.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(plain(text), encoding="utf-8")
    (site / "llms.txt").write_text(llms_txt(pages), encoding="utf-8")
    full = [
        plain(pages[path])
        for path in ordered(pages)
        if "/".join(path.split("/")[:2]) not in _GENERATED and not path.startswith("project/")
    ]
    (site / "llms-full.txt").write_text("\n\n".join(full), encoding="utf-8")


def plain(text: str) -> str:
    """The page without the lines that only the site reads."""
    return re.sub(r"\A---\n.*?\n---\n\n", "", text, flags=re.DOTALL)


def llms_txt(pages: dict[str, str]) -> str:
    """The list of all pages by section, each with its first sentence."""
    names = sections()
    listed: dict[str, list[str]] = {}
    for path in ordered(pages):
        part = "/".join(path.split("/")[:2])
        folder, slash, _ = path.partition("/")
        where = _GENERATED.get(part) or names[f"{folder}/" if slash else ""]
        listed.setdefault(where, []).append(f"- [{title_of(pages[path])}]({path}): {summary(pages[path])}")
    return "\n".join([_HEAD, *(line for name, lines in listed.items() for line in (f"## {name}", "", *lines, ""))])


def summary(text: str) -> str:
    """The description of a page, or its first sentence."""
    if found := re.match(r'---\ndescription: "(.*)"\n', text):
        return found[1]
    body = re.sub(r"<!--.*?-->|^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    paragraphs = [p for p in re.split(r"\n\s*\n", body) if p.strip() and not re.match(r"\s*[#|<!>-]", p)]
    first = " ".join(paragraphs[0].split()) if paragraphs else ""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.split(r"(?<=[.?!])\s", first)[0])
