"""Docstrings as Markdown: paragraphs, sections such as `Args`, examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.site.api_examples import with_imports
from tools.site.writing import Find, block, code, prose, table

_SECTIONS = ("Args", "Attributes", "Raises", "Returns")
_ENTRY = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (.*)$")


@dataclass
class Docstring:
    """The parts of a docstring: `body` has paragraphs and blocks in their order, each with its kind (text, code or pycon)."""

    body: list[tuple[str, str]] = field(default_factory=list)
    sections: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first sentence or line."""
        first = " ".join(self.body[0][1].split()) if self.body and self.body[0][0] == "text" else ""
        return re.split(r"(?<=[.])\s", first)[0]


def parse(text: str) -> Docstring:
    """Take a docstring apart."""
    found = Docstring()
    lines = inspect.cleandoc(text).split("\n")
    while lines:
        if not lines[0].strip():
            lines.pop(0)
        elif lines[0].rstrip(":") in _SECTIONS and lines[0].endswith(":"):
            name = lines.pop(0).rstrip(":")
            found.sections[name] = _entries(_taken(lines, lambda line: not line.strip() or line.startswith(" ")))
        elif lines[0].startswith(">>>"):
            found.body.append(("pycon", "\n".join(_taken(lines, lambda line: bool(line.strip())))))
        elif lines[0].startswith("    "):
            inside = _taken(lines, lambda line: not line.strip() or line.startswith("    "))
            found.body.append(("code", inspect.cleandoc("\n".join(inside))))
        else:
            found.body.append(
                ("text", "\n".join(_taken(lines, lambda line: bool(line.strip()) and not line.startswith(">>>"))))
            )
    return found


def _taken(lines: list[str], while_true: object) -> list[str]:
    assert callable(while_true)
    taken: list[str] = []
    while lines and while_true(lines[0]):
        taken.append(lines.pop(0))
    return taken


def _entries(lines: list[str]) -> list[tuple[str, str]]:
    """Names and their texts; a text without a name belongs to the name above it."""
    entries: list[tuple[str, str]] = []
    for line in inspect.cleandoc("\n".join(["", *lines])).split("\n"):
        match = _ENTRY.match(line)
        if match:
            entries.append((match[1], match[2]))
        elif entries and line.strip():
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}")
        elif line.strip():
            entries.append(("", line.strip()))
    return entries


def markdown(doc: Docstring, page: str, find: Find, *, module: str = "", heading: str = "##") -> Iterator[str]:
    """The docstring on a page: sections as tables, examples last, with imports of the names that they take from the module."""
    for kind, text in doc.body:
        if kind == "text":
            yield from (prose(text, page, find), "")
        elif kind == "code":
            yield from (*block(text, "python"), "")
    for name, entries in doc.sections.items():
        title = {"Args": "Parameters"}.get(name, name)
        first = {"Raises": "error", "Returns": "value"}.get(name, "name")
        rows = [
            (", ".join(code(one.strip()) for one in names.split(",") if one.strip()), prose(text, page, find))
            for names, text in entries
        ]
        yield from (
            f"{heading} {title}" if heading == "##" else f"**{title}**",
            "",
            *table((first, "meaning"), rows),
            "",
        )
    examples = [text for kind, text in doc.body if kind == "pycon"]
    if examples:
        yield from (f"{heading} Examples" if heading == "##" else "**Examples**", "")
        for text in examples:
            yield from (*block(with_imports(text, module) if module else text, "pycon"), "")
