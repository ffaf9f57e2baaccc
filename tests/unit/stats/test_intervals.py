"""Intervals of a mean: against SciPy, given the same resamples; by their definition; sum_by_cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judged.core.numeric.resample import resampled_means
from judged.errors import DataError, UsageError
from judged.stats.intervals import bootstrap, bootstraps, interval

METHODS = ["percentile", "bca", "t"]


def columns(n, k=3):
    rng = np.random.default_rng(n)
    return np.stack([rng.exponential(0.2, n), rng.normal(0.1, 1, n), np.round(rng.random(n), 1)][:k], axis=1)


@pytest.mark.parametrize("n", [3, 10, 50, 400])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_bca_is_scipys_for_the_same_resamples(n, confidence):
    x = columns(n, 2)
    means = resampled_means(x, 3_000, 5)
    found = interval(x, "bca", confidence=confidence, seed=5, resamples=3_000)
    for i, ends in enumerate(found):
        drawn = stats.bootstrap((x[:, i],), np.mean, n_resamples=2, method="percentile")
        drawn.bootstrap_distribution = means[:, i]
        peer = stats.bootstrap(
            (x[:, i],), np.mean, n_resamples=0, method="BCa", bootstrap_result=drawn, confidence_level=confidence
        ).confidence_interval
        np.testing.assert_allclose(ends, peer, rtol=1e-11)


def test_bca_is_scipys_but_for_chance():
    x = columns(60)
    for column, (low, high) in zip(x.T, interval(x, "bca"), strict=True):
        peer = stats.bootstrap((column,), np.mean, n_resamples=9_999, rng=np.random.default_rng(1)).confidence_interval
        # An end of 10,000 resamples has an error of 0.045 standard errors (at the level 0.99, and for the bias); two of them, four times that
        chance = 4 * np.sqrt(2) * 0.045 * column.std() / np.sqrt(60)
        assert abs(low - peer.low) < chance
        assert abs(high - peer.high) < chance


@pytest.mark.parametrize("n", [2, 5, 40, 3_000])
def test_t_is_scipys(n):
    x = columns(n)
    peer = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    np.testing.assert_allclose(np.transpose(interval(x, "t", confidence=0.9)), [peer.low, peer.high], rtol=1e-11)


def test_percentile_is_the_bootstrap_that_values_have():
    x = columns(70)
    assert interval(x) == bootstraps(list(x.T)) == [bootstrap(column) for column in x.T]
    means = resampled_means(x, 2_000, 0)
    np.testing.assert_array_equal(
        np.transpose(interval(x)), np.quantile(means, [(1 - 0.95) / 2, (1 + 0.95) / 2], axis=0)
    )


@pytest.mark.parametrize("method", METHODS)
def test_columns_have_the_same_interval_together_and_alone(method):
    x = columns(40)
    assert interval(x, method) == [interval([column], method)[0] for column in x.T] == interval(list(x.T), method)
    codes = np.arange(40) // 3
    together = interval(x, method, clusters=codes)
    assert together == [interval([column], method, clusters=codes)[0] for column in x.T]


@pytest.mark.parametrize("method", METHODS)
def test_missing_values_are_left_out(method):
    x = columns(40)
    x[[3, 8], 1] = np.nan
    found = interval(x, method)
    assert found[1] == interval([np.delete(x[:, 1], [3, 8])], method)[0]
    codes = np.arange(40) // 4
    found = interval(x, method, clusters=codes)
    assert found[1] == interval([np.delete(x[:, 1], [3, 8])], method, clusters=np.delete(codes, [3, 8]))[0]


@pytest.mark.parametrize("method", METHODS)
def test_copies_of_queries_in_clusters_do_not_narrow_the_interval(method):
    x = columns(30)
    plain = interval(x, method)
    copied = interval(np.repeat(x, 4, axis=0), method, clusters=np.repeat(np.arange(30), 4))
    np.testing.assert_allclose(copied, plain, rtol=1e-9)


def test_a_clustered_resample_has_the_mean_of_its_queries():
    x, codes = np.array([1.0, 2.0, 6.0, 3.0, 5.0]), np.array(["b", "a", "a", "c", "a"])
    sums, sizes = np.array([13.0, 1.0, 3.0]), np.array([3.0, 1.0, 1.0])
    drawn = resampled_means(np.stack([sums, sizes], axis=1), 2_000, 0)
    expected = np.quantile(drawn[:, 0] / drawn[:, 1], [(1 - 0.95) / 2, (1 + 0.95) / 2])
    assert interval([x], clusters=codes)[0] == tuple(expected)
    mean = 17 / 5
    error = np.sqrt(3 / 2 * np.square(sums - mean * sizes).sum()) / 5
    half = stats.t.ppf(0.975, 2) * error
    assert interval([x], "t", clusters=codes)[0] == pytest.approx((mean - half, mean + half), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_too_little_has_no_interval_and_no_variance_no_width(method):
    assert interval([[0.5], [], [np.nan, 0.5]], method) == [None, None, None]
    assert interval([], method) == []
    assert interval([[0.5, 0.7]], method, clusters=[1, 1]) == [None]
    assert interval([np.full(9, 0.1)], method)[0] == pytest.approx((0.1, 0.1), rel=1e-12)
    assert interval([np.zeros(9)], method)[0] == (0.0, 0.0)
    low, high = interval([[0.0, 1.0]], method)[0]
    assert low < 0.5 < high or method == "bca"


def test_bca_of_hostile_columns_stays_within_the_values():
    for x in ([0.0] * 19 + [1.0], [0.0, 1.0], [0.0, 0.0, 1e-9], [1.0] * 99 + [0.0], [0.1] * 5 + [1e6]):
        for confidence in (0.5, 0.95, 0.9999999999):
            low, high = interval([x], "bca", confidence=confidence)[0]
            assert min(x) * (1 - 1e-12) <= low <= high <= max(x) * (1 + 1e-12)


def test_the_seed_is_all_that_decides():
    x = columns(50)
    assert interval(x, "bca", seed=3) == interval(x.copy(), "bca", seed=3)
    assert interval(x, "bca", seed=3) != interval(x, "bca", seed=4)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: interval([[1, 2]], "normal"), UsageError),
        (lambda: interval([[1, 2]], confidence=1.0), UsageError),
        (lambda: interval([[1, 2]], confidence="0.9"), UsageError),
        (lambda: interval([[1, 2]], resamples=0), UsageError),
        (lambda: interval([[1, np.inf]]), DataError),
        (lambda: interval([["a", "b"]]), DataError),
        (lambda: interval([[[1, 2]]]), DataError),
        (lambda: interval([1.0, 2.0]), DataError),
        (lambda: interval([[1, 2]], clusters=[1, 2, 3]), DataError),
    ],
)
def test_what_has_no_interval_is_refused(call, error):
    with pytest.raises(error):
        call()
