"""Interleaving: how lists are made, who gets the credit, and the test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from judged.clicks.interleaving.methods import balanced, balanced_credit, outcome, team_credit, team_draft
from judged.errors import DataError, UsageError

A, B = list("abcdef"), list("bxacyz")


@pytest.mark.parametrize("seed", range(20))
def test_team_draft_lets_each_pick_its_best_document_in_every_round(seed):
    made = team_draft(A, B, 6, seed=seed)
    taken: set[str] = set()
    for i in range(0, 6, 2):
        assert set(made.teams[i : i + 2]) == {"A", "B"}
        for doc, team in zip(made.docs[i : i + 2], made.teams[i : i + 2], strict=True):
            ranking = A if team == "A" else B
            assert doc == next(d for d in ranking if d not in taken)
            taken.add(doc)


def test_team_draft_tosses_a_fair_coin():
    first = [team_draft(A, B, 2, seed=s).teams[0] for s in range(400)]
    assert 150 < first.count("A") < 250


@pytest.mark.parametrize("seed", range(20))
def test_balanced_lists_hold_the_tops_of_both_to_depths_that_differ_by_one_at_most(seed):
    made = balanced(A, B, 8, seed=seed)
    for n in range(1, len(made.docs) + 1):
        top = set(made.docs[:n])
        held = [next((i for i, d in enumerate(r) if d not in top), len(r)) for r in (A, B)]
        depths = [(i, j) for i in range(held[0] + 1) for j in range(held[1] + 1) if set(A[:i]) | set(B[:j]) == top]
        assert any(abs(i - j) <= 1 for i, j in depths)


def test_the_same_ranking_twice_gives_it_back():
    for make in (team_draft, balanced):
        assert list(make(A, A, 6, seed=1).docs) == A


def test_ranks_in_both_rankings_come_along():
    made = balanced(["x", "y"], ["y", "z"], 3, seed=0)
    assert dict(zip(made.docs, zip(made.rank_a, made.rank_b, strict=True), strict=True)) == {
        "y": (2, 1),
        "x": (1, 0),
        "z": (0, 2),
    }


@pytest.mark.parametrize("make", [team_draft, balanced])
def test_a_ranking_that_runs_out_lets_the_other_go_on(make):
    assert set(make(["a"], B, 10, seed=0).docs) == {"a", *B}
    assert make([], ["b"], 3).docs == ("b",)
    assert make([], [], 3).docs == ()


@pytest.mark.parametrize("make", [team_draft, balanced])
def test_a_document_twice_and_a_wrong_length_are_refused(make):
    with pytest.raises(DataError):
        make(["a", "a"], B, 3)
    with pytest.raises(UsageError):
        make(A, B, 0)


def test_team_credit_counts_clicks():
    credit = team_credit(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 0, 1]), np.array([1, 1, 1, 0, 0]), 3)
    assert credit.tolist() == [1, 0, 0]


def test_balanced_credit_counts_clicks_down_to_the_depth_of_the_lowest():
    """Joachims' example in small: A = a b c, B = b c d, shown b a c d, clicks on b and c.

    The lowest click, c, is third in A and second in B, so n = 2: of the top 2 of A, b was clicked; of B, b and c."""
    session, clicked = np.zeros(4, int), np.array([1, 0, 1, 0])
    credit = balanced_credit(session, np.array([2, 1, 3, 0]), np.array([1, 0, 2, 3]), clicked, np.arange(1, 5), 1)
    assert credit.tolist() == [1]


def test_balanced_credit_of_a_document_that_both_have_at_one_rank_is_none():
    credit = balanced_credit(np.array([0]), np.array([1]), np.array([1]), np.array([1]), np.array([1]), 1)
    assert credit.tolist() == [0]


def test_the_outcome_is_an_exact_sign_test():
    found = outcome(np.array([1, 1, 1, 1, 2, -1, 0, 0.0]))
    assert (found.wins_a, found.wins_b, found.ties) == (1, 5, 2)
    p = 2 * (math.comb(6, 5) + math.comb(6, 6)) / 2**6
    assert_allclose(found.p_value, p, rtol=1e-12)
    assert_allclose([found.share_b, found.delta], [5 / 6, (5 + 1) / 8 - 1 / 2], rtol=1e-12)
    # Clopper and Pearson: the shares at which 5 or more, and 5 or fewer, of 6 have a chance of 2.5%
    tail = lambda q, ks: sum(math.comb(6, k) * q**k * (1 - q) ** (6 - k) for k in ks)  # noqa: E731
    assert_allclose([tail(found.low, (5, 6)), tail(found.high, range(6))], [0.025, 0.025], rtol=1e-6)


def test_queries_count_once_each_by_their_sessions_mean_preference():
    credit, query = np.array([1, 1, -1, -1, -1, 1.0]), np.array([0, 0, 0, 1, 1, 2])
    found = outcome(credit, query)
    assert (found.unit, found.wins_a, found.wins_b, found.ties) == ("query", 1, 2, 0)


def test_ties_alone_decide_nothing():
    found = outcome(np.zeros(3))
    assert found.p_value == 1
    assert math.isnan(found.share_b)
    assert (found.low, found.high) == (0, 1)
    assert found.delta == 0


def test_no_session_is_no_outcome():
    with pytest.raises(DataError):
        outcome(np.zeros(0))
    with pytest.raises(UsageError):
        outcome(np.zeros(3), level=95)


def test_team_draft_favours_nobody_when_users_click_at_random():
    rng = np.random.default_rng(0)
    credits = []
    for s in range(400):
        made = team_draft(A, B, 6, seed=s)
        clicked = (rng.random(6) < 0.3).astype(int)
        credits.append(team_credit(np.zeros(6, int), np.array([t == "B" for t in made.teams], int), clicked, 1)[0])
    assert outcome(np.array(credits)).p_value > 0.01


def test_balanced_interleaving_may_favour_one_ranking_even_at_random():
    """The flaw for which Radlinski, Kurup and Joachims proposed team-draft: of A = a b c d and B = b c d a, B wins 3 of 4 random clicks."""
    for seed in range(6):
        made = balanced(list("abcd"), list("bcda"), 4, seed=seed)
        session, at = np.arange(4).repeat(4), np.tile(np.arange(1, 5), 4)
        ranks = (np.tile(made.rank_a, 4), np.tile(made.rank_b, 4))
        credit = balanced_credit(session, *ranks, (at - 1 == session).astype(int), at, 4)
        assert sorted(credit.tolist()) == [-1, 1, 1, 1]
