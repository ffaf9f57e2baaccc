"""Plain data rendered: text, Markdown, LaTeX, JSON, CSV, trec_eval's lines."""

from judged.render.board import board, per_query
from judged.render.formats import FORMATS, markdown, render

__all__ = ["FORMATS", "board", "markdown", "per_query", "render"]
