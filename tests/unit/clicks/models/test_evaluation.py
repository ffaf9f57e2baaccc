"""Likelihood and perplexity of sessions that a model was not fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import chance_of, lists, log_of, users
from numpy.testing import assert_allclose

from judged.clicks.data.grid import ShownLists
from judged.clicks.fitting.fit import fit
from judged.clicks.models.evaluation import evaluate_clicks
from judged.clicks.models.examination import Examination
from judged.clicks.models.simulation import simulate


def test_the_log_likelihood_is_the_mean_log_of_the_chance_of_each_session():
    world = lists()
    model = users("dbn", world)
    log = simulate(model, world, 60, seed=1)
    chances = [chance_of(model, world, s % len(world), log.clicked[log.session == s]) for s in range(60)]
    assert_allclose(evaluate_clicks(model, log).log_likelihood, np.log(chances).mean(), rtol=1e-12)


def test_perplexity_is_two_to_the_mean_surprise_in_bits():
    world = ShownLists.of({"q": ["a", "b"]})
    model = Examination("ctr", world.pairs, np.array([0.5, 0.25]), np.ones((1, 1)))
    log = log_of([("1", "q", ["a", "b"], [1, 1]), ("2", "q", ["a", "b"], [0, 0])])
    found = evaluate_clicks(model, log)
    second = 2 ** (-(np.log2(1 / 4) + np.log2(3 / 4)) / 2)
    assert_allclose(found.by_rank, [2, second], rtol=1e-12)
    assert_allclose(found.perplexity, (2 + second) / 2, rtol=1e-12)


def test_perplexity_looks_at_each_rank_alone_and_its_conditional_form_at_the_clicks_above():
    world = lists(queries=1, orders=1)
    model = users("dbn", world)
    log = simulate(model, world, 400, seed=2)
    found = evaluate_clicks(model, log)
    clicked = log.clicked.reshape(400, -1)
    chance = model.marginal(world)[0]
    bits = -np.log2(np.where(clicked, chance, 1 - chance)).mean(axis=0)
    assert_allclose(found.by_rank, 2**bits, rtol=1e-12)
    assert_allclose(np.log(found.conditional_by_rank).sum() * -1, found.log_likelihood, rtol=1e-12)


def test_the_true_model_is_less_perplexed_than_the_others():
    world = lists(queries=20, docs=6, orders=6)
    train, test = simulate(users("dbn", world), world, 40_000, seed=3).split(0.3)
    found = {name: evaluate_clicks(fit(train, name).model, test) for name in ("dbn", "pbm", "ctr", "rank-ctr")}
    assert max(found, key=lambda name: found[name].log_likelihood) == "dbn"
    assert found["rank-ctr"].perplexity > found["dbn"].perplexity > 1


def test_documents_that_were_never_seen_count_by_the_prior():
    world = ShownLists.of({"q": ["a"]})
    model = Examination("ctr", world.pairs, np.array([0.9]), np.ones((1, 1)), unseen=0.25)
    log = log_of([("1", "q", ["new"], [1])])
    assert_allclose(evaluate_clicks(model, log).perplexity, 4, rtol=1e-12)


def test_what_a_model_calls_impossible_is_infinitely_surprising():
    world = ShownLists.of({"q": ["a"]})
    model = Examination("ctr", world.pairs, np.array([0.0]), np.ones((1, 1)))
    found = evaluate_clicks(model, log_of([("1", "q", ["a"], [1])]))
    assert found.log_likelihood == -np.inf
    assert found.perplexity == np.inf


@pytest.mark.parametrize("name", ["pbm", "ubm", "dbn"])
def test_a_list_longer_than_any_before_has_a_likelihood(name):
    world = lists(queries=3, docs=3, orders=4)
    found = fit(simulate(users("dbn", world), world, 500, seed=1), name)
    longer = simulate(users("dbn", lists(queries=3, docs=6)), lists(queries=3, docs=6), 50, seed=2)
    assert np.isfinite(evaluate_clicks(found.model, longer).log_likelihood)
