r"""A Markdown extension: `$\frac{1}{r}$` and `$$…$$` become MathML, which browsers draw without a script."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

# No blank after the first sign and before the last one, no digit after it: prices stay prices.
_INLINE = r"(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![\w$])"
_BLOCK = re.compile(r"^\$\$(.+?)\$\$\s*$", re.DOTALL)


@cache
def mathml(latex: str, *, block: bool = False) -> str:
    """Return a formula as MathML; the LaTeX is its text for readers without MathML."""
    upright = re.sub(r"\\mathrm\{((?:[^{}\\]|\\_)*)\}", lambda m: rf"\text{{{m[1].replace(chr(92), '')}}}", latex)
    made = convert(upright, display="block" if block else "inline")
    made = re.sub(r"<mi>(&#x0230[A-B];)</mi>", r"<mo>\1</mo>", made)  # brackets of rounding
    return made.replace("<math ", f'<math alttext="{html.escape(latex)}" ', 1)


class MathExtension(Extension):
    """Registers the two patterns."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        """Add the patterns before those of emphasis and escapes."""
        md.inlinePatterns.register(_Inline(_INLINE, md), "judged-math", 185)
        md.parser.blockprocessors.register(_Block(md.parser), "judged-math", 175)


class _Inline(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, int, int]:  # type: ignore[override]  # noqa: N802
        return self.md.htmlStash.store(mathml(m[1])), m.start(0), m.end(0)


class _Block(BlockProcessor):
    def test(self, parent: Element, block: str) -> bool:
        return _BLOCK.match(block.strip()) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        latex = _BLOCK.match(blocks.pop(0).strip())
        assert latex is not None
        made = self.parser.md.htmlStash.store(
            f'<div class="formula">{mathml(" ".join(latex[1].split()), block=True)}</div>'
        )
        holder = Element("p")
        holder.text = made
        parent.append(holder)


def makeExtension(**settings: Any) -> MathExtension:  # noqa: N802 - the name that Markdown calls
    """Make the extension."""
    return MathExtension(**settings)
