"""Estimates from sampled pools: equal to the measures without sampling, right on average with it."""

from __future__ import annotations

import numpy as np
import pytest

import judged as jd
from judged.judging.sampled import estimate

MEASURES = "P@10 AP nDCG@10 P@30 AP@20 nDCG nDCG(gain='exp')@20"
RANDOM = np.random.default_rng(4)
POOL = {f"q{q}": {f"d{i}": int(RANDOM.choice([0, 0, 0, 1, 2], p=None)) for i in range(60)} for q in range(12)}
RUN = {q: {d: g + 1.5 * RANDOM.standard_normal() for d, g in docs.items()} for q, docs in POOL.items()}


def judged(todo):
    found = {}
    for item in todo:
        found.setdefault(item.query, {})[item.doc] = POOL[item.query][item.doc]
    return found


@pytest.mark.parametrize("sample", [None, {20: 1, 60: 1}])
def test_without_sampling_the_estimates_are_the_measures(sample):
    todo = jd.pool(RUN, depth=60, sample=sample)
    found, whole = estimate(judged(todo), RUN, todo, MEASURES), jd.evaluate(POOL, RUN, MEASURES)
    for name in whole:
        assert found[name] == pytest.approx(whole[name], rel=1e-12)


def test_means_over_many_samples_are_near_the_measures():
    measures = "P@30 AP nDCG@30"
    whole = jd.evaluate(POOL, RUN, measures).mean()
    estimates = []
    for seed in range(60):
        todo = jd.pool(RUN, depth=60, sample={10: 1, 60: 0.4}, seed=seed)
        estimates.append(list(estimate(judged(todo), RUN, todo, measures).mean().values()))
    error = np.std(estimates, axis=0) / np.sqrt(len(estimates))
    assert np.mean(estimates, axis=0)[0] == pytest.approx(whole["P@30"], abs=4 * error[0])
    assert np.mean(estimates, axis=0) == pytest.approx(list(whole.values()), rel=0.02)
    plain = jd.evaluate(judged(todo), RUN, measures).mean()
    assert plain["P@30"] < 0.9 * whole["P@30"]  # unjudged documents that count as irrelevant


def test_judged_documents_outside_of_the_sample_count_once():
    todo = jd.pool(RUN, depth=60, sample={60: 0.5})
    more = {q: {**docs, "extra": 1} for q, docs in judged(todo).items()}
    run = {q: {**docs, "extra": 99.0} for q, docs in RUN.items()}
    base = estimate(judged(todo), run, todo, "P@10")["P@10"]
    assert estimate(more, run, todo, "P@10")["P@10"] == pytest.approx(base + 1 / 10)


def test_other_measures_and_other_pools_are_refused():
    todo = jd.pool(RUN, depth=60, sample={60: 0.5})
    for arguments in ((judged(todo), RUN, todo, "ERR@10"), (POOL, RUN, [{"qid": "z", "docno": "d"}], "P@5")):
        with pytest.raises(jd.JudgedError) as error:
            estimate(*arguments)
        assert error.value.slug == "option"


# ── with a model ─────────────────────────────────────────────────────────────────────────────────

SHARES = {60: 0.3}
NOISE = np.random.default_rng(9)
MODEL = {
    q: {d: int(NOISE.choice([g, 2 - g, 1], p=[0.8, 0.1, 0.1])) for d, g in docs.items()} for q, docs in POOL.items()
}
OPPOSITE = {q: {d: 2 - g for d, g in docs.items()} for q, docs in POOL.items()}


def errors(measures, model, seeds=40):
    """Errors of the mean without and with the model, of many samples."""
    whole = np.array(list(jd.evaluate(POOL, RUN, measures).mean().values()))
    found = []
    for seed in range(seeds):
        todo = jd.pool(RUN, depth=60, sample=SHARES, seed=seed)
        each = [estimate(judged(todo), RUN, todo, measures, model=m) for m in (None, model)]
        found.append([np.array(list(one.mean().values())) - whole for one in each])
    return np.array(found)


def test_a_good_model_makes_estimates_more_precise():
    found = errors("P@10 nDCG@10 AP", MODEL, seeds=25)
    plain, helped = np.sqrt(np.square(found).mean(axis=0))
    assert (helped < 0.8 * plain).all()


@pytest.mark.parametrize("model", [MODEL, OPPOSITE])
def test_no_model_biases_an_estimate(model):
    found = errors("P@10", model)[:, 1, 0]
    assert abs(found.mean()) < 4 * found.std() / np.sqrt(len(found))


def test_grades_of_people_replace_those_of_the_model():
    todo = jd.pool(RUN, depth=60, sample={60: 1})
    found, whole = estimate(POOL, RUN, todo, MEASURES, model=OPPOSITE), jd.evaluate(POOL, RUN, MEASURES)
    for name in whole:
        assert found[name] == pytest.approx(whole[name], rel=1e-12)


def test_the_result_says_how_many_documents_each_judged():
    todo = jd.pool(RUN, depth=60, sample=SHARES)
    documents, everything = len(todo), sum(map(len, POOL.values()))
    found = estimate(judged(todo), RUN, todo, "P@10", model=MODEL)
    assert (
        f"{documents} documents judged by people, {everything - documents} more by the model only"
        in found.policy.prepared[-1]
    )
    assert found.policy.prepared[-1] in str(found)


def test_queries_that_only_the_model_judged_are_left_out_with_a_warning():
    todo = jd.pool(RUN, depth=60, sample=SHARES)
    found = estimate(judged(todo), RUN, todo, "P@10", model={**MODEL, "other": {"d": 1}})
    assert [(w.slug, w.count) for w in found.warnings] == [("model-missing", 1)]
    assert list(found.queries) == sorted(POOL)


def test_a_sample_that_people_did_not_judge_wholly_is_refused_with_a_model_and_warned_of_without():
    todo = jd.pool(RUN, depth=60, sample=SHARES)
    seen = judged(todo)
    del seen["q3"][next(iter(seen["q3"]))]
    assert [(w.slug, w.count) for w in estimate(seen, RUN, todo, "P@10").warnings] == [("unjudged-run", 1)]
    with pytest.raises(jd.JudgedError, match="1 of") as error:
        estimate(seen, RUN, todo, "P@10", model=MODEL)
    assert error.value.slug == "option"


def test_documents_of_the_model_that_could_not_be_sampled_are_refused():
    todo = jd.pool(RUN, depth=30, sample={30: 0.5})
    with pytest.raises(jd.JudgedError, match="could have been sampled") as error:
        estimate(judged(todo), RUN, todo, "P@10", model=MODEL)
    assert error.value.slug == "option"
    pooled = {
        q: {d: g for d, g in docs.items() if d in set(sorted(RUN[q], key=RUN[q].get)[-30:])}
        for q, docs in MODEL.items()
    }
    estimate(judged(todo), RUN, todo, "P@10", model=pooled)


def test_estimates_with_a_model_can_be_compared():
    todo = jd.pool(RUN, depth=60, sample=SHARES)
    other = {q: {d: -s for d, s in docs.items()} for q, docs in RUN.items()}
    both = {name: estimate(judged(todo), run, todo, "P@10", model=MODEL) for name, run in (("a", RUN), ("b", other))}
    assert jd.compare(both).rows[0].verdict == "worse"


def test_estimates_outside_of_the_range_of_a_measure_are_saved_and_loaded(tmp_path):
    todo = jd.pool(RUN, depth=60, sample={60: 0.1})
    found = estimate(judged(todo), RUN, todo, "AP nDCG@10 P@10")
    assert found["P@10"].max() > 1
    found.save(tmp_path / "values.json")
    assert jd.load(tmp_path / "values.json").to_json() == found.to_json()
