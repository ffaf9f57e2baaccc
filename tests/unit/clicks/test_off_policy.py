"""Inverse propensity weights: estimates by hand, without bias, with intervals that hold."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click_world import log_of, simulated, users
from numpy.testing import assert_allclose
from refusals import refusal

import judged as jd
from judged.clicks import evaluate_from_clicks

K = 5
PROPENSITY = 1 / np.arange(1, K + 1)


def world(sessions: int, seed: int = 0, *, shuffled: float = 0.0):
    """Sessions of position-based users, and another ranking: the shown one upside down."""
    known = replace(users("pbm", queries=8, docs=K, seed=seed), examination=PROPENSITY)
    run = {query: list("edcba") for query, _ in known.attractiveness}
    return simulated(known, sessions, seed, shuffled=shuffled), run, known


def truth(measure: str, k: int, known) -> float:
    rank = np.arange(K, 0, -1)
    gain = {"DCG": 1 / np.log2(rank + 1), "P": np.full(K, 1 / k)}[measure]
    relevance = np.array(list(known.attractiveness.values())).reshape(8, K)
    return float((np.where(rank <= k, gain, 0) * relevance).sum() / 8)


@pytest.fixture(scope="module")
def large():
    return world(20_000)


@pytest.mark.parametrize(("measure", "k"), [("DCG", 5), ("DCG", 2), ("P", 3)])
def test_ips_is_unbiased(large, measure, k):
    log, run, known = large
    ips = evaluate_from_clicks(log, run, f"{measure}@{k}", propensity=PROPENSITY).estimates[0]
    assert ips.low <= truth(measure, k, known) <= ips.high
    assert abs(ips.value / truth(measure, k, known) - 1) < 0.1


def test_its_interval_holds_the_truth_about_95_times_of_100():
    inside = []
    for seed in range(100):
        log, run, known = world(200, seed=1000 + seed)
        found = evaluate_from_clicks(log, run, "DCG@5", propensity=PROPENSITY).estimates[0]
        inside.append(found.low <= truth("DCG", 5, known) <= found.high)
    assert 0.88 <= np.mean(inside) <= 0.99


def test_the_self_normalised_estimate_is_the_measure_per_relevant_document_whatever_the_scale(large):
    log, run, known = large
    expected = truth("DCG", 5, known) / (sum(known.attractiveness.values()) / 8)
    one, half = (
        evaluate_from_clicks(log, run, "DCG@5", propensity=p).estimates[1] for p in (PROPENSITY, PROPENSITY / 2)
    )
    assert one.low <= expected <= one.high
    assert_allclose([half.value, half.error], [one.value, one.error], rtol=1e-12)


def test_a_value_by_hand():
    log = log_of([("1", "q", ["a", "b"], [1, 1]), ("2", "q", ["a", "b"], [0, 0])])
    found = evaluate_from_clicks(log, {"q": ["b", "a"]}, "DCG@2", propensity=[1, 0.5]).estimates[0]
    first = 1 / np.log2(3) / 1 + 1 / 0.5
    assert_allclose([found.value, found.error], [first / 2, np.std([first, 0], ddof=1) / np.sqrt(2)], rtol=1e-12)
    assert_allclose(found.effective, (1 + 2) ** 2 / (1 + 4), rtol=1e-12)


def test_clipping_raises_small_propensities_and_lowers_the_estimate(large):
    log, run, _ = large
    free, clipped = (
        evaluate_from_clicks(log, run, "DCG@5", propensity=PROPENSITY, clip=c).estimates[0] for c in (0.0, 0.5)
    )
    assert clipped.value < free.value
    assert clipped.error < free.error


def test_documents_that_were_never_shown_are_told():
    found = evaluate_from_clicks(
        [("1", "q", "a", 1, 1), ("1", "q", "b", 2, 0)], {"q": ["a", "new"]}, "P@2", propensity=[1, 1]
    )
    assert found.estimates[0].supported == 0.5
    assert np.isnan(found.estimates[0].error)


def test_sessions_of_other_queries_are_left_out():
    log = log_of([("1", "q", ["a"], [1]), ("2", "p", ["a"], [1])])
    found = evaluate_from_clicks(log, {"q": ["a"]}, "DCG@1", propensity=[1]).estimates[0]
    assert found.sessions == 1
    refusal("no-common-query", evaluate_from_clicks, log, {"other": ["a"]}, "DCG@1", propensity=[1])


def test_no_click_is_worth_nothing_and_has_no_self_normalised_value():
    log = log_of([("1", "q", ["a"], [0]), ("2", "q", ["a"], [0])])
    ips, snips = evaluate_from_clicks(log, {"q": ["a"]}, "DCG@1", propensity=[1]).estimates
    assert ips.value == 0
    assert np.isnan(snips.value)


def test_propensities_are_fitted_with_a_bootstrap():
    log, run, known = world(3000, shuffled=0.5)
    found = evaluate_from_clicks(log, run, "DCG@5", resamples=20)
    assert_allclose(found.propensity, PROPENSITY, atol=0.1)
    assert found.estimates[0].low <= truth("DCG", 5, known) <= found.estimates[0].high
    assert "20 bootstrap fits" in str(found)


@pytest.mark.slow
def test_intervals_of_fitted_propensities_hold_the_truth():
    inside = 0
    for seed in range(30):
        log, run, known = world(1000, seed, shuffled=0.3)
        one = evaluate_from_clicks(log, run, "DCG@5", resamples=60).estimates[0]
        inside += one.low <= truth("DCG", 5, known) <= one.high
    assert inside >= 24  # P(fewer | 92%) < 0.01


def test_estimates_are_a_table_of_runs_measures_and_estimators(tmp_path, large):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({"q1": ["d", "new"], "q2": ["e"]}))
    found = evaluate_from_clicks(
        large[0], [tmp_path / "a.json", tmp_path / "b.json"], "DCG@2 P@1 DCG", clip=0.01, propensity=PROPENSITY
    )
    assert len(found.records()) == 2 * 3 * 2
    assert "supported" in str(found)
    assert json.loads(found.to_json())["estimates"][0]["measure"] == "DCG@2"


@pytest.mark.parametrize(
    "wrong",
    [
        {"propensity": []},
        {"propensity": [0.0]},
        {"propensity": [2.0]},
        {"propensity": [[1.0]]},
        {"clip": 1},
        {"measures": "AP"},
        {"measures": "P"},
        {"measures": "DCG@0"},
        {"measures": ""},
        {"level": 0},
        {"resamples": 0},
    ],
)
def test_a_wrong_call_is_refused(wrong):
    with pytest.raises(jd.UsageError):
        evaluate_from_clicks([("1", "q", "a", 1, 1)], {"q": ["a"]}, **{"propensity": [1.0], **wrong})
