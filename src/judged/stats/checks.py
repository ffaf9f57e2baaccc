"""What the tests are given, checked once: tables of finite values, columns of differences, shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, UsageError, shown

__all__ = ["column", "deviation", "matrix", "positive", "possible", "share"]


_TINY = float(np.finfo(float).tiny)


def matrix(x: Any) -> Floats:
    """Values of queries × systems: at least one query, two systems, and no gaps."""
    table = _numbers(x)
    if table.ndim != 2 or len(table) < 1 or table.shape[1] < 2:
        raise DataError(
            "table", "a table of queries × systems, with two systems or more", got=f"the shape {table.shape}"
        )
    return table


def column(d: Any) -> Floats:
    """Differences between two systems, one for each query."""
    differences = _numbers(d)
    if differences.ndim != 1 or len(differences) < 1:
        raise DataError("table", "one column of differences, one for each query", got=f"the shape {differences.shape}")
    return differences


def _numbers(x: Any) -> Floats:
    try:
        table = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", "numbers in rows of one length", got=f"something else ({error})") from error
    if not np.isfinite(table).all():
        count = int((~np.isfinite(table)).sum())
        raise DataError("table", "finite values", got=f"{count} missing or infinite", hint="leave out queries that one system lacks")  # fmt: skip
    return table


def share(value: Any, name: str) -> float:
    """A number between 0 and 1, both excluded: alpha, a power, a confidence."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise UsageError("confidence", f"{name} between 0 and 1", got=shown(value), value=value)
    return float(value)


def positive(value: Any, name: str, *, zero: bool = False) -> float:
    """A finite number above 0 (or from 0)."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool) and np.isfinite(value)
    if not good or value < 0 or (value == 0 and not zero):
        raise UsageError(
            "parameter", f"{name}: a number {'from' if zero else 'above'} 0", got=shown(value), value=value
        )
    return float(value)


def deviation(d: Floats) -> float:
    """The standard deviation of differences, n - 1 below; exactly 0 where they differ by roundings only, NaN for one."""
    if len(d) < 2:
        return math.nan
    rounding = 16 * np.finfo(float).eps * float(np.abs(d).max())
    return float(d.std(ddof=1)) if float(np.ptp(d)) > rounding else 0.0


def possible(p: float) -> float:
    """A p-value as it is told: above 0, where a distribution's tail is too thin for a number, and never above 1."""
    return min(1.0, max(_TINY, float(p)))
