"""Variance components: the analysis of variance of balanced designs."""

import numpy as np
import pytest
from scipy import stats

from judged.errors import DataError
from judged.stats.variance_components import variance_components

TRUE = {("queries",): 0.09, ("judges",): 0.01, ("replicates",): 0.04, ("queries", "judges"): 0.02, ("queries", "replicates"): 0.03,
        ("judges", "replicates"): 0.005, ("queries", "judges", "replicates"): 0.06}  # fmt: skip
AXES = {"queries": 1, "judges": 2, "replicates": 3}


def drawn(rng, systems, queries, judges, replicates):
    """Values with known components; main effects of queries and judges are the same for all systems, and must not matter."""
    shape = (systems, queries, judges, replicates)
    y = (
        rng.normal(0, 1, (1, queries, 1, 1))
        + rng.normal(0, 1, (1, 1, judges, 1))
        + rng.normal(0, 1, (1, queries, judges, 1))
    )
    for source, variance in TRUE.items():
        size = [systems] + [shape[a] if f in source else 1 for f, a in AXES.items()]
        y = y + rng.normal(0, np.sqrt(variance), size)
    return np.broadcast_to(y, shape)


def test_true_components_are_estimated():
    components = variance_components(drawn(np.random.default_rng(0), 60, 30, 12, 8))
    for source, variance in TRUE.items():
        assert components.variance[frozenset(source)] == pytest.approx(variance, rel=0.25, abs=0.002)


def test_two_systems_with_one_replicate_are_a_paired_t_test():
    rng = np.random.default_rng(1)
    x = rng.random((2, 25))
    components = variance_components(x[:, :, None, None])
    low, high = components.interval(0, 1)
    expected = stats.ttest_rel(x[1], x[0]).confidence_interval(0.95)
    assert (low, high) == pytest.approx(tuple(expected))
    assert components.error() == pytest.approx(stats.sem(x[1] - x[0]))
    assert components.df == {frozenset({"queries"}): 24}


def test_mean_squares_of_seeds_and_queries_are_those_of_the_textbook():
    y = np.random.default_rng(2).random((3, 7, 1, 4))
    parts = variance_components(y)
    z = y[:, :, 0, :]
    cell, system, query, seed = z.mean(2), z.mean((1, 2)), z.mean((0, 2)), z.mean(1)
    interaction = 4 * ((cell - system[:, None] - query + z.mean()) ** 2).sum() / (2 * 6)
    nested = 7 * ((seed - system[:, None]) ** 2).sum() / (3 * 3)
    rest = ((z - cell[:, :, None] - seed[:, None, :] + system[:, None, None]) ** 2).sum() / (3 * 6 * 3)
    squares = {"+".join(sorted(s)): m for s, m in parts.mean_square.items()}
    assert squares == pytest.approx({"queries": interaction, "replicates": nested, "queries+replicates": rest})
    variance = {"+".join(sorted(s)): v for s, v in parts.variance.items()}
    assert variance == pytest.approx({"queries": max(0, (interaction - rest) / 4), "replicates": max(0, (nested - rest) / 7),
                                      "queries+replicates": rest})  # fmt: skip


def test_intervals_hold_for_other_queries_and_other_seeds():
    rng, inside, trials = np.random.default_rng(3), 0, 300
    for _ in range(trials):
        y = (
            rng.normal(0, 0.3, (1, 20, 1, 1))
            + rng.normal(0, 0.05, (2, 1, 1, 5))
            + rng.normal(0, 0.1, (2, 20, 1, 1))
            + rng.normal(0, 0.1, (2, 20, 1, 5))
        )
        low, high = variance_components(y).interval(0, 1)
        inside += low <= 0 <= high
    assert 0.91 <= inside / trials <= 0.985


def test_more_of_a_facet_reduces_the_error_of_its_sources_only():
    parts = variance_components(drawn(np.random.default_rng(4), 5, 20, 3, 3))
    assert parts.error(queries=10**9) ** 2 == pytest.approx(
        2 * sum(v / np.prod([parts.sizes[f] for f in s]) for s, v in parts.variance.items() if "queries" not in s)
    )
    assert sum(parts.shares().values()) == pytest.approx(1)


def test_nothing_that_varies_has_no_interval():
    assert variance_components(np.ones((2, 3, 1, 2))).interval(0, 1) is None


@pytest.mark.parametrize("bad", [[1, 2], np.ones((1, 3, 1, 1)), np.ones((2, 1, 1, 1)), np.full((2, 3, 1, 1), np.inf)])
def test_tables_without_systems_or_variation_are_refused(bad):
    with pytest.raises(DataError):
        variance_components(bad)


def test_a_pair_of_systems_that_vary_more_than_others_has_its_own_error():
    rng = np.random.default_rng(2)
    y = rng.normal(size=(5, 30, 1, 3)) * np.array([4, 4, 0.1, 0.1, 0.1])[:, None, None, None]
    whole, pair = variance_components(y), variance_components(y[[0, 1]])
    assert whole.interval(0, 1) == pytest.approx(pair.interval(0, 1))
    assert np.diff(whole.interval(0, 1)) > 10 * np.diff(whole.interval(2, 3))


def test_the_quantile_is_the_mean_of_those_of_the_sources_weighted_by_their_variances():
    rng = np.random.default_rng(3)
    y = rng.normal(size=(2, 20, 3, 1)) + 2 * rng.normal(size=(2, 1, 3, 1)) + rng.normal(size=(2, 20, 1, 1))
    found = variance_components(y)
    queries, judges, rest = (found.mean_square[frozenset(s)] for s in (["queries"], ["judges"], ["queries", "judges"]))
    assert queries + judges > rest
    q = (queries * stats.t.ppf(0.975, 19) + judges * stats.t.ppf(0.975, 2)) / (queries + judges)
    half = q * np.sqrt(2 * (queries + judges - rest) / 60)
    low, high = found.interval(0, 1)
    assert (high - low) / 2 == pytest.approx(half)


@pytest.mark.parametrize(("judges", "replicates", "deviations"), [(2, 1, (1, 1)), (1, 3, (2, 0.5)), (3, 2, (1, 1))])
def test_intervals_hold_for_other_judges_and_for_unequal_deviations(judges, replicates, deviations):
    rng, inside = np.random.default_rng(4), 0
    scale = np.array([*deviations, 0.1])[:, None, None, None]
    for _ in range(300):
        y = 0.2 * rng.normal(size=(3, 50, 1, 1)) + 0.1 * rng.normal(size=(3, 1, judges, 1)) * (judges > 1)
        y = scale * (
            y
            + 0.1 * rng.normal(size=(3, 50, judges, replicates))
            + 0.05 * rng.normal(size=(3, 1, 1, replicates)) * (replicates > 1)
        )
        low, high = variance_components(y).interval(0, 1)
        inside += low <= 0 <= high
    assert inside / 300 > 0.91  # pooled, 0.88 with two judges and 0.8 with unequal deviations
