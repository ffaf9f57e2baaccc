"""The known format that an unreadable JSON document resembles most."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from judged.errors import DataError
from judged.io.formats.shapes import JsonShape, a_shape, all_shapes, has_path

if TYPE_CHECKING:
    from judged.io.columns import ColumnRequest

_SAMPLE = 100  # keys of a document that are compared with those of the shapes
_UNREADABLE = ("form", "columns", "score-type", "grade-type")
_NEAR = 0.5  # least likeness that makes a shape the nearest


def nearest_shape(value: Any) -> tuple[JsonShape, list[str]] | None:
    """Return the shape that a document resembles most, and the required paths that it does not have; None if it resembles none."""
    from difflib import get_close_matches

    known = sorted({_plain(key) for key in _keys(value)})[: 10 * _SAMPLE]

    def share(names: set[str]) -> float:
        return sum(bool(get_close_matches(name, known, 1, 0.84)) for name in names) / len(names)

    def likeness(shape: JsonShape) -> tuple[float, int]:
        required = {_plain(step.rstrip("[]{}")) for path in shape.requires for step in path.split(".")} - {""}
        usual = {_plain(key) for key in _keys(json.loads(shape.example))}
        return (2 * share(required) + share(usual)) / 3, shape.specificity

    near = max(all_shapes(), key=likeness)
    if likeness(near)[0] < _NEAR:
        return None
    return near, [path for path in near.requires if not has_path(value, path)]


@contextmanager
def nearest_named(value: Any, request: ColumnRequest) -> Iterator[None]:
    """Name the nearest shape in an error about a run or judgments that no reader takes, if there is one."""
    try:
        yield
    except DataError as error:
        near = nearest_shape(value) if request.is_ranking and error.slug in _UNREADABLE else None
        if near is None:
            raise
        shape, missing = near
        problem = error.problem if not error.got else f"expected {error.problem}, got {error.got}"
        add = f"add {' and '.join(missing)}" if missing else "check its fields"
        hint = f"{add} if this is {a_shape(shape)}, the nearest known format"
        raise error.changed(slug="json-shape", problem=problem, got=None, hint=hint) from None


def _plain(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")


def _keys(value: Any, depth: int = 6) -> Iterator[str]:
    """Iterate over the keys of a document, of lists only the first item."""
    if isinstance(value, Mapping):
        for name, entry in list(value.items())[:_SAMPLE]:
            yield from str(name).split(".")
            yield from _keys(entry, depth - 1) if depth else ()
    elif isinstance(value, list) and value and depth:
        yield from _keys(value[0], depth - 1)
