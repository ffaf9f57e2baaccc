"""Click models: the cascade formulas of the notes, fits by hand, fits that end at the maximum, grades."""

from dataclasses import replace

import numpy as np
import pytest
from click_world import log_of, simulated, users
from numpy.testing import assert_allclose
from refusals import refusal

import judged as jd
from judged.clicks import cascade_clicks, fit_clicks

MODELS = ("cascade", "pbm", "dbn")

TIGHT = {"rtol": 1e-12, "atol": 0}
ROWS = [
    ("s1", "q", ["a", "b", "c"], [0, 1, 0]),
    ("s2", "q", ["a", "b", "c"], [1, 0, 0]),
    ("s3", "q", ["b", "a", "c"], [0, 0, 0]),
    ("s4", "q", ["b", "a", "c"], [1, 0, 0]),
]


def test_the_chance_of_a_click_is_the_documents_own_times_that_nothing_above_was_clicked():
    r = [0.3, 0.5, 0.2]
    model = cascade_clicks(r)
    assert_allclose(model.clicked, [0.3, 0.5 * (1 - 0.3), 0.2 * (1 - 0.3) * (1 - 0.5)], **TIGHT)
    assert_allclose(model.examined, [1, 1 - 0.3, (1 - 0.3) * (1 - 0.5)], **TIGHT)
    assert_allclose(model.no_click, (1 - 0.3) * (1 - 0.5) * (1 - 0.2), **TIGHT)


def test_an_empty_list_is_never_clicked():
    model = cascade_clicks([])
    assert model.no_click == 1
    assert model.reciprocal_rank == 0
    assert len(model.clicked) == 0


@pytest.mark.parametrize("k", [1, 3, 10, 30])
def test_err_is_the_cascade_models_expected_reciprocal_rank(k):
    grades = np.random.default_rng(k).integers(0, 5, (25, 30))
    qrels = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(row)} for i, row in enumerate(grades)}
    run = {query: {f"d{j}": 30.0 - j for j in range(30)} for query in qrels}
    values = jd.evaluate(qrels, run, f"ERR@{k}")
    expected = cascade_clicks((2.0 ** grades[:, :k] - 1) / 2**4).reciprocal_rank
    by_query = dict(zip(qrels, expected, strict=True))
    for query, value in zip(values.queries, values[f"ERR@{k}"], strict=True):
        assert_allclose(value, by_query[query], **TIGHT)


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [np.nan, 0.5], [[[0.5]]], ["x"]])
def test_what_is_no_probability_is_refused(wrong):
    refusal("parameter", cascade_clicks, wrong)


def test_the_cascade_model_counts_clicks_over_documents_that_were_reached():
    # a: reached in s1, s2 (clicked), s3; b: s1 (clicked), s3, s4 (clicked); c: s3 alone
    assert_allclose(fit_clicks(log_of(ROWS), "cascade", prior=(0, 0)).attractiveness, [1 / 3, 2 / 3, 0], **TIGHT)


def test_a_prior_adds_its_counts():
    assert_allclose(fit_clicks(log_of(ROWS), "cascade", prior=(1, 2)).attractiveness, [2 / 6, 3 / 6, 1 / 4], **TIGHT)


def test_several_clicks_are_refused_by_the_cascade_model():
    log = log_of([("s", "q", ["a", "b", "c"], [0, 1, 1])])
    refusal("clicks", fit_clicks, log, "cascade")


def test_the_likelihood_of_a_position_based_model_by_hand():
    """One document at two ranks: a = 1/2 from rank 1, and e = 1/4 ÷ 1/2 from rank 2."""
    log = log_of(
        [(f"x{i}", "q", ["a", "z"], [i % 2, 0]) for i in range(8)]
        + [(f"y{i}", "q", ["z", "a"], [0, i < 2]) for i in range(8)]
    )
    found = fit_clicks(log, "pbm", prior=(0, 0))
    assert_allclose([found.attractiveness[0], *found.examination], [1 / 2, 1, 1 / 2], rtol=1e-6)
    assert_allclose(found.log_likelihood, 8 * np.log(1 / 2) + 2 * np.log(1 / 4) + 6 * np.log(3 / 4), rtol=1e-9)


def likelihood(known, log):
    """The log-likelihood of a log from the story of the model."""
    starts = np.flatnonzero(np.diff(log.session, prepend=-1))
    total = 0.0
    for rows in np.split(np.arange(len(log)), starts[1:]):
        pairs = log.pairs.ids(log.pair[rows])
        total += np.log(known.chance(pairs[0][0], [doc for _, doc in pairs], log.clicked[rows].tolist()))
    return total


def refitted(known, found):
    """The users of a fitted model."""
    pairs = found.log.pairs.ids()
    satisfaction = (
        known.satisfaction if found.satisfaction is None else dict(zip(pairs, found.satisfaction, strict=True))
    )
    return replace(
        known,
        attractiveness=dict(zip(pairs, found.attractiveness, strict=True)),
        satisfaction=satisfaction,
        examination=known.examination if found.examination is None else found.examination,
        persistence=known.persistence if found.persistence is None else found.persistence,
    )


@pytest.mark.parametrize("name", MODELS)
def test_the_likelihood_of_a_fit_is_that_of_the_models_story(name):
    known = users(name)
    found = fit_clicks(simulated(known, 400), name)
    assert_allclose(found.log_likelihood, likelihood(refitted(known, found), found.log), rtol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_is_at_the_maximum_of_the_models_story(name):
    """Any parameter that is moved a little lowers the likelihood plus the prior, which share no code with the fit."""
    known = users(name, queries=1, docs=3)
    found = fit_clicks(simulated(known, 300), name)
    top = refitted(known, found)

    def objective(one):
        free = [*one.attractiveness.values(), *(one.satisfaction.values() if name == "dbn" else ())]
        free += [*(one.examination[1:] if name == "pbm" else ()), *([one.persistence] if name == "dbn" else ())]
        # The cascade model is counted, and its prior is that of the mean.
        return likelihood(one, found.log) + sum(np.log(x) + np.log1p(-x) for x in free)

    best = objective(top)
    for step in (-0.02, 0.02):
        for pair in top.attractiveness:
            assert (
                objective(replace(top, attractiveness={**top.attractiveness, pair: top.attractiveness[pair] + step}))
                < best
            )
        if name == "pbm":
            assert objective(replace(top, examination=top.examination + np.array([0, step, 0]))) < best
        if name == "dbn":
            assert objective(replace(top, persistence=top.persistence + step)) < best


@pytest.mark.parametrize("name", MODELS)
def test_known_parameters_are_found_again(name):
    known = users(name, queries=3, docs=5, seed=8)
    found = fit_clicks(simulated(known, 12_000), name)
    truth = [known.attractiveness[pair] for pair in found.log.pairs.ids()]
    assert np.abs(found.attractiveness - truth).mean() < 0.02
    if name == "pbm":
        assert_allclose(found.examination, known.examination, atol=0.04)
    if name == "dbn":
        assert abs(found.persistence - known.persistence) < 0.02


def test_a_fixed_persistence_is_not_estimated():
    log = simulated(users("dbn"), 500)
    assert fit_clicks(log, "dbn", persistence=0.7).persistence == 0.7
    with pytest.raises(jd.UsageError):
        fit_clicks(log, "dbn", persistence=0)


def test_documents_that_never_change_their_rank_leave_the_position_based_model_unidentified():
    found = fit_clicks(simulated(users("pbm", queries=4), 500, shuffled=0.0), "pbm")
    assert [(w.slug, w.count) for w in found.warnings] == [("unidentified", 4 * 3)]
    assert fit_clicks(simulated(users("pbm", queries=4), 500), "pbm").warnings == ()


def test_one_order_alone_leaves_persistence_unidentified():
    log = simulated(users("dbn", queries=4), 500, shuffled=0.0)
    assert [(w.slug, w.count) for w in fit_clicks(log, "dbn").warnings] == [("unidentified", 4 * 3)]
    assert fit_clicks(log, "dbn", persistence=0.85).warnings == ()


def test_lists_of_different_lengths_are_fitted():
    log = log_of([(i, "q", ["a", "b", "c"][: 1 + i % 3], [i % 2, 0, 0][: 1 + i % 3]) for i in range(30)])
    for name in MODELS:
        found = fit_clicks(log, name)
        assert ((found.attractiveness > 0) & (found.attractiveness < 1)).all()


def test_a_gap_in_a_list_is_refused_except_by_the_position_based_model():
    log = jd.clicks.read_clicks([("s", "q", "a", 1, 0), ("s", "q", "b", 3, 1)])
    for name in ("cascade", "dbn"):
        refusal("clicks", fit_clicks, log, name)
    assert len(fit_clicks(log, "pbm").examination) == 3


@pytest.mark.parametrize(
    ("wrong", "slug"),
    [
        ({"model": "best"}, "parameter"),
        ({"model": "pbm", "persistence": 0.5}, "parameter"),
        ({"prior": (1,)}, "parameter"),
        ({"prior": (-1, 1)}, "parameter"),
        ({"prior": "ab"}, "parameter"),
    ],
)
def test_a_wrong_call_is_refused(wrong, slug):
    refusal(slug, fit_clicks, log_of(ROWS), **wrong)


@pytest.mark.parametrize("name", ["cascade", "dbn"])
def test_grades_of_simulated_users_are_recovered(name):
    grades = np.random.default_rng(0).integers(0, 5, 2 * 6)
    known = users(name, docs=6)
    relevance = (2.0**grades - 1) / 2**4 if name == "cascade" else np.sqrt((2.0**grades - 1) / 2**4)
    chances = dict(zip(known.attractiveness, relevance, strict=True))
    fit = fit_clicks(simulated(replace(known, attractiveness=chances, satisfaction=chances), 20_000), name)
    assert dict(zip(fit.log.pairs.ids(), fit.qrels().grade, strict=True)) == dict(zip(chances, grades, strict=True))


def test_the_chances_of_err_get_their_own_grades_back():
    for top in (1, 2, 4, 10):
        grades = np.arange(top + 1)
        rows = [(d, "q", [d], [0]) for d in grades.tolist()]
        fit = replace(fit_clicks(log_of(rows), "cascade"), attractiveness=(2.0**grades - 1) / 2**top)
        assert fit.qrels(top).grade.tolist() == grades.tolist()


def test_pairs_that_were_shown_too_seldom_are_left_out():
    log = log_of([("1", "q", ["a", "b"], [1, 0]), ("2", "q", ["a"], [0])])
    assert fit_clicks(log, "pbm").qrels(minimum=2).doc.tolist() == [b"a"]
    refusal("empty-qrels", lambda: fit_clicks(log, "pbm").qrels(minimum=10**9))


@pytest.mark.parametrize(
    "wrong", [{"levels": 0}, {"levels": 51}, {"levels": 2.5}, {"minimum": -1}, {"minimum": float("nan")}]
)
def test_a_scale_that_cannot_be_is_refused(wrong):
    with pytest.raises(jd.UsageError):
        fit_clicks(log_of([("1", "q", ["a"], [1])]), "pbm").qrels(**wrong)
