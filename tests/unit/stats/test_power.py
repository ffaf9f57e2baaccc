"""What a comparison can show."""

import math

import numpy as np
import pytest

from judged.errors import UsageError
from judged.stats.checks import deviations
from judged.stats.power import (
    achieved_power,
    detectable_difference,
    queries_needed,
    queries_needed_about,
)


@pytest.mark.needs("statsmodels")
@pytest.mark.parametrize("n", [2, 3, 5, 20, 50, 250, 6980, 100_000])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_power_is_that_of_statsmodels(n, alpha):
    from statsmodels.stats.power import TTestPower

    solver = TTestPower()
    compared = 0
    for effect in (0.001, 0.01, 0.05, 0.1, 0.3, 1.0, 3.0):
        wanted = solver.power(effect, n, alpha)
        if not math.isnan(wanted):  # SciPy's noncentral t has no number in its far tail
            assert achieved_power(effect * 0.2, 0.2, n, alpha=alpha) == pytest.approx(wanted, abs=1e-13)
            compared += 1
    assert compared >= 2


def test_power_is_a_number_and_rises_where_scipy_has_none():
    powers = [achieved_power(effect, 1.0, 20) for effect in np.linspace(0.01, 20, 200)]
    assert all(0 <= p <= 1 for p in powers)
    assert (np.diff(powers) >= -1e-12).all()
    assert achieved_power(1e6, 1.0, 2) == pytest.approx(1, abs=1e-5)
    assert achieved_power(1e300, 1e-300, 10) == 1.0


def test_the_smallest_difference_is_found_with_just_that_power():
    for n in (2, 5, 50, 6980):
        for power in (0.5, 0.8, 0.95):
            found = detectable_difference(0.3, n, power=power)
            assert achieved_power(found, 0.3, n) == pytest.approx(power, abs=1e-12)


@pytest.mark.needs("statsmodels")
def test_the_queries_needed_are_the_fewest():
    from statsmodels.stats.power import TTestPower

    solver = TTestPower()
    for effect in (0.01, 0.05, 0.2, 0.5, 1.5):
        n = queries_needed(effect, 1.0)
        assert achieved_power(effect, 1.0, n) >= 0.8
        assert n == 2 or achieved_power(effect, 1.0, n - 1) < 0.8
        assert n == math.ceil(solver.solve_power(effect_size=effect, alpha=0.05, power=0.8))
    assert queries_needed(1e-9, 1.0) is None
    assert queries_needed(-0.5, 1.0) == queries_needed(0.5, 1.0)


def test_where_nothing_varies_or_there_is_one_query():
    assert achieved_power(0.1, 0.0, 5) == 1.0
    assert achieved_power(0.0, 0.0, 5) == achieved_power(0.0, 1.0, 5) == 0.05
    assert achieved_power(0.1, 1.0, 1) == 0.0
    assert detectable_difference(1.0, 1) == math.inf
    assert detectable_difference(0.0, 5) == 0.0
    assert queries_needed(0.1, 0.0) == 2
    assert deviations(np.array([[0.1 + 0.2], [0.3]])) == [0.0]
    assert math.isnan(deviations(np.array([[0.3]]))[0])


@pytest.mark.parametrize("call", [
    lambda: achieved_power(0.1, -1.0, 5),
    lambda: achieved_power(0.1, math.nan, 5),
    lambda: achieved_power(0.1, 1.0, 0),
    lambda: achieved_power(0.1, 1.0, 2.5),
    lambda: achieved_power(0.1, 1.0, 5, alpha=1),
    lambda: detectable_difference(1.0, 5, power=0.01),
    lambda: queries_needed(0.0, 1.0),
    lambda: queries_needed(0.1, 1.0, power=1.0),
])  # fmt: skip
def test_wrong_calls_are_refused(call):
    with pytest.raises(UsageError):
        call()


@pytest.mark.parametrize("alpha", [0.05, 0.005, 1e-5])
def test_the_queries_needed_are_about_what_a_formula_says(alpha):
    for effect in (0.05, 0.1, 0.3, 0.5):
        exact = queries_needed(effect, 1.0, alpha=alpha)
        assert queries_needed_about(effect, 1.0, alpha=alpha) == pytest.approx(exact, abs=2, rel=0.02)
    assert queries_needed_about(1e-9, 1.0, alpha=alpha) is None
