"""Clicks put together: logs, fits, grades as judgments, interleaving, values from clicks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import judged as jd
from judged.clicks.models.cascade import attractiveness_of_grades, cascade_clicks

RUN = {"q1": ["a", "b", "c", "d"], "q2": ["x", "y", "z"]}
QRELS = {"q1": {"a": 0, "b": 3, "c": 1, "d": 4}, "q2": {"x": 2, "y": 0, "z": 4}}


@pytest.fixture(scope="module")
def log():
    return jd.clicks.simulate_clicks(QRELS, RUN, "dbn", sessions=20_000, shuffled=0.5, noise=0.05, seed=1)


# ── logs ─────────────────────────────────────────────────────────────────────────────────────────


def test_without_ranks_rows_stand_in_the_order_in_which_they_were_shown():
    rows = [("s1", "q", "b", 0), ("s2", "q", "a", 1), ("s1", "q", "a", 1)]
    log = jd.clicks.read_clicks([dict(zip(("session", "query", "doc", "click"), row, strict=True)) for row in rows])
    assert log.rank.tolist() == [1, 2, 1]
    assert log.clicked.tolist() == [False, True, True]


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl.gz", "log.parquet"])
def test_a_log_is_the_same_after_writing_and_reading(name, log, tmp_path):
    small = log.take(np.arange(len(log.sessions)) < 50)
    jd.clicks.write_clicks(small, tmp_path / name)
    again = jd.clicks.read_clicks(tmp_path / name)
    assert again.clicked.tolist() == small.clicked.tolist()
    assert again.rank.tolist() == small.rank.tolist()
    assert [again.pairs.docs[c] for c in again.doc] == [small.pairs.docs[c] for c in small.doc]


def test_a_log_that_was_read_stays_what_it_is(log):
    assert jd.clicks.read_clicks(log) is log


# ── simulation ───────────────────────────────────────────────────────────────────────────────────


def test_cascade_users_click_as_err_says():
    """The mean of one over the rank of the click is ERR: the cascade model's expected reciprocal rank."""
    log = jd.clicks.simulate_clicks(QRELS, RUN, "cascade", sessions=100_000)
    reciprocal = np.bincount(log.session, log.clicked / log.rank)
    expected = jd.evaluate(QRELS, RUN, "ERR").mean()["ERR"]
    assert abs(reciprocal.mean() - expected) < 4 * reciprocal.std() / np.sqrt(len(reciprocal))
    chances = [cascade_clicks(attractiveness_of_grades([QRELS[q][d] for d in RUN[q]])) for q in RUN]
    assert_allclose(expected, np.mean([c.reciprocal_rank for c in chances]), rtol=1e-12)


@pytest.mark.parametrize("model", ["cascade", "dcm", "sdbn", "dbn", "pbm", "ubm", "ctr"])
def test_every_model_can_be_simulated_and_fitted_again(model):
    log = jd.clicks.simulate_clicks(QRELS, RUN, model, sessions=3000, shuffled=1.0, noise=0.1, seed=4)
    assert jd.clicks.fit_clicks(log, model).model == model


def test_a_ranking_is_shown_to_its_kth_document_and_tied_scores_by_id():
    log = jd.clicks.simulate_clicks(QRELS, {"q1": {"a": 1.0, "b": 1.0, "c": 2.0}}, "ctr", sessions=1, k=2)
    assert [log.pairs.docs[d] for d in log.doc] == ["c", "b"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": 2},
        {"persistence": -1},
        {"stopping": 7},
        {"decay": -1},
        {"k": 0},
        {"model": "rank-ctr"},
        {"sessions": 0},
    ],
)
def test_a_wrong_simulation_is_refused(wrong):
    with pytest.raises(jd.UsageError):
        jd.clicks.simulate_clicks(QRELS, RUN, **wrong)


def test_a_grade_above_the_top_is_refused():
    with pytest.raises(jd.DataError) as error:
        jd.clicks.simulate_clicks(QRELS, RUN, top=3)
    assert error.value.slug == "label-above-max"


# ── fits ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_fit_recovers_the_grades_and_writes_them_as_judgments(log, tmp_path):
    grades = jd.clicks.fit_clicks(log, "dbn").grades()
    grades.save_qrels(tmp_path / "qrels.txt")
    qrels = jd.read_qrels(tmp_path / "qrels.txt")
    told = {
        (qrels.queries[q].decode(), d.decode()): g
        for q, d, g in zip(qrels.query, qrels.doc.tolist(), qrels.grade, strict=True)
    }
    assert told == {(q, d): g for q, docs in QRELS.items() for d, g in docs.items()}


def test_err_on_grades_from_clicks_is_err_on_the_grades_behind_them(log):
    found = jd.evaluate(jd.clicks.fit_clicks(log, "dbn").grades().qrels(), RUN, "ERR").mean()
    assert found == jd.evaluate(QRELS, RUN, "ERR").mean()


def test_a_fit_shows_its_parameters_and_how_it_went(log):
    found = jd.clicks.fit_clicks(log, "dbn", held_out=0.25, seed=2)
    text = str(found)
    assert "persistence" in text
    assert "EM steps" in text
    assert "held out" in text
    assert "prior: 1 and 1" in text
    data = json.loads(found.to_json())
    assert data["model"] == "dbn"
    assert len(data["parameters"]) == 2 * 7 + 1
    assert data["held_out"]["sessions"] > 4000
    assert len(found.to_pandas()) == len(found.to_polars()) == 15


def test_warnings_are_data_and_stand_below_the_table():
    log = jd.clicks.simulate_clicks(QRELS, RUN, "pbm", sessions=500)
    found = jd.clicks.fit_clicks(log, "pbm", max_steps=1)
    assert next(w.slug for w in found.warnings) == "unidentified"
    assert "unidentified" in str(found)


def test_grades_come_with_what_they_rest_on(log):
    grades = jd.clicks.fit_clicks(log, "pbm").grades(levels=2)
    frame = grades.to_pandas()
    assert list(frame.columns) == [
        "query",
        "doc",
        "impressions",
        "clicks",
        "relevance",
        "error",
        "low",
        "high",
        "grade",
        "grade_low",
        "grade_high",
    ]
    assert (frame["low"] <= frame["relevance"]).all()
    assert frame["grade"].max() <= 2
    assert json.loads(grades.to_json())[0]["query"] == "q1"
    assert "lowest relevance" in str(grades)


def test_no_pair_with_enough_impressions_gives_no_judgments(log):
    with pytest.raises(jd.DataError) as error:
        jd.clicks.fit_clicks(log, "ctr").grades(minimum=10**9).qrels()
    assert error.value.slug == "empty-qrels"


def test_models_are_compared_on_the_same_held_out_sessions(log):
    board = jd.clicks.compare_click_models(log)
    frame = board.to_pandas()
    assert list(frame["model"]) == ["dcm", "sdbn", "dbn", "pbm", "ubm", "ctr", "rank-ctr"]
    assert len({fit.evaluation.sessions for fit in board.fits}) == 1
    assert frame.set_index("model")["log-likelihood"].idxmax() in ("dbn", "ubm")
    assert "cascade is excluded" in str(board)
    assert len(board.by_rank()) == 4
    assert len(json.loads(board.to_json())["models"]) == 7


# ── interleaving ─────────────────────────────────────────────────────────────────────────────────


def clicks_on(lists, clicked, sessions=1):
    rows = [
        (f"{q}-{s}", q, d, r, int(d in clicked))
        for q, docs in lists.items()
        for s in range(sessions)
        for r, d in enumerate(docs, 1)
    ]
    return jd.clicks.read_clicks(rows)


@pytest.mark.parametrize("method", ["team-draft", "balanced"])
@pytest.mark.parametrize("name", ["lists.csv", "lists.tsv", "lists.jsonl", "lists.parquet"])
def test_lists_are_scored_from_the_file_as_from_memory(method, name, tmp_path):
    lists = jd.clicks.interleave(RUN, {"q1": ["d", "c", "b", "a"], "q2": ["z", "y", "x"]}, method=method, k=3, seed=5)
    log = clicks_on(lists.lists(), {"d", "z"}, sessions=3)
    lists.save(tmp_path / name)
    memory, file = (
        jd.clicks.score_interleaving(lists, log),
        jd.clicks.score_interleaving(tmp_path / name, log, method=method),
    )
    assert memory["session"] == file["session"]
    assert memory["query"] == file["query"]
    assert (memory["session"].wins_a, memory["session"].wins_b) == (0, 6)
    assert memory["query"].wins_b == 2
    assert memory["query"].p_value == 0.5


def test_lists_as_a_run_have_their_teams_as_tags(tmp_path):
    lists = jd.clicks.interleave(RUN, {"q1": ["d", "c"], "q2": ["z", "y"]}, k=2)
    lists.save(tmp_path / "lists.run")
    assert jd.read_run(tmp_path / "lists.run").doc.tolist() == [d.encode() for d in lists.doc]
    log = clicks_on(lists.lists(), {"d", "z"})
    assert (
        jd.clicks.score_interleaving(tmp_path / "lists.run", log)["session"]
        == jd.clicks.score_interleaving(lists, log)["session"]
    )
    with pytest.raises(jd.DataError) as error:
        jd.clicks.score_interleaving(tmp_path / "lists.run", log, method="balanced")
    assert error.value.slug == "columns"


def test_each_session_may_have_a_list_of_its_own():
    lists = {
        "session": ["s1", "s1", "s2", "s2"],
        "query": ["q"] * 4,
        "doc": ["a", "b", "a", "b"],
        "team": ["A", "B", "B", "A"],
    }
    log = jd.clicks.read_clicks(
        [("s1", "q", "a", 1, 1), ("s1", "q", "b", 2, 0), ("s2", "q", "a", 1, 1), ("s2", "q", "b", 2, 0)]
    )
    found = jd.clicks.score_interleaving(lists, log)["session"]
    assert (found.wins_a, found.wins_b) == (1, 1)


def test_users_who_follow_the_grades_prefer_the_better_ranking():
    better = {"q1": ["d", "b", "c", "a"], "q2": ["z", "x", "y"]}
    lists = jd.clicks.interleave(RUN, better, k=4, seed=3, sessions=2000)
    log = jd.clicks.simulate_clicks(QRELS, lists.lists(), "cascade", sessions=2000)
    found = jd.clicks.score_interleaving(lists, log)["session"]
    assert found.wins_b > found.wins_a
    assert found.p_value < 1e-6
    assert found.delta > 0
    assert found.test == "sign"


def test_sessions_of_a_query_that_saw_one_list_are_a_cluster():
    better = {"q1": ["d", "b", "c", "a"], "q2": ["z", "x", "y"]}
    lists = jd.clicks.interleave(RUN, better, k=4, seed=3)
    log = jd.clicks.simulate_clicks(QRELS, lists.lists(), "cascade", sessions=2000)
    found = jd.clicks.score_interleaving(lists, log)["session"]
    assert found.test == "clustered"
    assert found.p_value > 0.05  # two queries are two observations


def test_the_interval_of_a_share_excludes_one_half_exactly_if_p_is_small():
    from judged.clicks.interleaving.methods import outcome

    rng = np.random.default_rng(0)
    for _ in range(300):
        group = np.repeat(np.arange(6), 8)
        found = outcome(rng.integers(-1, 2, 48) + rng.integers(0, 2, 6)[group], group, clustered=True)
        assert (found.low > 0.5 or found.high < 0.5) == (found.p_value <= 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [None, 300])
def test_equal_rankings_are_rarely_found_to_differ(sessions):
    rejected = 0
    rng = np.random.default_rng(0)
    docs = [f"d{i}" for i in range(8)]
    qrels = {f"q{i:02}": {d: int(g) for d, g in zip(docs, rng.integers(0, 4, 8), strict=True)} for i in range(15)}
    for seed in range(40):
        a = {q: rng.permutation(docs).tolist() for q in qrels}
        lists = jd.clicks.interleave(a, a, k=5, seed=seed, sessions=sessions)
        log = jd.clicks.simulate_clicks(qrels, lists.lists(), "pbm", sessions=300, seed=seed)
        rejected += jd.clicks.score_interleaving(lists, log)["session"].p_value <= 0.05
    assert rejected <= 6  # P(more | 5%) < 0.01


def test_queries_of_one_run_alone_and_clicks_elsewhere_are_told():
    lists = jd.clicks.interleave(RUN, {"q1": ["d"], "q9": ["z"]})
    assert [w.slug for w in lists.warnings] == ["query-unshared"]
    assert lists.warnings[0].count == 2
    log = jd.clicks.read_clicks([("s1", "q1", "d", 1, 1), ("s1", "q1", "new", 2, 1), ("s2", "q7", "d", 1, 1)])
    found = jd.clicks.score_interleaving(lists, log)
    assert [w.slug for w in found.warnings] == ["session-unlisted", "click-unlisted"]
    assert json.loads(found.to_json())["outcomes"][0]["unit"] == "session"
    assert "sign test" in str(found)


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: jd.clicks.interleave(RUN, {"q9": ["a"]}), "no-common-query"),
        (lambda: jd.clicks.interleave(RUN, RUN, method="other"), "parameter"),
        (lambda: jd.clicks.interleave(RUN, {"q1": [("a", 1.0), ("a", 2.0)]}), "duplicate-doc"),
        (
            lambda: jd.clicks.score_interleaving(jd.clicks.interleave(RUN, RUN), [("s", "other", "a", 1, 1)]),
            "no-common-query",
        ),
    ],
)
def test_what_cannot_be_interleaved_is_refused(call, slug):
    with pytest.raises(jd.JudgedError) as error:
        call()
    assert error.value.slug == slug


# ── values from clicks ───────────────────────────────────────────────────────────────────────────


def test_a_run_is_estimated_from_clicks_on_another():
    log = jd.clicks.simulate_clicks(QRELS, RUN, "pbm", sessions=100_000, shuffled=0.3, seed=2)
    other = {"q1": ["d", "b", "c", "a"], "q2": ["z", "x", "y"]}
    relevance = {q: attractiveness_of_grades([QRELS[q][d] for d in docs]) for q, docs in other.items()}
    truth = np.mean([(r[:3] / np.log2(np.arange(2, len(r[:3]) + 2))).sum() for r in relevance.values()])
    given = jd.clicks.evaluate_from_clicks(
        log, other, "DCG@3", propensity=1 / np.arange(1, 5), estimators=["ips"]
    ).estimates[0]
    fitted = jd.clicks.evaluate_from_clicks(log, other, ["DCG@3"], estimators=["ips"], resamples=20).estimates[0]
    assert given.low <= truth <= given.high
    assert abs(fitted.value - truth) < 0.02
    assert fitted.low <= truth <= fitted.high
    assert given.supported == 1.0


@pytest.mark.slow
def test_estimates_are_a_table_of_runs_measures_and_estimators(tmp_path, log):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({"q1": ["d", "new"], "q2": ["z"]}))
    found = jd.clicks.evaluate_from_clicks(
        log, [tmp_path / "a.json", tmp_path / "b.json"], "DCG@2 P@1 CTR", clip=0.01, resamples=10
    )
    assert len(found.to_pandas()) == 2 * 3 * 4
    assert "supported" in str(found)
    assert json.loads(found.to_json())["estimates"][0]["measure"] == "DCG@2"


@pytest.mark.slow
def test_intervals_of_fitted_propensities_hold_the_truth():
    inside = 0
    for seed in range(30):
        log = jd.clicks.simulate_clicks(QRELS, RUN, "pbm", sessions=1000, shuffled=0.3, seed=seed)
        other = {"q1": ["d", "b", "c", "a"], "q2": ["z", "x", "y"]}
        relevance = {q: attractiveness_of_grades([QRELS[q][d] for d in docs]) for q, docs in other.items()}
        truth = np.mean([(r[:3] / np.log2(np.arange(2, len(r[:3]) + 2))).sum() for r in relevance.values()])
        one = jd.clicks.evaluate_from_clicks(log, other, "DCG@3", estimators=["dr"], resamples=60).estimates[0]
        inside += one.low <= truth <= one.high
    assert inside >= 24  # P(fewer | 92%) < 0.01


@pytest.mark.parametrize("measure", ["AP", "DCG@0", "", []])
def test_what_does_not_add_up_over_documents_cannot_be_estimated(measure, log):
    with pytest.raises(jd.UsageError):
        jd.clicks.evaluate_from_clicks(log, RUN, measure)
