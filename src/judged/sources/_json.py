"""JSON documents and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from judged.errors import DataError, Place, shown
from judged.sources._context import Context
from judged.sources._encoding import Raw, decoded, unfinished
from judged.sources._memory import of_items, of_mapping
from judged.sources._table import Table

__all__ = ["of_json"]


def of_json(data: Raw, context: Context) -> Table:
    """A JSON document; or JSON Lines, where the first line is whole and others follow."""
    text = decoded(data, context.name)
    ending = "\n" if "\n" in text else "\r"
    lines = text.split(ending)
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if len(filled) > 1 and _is_whole(lines[filled[0]]):
        items = [_loaded(lines[i], Place(context.name, i + 1)) for i in filled]
        context = replace(context, lines=np.array(filled) + 1, warnings=unfinished(data, context.name))
        return _of_parsed(items, context)
    del lines
    return _of_parsed(_loaded(text, context.place), context)


def _of_parsed(value: Any, context: Context) -> Table:
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
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        line = error.lineno if where.line is None else where.line
        _refuse(f"{error.msg} at character {error.colno}", Place(where.path, line))
    except DataError as error:
        parts = {"got": error.got, "hint": error.hint, "value": error.value}
        raise DataError(error.slug, error.expected, **parts, where=where) from None  # type: ignore[arg-type]
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        _refuse(str(error), where)


def _refuse(reason: str, where: Place) -> NoReturn:
    raise DataError(
        "json", "valid JSON", got=reason, where=where,
        hint="was the file cut off? nothing of it was used",
    )  # fmt: skip


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; Python alone would keep the last value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise DataError(
            "duplicate-key", "each key once in a JSON object", got=f"{shown(twice)} {keys.count(twice)} times",
            hint="remove one of them", value=twice,
        )  # fmt: skip
    return found
