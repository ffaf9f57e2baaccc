"""The file itself: data, scripts and styles in one document that asks for nothing from outside.

Scripts are ES modules in `web/`, linted and tested as such. A module cannot import another from disk without a server, so they are
joined into one script: import lines and the word `export` are taken away. Hence a name is declared in one file only; a test looks.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["document", "script", "script_files", "style", "style_files"]

_HERE = Path(__file__).parent / "web"
_IMPORT = re.compile(r"^import \{[^}]*\} from \"([^\"]+)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
_COMMENT = re.compile(
    r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL
)  # that stand alone: a third of all letters
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def script_files() -> list[Path]:
    """The scripts in the order they are joined in: what a file imports comes before it."""
    found: list[Path] = []

    def visit(path: Path) -> None:
        for other in _IMPORT.findall(path.read_text("utf-8")):
            if (needed := (path.parent / other).resolve()) not in found:
                visit(needed)
        if path not in found:
            found.append(path)

    visit((_HERE / "main.js").resolve())
    return found


def style_files() -> list[Path]:
    """The styles: those of the page first, whose colours the others use."""
    return sorted(_HERE.rglob("*.css"), key=lambda path: (path.name != "page.css", path.name))


@cache
def script() -> str:
    """All scripts as one, in a scope of its own."""
    parts = [_EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", path.read_text("utf-8")))) for path in script_files()]
    return '\n(() => {\n"use strict";\n' + "\n".join(parts) + "\nstart();\n})();\n"


@cache
def style() -> str:
    """All styles as one."""
    return "\n" + "\n".join(path.read_text("utf-8") for path in style_files())


def document(
    slots: Mapping[str, str], facts: dict[str, Any], values: np.ndarray[Any, Any], blocks: Iterable[Any]
) -> Iterator[str]:
    """The text of the page, part by part: what is large is packed when it is its turn.

    Args:
        slots: markup for the places that page.html leaves open; escaped already.
        facts: see data.js.
        values: of measures × runs × queries.
        blocks: details of queries, see data.js.
    """
    theme = "\n" + (_HERE / "theme.js").read_text("utf-8")
    before, after = (_HERE / "page.html").read_text("utf-8").split("{{data}}\n")
    own = {"policy": _policy([theme, script()], style()), "theme": theme, "style": style(), "script": script()}
    yield _filled(before, {**own, **slots})
    yield _packed("facts", _json(facts))
    yield _packed("values", np.ascontiguousarray(values, "<f8").tobytes())
    for i, block in enumerate(blocks):
        yield _packed(f"details-{i}", _json(block))
    yield _filled(after, own)


def _filled(template: str, slots: Mapping[str, str]) -> str:
    """The template with its slots filled, in one pass: what is filled in is not looked at again."""
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def _policy(scripts: list[str], styles: str) -> str:
    """What the page may load and run: these very scripts and styles, pictures that it made itself, and nothing from anywhere."""
    runs = " ".join(f"'{_hash(text)}'" for text in scripts)
    return f"default-src 'none'; script-src {runs}; style-src '{_hash(styles)}'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(data: Any) -> bytes:
    return json.dumps(data, allow_nan=False, separators=(",", ":")).encode()  # in ASCII: ids need not be UTF-8


def _packed(name: str, data: bytes) -> str:
    """Data as an element that nothing runs: letters and digits only, so nothing in it can be taken for markup."""
    packed = base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>\n'
