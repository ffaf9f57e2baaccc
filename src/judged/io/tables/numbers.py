"""Scores and grades of Python and NumPy as float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NoReturn

import numpy as np

from judged._types import Floats, Ints
from judged.core.numeric.masked import is_masked_array
from judged.errors import DataError, shown
from judged.io.tables.ids import Column, as_list
from judged.io.tables.origin import Origin
from judged.io.text.decimals import LARGEST_GRADE, What


def floats(values: Column, origin: Origin, what: What) -> Floats:
    """Return a column of scores or grades. Text and missing numbers are errors; nothing is truncated."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and not is_masked_array(values):
        out = values.astype(np.float64)
    else:
        out = _from_objects(as_list(values, origin, what), origin, what)
    lost = np.isnan(out)
    if lost.any():
        _raise_missing(float("nan"), origin, what, int(np.argmax(lost)))
    if what == "grade":
        check_range(out, origin)
    return out


def check_range(grades: Floats, origin: Origin) -> None:
    """Raise at a grade that a float64 cannot distinguish from its neighbours."""
    large = np.abs(grades) > LARGEST_GRADE
    if large.any():
        row = int(np.argmax(large))
        problem = f"a grade between -2**53 and 2**53{origin.describe_row(row)}"
        where, grade = origin.place(row, "grade"), float(grades[row])
        hint = "use small grades such as 0, 1, 2, 3"
        raise DataError("grade-range", problem, got=f"{grade:g}", where=where, value=grade, hint=hint)


def _from_objects(items: list[Any], origin: Origin, what: What) -> Floats:
    plain = (float, int, np.floating, np.integer, np.bool_)
    if all(issubclass(kind, plain) for kind in set(map(type, items))):
        try:
            return np.array(items, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([_float(item, origin, what, row) for row, item in enumerate(items)], dtype=np.float64)


def _float(item: Any, origin: Origin, what: What, row: int) -> float:
    """One number of an unusual type: Decimal, Fraction, a huge integer, an array of no dimension."""
    if item is None or item is np.ma.masked or type(item).__name__ in ("NAType", "NaTType"):
        _raise_missing(item, origin, what, row)
    kind = getattr(getattr(item, "dtype", None), "kind", "f")
    if hasattr(type(item), "__float__") and kind in "fiub" and not getattr(item, "ndim", 0):
        try:
            return float(item)
        except OverflowError:
            return float("inf") if item > 0 else float("-inf")
        except (TypeError, ValueError):
            pass
    raise DataError(
        f"{what}-type",
        f"a numeric {what}{origin.describe_row(row)}",
        got=f"{shown(item)} ({type(item).__name__})",
        hint=_several_hint(what)
        if _is_ranking(item)
        else f"write one {what} per document"
        if isinstance(item, (list, tuple, Set))
        else "convert it with float(x)",
        where=origin.place(row, what),
        value=item,
    )


def _is_ranking(item: object) -> bool:
    """Return whether {doc: number} is one level too deep: {name of a run: {query: ranking}}."""
    return isinstance(item, Mapping) or (isinstance(item, (list, tuple)) and bool(item) and isinstance(item[0], str))


def _several_hint(what: What) -> str:
    several = "jd.compare(qrels, runs)" if what == "score" else "jd.agree(judges)"
    return f"pass {{query: {{doc: {what}}}}}; use {several} for several of them"


def _raise_missing(value: object, origin: Origin, what: What, row: int) -> NoReturn:
    raise DataError(
        "score-nan" if what == "score" else "grade-type",
        f"a numeric {what}{origin.describe_row(row)}",
        got=shown(value),
        hint="fill in the number, or drop the row",
        where=origin.place(row, what),
        value=value,
    )


def count_up(queries: Sequence[Any], values: Column) -> bool:
    """Return whether the numbers of every query are 1, 2, 3 … in the order of the rows, as ranks are."""
    numbers, seen = ranks(values), dict[Any, int]()
    if numbers is None:
        return False
    for query, number in zip(queries, numbers.tolist(), strict=True):
        seen[query] = seen.get(query, 0) + 1
        if number != seen[query]:
            return False
    return max(seen.values(), default=0) > 1


def ranks(values: Column) -> Ints | None:
    """Return a column of integers ≥ 0; None if a value is something else."""
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind in "US":
            numbers = numbers.astype(np.int64)
        if numbers.dtype.kind == "O":
            numbers = np.array([float(v) for v in numbers])
    except (TypeError, ValueError, OverflowError):
        return None
    if is_masked_array(values) or numbers.dtype.kind not in "iuf" or not ((numbers >= 0) & (numbers < 2**53)).all():
        return None
    whole = numbers.astype(np.int64)
    return whole if (whole == numbers).all() else None
