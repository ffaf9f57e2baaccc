"""Grades of several judges made into one: by majority, mean, median, or an adjudicator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats
from judged.errors import UsageError, shown

__all__ = ["HOW", "TIES", "How", "Merged", "Ties", "merge"]

How = Literal["majority", "mean", "median", "max", "min", "adjudicate"]
Ties = Literal["error", "lower", "higher", "first"]
HOW: tuple[How, ...] = ("majority", "mean", "median", "max", "min", "adjudicate")
TIES: tuple[Ties, ...] = ("error", "lower", "higher", "first")
_MEANS: dict[str, Any] = {"mean": np.nanmean, "median": np.nanmedian, "max": np.nanmax, "min": np.nanmin}


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """One grade for each unit; NaN where it is `undecided`."""

    grade: Floats
    undecided: Bools


def merge(grades: Floats, how: How = "majority", ties: Ties = "error", adjudicated: Floats | None = None) -> Merged:
    """The grades (judges × units, NaN where a judge gave none) as one column.

    majority: the grade that most judges gave, which need not be more than half of them. Where several grades are given equally
    often, `ties` decides: leave it undecided (error), the lower or the higher grade, or that of the first judge who gave one
    of them. mean and median are not rounded: the median of an even number of grades is the mean of the middle two. adjudicate:
    where judges disagree, the grade in `adjudicated` counts, and units without one stay undecided. A unit with one grade keeps it.

    >>> merge(np.array([[0, 2.0], [1, 2], [1, 0]])).grade
    array([1., 2.])
    """
    if how not in HOW:
        raise UsageError("merge-how", f"one of {', '.join(HOW)}", got=shown(how), value=how)
    if ties not in TIES:
        raise UsageError("merge-how", f"ties to be one of {', '.join(TIES)}", got=shown(ties), value=ties)
    none = np.isnan(grades).all(axis=0)
    filled = np.where(none, 0.0, grades)  # NumPy warns of columns that hold NaN alone
    if how == "majority":
        merged = _majority(filled, ties)
    elif how == "adjudicate":
        merged = _adjudicated(filled, adjudicated)
    else:
        merged = _MEANS[how](filled, axis=0)
    merged = np.where(none, np.nan, merged)
    return Merged(merged, np.isnan(merged))


def _majority(grades: Floats, ties: Ties) -> Floats:
    votes = np.zeros(grades.shape, np.int64)
    for one in grades:
        votes += grades == one  # of each grade, how many judges gave it; NaN equals nothing
    leading = votes == votes.max(axis=0)
    low = np.where(leading, grades, np.inf).min(axis=0)
    high = np.where(leading, grades, -np.inf).max(axis=0)
    first = grades[np.argmax(leading, axis=0), np.arange(grades.shape[1])]
    tied = {"error": np.full(len(low), np.nan), "lower": low, "higher": high, "first": first}[ties]
    return np.where(low == high, low, tied)


def _adjudicated(grades: Floats, adjudicated: Floats | None) -> Floats:
    low, high = np.nanmin(grades, axis=0), np.nanmax(grades, axis=0)
    judged = np.full(len(low), np.nan) if adjudicated is None else adjudicated
    return np.where(low == high, low, judged)
