"""The worst of each group, gaps between groups, abstention and changes of ranks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from needs import optional

from judged.errors import DataError
from judged.stats import abstention_auc, group_gap, rank_change, worst_in_groups

metrics = optional("sklearn.metrics")

VALUES = [0.9, 0.2, np.nan, 0.4, 0.7, 0.1]
GROUPS = ["a", "a", "a", "b", "b", "c"]


def test_the_worst_value_of_each_group_is_averaged():
    assert worst_in_groups(VALUES, GROUPS) == pytest.approx((0.2 + 0.4 + 0.1) / 3)


def test_the_gap_is_the_mean_difference_of_two_groups():
    means = [(0.9 + 0.2) / 2, (0.4 + 0.7) / 2, 0.1]
    assert group_gap(VALUES, GROUPS) == pytest.approx(np.mean([abs(x - y) for x, y in combinations(means, 2)]))
    assert np.isnan(group_gap([1, 2], ["a", "a"]))


def mean_of_answered(values, confidence, rate):
    """A query is answered unless it is among the share of the queries about which the system is least confident; one always is."""
    surer = [[(other, j) < (own, i) for j, other in enumerate(confidence)] for i, own in enumerate(confidence)]
    unanswered = min(round(rate * len(values)), len(values) - 1)
    return np.mean([value for value, less_sure in zip(values, surer, strict=True) if sum(less_sure) >= unanswered])


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("n", [2, 7, 50])
def test_abstention_is_scaled_between_a_constant_and_an_oracle(n):
    rng = np.random.default_rng(n)
    values, confidence, rates = rng.random(n), rng.random(n).round(1), np.linspace(0, 1, 11)[:-1]
    ours, oracle = (
        metrics.auc(rates, [mean_of_answered(values, by, rate) for rate in rates]) for by in (confidence, values)
    )
    flat = values.mean() * (rates[-1] - rates[0])
    assert abstention_auc(values, confidence) == pytest.approx((ours - flat) / (oracle - flat))
    assert abstention_auc(values, values) == pytest.approx(1)


def test_abstention_from_equal_values_is_unknown():
    assert np.isnan(abstention_auc([0.5, 0.5], [1, 2]))


def test_a_rank_that_falls_is_a_gain_and_one_that_rises_a_loss():
    assert rank_change([1, 2, 3], [4, 1, 3], ["p", "p", "q"]) == ((1 - 1 / 4) / 2 + (1 / 2 - 1) / 2 + 0) / 2
    assert rank_change([1], [10**9], ["q"]) == pytest.approx(1)
    assert rank_change([10**9], [1], ["q"]) == pytest.approx(-1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: worst_in_groups([1.0], ["a", "b"]),
        lambda: worst_in_groups([np.nan], ["a"]),
        lambda: group_gap([np.inf, 1], ["a", "b"]),
        lambda: abstention_auc([1.0, 2.0], [1.0]),
        lambda: abstention_auc([1.0, np.nan], [1.0, 2.0]),
        lambda: abstention_auc([1.0, 2.0], [1.0, 2.0], rates=[0.5, 0.1]),
        lambda: rank_change([0], [1], ["q"]),
        lambda: rank_change([1, 0], [1, 2], ["q", "q"]),
        lambda: rank_change([1, 2], [0, 1], ["q", "q"]),
        lambda: rank_change([1, 2], [1], ["q"]),
    ],
)
def test_what_cannot_be_used_is_refused(call):
    with pytest.raises(DataError):
        call()
