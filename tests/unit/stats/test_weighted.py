"""Values of units that have the mean and the spread of a ratio."""

from __future__ import annotations

import numpy as np
import pytest

from judged.stats.differences import linearised, mean_and_error


def test_linearised_values_have_the_mean_and_the_error_of_the_ratio():
    sums, sizes = np.array([[2.0, 1.0], [3.0, 0.5], [1.0, 4.0]]), np.array([1.0, 3.0, 2.0])
    found = linearised(sums, sizes)
    mean, error = mean_and_error(sums, sizes)
    assert found.mean(axis=0) == pytest.approx(sums.sum(axis=0) / 6)
    assert mean == pytest.approx(sums.sum(axis=0) / 6)
    assert found.std(axis=0, ddof=1) / np.sqrt(3) == pytest.approx(error)
