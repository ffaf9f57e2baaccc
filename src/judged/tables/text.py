"""Numbers, counts and lists as text."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from judged.errors import shown


def number(value: Any, places: int = 4, *, whole: bool = False, sign: str = "") -> str:
    """Format a value: floats with a fixed number of decimals (never -0.0000), missing values as a dash, the rest as is.

    >>> number(0.5), number(3), number(float("nan")), number(7.0, whole=True), number(0.5, 2, sign="+")
    ('0.5000', '3', '–', '7', '+0.50')
    """
    if value is None or value != value:
        return "–"
    return f"{value:{sign}z.{0 if whole else places}f}" if isinstance(value, float) else str(value)


def signed(value: float, places: int = 4) -> str:
    """Format a difference for sentences and pictures: with its sign, and a minus in place of a hyphen.

    >>> signed(0.25, 3), signed(-0.25, 3)
    ('+0.250', '−0.250')
    """
    return number(value, places, sign="+").replace("-", "−")


def p_text(p: float | None) -> str:
    """Format a p-value; it is never 0."""
    return "–" if p is None or p != p else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun.

    >>> counted(1, "document"), counted(2, "document"), counted(3, "query", "queries")
    ('1 document', '2 documents', '3 queries')
    """
    plural = plural or (f"{noun[:-1]}ies" if noun.endswith("query") else f"{noun}s")
    return f"{n} {noun if n == 1 else plural}"


def some(items: Sequence[Any], n: int = 3) -> str:
    """Quote the first few items, with an ellipsis if there are more."""
    return ", ".join(map(shown, items[:n])) + (" …" if len(items) > n else "")


def plain_data(value: Any) -> Any:
    """Convert to what strict JSON holds: NumPy values become Python's, tuples become lists, NaN and infinities become None.

    >>> import numpy as np
    >>> plain_data([np.float64(0.5), np.str_("a"), np.int64(2), (float("nan"),)])
    [0.5, 'a', 2, [None]]
    """
    if isinstance(value, float):
        return (
            float(value) if math.isfinite(value) else None
        )  # NumPy's float64 is a float, and prints as np.float64(0.5)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | None):
        return value
    if isinstance(value, dict):
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(item) for item in value]
    return plain_data(value.tolist()) if hasattr(value, "tolist") else value


def distinct_columns(names: Sequence[str], taken: Callable[[str], bool]) -> list[str]:
    """Names of judges as column names; a name that another column has gets the prefix `judge_` until it is unique.

    >>> distinct_columns(["human", "query"], {"query", "doc"}.__contains__)
    ['human', 'judge_query']
    """
    columns: list[str] = []
    for name in names:
        column = name
        while taken(column) or column in columns or (column != name and column in names):
            column = f"judge_{column}"  # no blank: columns of TREC files are separated by blanks
        columns.append(column)
    return columns


def width(text: str) -> int:
    """Terminal columns that a text takes: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def title_of(names: tuple[str, str]) -> str:
    """The run and the judgments, without folders; those of a question file are in one of its fields."""
    qrels, run = (name.rpartition("/")[2] for name in names)
    return f"{run} (judgments in {qrels})" if qrels.startswith("field '") else f"{run}, judgments: {qrels}"
