"""Grades from clicks."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import log_of
from numpy.testing import assert_allclose

from judged.clicks.data.grid import ShownLists
from judged.clicks.fitting.fit import fit
from judged.clicks.models.cascade import attractiveness_of_grades
from judged.clicks.models.chain import Chain
from judged.clicks.models.grades import grade_bounds, grades_from_clicks
from judged.clicks.models.simulation import simulate
from judged.errors import UsageError


def test_a_grade_begins_half_way_below_its_own_chance_on_the_scale_of_grades():
    assert_allclose(grade_bounds(4), (2 ** np.array([0.5, 1.5, 2.5, 3.5]) - 1) / 16, rtol=1e-12)


def test_the_chances_of_err_get_their_own_grades_back():
    for top in (1, 2, 4, 10):
        grades = np.arange(top + 1)
        assert (np.searchsorted(grade_bounds(top), attractiveness_of_grades(grades, top), "right") == grades).all()


@pytest.mark.parametrize("name", ["cascade", "dbn"])
def test_grades_of_simulated_users_are_recovered(name):
    rng = np.random.default_rng(0)
    world = ShownLists.of({f"q{i}": [f"d{j}" for j in range(6)] for i in range(10)})
    grades = rng.integers(0, 5, len(world.pairs))
    relevance = attractiveness_of_grades(grades, 4)
    model = Chain("cascade", world.pairs, relevance, np.ones(1), by="always")
    if name == "dbn":
        model = Chain("dbn", world.pairs, np.sqrt(relevance), np.sqrt(relevance), 0.9)
    found = grades_from_clicks(fit(simulate(model, world, 60_000, seed=1, shuffled=1.0), name))
    assert (found.grade == grades).mean() > 0.97
    assert ((found.grade_low <= grades) & (grades <= found.grade_high)).mean() > 0.97


def test_a_grade_stands_between_those_at_the_ends_of_its_interval():
    found = grades_from_clicks(fit(log_of([(f"s{i}", "q", ["a", "b"], [i % 3 == 0, 0]) for i in range(12)]), "ctr"))
    assert (found.grade_low <= found.grade).all()
    assert (found.grade <= found.grade_high).all()
    assert found.clicks.tolist() == [4, 0]
    assert found.impressions.tolist() == [12, 12]


def test_pairs_that_were_shown_too_seldom_are_left_out():
    log = log_of([("1", "q", ["a", "b"], [1, 0]), ("2", "q", ["a"], [0])])
    found = grades_from_clicks(fit(log, "ctr"), minimum=2)
    assert found.pairs.ids(found.rows) == (["q"], ["a"])


def test_pairs_that_were_held_out_have_no_grade():
    log = log_of([(f"s{i}", f"q{i % 2}", ["a"], [1]) for i in range(20)])
    train = log.take(log.session_query() == 0)
    assert len(grades_from_clicks(fit(train, "ctr"))) == 1


@pytest.mark.parametrize("wrong", [{"levels": 0}, {"levels": 2.5}, {"minimum": -1}, {"minimum": float("nan")}])
def test_a_scale_that_cannot_be_is_refused(wrong):
    with pytest.raises(UsageError):
        grades_from_clicks(fit(log_of([("1", "q", ["a"], [1])]), "ctr"), **wrong)


def test_a_model_without_documents_gives_no_grades():
    with pytest.raises(UsageError) as error:
        grades_from_clicks(fit(log_of([("1", "q", ["a"], [1])]), "rank-ctr"))
    assert error.value.slug == "click-model"
