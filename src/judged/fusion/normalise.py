"""Normalisations of scores, each declared once. They make the scores of different systems comparable, list by list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, shown
from judged.fusion.aligned import AlignedRuns
from judged.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalisation:
    """A normalisation of the scores of each list; `lower_is_better` reverses the order of scores before anything else."""

    name: str
    aliases: tuple[str, ...] = ()
    apply: Callable[[AlignedRuns], AlignedRuns]
    lower_is_better: bool = False
    text: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return find_normalisation, (self.name,)


def _divide(a: AlignedRuns, values: Floats, by: Floats) -> AlignedRuns:
    """Divide the values of each list; all are 0 if the divisor is 0."""
    divisor = by[a.list]
    return replace(a, score=np.divide(values, divisor, out=np.zeros(len(values)), where=divisor != 0))


def _scaled(a: AlignedRuns) -> Floats:
    """The scores of each list, divided by a power of two so that their sums and squares are within the range of a float; other bits stay."""
    highest = a.per_list(np.maximum, np.abs(a.score))
    exponent = np.where(np.isfinite(highest), np.frexp(highest)[1], 0)
    return np.ldexp(a.score, -exponent[a.list])


def _above_lowest(a: AlignedRuns) -> Floats:
    score = _scaled(a)
    return score - a.per_list(np.minimum, score)[a.list]


def _min_max(a: AlignedRuns) -> AlignedRuns:
    above = _above_lowest(a)
    return _divide(a, above, a.per_list(np.maximum, above))


def _max(a: AlignedRuns) -> AlignedRuns:
    highest = a.per_list(np.maximum, a.score)
    wrong = np.flatnonzero((a.score < 0) & (highest[a.list] <= 0))
    if len(wrong):
        row = int(wrong[0])
        query = a.queries[int(a.query[a.document[row]])]
        problem = f"the highest score of query {shown(query)} is not above 0, and the max norm divides by it"
        raise DataError("fusion-norm", problem, hint="use min-max", where=a.names[int(a.run[row])])
    return _divide(a, a.score, highest)


def _sum(a: AlignedRuns) -> AlignedRuns:
    above = _above_lowest(a)
    return _divide(a, above, a.per_list(np.add, above))


def _zmuv(a: AlignedRuns) -> AlignedRuns:
    size = np.maximum(a.size.ravel(), 1)
    score = _scaled(a)
    same = a.per_list(np.maximum, score) == a.per_list(np.minimum, score)
    away = score - (a.per_list(np.add, score) / size)[a.list]
    deviation = np.sqrt(a.per_list(np.add, np.square(away)) / size)
    return _divide(a, away, np.where(same, 0.0, deviation))  # the mean of equal scores may be rounded


def _rank(a: AlignedRuns) -> AlignedRuns:
    return replace(a, score=1 - (a.rank - 1) / a.size.ravel()[a.list])


def _borda(a: AlignedRuns) -> AlignedRuns:
    every = a.with_missing()
    candidates, size = a.candidates[every.query[every.document]], a.size.ravel()[every.list]
    return replace(
        every, score=np.where(every.rank > 0, 1 - (every.rank - 1) / candidates, 0.5 - (size - 1) / (2 * candidates))
    )


NORMALISATIONS: Registry[Normalisation] = Registry("normalisation")
for _normalisation in (
    Normalisation(
        name="min-max",
        aliases=("min_max", "minmax"),
        apply=_min_max,
        text="(s - lowest) / (highest - lowest): from 0 to 1; 0 if all scores are equal",
    ),
    Normalisation(
        name="min-max-inverted",
        aliases=("min_max_inverted",),
        apply=_min_max,
        lower_is_better=True,
        text="(highest - s) / (highest - lowest), for distances: the lowest score is the best, in ranks too",
    ),
    Normalisation(name="max", apply=_max, text="s / highest; the highest score must be above 0, or all scores 0"),
    Normalisation(
        name="sum", apply=_sum, text="(s - lowest) / Σ (s - lowest): the sum is 1; 0 if all scores are equal"
    ),
    Normalisation(
        name="zmuv",
        aliases=("z-score", "standard"),
        apply=_zmuv,
        text="(s - mean) / standard deviation; 0 if all scores are equal",
    ),
    Normalisation(name="rank", apply=_rank, text="1 - (r - 1) / n at rank r of n"),
    Normalisation(
        name="borda",
        apply=_borda,
        text="1 - (r - 1) / c at rank r of c candidates in all runs; a document that the run lacks: 1/2 - (n - 1) / 2c",
    ),
    Normalisation(name="none", aliases=("raw", "identity"), apply=lambda a: a, text="scores as they are"),
):
    NORMALISATIONS.add(_normalisation)


def find_normalisation(name: str) -> Normalisation:
    """The normalisation with a name."""
    return NORMALISATIONS.find(name)
