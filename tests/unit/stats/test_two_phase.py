"""Means of human judgments with the help of model judgments: the regression estimator of two-phase sampling."""

from __future__ import annotations

import numpy as np
import pytest

from judged.stats.intervals import interval
from judged.stats.two_phase import two_phase_mean

RANDOM = np.random.default_rng(5)


def sample(n=30, more=70, noise=0.1, bias=0.2):
    truth = RANDOM.uniform(size=n + more)
    cheap = truth + bias + noise * RANDOM.standard_normal(n + more)
    return np.where(np.arange(n + more) < n, truth, np.nan), cheap, truth


def test_the_estimate_is_the_fitted_line_at_the_mean_of_all_cheap_values():
    known, cheap, _ = sample()
    slope, intercept = np.polyfit(cheap[:30], known[:30], 1)
    found = two_phase_mean(known, cheap)
    assert found.mean == pytest.approx(intercept + slope * cheap.mean(), rel=1e-12)
    assert found.slope == pytest.approx(slope, rel=1e-12)
    assert found.bias == pytest.approx((cheap - known)[:30].mean(), rel=1e-12)


def test_the_estimate_is_that_of_ppi_with_the_optimal_weight():
    known, cheap, _ = sample()
    y, f, rest = known[:30], cheap[:30], cheap[30:]
    weight = two_phase_mean(known, cheap).slope * 70 / 100  # λ = slope · N / (n + N)
    assert two_phase_mean(known, cheap).mean == pytest.approx(weight * rest.mean() + (y - weight * f).mean(), rel=1e-12)


def test_cheap_values_that_are_right_but_for_a_shift_give_the_mean_of_all():
    known, cheap, truth = sample(noise=0.0)
    found = two_phase_mean(known, cheap)
    assert found.mean == pytest.approx(truth.mean())
    assert found.error == pytest.approx(truth.std(ddof=1) / 10)  # as if all hundred were known
    assert found.worth == pytest.approx(100, rel=0.3)


def test_cheap_values_without_spread_are_ignored():
    known, _, _ = sample()
    found = two_phase_mean(known, np.full(100, 0.4))
    assert found.slope == 0
    assert found.worth == 30
    assert found.interval() == pytest.approx(interval([known[:30]])[0])


def test_values_of_all_queries_need_no_help():
    _, cheap, truth = sample()
    assert two_phase_mean(truth, cheap).interval() == pytest.approx(interval([truth])[0])


@pytest.mark.parametrize("n", [0, 1, 2])
def test_two_queries_are_too_few(n):
    known, cheap, _ = sample(n)
    assert two_phase_mean(known, cheap) is None


def test_p_and_interval_agree():
    known, cheap, _ = sample()
    found = two_phase_mean(known, cheap)
    for end in found.interval(0.9):
        assert found.p(end) == pytest.approx(0.1)


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_the_interval_contains_the_mean_as_often_as_it_says(noise):
    inside = 0
    for _ in range(1000):
        known, cheap, _ = sample(30, 200, noise)
        low, high = two_phase_mean(known, cheap).interval()
        inside += low <= 0.5 <= high
    assert 0.925 <= inside / 1000 <= 0.975
