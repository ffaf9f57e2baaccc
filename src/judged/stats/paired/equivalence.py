"""Equivalence of two systems: two one-sided tests of a paired difference against a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.core.resample import resampled_means
from judged.errors import UsageError, shown
from judged.stats.checks import check_choice, check_share, column, deviation, possible

Method = Literal["t", "bootstrap"]

_RESAMPLES = 10_000
_DRAWS = 40_000_000


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Equivalence test of a mean difference: p is the larger of the two one-sided p-values."""

    method: Method
    mean: float
    margin: tuple[float, float]
    p_low: float  # against a mean at or below the lower end
    p_high: float  # against a mean at or above the upper end
    interval: tuple[float, float] | None  # with confidence 1 - 2 alpha
    alpha: float
    queries: int
    note: str = ""

    @property
    def p(self) -> float:
        """The p-value of the hypothesis that the difference reaches the margin on either side."""
        return max(self.p_low, self.p_high)

    @property
    def equivalent(self) -> bool:
        """True if the interval is within the margin; for t the same as p < alpha."""
        if self.interval is None:
            return False
        return self.margin[0] < self.interval[0] and self.interval[1] < self.margin[1]


def tost(
    d: Any, margin: float | tuple[float, float], *, method: Method = "t", alpha: float = 0.05, seed: int = 0
) -> Equivalence:
    """Test whether two systems are equal within a margin (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics
    1987).

    A difference that is not significant need not be small; this test shows that it is. `d` has one difference per
    query; `margin` is the largest irrelevant difference, or a lower and an upper end. Systems are equivalent if both
    one-sided tests reject at alpha, that is, if the interval with confidence 1 - 2 alpha is within the margin.

    "t" uses one-sided t tests, as statsmodels' `ttost_paired`. "bootstrap" uses the percentile interval of seeded
    resamples, and for p the share of resampled means beyond each end, (1 + hits) / (1 + resamples). With one query p
    is 1. If all differences are equal, p is the smallest float if they are within the margin, and 1 otherwise.

    >>> tost([0.01, -0.02, 0.0, 0.01, -0.01], 0.05).equivalent
    True
    """
    differences, level = column(d), check_share(alpha, "alpha")
    if level >= 0.5:
        problem = f"alpha must be below 0.5, got {shown(alpha)}: the interval has confidence 1 - 2 alpha"
        raise UsageError("confidence", problem, value=alpha)
    check_choice(method, Method, "method")
    ends = _ends(margin)
    n, mean = len(differences), float(differences.mean())
    result: tuple[float, float, tuple[float, float] | None]
    note, spread = "", deviation(differences)
    if n == 1:
        result, note = (1.0, 1.0, None), "one query says nothing about others"
    elif spread == 0:
        result, note = (float(mean <= ends[0]), float(mean >= ends[1]), (mean, mean)), "all differences are equal"
    elif method == "t":
        result = _by_t(mean, spread, n, ends, level)
    else:
        result = _by_bootstrap(differences, ends, level, seed)
    low, high, interval = result
    return Equivalence(method, mean, ends, possible(low), possible(high), interval, level, n, note)


def _ends(margin: Any) -> tuple[float, float]:
    try:
        low, high = (-float(margin), float(margin)) if np.ndim(margin) == 0 else map(float, margin)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(
            "parameter", f"margin must be a number > 0 or a lower and an upper end, got {shown(margin)}", value=margin
        )
    return low, high


def _by_t(
    mean: float, spread: float, n: int, ends: tuple[float, float], alpha: float
) -> tuple[float, float, tuple[float, float]]:
    from scipy.special import stdtr, stdtrit

    df, error = n - 1, spread / math.sqrt(n)
    reach = -float(stdtrit(df, alpha)) * error
    low, high = stdtr(df, (ends[0] - mean) / error), stdtr(df, (mean - ends[1]) / error)
    return float(low), float(high), (mean - reach, mean + reach)


def _by_bootstrap(
    d: Floats, ends: tuple[float, float], alpha: float, seed: int
) -> tuple[float, float, tuple[float, float]]:
    resamples = max(1_000, min(_RESAMPLES, _DRAWS // len(d)))
    means = resampled_means(d, resamples, seed)
    fuzz = 1e-12 * float(np.abs(d).max())
    low, high = ((1 + int(hit.sum())) / (1 + resamples) for hit in (means <= ends[0] + fuzz, means >= ends[1] - fuzz))
    reach = np.quantile(means, [alpha, 1 - alpha])
    return low, high, (float(reach[0]), float(reach[1]))
