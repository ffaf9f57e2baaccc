"""Checks of arguments: tables of finite values, columns of differences, counts, shares and choices."""

from __future__ import annotations

import math
import sys
from typing import Any, get_args

import numpy as np

from judged._types import Floats
from judged.errors import DataError, UsageError, shown

LEAST = float(np.finfo(float).tiny)  # the smallest p-value that is reported
_MOST = float(np.finfo(float).max) / 4  # differences and their distances from the mean stay in range


def finite(x: Any) -> Floats:
    """Convert to an array of finite numbers, whose sums over rows are finite too."""
    try:
        table = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", f"not a table of numbers: {error}") from error
    if not np.isfinite(table).all():
        count = int((~np.isfinite(table)).sum())
        problem = f"{count} of {table.size} values are missing or infinite"
        raise DataError("table", problem, hint="leave out queries that one system lacks")
    rows, largest = len(np.atleast_1d(table)), float(np.abs(table).max(initial=0.0))
    if largest * max(rows, 1) > _MOST:
        problem = f"values are too large to add: {largest:.3g} in {rows:,} rows"
        raise DataError("table", problem, hint="divide all values by the same number")
    return table


def check_share(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1: alpha, a power, a confidence level."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise UsageError("parameter", f"{name} must be between 0 and 1, got {shown(value)}", value=value)
    return float(value)


def check_number(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a finite number above 0, or with `zero` at least 0."""
    good = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not good or not 0 <= value <= sys.float_info.max or (value == 0 and not zero):
        raise UsageError(
            "parameter", f"{name} must be a number {'≥' if zero else '>'} 0, got {shown(value)}", value=value
        )
    return float(value)


def check_count(value: Any, name: str, *, least: int = 1, slug: str = "parameter") -> int:
    """Return an integer from `least` to 2⁶⁴ - 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < 2**64:
        raise UsageError(slug, f"{name} must be an integer ≥ {least}, got {shown(value)}", value=value)
    return int(value)


def check_choice(value: Any, kinds: Any, name: str, *, slug: str = "parameter") -> None:
    """Raise unless a value is one of a `Literal`."""
    if not isinstance(value, str) or value not in get_args(kinds):
        known = ", ".join(map(str, get_args(kinds)))
        raise UsageError(slug, f"{name} must be one of {known}, got {shown(value)}", value=value)


def deviations(d: Floats) -> Floats:
    """Return the standard deviation (n - 1) of each column of queries × pairs: 0 if its values differ by rounding only, NaN for one query."""
    rows = np.ascontiguousarray(d.T)
    if rows.shape[1] < 2:
        return np.full(len(rows), math.nan)
    largest = np.abs(rows).max(axis=1)
    power = np.frexp(largest)[1]  # squares of scaled values neither overflow nor underflow
    spread = np.ldexp(np.ldexp(rows, -power[:, None]).std(axis=1, ddof=1), power)
    return np.where(np.ptp(rows, axis=1) <= 16 * np.finfo(float).eps * largest, 0.0, spread)


def possible(p: float) -> float:
    """Clip a p-value to the range that is reported: above 0, even if the tail underflows, and at most 1."""
    return min(1.0, max(LEAST, float(p)))


def no_weights(what: str) -> UsageError:
    """The error of a computation that cannot use weights of queries, and must not ignore them."""
    return UsageError("query-weights", f"{what} cannot use weights of queries", hint="evaluate again without weights")
