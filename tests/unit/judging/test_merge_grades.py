"""Several judges' grades as one."""

from typing import get_args

import numpy as np
import pytest

from judged.judging.merge import How, MergeTies, merge

NONE = np.nan
GRADES = np.array([[0, 0, 2, NONE, NONE], [0, 1, 1, 3, NONE], [1, 1, 0, NONE, NONE]])


def merged(how, **options):
    return merge(GRADES, how, **options).tolist()


def test_the_majority_is_the_grade_that_most_gave():
    found = merge(GRADES, "majority")
    assert found[:2].tolist() == [0, 1]
    assert found[3] == 3
    assert np.isnan(found).tolist() == [False, False, True, False, True]


@pytest.mark.parametrize(("ties", "grade"), [("lower", 0), ("higher", 2), ("first", 2)])
def test_a_tie_is_decided_by_its_policy(ties, grade):
    assert merged("majority", ties=ties)[2] == grade


def test_the_first_of_those_tied_is_not_the_first_judge():
    grades = np.array([[0.0], [2], [1], [1], [2]])
    assert merge(grades, "majority", "first")[0] == 2


def test_mean_and_median_are_not_rounded():
    assert merged("mean")[:4] == [1 / 3, 2 / 3, 1, 3]
    assert merged("median")[:4] == [0, 1, 1, 3]
    assert merge(np.array([[0.0], [1]]), "median")[0] == 0.5


def test_max_and_min():
    assert merged("max")[:4] == [1, 1, 2, 3]
    assert merged("min")[:4] == [0, 0, 0, 3]


def test_an_adjudicator_decides_where_judges_disagree_and_only_there():
    adjudicated = np.array([5.0, NONE, 7, 9, 9])
    found = merge(np.array([[1.0, 1, 2, 3, NONE], [1, 2, 0, NONE, NONE]]), "adjudicate", adjudicated=adjudicated)
    assert found[[0, 2, 3]].tolist() == [1, 7, 3]
    assert np.isnan(found).tolist() == [False, True, False, False, True]


def test_without_any_grade_nothing_is_decided():
    for how in get_args(How):
        assert np.isnan(merge(np.full((2, 1), NONE), how)).all()


def test_the_input_is_left_alone():
    before = GRADES.copy()
    for how in get_args(How):
        for ties in get_args(MergeTies):
            merge(GRADES, how, ties)
    assert np.array_equal(GRADES, before, equal_nan=True)
