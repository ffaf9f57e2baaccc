"""Relevance grades from fitted click models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged.clicks.data.log import Floats, Ints, Pairs
from judged.clicks.models.model import Fit
from judged.errors import UsageError

__all__ = ["Grades", "grade_bounds", "grades_from_clicks"]


@dataclass(frozen=True, slots=True)
class Grades:
    """A grade for each pair that was shown often enough, with what it rests on; `rows` are places among `pairs`."""

    pairs: Pairs
    rows: Ints
    relevance: Floats
    error: Floats
    low: Floats
    high: Floats
    impressions: Floats
    clicks: Floats
    grade: Ints
    grade_low: Ints  # the grades at the ends of the interval; -1 where the interval is not known
    grade_high: Ints
    levels: int

    def __len__(self) -> int:
        return len(self.rows)


def grade_bounds(levels: int = 4) -> Floats:
    """The lowest relevance of each grade from 1 on: (2^(g - 1/2) - 1) / 2^levels.

    These lie, on the scale of grades, half-way between ERR's chances R(g) = (2^g - 1) / 2^levels.
    """
    if isinstance(levels, bool) or not isinstance(levels, (int, np.integer)) or not 1 <= levels <= 50:
        raise UsageError("parameter", "a top grade that is a whole number from 1 to 50", got=repr(levels), value=levels)
    return (np.exp2(np.arange(1, levels + 1) - 0.5) - 1.0) / 2.0**levels


def grades_from_clicks(fit: Fit, levels: int = 4, *, minimum: float = 1) -> Grades:
    """Grades from 0 to `levels`: the inverse of ERR's mapping, log2(1 + 2^levels · relevance), rounded to the nearest.

    Relevance is what the model takes for it: attractiveness; in the dynamic Bayesian models attractiveness times satisfaction, the
    chance that an examined document satisfies. So ERR on these grades is what the cascade model expects of the clicks.

    Args:
        fit: of any model but rank-ctr, which tells no document from another.
        levels: the top of the scale.
        minimum: pairs that were shown less often are left out.
    """
    bounds = grade_bounds(levels)
    if fit.relevance is None:
        hint = "take pbm, ubm, dbn or cascade"
        raise UsageError("click-model", "a model with parameters of documents", got=fit.model.name, hint=hint)
    if not minimum >= 0:
        raise UsageError("parameter", "a minimum of impressions from 0", got=repr(minimum), value=minimum)
    value = fit.relevance.value
    rows = np.flatnonzero((fit.impressions >= max(minimum, 1)) & ~np.isnan(value))

    def graded(relevance: Floats) -> Ints:
        return np.where(np.isnan(relevance), -1, np.searchsorted(bounds, relevance, "right"))

    low, high = fit.relevance.low[rows], fit.relevance.high[rows]
    return Grades(
        pairs=fit.pairs,
        rows=rows,
        relevance=value[rows],
        error=fit.relevance.error[rows],
        low=low,
        high=high,
        impressions=fit.impressions[rows],
        clicks=fit.clicks[rows],
        grade=graded(value[rows]),
        grade_low=graded(low),
        grade_high=graded(high),
        levels=int(levels),
    )
