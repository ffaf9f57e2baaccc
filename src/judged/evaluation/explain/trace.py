"""Record the steps of a measure while it computes; no formula has a second implementation."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.registry import Measure


@dataclass
class Trace:
    """Columns that the measure named (one value per hit), its sums and its fractions (one value per query)."""

    hits: int
    value: Column = field(default_factory=lambda: np.empty(0))
    columns: dict[str, Column] = field(default_factory=dict)
    totals: list[tuple[Column, Column]] = field(default_factory=list)
    fractions: list[tuple[Column, Column]] = field(default_factory=list)

    def main_sum(self) -> Column | None:
        """The column whose sum is the numerator of the closing fraction, or the value itself."""
        targets = [self.fractions[-1][0]] if self.fractions else []
        for target in [*targets, self.value]:
            for x, result in reversed(self.totals):
                if np.array_equal(result, target):
                    return x
        named = list(self.columns.values())
        return next((x for x, _ in reversed(self.totals) if any(np.array_equal(x, column) for column in named)), None)

    def closing(self, row: int, last_sum: float) -> str:
        """The last step to the value of a query: the fraction, or the sum."""
        value = self.value[row]
        if isinstance(value, str):
            return f"= {value}"
        if self.fractions:
            top, bottom = (float(side[row]) for side in self.fractions[-1])
            if bottom == 0 and value == 0:
                return "0 (the denominator is 0)"
            if bottom and top / bottom == value:
                return f"{top:.6g} / {bottom:.6g} = {value:.6g}"
        return f"= {value:.6g}" if last_sum in (0.0, value) else f"sum {last_sum:.6g}, value {value:.6g}"


@dataclass(frozen=True)
class _Traced(Judged):
    """A `Judged` that records the operations of a formula on it and on its shorter views."""

    trace: Trace | None = None
    row: Column | None = None  # the place of each hit in the whole ranking

    def column(self, name: str, x: Column) -> Column:
        if self._fits(x):
            self.trace.columns.setdefault(name, self._spread(x, np.nan))  # type: ignore[union-attr]
        return x

    def total(self, x: Column) -> Column:
        result = super().total(x)
        if self._fits(x):
            self.trace.totals.append((self._spread(x, 0.0), result))  # type: ignore[union-attr]
        return result

    def ratio(self, numerator: Column | float, denominator: Column | float) -> Column:
        result = super().ratio(numerator, denominator)
        if self.trace is not None and result.shape == (len(self),):
            top, bottom = (np.broadcast_to(side, (len(self),)) for side in (numerator, denominator))
            self.trace.fractions.append((top, bottom))
        return result

    def only(self, mask: Column) -> _Traced:
        kept = super().only(mask)
        return kept if self.row is None else replace(kept, row=self.row[mask])

    def _fits(self, x: Column) -> bool:
        """True if a column has one value per hit, and the rows of these hits are known."""
        return self.trace is not None and self.row is not None and len(x) == len(self.rank) == len(self.row)

    def _spread(self, x: Column, elsewhere: float) -> Column:
        """Spread a column over the hits of the whole ranking."""
        assert self.trace is not None
        if len(x) == self.trace.hits:
            return np.asarray(x)
        out = np.full(self.trace.hits, elsewhere)
        out[self.row] = x
        return out


def trace(measure: Measure, judged: Judged) -> Trace:
    """Compute a measure and record its steps; for `judged_only`, unjudged documents must have been removed already."""
    trace = Trace(hits=len(judged.rank))
    given = tuple(pair for pair in measure.given if pair[0] != "judged_only")
    watched = _Traced(
        **{f.name: getattr(judged, f.name) for f in fields(Judged)}, trace=trace, row=np.arange(len(judged.rank))
    )
    trace.value = Measure(measure.definition, given).on(watched)
    return trace
