"""Files that hold a score for each system."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from judged.errors import DataError, Place, shown
from judged.io.files.source import read_text
from judged.tables.text import some

__all__ = ["read_scores"]


def read_scores(path: str | os.PathLike[str], column: str | None = None) -> dict[str, float]:
    """{system: score} from a file: JSON, or lines of a system and its score, apart by blanks, a tab or a comma.

    A first line whose second column is no number is a header; lines that begin with # are left out. Of a table with several
    columns of scores, `column` names one by its header; the first column holds the systems.
    """
    text, name = read_text(path), os.fspath(path)
    if column is not None:
        found = _of_column(text, name, column)
    else:
        found = _of_json(text, name) if text.lstrip()[:1] in ("{", "[") else _of_lines(text, name)
    if not found:
        raise DataError("empty-scores", "at least one system and its score", got="none", where=name)
    return found


def _of_json(text: str, name: str) -> dict[str, float]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DataError("duplicate-key", "each system once", got=f"{shown(key)} twice", where=name, value=key)
            seen.add(key)
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:  # a whole number of more than 4,300 digits is a ValueError too
        raise DataError("json", "a JSON object {system: score}", got=str(error), where=name) from error
    if not isinstance(data, dict):
        raise DataError("json", "a JSON object {system: score}", got=f"a {type(data).__name__}", where=name)
    for system, score in data.items():
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise DataError("score-type", f"a number for {shown(system)}", got=shown(score), where=name, value=system)
        if score != score:
            raise DataError("score-nan", f"a number for {shown(system)}", got="NaN", where=name, value=system)
    return {system: _float(score, system, name) for system, score in data.items()}


def _float(score: float, system: str, name: str) -> float:
    try:
        return float(score)
    except OverflowError as error:
        raise DataError("score-type", f"a number for {shown(system)} that a double can hold", got=shown(score), where=name,
                        value=system) from error  # fmt: skip


def _of_lines(text: str, name: str) -> dict[str, float]:
    rows = list(_rows(text, name))
    for place, cells in rows:
        if len(cells) != 2:
            hint = "a table with a header? choose columns of scores: --columns" if len(cells) > 2 else None
            raise DataError(
                "columns",
                "2 columns (system score)",
                got=f"{len(cells)}: {shown(' '.join(cells))}",
                where=place,
                hint=hint,
            )
    return _scores(rows[1:] if rows and _number(rows[0][1][1]) is None else rows, 1)


def _of_column(text: str, name: str, column: str) -> dict[str, float]:
    rows = list(_rows(text, name))
    if not rows:
        return {}
    where, header = rows[0]
    if header[1:].count(column) != 1:
        raise DataError("columns", f"one column called {shown(column)} behind that of the systems", got=some(list(header)),
                        where=where, value=column)  # fmt: skip
    for place, cells in rows:
        if len(cells) != len(header):
            raise DataError("columns", f"{len(header)} columns, as in the header", got=f"{len(cells)}: {shown(' '.join(cells))}", where=place)  # fmt: skip
    return _scores(rows[1:], header.index(column, 1))


def _rows(text: str, name: str) -> Iterator[tuple[Place, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            apart = "\t" if "\t" in line else "," if "," in line else None
            yield Place(name, number), [cell.strip().strip('"') for cell in line.split(apart)]


def _scores(rows: list[tuple[Place, list[str]]], at: int) -> dict[str, float]:
    found: dict[str, float] = {}
    first: dict[str, int | None] = {}
    for place, cells in rows:
        system, score = cells[0], _number(cells[at])
        if score is None:
            raise DataError("score-text", f"a number for {shown(system)}", got=shown(cells[at]), where=place)
        if score != score:
            raise DataError("score-nan", f"a number for {shown(system)}", got=shown(cells[at]), where=place)
        if system in found:
            raise DataError("duplicate-key", "each system once", got=f"{shown(system)} also at line {first[system]}",
                            where=place, value=system)  # fmt: skip
        found[system], first[system] = score, place.line
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
