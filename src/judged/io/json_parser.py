"""The JSON parser: as Python's, but duplicate keys are an error, and errors have a place."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from judged.errors import DataError, Place, shown

_BLANK = " \t\r\n"
_CORRECT = "correct it; none of the file was used"


def is_json(line: str) -> bool:
    """Return whether a line is a complete JSON value."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def load_json(text: str, where: Place) -> Any:
    """Parse a JSON document; duplicate keys are an error."""
    text = text.rstrip(_BLANK)
    try:
        value, end = scan(text, len(text) - len(text.lstrip(_BLANK)))
    except StopIteration as error:
        _raise_invalid("expected a value", text, error.value, where)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")  # "Unterminated string starting at"
        _raise_invalid(reason, text, error.pos, where, cut=reason.startswith("Unterminated"))
    except DataError as error:
        raise error.changed(where=where) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        raise DataError("json", f"invalid JSON: {error}", where=where, hint=_CORRECT) from error
    return value if end == len(text) else _raise_invalid("unexpected text", text, end, where)


def _raise_invalid(reason: str, text: str, at: int, where: Place, *, cut: bool = False) -> NoReturn:
    """Raise an error at a position of the text; `cut`: the text ends before the value does."""
    place, column = _locate(text, at, where)
    hint = "check whether the file is truncated; none of it was used" if cut or at >= len(text) else _CORRECT
    raise DataError("json", f"invalid JSON: {reason} at character {column}", where=place, hint=hint)


def _locate(text: str, at: int, where: Place) -> tuple[Place, int]:
    """Return the place with its line, and the number of the character in the line."""
    line = text.count("\n", 0, at) + 1 if where.line is None else where.line
    return Place(where.path, line), at - text.rfind("\n", 0, at)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ; Python alone would silently keep the last value."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        problem = f"duplicate key {shown(key)} in a JSON object"
        raise DataError("duplicate-key", problem, value=key, hint="remove one of the two")
    return fields


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_object)
scan = _DECODER.scan_once
