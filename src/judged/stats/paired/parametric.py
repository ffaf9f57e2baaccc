"""Paired tests: Student's t, the sign test and the bootstrap test."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged._types import Bools, Floats
from judged.core.resample import resampled_means
from judged.errors import UsageError
from judged.stats.checks import check_count, no_weights
from judged.stats.differences import (
    ONE,
    ONE_CLUSTER,
    SLACK,
    ZERO,
    TestOutcome,
    constant,
    degrees_of_freedom,
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
    sums, sizes, (mean, spread, df) = _estimate(table, clusters, weights, cheap)
    flat = constant(sums, sizes)
    t = np.divide(mean, spread, out=np.zeros_like(mean), where=~flat & (spread > 0))
    p = np.ones_like(t) if len(sizes) < 2 else two_sided_p(t, df)
    p = np.where(flat, _constant_p(sizes), p)
    few = [(cheap is not None and len(sizes) < FEWEST, FEW)]
    return outcome_of(t, p, [*_silent(table, sizes), *few])


def _student_interval(
    d: Floats, p: Floats, level: Floats, *, clusters: Any = None, weights: Any = None, cheap: CheapValues | None = None
) -> tuple[Floats, Floats]:
    sums, sizes, (mean, spread, df) = _estimate(d, clusters, weights, cheap)
    if len(sizes) < (2 if cheap is None else FEWEST):
        return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    return _symmetric(sums, sizes, mean, two_sided_quantile(level, df) * spread, p <= level)


def _estimate(
    d: Floats, clusters: Any, weights: Any, cheap: CheapValues | None
) -> tuple[Floats, Floats, tuple[Floats, Floats, float]]:
    """Sums and sizes of clusters; and the mean, its standard error and their degrees of freedom."""
    if cheap is not None:
        if clusters is not None or weights is not None:
            raise UsageError("option", "cheap values have neither clusters nor weights", hint="leave one of them out")
        if len(d) < FEWEST:
            return d, np.ones(len(d)), (totals(d) / len(d), np.zeros(d.shape[1]), 1.0)
        found = two_phase_means(d, cheap)
        return d, np.ones(len(d)), (found.mean, found.error, found.df)
    if weights is None:
        sums, sizes = sum_by_cluster(d, clusters)
        return sums, sizes, (*mean_and_error(sums, sizes, reduced_bias=True), degrees_of_freedom(sizes))
    if clusters is not None:
        raise no_weights("clusters")
    return d, np.ones(len(d)), weighted_mean_and_error(d, np.asarray(weights, dtype=np.float64))


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
    return outcome_of(won, 2 * tail, [(len(table) == 1, ONE), (n == 0, ZERO)])


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
    mean = totals(sums) / sizes.sum()
    flat = constant(sums, sizes)
    hits = [_hits(sums[:, at : at + _PAIRS], sizes, resamples, seed) for at in range(0, len(mean), _PAIRS)]
    p = np.where(flat, _constant_p(sizes), (1 + np.concatenate(hits)) / (1 + resamples))
    error = mean_and_error(sums, sizes)[1]
    reported = np.divide(mean, error, out=np.zeros_like(mean), where=~flat)
    return outcome_of(reported, p, _silent(table, sizes))


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
    mean, reach = totals(sums) / sizes.sum(), np.empty(d.shape[1])
    for at in range(0, len(mean), _PAIRS):
        part = slice(at, at + _PAIRS)
        found = bootstrap_reaches(sums[:, part], sizes, resamples, seed)
        for i, far in enumerate(found.T, at):
            hits = int(np.count_nonzero(far >= abs(mean[i])))
            rank = last_accepted(hits, resamples, float(p[i]), float(level[i]), drawn=True)
            reach[i] = np.partition(far, resamples - rank)[resamples - rank] if rank else np.inf
    return _symmetric(sums, sizes, mean, reach, p <= level)


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


def _hits(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """Count the resamples whose statistic reaches the observed one."""
    reaches = bootstrap_reaches(sums, sizes, resamples, seed)
    return (reaches >= np.abs(totals(sums) / sizes.sum())).sum(axis=0).astype(np.float64)


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
    spread = mean_and_error(shifted, sizes)[1] * np.sqrt(len(sizes) - 1)
    error = np.sqrt(np.maximum(squares, 0.0)) / n
    top = np.abs(resampled) * spread + SLACK * spread * spread
    far = np.divide(top, error, out=np.full_like(top, np.inf), where=error > 0)
    return np.ldexp(far, power)


def _symmetric(sums: Floats, sizes: Floats, mean: Floats, reach: Floats, rejected: Bools) -> tuple[Floats, Floats]:
    """The mean ± the reach. Without variance the interval is the mean, or infinite if random signs do not reject 0."""
    reach = np.where(constant(sums, sizes), np.where(rejected, 0.0, np.inf), reach)
    return mean - reach, mean + reach


def _constant_p(sizes: Floats) -> float:
    """The p of equal differences: the share of sign assignments that leave the mean as far from 0."""
    return float(2.0 ** (1 - len(sizes)))


def _silent(table: Floats, sizes: Floats) -> list[tuple[Any, str]]:
    return [(len(table) == 1, ONE), (len(sizes) == 1, ONE_CLUSTER), (~table.any(axis=0), ZERO)]
