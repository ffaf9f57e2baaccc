"""Build the documentation: written pages of `docs`, generated pages beside them, and the site: see `make docs`."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path

from tools.site.api_pages import api_pages
from tools.site.cli_pages import cli_pages
from tools.site.llms import write_llms
from tools.site.measure_pages import measure_pages
from tools.site.navigation import navigation
from tools.site.policy_pages import policy_pages
from tools.site.search import write_search
from tools.site.sources import PICTURES, for_site, written_pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
HERE = ROOT / "tools" / "site"
BUILD = ROOT / "build"
ENDINGS = (".svg", ".png")


def generated_pages(written: dict[str, str]) -> dict[str, str]:
    """The pages made from declarations, by path; a written page of the same path wins, so that none may exist."""
    exists = set(written)
    return {**dict(measure_pages()), **dict(api_pages(exists)), **dict(cli_pages(exists)), **dict(policy_pages())}


@cache
def all_pages() -> dict[str, str]:
    """Every page by its path below `docs`."""
    written = written_pages()
    made = generated_pages(written)
    twice = sorted(written.keys() & made.keys())
    assert not twice, f"both written and generated: {twice}"
    return {**written, **made}


def build(target: Path = BUILD, *, listed: bool = True) -> dict[str, str]:
    """Write `docs` and `site` below the target; return the pages. Without the navigation, which is on every page, it takes half the time."""
    pages = all_pages()
    write_sources(pages, target, listed=listed)
    run_zensical("build", target)
    write_llms(pages, target / "site")
    write_search(pages, target / "site")
    return pages


def write_sources(pages: dict[str, str], target: Path, *, listed: bool = True) -> None:
    """Write all pages and files that zensical reads. Files that did not change are left, so that a server notices only changes."""
    docs = target / "docs"
    files = {path: _alone(path, for_site(text)).encode() for path, text in pages.items()}
    files |= {
        path.relative_to(DOCS).as_posix(): path.read_bytes()
        for path in sorted(DOCS.rglob("*"))
        if path.suffix in ENDINGS
    }
    files |= {place: (ROOT / path).read_bytes() for path, place in PICTURES.items()}
    files["assets/judged.css"] = (HERE / "style.css").read_bytes()
    files |= _interactive()
    for path in [p for p in docs.rglob("*") if p.is_file() and p.relative_to(docs).as_posix() not in files]:
        path.unlink()
    for name, data in files.items():
        _write(docs / name, data)
    settings = tomllib.loads((HERE / "zensical.toml").read_text(encoding="utf-8"))["project"]
    settings |= {
        "docs_dir": "docs",
        "site_dir": "site",
        "nav": navigation(pages) if listed else ["index.md"],
        "validation": False,
    }  # links.py checks links
    _write(target / "mkdocs.yml", json.dumps(settings, indent=1).encode())  # JSON is YAML


def _alone(path: str, text: str) -> str:
    """The home page has no lists beside it, so that it may be wider."""
    return text if path != "index.md" else f"---\nhide: [navigation, toc]\n---\n\n{text}"


def _write(path: Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def serve(target: Path = BUILD) -> None:
    """Show the site, and build pages again when a file of `docs` changes."""
    import threading
    import time

    def follow() -> None:
        while True:
            time.sleep(1)
            write_sources(pages | written_pages(), target)

    pages = all_pages()
    threading.Thread(target=follow, daemon=True).start()
    with suppress(KeyboardInterrupt):
        run_zensical("serve", target)


def run_zensical(word: str, target: Path, *more: str) -> None:
    """Run zensical; it finds the Markdown extension of this folder."""
    if word == "build":
        shutil.rmtree(target / "site", ignore_errors=True)
    command = [sys.executable, "-m", "zensical", word, "-f", str(target / "mkdocs.yml"), *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=target, env=environment, capture_output=word == "build", text=True)
    if done.returncode != 0:
        raise SystemExit(f"zensical failed:\n{done.stdout}{done.stderr}")


def _interactive() -> dict[str, bytes]:
    """The page with a ranking to drag, if it is there."""
    if importlib.util.find_spec("tools.site.interactive") is None:
        return {}
    from tools.site.interactive import page

    return {"learn/ranking.html": page().encode()}
