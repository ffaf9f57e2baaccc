"""A Markdown extension: tables that are too wide for a phone have the names of their columns in each cell, so that rows can become lists."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

# In pixels of a phone of 390: the width of a table, a letter, a letter of code, and the margins of a column.
_PHONE, _LETTER, _CODE, _MARGINS = 380, 8.2, 7.8, 10
_STASHED = "\x02"  # begins a placeholder of Markdown, such as a formula


class TableExtension(Extension):
    """Registers the processor."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        """Add it after the inline patterns, which make code and links of the cells."""
        md.treeprocessors.register(_Tables(md), "judged-tables", 15)


class _Tables(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            rows = [list(row) for row in table.iter("tr")]
            if sum(max(map(_narrowest, column)) + _MARGINS for column in zip(*rows, strict=False)) <= _PHONE:
                continue
            table.set("data-stacked", "")
            names = ["".join(cell.itertext()).strip() for cell in rows[0]]
            for row in rows[1:]:
                for name, cell in zip(names, row, strict=False):
                    if name and _STASHED not in name:
                        cell.set("data-label", name)


def _narrowest(cell: Element) -> float:
    """The width of the longest word of a cell, which a browser does not break."""
    text = max((len(word) for word in "".join(cell.itertext()).split() if _STASHED not in word), default=0)
    code = max((len(word) for part in cell.iter("code") for word in "".join(part.itertext()).split()), default=0)
    return max(text * _LETTER, code * _CODE)


def makeExtension(**settings: Any) -> TableExtension:  # noqa: N802 - the name that Markdown calls
    """Make the extension."""
    return TableExtension(**settings)
