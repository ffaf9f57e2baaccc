"""Relevance grades from fitted click models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Floats, Ints
from judged.clicks.data.log import Pairs
from judged.clicks.models.model import Fit
from judged.errors import UsageError


@dataclass(frozen=True, slots=True)
class Grades:
    """A grade for each pair with enough impressions, with its relevance and counts; `rows` are indices into `pairs`."""

    pairs: Pairs
    rows: Ints
    relevance: Floats
    error: Floats
    low: Floats
    high: Floats
    impressions: Floats
    clicks: Floats
    grade: Ints
    grade_low: Ints  # the grades at the ends of the interval; -1 if the interval is unknown
    grade_high: Ints
    levels: int

    def __len__(self) -> int:
        return len(self.rows)


def grade_bounds(levels: int = 4) -> Floats:
    """Return the lowest relevance of each grade g ≥ 1: (2^(g - 1/2) - 1) / 2^levels.

    On the scale of grades these are midway between ERR's probabilities R(g) = (2^g - 1) / 2^levels.
    """
    if isinstance(levels, bool) or not isinstance(levels, (int, np.integer)) or not 1 <= levels <= 50:
        raise UsageError("parameter", f"levels must be an integer from 1 to 50, got {levels!r}", value=levels)
    return (np.exp2(np.arange(1, levels + 1) - 0.5) - 1.0) / 2.0**levels


def grades_from_clicks(fit: Fit, levels: int = 4, *, minimum: float = 1) -> Grades:
    """Grades from 0 to `levels`: the inverse of ERR's mapping, log2(1 + 2^levels · relevance), rounded to the nearest.

    Relevance is attractiveness; in the dynamic Bayesian models attractiveness times satisfaction, the
    probability that an examined document satisfies. So ERR on these grades is what the cascade model expects of the clicks.

    Args:
        fit: of any model except rank-ctr, which does not distinguish documents.
        levels: the top grade.
        minimum: pairs with fewer impressions are excluded.
    """
    bounds = grade_bounds(levels)
    if fit.relevance is None:
        raise UsageError(
            "click-model",
            f"{fit.model.name} gives no grades: it has no document parameters",
            hint="use pbm, ubm, dbn or cascade",
        )
    if not minimum >= 0:
        raise UsageError("parameter", f"minimum must be at least 0, got {minimum!r}", value=minimum)
    value = fit.relevance.value
    rows = np.flatnonzero((fit.impressions >= max(minimum, 1)) & ~np.isnan(value))

    def to_grade(relevance: Floats) -> Ints:
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
        grade=to_grade(value[rows]),
        grade_low=to_grade(low),
        grade_high=to_grade(high),
        levels=int(levels),
    )
