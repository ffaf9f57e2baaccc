"""Markdown that the generators write: tables, code, and text of docstrings with links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence

_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_PAGE = re.compile(r"docs/([\w/]+\.md(?:#[\w-]+)?)")
Find = Callable[[str], str | None]  # from a name in code to the page that describes it


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> list[str]:
    """Lines of a table; cells may contain Markdown, and vertical bars in them are escaped. Numbers are aligned right."""
    cells = [[re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (headers, ["---:" if numbers else "---"] * len(headers), *cells)]


def block(text: str, language: str = "text") -> list[str]:
    """Lines of a fenced block of code."""
    return [f"```{language}", *text.rstrip("\n").split("\n"), "```"]


def code(text: str) -> str:
    """Return a word of code within a sentence."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def prose(text: str, page: str, find: Find = lambda name: None) -> str:
    """Text of a docstring or a declaration, for a page: what is not code is taken literally, and names in code become links."""
    parts, last = [], 0
    for match in _CODE.finditer(text):
        parts += [_literal(text[last : match.start()], page), _linked(match[0], match[2], page, find)]
        last = match.end()
    return "".join([*parts, _literal(text[last:], page)])


def _literal(text: str, page: str) -> str:
    text = re.sub(r"([*_<\[\]])", r"\\\1", text)
    return _PAGE.sub(lambda m: f"[{_title(m[1])}]({relative(page, m[1])})", text.replace("\\_", "_"))


def _linked(written: str, inside: str, page: str, find: Find) -> str:
    named = _PAGE.fullmatch(inside)
    if named is not None:
        return f"[{_title(named[1])}]({relative(page, named[1])})"
    target = find(inside.removeprefix("jd."))
    return written if target is None or target == page else f"[{written}]({relative(page, target)})"


def _title(path: str) -> str:
    return path.partition("#")[0].removesuffix(".md").removesuffix("/index").rpartition("/")[2].replace("_", " ")


def relative(page: str, target: str) -> str:
    """The link from a page to another one, both as paths below `docs`."""
    path, mark, anchor = target.partition("#")
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def front(title: str, description: str = "") -> list[str]:
    """The lines that begin a generated page."""
    return ["---", f"description: {_quoted(description)}", "---", "", f"# {title}", ""] if description else [f"# {title}", ""]  # fmt: skip


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "").replace('"', "'").replace("`", "") + '"'
