"""A result in the form that somebody asked for."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from judged.core.tables import Id
from judged.evaluation.result.tables import board, labels, number, per_query
from judged.evaluation.result.values import Values
from judged.tables.table import Table, cell, plain, safe

__all__ = ["FORMATS", "TABLES", "latex", "latex_text", "markdown", "render", "table_csv"]

_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--", "…": r"\ldots{}", "·": r"$\cdot$",
    "<": "$<$", ">": "$>$", "|": r"\textbar{}", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$",
    "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$",
})  # fmt: skip
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|`*_<>[]#&~$"} | {"\n": " "})


def render(
    results: Sequence[Values], form: str, *, queries: bool = False, summary: bool = True, places: int = 4
) -> str:
    """One or several results, per query too if asked, as text that ends with a newline."""
    return FORMATS[form](results, queries, summary, places)


def _tables(results: Sequence[Values], queries: bool, summary: bool, places: int) -> list[Table]:
    shown = [per_query(results, places=places)] if queries else []
    return shown + ([board(results, places=places)] if summary else [])


def _each(rendered: Callable[[Table], str]) -> Callable[[Sequence[Values], bool, bool, int], str]:
    def form(results: Sequence[Values], queries: bool, summary: bool, places: int) -> str:
        return "\n\n".join(map(rendered, _tables(results, queries, summary, places))) + "\n"

    return form


def markdown(table: Table) -> str:
    """A Markdown table; the notes as a list below it."""
    align = [":--" if i in table.words else "--:" for i in range(len(table.headers))]
    head = tuple(safe(c).translate(_MARKDOWN) for c in table.headers)
    rows = [_stressed(row, i, table, _MARKDOWN, "**{}**") for i, row in enumerate(table.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in (head, tuple(align), *rows)]
    notes = [f"- {safe(note).translate(_MARKDOWN)}" for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def _stressed(row: Sequence[str], place: int, table: Table, escapes: dict[int, str], bold: str) -> tuple[str, ...]:
    """The cells of a row, escaped; the best ones in bold."""
    cells = [safe(c).translate(escapes) for c in row]
    return tuple(bold.format(c) if (place, i) in table.strong else c for i, c in enumerate(cells))


def latex(table: Table) -> str:
    """A LaTeX table in booktabs style; the notes as comments below it."""
    align = "".join("l" if i in table.words else "r" for i in range(len(table.headers)))
    cells = [_stressed(row, i, table, _LATEX, r"\textbf{{{}}}") for i, row in enumerate(table.rows)]
    rows = [" & ".join(row) + r" \\" for row in (_stressed(table.headers, -1, table, _LATEX, "{}"), *cells)]
    rows = [f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows]  # else the \\ above would take it
    return "\n".join([
        r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{align}}}", r"\toprule", rows[0], r"\midrule", *rows[1:],
        r"\bottomrule", r"\end{tabular}", *(f"% {safe(note)}" for note in table.notes),
    ])  # fmt: skip


def table_csv(table: Table) -> str:
    """The headers and rows of a table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([cell(safe(c)) for c in row] for row in (table.headers, *table.rows))
    return out.getvalue().rstrip("\n")


TABLES: dict[str, Callable[[Table], str]] = {"table": plain, "md": markdown, "latex": latex, "csv": table_csv}


def latex_text(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return safe(text).translate(_LATEX)


def _trec(results: Sequence[Values], queries: bool, summary: bool, places: int) -> str:
    lines = []
    for result, label in zip(results, labels(results), strict=True):
        if queries:
            for row, query in enumerate(result.queries):
                lines += [
                    _trec_line(str(m), str(query), number(result[m][row], places, whole=m.definition.whole))
                    for m in result.measures
                ]
        if summary:
            means = result.mean()
            lines.append(_trec_line("runid", "all", label))
            for m in result.measures:
                if str(m) in means:
                    lines.append(_trec_line(str(m), "all", number(means[str(m)], places, whole=m.definition.whole)))
    return "\n".join(lines) + "\n"


def _trec_line(measure: str, query: str, value: str) -> str:
    return f"{safe(measure):<22}\t{safe(query)}\t{safe(value)}"


def _json(results: Sequence[Values], queries: bool, summary: bool, places: int) -> str:
    out = []
    for result in results:
        data = json.loads(result.to_json())
        data["intervals"] = result.intervals()
        data["bounds"] = {str(m): result.bounds(m) for m in result.measures if result.bounds(m) is not None}
        unwanted = (() if queries else ("values", "queries", "if_irrelevant", "if_top")) + (
            () if summary else ("summary", "intervals", "bounds")
        )
        for name in unwanted:
            data.pop(name, None)
        out.append(data)
    return json.dumps(out if len(out) > 1 else out[0], indent=2, allow_nan=False) + "\n"


def _csv(results: Sequence[Values], queries: bool, summary: bool, places: int) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "measure", "query", "value", "low", "high", "if_irrelevant", "if_top"])
    for result, label in zip(results, labels(results), strict=True):
        for m in result.measures if queries else ():
            for query, value in zip(result.queries, result[m].tolist(), strict=True):
                writer.writerow(
                    [cell(safe(label)), str(m), _id(query), cell(value), "", "", *_sides(result, str(m), query)]
                )
        intervals = result.intervals() if summary else {}
        for name, value in result.mean().items() if summary else ():
            low, high = intervals[name] or ("", "")
            writer.writerow(
                [cell(safe(label)), name, "all", cell(value), low, high, *(result.bounds(name) or ("", ""))]
            )
    return out.getvalue()


def _sides(result: Values, name: str, query: Id) -> tuple[object, object]:
    """One query's values if its unjudged documents were irrelevant, and of the top grade."""
    if result.if_irrelevant is None or result.if_top is None:
        return "", ""
    row = result.queries.index(query)
    return cell(result.if_irrelevant[name][row]), cell(result.if_top[name][row])


def _id(query: Id) -> object:
    return cell(safe(query) if isinstance(query, str) else query)


FORMATS: dict[str, Callable[[Sequence[Values], bool, bool, int], str]] = {
    "table": _each(plain),
    "trec": _trec,
    "json": _json,
    "csv": _csv,
    "md": _each(markdown),
    "latex": _each(latex),
}
