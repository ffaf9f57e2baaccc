"""LaTeX tables in booktabs style."""

from __future__ import annotations

import re

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import Table

_MARKED = re.compile(r"([+-]?[\d.]+) ([A-Za-z][A-Za-z0-9]*|[▲▼=≡])")
_MINUS = re.compile(r"-(?=[\d.])")

_GREEK = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega Gamma Delta Theta Lambda Pi Sigma Phi Psi Omega"
_SYMBOLS = dict(zip("αβγδεζηθκλμνξπρστφχψωΓΔΘΛΠΣΦΨΩ", _GREEK.split(), strict=True)) | {
    "·": "cdot",
    "×": "times",
    "±": "pm",
    "≤": "leq",
    "≥": "geq",
    "≠": "neq",
    "≈": "approx",
    "≡": "equiv",
    "∞": "infty",
    "√": "surd",
    "∩": "cap",
    "∪": "cup",
    "→": "rightarrow",
    "←": "leftarrow",
    "↑": "uparrow",
    "↓": "downarrow",
    "▲": "blacktriangle",
    "▼": "blacktriangledown",
}
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "–": "--",
        "…": r"\ldots{}",
        "−": "$-$",
        "<": "$<$",
        ">": "$>$",
        "|": r"\textbar{}",
        **{sign: rf"$\{name}$" for sign, name in _SYMBOLS.items()},
        **{raised: f"$^{{{plain}}}$" for raised, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ", "0123456789-n", strict=True)},
        **{lowered: f"$_{{{plain}}}$" for lowered, plain in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)},
    }
)


@output_format("latex", aliases=("tex",), ending=".tex")
def latex(result: Renderable, places: int) -> str:
    """The tables, with the packages that they need in a comment."""
    body = "\n\n".join(map(_tabular, result.tables(places=places)))
    packages = ["booktabs", *(["amssymb"] if "\\blacktriangle" in body else [])]
    return "\n".join([*(rf"% \usepackage{{{name}}}" for name in packages), body]) + "\n"


def latex_text(text: str) -> str:
    """Escape text so that LaTeX prints it as is."""
    return safe(text).translate(_ESCAPES)


def _cell(text: str, *, number: bool, strong: bool) -> str:
    """A cell: a number with a proper minus sign, and with the marks after it (letters, triangles) raised."""
    marked = _MARKED.fullmatch(text) if number else None
    value, marks = marked.groups() if marked else (text, "")
    value = _MINUS.sub("$-$", latex_text(value)) if number else latex_text(value)
    value = rf"\textbf{{{value}}}" if strong else value
    return f"{value}$^{{{latex_text(marks).replace('$', '')}}}$" if marks else value


def _tabular(table: Table) -> str:
    """A table with the best values in bold, its key in small print below, and its notes as comments."""
    align = "".join("l" if i in table.words else "r" for i in range(len(table.headers)))
    rows = [" & ".join(map(latex_text, table.headers))]
    for r, row in enumerate(table.rows):
        cells = [_cell(c, number=i not in table.words, strong=(r, i) in table.strong) for i, c in enumerate(row)]
        rows.append(" & ".join(cells))
    rows = [
        f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows
    ]  # otherwise the \\ above would read it as its argument
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        rf"{rows[0]} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows[1:]),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    key = [rf"\par\smallskip{{\footnotesize {latex_text(table.key)}.}}"] if table.key else []
    return "\n".join([*lines, *key, *(f"% {safe(note)}" for note in table.notes)])
