"""Human judgments of some queries with the help of a model's judgments of more."""

import json

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.stats.two_phase import CheapValues, two_phase_means

RANDOM = np.random.default_rng(8)
N, PEOPLE = 60, 20


def collection(bias=0.0, noise=0.3):
    """Grades of people and of a model for 60 queries, and two runs of which B is better."""
    human, model, a, b = {}, {}, {}, {}
    for q in range(N):
        truth = RANDOM.integers(0, 4, 12)
        seen = np.clip(np.round(truth + bias + noise * RANDOM.standard_normal(12)), 0, 3).astype(int)
        docs = [f"d{i}" for i in range(12)]
        human[f"q{q}"] = dict(zip(docs, truth.tolist(), strict=True))
        model[f"q{q}"] = dict(zip(docs, seen.tolist(), strict=True))
        a[f"q{q}"] = dict(zip(docs, (truth + 3.0 * RANDOM.standard_normal(12)).tolist(), strict=True))
        b[f"q{q}"] = dict(zip(docs, (truth + 1.0 * RANDOM.standard_normal(12)).tolist(), strict=True))
    return human, model, {"A": a, "B": b}


HUMAN, MODEL, RUNS = collection()
SOME = {q: HUMAN[q] for q in list(HUMAN)[:PEOPLE]}


def test_the_mean_is_the_estimate_from_both_kinds_of_judgments():
    found = jd.evaluate(SOME, RUNS["A"], "nDCG@10 P@5", model=MODEL)
    people, model = jd.evaluate(SOME, RUNS["A"], "nDCG@10 P@5"), jd.evaluate(MODEL, RUNS["A"], "nDCG@10 P@5")
    known = np.array([q in SOME for q in model.queries])
    for name in ("nDCG@10", "P@5"):
        expected = two_phase_means(people[name][:, None], CheapValues(model[name][:, None], known))
        assert found.mean()[name] == expected.mean[0]
        low, high = expected.interval()
        assert found.interval(name) == pytest.approx((low[0], high[0]))
        assert np.isnan(found[name]).sum() == N - PEOPLE
    assert found.queries == model.queries


def test_the_estimate_is_nearer_to_the_truth_than_either_alone():
    human, model, runs = collection(bias=0.8, noise=0.2)
    some = {q: human[q] for q in list(human)[:PEOPLE]}
    truth = jd.evaluate(human, runs["A"], "nDCG@10").mean()["nDCG@10"]
    found = jd.evaluate(some, runs["A"], "nDCG@10", model=model)
    low, high = found.interval("nDCG@10")
    plain = jd.evaluate(some, runs["A"], "nDCG@10").interval("nDCG@10")
    assert low <= truth <= high
    assert high - low < plain[1] - plain[0]
    only = jd.evaluate(model, runs["A"], "nDCG@10").interval("nDCG@10")
    assert not only[0] <= truth <= only[1]


def test_the_table_says_what_the_model_is_worth():
    text = jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=MODEL).to_text()
    assert "20 of 60 queries judged by people" in text
    assert "human-judged queries" in text


def test_a_model_that_says_nothing_is_called_useless():
    noise = {q: {d: int(RANDOM.integers(0, 4)) for d in docs} for q, docs in HUMAN.items()}
    assert "the model helps little" in jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=noise).to_text()


def test_a_comparison_tests_the_difference_over_all_queries():
    board = jd.compare(SOME, RUNS, "nDCG@10", model=MODEL)
    (row,) = board.rows
    columns = [jd.evaluate(q, r, "nDCG@10")["nDCG@10"] for q in (SOME, MODEL) for r in RUNS.values()]
    known = np.array([q in SOME for q in jd.evaluate(MODEL, RUNS["A"], "nDCG@10").queries])
    expected = two_phase_means(
        (columns[1] - columns[0])[:, None], CheapValues((columns[3] - columns[2])[:, None], known)
    )
    assert row.difference == pytest.approx(expected.mean[0], rel=1e-12)
    assert (row.low, row.high) == pytest.approx(tuple(end[0] for end in expected.interval()))
    assert row.verdict == "better"
    assert row.queries == PEOPLE
    assert board.means()["A"]["nDCG@10"] == jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=MODEL).mean()["nDCG@10"]
    assert row.mean_a == pytest.approx(board.means()["A"]["nDCG@10"])
    assert "a model's" in str(board.settings)


def test_tables_say_that_a_difference_need_not_be_that_of_the_means():
    def said(**options):
        notes = [note for table in jd.compare(SOME, RUNS, "nDCG@10", **options).tables() for note in table.notes]
        return any("need not be that of the means" in note for note in notes)

    assert said(model=MODEL)
    assert not said()


def test_the_interval_excludes_zero_exactly_where_the_verdict_says_so():
    for seed in range(5):
        board = jd.compare({q: HUMAN[q] for q in list(HUMAN)[seed : seed + 8]}, RUNS, "nDCG@3 P@3 RR", model=MODEL)
        for row in board.rows:
            assert (row.low > 0 or row.high < 0) == (row.verdict in ("better", "worse"))


def test_saved_values_keep_those_of_the_model(tmp_path):
    found = jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=MODEL)
    found.save(tmp_path / "a.json")
    loaded = jd.load(tmp_path / "a.json")
    assert loaded.mean() == found.mean()
    assert loaded.interval("nDCG@10") == found.interval("nDCG@10")
    assert "model" in json.loads(found.to_json())


def test_queries_that_the_model_did_not_judge_are_left_out_with_a_warning():
    fewer = {q: docs for q, docs in MODEL.items() if q != "q3"}
    found = jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=fewer)
    assert [w.count for w in found.warnings if w.slug == "model-missing"] == [1]


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"model": SOME}, "model-judgments"),
        ({"model": {"other": {"d": 1}, "another": {"d": 1}}}, "no-common-query"),
        ({"model": MODEL, "measures": "NumRet"}, "model-judgments"),
        ({"model": MODEL, "weights": dict.fromkeys(SOME, 1.0)}, "model-judgments"),
        ({"model": MODEL, "clusters": dict.fromkeys(SOME, "c")}, "model-judgments"),
    ],
)
def test_what_cannot_be_estimated_is_refused(options, slug):
    refusal(slug, jd.evaluate, SOME, RUNS["A"], **{"measures": "nDCG@10", **options})


def test_other_tests_summaries_and_intervals_are_refused():
    refusal("model-judgments", jd.compare, SOME, RUNS, "nDCG@10", model=MODEL, test="permutation")
    found = jd.evaluate(SOME, RUNS["A"], "nDCG@10", model=MODEL)
    refusal("summary", found.summary, "median")
    refusal("interval", found.interval, "nDCG@10", method="percentile")
