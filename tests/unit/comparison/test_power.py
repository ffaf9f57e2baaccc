"""What a comparison of two runs can show."""

import json
import math

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.errors import UsageError
from judged.stats.power import (
    achieved_power,
    detectable_difference,
    queries_needed,
)

QUERIES = [f"q{i}" for i in range(12)]
QRELS = {q: {"x": 1, "y": 0} for q in QUERIES}
A = {q: ["x", "y"] for q in QUERIES}
B = {q: ["y", "x"] if i % 3 else ["x", "y"] for i, q in enumerate(QUERIES)}
D = np.array([-0.5 if i % 3 else 0.0 for i in range(12)])
SD = float(D.std(ddof=1))


def test_it_is_what_the_formulas_say_of_the_differences():
    found = jd.power(QRELS, A, B, "RR", difference=0.1)["RR"]
    assert (found.observed, found.queries) == (12, 12)
    assert found.deviation == pytest.approx(SD)
    assert found.smallest == pytest.approx(detectable_difference(SD, 12))
    assert found.chance == pytest.approx(achieved_power(0.1, SD, 12))
    assert found.needed == queries_needed(0.1, SD)


def test_the_difference_that_matters_is_a_tenth_of_the_first_mean_unless_said():
    assert jd.power(QRELS, B, A, "RR")["RR"].difference == pytest.approx((4 + 8 / 2) / 12 / 10)


def test_other_numbers_of_queries_and_shares():
    found = jd.power(QRELS, A, B, "RR", difference=-0.1, n_queries=100, power=0.9, alpha=0.01)["RR"]
    assert found.smallest == pytest.approx(detectable_difference(SD, 100, power=0.9, alpha=0.01))
    assert found.needed == queries_needed(0.1, SD, power=0.9, alpha=0.01)
    assert found.difference == 0.1


def test_it_says_so_in_words():
    text = str(jd.power(QRELS, A, B, "RR", difference=0.1))
    assert text.startswith(f"RR: 12 queries detect a difference of {detectable_difference(SD, 12):.2g} with power 80%; a difference of 0.1 needs {queries_needed(0.1, SD)} queries.\n")  # fmt: skip
    many = str(jd.power(QRELS, A, B, "RR AP P@1 nDCG@10", difference=0.05))
    assert many.count("[power]") == 1
    assert len(many.splitlines()[0]) < 200


def test_little_chance_is_warned_of_and_enough_is_not():
    few = jd.power(QRELS, A, B, "RR", difference=0.05)
    assert [w.slug for w in few.warnings] == ["power"]
    assert jd.power(QRELS, A, B, "RR", difference=0.05, n_queries=1000).warnings == ()


def test_the_power_for_the_observed_difference_is_warned_of():
    assert "power" in [w.slug for w in jd.power(QRELS, A, B, "RR", difference=1 / 3).warnings]
    assert "power" in [w.slug for w in jd.power(QRELS, A, B, "RR", difference=-1 / 3).warnings]


def test_values_are_taken_as_they_are_and_nothing_is_scored_twice(monkeypatch):
    a, b = jd.evaluate(QRELS, A, "RR AP"), jd.evaluate(QRELS, B, "RR AP")
    wanted = jd.power(QRELS, A, B, "RR AP", difference=0.1)
    monkeypatch.setattr("judged.comparison.evaluated_runs.evaluate", None)
    assert jd.power(None, a, b, difference=0.1).to_data()["measures"] == wanted.to_data()["measures"]


def test_queries_of_one_side_only_are_left_out():
    some = {q: QRELS[q] for q in QUERIES[:9]}
    a, b = jd.evaluate(QRELS, A, "RR"), jd.evaluate(some, {q: B[q] for q in some}, "RR")
    assert jd.power(None, a, b)["RR"].observed == 9


def test_equal_runs_say_nothing():
    found = jd.power(QRELS, A, A, "RR")
    one = found["RR"]
    assert (one.deviation, one.needed) == (0.0, None)
    assert math.isnan(one.smallest)
    assert [w.slug for w in found.warnings] == ["power"]
    assert "variation is unknown" in str(found)
    assert json.loads(found.to_json())["measures"][0]["smallest"] is None


def test_one_planned_query_shows_nothing():
    found = jd.power(QRELS, A, B, "RR", n_queries=1)
    assert found["RR"].smallest == math.inf
    assert "RR: 1 query cannot show any difference" in str(found)


def test_a_baseline_of_zero_leaves_no_difference_to_ask_for():
    found = jd.power(QRELS, {q: ["z"] for q in QUERIES}, B, "RR")["RR"]
    assert (found.difference, found.needed) == (0.0, None)


@pytest.mark.parametrize(("words", "kind", "slug"), [
    ({"difference": 0}, UsageError, "parameter"),
    ({"difference": math.inf}, UsageError, "parameter"),
    ({"power": 0.01}, UsageError, "parameter"),
    ({"alpha": 0}, UsageError, "parameter"),
    ({"n_queries": 0}, UsageError, "parameter"),
    ({"n_queries": "both"}, UsageError, "parameter"),
    ({"measures": "runid"}, UsageError, "unknown-name"),
    ({"tiles": "x"}, UsageError, "unknown-option"),
])  # fmt: skip
def test_wrong_calls_are_refused(words, kind, slug):
    with pytest.raises(kind) as caught:
        jd.power(QRELS, A, B, **{"measures": "RR", **words})
    assert caught.value.slug == slug


def test_too_few_or_no_common_queries_are_refused():
    refusal("few-queries", jd.power, {"q": {"x": 1}}, {"q": ["x"]}, {"q": ["y", "x"]}, "RR")
    a = jd.evaluate({"q": {"x": 1}}, {"q": ["x"]}, "RR")
    b = jd.evaluate({"r": {"x": 1}}, {"r": ["x"]}, "RR")
    refusal("no-common-query", jd.power, None, a, b)
    with pytest.raises(UsageError):
        jd.power(QRELS, A, B, "RR")["AP"]
    refusal("incomparable", jd.power, None, a, jd.evaluate({"q": {"x": 1}}, {"q": ["x"]}, "AP"))
