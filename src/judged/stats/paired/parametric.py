"""Paired tests: Student's t, the sign test and the bootstrap test."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.numeric.resample import resampled_means
from judged.stats.checks import check_choice, check_count
from judged.stats.differences import (
    CONSTANT,
    ONE,
    ONE_CLUSTER,
    SLACK,
    ZERO,
    Alternative,
    TestOutcome,
    differences,
    mean_and_error,
    outcome_of,
    sum_by_cluster,
    totals,
)
from judged.stats.paired.registry import TESTS, PairTest

Resampled = Literal["t", "mean"]

_PAIRS = 64  # resampled together


def student(d: Any, *, alternative: Alternative = "two-sided", clusters: Any = None) -> TestOutcome:
    """Run the paired t test (Student 1908) on differences d = b - a, queries or queries × pairs; the statistic is t.

    It assumes that the mean difference is normal: because the differences are, or because there are many queries. With
    `clusters` the standard error is that of clusters, and the degrees of freedom are their number less one.

    >>> student([1.0, 2.0, 3.0]).statistic.round(6)  # mean 2, standard error 1/√3
    array([3.464102])
    """
    from scipy.special import stdtr

    check_choice(alternative, Alternative, "alternative")
    table = differences(d)
    sums, sizes = sum_by_cluster(table, clusters)
    mean, spread = mean_and_error(sums, sizes)
    flat = _flat(sums, sizes, mean)
    t = np.divide(mean, spread, out=np.zeros_like(mean), where=~flat)
    df = len(sizes) - 1
    if df < 1:
        p = np.ones_like(t)
    elif alternative == "two-sided":
        p = 2 * stdtr(df, -np.abs(t))
    else:
        p = stdtr(df, -t if alternative == "greater" else t)
    return outcome_of("t", alternative, t, p, ["t"] * len(p), _silent(table, sizes, flat))


TESTS.add(PairTest(
    name="t", aliases=("t-test", "ttest", "student", "paired-t"), title="paired t test", null="the mean difference is 0",
    assumes="normal differences, or many queries", paper="Student, Biometrika 1908", function=student, options=("clusters",),
))  # fmt: skip


def sign(d: Any, *, alternative: Alternative = "two-sided") -> TestOutcome:
    """Run the sign test (Arbuthnot 1710; Conover 1999, 3.4) on the queries that are not tied.

    The test is exact, by the binomial distribution with 1/2; differences of 0 are dropped. The statistic is the number
    of queries won (d > 0). The size of differences is neither assumed nor tested.

    >>> sign([1, 1, 1, 1, 1, 0, 0]).p == 2 / 32
    array([ True])
    """
    from scipy.special import betainc

    check_choice(alternative, Alternative, "alternative")
    table = differences(d)
    won, lost = (table > 0).sum(axis=0).astype(float), (table < 0).sum(axis=0).astype(float)
    n = won + lost
    at_most = {"two-sided": np.minimum(won, lost), "greater": lost, "less": won}[alternative]
    tail = np.where(at_most < n, betainc(np.maximum(n - at_most, 1), at_most + 1, 0.5), 1.0)
    p = 2 * tail if alternative == "two-sided" else tail
    return outcome_of("sign", alternative, won, p, ["exact"] * len(p), [(len(table) == 1, ONE), (n == 0, ZERO)])


TESTS.add(PairTest(
    name="sign", aliases=("sign-test", "binomial"), title="sign test", null="the median difference is 0: wins and losses are equally likely",
    assumes="nothing; ignores the size of differences", paper="Arbuthnot 1710; Conover 1999", function=sign,
    direction=lambda d: np.sign(d).sum(axis=0), flips_signs=True,
))  # fmt: skip


def bootstrap_test(
    d: Any,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Any = None,
    statistic: Resampled = "t",
) -> TestOutcome:
    """Run the paired bootstrap test: resample queries from differences that are shifted to mean 0.

    p = (1 + hits) / (1 + resamples), where a hit is a resample whose statistic is at least as far from 0 as the
    observed one. The statistic is t (Efron and Tibshirani 1993, 16.4; in retrieval: Sakai, SIGIR 2006), or with
    `statistic="mean"` the mean (Smucker, Allan and Carterette, CIKM 2007), which rejects too often with few queries.
    With `clusters` whole clusters are resampled. A resample without variance has an infinite t, or 0, and counts as a
    hit.
    """
    check_choice(alternative, Alternative, "alternative")
    check_choice(statistic, Resampled, "statistic")
    check_count(resamples, "resamples")
    table = differences(d)
    sums, sizes = sum_by_cluster(table, clusters)
    mean, spread = mean_and_error(sums, sizes)
    flat = _flat(sums, sizes, mean)
    hits = [
        _hits(sums[:, at : at + _PAIRS], sizes, resamples, seed, alternative, statistic)
        for at in range(0, len(mean), _PAIRS)
    ]
    p = (1 + np.concatenate(hits)) / (1 + resamples)
    reported = mean if statistic == "mean" else np.divide(mean, spread, out=np.zeros_like(mean), where=~flat)
    return outcome_of("bootstrap", alternative, reported, p, ["random"] * len(p), _silent(table, sizes, flat))


TESTS.add(PairTest(
    name="bootstrap", aliases=("bootstrap-test", "paired-bootstrap"), title="paired bootstrap test", null="the mean difference is 0",
    assumes="queries that represent the population; not too few of them",
    paper="Efron and Tibshirani 1993; Sakai, SIGIR 2006; Smucker, Allan and Carterette, CIKM 2007", function=bootstrap_test,
    options=("resamples", "seed", "clusters", "statistic"),
))  # fmt: skip


def _hits(sums: Floats, sizes: Floats, resamples: int, seed: int, alternative: Alternative, how: Resampled) -> Floats:
    mean = totals(sums) / sizes.sum()
    size, k = sizes[:, None], len(mean)
    shifted = sums - mean * size
    single = bool((sizes == 1).all())  # sizes are then constant
    parts = [shifted, *([shifted**2] if how == "t" else []), *([] if single else [shifted * size, size, size**2])]
    drawn = resampled_means(np.hstack(parts), resamples, seed)
    top, n = drawn[:, :k], np.ones((1, 1)) if single else drawn[:, -2:-1]
    resampled = top / n
    if how == "mean":
        bound, scale = mean, totals(np.abs(shifted)) / sizes.sum()
    else:  # t* ≥ t, rearranged to avoid a division by 0
        cross, sizes2 = (top, 1.0) if single else (drawn[:, 2 * k : 3 * k], drawn[:, -1:])
        squares = drawn[:, k : 2 * k] - 2 * resampled * cross + resampled**2 * sizes2
        bound = mean * (np.sqrt(np.maximum(squares, 0.0)) / n)
        spread = np.sqrt(totals(np.square(shifted)) / len(sizes)) / sizes.mean()
        resampled = resampled * spread
        scale = spread * spread
    if alternative == "two-sided":
        resampled, bound = np.abs(resampled), np.abs(bound)
    elif alternative == "less":
        resampled, bound = -resampled, -bound
    return np.count_nonzero(resampled >= bound - SLACK * scale, axis=0).astype(np.float64)


def _flat(sums: Floats, sizes: Floats, mean: Floats) -> NDArray[np.bool_]:
    """Return the mask of columns without variance, up to rounding."""
    rest = np.abs(sums - mean * sizes[:, None]).max(axis=0)
    return rest <= SLACK * np.abs(sums).max(axis=0)


def _silent(table: Floats, sizes: Floats, flat: NDArray[np.bool_]) -> list[tuple[Any, str]]:
    return [(len(table) == 1, ONE), (len(sizes) == 1, ONE_CLUSTER), (~table.any(axis=0), ZERO), (flat, CONSTANT)]
