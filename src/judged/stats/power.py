"""Power of a paired t test: the detectable difference, the number of queries needed, and the power to detect a
difference.

Everything depends on the standard deviation of the differences between two systems, never on their mean: the power to
detect the observed difference adds nothing to its p-value (Hoenig and Heisey, The American Statistician 2001).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from judged.errors import UsageError
from judged.stats.checks import check_count, check_number, check_share
from judged.stats.student_t import scales, two_sided_quantile, upper_tail

MATERIAL = 0.10  # of the mean: "material" in Spärck Jones, Automatic Indexing, Journal of Documentation 1974
LITTLE = 0.5  # power below which a comparison is underpowered: a difference is more likely missed than detected
_MOST = 10**9


def achieved_power(difference: float, deviation: float, queries: int, *, alpha: float = 0.05) -> float:
    """Return the power of a two-sided paired t test against a true mean difference, by the noncentral t distribution.

    `deviation` is the standard deviation of the differences over queries. Both tails count, as in statsmodels'
    `TTestPower`. The power is 0 for fewer than two queries. If the differences do not vary, it is 1 for any difference
    other than 0, and alpha for 0.

    >>> round(achieved_power(0.5, 1.0, 34), 2)
    0.81
    """
    true, spread = abs(float(difference)), check_number(deviation, "deviation", zero=True)
    n, level = check_count(queries, "queries"), check_share(alpha, "alpha")
    if n < 2:
        return 0.0
    if spread == 0 or true == 0:
        return level if true == 0 else 1.0
    return _power(true / spread * math.sqrt(n), n - 1, level)


def detectable_difference(deviation: float, queries: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest true mean difference that a paired t test detects with this power; infinite for one query.

    >>> round(detectable_difference(1.0, 34), 3)
    0.495
    """
    spread, n = check_number(deviation, "deviation", zero=True), check_count(queries, "queries")
    chance, level = _above(power, alpha)
    if n < 2:
        return math.inf
    if spread == 0:
        return 0.0
    low, high = 0.0, 1.0  # of the noncentrality; power increases with it
    while _power(high, n - 1, level) < chance:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _power(middle, n - 1, level) < chance else (low, middle)
    return high * spread / math.sqrt(n)


def queries_needed(difference: float, deviation: float, *, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """Return the smallest number of queries that detects a true mean difference with this power; None above 10⁹.

    >>> queries_needed(0.5, 1.0)
    34
    """
    true = check_number(abs(difference), "difference")
    spread = check_number(deviation, "deviation", zero=True)
    chance, level = _above(power, alpha)

    def enough(n: int) -> bool:
        return spread == 0 or _power(true / spread * math.sqrt(n), n - 1, level) >= chance

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def queries_needed_about(difference: float, deviation: float, *, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """Return `queries_needed` to within a query or so, in microseconds, for tables of thousands of pairs.

    The normal approximation with a correction for t (Guenther, The American Statistician 1981).

    >>> queries_needed_about(0.5, 1.0)
    34
    """
    normal = NormalDist()
    z = normal.inv_cdf((1 + (1 - alpha)) / 2)
    needed = ((z + normal.inv_cdf(power)) * deviation / abs(difference)) ** 2 + z * z / 2
    return max(2, math.ceil(needed)) if needed <= _MOST else None


def _power(noncentrality: float, df: int, alpha: float) -> float:
    """Return P(|T| > t) for the noncentral t, T = (Z + noncentrality) / s, as the mean of normal probabilities over s.

    SciPy's `nctdtr` is equal where it is defined; it is NaN in the far tail.
    """
    bound = float(two_sided_quantile((alpha,), df)[0])
    if noncentrality > 1e5 * math.sqrt(df):
        return 1.0  # far beyond any bound
    s, weight = scales(df, step=min(0.03, 0.7 / max(noncentrality, 1.0)))
    return min(1.0, float(weight @ (upper_tail(bound * s - noncentrality) + upper_tail(bound * s + noncentrality))))


def _above(power: Any, alpha: Any) -> tuple[float, float]:
    chance, level = check_share(power, "power"), check_share(alpha, "alpha")
    if chance <= level:
        problem = f"power must be above alpha, got {chance} and {level}"
        raise UsageError("parameter", problem, hint="use for example 0.8 and 0.05")
    return chance, level
