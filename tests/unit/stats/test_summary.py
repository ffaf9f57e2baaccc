"""Summaries of a column, of nothing and of what is missing."""

from math import exp, inf, isnan, log, sqrt

import numpy as np
import pytest
from refusals import refusal

from judged.stats.intervals import SUMMARIES, summarise

X = np.array([0.25, np.nan, 1.0, 0.0])
EXPECTED = {
    "mean": 1.25 / 3, "sum": 1.25, "geometric": exp((log(0.25) + log(1e-5)) / 3), "median": 0.25, "min": 0.0, "max": 1.0,
    "std": sqrt(((0.25 - 1.25 / 3) ** 2 + (1 - 1.25 / 3) ** 2 + (1.25 / 3) ** 2) / 2),
}  # fmt: skip


@pytest.mark.parametrize("how", SUMMARIES)
def test_missing_values_are_left_out_of_every_summary(how):
    assert summarise(X, how) == pytest.approx(EXPECTED[how], rel=1e-12)


def test_a_summary_of_nothing_is_unknown_but_a_sum_is_0():
    known = {"sum": 0.0, "min": inf, "max": -inf}
    for how in SUMMARIES:
        empty = summarise(np.array([np.nan]), how)
        assert empty == known[how] if how in known else isnan(empty)
    assert isnan(summarise(np.array([1.0]), "std"))


def test_weights_change_means_only():
    weights = np.array([2.0, 9.0, 1.0, 1.0])
    assert summarise(X, "mean", weights) == (2 * 0.25 + 1.0 + 0.0) / 4
    assert summarise(X, "geometric", weights) == pytest.approx(exp((2 * log(0.25) + log(1e-5)) / 4))
    for how in ("sum", "min", "max"):
        assert summarise(X, how, weights) == summarise(X, how)
    for how in ("median", "std"):
        refusal("query-weights", summarise, X, how, weights)
    assert isnan(summarise(X, "mean", np.zeros(4)))
    refusal("summary", summarise, X, "mode")
