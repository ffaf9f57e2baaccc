"""Correlation of two orders of the same items: Pearson, Spearman, Kendall and related coefficients.

Each function takes two aligned columns of scores, higher is better, and returns one number: NaN if the coefficient is
undefined, with fewer than two items or without a pair that it counts (a constant column). The functions over segments,
which the registry declares, return one number per segment from the same counts (`Columns`).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.errors import UsageError, shown
from judged.stats.rank_correlation.concordance import Columns, columns

# ── one value for two columns ───────────────────────────────────────────────────────────────────


def pearson(x: Any, y: Any) -> float:
    """Compute Pearson's product-moment correlation: the strength of the linear relation between the scores.

    >>> pearson([1, 2, 3], [2, 4, 6])
    1.0
    """
    return float(pearson_of(columns(x, y))[0])


def spearman(x: Any, y: Any) -> float:
    """Compute Spearman's rho: Pearson's correlation of the ranks, where tied items share the mean of their ranks.

    It equals 1 - 6·Σd² / (n(n² - 1)) only without ties (Kendall, Rank Correlation Methods, 1948).

    >>> round(spearman([1, 2, 2, 3], [1, 2, 3, 4]), 4)
    0.9487
    """
    return float(spearman_of(columns(x, y))[0])


def kendall(x: Any, y: Any, variant: Literal["a", "b", "c"] = "b") -> float:
    """Compute Kendall's tau: concordant less discordant pairs (C - D), divided by

    - a: all pairs (Kendall, Biometrika 1938); below 1 with ties, and the mean over all orders of tied items.
    - b: √(pairs untied in x · pairs untied in y) (Kendall, Biometrika 1945); 1 for equal columns with ties.
    - c: n²·(m - 1) / 2m, with m the smaller number of distinct values (Stuart, Biometrika 1953).

    >>> [round(kendall([1, 2, 2, 3], [1, 2, 3, 4], variant), 4) for variant in "abc"]
    [0.8333, 0.9129, 0.9375]
    """
    return float(_choose(variant, {"a": tau_a_of, "b": tau_b_of, "c": tau_c_of}, "variant")(columns(x, y))[0])


def gamma(x: Any, y: Any) -> float:
    """Compute Goodman and Kruskal's gamma: (C - D) / (C + D), without tied pairs (Goodman and Kruskal, JASA 1954).

    >>> gamma([1, 2, 2, 3], [1, 2, 3, 4])
    1.0
    """
    return float(gamma_of(columns(x, y))[0])


def somers_d(x: Any, y: Any) -> float:
    """Compute Somers' D(y|x): (C - D) / pairs untied in x, the explanatory column (Somers, ASR 1962).

    >>> somers_d([1, 2, 2, 3], [1, 2, 3, 4])
    1.0
    """
    return float(somers_d_of(columns(x, y))[0])


def tau_ap(x: Any, reference: Any, *, ties: Literal["a", "b"] = "a", symmetric: bool = False) -> float:
    """Compute AP correlation: tau with more weight on disagreement at the top (Yilmaz, Aslam and Robertson, SIGIR 2008).

    For each item of x but the first, take the share of the items above it that the reference also ranks above it; the
    result is twice the mean of these shares, less 1. Ranks are those of x, so the coefficient is not symmetric, unless
    `symmetric` averages both directions.

    Ties are treated as in Urbano and Marrero (ICTIR 2017). a: the mean over all orders of tied items; a tie in the
    reference counts one half. b: only items of higher groups are above an item, the first group is left out, and a tie
    in the reference is not an agreement; their tau_AP,b is `symmetric`.

    >>> round(tau_ap([3, 2, 1], [3, 1, 2]), 4)  # one of two items above the third is wrong
    0.5
    """
    of = _choose(ties, {"a": tau_ap_a_of, "b": tau_ap_b_of}, "ties")
    both = columns(x, reference)
    value = of(both)[0]
    return float((value + of(both.swap())[0]) / 2) if symmetric else float(value)


def weighted_tau(x: Any, y: Any, *, rank: Literal["both", "x"] = "both") -> float:
    """Compute tau-b with weighted pairs: an item of rank r (from 0) has weight 1 / (r + 1), a pair the sum of two (Vigna,
    WWW 2015).

    Ranks are those by x, highest first, with ties broken by y. "both" is the mean with ranks by x and by y, as SciPy's
    `weightedtau` with rank=True; "x" uses ranks by x only (SciPy's rank=None).

    >>> weighted_tau([1, 2, 3], [1, 2, 3])
    1.0
    """
    return float(_choose(rank, {"both": weighted_tau_of, "x": weighted_tau_x_of}, "rank")(columns(x, y))[0])


def _choose(name: object, choices: dict[str, Any], what: str) -> Any:
    if not isinstance(name, str) or name not in choices:
        raise UsageError("parameter", f"{what} must be one of {', '.join(choices)}, got {shown(name)}", value=name)
    return choices[name]


# ── one value per segment ──────────────────────────────────────────────────────────────────


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with NaN for a denominator of 0; clip to -1 and 1, which rounding may exceed."""
    out = np.full(len(below), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return np.clip(out, -1.0, 1.0)


def pearson_of(c: Columns) -> Floats:
    start = segments.offsets(c.sizes)[:-1]
    parts = []
    for value in (c.x, c.y):
        top = np.frexp(_reduce(np.maximum, np.abs(value), start, c.sizes))[1]
        value = np.ldexp(value, -top[c.segment])  # exact scaling by a power of two: sums do not overflow
        with np.errstate(invalid="ignore"):  # the mean of infinite scores is NaN
            off = value - (c.total(value) / np.maximum(c.sizes, 1))[c.segment]
            off /= np.maximum(_reduce(np.maximum, np.abs(off), start, c.sizes), np.finfo(float).tiny)[c.segment]
        level = _reduce(np.maximum, value, start, c.sizes) == _reduce(np.minimum, value, start, c.sizes)
        parts.append(np.where(level[c.segment], 0.0, off))  # the mean of equal values may have a rounding error
    x, y = parts
    with np.errstate(invalid="ignore"):
        return ratio(c.total(x * y), np.sqrt(c.total(x * x) * c.total(y * y)))


def _reduce(operation: np.ufunc, value: Floats, start: Ints, sizes: Ints) -> Floats:
    """Reduce each segment; 0 for an empty one."""
    out = np.zeros(len(sizes))
    some = sizes > 0
    if some.any():
        out[some] = operation.reduceat(value, start[some])
    return out


def spearman_of(c: Columns) -> Floats:
    return pearson_of(Columns(-c.above_x - c.size_x / 2, -c.above_y - c.size_y / 2, c.sizes))


def tau_a_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.pairs)


def tau_b_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, np.sqrt(c.untied_x * c.untied_y))


def tau_c_of(c: Columns) -> Floats:
    fewer = np.rint(np.minimum(c.total(1 / c.size_x), c.total(1 / c.size_y)))  # each group sums to 1
    return ratio(2 * (c.concordant - c.discordant) * fewer, c.sizes.astype(float) ** 2 * (fewer - 1))


def gamma_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.concordant + c.discordant)


def somers_d_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.untied_x)


def tau_ap_a_of(c: Columns) -> Floats:
    """Sum, over ranks from 2, the expected number of agreeing items above, divided by (rank - 1)."""
    agreeing = (c.over + c.over_level / 2)[c.by_x]
    above, size = c.above_x[c.by_x], c.size_x[c.by_x]
    position = segments.positions(c.sizes)
    first = np.flatnonzero(position == above)
    mean = np.repeat(np.add.reduceat(agreeing, first) / size[first], size[first]) if len(first) else agreeing
    expected = mean + (position - above) / 2  # half of the tied items above agree
    share = np.divide(expected, position, out=np.zeros(len(expected)), where=position > 0)
    return 2 * ratio(c.total(share), (c.sizes - 1).astype(np.float64)) - 1


def tau_ap_b_of(c: Columns) -> Floats:
    share = np.divide(c.over, c.above_x, out=np.zeros(len(c.x)), where=c.above_x > 0)
    return 2 * ratio(c.total(share), c.total(c.above_x > 0)) - 1


def tau_ap_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_a_of(c) + tau_ap_a_of(c.swap())) / 2


def tau_ap_b_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_b_of(c) + tau_ap_b_of(c.swap())) / 2


# In a resample an item is tied with its own copies, which is neither agreement nor disagreement. These variants count only pairs
# of different items, for columns without ties.


def tau_a_apart_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.pairs - c.tied_both)


def tau_ap_apart_of(c: Columns) -> Floats:
    share = np.divide(c.over + c.over_level / 2, c.above_x, out=np.zeros(len(c.x)), where=c.above_x > 0)
    return 2 * ratio(c.total(share), c.total(c.above_x > 0)) - 1


def tau_ap_apart_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_apart_of(c) + tau_ap_apart_of(c.swap())) / 2


def weighted_tau_x_of(c: Columns) -> Floats:
    order = np.lexsort((-c.y, -c.x, c.segment))
    weight = np.empty(len(order))
    weight[order] = 1.0 / (segments.positions(c.sizes) + 1)
    size = c.sizes[c.segment]
    under_over = c.above_y - c.over - c.level_over  # x lower, y higher
    under_level = c.size_y - c.over_level - c.level
    under = size - c.above_x - c.size_x
    agreeing = c.over + (under - under_over - under_level)
    against = (c.above_x - c.over - c.over_level) + under_over
    whole = np.sqrt(c.total(weight * (size - c.size_x)) * c.total(weight * (size - c.size_y)))
    return ratio(c.total(weight * (agreeing - against)), whole)


def weighted_tau_of(c: Columns) -> Floats:
    return (weighted_tau_x_of(c) + weighted_tau_x_of(c.swap())) / 2
