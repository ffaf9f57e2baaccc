"""Gains of grades and discounts of ranks: named ones, tables, and functions of the user."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from judged._types import Column
from judged.errors import DataError, UsageError
from judged.measures.parameters import Base, Discount, Function, Gain, Gains, Level, LogBase

_KEPT = 1 << 12  # ranks whose divisors are computed once for all calls
_LARGEST_EXPONENT = 960  # sums of 2**63 such gains are within the range of numbers


def gain_of(
    grade: Column,
    gain: Gain = "linear",
    base: Base = 2.0,
    gains: Gains = None,
    level: Level = 0,
    name: str = "",
) -> Column:
    """Gain of each grade. A grade of 0 or less, or below the level, gains nothing; a function decides about 0 itself."""
    if gain == "linear" and level <= 0 and not gains and np.minimum.reduce(grade, initial=0.0) >= 0:
        return grade  # nothing to leave out
    worthy = (grade > 0) & (grade >= level)
    if isinstance(gain, Function):
        return _own_gain(grade, gain, (grade >= 0) & (grade >= level), gains)
    value = np.where(worthy, grade, 0.0)
    if gain == "binary":
        value = worthy.astype(float)
    elif gain == "exp":
        top = float(grade.max(initial=0))
        if top * np.log2(base) > _LARGEST_EXPONENT:
            raise DataError(
                "gain-overflow",
                f"the gain {base:g}**{top:g} of grade {top:g} exceeds the range of numbers",
                value=top,
                hint="use the linear gain, or a table of gains",
                where=name or None,
            )
        value = np.where(worthy, np.power(base, value) - 1.0, 0.0)
    return _from_table(grade, value, gains)


def _from_table(grade: Column, value: Column, gains: Gains) -> Column:
    for known, worth in gains or ():
        value = np.where((grade == known) & (grade >= 0), worth, value)  # a negative grade is not a judgment
    return value


def _own_gain(grade: Column, gain: Function, worthy: Column, gains: Gains) -> Column:
    """Gain by a function of the user; the grades that it gets are not negative."""
    value = np.zeros(len(grade))
    value[worthy] = gain.on(grade[worthy])
    wrong = np.flatnonzero(~((value >= 0) & (value <= 2.0**_LARGEST_EXPONENT)))
    if len(wrong):
        at = wrong[0]
        problem = f"gain {gain.name}({grade[at]:g}) must be a finite number ≥ 0, got {value[at]:g}"
        raise UsageError("parameter", problem, value=value[at])
    return _from_table(grade, value, gains)


def _own_discount(rank: Column, function: Function) -> Column:
    """Divisor by a function of the user; it must not fall with the rank, so that the ideal ranking is the best."""
    ranks, place = np.unique(rank, return_inverse=True)
    value = function.on(ranks)
    wrong = np.flatnonzero(~np.isfinite(value) | (value <= 0) | (np.diff(value, prepend=0.0) < 0))
    if len(wrong):
        shown_value = f"{function.name}({ranks[wrong[0]]}) = {value[wrong[0]]:g}"
        raise UsageError(
            "parameter",
            f"a discount must be a finite number > 0 that does not fall with the rank, got {shown_value}",
            value=value[wrong[0]],
        )
    return np.asarray(value[place])


def discount(rank: Column, kind: Discount = "log2", base: LogBase = 2.0) -> Column:
    """The divisor of a gain at this rank."""
    if isinstance(kind, Function):
        return _own_discount(rank, kind)
    if kind == "rank":
        return rank.astype(float)
    last = int(np.maximum.reduce(rank, initial=0))
    if rank.dtype.kind != "i" or last >= max(len(rank) // 2, _KEPT):
        return _discount(rank, kind, base)
    each = _discounts(kind, base) if last < _KEPT else _discount(np.arange(last + 1), kind, base)
    return each[rank]  # the logarithm of each rank once


@lru_cache(maxsize=64)
def _discounts(kind: Discount, base: LogBase) -> Column:
    """The divisors of the first ranks, from 0 on."""
    with np.errstate(divide="ignore"):
        return _discount(np.arange(_KEPT), kind, base)


def _discount(rank: Column, kind: Discount, base: LogBase) -> Column:
    if kind == "log":
        return np.log(rank + 1.0) / np.log(base)
    if kind == "jk":
        return np.maximum(1.0, np.log(rank) / np.log(base))
    return np.log2(rank + 1.0)
