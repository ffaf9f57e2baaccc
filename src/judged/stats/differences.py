"""Columns of paired differences, and the outcome of a test on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, shown
from judged.stats.checks import LEAST, finite

ONE = "one query: nothing to test"
ONE_CLUSTER = "one cluster: nothing to test"
ZERO = "all differences are 0"
SLACK = 1e-12  # relative to the largest possible statistic: sums that differ by less are equal on any machine


@dataclass(frozen=True, slots=True, eq=False)
class TestOutcome:
    """Outcome of a test, with one entry per pair in every column.

    `p` is above 0 and at most 1. It is 1 if the test is not applicable (one query, no difference, no variance), and
    `note` then gives the reason. `adjusted` is `p` corrected for all pairs by the test itself, if the test supports it
    (`"max"`).
    """

    statistic: Floats
    p: Floats
    note: tuple[str, ...]
    adjusted: Floats | None = None


def differences(d: Any) -> Floats:
    """Convert one column (one pair) or a table to queries × pairs: finite numbers, at least one query."""
    table = finite(d)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size:
        raise DataError("table", "differences of queries × pairs", got=f"shape {np.shape(d)}")
    return table


def pairwise(x: Any, pairs: Any) -> tuple[Floats, Ints, Floats]:
    """Return the values of queries × systems, the pairs (a, b) as rows, and the differences b - a as queries × pairs."""
    table = differences(x)
    try:
        which = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        which = np.empty(0)
    if which.ndim != 2 or which.shape[1] != 2 or not len(which) or which.dtype.kind not in "iu":
        raise DataError("table", "pairs (a, b) of column numbers", got=shown(pairs), value=pairs)
    if which.min() < 0 or which.max() >= table.shape[1]:
        raise DataError("table", f"column numbers from 0 to {table.shape[1] - 1}", got=shown(pairs), value=pairs)
    which = which.astype(np.int64)
    return table, which, table[:, which[:, 1]] - table[:, which[:, 0]]


ROUNDING = 1e-12  # relative: values that differ by less are equal


def without_rounding(table: Floats) -> Floats:
    """Return values of queries × systems in which those of a query that are equal up to rounding are equal.

    Sums in another order differ by 1e-17, and a test of such differences would find one system better. The lowest of
    such values stands for all of them.
    """
    order = np.argsort(table, axis=1)
    rising = np.take_along_axis(table, order, axis=1)
    step = np.diff(rising, axis=1)
    same = step <= ROUNDING * np.abs(rising[:, 1:])  # NaN is no step
    if not (same & (step > 0)).any():
        return table
    first = np.maximum.accumulate(np.where(np.pad(same, ((0, 0), (1, 0))), 0, np.arange(table.shape[1])), axis=1)
    snapped = np.empty_like(table)
    np.put_along_axis(snapped, order, np.take_along_axis(rising, first, axis=1), axis=1)
    return snapped


def sum_by_cluster(x: Floats, clusters: Any = None) -> tuple[Floats, Floats]:
    """Return the sum of the rows of each cluster, and its number of rows; without clusters, each row is its own cluster.

    Clusters are in the order of their codes. Codes are numbers or text, one per row.
    """
    if clusters is None:
        return x, np.ones(len(x))
    codes = np.asarray(clusters)
    if codes.shape != (len(x),):
        raise DataError("lengths", f"one cluster for each of {len(x)} queries", got=f"shape {codes.shape}")
    if (codes != codes).any() or (codes.dtype.kind == "O" and any(code is None for code in codes)):
        raise DataError("table", "some queries have no cluster")
    try:
        _, place = np.unique(codes, return_inverse=True)
    except TypeError as error:
        raise DataError("table", f"clusters must be all numbers or all text: {error}") from error
    sums = np.zeros((int(place.max(initial=-1)) + 1, x.shape[1]))
    np.add.at(sums, place, x)
    return sums, np.bincount(place).astype(np.float64)


def totals(x: Floats) -> Floats:
    """Sum each column. The result does not depend on the other columns, and is more accurate than adding row by row."""
    return np.ascontiguousarray(x.T).sum(axis=1)


def weighted_mean(x: Floats, weights: Any) -> Floats:
    """Return the mean of each column, with weights of the rows."""
    share = np.asarray(weights, dtype=np.float64) / np.max(weights)
    return np.asarray(share @ x / share.sum())


def outcome_of(
    statistic: Floats, p: Floats, d: Floats, sizes: Floats, *, few: str = "", adjusted: Floats | None = None
) -> TestOutcome:
    """Build an outcome of differences d of clusters of these sizes; p is 1 for columns of zeros, and for all with one query or cluster or with `few`, a reason."""
    whole = ONE if sizes.sum() == 1 else ONE_CLUSTER if len(sizes) == 1 else ""
    some = np.asarray(d.any(axis=0))
    tested = some & (not whole and not few)
    p = np.where(tested, np.clip(p, LEAST, 1.0), 1.0)
    if adjusted is not None:
        adjusted = np.maximum(np.where(tested, adjusted, 1.0), p)
    return TestOutcome(statistic, p, tuple(whole or (few if one else ZERO) for one in some.tolist()), adjusted)


def last_accepted(hits: int, rows: int, p: float, level: float, *, drawn: bool) -> int:
    """Return the least number of hits of a hypothesis that a resampling test does not reject; at most `rows`.

    The test of a hypothesis has p = hits/rows, or (1 + hits)/(1 + rows) if the rows are drawn, and rejects it if
    p ≤ level. Of the hypothesis 0 the hits in these rows and its p are known; p may come from a full enumeration, and
    the number of hits is then calibrated by it, so that 0 is rejected exactly where p ≤ level.
    """
    extra = int(drawn)
    accepted = math.floor(level / p * (hits + extra) + 1e-9) - extra + 1  # a quotient just below an integer is rounded
    accepted = max(accepted, hits + 1) if p <= level else min(accepted, hits)
    return max(0, min(accepted, rows))


def known_rows(x: Floats) -> Bools:
    """Return the mask of queries on which every run has a value."""
    return np.asarray(~np.isnan(x).any(axis=1))


class Estimate(NamedTuple):
    """The mean of each column, its standard error, the degrees of freedom of Student's t, and the mask of columns without variance, up to rounding."""

    mean: Floats
    error: Floats
    df: float
    constant: Bools


def mean_and_error(sums: Floats, sizes: Floats, *, reduced_bias: bool = False) -> Estimate:
    """Return the mean of each column and its standard error from the sums and sizes of clusters; NaN for one cluster.

    The mean is the ratio of all sums to all sizes. Its variance, C/(C - 1) · Σ (sum - mean · size)² / n², is that of a
    linearised ratio (Cochran, Sampling Techniques, 1977, 6.4). With clusters of one query it is s²/n.

    With `reduced_bias` it is CR2, Σ (sum - mean · size)² / (1 - size/n) / n², for t tests (Bell and McCaffrey 2002;
    Pustejovsky and Tipton 2018), and the degrees of freedom are Satterthwaite's for independent queries, fewer than the number
    of clusters less one. For clusters of equal size both are the same.
    """
    clusters, n = len(sizes), sizes.sum()
    mean, df = totals(sums) / n, clusters - 1.0
    rest = sums - mean * sizes[:, None]
    constant = np.abs(rest).max(axis=0) <= SLACK * np.abs(sums).max(axis=0)
    if clusters < 2:
        return Estimate(mean, np.full_like(mean, np.nan), df, constant)
    rest, power = scaled(rest)
    if not reduced_bias or (sizes == sizes[0]).all():
        squares = clusters / (clusters - 1) * totals(np.square(rest))
    else:
        share = sizes / n
        squares = totals(np.square(rest) / (1 - share)[:, None])
        inflated = share**2 / (1 - share)
        df = float(1 / (np.sum(share**2) + np.sum(inflated) ** 2 - np.sum(inflated**2)))
    return Estimate(mean, np.ldexp(np.sqrt(squares), power) / n, df, constant)


def scaled(x: Floats) -> tuple[Floats, Ints]:
    """Divide each column by a power of two so that its squares neither overflow nor underflow; return the exponents too."""
    power = np.frexp(np.abs(x).max(axis=0, initial=0.0))[1]
    return np.ldexp(x, -power), power


def weighted_mean_and_error(x: Floats, weights: Floats) -> tuple[Floats, Floats, float]:
    """Return the weighted mean Σ w·x / Σ w of each column, its standard error, and the degrees of freedom of Student's t.

    With p = w / Σ w, the distance of value i from the mean has the variance vᵢ = 1 - 2pᵢ + Σ p², in units of that of a value. The squared error is that of
    HC3 (MacKinnon and White, Journal of Econometrics 1985), (1 - Σ p²) · Σ pᵢ² (xᵢ - mean)² / vᵢ², scaled so that equal weights give s²/n. It holds if values of
    heavy queries vary more or less than others. The degrees of freedom are the effective number of queries, 1 / Σ p² (Kish 1965), less one. In simulations
    of dense measures the 5% test rejects in 4.4% to 5.8% where the weights count like 20 queries or more, and in less with fewer, or on sparse measures
    (`docs/explanations/error_rates.md`).
    """
    mean, p = weighted_mean(x, weights), weights / weights.max()
    p = p / p.sum()
    squares = float(p @ p)
    rest, power = scaled(x - mean)
    residual = 1 - 2 * p + squares
    variance = (1 - squares) * ((p / np.where(residual > 0, residual, 1.0)) ** 2 @ np.square(rest))
    return mean, np.ldexp(np.sqrt(variance), power), max(1 / squares - 1, 1.0)


def linearised(sums: Floats, sizes: Floats) -> Floats:
    """Return columns whose plain mean is the ratio of all sums to all sizes, and whose spread over units is that of the ratio, times √units.

    Units are queries (weight · value, and weight) or clusters (sum, and number of queries): mean + units · (sum - mean · size) / Σ sizes
    (Cochran 1977, 6.4). Effect sizes, skewness and the number of queries needed use them; tests have standard errors with less bias.
    """
    sizes = sizes[:, None]
    mean = sums.sum(axis=0) / sizes.sum()
    return np.asarray(mean + len(sums) * (sums - mean * sizes) / sizes.sum())
