"""How often the tests reject what is true, and the intervals hold it, in simulation.

Three kinds of differences of mean 0: normal; skewed values of two alike systems (so differences symmetric, with heavy tails); and skewed differences,
which are no null hypothesis of tests that assume symmetry. `simulations` makes the tables of the documentation.
"""

from functools import lru_cache

import numpy as np
import pytest

from judged.stats.intervals import interval
from judged.stats.paired.registry import outcome

ROUNDS = 4_000
SIZES = (25, 50, 200)
TESTS = {
    "permutation": {"resamples": 2_000}, "t": {}, "wilcoxon": {}, "sign": {}, "bootstrap": {"resamples": 1_000},
}  # fmt: skip
METHODS = ("percentile", "t")
CLUSTERS = 4  # queries in each, where they come in clusters


def drawn(kind, n):
    """Differences of mean 0: queries × rounds."""
    rng = np.random.default_rng([n, ["normal", "alike", "skewed"].index(kind)])
    if kind == "normal":
        return rng.normal(0, 0.2, (n, ROUNDS))
    if kind == "alike":
        return rng.exponential(0.2, (n, ROUNDS)) - rng.exponential(0.2, (n, ROUNDS))
    return rng.exponential(0.2, (n, ROUNDS)) - 0.2


@lru_cache
def rejected(kind, n):
    """Test → share of rounds with p ≤ 0.05."""
    d = drawn(kind, n)
    return {name: float(np.mean(outcome(d, name.split()[0], **options).p <= 0.05)) for name, options in TESTS.items()}


@lru_cache
def covered(kind, n):
    """Interval → share of rounds in which it holds the mean, 0."""
    d = drawn(kind, n)
    found = {}
    for method in METHODS:
        low, high = np.transpose(interval(d, method, resamples=1_000))
        found[method] = float(np.mean((low <= 0) & (high >= 0)))
    return found


def near(share, nominal, *, below=0.0, above=0.0):
    """Within four standard errors of the nominal, or of what may be lost by a known weakness."""
    error = 4 * np.sqrt(nominal * (1 - nominal) / ROUNDS)
    return nominal - error - below <= share <= nominal + error + above


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["normal", "alike"])
def test_tests_reject_what_is_true_as_often_as_they_promise(kind, n):
    found = rejected(kind, n)
    assert near(found["permutation"], 0.05)
    assert near(found["wilcoxon"], 0.05)
    assert near(found["sign"], 0.05, below=0.03)  # it has few values, so keeps below
    for name in ("t", "bootstrap"):
        assert near(found[name], 0.05, below=0.02 if kind == "alike" else 0.0), name


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_skewed_differences_of_mean_0_are_rejected_by_tests_of_symmetry(n):
    found = rejected("skewed", n)
    for name in ("permutation", "t", "bootstrap"):
        assert near(found[name], 0.05, above=1 / n), name
    assert found["sign"] > found["t"]  # the median is not 0
    if n == 200:
        assert min(found["sign"], found["wilcoxon"]) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["normal", "alike", "skewed"])
def test_intervals_hold_the_mean_as_often_as_they_promise(kind, n):
    found = covered(kind, n)
    assert near(found["t"], 0.95, below=1 / n if kind == "skewed" else 0.0, above=0.01)
    assert near(found["percentile"], 0.95, below=1 / n)


@pytest.mark.slow
def test_clustered_intervals_hold_the_mean_where_plain_ones_do_not():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(0, 1, (50, 500)), CLUSTERS, axis=0) + rng.normal(0, 0.5, (50 * CLUSTERS, 500))
    codes = np.repeat(np.arange(50), CLUSTERS)
    for method in METHODS:
        shares = []
        for clusters in (codes, None):
            low, high = np.transpose(interval(x, method, resamples=1_000, clusters=clusters))
            shares.append(np.mean((low <= 0) & (high >= 0)))
        assert shares[0] > 0.95 - 0.02 - 4 * np.sqrt(0.05 * 0.95 / 500)
        assert shares[1] < 0.8
