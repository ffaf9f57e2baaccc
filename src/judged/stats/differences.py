"""Columns of paired differences: inputs of the tests, and their outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, shown
from judged.stats.checks import finite

__all__ = ["Alternative", "TestOutcome", "clustered", "differences", "known_rows", "mean_and_error", "outcome_of", "pairwise", "totals"]  # fmt: skip

Alternative = Literal["two-sided", "greater", "less"]

ONE = "one query: nothing to test"
ONE_CLUSTER = "one cluster: nothing to test"
ZERO = "all differences are 0"
CONSTANT = "all differences are equal: there is no variance to measure them against"
SLACK = (
    1e-12  # of the largest value a statistic can have: sums that differ by less are equal, whatever their last bits say
)
LEAST = float(np.finfo(float).tiny)  # a p-value below what a number can hold is told as this


@dataclass(frozen=True, slots=True, eq=False)
class TestOutcome:
    """The outcome of a test, with one entry per pair in every column.

    `p` is above 0 and at most 1. If nothing can be tested (one query; no difference; no variance) it is 1, and `note` gives the reason.
    `method` is how `p` was computed. `adjusted` is `p` corrected over all pairs by the test itself, if it can (`"max"`).
    """

    test: str
    alternative: Alternative
    statistic: Floats
    p: Floats
    method: tuple[str, ...]
    note: tuple[str, ...]
    adjusted: Floats | None = None


def differences(d: Any) -> Floats:
    """A table of queries × pairs out of one column (one pair) or such a table: finite numbers, at least one query."""
    table = finite(d)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size:
        raise DataError("table", "differences of queries × pairs, at least one", got=f"the shape {np.shape(d)}")
    return table


def pairwise(x: Any, pairs: Any) -> tuple[Floats, Ints, Floats]:
    """Values of queries × systems; the pairs (a, b) of columns, one in each row; and the differences b - a, queries × pairs."""
    table = differences(x)
    try:
        which = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        which = np.empty(0)
    if which.ndim != 2 or which.shape[1] != 2 or not len(which) or which.dtype.kind not in "iu":
        raise DataError("pairs", "pairs (a, b) of columns, by number", got=shown(pairs), value=pairs)
    if which.min() < 0 or which.max() >= table.shape[1]:
        raise DataError("pairs", f"columns from 0 to {table.shape[1] - 1}", got=shown(pairs), value=pairs)
    which = which.astype(np.int64)
    return table, which, table[:, which[:, 1]] - table[:, which[:, 0]]


def clustered(x: Floats, clusters: Any = None) -> tuple[Floats, Floats]:
    """The sums of the rows of each cluster, and how many rows each has; without clusters, every row is one of its own.

    Clusters stand in the order of their codes; codes are numbers or text, one for each row.
    """
    if clusters is None:
        return x, np.ones(len(x))
    codes = np.asarray(clusters)
    if codes.shape != (len(x),):
        raise DataError("lengths", f"one cluster for each of {len(x)} queries", got=f"the shape {codes.shape}")
    if (codes != codes).any() or (codes.dtype.kind == "O" and any(code is None for code in codes)):
        raise DataError("table", "a cluster for each query", got="missing ones")
    try:
        _, place = np.unique(codes, return_inverse=True)
    except TypeError as error:
        raise DataError("table", "clusters of one type, numbers or text", got=f"something else ({error})") from error
    sums = np.zeros((int(place.max()) + 1, x.shape[1]))
    np.add.at(sums, place, x)
    return sums, np.bincount(place).astype(np.float64)


def totals(x: Floats) -> Floats:
    """The sum of each column: the same bits alone and beside others, and more of them right than row after row."""
    return np.ascontiguousarray(x.T).sum(axis=1)


def outcome_of(
    test: str,
    alternative: Alternative,
    statistic: Floats,
    p: Floats,
    method: Sequence[str],
    silent: Sequence[tuple[Any, str]],
    adjusted: Floats | None = None,
) -> TestOutcome:
    """An outcome in which p is possible, and 1 with a note where one of `silent` (mask over pairs, reason) holds, the first first."""
    note = np.full(len(p), "", dtype=object)
    for mask, reason in silent:
        note[np.broadcast_to(mask, p.shape) & (note == "")] = reason
    spoken = note == ""
    p = np.where(spoken, np.clip(p, LEAST, 1.0), 1.0)
    if adjusted is not None:
        adjusted = np.maximum(np.where(spoken, adjusted, 1.0), p)
    return TestOutcome(test, alternative, statistic, p, tuple(method), tuple(map(str, note)), adjusted)


def known_rows(x: Floats) -> Bools:
    """The queries on which every run has a value."""
    return np.asarray(~np.isnan(x).any(axis=1))


def mean_and_error(sums: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """The mean of each column and its standard error, from the sums and sizes of clusters; NaN for one cluster.

    The mean is the ratio of all sums to all sizes; its variance C/(C - 1) · Σ (sum - mean · size)² / n² is that of a ratio, linearised
    (Cochran, Sampling Techniques, 1977, 6.4). With clusters of one query it is the usual s²/n.
    """
    clusters, n = len(sizes), sizes.sum()
    mean = totals(sums) / n
    if clusters < 2:
        return mean, np.full_like(mean, np.nan)
    squares = totals(np.square(sums - mean * sizes[:, None]))
    return mean, np.sqrt(clusters / (clusters - 1) * squares) / n
