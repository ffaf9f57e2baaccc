"""HTML tables for notebooks and e-mails."""

from __future__ import annotations

from html import escape
from itertools import zip_longest

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import Table, answer_of, axes_of, svg_bar

_MOST = 100  # rows: more make a notebook slow, and nobody reads them there
# Colours are fainter versions of the surrounding ones, so tables are readable on light and dark pages.
_STYLE = """<style>
.judged-result{overflow-x:auto}
.judged-result table.judged{border-collapse:collapse;margin:.6em 0 .3em;border:0;font-size:.92em}
.judged-result table.judged caption{caption-side:top;text-align:left;font-weight:600;padding:0 0 .4em;color:inherit}
.judged-result table.judged th,.judged-result table.judged td{text-align:left;vertical-align:top;font-weight:400;padding:.25em .7em;\
border:0;max-width:44em;white-space:normal}
.judged-result table.judged thead th,.judged-result table.judged thead td{font-weight:600;vertical-align:bottom;\
border-bottom:1px solid currentColor}
.judged-result table.judged tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.25)}
.judged-result table.judged .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.judged-result p+table.judged{margin-top:1.1em}
.judged-result p{margin:.15em 0;max-width:80em}
.judged-result p.note{opacity:.8}
.judged-result p.answer{font-size:1.15em;font-weight:600}
.judged-result dl{display:grid;grid-template-columns:max-content auto;gap:.2em 1em;margin:.4em 0;max-width:80em}
.judged-result dl>*{margin:0}
.judged-result dt{opacity:.8;font-weight:400}
.judged-result svg{vertical-align:middle;overflow:visible}
</style>"""


@output_format("html", ending=".html")
def html(result: Renderable, places: int) -> str:
    """The headline as paragraphs, with its details as a list, then the beginning of each table, with a small style sheet."""
    headline, details = result.headline(), result.details()
    lines = [f"<p>{html_text(line)}</p>" for line in headline if line]
    if details:
        first, details = answer_of(headline, details)
        axes = axes_of([one.span for one in details])
        rows = [
            f"<dt>{html_text(one.title)}</dt><dd>{svg_bar(one.span, axes[one.span.scale]) + ' ' if one.span else ''}{html_text(one.text)}</dd>"
            for one in details
        ]
        lines = [f'<p class="answer">{html_text(first)}</p>', f"<dl>{''.join(rows)}</dl>"]
    tables = [table_html(table.head(_MOST)) for table in result.tables(places=places)]
    return "\n".join([f'<div class="judged-result">{_STYLE}', *lines, *tables, "</div>"]) + "\n"


def table_html(table: Table) -> str:
    """A table without style or script: cells of numbers have the class `number`; notes are paragraphs below it."""
    caption = f"<caption>{html_text(table.title)}</caption>\n" if table.title else ""
    head = "".join(_cell(text, i, table, row=None) for i, text in enumerate(table.headers))
    rows = ("".join(_cell(text, i, table, row=r) for i, text in enumerate(row)) for r, row in enumerate(table.rows))
    axes = axes_of(table.spans)
    bars = [f"<td>{svg_bar(span, axes[span.scale]) if span else ''}</td>" for span in table.spans]
    head += "<td></td>" if bars else ""
    body = "\n".join(f"<tr>{row}{bar}</tr>" for row, bar in zip_longest(rows, bars, fillvalue=""))
    notes = "".join(f'\n<p class="note"><small>{html_text(note)}</small></p>' for note in table.lines_below)
    return f'<table class="judged">\n{caption}<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}'


def _cell(text: str, column: int, table: Table, *, row: int | None) -> str:
    """A cell; the first of a row and those of the head are headers, unless they are empty."""
    scope = "col" if row is None else "row" if column == 0 else ""
    tag, attributes = ("th", f' scope="{scope}"') if scope and text else ("td", "")
    attributes += "" if column in table.words else ' class="number"'
    inner = f"<strong>{html_text(text)}</strong>" if (row, column) in table.strong else html_text(text)
    return f"<{tag}{attributes}>{inner}</{tag}>"


def html_text(text: str) -> str:
    """Escape text so that HTML shows it as is."""
    return escape(safe(text))
