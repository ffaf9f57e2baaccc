"""Team-draft interleaving: lists, credit, and the test over queries."""

import json
import math

import numpy as np
import pytest
from click_world import simulate, users
from numpy.testing import assert_allclose
from refusals import refusal

import judged as jd
from judged.clicks.interleaving import team_draft

A, B = list("abcdef"), list("bxacyz")
RUN = {"q1": ["a", "b", "c", "d"], "q2": ["x", "y", "z"]}
OTHER = {"q1": ["d", "c", "b", "a"], "q2": ["z", "y", "x"]}


@pytest.mark.parametrize("seed", range(20))
def test_team_draft_lets_each_pick_its_best_document_in_every_round(seed):
    made = list(team_draft(A, B, 6, np.random.default_rng(seed)).items())
    taken: set[str] = set()
    for i in range(0, 6, 2):
        assert {team for _, team in made[i : i + 2]} == {"A", "B"}
        for doc, team in made[i : i + 2]:
            assert doc == next(d for d in (A if team == "A" else B) if d not in taken)
            taken.add(doc)


def test_team_draft_tosses_a_fair_coin():
    rng = np.random.default_rng(0)
    first = [next(iter(team_draft(A, B, 2, rng).values())) for _ in range(400)]
    assert 150 < first.count("A") < 250


def test_the_same_ranking_twice_gives_it_back():
    assert jd.clicks.interleave({"q": A}, {"q": A}).lists() == {"q": A}


def test_a_ranking_that_runs_out_lets_the_other_go_on():
    rng = np.random.default_rng(0)
    assert set(team_draft(["a"], B, 10, rng)) == {"a", *B}
    assert team_draft([], ["b"], 3, rng) == {"b": "B"}
    assert team_draft([], [], 3, rng) == {}


def clicks_on(lists, clicked, sessions=1):
    rows = [
        (f"{q}-{s}", q, d, r, int(d in clicked))
        for q, docs in lists.items()
        for s in range(sessions)
        for r, d in enumerate(docs, 1)
    ]
    return jd.clicks.read_clicks(rows)


def test_lists_are_scored_from_a_file_as_from_memory(tmp_path):
    lists = jd.clicks.interleave(RUN, OTHER, k=3, seed=5)
    log = clicks_on(lists.lists(), {"d", "z"}, sessions=3)
    (tmp_path / "lists.csv").write_text(lists.to_csv())
    memory = jd.clicks.score_interleaving(lists, log)
    assert memory.records() == jd.clicks.score_interleaving(tmp_path / "lists.csv", log).records()
    assert (memory.wins_a, memory.wins_b, memory.p_value, memory.sessions) == (0, 2, 0.5, 6)
    assert (memory.clicks_a, memory.clicks_b) == (0, 6)


def test_each_session_may_have_a_list_of_its_own():
    lists = {
        "session": ["s1", "s1", "s2", "s2"],
        "query": ["q", "q", "p", "p"],
        "doc": ["a", "b", "a", "b"],
        "team": ["A", "B", "B", "A"],
    }
    rows = [("s1", "q", "a", 1, 1), ("s1", "q", "b", 2, 0), ("s2", "p", "a", 1, 1), ("s2", "p", "b", 2, 0)]
    found = jd.clicks.score_interleaving(lists, rows)
    assert (found.wins_a, found.wins_b) == (1, 1)


def outcome(preferences, **options):
    """The outcome of clicks on documents of A (-1), of B (1) or none (0), in one session per number and one query per list."""
    lists = {"query": [], "doc": [], "team": []}
    rows = []
    for q, sessions in enumerate(preferences):
        for doc, team in (("a", "A"), ("b", "B")):
            for name, value in zip(lists, (f"q{q}", doc, team), strict=True):
                lists[name].append(value)
        for s, credit in enumerate(sessions):
            rows += [(f"{q}-{s}", f"q{q}", "a", 1, int(credit < 0)), (f"{q}-{s}", f"q{q}", "b", 2, int(credit > 0))]
    return jd.clicks.score_interleaving(lists, rows, **options)


def test_the_outcome_is_an_exact_sign_test_over_queries():
    found = outcome([[1], [1], [1], [1], [1], [-1], [0], [0]])
    assert (found.wins_a, found.wins_b, found.ties) == (1, 5, 2)
    assert_allclose(found.p_value, 2 * (math.comb(6, 5) + math.comb(6, 6)) / 2**6, rtol=1e-12)
    assert_allclose([found.share_b, found.delta], [5 / 6, (5 + 1) / 8 - 1 / 2], rtol=1e-12)
    # Clopper and Pearson: the shares at which 5 or more, and 5 or fewer, of 6 have a chance of 2.5%
    tail = lambda q, ks: sum(math.comb(6, k) * q**k * (1 - q) ** (6 - k) for k in ks)  # noqa: E731
    assert_allclose([tail(found.low, (5, 6)), tail(found.high, range(6))], [0.025, 0.025], rtol=1e-6)


def test_queries_count_once_each_by_their_sessions_mean_preference():
    found = outcome([[1, 1, -1], [-1, -1], [1]])
    assert (found.wins_a, found.wins_b, found.ties) == (1, 2, 0)


def test_ties_alone_decide_nothing():
    found = outcome([[0], [1, -1], [0]])
    assert found.p_value == 1
    assert math.isnan(found.share_b)
    assert (found.low, found.high, found.delta) == (0, 1, 0)


def test_users_who_follow_the_grades_prefer_the_better_ranking():
    known = users("cascade", queries=12)
    best: dict[str, list[str]] = {}
    for (query, doc), _ in sorted(known.attractiveness.items(), key=lambda one: -one[1]):
        best.setdefault(query, []).append(doc)
    worst = {query: docs[::-1] for query, docs in best.items()}
    lists = jd.clicks.interleave(worst, best, k=4, seed=3, sessions=3000)
    log = simulate(known, lists.lists())
    rows = {**lists.columns(), "session": [s - 1 for s in lists.session]}
    found = jd.clicks.score_interleaving(rows, log)
    assert (found.wins_b, found.p_value < 0.001) == (12, True)


@pytest.mark.slow
@pytest.mark.parametrize(("same", "sessions"), [(True, 300), (False, 900)])
def test_rankings_that_are_equally_good_over_queries_are_rarely_found_to_differ(same, sessions):
    # not the same: each is better on some queries, and sessions that count as independent would show it
    rejected = 0
    for seed in range(40):
        known = users("pbm", queries=15, docs=6, seed=seed)
        rng = np.random.default_rng(seed)
        ranking = {query: rng.permutation(list("abcdef")).tolist() for query, _ in known.attractiveness}
        other = ranking if same else {query: rng.permutation(list("abcdef")).tolist() for query in ranking}
        lists = jd.clicks.interleave(ranking, other, k=5, seed=seed, sessions=sessions)
        log = simulate(known, lists.lists(), seed)
        rows = {**lists.columns(), "session": [s - 1 for s in lists.session]}
        rejected += jd.clicks.score_interleaving(rows, log).p_value <= 0.05
    assert rejected <= 6  # P(more | 5%) < 0.01


def test_queries_of_one_run_alone_and_clicks_elsewhere_are_told():
    lists = jd.clicks.interleave(RUN, {"q1": ["d"], "q9": ["z"]})
    assert [(w.slug, w.count) for w in lists.warnings] == [("query-unshared", 2)]
    rows = [("s1", "q1", "d", 1, 1), ("s1", "q1", "new", 2, 1), ("s2", "q7", "d", 1, 1)]
    found = jd.clicks.score_interleaving(lists, rows)
    assert [w.slug for w in found.warnings] == ["unlisted", "unlisted"]
    assert json.loads(found.to_json())["sessions"] == 1
    assert "sign test" in str(found)


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: jd.clicks.interleave(RUN, {"q9": ["a"]}), "no-common-query"),
        (lambda: jd.clicks.interleave(RUN, RUN, k=0), "cutoff"),
        (lambda: jd.clicks.interleave(RUN, RUN, sessions=0), "parameter"),
        (lambda: jd.clicks.interleave(RUN, {"q1": [("a", 1.0), ("a", 2.0)]}), "duplicate-doc"),
        (lambda: outcome([[1]], level=95), "parameter"),
        (
            lambda: jd.clicks.score_interleaving(jd.clicks.interleave(RUN, RUN), [("s", "other", "a", 1, 1)]),
            "no-common-query",
        ),
        (
            lambda: jd.clicks.score_interleaving([("q", "a", 1, "A"), ("q", "a", 2, "B")], [("s", "q", "a", 1, 1)]),
            "columns",
        ),
        (
            lambda: jd.clicks.score_interleaving(
                {"query": ["q", "q"], "doc": ["a", "a"], "team": ["A", "B"]}, [("s", "q", "a", 1, 1)]
            ),
            "duplicate-doc",
        ),
    ],
)
def test_what_cannot_be_interleaved_is_refused(call, slug):
    refusal(slug, call)
