"""The cascade formulas of the notes, and ERR as the cascade model's expected reciprocal rank."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import judged as jd
from judged.clicks.models.cascade import attractiveness_of_grades, cascade_clicks
from judged.errors import DataError

TIGHT = {"rtol": 1e-12, "atol": 0}


def test_the_chance_of_a_click_is_the_documents_own_times_that_nothing_above_was_clicked():
    r = [0.3, 0.5, 0.2]
    model = cascade_clicks(r)
    assert_allclose(model.clicked, [0.3, 0.5 * (1 - 0.3), 0.2 * (1 - 0.3) * (1 - 0.5)], **TIGHT)
    assert_allclose(model.examined, [1, 1 - 0.3, (1 - 0.3) * (1 - 0.5)], **TIGHT)
    assert_allclose(model.no_click, (1 - 0.3) * (1 - 0.5) * (1 - 0.2), **TIGHT)


def test_a_user_stops_where_the_click_is_or_nowhere():
    model = cascade_clicks(np.random.default_rng(0).random(20))
    assert_allclose(model.stopped.sum() + model.no_click, 1.0, **TIGHT)


def test_the_expected_reciprocal_rank_weighs_each_click_by_its_rank():
    assert_allclose(cascade_clicks([0.3, 0.5]).reciprocal_rank, 0.3 + 0.7 * 0.5 / 2, **TIGHT)


def test_an_empty_list_is_never_clicked():
    model = cascade_clicks([])
    assert model.no_click == 1
    assert model.reciprocal_rank == 0
    assert len(model.clicked) == 0


def test_lists_of_different_lengths_are_padded_and_computed_at_once():
    model = cascade_clicks([[0.5, 0.5, 0.5], [0.2, np.nan, np.nan]])
    assert_allclose(model.clicked, [[0.5, 0.25, 0.125], [0.2, 0, 0]], **TIGHT)
    assert_allclose(model.examined, [[1, 0.5, 0.25], [1, 0, 0]], **TIGHT)
    assert_allclose(model.no_click, [0.125, 0.8], **TIGHT)
    assert_allclose(model.reciprocal_rank, [0.5 + 0.25 / 2 + 0.125 / 3, 0.2], **TIGHT)


def test_grades_map_to_chances_as_in_err():
    assert_allclose(attractiveness_of_grades([0, 1, 2, 3, 4], 4), [0, 1 / 16, 3 / 16, 7 / 16, 15 / 16], **TIGHT)
    assert attractiveness_of_grades([-2], 4)[0] == 0


@pytest.mark.parametrize("k", [1, 3, 10, 30])
def test_err_is_the_cascade_models_expected_reciprocal_rank(k):
    rng = np.random.default_rng(k)
    grades = rng.integers(0, 5, (25, 30))
    qrels = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(row)} for i, row in enumerate(grades)}
    run = {query: {f"d{j}": 30.0 - j for j in range(30)} for query in qrels}
    values = jd.evaluate(qrels, run, f"ERR@{k}")
    expected = dict(zip(qrels, cascade_clicks(attractiveness_of_grades(grades[:, :k], 4)).reciprocal_rank, strict=True))
    for query, value in zip(values.queries, values[f"ERR@{k}"], strict=True):
        assert_allclose(value, expected[query], **TIGHT)


def test_another_discount_does_not_make_dcg_of_it():
    """Slip E12: "change 1/r to 1/(log2 r + 1), this is the same as DCG". The product over the documents above remains."""
    gains = np.array([3 / 4, 3 / 4])
    rank = np.arange(1, 3)
    with_product = (cascade_clicks(gains).clicked / (np.log2(rank) + 1)).sum()
    dcg = (gains / np.log2(rank + 1)).sum()
    assert_allclose(with_product, 3 / 4 + 1 / 4 * 3 / 4 / 2, **TIGHT)
    assert abs(with_product - dcg) > 0.3
    assert (np.log2(3) + 1) != np.log2(3 + 1) + 0.5  # and the two discounts differ from rank 3 on


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [np.nan, 0.5], [[[0.5]]], ["x"]])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(DataError) as error:
        cascade_clicks(wrong)
    assert error.value.slug == "probability"


def test_a_grade_above_the_top_is_refused():
    with pytest.raises(DataError) as error:
        attractiveness_of_grades([5], 4)
    assert error.value.slug == "label-above-max"
