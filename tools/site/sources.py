"""Written pages as the site shows them: files of the project that pages link to become pages, pictures follow the colours."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from urllib.parse import urlsplit

from tools.site.writing import relative

ROOT = Path(__file__).resolve().parents[2]
PROJECT = {  # files outside of `docs` that are pages of the site
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "benchmarks/RESULTS.md": "project/benchmarks.md",
    "benchmarks/SCALE.md": "project/benchmarks_scale.md",
    "benchmarks/NOTES.md": "project/benchmarks_notes.md",
}
PICTURES = {"benchmarks/results.svg": "project/benchmarks.svg"}  # those of the files above
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")
_CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^ *\|.*\|$", re.MULTILINE)
_SPAN = re.compile(r"`[^`\n]+`")
_PICTURE = re.compile(r"<picture>\n.*?</picture>", re.DOTALL)
_SOURCE = re.compile(r'<source media="([^"]+)" srcset="([^"]+)">')
_IMAGE = re.compile(r'<img src="([^"]+)" alt="([^"]*)">')
_DARK = "(prefers-color-scheme: dark)"


def written_pages(root: Path = ROOT) -> dict[str, str]:
    """The pages of `docs`, and the files of the project, by path in the site; links lead to pages of the site."""
    docs = {
        path.relative_to(root).as_posix(): path.relative_to(root / "docs").as_posix()
        for path in sorted((root / "docs").rglob("*.md"))
    }
    places = {**docs, **{file: page for file, page in PROJECT.items() if (root / file).exists()}}
    texts = {file: (root / file).read_text(encoding="utf-8") for file in places}
    known = places | PICTURES
    return {page: _moved(_titled(texts[file], file), file, page, known) for file, page in places.items()}


def _titled(text: str, file: str) -> str:
    """The text below a title: a part of another file has none."""
    name = Path(file).stem.lower()
    return text if re.search("^# ", text, re.MULTILINE) else f"# {name[0].upper()}{name[1:]}\n\n{text}"


def _moved(text: str, file: str, page: str, places: dict[str, str]) -> str:
    """The text of a file at its place in the site. A link to a file that the site does not have becomes plain text."""

    def link(match: re.Match[str]) -> str:
        parts = urlsplit(match[2])
        if parts.scheme or not parts.path:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), parts.path))
        place = places.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else "")
        anchor = f"#{parts.fragment}" if parts.fragment else ""
        return f"[{match[1]}]({relative(page, place)}{anchor})" if place else match[1]

    parts, last = [], 0
    for found in _CODE.finditer(text):
        parts += [_LINK.sub(link, text[last : found.start()]), found[0]]
        last = found.end()
    return "".join([*parts, _LINK.sub(link, text[last:])])


def for_site(text: str) -> str:
    """A page as zensical reads it: pictures follow the colours that the reader chose, and vertical bars in code need no backslash."""
    text = _PICTURE.sub(lambda picture: _by_colours(picture[0]), text)
    return _ROW.sub(lambda row: _SPAN.sub(lambda span: span[0].replace("\\|", "|"), row[0]), text)


def _by_colours(picture: str) -> str:
    """A picture with dark forms as two pictures, of which the style sheet shows one."""
    image = _IMAGE.search(picture)
    assert image is not None, picture
    found = [("", image[1]), *_SOURCE.findall(picture)]
    shown = []
    for colours in ("light", "dark"):
        files = {
            media.replace(_DARK, "").removesuffix(" and "): file
            for media, file in found
            if (_DARK in media) == (colours == "dark")
        }
        sources = "".join(f'<source media="{media}" srcset="{file}">' for media, file in files.items() if media)
        shown.append(f'<picture>{sources}<img src="{files[""]}#only-{colours}" alt="{image[2]}"></picture>')
    return "\n".join(shown)
