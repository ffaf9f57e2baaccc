"""The interactive ranking: a self-contained page from `docs/interactive/` and the scripts and styles of the report."""

from __future__ import annotations

from pathlib import Path

from judged._version import __version__
from judged.page.assemble import PageParts, assembled

FOLDER = Path(__file__).parents[2] / "docs" / "interactive"
RANKING = PageParts(
    str(FOLDER / "ranking.html"), str(FOLDER / "main.js"), ("page", "query-tables", str(FOLDER / "ranking"))
)


def page() -> str:
    """Return the page as HTML, for `learn/ranking.html`."""
    return "".join(assembled(RANKING, {"version": __version__}, ()))
