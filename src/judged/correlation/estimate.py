"""A coefficient with its uncertainty: the p-value of the usual test, and a bootstrap interval over items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.correlation.coefficient import Asked, OfPairs, asked
from judged.correlation.pair import Columns, columns
from judged.errors import UsageError

__all__ = ["Estimate", "correlation", "intervals", "p_value"]

Floats = NDArray[np.float64]
Interval = tuple[float, float] | None
Seed = int | np.random.Generator

_RESAMPLES = 1_000
_DRAWS = 2_000_000  # items in all resamples together
_FEWEST = 200  # resamples, below which an interval is not given: more than 10,000 items


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient of two columns: its value, the interval over items, and how likely it is without any correlation."""

    name: str
    value: float
    interval: Interval
    p_value: float | None
    items: int

    def __str__(self) -> str:
        between = "" if self.interval is None else f" [{self.interval[0]:.4f}, {self.interval[1]:.4f}]"
        chance = "" if self.p_value is None else f", p = {self.p_value:.3g}"
        return f"{self.name} {self.value:.4f}{between}{chance}, {self.items} items"


def correlation(x: Any, y: Any, name: str = "tau_b", *, level: float = 0.95, seed: Seed = 0) -> Estimate:
    """A coefficient of two aligned columns of scores, with its interval and p-value.

    The interval is a percentile bootstrap over items (1,000 resamples, seeded). An item drawn twice is tied with its copy, which is
    no disagreement: such pairs do not count. None where that cannot be told from ties in the data (tau_a, tau_ap), for tau_c, for
    fewer than three items, and for more than 10,000. The p-value, two-sided, is that of Kendall's test (SciPy: exact for few items
    without ties) for tau_a, tau_b and tau_c, and of the t-test for Spearman and Pearson; None for others.

    >>> print(correlation([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], "tau_a"))
    tau_a 0.8000 [0.0000, 1.0000], p = 0.0833, 5 items
    """
    (one,) = asked([name])
    if one.coefficient.pairs is None:
        raise UsageError("coefficient", "a coefficient of two columns of scores", got=str(one), value=name,
                         hint="rbo and overlap take rankings: jd.correlate")  # fmt: skip
    both = columns(x, y)
    value = float(one.coefficient.pairs(both)[0])
    return Estimate(
        str(one), value, intervals(both, [one], level=level, seed=seed)[0], p_value(both, one, value), len(both.x)
    )


def p_value(c: Columns, one: Asked, value: float) -> float | None:
    """The chance of so strong a correlation between unrelated columns; NaN where the coefficient is, None if there is no usual test."""
    if not one.coefficient.test:
        return None
    size = len(c.x)
    if np.isnan(value) or (one.coefficient.test == "t" and size < 3):
        return float("nan")
    if one.coefficient.test == "t":  # Student's t with n - 2 degrees of freedom
        from scipy.special import stdtr

        away = (1 - value) * (1 + value)
        return float(2 * stdtr(size - 2, -abs(value) * np.sqrt((size - 2) / away))) if away > 0 else 0.0
    from scipy.stats import kendalltau

    return float(kendalltau(c.x, c.y).pvalue)


def intervals(c: Columns, wanted: Sequence[Asked], *, level: float = 0.95, seed: Seed = 0) -> list[Interval]:
    """The bootstrap interval of each coefficient over the items of one segment, all from the same resamples."""
    if not 0 < level < 1:
        raise UsageError("parameter", "a level between 0 and 1", got=repr(level), value=level)
    size = len(c.x)
    resamples = min(_RESAMPLES, _DRAWS // max(size, 1))
    functions = [None if a.coefficient.pairs is None else a.coefficient.redrawn(c) for a in wanted]
    if size < 3 or resamples < _FEWEST or not any(functions):
        return [None] * len(functions)
    drawn = np.random.default_rng(seed).integers(0, size, (resamples, size), dtype=np.int64).reshape(-1)
    again = Columns(c.x[drawn], c.y[drawn], np.full(resamples, size))
    return [None if function is None else _between(function, again, level) for function in functions]


def _between(function: OfPairs, again: Columns, level: float) -> Interval:
    values = function(again)
    values = values[~np.isnan(values)]  # resamples of one item only
    if 2 * len(values) < len(again):
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
