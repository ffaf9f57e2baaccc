"""What models say of lists, against the story that they tell, written out session by session."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import chance_of, lists, patterns, users
from numpy.testing import assert_allclose

from judged.clicks.data.grid import ShownLists
from judged.clicks.models.cascade import cascade_clicks
from judged.clicks.models.chain import Chain
from judged.clicks.models.model import click_probabilities
from judged.clicks.models.simulation import simulate
from judged.errors import UsageError

MODELS = ["cascade", "dcm", "sdbn", "dbn", "pbm", "ubm", "ctr"]


@pytest.mark.parametrize("name", MODELS)
def test_the_chances_given_the_clicks_above_multiply_to_the_chance_of_the_session(name):
    world = lists()
    model, ways = users(name, world), patterns()
    for row in range(len(world)):
        many = ShownLists(world.pairs, np.repeat(world.pair[row : row + 1], len(ways), axis=0))
        given = model.conditional(many, ways)
        whole = np.where(ways, given, 1 - given).prod(axis=1)
        assert_allclose(whole, [chance_of(model, world, row, way) for way in ways], rtol=1e-12, atol=1e-15)
        assert_allclose(whole.sum(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_the_chance_of_a_click_at_a_rank_adds_up_over_all_that_may_happen_above(name):
    world = lists()
    model, ways = users(name, world), patterns()
    for row in range(len(world)):
        one = ShownLists(world.pairs, world.pair[row : row + 1])
        chances = np.array([chance_of(model, world, row, way) for way in ways])
        assert_allclose(model.marginal(one)[0], chances @ ways, rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_simulated_users_click_as_often_as_the_model_says(name):
    world = lists(queries=1, orders=1)
    model = users(name, world)
    log = simulate(model, world, 40_000, seed=5)
    rate = np.bincount(log.rank - 1, log.clicked) / 40_000
    expected = model.marginal(world)[0]
    assert (np.abs(rate - expected) < 4 * np.sqrt(expected * (1 - expected) / 40_000)).all()


def test_the_cascade_model_is_the_chain_that_ends_with_a_click():
    world = lists(queries=1, orders=1)
    model = users("cascade", world)
    assert_allclose(model.marginal(world)[0], cascade_clicks(model.attractiveness[world.pair[0]]).clicked, rtol=1e-12)


def test_the_same_seed_gives_the_same_clicks_and_another_one_does_not():
    world = lists()
    model = users("dbn", world)
    one, same, other = (simulate(model, world, 500, seed=s, shuffled=0.5) for s in (1, 1, 2))
    assert (one.clicked == same.clicked).all()
    assert (one.pair == same.pair).all()
    assert (one.clicked != other.clicked).any()


def test_shuffled_sessions_show_the_same_documents_in_other_orders():
    world = ShownLists.of({"q": list("abcd"), "p": ["x"]})
    log = simulate(users("pbm", world), world, 400, seed=0, shuffled=1.0)
    shown = {tuple(log.doc[log.session == s].tolist()) for s in range(0, 400, 2)}
    assert len(shown) > 10
    assert len({tuple(sorted(one)) for one in shown}) == 1
    assert (np.bincount(log.session) == [4, 1] * 200).all()


def test_nothing_is_expected_behind_the_end_of_a_list():
    world = ShownLists.of({"q": ["a", "b"], "p": ["a"]})
    assert np.isnan(click_probabilities(users("dbn", world), world)).tolist() == [[False, False], [False, True]]


def test_a_document_that_was_never_seen_counts_by_the_prior():
    world = ShownLists.of({"q": ["a", "b"]})
    model = Chain("dbn", world.pairs, np.array([0.2, 0.4]), np.array([0.5, 0.5]), 0.9, unseen=0.25)
    other = ShownLists.of({"q": ["new", "b"]})
    assert_allclose(model.marginal(other)[0], [0.25, (0.25 * 0.75 * 0.9 + 0.75 * 0.9) * 0.4], rtol=1e-12)


@pytest.mark.parametrize(
    "wrong", [{"sessions": 0}, {"sessions": 1.5}, {"sessions": 5, "seed": -1}, {"sessions": 5, "shuffled": 2}]
)
def test_a_simulation_that_cannot_be_is_refused(wrong):
    world = lists()
    with pytest.raises(UsageError):
        simulate(users("dbn", world), world, **wrong)
