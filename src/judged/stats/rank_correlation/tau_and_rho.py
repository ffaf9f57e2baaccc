"""How alike two orders of the same items are: Pearson, Spearman, Kendall and its relatives.

Every function takes two aligned columns of scores, higher is better, and gives one number; NaN where the coefficient is not
defined: fewer than two items, or no pair that it counts (a column of equal values). The functions over segments, which
`coefficient` declares, give one number per segment from the same counts (`pair.Columns`).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core.numeric import segments_reference as segment
from judged.errors import UsageError, shown
from judged.stats.rank_correlation.concordance import Columns, columns

__all__ = ["gamma", "kendall", "pearson", "somers_d", "spearman", "tau_ap", "weighted_tau"]


# ── one number for two columns ───────────────────────────────────────────────────────────────────


def pearson(x: Any, y: Any) -> float:
    """Pearson's product-moment correlation: how well a straight line relates the scores.

    >>> pearson([1, 2, 3], [2, 4, 6])
    1.0
    """
    return float(pearson_of(columns(x, y))[0])


def spearman(x: Any, y: Any) -> float:
    """Spearman's rho: Pearson's correlation of the ranks, tied items sharing the mean of their ranks.

    1 - 6·Σd² / (n(n² - 1)) is the same without ties, and only then (Kendall, Rank Correlation Methods, 1948).

    >>> round(spearman([1, 2, 2, 3], [1, 2, 3, 4]), 4)
    0.9487
    """
    return float(spearman_of(columns(x, y))[0])


def kendall(x: Any, y: Any, variant: Literal["a", "b", "c"] = "b") -> float:
    """Kendall's tau: concordant less discordant pairs (C - D), divided by

    a: all pairs (Kendall, Biometrika 1938), so that ties keep it below 1; it is the mean over all orders of the ties.
    b: √(pairs untied in x · pairs untied in y) (Kendall, Biometrika 1945), which is 1 for equal columns with ties.
    c: n²·(m - 1) / 2m, m the fewer distinct values of the two columns (Stuart, Biometrika 1953).

    >>> [round(kendall([1, 2, 2, 3], [1, 2, 3, 4], variant), 4) for variant in "abc"]
    [0.8333, 0.9129, 0.9375]
    """
    return float(_chosen(variant, {"a": tau_a_of, "b": tau_b_of, "c": tau_c_of}, "variant")(columns(x, y))[0])


def gamma(x: Any, y: Any) -> float:
    """Goodman and Kruskal's gamma: (C - D) / (C + D), tied pairs left out (Goodman and Kruskal, JASA 1954).

    >>> gamma([1, 2, 2, 3], [1, 2, 3, 4])
    1.0
    """
    return float(gamma_of(columns(x, y))[0])


def somers_d(x: Any, y: Any) -> float:
    """Somers' D(y|x): (C - D) / pairs untied in x, the explaining column (Somers, ASR 1962).

    >>> somers_d([1, 2, 2, 3], [1, 2, 3, 4])
    1.0
    """
    return float(somers_d_of(columns(x, y))[0])


def tau_ap(x: Any, reference: Any, *, ties: Literal["a", "b"] = "a", symmetric: bool = False) -> float:
    """AP correlation: tau in which disagreement at the top costs more (Yilmaz, Aslam and Robertson, SIGIR 2008).

    The mean, over the items of x from the second down, of the share of items above it that the reference has above it
    too; times 2, less 1. The ranks are those of x: exchange the columns and the value changes, unless `symmetric`, which
    is the mean of both directions.

    Ties (Urbano and Marrero, ICTIR 2017) a: the mean over all orders of the tied items (they define it for ties in x; a tie in
    the reference counts one half, which is its mean too). b: only items of higher groups stand above an item, the first group has
    none above it and is left out, and a tie in the reference is no agreement; their tau_AP,b is the `symmetric` one.

    >>> round(tau_ap([3, 2, 1], [3, 1, 2]), 4)  # the third item is above one of two wrongly
    0.5
    """
    of = _chosen(ties, {"a": tau_ap_a_of, "b": tau_ap_b_of}, "ties")
    both = columns(x, reference)
    value = of(both)[0]
    return float((value + of(both.swapped())[0]) / 2) if symmetric else float(value)


def weighted_tau(x: Any, y: Any, *, rank: Literal["both", "x"] = "both") -> float:
    """Tau-b with weighted pairs: the item of rank r (from 0) weighs 1 / (r + 1), a pair the sum of its two (Vigna, WWW 2015).

    Ranks are those by x, highest first, equal ones by y. "both": the mean of that value and the one with ranks by y, as
    SciPy's `weightedtau` (rank=True); "x": ranks by x alone (SciPy's rank=None).

    >>> weighted_tau([1, 2, 3], [1, 2, 3])
    1.0
    """
    return float(_chosen(rank, {"both": weighted_tau_of, "x": weighted_tau_x_of}, "rank")(columns(x, y))[0])


def _chosen(name: object, choices: dict[str, Any], what: str) -> Any:
    if not isinstance(name, str) or name not in choices:
        raise UsageError("parameter", f"{what} to be one of {', '.join(choices)}", got=shown(name), value=name)
    return choices[name]


# ── one number for each segment ──────────────────────────────────────────────────────────────────


def ratio(above: Floats, below: Floats) -> Floats:
    """The quotient; NaN where there is nothing to divide by. Rounding does not carry it beyond -1 and 1."""
    out = np.full(len(below), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return np.clip(out, -1.0, 1.0)


def pearson_of(c: Columns) -> Floats:
    start = segment.offsets(c.sizes)[:-1]
    parts = []
    for value in (c.x, c.y):
        top = np.frexp(_each(np.maximum, np.abs(value), start, c.sizes))[1]
        value = np.ldexp(value, -top[c.segment])  # by a power of two, so exactly: sums do not overflow
        with np.errstate(invalid="ignore"):  # infinite scores have no mean: NaN
            off = value - (c.total(value) / np.maximum(c.sizes, 1))[c.segment]
            off /= np.maximum(_each(np.maximum, np.abs(off), start, c.sizes), np.finfo(float).tiny)[c.segment]
        level = _each(np.maximum, value, start, c.sizes) == _each(np.minimum, value, start, c.sizes)
        parts.append(np.where(level[c.segment], 0.0, off))  # the mean of equal values may be off by a rounding
    x, y = parts
    with np.errstate(invalid="ignore"):
        return ratio(c.total(x * y), np.sqrt(c.total(x * x) * c.total(y * y)))


def _each(operation: np.ufunc, value: Floats, start: Ints, sizes: Ints) -> Floats:
    """The operation over each segment; 0 for an empty one."""
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
    fewer = np.rint(np.minimum(c.total(1 / c.size_x), c.total(1 / c.size_y)))  # each group adds up to 1
    return ratio(2 * (c.concordant - c.discordant) * fewer, c.sizes.astype(float) ** 2 * (fewer - 1))


def gamma_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.concordant + c.discordant)


def somers_d_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.untied_x)


def tau_ap_a_of(c: Columns) -> Floats:
    """Σ over ranks from 2 of the expected number of agreeing items above, / (rank - 1)."""
    agreeing = (c.over + c.over_level / 2)[c.by_x]
    above, size = c.above_x[c.by_x], c.size_x[c.by_x]
    position = segment.positions(c.sizes)
    first = np.flatnonzero(position == above)
    mean = np.repeat(np.add.reduceat(agreeing, first) / size[first], size[first]) if len(first) else agreeing
    expected = mean + (position - above) / 2  # of the tied ones that stand above, every other agrees
    share = np.divide(expected, position, out=np.zeros(len(expected)), where=position > 0)
    return 2 * ratio(c.total(share), (c.sizes - 1).astype(np.float64)) - 1


def tau_ap_b_of(c: Columns) -> Floats:
    share = np.divide(c.over, c.above_x, out=np.zeros(len(c.x)), where=c.above_x > 0)
    return 2 * ratio(c.total(share), c.total(c.above_x > 0)) - 1


def tau_ap_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_a_of(c) + tau_ap_a_of(c.swapped())) / 2


def tau_ap_b_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_b_of(c) + tau_ap_b_of(c.swapped())) / 2


# In a resample an item is tied with its own copies, which is no agreement and no disagreement: the same coefficients over pairs
# of different items, for columns that have no such ties themselves.


def tau_a_apart_of(c: Columns) -> Floats:
    return ratio(c.concordant - c.discordant, c.pairs - c.tied_both)


def tau_ap_apart_of(c: Columns) -> Floats:
    share = np.divide(c.over + c.over_level / 2, c.above_x, out=np.zeros(len(c.x)), where=c.above_x > 0)
    return 2 * ratio(c.total(share), c.total(c.above_x > 0)) - 1


def tau_ap_apart_symmetric_of(c: Columns) -> Floats:
    return (tau_ap_apart_of(c) + tau_ap_apart_of(c.swapped())) / 2


def weighted_tau_x_of(c: Columns) -> Floats:
    order = np.lexsort((-c.y, -c.x, c.segment))
    weight = np.empty(len(order))
    weight[order] = 1.0 / (segment.positions(c.sizes) + 1)
    size = c.sizes[c.segment]
    under_over = c.above_y - c.over - c.level_over  # x lower, y higher
    under_level = c.size_y - c.over_level - c.level
    under = size - c.above_x - c.size_x
    agreeing = c.over + (under - under_over - under_level)
    against = (c.above_x - c.over - c.over_level) + under_over
    whole = np.sqrt(c.total(weight * (size - c.size_x)) * c.total(weight * (size - c.size_y)))
    return ratio(c.total(weight * (agreeing - against)), whole)


def weighted_tau_of(c: Columns) -> Floats:
    return (weighted_tau_x_of(c) + weighted_tau_x_of(c.swapped())) / 2
