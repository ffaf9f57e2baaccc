"""Merge the grades of several judges: by majority, mean, median, or an adjudicator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats
from judged.stats.agreement.choices import How, MergeTies
from judged.stats.checks import check_choice

_MEANS: dict[str, Any] = {"mean": np.nanmean, "median": np.nanmedian, "max": np.nanmax, "min": np.nanmin}


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """One grade per unit; NaN where it is `undecided`."""

    grade: Floats
    undecided: Bools


def merge(
    grades: Floats, how: How = "majority", ties: MergeTies = "error", adjudicated: Floats | None = None
) -> Merged:
    """Merge grades (judges × units, NaN for a missing judgment) into one column.

    A unit with one grade keeps it. Means and medians are not rounded.

    Args:
        grades: one row per judge.
        how: "majority" is the most frequent grade, which need not be an absolute majority; "adjudicate" takes the grade of
            `adjudicated` where judges disagree.
        ties: grades that are equally frequent: undecided ("error"), the lower or the higher one, or the one of the first judge.
        adjudicated: grades of the adjudicator; a unit that needs one and has none stays undecided.

    >>> merge(np.array([[0, 2.0], [1, 2], [1, 0]])).grade
    array([1., 2.])
    """
    check_choice(how, How, "how", slug="merge-how")
    check_choice(ties, MergeTies, "ties", slug="merge-how")
    none = np.isnan(grades).all(axis=0)
    filled = np.where(none, 0.0, grades)  # NumPy warns about columns of NaN
    if how == "majority":
        merged = _majority(filled, ties)
    elif how == "adjudicate":
        merged = _adjudicate(filled, adjudicated)
    else:
        merged = _MEANS[how](filled, axis=0)
    merged = np.where(none, np.nan, merged)
    return Merged(merged, np.isnan(merged))


def _majority(grades: Floats, ties: MergeTies) -> Floats:
    votes = np.zeros(grades.shape, np.int64)
    for one in grades:
        votes += grades == one  # the number of judges who gave each grade; NaN equals nothing
    leading = votes == votes.max(axis=0)
    low = np.where(leading, grades, np.inf).min(axis=0)
    high = np.where(leading, grades, -np.inf).max(axis=0)
    first = grades[np.argmax(leading, axis=0), np.arange(grades.shape[1])]
    tied = {"error": np.full(len(low), np.nan), "lower": low, "higher": high, "first": first}[ties]
    return np.where(low == high, low, tied)


def _adjudicate(grades: Floats, adjudicated: Floats | None) -> Floats:
    low, high = np.nanmin(grades, axis=0), np.nanmax(grades, axis=0)
    judged = np.full(len(low), np.nan) if adjudicated is None else adjudicated
    return np.where(low == high, low, judged)
