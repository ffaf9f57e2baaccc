"""Several runs per system and several judges: where the variance comes from."""

import numpy as np
import pytest

import judged as jd
from judged.comparison.variance import variance

rng = np.random.default_rng(5)
QRELS = {f"q{i}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 12))} for i in range(20)}


def seed(noise: float) -> dict[str, dict[str, float]]:
    return {q: {d: g + float(rng.normal(0, noise)) for d, g in docs.items()} for q, docs in QRELS.items()}


RUNS = {"good": [seed(0.5), seed(0.5), seed(0.5)], "poor": [seed(3.0), seed(3.0), seed(3.0)]}
BOB = {q: {d: max(0, g + int(rng.integers(-1, 2))) for d, g in docs.items()} for q, docs in QRELS.items()}


def test_seeds_and_queries_share_the_variance_and_systems_are_compared():
    study = variance(QRELS, RUNS, "nDCG@5 AP")
    assert study["ndcg@5"].sizes == {"queries": 20, "judges": 1, "replicates": 3}
    shares = study["nDCG@5"].shares()
    assert sum(shares.values()) == pytest.approx(1)
    assert [row["verdict"] for row in study.differences()] == ["worse", "worse"]
    means = [np.mean([jd.evaluate(QRELS, run, "nDCG@5").mean()["nDCG@5"] for run in RUNS[name]]) for name in RUNS]
    assert study.differences()[0]["difference"] == pytest.approx(means[1] - means[0])
    assert "from queries × replicates" in str(study)


def test_intervals_stay_within_the_range_of_the_measure():
    pair = {name: group[:2] for name, group in RUNS.items()}
    few = {q: QRELS[q] for q in list(QRELS)[:2]}
    for row in variance(few, pair, "nDCG@5 AP", alpha=1e-6).differences():
        assert -1 <= row["low"] <= row["high"] <= 1


def test_judges_are_a_source_of_their_own():
    study = variance(
        None, {name: group[0] for name, group in RUNS.items()}, "nDCG@5", judges={"ann": QRELS, "bob": BOB}
    )
    assert study["nDCG@5"].sizes == {"queries": 20, "judges": 2, "replicates": 1}
    assert {r["source"] for r in study.records()} == {"queries", "judges", "queries × judges"}


def test_results_are_taken_instead_of_runs():
    values = {name: [jd.evaluate(QRELS, run, "AP") for run in group] for name, group in RUNS.items()}
    assert variance(None, values).records() == variance(QRELS, RUNS, "AP").records()


def test_lower_is_better_turns_the_verdict_around():
    assert variance(QRELS, RUNS, "FallOut@3").differences()[0]["verdict"] == "worse"


@pytest.mark.parametrize(
    "call",
    [
        lambda: variance(QRELS, {"a": RUNS["good"]}),
        lambda: variance(QRELS, {"a": RUNS["good"], "b": RUNS["poor"][:2]}),
        lambda: variance(QRELS, RUNS, judges={"ann": QRELS}),
        lambda: variance(QRELS, RUNS, "GMAP"),
        lambda: variance(QRELS, RUNS)["AP"],
    ],
)
def test_designs_that_are_not_balanced_are_refused(call):
    with pytest.raises(jd.UsageError):
        call()
