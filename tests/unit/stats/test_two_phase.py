"""Means of human judgments with the help of model judgments: the regression estimator of two-phase sampling."""

import numpy as np
import pytest

from judged.stats.paired.registry import interval_of, outcome
from judged.stats.two_phase import CheapValues, two_phase_means

RANDOM = np.random.default_rng(5)


def sample(n=30, more=70, noise=0.1, bias=0.2):
    """Expensive values of n queries, cheap ones of all, and the truth."""
    truth = RANDOM.uniform(size=n + more)
    cheap = truth + bias + noise * RANDOM.standard_normal(n + more)
    return truth[:n, None], CheapValues(cheap[:, None], np.arange(n + more) < n), truth


def test_the_estimate_is_the_fitted_line_at_the_mean_of_all_cheap_values():
    known, cheap, _ = sample()
    slope, intercept = np.polyfit(cheap.values[:30, 0], known[:, 0], 1)
    found = two_phase_means(known, cheap)
    assert found.mean[0] == pytest.approx(intercept + slope * cheap.values.mean(), rel=1e-12)
    assert found.slope[0] == pytest.approx(slope, rel=1e-12)
    assert found.bias[0] == pytest.approx((cheap.values[:30] - known).mean(), rel=1e-12)


def test_the_estimate_is_that_of_ppi_with_the_optimal_weight():
    known, cheap, _ = sample()
    found = two_phase_means(known, cheap)
    weight = found.slope * 70 / 100  # λ = slope · N / (n + N)
    ppi = weight * cheap.values[30:].mean() + (known - weight * cheap.values[:30]).mean()
    assert found.mean == pytest.approx(ppi, rel=1e-12)


def test_cheap_values_that_are_right_but_for_a_shift_give_the_mean_of_all():
    known, cheap, truth = sample(noise=0.0)
    found = two_phase_means(known, cheap)
    assert found.mean[0] == pytest.approx(truth.mean())
    assert found.error[0] == pytest.approx(truth.std(ddof=1) / 10)  # as if all hundred were known
    assert found.worth[0] == pytest.approx(100, rel=0.3)


def test_cheap_values_without_spread_are_ignored():
    known, cheap, _ = sample()
    found = two_phase_means(known, CheapValues(np.full((100, 1), 0.4), cheap.known))
    assert found.slope == 0
    assert found.mean == pytest.approx(known.mean())
    assert found.error[0] == pytest.approx(known.std(ddof=1) / np.sqrt(30), rel=0.04)  # HC3 of a mean: by n / (n - 1)


def test_columns_are_independent():
    pairs = [sample() for _ in range(3)]
    together = two_phase_means(
        np.hstack([known for known, _, _ in pairs]),
        CheapValues(np.hstack([cheap.values for _, cheap, _ in pairs]), pairs[0][1].known),
    )
    for i, (known, cheap, _) in enumerate(pairs):
        alone = two_phase_means(known, cheap)
        assert together.mean[i] == pytest.approx(alone.mean[0], rel=1e-14)
        assert together.error[i] == pytest.approx(alone.error[0], rel=1e-14)


def test_the_t_test_with_cheap_values_agrees_with_its_interval():
    known, cheap, _ = sample()
    d = known - 0.45
    for level in (0.001, 0.05, 0.5):
        low, high = interval_of(d, "t", level=level, cheap=cheap)
        p = outcome(d, "t", cheap=cheap).p
        assert (low[0] > 0 or high[0] < 0) == (p[0] <= level)
    found = two_phase_means(known, cheap)
    low, high = interval_of(d, "t", cheap=cheap)
    assert (low[0], high[0]) == pytest.approx(tuple(end[0] - 0.45 for end in found.interval()))


@pytest.mark.parametrize("n", [1, 2])
def test_two_queries_are_too_few_to_test_anything(n):
    known, cheap, _ = sample(n)
    found = outcome(known, "t", cheap=cheap)
    assert found.p == 1
    assert found.note[0]
    assert np.isinf(interval_of(known, "t", cheap=cheap)).all()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_the_interval_contains_the_mean_as_often_as_it_says(noise):
    inside = 0
    for _ in range(1000):
        known, cheap, _ = sample(30, 200, noise)
        low, high = two_phase_means(known, cheap).interval()
        inside += low[0] <= 0.5 <= high[0]
    assert 0.925 <= inside / 1000 <= 0.975
