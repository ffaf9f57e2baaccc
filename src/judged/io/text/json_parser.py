"""The JSON parser: as Python's, but duplicate keys are an error, and errors have a place."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from judged.errors import DataError, Place, shown


def is_json(line: str) -> bool:
    """Return whether a line is a complete JSON value."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def load_json(text: str, where: Place) -> Any:
    """Parse a JSON document; duplicate keys are an error."""
    text = text.strip(" \t\r\n")
    try:
        value, end = scan(text, 0)
    except StopIteration as error:
        _raise_invalid(f"expected a value at character {error.value + 1}", where, cut=error.value >= len(text))
    except json.JSONDecodeError as error:
        line = error.lineno if where.line is None else where.line
        cut = error.pos >= len(text) or error.msg.startswith("Unterminated")
        _raise_invalid(f"{error.msg} at character {error.colno}", Place(where.path, line), cut=cut)
    except DuplicateKeyError as error:
        key = error.args[0]
        raise DataError(
            "duplicate-key",
            f"duplicate key {shown(key)} in a JSON object",
            where=where,
            value=key,
            hint="remove one of the two",
        ) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        _raise_invalid(str(error), where)
    return value if end == len(text) else _raise_invalid(f"unexpected text at character {end + 1}", where)


def _raise_invalid(reason: str, where: Place, *, cut: bool = False) -> NoReturn:
    """Raise an error; `cut`: the text ends before the value does."""
    hint = (
        "check whether the file is truncated; none of it was used" if cut else "correct it; none of the file was used"
    )
    raise DataError("json", f"invalid JSON: {reason}", where=where, hint=hint)


class DuplicateKeyError(Exception):
    """A key that occurs twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ; Python alone would silently keep the last value."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        raise DuplicateKeyError(next(key for key in fields if keys.count(key) > 1))
    return fields


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_object)
scan = _DECODER.scan_once
