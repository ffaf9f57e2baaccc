"""Files with one score per system."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from judged.errors import DataError, Hint, Place, shown
from judged.io.columns import ColumnRequest
from judged.io.files import Content
from judged.io.formats.delimited import raise_width, split_line
from judged.io.open_table import open_values
from judged.io.text.encoding import decode
from judged.tables.text import some

Row = tuple[Place, list[str]]


def read_scores(path: str | os.PathLike[str], column: str | None = None) -> dict[str, float]:
    """Read {system: score} from a file: JSON, or lines with a system and its score, separated by blanks, a tab or a comma.

    A first line whose second column is not a number is a header; lines that begin with # are skipped. In a table with
    several columns of scores, `column` names one of them; the first column has the systems.
    """
    value, context = open_values(path, ColumnRequest("scores"))
    if isinstance(value, Content):
        rows = list(_rows(decode(value.read(), context.name), context.name))
        scores = _from_pairs(rows) if column is None else _from_column(rows, column)
    else:
        scores = _from_json(value, context.name, column)
    if not scores:
        raise DataError("empty-scores", "the file has no scores", where=context.name)
    return scores


def _from_json(value: Any, name: str, column: str | None) -> dict[str, float]:
    if column is not None:
        raise DataError("columns", f"a JSON file has no column {shown(column)}", where=name, value=column)
    if not isinstance(value, dict):
        raise DataError("json", "a JSON object {system: score}", got=type(value).__name__, where=name)
    scores: dict[str, float] = {}
    for system, score in value.items():
        number = not isinstance(score, bool) and isinstance(score, int | float)
        if not number or score != score:
            slug = "score-nan" if number else "score-type"
            raise DataError(slug, f"a number for {shown(system)}", got=shown(score), where=name, value=system)
        try:
            scores[system] = float(score)
        except OverflowError as error:
            problem = f"the score of {shown(system)} is too large: {shown(score)}"
            raise DataError("score-type", problem, where=name, value=system) from error
    return scores


def _rows(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            delimiter = "\t" if "\t" in line else "," if "," in line else None
            cells = line.split() if delimiter is None else split_line(line, delimiter)
            yield Place(name, number), [cell.strip().strip('"') for cell in cells]


def _from_pairs(rows: list[Row]) -> dict[str, float]:
    for where, cells in rows:
        if len(cells) != 2:
            hint = Hint("choose columns of scores: {columns}", columns=None) if len(cells) > 2 else None
            problem = f"expected 2 columns (system, score), got {len(cells)}: {shown(' '.join(cells))}"
            raise DataError("columns", problem, where=where, hint=hint)
    return _scores(rows[1:] if rows and _number(rows[0][1][1]) is None else rows, 1)


def _from_column(rows: list[Row], column: str) -> dict[str, float]:
    if not rows:
        return {}
    where, header = rows[0]
    if header[1:].count(column) != 1:
        problem = f"expected one column {shown(column)} after that of the systems; the columns are {some(list(header))}"
        raise DataError("columns", problem, where=where, value=column)
    for where, cells in rows:
        if len(cells) != len(header):
            raise_width(" ".join(cells), len(cells), tuple(header), where)
    return _scores(rows[1:], header.index(column, 1))


def _scores(rows: list[Row], at: int) -> dict[str, float]:
    scores: dict[str, float] = {}
    first: dict[str, int | None] = {}
    for where, cells in rows:
        system, score = cells[0], _number(cells[at])
        if score is None or score != score:
            slug = "score-text" if score is None else "score-nan"
            raise DataError(slug, f"a number for {shown(system)}", got=shown(cells[at]), where=where)
        if system in scores:
            problem = f"duplicate system {shown(system)}; first at line {first[system]}"
            raise DataError("duplicate-key", problem, where=where, value=system)
        scores[system], first[system] = score, where.line
    return scores


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
