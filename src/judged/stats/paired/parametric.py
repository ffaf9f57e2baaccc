"""Paired tests: Student's t, the sign test and the bootstrap test."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.resample import resampled_means
from judged.errors import UsageError
from judged.stats.checks import check_count, no_weights
from judged.stats.differences import (
    SLACK,
    Estimate,
    TestOutcome,
    differences,
    last_accepted,
    mean_and_error,
    outcome_of,
    scaled,
    sum_by_cluster,
    totals,
    weighted_mean_and_error,
)
from judged.stats.paired.registry import TESTS, PairTest
from judged.stats.student_t import two_sided_p, two_sided_quantile
from judged.stats.two_phase import FEWEST, CheapValues, two_phase_means

_PAIRS = 64  # resampled together
FEW = "fewer than three queries have both kinds of values"


def student(
    d: Any,
    *,
    clusters: Any = None,
    weights: Any = None,
    cheap: CheapValues | None = None,
) -> TestOutcome:
    """Run the two-sided paired t test (Student 1908) on differences d = b - a, queries or queries × pairs; the statistic is t.

    It assumes that the mean difference is normal: because the differences are, or because there are many queries. With
    `clusters` the standard error is CR2 with Satterthwaite's degrees of freedom (Bell and McCaffrey 2002; Pustejovsky
    and Tipton 2018), which are fewer than the number of clusters if their sizes differ. With `weights` of the queries,
    all above 0, it tests the weighted mean (`weighted_mean_and_error`). With `cheap` differences of more queries, it tests the
    mean over all of them (`two_phase_means`). Equal differences other than 0 have no variance; their p is that of random
    signs, 2 / 2ⁿ.

    >>> student([1.0, 2.0, 3.0]).statistic.round(6)  # mean 2, standard error 1/√3
    array([3.464102])
    """
    table = differences(d)
    sizes, (mean, error, df, constant) = _estimate(table, clusters, weights, cheap)
    t = np.divide(mean, error, out=np.zeros_like(mean), where=~constant & (error > 0))
    p = np.ones_like(t) if len(sizes) < 2 else two_sided_p(t, df)
    p = np.where(constant, 2.0 ** (1 - len(sizes)), p)
    return outcome_of(t, p, table, sizes, few=FEW if cheap is not None and len(sizes) < FEWEST else "")


def _student_interval(
    d: Floats, p: Floats, level: Floats, *, clusters: Any = None, weights: Any = None, cheap: CheapValues | None = None
) -> tuple[Floats, Floats]:
    sizes, (mean, error, df, constant) = _estimate(d, clusters, weights, cheap)
    if len(sizes) < (2 if cheap is None else FEWEST):
        return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    distinct, place = np.unique(level, return_inverse=True)
    reach = two_sided_quantile(tuple(distinct.tolist()), df)[place] * error
    reach = np.where(constant, np.where(p <= level, 0.0, np.inf), reach)  # infinite if random signs do not reject 0
    return mean - reach, mean + reach


def _estimate(d: Floats, clusters: Any, weights: Any, cheap: CheapValues | None) -> tuple[Floats, Estimate]:
    """The sizes of clusters, and the estimate of the mean: plain, weighted, or with cheap values."""
    if cheap is not None and (clusters is not None or weights is not None):
        raise UsageError("option", "cheap values have neither clusters nor weights", hint="leave one of them out")
    if weights is not None and clusters is not None:
        raise no_weights("clusters")
    sums, sizes = sum_by_cluster(d, clusters)
    estimate = mean_and_error(sums, sizes, reduced_bias=True)
    if weights is not None:
        mean, error, df = weighted_mean_and_error(d, np.asarray(weights, dtype=np.float64))
        return sizes, Estimate(mean, error, df, estimate.constant)
    if cheap is not None and len(d) >= FEWEST:
        found = two_phase_means(d, cheap)
        return sizes, Estimate(found.mean, found.error, found.df, estimate.constant)
    return sizes, estimate


TESTS.add(
    PairTest(
        name="t",
        aliases=("t-test", "ttest", "student", "paired-t"),
        title="paired t test",
        null="the mean difference is 0",
        assumes="normal differences, or many queries",
        paper="student1908",
        function=student,
        interval=_student_interval,
        options=("clusters", "weights", "cheap"),
    )
)


def sign(d: Any) -> TestOutcome:
    """Run the two-sided sign test (Arbuthnot 1710; Conover 1999, 3.4) on the queries that are not tied.

    The test is exact, by the binomial distribution with 1/2; differences of 0 are dropped. The statistic is the number
    of queries won (d > 0). The size of differences is neither assumed nor tested.

    >>> sign([1, 1, 1, 1, 1, 0, 0]).p == 2 / 32
    array([ True])
    """
    from scipy.special import betainc

    table = differences(d)
    won, lost = (table > 0).sum(axis=0).astype(float), (table < 0).sum(axis=0).astype(float)
    n = won + lost
    fewer = np.minimum(won, lost)
    tail = np.where(fewer < n, betainc(np.maximum(n - fewer, 1), fewer + 1, 0.5), 1.0)
    return outcome_of(won, 2 * tail, table, np.ones(len(table)))


TESTS.add(
    PairTest(
        name="sign",
        aliases=("sign-test", "binomial"),
        title="sign test",
        null="the median difference is 0: wins and losses are equally likely",
        assumes="nothing; ignores the size of differences",
        paper="arbuthnot1710 conover1999",
        function=sign,
        direction=lambda d: np.sign(d).sum(axis=0),
        flips_signs=True,
    )
)


def bootstrap_test(
    d: Any,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Any = None,
) -> TestOutcome:
    """Run the two-sided paired bootstrap test: resample queries from differences that are shifted to mean 0.

    p = (1 + hits) / (1 + resamples), where a hit is a resample whose statistic is at least as far from 0 as the
    observed one. The statistic is t (Efron and Tibshirani 1993, 16.4; in retrieval: Sakai, SIGIR 2006).
    With `clusters` whole clusters are resampled. A resample without variance has an infinite t, or 0, and counts as a
    hit. Equal differences other than 0 have the p of random signs, 2 / 2ⁿ.
    """
    check_count(resamples, "resamples")
    table = differences(d)
    sums, sizes = sum_by_cluster(table, clusters)
    mean, error, _, constant = mean_and_error(sums, sizes)
    hits = np.empty_like(mean)
    for at in range(0, len(mean), _PAIRS):
        part = slice(at, at + _PAIRS)
        reaches = bootstrap_reaches(sums[:, part], sizes, resamples, seed)
        hits[part] = (reaches >= np.abs(mean[part])).sum(axis=0)
    p = np.where(constant, 2.0 ** (1 - len(sizes)), (1 + hits) / (1 + resamples))
    t = np.divide(mean, error, out=np.zeros_like(mean), where=~constant)
    return outcome_of(t, p, table, sizes)


def _bootstrap_interval(
    d: Floats,
    p: Floats,
    level: Floats,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Any = None,
) -> tuple[Floats, Floats]:
    """The mean ± a quantile of the distances that resamples reach: the symmetric studentised bootstrap (Hall 1988)."""
    sums, sizes = sum_by_cluster(d, clusters)
    mean, _, _, constant = mean_and_error(sums, sizes)
    reach = np.empty_like(mean)
    for at in range(0, len(mean), _PAIRS):
        part = slice(at, at + _PAIRS)
        found = bootstrap_reaches(sums[:, part], sizes, resamples, seed)
        for i, far in enumerate(found.T, at):
            hits = int(np.count_nonzero(far >= abs(mean[i])))
            rank = last_accepted(hits, resamples, float(p[i]), float(level[i]), drawn=True)
            reach[i] = np.partition(far, resamples - rank)[resamples - rank] if rank else np.inf
    reach = np.where(constant, np.where(p <= level, 0.0, np.inf), reach)
    return mean - reach, mean + reach


TESTS.add(
    PairTest(
        name="bootstrap",
        aliases=("bootstrap-test", "paired-bootstrap"),
        title="paired bootstrap test",
        null="the mean difference is 0",
        assumes="queries that represent the population; not too few of them",
        paper="efron1993 sakai2006",
        function=bootstrap_test,
        interval=_bootstrap_interval,
        options=("resamples", "seed", "clusters"),
    )
)


def bootstrap_reaches(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """Return for each resample and column the largest mean that its statistic reaches: |t*| standard errors.

    A resample without variance reaches any mean.
    """
    mean = totals(sums) / sizes.sum()
    size, k = sizes[:, None], len(mean)
    shifted, power = scaled(sums - mean * size)
    single = bool((sizes == 1).all())  # sizes are then constant
    parts = [shifted, shifted**2, *([] if single else [shifted * size, size, size**2])]
    drawn = resampled_means(np.hstack(parts), resamples, seed)
    top, n = drawn[:, :k], np.ones((1, 1)) if single else drawn[:, -2:-1]
    resampled = top / n
    cross, sizes2 = (top, 1.0) if single else (drawn[:, 2 * k : 3 * k], drawn[:, -1:])
    squares = drawn[:, k : 2 * k] - 2 * resampled * cross + resampled**2 * sizes2
    spread = mean_and_error(shifted, sizes).error * np.sqrt(len(sizes) - 1)
    error = np.sqrt(np.maximum(squares, 0.0)) / n
    top = np.abs(resampled) * spread + SLACK * spread * spread
    far = np.divide(top, error, out=np.full_like(top, np.inf), where=error > 0)
    return np.ldexp(far, power)
