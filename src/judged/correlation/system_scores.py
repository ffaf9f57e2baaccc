"""Files with one score per system."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from judged.errors import DataError, Place, shown
from judged.io.columns import ColumnRequest
from judged.io.files import Content
from judged.io.formats.delimited import split_line
from judged.io.open_table import open_values
from judged.io.text import decode


def read_scores(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read {system: score} from a file: JSON, or lines with a system and its score, separated by blanks, a tab or a comma.

    A first line whose second column is not a number is a header; lines that begin with # are skipped.
    """
    value, context = open_values(path, ColumnRequest("scores"))
    if isinstance(value, Content):
        rows = list(_lines(decode(value.read(), context.name), context.name))
        rows = rows[1:] if rows and _number(rows[0][2]) is None else rows
    elif isinstance(value, dict):
        rows = [(context.place, name, score) for name, score in value.items()]
    else:
        raise DataError("json", "a JSON object {system: score}", got=type(value).__name__, where=context.name)
    scores: dict[str, float] = {}
    for where, system, cell in rows:
        # A text of digits is no number in JSON.
        score = None if isinstance(value, dict) and isinstance(cell, str) else _number(cell)
        if score is None or score != score:
            slug = "score-type" if score is None else "score-nan"
            raise DataError(slug, f"a number for {shown(system)}", got=shown(cell), where=where)
        if system in scores:
            raise DataError("duplicate-key", f"duplicate system {shown(system)}", where=where, value=system)
        scores[system] = score
    if not scores:
        raise DataError("empty-run", "the file has no scores", where=context.name)
    return scores


def _lines(text: str, name: str) -> Iterator[tuple[Place, str, Any]]:
    """Iterate over the lines with a system and its score, with their places."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        delimiter = "\t" if "\t" in line else "," if "," in line else None
        cells = line.split() if delimiter is None else split_line(line, delimiter)
        if len(cells) != 2:
            problem = f"expected 2 columns (system, score), got {len(cells)}: {shown(line)}"
            raise DataError("columns", problem, where=Place(name, number))
        system, score = (cell.strip().strip('"') for cell in cells)
        yield Place(name, number), system, score


def _number(cell: Any) -> float | None:
    try:
        return None if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
