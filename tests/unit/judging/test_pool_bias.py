"""Leave one run out of a pool: values and ranks without its own contributions."""

from math import log2

import pytest
from refusals import refusal

import judged as jd

QRELS = {"q1": {"a": 1, "b": 1, "c": 0, "x": 1}, "q2": {"d": 1, "e": 1}}
RUNS = {
    "one": {"q1": ["a", "b"], "q2": ["d", "f"]},
    "two": {"q1": ["b", "c"], "q2": ["f", "e"]},
    "three": {"q1": ["b", "c"], "q2": ["g", "h"]},
}


def rows(measure, **options):
    return {row["run"]: row for row in jd.pool_bias(QRELS, RUNS, measure, **{"depth": 2, **options}).records()}


def test_values_are_those_without_unique_judgments():
    found = rows("P@2")
    assert (found["one"]["unique"], found["one"]["relevant"]) == (2, 2)  # a and d
    assert found["one"]["value"] == (2 / 2 + 1 / 2) / 2
    assert found["one"]["value_without"] == (1 / 2 + 0) / 2
    assert (found["one"]["rank"], found["one"]["rank_without"]) == (
        1,
        3 - 1,
    )  # two has 1/2, three 1/4: a tie for rank 2
    assert (found["two"]["unique"], found["two"]["difference"]) == (1, -1 / 4)  # e
    assert (found["three"]["unique"], found["three"]["difference"], found["three"]["rank_without"]) == (0, 0, 3)


def test_the_ideal_ranking_loses_the_documents_too():
    ideal = 1 + 1 / log2(3)
    found = rows("nDCG@2")["one"]
    assert found["value"] == pytest.approx((1 + 1 / ideal) / 2)
    assert found["value_without"] == pytest.approx((1 / log2(3) / ideal + 0) / 2)  # b and x are left of q1


def test_documents_below_the_depth_are_not_contributions():
    assert rows("P@2", depth=1)["two"]["unique"] == 0
    assert rows("P@2", depth=1)["one"]["unique"] == 2  # a and d


def test_a_query_that_loses_all_judgments_still_counts():
    found = jd.pool_bias({"q": {"a": 1}, "r": {"b": 1}}, {"x": {"q": ["a"], "r": ["b"]}, "y": {"r": ["b"]}}, "P@1")
    assert dict(zip(found["run"], found["value_without"], strict=True)) == {"x": (0 + 1) / 2, "y": 1 / 2}


def test_runs_are_listed_by_decreasing_change():
    found = jd.pool_bias(QRELS, RUNS, "P@2", depth=2)
    assert found["run"] == ("one", "two", "three")
    assert found["difference"][0] == -1 / 2
    same = jd.pool_bias(QRELS, {"x": RUNS["one"], "y": RUNS["one"]}, "P@2")
    assert same["difference"] == (0, 0)


@pytest.mark.parametrize(
    ("runs", "measure", "slug"),
    [({"one": RUNS["one"]}, "P@2", "runs"), (RUNS, "NumRet", "summary"), (RUNS, "GMAP", "summary")],
)
def test_what_has_no_answer_is_refused(runs, measure, slug):
    refusal(slug, jd.pool_bias, QRELS, runs, measure)
