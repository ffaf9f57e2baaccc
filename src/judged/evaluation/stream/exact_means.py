"""Exact sums, bit-identical for any order and partitioning, and the means computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Policy
from judged.errors import Warned
from judged.evaluation.result.names import ByMeasure, find_measure
from judged.evaluation.result.tables import notes_on, summary_table
from judged.measures.registry import Measure
from judged.stats.summary import FLOOR
from judged.tables.result import Result
from judged.tables.table import Table

_SCALE = 1126  # every double is an integer multiple of 2**-1126 if its fraction has 53 bits
_HALF = 27  # bits: halves of the 53 bits can be added up in 64, 2**36 of them


@dataclass(slots=True)
class ExactSum:
    """A sum of doubles as one integer of about 2,000 bits, with their number.

    >>> some, others = ExactSum(), ExactSum()
    >>> some.add(np.array([1e16, 1.0]))
    >>> others.add(np.array([-1e16]))
    >>> some.merge(others)
    >>> some.value()
    1.0
    """

    total: int = 0
    count: int = 0
    missing: int = 0  # NaN values, which are not in the sum
    infinite: float = 0.0

    def add(self, values: Floats) -> None:
        """Add a column; NaN values are only counted."""
        numbers = values[~np.isnan(values)]
        self.count += len(numbers)
        self.missing += len(values) - len(numbers)
        finite = numbers[np.isfinite(numbers)]
        if len(finite) < len(numbers):
            self.infinite += float(numbers[~np.isfinite(numbers)].sum())
        self.total += _exact_sum(finite)

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self.total += other.total
        self.count += other.count
        self.missing += other.missing
        self.infinite += other.infinite

    def value(self) -> float:
        """The sum, rounded once."""
        return self.total / (1 << _SCALE) + self.infinite

    def mean(self) -> float:
        """The mean, rounded once; NaN if there are no values."""
        return self.total / (self.count << _SCALE) + self.infinite if self.count else math.nan


def _exact_sum(values: Floats) -> int:
    fraction, exponent = np.frexp(values)
    bits = np.ldexp(fraction, 53).astype(np.int64)
    high, low = bits >> _HALF, bits & ((1 << _HALF) - 1)
    total = 0
    for power in np.unique(exponent).tolist():  # values of a measure have few different exponents
        rows = exponent == power
        total += ((int(high[rows].sum()) << _HALF) + int(low[rows].sum())) << (power - 53 + _SCALE)
    return total


class Summed(Result):
    """Base of results that have exact sums instead of single values."""

    measures: tuple[Measure, ...]
    policy: Policy
    profile: str
    coverage: dict[str, float]
    warnings: tuple[Warned, ...]

    def __len__(self) -> int:
        raise NotImplementedError

    def sum_of(self, measure: Measure) -> ExactSum:
        """The sum of the values of a measure."""
        raise NotImplementedError

    def intervals(self) -> dict[str, tuple[float, float] | None] | None:
        """An interval of each mean, if the result has any."""
        return None

    def __getitem__(self, measure: str | Measure) -> float:
        """The mean of one measure."""
        return float(self.mean()[str(find_measure(measure, self.measures, self.profile))])

    def mean(self) -> dict[str, float]:
        """The summary of each measure: the mean, or what its definition says (counts are summed); rounded once."""
        means = {str(m): _summary(self.sum_of(m), m.definition.summary) for m in self.measures}
        return ByMeasure(means, self.measures, self.profile)

    def missing(self) -> dict[str, int]:
        """Number of lists or queries without a value, by measure: those that the policy excludes."""
        return {str(m): self.sum_of(m).missing for m in self.measures}

    def counts(self) -> dict[str, int]:
        """Number of values, by measure."""
        return {str(m): self.sum_of(m).count for m in self.measures}

    def tables(self, *, places: int = 4, title: str = "") -> list[Table]:
        """One row per measure."""
        notes = notes_on(len(self), self.policy, self.warnings, self.coverage, self.measures)
        table = summary_table(
            self.measures,
            self.mean(),
            self.counts(),
            intervals=self.intervals(),
            places=places,
            title=title,
            notes=notes,
        )
        return [table]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        intervals, counts = self.intervals() or {}, self.counts()
        return [
            {
                "measure": name,
                "value": value,
                "low": (intervals.get(name) or (None, None))[0],
                "high": (intervals.get(name) or (None, None))[1],
                "queries": counts[name],
            }
            for name, value in self.mean().items()
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Means(Summed):
    """Exact means of a stream whose single values are not kept.

    Sums are not rounded, so means are bit-identical for any order of batches and any merging. They may differ in the last digit from
    `Values.mean`, which adds one value after the other as trec_eval does. There are no intervals, which would need the values.
    """

    measures: tuple[Measure, ...]
    sums: Mapping[str, ExactSum]
    lists: int
    policy: Policy
    profile: str = "trec_eval-10"
    coverage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return self.lists

    def sum_of(self, measure: Measure) -> ExactSum:
        return self.sums[str(measure)]


def exact_means(measures: Sequence[Measure], columns: Mapping[str, Floats]) -> dict[str, float]:
    """The summary of each column, rounded once: bit-identical for any order of its values."""
    means = {}
    for m in measures:
        total = ExactSum()
        total.add(summand(columns[str(m)], m.definition.summary))
        means[str(m)] = _summary(total, m.definition.summary)
    return means


def summand(values: Floats, summary: str) -> Floats:
    """The values that are added for a summary: logarithms for a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if summary == "geometric" else values


def _summary(total: ExactSum, summary: str) -> float:
    if summary == "sum":
        return total.value()
    return math.exp(total.mean()) if summary == "geometric" else total.mean()
