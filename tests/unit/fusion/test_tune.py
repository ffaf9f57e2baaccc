"""Tuning: the value of held-out queries, the setting, and what it is applied to."""

import json
import pickle
import random
from math import comb

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.fusion.fuse import trials_of
from judged.fusion.method import FUSIONS, FusionSettings

QUERIES = [f"q{i:02d}" for i in range(24)]


def collection(seed: int = 0, queries: list[str] = QUERIES):
    """Judgments, and two runs of which the first is better."""
    draw = random.Random(seed)
    qrels, good, poor = {}, {}, {}
    for query in queries:
        docs = [f"d{i}" for i in range(12)]
        qrels[query] = {doc: 1 for doc in draw.sample(docs, 3)}  # noqa: C420
        good[query] = {doc: draw.gauss(2.0 * (doc in qrels[query]), 1) for doc in docs}
        poor[query] = {doc: draw.gauss(0.5 * (doc in qrels[query]), 1) for doc in docs}
    return qrels, {"good": good, "poor": poor}


def test_the_cross_validated_value_is_that_of_held_out_queries():
    qrels, runs = collection()
    tuned = jd.tune_fusion(qrels, runs, "wsum", "AP", folds=4)
    assert sum(fold.queries for fold in tuned.folds) == len(QUERIES)
    assert tuned.value == pytest.approx(np.mean(tuned.held_out))
    assert tuned.value == pytest.approx(sum(fold.queries * fold.held_out for fold in tuned.folds) / len(QUERIES))
    weights = [jd.fuse(runs, "wsum", weights=fold.settings.weights.tolist()) for fold in tuned.folds]
    values = np.stack([jd.evaluate(qrels, run, "AP")["AP"] for run in weights])
    assert all(value in column for value, column in zip(tuned.held_out, values.T, strict=True))


def test_the_optimistic_value_is_the_best_of_all_settings():
    qrels, runs = collection()
    tuned = jd.tune_fusion(qrels, runs, "wsum", "AP")
    means = {
        w: jd.evaluate(qrels, jd.fuse(runs, "wsum", weights=[w / 10, 1 - w / 10]), "AP").mean()["AP"] for w in range(11)
    }
    assert tuned.optimistic == pytest.approx(max(means.values()))
    assert tuned.weights is not None
    assert means[round(tuned.weights["good"] * 10)] == pytest.approx(max(means.values()))
    assert jd.evaluate(qrels, tuned.run, "AP").mean()["AP"] == pytest.approx(tuned.optimistic)
    assert tuned.values[0].low < tuned.value < tuned.values[0].high


def test_nothing_of_a_held_out_query_is_learnt():
    """Runs without any information: a method that saw the held-out judgments would find their relevant documents."""
    draw = random.Random(1)
    queries = [f"q{i:02d}" for i in range(40)]
    docs = [f"d{i:03d}" for i in range(30)]
    qrels = {query: {draw.choice(docs): 1} for query in queries}
    runs = [{query: draw.sample(docs, 30) for query in queries} for _ in range(3)]
    tuned = jd.tune_fusion(qrels, runs, "posfuse", "RR", folds=40)
    expected = np.mean(1 / np.arange(1, 31))  # of a random order
    assert tuned.optimistic > 1.5 * expected
    assert abs(tuned.value - expected) < 0.06


@pytest.mark.parametrize("method", [m.name for m in FUSIONS if m.weights == "needed" or m.parameters or m.train])
def test_every_method_that_can_be_tuned_is_applied_to_new_queries(method):
    qrels, runs = collection(0, QUERIES[:8])
    tuned = jd.tune_fusion(qrels, runs, method, "nDCG@5", folds=2, step=0.5)
    _, new = collection(1, ["n1", "n2"])
    fused = tuned.fuse({name: new[name] for name in reversed(new)}, name="new")
    assert fused.to_dict() == tuned.fuse(list(new.values())).to_dict()
    assert (len(fused.queries), fused.name) == (2, "new")
    assert json.loads(tuned.to_json())["method"] == tuned.method
    assert [row["name"] for row in tuned.records()] == ["cross-validated", "tuned on the same queries", "good", "poor"]


def test_a_tuned_fusion_is_applied_with_every_digit_of_its_parameter_and_can_be_pickled():
    runs = [{q: {"a": 3.0, "x": 2.0, "y": 1.0} for q in "pq"}, {q: {"x": 2.0, "b": 1.0} for q in "pq"}]
    tuned = jd.tune_fusion({q: {"x": 1} for q in "pq"}, runs, "rrf(k=0.123456789)", "RR", folds=2)
    for one in (tuned, pickle.loads(pickle.dumps(tuned))):
        assert one.method == "rrf(k=0.123456789)"
        assert one.fuse(runs).to_dict() == jd.fuse(runs, "rrf(k=0.123456789)").to_dict()


def test_the_same_seed_gives_the_same_folds_in_any_order_of_queries():
    qrels, runs = collection()
    shuffled = {name: dict(reversed(run.items())) for name, run in runs.items()}
    one, same, other = (
        jd.tune_fusion(qrels, some, "wsum", "AP", seed=s) for some, s in ((runs, 0), (shuffled, 0), (runs, 1))
    )
    assert one.held_out.tolist() == same.held_out.tolist()
    assert [fold.held_out for fold in one.folds] != [fold.held_out for fold in other.folds]


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("parts", [1, 4, 10])
def test_all_weights_with_sum_1_are_tried_once_and_equal_ones_first(runs, parts):
    weights = np.array([t.weights for t in trials_of(FusionSettings(FUSIONS.find("wsum"), {}), runs, 1 / parts)])
    assert len(weights) == len(np.unique(weights, axis=0)) == comb(parts + runs - 1, runs - 1)
    assert weights.sum(axis=1) == pytest.approx(1)
    spread = np.square(weights - 1 / runs).sum(axis=1)
    assert (np.diff(spread) >= -1e-9).all()


def test_policies_are_those_of_the_evaluation():
    qrels, runs = collection()
    runs["poor"] = {query: docs for query, docs in runs["poor"].items() if query > "q03"}
    qrels |= {"unanswered": {"d1": 1}, "empty": {"d1": 0}}
    every, both = (jd.tune_fusion(qrels, runs, "wsum", "AP", queries=queries) for queries in ("judged", "both"))
    assert (len(every.queries), len(both.queries)) == (26, 24)
    assert every.optimistic == pytest.approx(both.optimistic * 24 / 26)
    assert jd.tune_fusion(qrels, runs, "posfuse", "AP", empty="skip", depth=5, ties="id-asc").value > 0


def test_a_measure_whose_lower_values_are_better_is_minimised():
    qrels, runs = collection()
    tuned = jd.tune_fusion(qrels, runs, "wsum", "FirstHit", folds=3)
    single = {row.name: row.value for row in tuned.values}
    assert tuned.optimistic <= min(single["good"], single["poor"])


def test_only_a_value_that_is_too_high_is_called_optimistic():
    qrels, runs = collection()
    perfect = {query: {doc: float(grade) for doc, grade in grades.items()} for query, grades in qrels.items()}
    assert jd.tune_fusion(qrels, runs, "wsum", "AP").headline()[1].count("optimistic") == 1
    same = jd.tune_fusion(qrels, [perfect, perfect], "wsum", "AP")
    assert same.value == same.optimistic
    assert "optimistic" not in same.headline()[1]


def test_warnings_are_marked_as_such_below_the_table():
    qrels, runs = collection()
    tuned = jd.tune_fusion({**qrels, "missing": {"d0": 1}}, runs, "wsum", "AP", folds=3)
    assert (
        [note for note in tuned.tables()[0].notes if "[" in note] == [f"warning: {one}" for one in tuned.warnings] != []
    )


@pytest.mark.parametrize(
    ("slug", "method", "measure", "options"),
    [
        ("parameter", "isr", "AP", {}), ("parameter", "wsum", "AP", {"step": 0.3}), ("parameter", "wsum", "AP", {"step": 0.0001}), ("parameter", "wsum", "AP", {"step": 1e-320}),
        ("parameter", "wsum", "AP", {"folds": 1}), ("parameter", "wsum", "AP", {"folds": 25}), ("measure", "wsum", "AP RR", {}),
        ("summary", "wsum", "GMAP", {}), ("unknown-option", "wsum", "AP", {"fold": 3}), ("unknown-name", "wsum", "nDGC", {}),
    ],
)  # fmt: skip
def test_what_cannot_be_tuned_is_refused(slug, method, measure, options):
    refusal(slug, jd.tune_fusion, *collection(), method, measure, **options)


def test_single_runs_of_distances_are_ranked_from_the_lowest():
    qrels = {q: {"x": 1} for q in "abcdef"}
    good, bad = {q: {"x": 0.1, "y": 0.9} for q in "abcdef"}, {q: {"x": 0.9, "y": 0.1} for q in "abcdef"}
    tuned = jd.tune_fusion(qrels, {"good": good, "bad": bad}, "wsum", "RR", norm="min-max-inverted", folds=3)
    assert {value.name: value.value for value in tuned.values[2:]} == {"good": 1.0, "bad": 1 / 2}
