"""JSON documents and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from judged.errors import DataError, Place, shown
from judged.io.tables.columns import find
from judged.io.tables.containers import is_flat, of_items, of_mapping
from judged.io.tables.context import Context
from judged.io.tables.records import columns_of, table_of
from judged.io.tables.table import SourceTable
from judged.io.text.encoding import Begin, Raw, decoded, unfinished

__all__ = ["of_json", "of_json_lines"]

_BATCH = 1 << 11  # few enough to be gone before the garbage collector looks at them twice


def of_json(data: Raw, context: Context) -> SourceTable:
    """A JSON document; or JSON Lines, where the first line is whole and others follow."""
    text = decoded(data, context.name)
    ending = "\n" if "\n" in text else "\r"
    lines = text.split(ending)
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if len(filled) > 1 and _is_whole(lines[filled[0]]):
        context = replace(context, lines=np.array(filled) + 1, warnings=unfinished(data[-9:-8], context.name))
        first = _loaded(lines[filled[0]], context.items().place(0))
        if not is_flat(first, context):
            return of_items(_records(lines, filled, context), context)
        return _of_lines(lines, filled, list(first), context)
    del lines
    return _of_parsed(_loaded(text, context.place), context)


def of_json_lines(data: Raw, names: Sequence[str], begin: Begin, context: Context) -> SourceTable:
    """A stretch of JSON Lines that hold a plain record each; the first record of the file has these names."""
    lines = decoded(data, context.name, begin).split("\n")
    filled = [i for i, line in enumerate(lines) if line.strip()]
    context = replace(context, lines=np.array(filled, np.int64) + begin.lines + 1)
    return _of_lines(lines, filled, names, context)


def _of_lines(lines: list[str], filled: list[int], names: Sequence[str], context: Context) -> SourceTable:
    """Plain records; they go into columns batch by batch, so that few of them live at a time."""
    found = find(names, context.wanted, context.place)
    columns: dict[str, list[Any]] = {role: [] for role in found.column}
    assert context.lines is not None
    for at in range(0, len(filled), _BATCH):
        part = filled[at : at + _BATCH]
        batch = replace(context, lines=context.lines[at : at + _BATCH])
        for role, values in columns_of(_records(lines, part, batch), found, batch).items():
            columns[role] += values
    return table_of(found, columns, context, context.items(found.column))


def _records(lines: list[str], filled: list[int], context: Context) -> list[Any]:
    """The value of each line that is filled: at full speed, or with the place of what is wrong."""
    try:
        pairs = [(_SCAN(line := lines[i].strip(" \t\r"), 0), len(line)) for i in filled]
    except (ValueError, RecursionError, StopIteration, _TwiceError):
        pairs = []
    if not pairs or any(end != length for (_, end), length in pairs):
        where = context.items()
        return [_loaded(lines[i], where.place(row)) for row, i in enumerate(filled)]
    return [value for (value, _), _ in pairs]


def _of_parsed(value: Any, context: Context) -> SourceTable:
    if isinstance(value, Mapping):
        return of_mapping(value, context)
    if isinstance(value, list):
        return of_items(value, context)
    raise DataError(
        "json", "a JSON object or array", got=shown(value), where=context.name, value=value,
        hint="write {query: {doc: score}}, or one record a line",
    )  # fmt: skip


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _loaded(text: str, where: Place) -> Any:
    """The value of a text that holds nothing else."""
    text = text.strip(" \t\r\n")
    try:
        value, end = _SCAN(text, 0)
    except StopIteration as error:
        _refuse(f"no value at character {error.value + 1}", where)
    except json.JSONDecodeError as error:
        line = error.lineno if where.line is None else where.line
        _refuse(f"{error.msg} at character {error.colno}", Place(where.path, line))
    except _TwiceError as error:
        raise DataError(
            "duplicate-key", "each key once in a JSON object", got=f"{shown(error.args[0])} twice",
            hint="remove one of them", where=where, value=error.args[0],
        ) from None  # fmt: skip
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        _refuse(str(error), where)
    return value if end == len(text) else _refuse(f"more at character {end + 1}", where)


def _refuse(reason: str, where: Place) -> NoReturn:
    raise DataError(
        "json", "valid JSON", got=reason, where=where,
        hint="was the file cut off? nothing of it was used",
    )  # fmt: skip


class _TwiceError(Exception):
    """A key that stands in one object twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; Python alone would keep the last value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in found if keys.count(key) > 1))
    return found


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_object)
_SCAN = _DECODER.scan_once
