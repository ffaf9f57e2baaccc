"""Robustness of values: the worst of each group, gaps between groups, abstention, and changes of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import DataError
from judged.stats.checks import finite

_RATES = np.linspace(0, 1, 11)[:-1]


def worst_in_groups(values: Any, groups: Sequence[Any]) -> float:
    """Return the mean over groups of the lowest value in each, such as of one question under several instructions.

    With nDCG@10 this is Robustness@10 (Oh et al., INSTRUCTIR, 2024). Missing values (NaN) are left out.

    >>> worst_in_groups([1.0, 0.5, 0.8], ["a", "a", "b"])
    0.65
    """
    x, group = _by_group(values, groups)
    lowest = np.full(int(group.max()) + 1, np.inf)
    np.minimum.at(lowest, group, x)
    return float(lowest.mean())


def group_gap(values: Any, groups: Sequence[Any]) -> float:
    """Return the mean absolute difference between the means of two groups, over all pairs of groups; NaN for one group.

    With nDCG of users this is MAD (Deldjoo et al., UMUAI 31, 2021). Missing values (NaN) are left out.

    >>> group_gap([1.0, 0.5, 0.25], ["a", "a", "b"])
    0.5
    """
    x, group = _by_group(values, groups)
    means = np.bincount(group, weights=x) / np.bincount(group)
    upper, lower = np.triu_indices(len(means), 1)
    return float(np.abs(means[upper] - means[lower]).mean()) if len(upper) else float("nan")


def abstention_auc(values: Any, confidence: Any, *, rates: Any = _RATES) -> float:
    """Return the normalised area under the abstention curve: 1 if the least confident queries have the lowest values, 0 for chance.

    The mean value of the queries that are left when the least confident ones are not answered, as a function of their share, is
    integrated; the area is scaled so that a constant mean has 0 and abstaining from the lowest values has 1. NaN if all values are
    equal. nAUC of Gisserot-Boukhlef et al., TMLR 2024, and of MTEB, whose confidences are the highest score of a query, the standard
    deviation of its scores, and the difference between the two highest.

    Args:
        values: one per query.
        confidence: one per query; of equally confident queries the first is left out first.
        rates: shares of the queries that are not answered, ascending; by default 0, 0.1, …, 0.9.

    >>> abstention_auc([0.0, 0.5, 1.0], [1, 2, 3])
    1.0
    """
    x, sure, at = (finite(column) for column in (values, confidence, rates))
    if x.ndim != 1 or sure.shape != x.shape or not len(x):
        raise DataError("lengths", f"one confidence for each of {len(x)} values", got=f"shape {sure.shape}")
    if at.ndim != 1 or len(at) < 2 or at[0] < 0 or at[-1] > 1 or (np.diff(at) <= 0).any():
        raise DataError("table", "rates must be two or more ascending numbers between 0 and 1")
    ours, best = (_area(x[np.argsort(order, kind="stable")], at) for order in (sure, x))
    flat = float(x.mean()) * (at[-1] - at[0])
    return float((ours - flat) / (best - flat)) if x.min() < x.max() else float("nan")


def rank_change(before: Any, after: Any, queries: Sequence[Any]) -> float:
    """Return the mean over queries of the mean change of the ranks of documents that an instruction made irrelevant, from -1 to 1.

    A rank that falls from r to s counts 1 - r / s, one that rises s / r - 1, so following the instruction is above 0. This is p-MRR
    (Weller et al., FollowIR, 2024). A document that is not retrieved has the rank after the last.

    Args:
        before: the rank of each document without the instruction.
        after: its rank with the instruction.
        queries: the query of each document.

    >>> rank_change([1, 4, 2], [2, 2, 2], ["a", "a", "b"])
    0.0
    """
    old, new = finite(before), finite(after)
    if old.shape != new.shape or (old < 1).any() or (new < 1).any():
        raise DataError("table", "ranks must be ≥ 1, two for each document")
    change = np.where(old >= new, new / old - 1, 1 - old / new)
    x, group = _by_group(change, queries)
    return float((np.bincount(group, weights=x) / np.bincount(group)).mean())


def _by_group(values: Any, groups: Sequence[Any]) -> tuple[Floats, Ints]:
    """The values that are not missing, and the number of the group of each."""
    x = np.asarray(values, dtype=float)
    if x.shape != (len(groups),) or np.isinf(x).any():
        raise DataError("lengths", f"one finite value for each of {len(groups)} groups", got=f"shape {x.shape}")
    known = ~np.isnan(x)
    place: dict[Any, int] = {}
    number = np.array([place.setdefault(g, len(place)) for g, ok in zip(groups, known, strict=True) if ok], np.int64)
    if not len(number):
        raise DataError("lengths", "there are no values")
    return x[known], number


def _area(ordered: Floats, rates: Floats) -> float:
    """The area under the mean of the values that are left when the first are not answered; the last one always is."""
    size = len(ordered)
    unanswered = np.minimum(np.rint(rates * size).astype(np.int64), size - 1)
    sums_from = np.cumsum(ordered[::-1])[::-1]
    means = sums_from[unanswered] / (size - unanswered)
    return float((np.diff(rates) * (means[1:] + means[:-1]) / 2).sum())  # NumPy 1 has no np.trapezoid
