"""A comparison in the form that somebody asked for."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from judged.comparison.result import Comparison
from judged.comparison.tables import tables
from judged.errors import safe
from judged.tables.formats.csv import cell
from judged.tables.formats.latex import latex, latex_text
from judged.tables.formats.markdown import table_markdown
from judged.tables.formats.text import table_text
from judged.tables.table import Table

__all__ = ["COMPARISONS", "render_comparison"]


def render_comparison(comparison: Comparison, form: str, *, places: int = 4) -> str:
    """A comparison as text that ends with a newline."""
    return COMPARISONS[form](comparison, places)


def _tables(rendered: Callable[[Table], str]) -> Callable[[Comparison, int], str]:
    return lambda comparison, places: "\n\n".join(map(rendered, tables(comparison, places=places))) + "\n"


def _json(comparison: Comparison, places: int) -> str:
    return json.dumps(json.loads(comparison.to_json()), indent=2, allow_nan=False) + "\n"


def _csv(comparison: Comparison, places: int) -> str:
    out = io.StringIO()
    records = comparison.records()
    writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: cell(safe(v) if isinstance(v, str) else v) for k, v in r.items()} for r in records)
    return out.getvalue()


def _latex(comparison: Comparison, places: int) -> str:
    """Tables in booktabs style; what explains the signs stands below, in small print."""
    parts = []
    for table in tables(comparison, places=places):
        note = rf"\par\smallskip{{\footnotesize {latex_text(table.notes[0])}.}}" if table.notes else ""
        parts.append("\n".join(filter(None, [latex(table), note])))
    return "% ▲ and ▼ need \\usepackage{amssymb}\n" + "\n\n".join(parts) + "\n"


COMPARISONS: dict[str, Callable[[Comparison, int], str]] = {
    "table": _tables(table_text),
    "json": _json,
    "csv": _csv,
    "md": _tables(table_markdown),
    "latex": _latex,
}
