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


def test_sampled_documents_that_nobody_judged_are_warned_of():
    todo = jd.pool(RUN, depth=60, sample={60: 0.3})
    seen = judged(todo)
    del seen["q3"][next(iter(seen["q3"]))]
    assert [(w.slug, w.count) for w in estimate(seen, RUN, todo, "P@10").warnings] == [("unjudged-run", 1)]


def test_estimates_can_be_compared():
    todo = jd.pool(RUN, depth=60, sample={60: 0.3})
    other = {q: {d: -s for d, s in docs.items()} for q, docs in RUN.items()}
    both = {name: estimate(judged(todo), run, todo, "P@10") for name, run in (("a", RUN), ("b", other))}
    assert jd.compare(both).rows[0].verdict == "worse"


def test_estimates_outside_of_the_range_of_a_measure_are_saved_and_loaded(tmp_path):
    todo = jd.pool(RUN, depth=60, sample={60: 0.1})
    found = estimate(judged(todo), RUN, todo, "AP nDCG@10 P@10")
    assert found["P@10"].max() > 1
    found.save(tmp_path / "values.json")
    assert jd.load(tmp_path / "values.json").to_json() == found.to_json()
