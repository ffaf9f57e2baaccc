"""Estimates from sampled negatives: their chances, their bias, and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judged.recommenders.sampled_estimates import by_estimated_rank, correct_values, expected, naive

ITEMS, SAMPLED = 60, 12
RANKS = np.arange(1, ITEMS + 1)
SUCCESS = (RANKS <= 5).astype(float)
AUC = (ITEMS - RANKS) / (ITEMS - 1)


def chances(replacement):
    """p(s | r) by SciPy."""
    above = np.arange(SAMPLED + 1)
    if replacement:
        return np.array([stats.binom.pmf(above, SAMPLED, (r - 1) / (ITEMS - 1)) for r in RANKS])
    return np.array([stats.hypergeom.pmf(above, ITEMS - 1, r - 1, SAMPLED) for r in RANKS])


@pytest.mark.parametrize("replacement", [True, False])
def test_the_mean_over_samples_is_that_of_the_known_distributions(replacement):
    counted = np.random.default_rng(0).normal(size=SAMPLED + 1)
    assert expected(counted, ITEMS, replacement=replacement) == pytest.approx(chances(replacement) @ counted, abs=1e-10)


@pytest.mark.parametrize("replacement", [True, False])
def test_the_estimated_rank_is_unbiased(replacement):
    assert expected(by_estimated_rank(RANKS.astype(float), SAMPLED), ITEMS, replacement=replacement) == pytest.approx(
        RANKS
    )


@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("replacement", [True, False])
def test_the_corrected_values_solve_the_equations_of_the_paper(gamma, replacement):
    a = chances(replacement) / np.sqrt(ITEMS)
    b, c = SUCCESS / np.sqrt(ITEMS), chances(replacement).mean(axis=0)
    left = (1 - gamma) * a.T @ a + gamma * np.diag(c)
    assert left @ correct_values(SUCCESS, SAMPLED, gamma, replacement=replacement) == pytest.approx(a.T @ b, abs=1e-9)


def test_no_other_values_have_less_bias():
    best = correct_values(SUCCESS, SAMPLED, 0.0)
    least = ((expected(best, ITEMS) - SUCCESS) ** 2).sum()
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert ((expected(best + rng.normal(scale=0.1, size=len(best)), ITEMS) - SUCCESS) ** 2).sum() >= least


def test_more_gamma_is_less_variance_and_more_bias():
    p = chances(False)
    bias, spread = [], []
    for gamma in (0.0, 0.01, 0.1, 1.0):
        x = correct_values(SUCCESS, SAMPLED, gamma)
        bias.append(((p @ x - SUCCESS) ** 2).mean())
        spread.append((p @ x**2 - (p @ x) ** 2).mean())
    assert bias == sorted(bias)
    assert spread == sorted(spread, reverse=True)


def test_without_bias_or_variance_to_trade_every_estimator_is_exact():
    """All negatives sampled: the rank among them is the rank."""
    everything = ITEMS - 1
    for x in (
        correct_values(SUCCESS, everything, 0.0),
        by_estimated_rank(SUCCESS, everything),
        naive(SUCCESS, everything),
    ):
        assert x == pytest.approx(SUCCESS, abs=1e-8)


def test_a_linear_measure_is_estimated_without_bias():
    for x in (by_estimated_rank(AUC, SAMPLED), correct_values(AUC, SAMPLED, 0.0)):
        assert expected(x, ITEMS) == pytest.approx(AUC, abs=1e-8)


def test_blocks_of_ranks_do_not_change_the_result(monkeypatch):
    whole = correct_values(SUCCESS, SAMPLED, 0.1)
    monkeypatch.setattr("judged.recommenders.sampled_estimates._BLOCK", 100)
    assert correct_values(SUCCESS, SAMPLED, 0.1) == pytest.approx(whole, abs=1e-10)


@pytest.mark.parametrize("replacement", [True, False])
def test_simulated_samples_have_the_bias_that_was_said_and_far_less_than_the_plain_value(replacement):
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 31, size=400)  # ranks of a system that does rather well
    draws = 400
    better = truth - 1
    above = (
        rng.binomial(SAMPLED, better / (ITEMS - 1), size=(draws, len(truth)))
        if replacement
        else rng.hypergeometric(better, ITEMS - 1 - better, SAMPLED, size=(draws, len(truth)))
    )
    exact = SUCCESS[truth - 1].mean()
    plain = (np.arange(1, SAMPLED + 2) <= 5).astype(float)
    for x in (
        correct_values(SUCCESS, SAMPLED, 0.0, replacement=replacement),
        correct_values(SUCCESS, SAMPLED, 0.1, replacement=replacement),
    ):
        means = x[above].mean(axis=1)
        said = expected(x, ITEMS, replacement=replacement)[truth - 1].mean()
        assert abs(means.mean() - said) < 4 * means.std() / np.sqrt(draws)
        assert abs(means.mean() - exact) < abs(plain[above].mean() - exact) / 3
