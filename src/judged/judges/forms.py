"""The forms that judges come in: one by one, in a mapping, in a frame or a table with all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judged.errors import DataError, UsageError, shown
from judged.io.judges import read_judges
from judged.io.read import read_qrels

__all__ = ["from_table", "is_column", "spread"]


def from_table(
    sources: Sequence[Any], judges: Sequence[str] | None, judge_column: str | None
) -> tuple[list[Any], list[str]]:
    """The judges of one table, and their names: a column for each, or rows with a judge beside them."""
    if len(sources) != 1:
        option = "judges" if judge_column is None else "judge_column"
        raise UsageError("judges", f"one table, of which {option} names columns", got=f"{len(sources)} sources")
    found = read_judges(sources[0], judges, judge_column)
    return list(found.values()), list(found)


def spread(judges: Sequence[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """Judges one by one, and their names where the form has some."""
    if len(judges) != 1:
        return list(judges), names
    (only,) = judges
    if isinstance(only, Mapping):
        if only and all(
            isinstance(v, Mapping) and v and not any(_is_rows(x) for x in v.values()) for v in only.values()
        ):
            return [only], None  # {query: {doc: grade}}: one judge
        return list(only.values()), names if names is not None else [str(name) for name in only]
    columns = getattr(only, "column_names", None)
    columns = columns if columns is not None else getattr(only, "columns", None)
    if columns is None:
        return [only], names
    return _of_frame(only, list(columns), names)


def _is_rows(value: Any) -> bool:
    """Whether a value of a mapping holds more values, and is no grade."""
    return hasattr(value, "__len__") and not isinstance(value, str)


def _of_frame(frame: Any, columns: list[Any], names: Sequence[str] | None) -> tuple[list[Any], Sequence[str] | None]:
    """One frame with a column for each judge: with ids beside them if they can be found, else in rows as they stand."""
    missing = [name for name in names or () if name not in columns]
    if missing:
        raise DataError("columns", "columns of that name", got=shown(missing[0]), hint=f"there are {shown(columns)}")
    if names is None:
        if len(columns) > 2 and _has_ids(frame, columns[-1]):
            raise UsageError("names", "the names of the judges' columns", got="a frame with queries and documents",
                             hint="for example names=['a', 'b']")  # fmt: skip
        return [frame[name] for name in columns], [str(name) for name in columns]
    if not _has_ids(frame, names[0]):
        return [frame[name] for name in names], [str(name) for name in names]
    judged = [_filled(frame, name) for name in names]
    return [read_qrels(rows, grade=name) for rows, name in zip(judged, names, strict=True)], list(names)


def _has_ids(frame: Any, column: str) -> bool:
    try:
        read_qrels(_filled(frame, column)[:1], grade=column)
    except DataError as error:
        return error.slug != "columns"
    return True


def _filled(frame: Any, column: str) -> Any:
    """The rows in which a column has something."""
    there = frame[column]
    if hasattr(there, "notna"):  # pandas
        return frame[there.notna()]
    return frame.filter(there.is_not_null() if hasattr(there, "is_not_null") else there.is_valid())


def is_column(source: Any) -> bool:
    """Whether this is a column of labels, and no judgments: what holds scalars side by side."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1 and source.dtype.names is None and not _holds_rows(source[:50].tolist())
    if isinstance(source, list | tuple):
        return not _holds_rows(source)
    return hasattr(source, "to_numpy") and not hasattr(source, "columns") and not hasattr(source, "column_names")


def _holds_rows(items: Sequence[Any]) -> bool:
    return not items or any(isinstance(x, list | tuple | Mapping | np.ndarray) for x in items)
