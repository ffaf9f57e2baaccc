"""Everything that takes values with model judgments uses them or refuses them; nothing ignores them."""

import html
from dataclasses import replace

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.comparison.compare import compare_with_first
from judged.evaluation.values import Evaluations
from judged.stats.paired.registry import TESTS

QUERIES = [f"q{i}" for i in range(40)]
PEOPLE = QUERIES[:15]


def collection():
    random = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(12)]
    human, model, runs = {}, {}, {"A": {}, "B": {}}
    for query in QUERIES:
        truth = random.integers(0, 4, 12)
        seen = np.clip(truth + random.integers(0, 2, 12), 0, 3)
        human[query] = dict(zip(docs, truth.tolist(), strict=True))
        model[query] = dict(zip(docs, seen.tolist(), strict=True))
        for name, noise in (("A", 3.0), ("B", 1.0)):
            scores = truth + noise * random.standard_normal(12)
            runs[name][query] = dict(zip(docs, scores.tolist(), strict=True))
    return {query: human[query] for query in PEOPLE}, model, runs


HUMAN, MODEL, RUNS = collection()
M = "nDCG@10"
VALUES = {name: jd.evaluate(HUMAN, run, M, model=MODEL) for name, run in RUNS.items()}
WITHOUT = {name: jd.evaluate(HUMAN, run, M) for name, run in RUNS.items()}
BOARD = jd.compare(VALUES)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jd.power(None, VALUES["A"], VALUES["B"]),
        lambda: jd.leaderboard({"one": VALUES}),
        lambda: jd.variance(None, {"A": [VALUES["A"]], "B": [VALUES["B"]]}, M),
        lambda: jd.correlate(VALUES["A"], VALUES["B"]),
        lambda: jd.compare([VALUES["A"], replace(VALUES["B"], clusters=None)], weights=dict.fromkeys(QUERIES, 1)),
        lambda: jd.compare(VALUES, clusters={q: q for q in QUERIES}),
    ],
)
def test_what_cannot_use_them_refuses_them(call):
    refusal("model-judgments", call)


@pytest.mark.parametrize("test", sorted(t.name for t in TESTS))
def test_a_paired_test_uses_them_or_refuses_them(test):
    if "cheap" in TESTS.find(test).options:
        assert jd.compare(VALUES, test=test).rows[0].difference == BOARD.rows[0].difference
    else:
        refusal("model-judgments", lambda: jd.compare(VALUES, test=test))


def test_documents_to_judge_next_need_plain_judgments():
    refusal("unjudged-run", lambda: BOARD.next_to_judge(5))


def test_a_baseline_with_them_is_not_compared_with_a_candidate_without():
    refusal("incomparable", lambda: jd.gate(HUMAN, RUNS["B"], baseline=VALUES["A"], measures=M))
    refusal("incomparable", lambda: jd.leaderboard({"one": {"A": VALUES["A"], "B": WITHOUT["B"]}}))


def test_means_everywhere_are_the_estimates():
    estimate = VALUES["A"].mean()[M]
    assert estimate != WITHOUT["A"].mean()[M]
    assert BOARD.means()["A"][M] == estimate
    assert BOARD.rows[0].mean_a == pytest.approx(estimate)
    assert VALUES["A"].summary_records()[0]["value"] == estimate
    assert f"{estimate:.4f}" in Evaluations(tuple(VALUES.values())).to_text()
    assert f"{estimate:.4f}" in VALUES["A"].to_trec()
    again = compare_with_first(list(VALUES.values()), list(VALUES))
    assert again is not None
    assert again.rows[0].difference == BOARD.rows[0].difference


def test_changes_are_those_of_queries_that_people_judged():
    assert {change.query for change in BOARD.where(M, n=100)} <= set(PEOPLE)


def test_queries_that_only_the_model_judged_are_not_called_unjudged():
    assert not [w for w in VALUES["A"].warnings if w.slug == "query-unjudged"]


def test_a_report_says_what_the_model_is_worth():
    for result in (VALUES["A"], BOARD):
        text = html.unescape(jd.report(result).html)
        assert "15 of 40 queries judged by people" in text
        assert "two-phase sampling" in text


def test_answers_say_who_judged():
    assert "15 of 40 queries judged by people" in str(BOARD)
    assert "means over 40 queries" in str(BOARD)
