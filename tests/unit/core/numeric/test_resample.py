"""Resamples: the same draws from the native core and from NumPy, and fair ones."""

import numpy as np
import pytest

from judged.core.resample import reference, resampled_means


@pytest.mark.parametrize("size", [1, 2, 3, 10, 101])
@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_the_means_are_those_of_the_reference_bit_for_bit(size, seed):
    x = np.random.default_rng(size).normal(size=size)
    assert resampled_means(x, 23, seed).tolist() == reference(x, 23, seed).tolist()


@pytest.mark.parametrize("columns", [1, 2, 4, 5, 8, 9, 17])
def test_columns_drawn_together_are_those_drawn_alone(columns):
    x = np.random.default_rng(columns).normal(size=(31, columns))
    together = resampled_means(x, 23, 7)
    assert together.tolist() == reference(x, 23, 7).tolist()
    assert all(together[:, c].tolist() == resampled_means(x[:, c], 23, 7).tolist() for c in range(columns))


def test_every_value_is_drawn_as_often_as_any_other():
    share = [resampled_means(np.eye(7)[i], 20_000, 3).mean() for i in range(7)]
    assert share == pytest.approx([1 / 7] * 7, rel=0.02)
    assert sum(share) == pytest.approx(1)


def test_resamples_spread_as_the_standard_error_says():
    x = np.random.default_rng(1).normal(size=400)
    assert resampled_means(x, 20_000, 0).std() == pytest.approx(x.std() / 20, rel=0.03)
