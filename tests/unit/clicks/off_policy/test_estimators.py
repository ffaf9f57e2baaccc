"""Inverse propensity weights: unbiased where the naive estimate is not."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import log_of
from numpy.testing import assert_allclose

from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import ClickLog
from judged.clicks.models.examination import Examination
from judged.clicks.models.simulation import simulate
from judged.clicks.off_policy.estimators import NewRanking, counterfactual, worth
from judged.errors import DataError, UsageError

K = 5
PROPENSITY = 1 / np.arange(1, K + 1)


def world(sessions: int, seed: int = 0):
    """Sessions of position-based users, and another ranking: the shown one upside down."""
    rng = np.random.default_rng(seed)
    lists = ShownLists.of({f"q{i}": [f"d{j}" for j in range(K)] for i in range(8)})
    relevance = rng.uniform(0.05, 0.9, len(lists.pairs))
    users = Examination("pbm", lists.pairs, relevance, PROPENSITY[:, None])
    log = simulate(users, lists, sessions, seed)
    rank = np.empty(len(lists.pairs), np.int64)
    rank[lists.pair] = np.arange(K, 0, -1)
    return log, rank, np.full(8, K), relevance


def truth(measure: str, k: int, rank, relevance) -> float:
    gain = {"DCG": 1 / np.log2(rank + 1), "P": np.full(len(rank), 1 / k), "CTR": PROPENSITY[rank - 1]}[measure]
    return float((np.where(rank <= k, gain, 0) * relevance).sum() / 8)


@pytest.mark.parametrize(("measure", "k"), [("DCG", 5), ("DCG", 2), ("P", 3), ("CTR", 5)])
def test_ips_is_unbiased_and_the_naive_estimate_is_not(measure, k):
    log, rank, length, relevance = world(200_000)
    expected = truth(measure, k, rank, relevance)
    ips = counterfactual(NewRanking(log, rank, length, measure, k), PROPENSITY)
    naive = counterfactual(NewRanking(log, rank, length, measure, k), PROPENSITY, estimator="naive")
    assert ips.low <= expected <= ips.high
    assert abs(ips.value / expected - 1) < 0.03
    assert naive.high < 0.9 * expected


def test_its_interval_holds_the_truth_about_95_times_of_100():
    inside = []
    for seed in range(200):
        log, rank, length, _ = world(400, seed=1000 + seed)
        relevance = np.random.default_rng(1000 + seed).uniform(0.05, 0.9, 8 * K)
        found = counterfactual(NewRanking(log, rank, length, "DCG", 5), PROPENSITY)
        inside.append(found.low <= truth("DCG", 5, rank, relevance) <= found.high)
    assert 0.9 <= np.mean(inside) <= 0.99


def test_the_self_normalised_estimate_is_the_measure_per_relevant_document_whatever_the_scale():
    log, rank, length, relevance = world(200_000)
    expected = truth("DCG", 5, rank, relevance) / (relevance.sum() / 8)
    one = counterfactual(NewRanking(log, rank, length, "DCG", 5), PROPENSITY, estimator="snips")
    half = counterfactual(NewRanking(log, rank, length, "DCG", 5), PROPENSITY / 2, estimator="snips")
    assert one.low <= expected <= one.high
    assert_allclose([half.value, half.error], [one.value, one.error], rtol=1e-12)


def test_a_value_by_hand():
    log = log_of([("1", "q", ["a", "b"], [1, 1]), ("2", "q", ["a", "b"], [0, 0])])
    found = counterfactual(NewRanking(log, np.array([2, 1]), np.array([2]), "DCG", 2), np.array([1, 0.5]))
    first = 1 / np.log2(3) / 1 + 1 / 0.5
    assert_allclose([found.value, found.error], [first / 2, np.std([first, 0], ddof=1) / np.sqrt(2)], rtol=1e-12)
    assert_allclose(found.effective, (1 + 2) ** 2 / (1 + 4), rtol=1e-12)


def test_clipping_raises_small_propensities_and_lowers_the_estimate():
    log, rank, length, _ = world(20_000)
    free, clipped = (counterfactual(NewRanking(log, rank, length, k=5), PROPENSITY, clip=clip) for clip in (0.0, 0.5))
    assert clipped.value < free.value
    assert clipped.error < free.error
    assert clipped.clipped == int(log.clicked[log.rank > 2].sum())
    assert free.clipped == 0


def test_documents_that_were_never_shown_are_told():
    log = log_of([("1", "q", ["a", "b"], [1, 0])])
    found = counterfactual(NewRanking(log, np.array([1, 0]), np.array([2]), "P", 2), np.ones(2))
    assert found.supported == 0.5
    assert np.isnan(found.error)


def test_sessions_of_other_queries_are_left_out():
    log = log_of([("1", "q", ["a"], [1]), ("2", "p", ["a"], [1])])
    rank, length = np.zeros(2, np.int64), np.zeros(2, np.int64)
    rank[log.pairs.query == 0], length[0] = 1, 1
    found = counterfactual(NewRanking(log, rank, length, k=1), np.ones(1))
    assert (found.sessions, found.left_out) == (1, 1)
    with pytest.raises(DataError) as error:
        counterfactual(NewRanking(log, rank * 0, length * 0, k=1), np.ones(1))
    assert error.value.slug == "no-common-query"


def test_errors_over_queries_use_each_query_once():
    log, rank, length, _ = world(4_000)
    by_query = counterfactual(NewRanking(log, rank, length, k=5), PROPENSITY, by="query")
    by_session = counterfactual(NewRanking(log, rank, length, k=5), PROPENSITY)
    assert_allclose(by_query.value, by_session.value, rtol=1e-12)
    assert by_query.error > by_session.error  # queries differ


def test_no_click_is_worth_nothing_and_has_no_self_normalised_value():
    log = log_of([("1", "q", ["a"], [0]), ("2", "q", ["a"], [0])])
    args = (NewRanking(log, np.array([1]), np.array([1]), k=1), np.ones(1))
    assert counterfactual(*args).value == 0
    assert np.isnan(counterfactual(*args, estimator="snips").value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"propensity": []},
        {"propensity": [0.0]},
        {"propensity": [2.0]},
        {"propensity": [[1.0]]},
        {"clip": 1},
        {"measure": "AP"},
        {"measure": "P"},
        {"estimator": "best"},
        {"by": "doc"},
        {"level": 0},
    ],
)
def test_a_wrong_call_is_refused(wrong):
    log = ClickLog.of(["1"], ["q"], ["a"], [1], [1])
    propensity = wrong.pop("propensity", [1.0])
    with pytest.raises(UsageError):
        counterfactual(NewRanking(log, np.array([1]), np.array([1]), wrong.pop("measure", "DCG")), propensity, **wrong)


def test_what_a_rank_is_worth():
    assert_allclose(worth("DCG", np.array([0, 1, 3, 4]), 3), [0, 1, 1 / 2, 0], rtol=1e-12)
    assert_allclose(worth("P", np.array([0, 1, 3, 4]), 3), [0, 1 / 3, 1 / 3, 0], rtol=1e-12)


def test_the_doubly_robust_estimate_is_the_relevance_of_each_document_at_its_new_rank():
    log, rank, length, relevance = world(200_000)
    ranking = NewRanking(log, rank, length, "DCG", 5)
    found, ips = counterfactual(ranking, PROPENSITY, estimator="dr"), counterfactual(ranking, PROPENSITY)
    assert found.low <= truth("DCG", 5, rank, relevance) <= found.high
    shown = np.bincount(log.pair, PROPENSITY[log.rank - 1])
    by_hand = (np.bincount(log.pair, log.clicked) / shown / np.log2(rank + 1)).sum() / 8
    assert found.value == pytest.approx(by_hand)
    assert found.value == pytest.approx(ips.value)  # every session shows every document at one rank


def test_a_document_that_some_sessions_did_not_show_is_not_irrelevant_there():
    log = log_of(
        [("1", "q", ["a", "b"], [0, 1]), ("2", "q", ["a"], [0]), ("3", "q", ["a", "b"], [1, 1]), ("4", "q", ["a"], [1])]
    )
    ranking = NewRanking(log, np.array([2, 1]), np.array([2]), "DCG", 2)
    assert counterfactual(ranking, np.ones(2), estimator="dr").value == pytest.approx(1 + 0.5 / np.log2(3))
    assert counterfactual(ranking, np.ones(2)).value == pytest.approx(0.5 + 0.5 / np.log2(3))
