"""Posterior probabilities of worse, equal, better."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from judged.errors import DataError, UsageError
from judged.stats.paired.bayes import bayesian_signed_rank, bayesian_t

D = np.random.default_rng(0).normal(0.01, 0.05, 40)


def three(found):
    return found.worse, found.equal, found.better


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.03])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5])
def test_the_t_posterior_by_quadrature(rope, correlation):
    n, s = len(D), D.std(ddof=1)
    scale = s * math.sqrt(1 / n + correlation / (1 - correlation))
    density = stats.t(n - 1, D.mean(), scale).pdf
    far = 60 * scale
    edges = [D.mean() - far, -rope, rope, D.mean() + far]
    wanted = [integrate.quad(density, a, b, epsabs=1e-13, limit=500, points=[D.mean()] if a < D.mean() < b else None)[0] for a, b in pairwise(edges)]  # fmt: skip
    assert three(bayesian_t(D, rope=rope, correlation=correlation)) == pytest.approx(wanted, abs=1e-11)


def test_the_t_posterior_by_the_t_distribution():
    found = bayesian_t(D, rope=0.01)
    posterior = stats.t(len(D) - 1, D.mean(), D.std(ddof=1) / math.sqrt(len(D)))
    assert found.worse == pytest.approx(posterior.cdf(-0.01), rel=1e-11)
    assert found.better == pytest.approx(posterior.sf(0.01), rel=1e-11)
    assert found.interval == pytest.approx(posterior.interval(0.95), rel=1e-10)
    assert sum(three(found)) == pytest.approx(1, abs=1e-15)


def test_without_a_rope_better_is_one_less_the_one_sided_p():
    found = bayesian_t(D)
    assert 1 - found.better == pytest.approx(stats.ttest_1samp(D, 0, alternative="greater").pvalue, rel=1e-11)
    assert found.equal == pytest.approx(0, abs=1e-15)


def test_exchanging_the_systems_exchanges_worse_and_better():
    for test in (bayesian_t, bayesian_signed_rank):
        there, back = test(D, rope=0.01), test(-D, rope=0.01)
        assert three(there) == pytest.approx(three(back)[::-1], abs=0.01)


def test_signed_rank_by_all_pairs_of_queries():
    """The definition, with NumPy's Dirichlet draws and a table of all pairs."""
    rng = np.random.default_rng(1)
    for rope, shift in [(0.01, 0.0), (0.0, 0.003), (0.02, 0.01)]:
        d = rng.normal(shift, 0.05, 15).round(2)
        z = np.concatenate([[0.0], d])
        mean = (z[:, None] + z) / 2
        weight = rng.dirichlet([0.5, *[1] * len(d)], 50_000)
        low, high = (((weight @ pairs) * weight).sum(axis=1) for pairs in (mean < -rope - 1e-12, mean > rope + 1e-12))
        won = np.bincount(np.argmax([low, 1 - low - high, high], axis=0), minlength=3)
        assert three(bayesian_signed_rank(d, rope=rope)) == pytest.approx(won / 50_000, abs=0.014)  # 4.5 deviations


def test_signed_rank_is_seeded_and_keeps_to_its_samples():
    first = bayesian_signed_rank(D, rope=0.01, seed=1)
    assert first == bayesian_signed_rank(D, rope=0.01, seed=1)
    assert first != bayesian_signed_rank(D, rope=0.01, seed=2)
    assert bayesian_signed_rank(D, samples=1).better in (0.0, 1.0)
    assert bayesian_signed_rank([0.0] * 5).equal == 1.0
    assert bayesian_signed_rank([0.5] * 5, prior=0).better == 1.0


def test_where_nothing_varies_or_one_query_is_all_there_is():
    for test in (bayesian_t, bayesian_signed_rank):
        one = test([0.4])
        assert all(map(math.isnan, three(one)))
        assert one.note
    assert three(bayesian_t([0.3, 0.1 + 0.2, 0.3], rope=0.1)) == (0, 0, 1)
    assert three(bayesian_t([-0.3] * 3, rope=0.1)) == (1, 0, 0)
    assert three(bayesian_t([0.05] * 3, rope=0.1)) == (0, 1, 0)


@pytest.mark.parametrize("call", [
    lambda: bayesian_t(D, rope=-1),
    lambda: bayesian_t(D, rope="x"),
    lambda: bayesian_t(D, correlation=1),
    lambda: bayesian_t(D, confidence=2),
    lambda: bayesian_signed_rank(D, prior=-1),
    lambda: bayesian_signed_rank(D, samples=0),
    lambda: bayesian_t([]),
    lambda: bayesian_signed_rank([np.nan, 1.0]),
])  # fmt: skip
def test_wrong_calls_are_refused(call):
    with pytest.raises((UsageError, DataError)):
        call()
