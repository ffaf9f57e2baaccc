"""Intervals of a mean: against SciPy, given the same resamples; by their definition; sum_by_cluster."""

from typing import get_args

import numpy as np
import pytest
from refusals import refusal
from scipy import stats

from judged.core.resample import resampled_means
from judged.errors import DataError, UsageError
from judged.stats.differences import linearised, mean_and_error
from judged.stats.intervals import Method, interval, wilson
from judged.stats.paired.registry import outcome

METHODS = get_args(Method)


def columns(n, k=3):
    rng = np.random.default_rng(n)
    return np.stack([rng.exponential(0.2, n), rng.normal(0.1, 1, n), np.round(rng.random(n), 1)][:k], axis=1)


@pytest.mark.parametrize("n", [2, 5, 40, 3_000])
def test_t_is_scipys(n):
    x = columns(n)
    peer = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    np.testing.assert_allclose(np.transpose(interval(x, "t", confidence=0.9)), [peer.low, peer.high], rtol=1e-11)


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


def test_percentile_ends_are_quantiles_of_resampled_means():
    x = columns(70)
    means = resampled_means(x, 2_000, 0)
    np.testing.assert_array_equal(
        np.transpose(interval(x, "percentile")), np.quantile(means, [(1 - 0.95) / 2, (1 + 0.95) / 2], axis=0)
    )


def test_a_clustered_resample_has_the_mean_of_its_queries():
    x, codes = np.array([1.0, 2.0, 6.0, 3.0, 5.0]), np.array(["b", "a", "a", "c", "a"])
    sums, sizes = np.array([13.0, 1.0, 3.0]), np.array([3.0, 1.0, 1.0])
    drawn = resampled_means(np.stack([sums, sizes], axis=1), 2_000, 0)
    expected = np.quantile(drawn[:, 0] / drawn[:, 1], [(1 - 0.95) / 2, (1 + 0.95) / 2])
    assert interval([x], "percentile", clusters=codes)[0] == tuple(expected)
    mean = 17 / 5
    error = np.sqrt((np.square(sums - mean * sizes) / (1 - sizes / 5)).sum()) / 5
    half = stats.t.ppf(0.975, cr2_degrees(sizes)) * error
    assert interval([x], "t", clusters=codes)[0] == pytest.approx((mean - half, mean + half), rel=1e-12)


def cr2_degrees(sizes):
    """Bell and McCaffrey: 2 E²/Var of the quadratic form, by the matrices of its definition."""
    n, size = int(sum(sizes)), np.asarray(sizes, dtype=int)
    member = np.repeat(np.arange(len(size)), size)
    residual = np.eye(n) - np.ones((n, n)) / n
    rows = []
    for c, k in enumerate(size):
        part = residual[np.ix_(member == c, member == c)]
        values, vectors = np.linalg.eigh(part)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append(np.ones(k) @ root @ residual[member == c] / n)
    form = np.stack(rows, axis=1)
    eigenvalues = np.linalg.eigvalsh(form.T @ form)
    return eigenvalues.sum() ** 2 / np.square(eigenvalues).sum()


def test_the_degrees_of_freedom_of_clusters_are_those_of_cr2():
    for sizes in ([3, 1, 1], [1, 2, 3, 4], [5, 5, 1, 2, 8, 1]):
        found = mean_and_error(np.ones((len(sizes), 1)), np.array(sizes, float), reduced_bias=True)
        assert found.df == pytest.approx(cr2_degrees(sizes), rel=1e-10)
    assert mean_and_error(np.ones((7, 1)), np.full(7, 4.0), reduced_bias=True).df == 6


@pytest.mark.parametrize("method", METHODS)
def test_too_little_has_no_interval_and_no_variance_no_width(method):
    assert interval([[0.5], [], [np.nan, 0.5]], method) == [None, None, None]
    assert interval([], method) == []
    assert interval([[0.5, 0.7]], method, clusters=[1, 1]) == [None]
    assert interval([[np.nan, np.nan]], method, clusters=[1, 2]) == [None]
    assert interval([np.full(9, 0.1)], method)[0] == pytest.approx((0.1, 0.1), rel=1e-12)
    assert interval([np.zeros(9)], method)[0] == (0.0, 0.0)
    low, high = interval([[0.0, 1.0]], method)[0] or (-np.inf, np.inf)  # two of four resamples have no variance
    assert low < 0.5 < high
    few = interval([np.full(4, 0.1)], method)[0]  # 2/2⁴ > 0.05: four equal values are no evidence that all are equal
    assert few is None if method in ("t", "bootstrap-t") else few == pytest.approx((0.1, 0.1), rel=1e-12)


def test_bootstrap_t_reaches_as_far_as_a_share_of_the_resampled_t_values():
    x = columns(30, 2)
    means, squares = (resampled_means(y, 999, 4) for y in (x - x.mean(axis=0), (x - x.mean(axis=0)) ** 2))
    t = np.abs(means) / np.sqrt((squares - means**2) / 29)
    reach = np.sort(t, axis=0)[999 - 50] * x.std(axis=0, ddof=1) / np.sqrt(30)
    found = np.transpose(interval(x, "bootstrap-t", resamples=999, seed=4))
    np.testing.assert_allclose(found, [x.mean(axis=0) - reach, x.mean(axis=0) + reach], rtol=1e-9)


def test_ends_stay_within_the_range_of_the_values():
    x = [0.9, 0.95, 1.0, 0.2, 0.99]
    assert interval([x])[0][1] > 1
    for method in METHODS:
        low, high = interval([x], method, limits=[(0, 1)])[0]
        assert 0 <= low < high <= 1
    assert interval([x, x], limits=[None, (0, 1)])[0] == interval([x])[0]


@pytest.mark.parametrize(("won", "n"), [(0, 10), (1, 10), (10, 10), (200, 200), (37, 50)])
def test_the_mean_of_binary_values_has_wilsons_interval(won, n):
    x = np.r_[np.ones(won), np.zeros(n - won)]
    peer = stats.binomtest(won, n).proportion_ci(method="wilson")
    [ends] = interval([x], limits=[(0, 1)])
    assert ends == pytest.approx((peer.low, peer.high), rel=1e-12, abs=1e-15)
    assert ends == wilson(won / n, n, 0.95)
    assert (ends[0] == 0) == (won == 0)
    assert (ends[1] == 1) == (won == n)
    assert interval([x]) != [ends]  # without a range 0 and 1 may be any numbers
    assert won == 0 or interval([x / 2], limits=[(0, 1)]) != [ends]


def test_the_seed_is_all_that_decides():
    x = columns(50)
    assert interval(x, "percentile", seed=3) == interval(x.copy(), "percentile", seed=3)
    assert interval(x, "percentile", seed=3) != interval(x, "percentile", seed=4)


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


@pytest.mark.parametrize("method", ["t", "bootstrap-t", "percentile"])
@pytest.mark.parametrize("size", [1e-300, 1e300, 1e306])
def test_intervals_of_huge_and_tiny_values_are_those_of_moderate_ones(method, size):
    x = np.random.default_rng(0).uniform(-1, 1, 30)
    np.testing.assert_allclose(interval([size * x], method)[0], size * np.array(interval([x], method)[0]), rtol=1e-9)


@pytest.mark.parametrize("call", [lambda x: interval([x]), lambda x: interval([x], "percentile"), lambda x: outcome(x, "t"), lambda x: outcome(x, "bootstrap")])  # fmt: skip
def test_values_whose_sum_exceeds_the_range_of_numbers_are_refused(call):
    refusal("table", call, np.full(30, 8e307) * np.linspace(-1, 1, 30))


def test_few_resamples_reach_as_far_as_the_farthest():
    """Of ten resamples none may be left out at 95%; of twenty the farthest is that of 1/21 < 5%."""
    x = columns(30, 1)
    for resamples in (10, 20):
        means, squares = (resampled_means(y, resamples, 4) for y in (x - x.mean(), (x - x.mean()) ** 2))
        farthest = (np.abs(means) / np.sqrt((squares - means**2) / 29)).max() * x.std(ddof=1) / np.sqrt(30)
        low, high = interval(x, "bootstrap-t", resamples=resamples, seed=4)[0]
        assert (low, high) == pytest.approx((x.mean() - farthest, x.mean() + farthest), rel=1e-9)


def test_a_column_keeps_its_interval_beside_one_that_is_far_larger():
    x = columns(12, 1)
    assert interval(np.hstack([x * 1e-30, x * 1e30])) == [interval(x * s)[0] for s in (1e-30, 1e30)]


def test_linearised_values_have_the_mean_and_the_error_of_the_ratio():
    sums, sizes = np.array([[2.0, 1.0], [3.0, 0.5], [1.0, 4.0]]), np.array([1.0, 3.0, 2.0])
    found = linearised(sums, sizes)
    mean, error, _, _ = mean_and_error(sums, sizes)
    assert found.mean(axis=0) == pytest.approx(sums.sum(axis=0) / 6)
    assert mean == pytest.approx(sums.sum(axis=0) / 6)
    assert found.std(axis=0, ddof=1) / np.sqrt(3) == pytest.approx(error)
