"""Check links: of every built page, with anchors, and of the Markdown files in the project's folder; and that pages load nothing from elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {
    ("script", "src"), ("img", "src"), ("source", "srcset"), ("iframe", "src"), ("link", "href"), ("video", "src"), ("audio", "src"),
    ("object", "data"), ("use", "href"),
}  # fmt: skip
_NOT_LOADED = {"canonical", "alternate", "prev", "next", "describedby"}  # relations of <link> that only name a page
_IN_CSS = re.compile(r"@import\s+['\"]([^'\"]+)|url\(\s*['\"]?([^'\")]+)")
_IN_MARKDOWN = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)|<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")


@dataclass
class Page(HTMLParser):
    """Links, anchors and loaded resources of an HTML page."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given and (name == "id" or tag == "a"))
        for name, value in given.items():
            if tag == "a" and name == "href":
                self.links.append(value)
            elif (tag, name) in _LOADED and not (tag == "link" and given.get("rel") in _NOT_LOADED):
                self.loaded.append(value.split()[0] if name == "srcset" else value)


@dataclass
class Checked:
    """What was checked, and what was found."""

    links: int = 0
    pages: int = 0
    problems: list[str] = field(default_factory=list)


def read_site(site: Path) -> dict[str, Page]:
    """Every HTML page of the site by its path."""
    found: dict[str, Page] = {}
    for path in sorted(site.rglob("*.html")):
        found[path.relative_to(site).as_posix()] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return found


def check_site(site: Path) -> Checked:
    """Check every link and anchor of the built pages, and that they load nothing from another server."""
    pages = read_site(site)
    done = Checked(pages=len(pages))
    for path, page in pages.items():
        if path == "404.html":  # its links begin at the root, wherever that is
            continue
        for link in page.links:
            done.links += 1
            if problem := _broken(link, path, pages, site):
                done.problems.append(f"{path}: {problem}: {link}")
        for loaded in page.loaded:
            done.links += 1
            if _outside(loaded):
                done.problems.append(f"{path}: loaded from another server: {loaded}")
            elif not loaded.startswith(("data:", "#")) and not (site / _target(loaded, path)).is_file():
                done.problems.append(f"{path}: no such file: {loaded}")
    done.problems += [f"{path}: loaded from another server: {url}" for path, url in outside_urls_in_styles(site)]
    return done


def outside_urls_in_styles(site: Path) -> Iterator[tuple[str, str]]:
    """Resources that style sheets load from another server."""
    for path in sorted(site.rglob("*.css")):
        for match in _IN_CSS.finditer(path.read_text(encoding="utf-8")):
            if _outside(match[1] or match[2]):
                yield path.relative_to(site).as_posix(), match[1] or match[2]


def _outside(link: str) -> bool:
    return bool(urlsplit(link).scheme in ("http", "https") or link.startswith("//"))


def _target(link: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(urlsplit(link).path)))


def _broken(link: str, path: str, pages: dict[str, Page], site: Path) -> str:
    parts = urlsplit(link)
    if parts.scheme or link.startswith("//"):
        return ""
    target = _target(link, path) if parts.path else path
    if target not in pages:
        index = posixpath.normpath(posixpath.join(target, "index.html"))
        if index in pages:
            target = index
        else:
            return "" if target != "." and (site / target).is_file() else "no such page"
    return "" if not parts.fragment or unquote(parts.fragment) in pages[target].anchors else "no such anchor"


def check_files(root: Path) -> Checked:
    """Check the links of the Markdown files in the project's folder, which point to files of the repository."""
    done = Checked()
    for path in sorted(root.glob("*.md")):
        done.pages += 1
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for match in _IN_MARKDOWN.finditer(text):
            link = match[1] or match[2]
            parts = urlsplit(link)
            if parts.scheme:
                continue
            done.links += 1
            target = path.parent / unquote(parts.path) if parts.path else path
            if not target.exists():
                done.problems.append(f"{path.name}: no such file: {link}")
            elif (
                parts.fragment
                and target.suffix == ".md"
                and parts.fragment not in headings(target.read_text(encoding="utf-8"))
            ):
                done.problems.append(f"{path.name}: no such heading: {link}")
    return done


def headings(text: str) -> set[str]:
    """The anchors that GitHub and the site make of the headings of a page, and those written as HTML."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", re.sub(r"`", "", title).lower()).strip().replace(" ", "-") for title in titles]
    return {*slugs, *re.findall(r'\bid="([^"]+)"', text)}
