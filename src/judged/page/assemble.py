"""Assemble data, scripts and styles into one self-contained HTML document.

The scripts in `web/` are ES modules. Modules cannot be imported from disk without a server, so they are concatenated into one script
without their `import` lines and `export` keywords. A top-level name may therefore be declared in one file only; a test checks this.
The script is compressed as the data is, and `loader.js` unpacks and runs it. That takes two fifths of the space, less than a minifier
would leave, and needs no parser of JavaScript. Styles are not compressed, because the page is readable without scripts.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from judged.errors import UsageError, shown
from judged.io.outputs import check_output

_HERE = Path(__file__).parent / "web"


class PageParts(NamedTuple):
    """Template, first script and style sheets of a page; paths are absolute or relative to `web/`."""

    template: str
    script: str
    styles: tuple[str, ...]


REPORT = PageParts("page.html", "main.js", ("page", "report", "queries", "query", "query-tables"))
LABEL = PageParts("label/label.html", "label/main.js", ("page", "label"))
_IMPORT = re.compile(r"^import \{[^}]*\} from \"([^\"]+)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
_COMMENT = re.compile(r"/\*\*.*?\*/ ?", re.DOTALL)
_BLANK = re.compile(r"^[ \t]*(?://.*)?\n|^[ \t]+", re.MULTILINE)
_STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STYLE_BLANK = re.compile(r'("[^"]*")|\s*([{};])\s*|\s+')
_SLOT = re.compile(r"\{\{([\w-]+)\}\}")


def script_files(page: PageParts) -> list[Path]:
    """Return the scripts of a page in dependency order."""
    files: list[Path] = []

    def visit(path: Path) -> None:
        for other in _IMPORT.findall(path.read_text("utf-8")):
            if (imported := (path.parent / other).resolve()) not in files:
                visit(imported)
        if path not in files:
            files.append(path)

    visit((_HERE / page.script).resolve())
    return files


def script(page: PageParts) -> str:
    """Return all scripts of a page as one, in its own scope."""
    parts = [_compact(_EXPORT.sub("", _IMPORT.sub("", path.read_text("utf-8")))) for path in script_files(page)]
    return '(() => {\n"use strict";\n' + "".join(parts) + "start();\n})();\n"


def style(page: PageParts) -> str:
    """Return all style sheets of a page as one, on one line."""
    text = "".join((_HERE / "styles" / f"{name}.css").read_text("utf-8") for name in page.styles)
    return _STYLE_BLANK.sub(lambda found: found[1] or found[2] or " ", _STYLE_COMMENT.sub("", text)).strip()


def _compact(text: str) -> str:
    """Return a script without types, lines of comment and indentation."""
    return _BLANK.sub("", _COMMENT.sub("", text))


def check_title(title: Any) -> None:
    """Raise an error if the title of a page is no text."""
    if title is not None and not isinstance(title, str):
        raise UsageError("parameter", f"title must be a string, got {shown(title)}", value=title)


def check_path(path: Any, inputs: Sequence[Any]) -> None:
    """Raise an error if a page cannot be written to a path, or would overwrite one of its inputs."""
    if not isinstance(path, str | os.PathLike) or str(path) in ("", "-") or "\0" in str(path):
        raise UsageError("parameter", "a file path such as page.html", got=shown(path), value=path)
    check_output(path, inputs)


def assembled(page: PageParts, slots: Mapping[str, str], parts: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Yield the text of a page in pieces: its template with scripts, styles and the named parts of its data.

    Args:
        page: a kind of page.
        slots: escaped markup for the placeholders of the template.
        parts: data by name, see data.js; large data comes one block at a time.
    """
    before, own, after = _frame(page)
    yield _fill(before, {**own, **slots})
    for name, data in parts:
        yield _pack(name, data)
    yield after


@cache
def _frame(page: PageParts) -> tuple[str, dict[str, str], str]:
    """Return what all pages of a kind share: the template above the data, its own slots, and what is below the data.

    The Content-Security-Policy permits only the embedded scripts and styles, and images made by the page.
    """
    theme, loader = (_compact((_HERE / name).read_text("utf-8")) for name in ("theme.js", "loader.js"))
    before, after = (_HERE / page.template).read_text("utf-8").split("{{data}}\n")
    code, styles = script(page), style(page)
    digests = [hashlib.sha256(text.encode()).digest() for text in (theme, loader, code, styles)]
    *runs, shown = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    policy = f"default-src 'none'; script-src {' '.join(runs)}; style-src {shown}; img-src data: blob:; base-uri 'none'; form-action 'none'"
    own = {"policy": policy, "theme": theme, "style": styles, "loader": loader}
    return before, own, _pack("script", code.encode()) + _fill(after, own)


def _fill(template: str, slots: Mapping[str, str]) -> str:
    """Fill the placeholders in one pass, so that placeholders in inserted text are not expanded."""
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def json_bytes(data: Any) -> bytes:
    """Encode a part of the data."""
    text = json.dumps(data, allow_nan=False, check_circular=False, separators=(",", ":"))
    return text.encode()  # ASCII, because ids need not be valid UTF-8


def _pack(name: str, data: bytes) -> str:
    """Encode data as an inert script element. Base64 cannot be mistaken for markup. Level 6 takes half as long again for 3% less."""
    packed = base64.b64encode(gzip.compress(data, 5, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>\n'
