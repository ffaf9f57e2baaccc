"""Sums without rounding, so that parts added in any order give the same bits; and the means that come of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from judged._types import Floats
from judged.core.policy import Policy
from judged.errors import UsageError, Warned, shown
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.stats.summary import FLOOR
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted

__all__ = ["ExactSum", "Means", "Summed", "exact_means", "summand"]


_SCALE = 1126  # every double is a whole number of 2**-1126 when its fraction is taken as 53 bits
_HALF = 27  # bits: halves of the 53 bits can be added up in 64, 2**36 of them


@dataclass(slots=True)
class ExactSum:
    """A sum of doubles as one whole number, with how many there were; some 2,000 bits, however many are added.

    >>> some, others = ExactSum(), ExactSum()
    >>> some.add(np.array([1e16, 1.0]))
    >>> others.add(np.array([-1e16]))
    >>> some.merge(others)
    >>> some.value()
    1.0
    """

    total: int = 0
    count: int = 0
    missing: int = 0  # values that are NaN: left out, and counted
    infinite: float = 0.0

    def add(self, values: Floats) -> None:
        """Take in a column; NaN is counted apart."""
        there = values[~np.isnan(values)]
        self.count += len(there)
        self.missing += len(values) - len(there)
        finite = there[np.isfinite(there)]
        if len(finite) < len(there):
            self.infinite += float(there[~np.isfinite(there)].sum())
        self.total += _exact(finite)

    def merge(self, other: ExactSum) -> None:
        """Take in another sum."""
        self.total += other.total
        self.count += other.count
        self.missing += other.missing
        self.infinite += other.infinite

    def value(self) -> float:
        """The sum, rounded once."""
        return self.total / (1 << _SCALE) + self.infinite

    def mean(self) -> float:
        """The mean, rounded once; NaN of nothing."""
        return self.total / (self.count << _SCALE) + self.infinite if self.count else math.nan


def _exact(values: Floats) -> int:
    fraction, exponent = np.frexp(values)
    bits = np.ldexp(fraction, 53).astype(np.int64)
    high, low = bits >> _HALF, bits & ((1 << _HALF) - 1)
    total = 0
    for power in np.unique(exponent).tolist():  # values of a measure have few different exponents
        those = exponent == power
        total += ((int(high[those].sum()) << _HALF) + int(low[those].sum())) << (power - 53 + _SCALE)
    return total


class Summed(Result):
    """Measures of which only exact sums are known: their means."""

    measures: tuple[Measure, ...]

    def sum_of(self, measure: Measure) -> ExactSum:
        """What the values of a measure come to."""
        raise NotImplementedError

    def __getitem__(self, measure: str | Measure) -> float:
        """One mean."""
        means, name = self.mean(), str(measure)
        key = name if name in means else str(parse(measure))
        if key not in means:
            raise UsageError("not-asked", f"one of {', '.join(means)}", got=shown(name), value=name)
        return means[key]

    def mean(self) -> dict[str, float]:
        """Each measure over all lists or queries: the mean, or what its definition says (counts are added up); rounded once."""
        return {str(m): _summed(self.sum_of(m), m.definition.summary) for m in self.measures}

    def missing(self) -> dict[str, int]:
        """How many lists or queries have no value, by measure: those left out by the policy."""
        return {str(m): self.sum_of(m).missing for m in self.measures}


@dataclass(frozen=True, eq=False)
class Means(Summed):
    """What a stream of lists comes to where single values are not kept: exact means, and how many values are in them.

    The sum has no rounding, so the bits are the same for every order of batches and every way of merging. They may differ in the last digit from
    `Values.mean`, which adds one value after the other as trec_eval does. There are no intervals: these need the values.
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

    def table(self, *, places: int = 4) -> Table:
        """The means as plain data: what `print` shows."""
        means = self.mean()
        rows = [
            (name, "–" if math.isnan(value) else f"{value:.{places}f}", str(self.sums[name].count))
            for name, value in means.items()
        ]
        notes = (counted(self.lists, "query", "queries"), f"policy: {self.policy}")
        return Table(("measure", "mean", "queries"), tuple(rows), notes=(*notes, *(f"warning: {w}" for w in self.warnings)))  # fmt: skip

    __repr__ = Result.__str__


def exact_means(measures: Sequence[Measure], columns: Mapping[str, Floats]) -> dict[str, float]:
    """Each column summed up as its measure says, rounded once: the same bits for any order of its values."""
    found = {}
    for m in measures:
        total = ExactSum()
        total.add(summand(columns[str(m)], m.definition.summary))
        found[str(m)] = _summed(total, m.definition.summary)
    return found


def summand(values: Floats, summary: str) -> Floats:
    """What is added up, for a way to sum up: logarithms for a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if summary == "geometric" else values


def _summed(found: ExactSum, summary: str) -> float:
    if summary == "sum":
        return found.value()
    return math.exp(found.mean()) if summary == "geometric" else found.mean()
