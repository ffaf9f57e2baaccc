"""Effect sizes, against brute force and by hand."""

import numpy as np
import pytest

from judged.errors import DataError
from judged.stats.effect_sizes import cliff, record, standardised, superiority


@pytest.fixture(params=range(4))
def values(request):
    rng = np.random.default_rng(request.param)
    n = [3, 10, 50, 201][request.param]
    return np.round(rng.random((n, 3)), 1), np.round(rng.random((n, 3)) + 0.1, 1)


def test_cliffs_delta_counts_all_pairs(values):
    a, b = values
    n = len(a)
    expected = [sum(int(np.sign(y - x)) for x in a[:, i] for y in b[:, i]) / n**2 for i in range(3)]
    assert cliff(a, b).tolist() == expected
    assert cliff(b, a).tolist() == [-x for x in expected]


def test_superiority_counts_queries_and_ties_half(values):
    a, b = values
    expected = [np.mean([(y > x) + (y == x) / 2 for x, y in zip(a[:, i], b[:, i], strict=True)]) for i in range(3)]
    np.testing.assert_allclose(superiority(a, b), expected, rtol=1e-15)


def test_d_z_is_the_mean_in_standard_deviations(values):
    a, b = values
    d = b - a
    np.testing.assert_allclose(standardised(a, b), d.mean(axis=0) / d.std(axis=0, ddof=1), rtol=1e-15)


def test_wins_ties_and_losses():
    a, b = [0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.25, 0.0, -0.25, -0.5]
    plain = record(a, b)
    assert (plain.wins[0], plain.ties[0], plain.losses[0]) == (2, 1, 2)
    assert superiority(a, [1, 1, 0, 0, -1]).tolist() == [3 / 5]


def test_where_an_effect_is_not_defined():
    zero = np.zeros(4)
    assert standardised(zero, zero).tolist() == [0.0]
    assert np.isnan(standardised(zero, zero + 0.5)).all()
    assert np.isnan(standardised([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])).all()  # equal but for the last bits
    assert np.isnan(standardised([0.1], [0.2])).all()
    assert superiority([0.1], [0.1]).tolist() == [0.5]
    assert cliff([0.1], [0.2]).tolist() == [1.0]


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([1, np.nan], [1, 2]), ([], []), (["x"], ["y"])])
def test_columns_that_do_not_fit_are_refused(a, b):
    for effect in (standardised, superiority, cliff):
        with pytest.raises(DataError):
            effect(a, b)
