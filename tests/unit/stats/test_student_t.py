"""Student's t distribution against SciPy's, from the centre to the far tail."""

import math

import numpy as np
import pytest
from scipy import special

from judged.stats import student_t
from judged.stats.student_t import two_sided_p, two_sided_quantile, upper_tail

DEGREES = [1, 1.5, 2, 3, 5, 9, 24, 49, 59.9, 60, 99, 249, 999, 6_979, 1e6]


@pytest.mark.parametrize("df", DEGREES)
def test_tails_are_scipys(df):
    t = np.r_[np.logspace(-4, 2.5, 150), 1e5]
    wanted = 2 * special.stdtr(df, -t)
    known = wanted > 1e-290
    np.testing.assert_allclose(two_sided_p(t, df)[known], wanted[known], rtol=2e-12)
    np.testing.assert_array_equal(two_sided_p(-t, df), two_sided_p(t, df))


def test_the_tail_of_one_degree_of_freedom_is_the_arc_tangent():
    t = np.logspace(-9, 9, 50)
    np.testing.assert_allclose(two_sided_p(t, 1), 2 / math.pi * np.arctan(1 / t), rtol=1e-12)
    assert two_sided_p([0.0, np.inf], 1).tolist() == [1.0, 0.0]
    assert two_sided_p([0.0, np.inf], 100).tolist() == [pytest.approx(1, abs=1e-14), 0.0]


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles_are_the_inverse(df):
    levels = np.array([0.99, 0.5, 0.05, 0.05, 0.01, 1e-4, 1e-8, 1e-30, 1e-100])
    distinct, place = np.unique(levels, return_inverse=True)
    t = two_sided_quantile(tuple(distinct.tolist()), df)[place]
    np.testing.assert_allclose(two_sided_p(t, df), levels, rtol=1e-12)
    np.testing.assert_allclose(t[1:], -special.stdtrit(df, levels[1:] / 2), rtol=2e-12)


def test_the_normal_tail_is_scipys():
    z = np.linspace(-10, 35, 100)
    np.testing.assert_allclose(upper_tail(z), special.ndtr(-z), rtol=1e-12)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_a_quantile_needs_few_steps_even_where_the_last_digit_goes_up_and_down(confidence, monkeypatch):
    calls = []
    monkeypatch.setattr(student_t, "two_sided_p", lambda t, df: calls.append(df) or two_sided_p(t, df))
    for df in range(2, 120):
        two_sided_quantile((1 - confidence,), float(df))
    assert max(map(calls.count, calls)) <= 20
    assert len(calls) <= 6 * len(set(calls))


@pytest.mark.parametrize("df", [1.0, 30.0, 1e6])
def test_no_value_has_no_tail(df):
    assert two_sided_p(np.array([]), df).shape == (0,)
