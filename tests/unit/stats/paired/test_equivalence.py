"""Equivalence within a margin: two one-sided tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judged.errors import DataError, UsageError
from judged.stats.paired.equivalence import tost

D = np.random.default_rng(0).normal(0.01, 0.05, 60)


@pytest.mark.needs("statsmodels")
@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05, (-0.01, 0.03)])
def test_t_is_that_of_statsmodels(margin):
    from statsmodels.stats import weightstats

    ends = margin if isinstance(margin, tuple) else (-margin, margin)
    p, low, high = weightstats.ttost_paired(D, np.zeros(len(D)), *ends)
    found = tost(D, margin)
    assert (found.p, found.p_low, found.p_high) == pytest.approx((p, low[1], high[1]), rel=1e-11)


def test_t_by_scipys_one_sided_tests():
    found = tost(D, 0.02)
    assert found.p_low == pytest.approx(stats.ttest_1samp(D, -0.02, alternative="greater").pvalue, rel=1e-11)
    assert found.p_high == pytest.approx(stats.ttest_1samp(D, 0.02, alternative="less").pvalue, rel=1e-11)
    assert found.interval == pytest.approx(stats.ttest_1samp(D, 0).confidence_interval(0.9), rel=1e-11)


def test_the_verdict_is_p_below_alpha_and_the_interval_within_the_margin():
    for margin in np.linspace(0.001, 0.06, 40):
        for alpha in (0.01, 0.05, 0.2):
            found = tost(D, float(margin), alpha=alpha)
            assert found.equivalent == (found.p < alpha)


def test_the_bootstrap_says_nearly_what_t_says():
    for margin in (0.01, 0.015, 0.02, 0.03):
        t, drawn = tost(D, margin), tost(D, margin, method="bootstrap")
        assert drawn.p == pytest.approx(t.p, abs=0.02)
        assert drawn.interval == pytest.approx(t.interval, abs=0.002)
    assert tost(D, 0.02, method="bootstrap") == tost(D, 0.02, method="bootstrap")
    assert tost(D, 0.02, method="bootstrap", seed=1) != tost(D, 0.02, method="bootstrap")
    assert tost(D, 10.0, method="bootstrap").p == 1 / 10_001


def test_where_nothing_varies_or_one_query_is_all_there_is():
    one = tost([0.01], 0.5)
    assert (one.p, one.equivalent, one.interval) == (1.0, False, None)
    assert one.note
    same = tost([0.1 + 0.2, 0.3, 0.3], 0.5)
    assert same.equivalent
    assert 0 < same.p < 1e-300
    assert (tost([0.7] * 5, 0.5).p, tost([0.7] * 5, 0.5).equivalent) == (1.0, False)
    assert tost([0.0] * 5, 0.1, method="bootstrap").equivalent


@pytest.mark.parametrize("margin", [0, -0.1, (0.2, 0.1), float("nan"), "wide", (0.1,), (1, 2, 3), None])
def test_margins_that_are_none_are_refused(margin):
    with pytest.raises(UsageError):
        tost(D, margin)


@pytest.mark.parametrize("alpha", [0, 0.5, 0.7, "x", True])
def test_alpha_is_below_one_half(alpha):
    with pytest.raises(UsageError):
        tost(D, 0.1, alpha=alpha)


def test_differences_must_be_one_finite_column():
    for bad in ([], [[0.1, 0.2]], [np.nan, 0.1], ["a"]):
        with pytest.raises(DataError):
            tost(bad, 0.1)
    with pytest.raises(UsageError):
        tost(D, 0.1, method="wilcoxon")
