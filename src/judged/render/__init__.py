"""Plain data rendered: text, Markdown, LaTeX, JSON, CSV, trec_eval's lines, one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judged.render.board import board, per_query
from judged.render.formats import FORMATS, markdown, render

if TYPE_CHECKING:
    from judged.render.page import report

__all__ = ["FORMATS", "board", "markdown", "per_query", "render", "report"]


def __getattr__(name: str) -> Any:
    if name == "report":  # it needs far more than a table does
        from judged.render.page import report

        return report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
