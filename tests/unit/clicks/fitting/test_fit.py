"""Fits: closed forms by hand, EM that rises to a top, intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import lists, log_of, users
from numpy.testing import assert_allclose
from scipy import stats

from judged.clicks.data.grid import ShownLists, grid_of
from judged.clicks.data.log import ClickLog
from judged.clicks.fitting.em import climb
from judged.clicks.fitting.fit import MODELS, fit
from judged.clicks.models.chain import Chain
from judged.clicks.models.evaluation import evaluate_clicks
from judged.clicks.models.examination import Examination
from judged.clicks.models.simulation import simulate
from judged.errors import DataError, UsageError

EM = ["dcm", "sdbn", "dbn", "pbm", "ubm"]
ROWS = [
    ("s1", "q", ["a", "b", "c"], [0, 1, 0]),
    ("s2", "q", ["a", "b", "c"], [1, 0, 0]),
    ("s3", "q", ["b", "a", "c"], [0, 0, 0]),
    ("s4", "q", ["b", "a", "c"], [1, 0, 0]),
]


# ── closed forms ─────────────────────────────────────────────────────────────────────────────────


def test_the_cascade_model_counts_clicks_over_documents_that_were_reached():
    found = fit(log_of(ROWS), "cascade", prior=(0, 0)).of("attractiveness")
    # a: reached in s1, s2 (clicked), s3; b: s1 (clicked), s3, s4 (clicked); c: s3 alone
    assert_allclose(found.value, [1 / 3, 2 / 3, 0], rtol=1e-12)


def test_a_prior_adds_its_counts():
    found = fit(log_of(ROWS), "cascade", prior=(1, 2)).of("attractiveness")
    assert_allclose(found.value, [2 / 6, 3 / 6, 1 / 4], rtol=1e-12)


def test_the_interval_of_a_counted_probability_is_that_of_its_posterior():
    found = fit(log_of(ROWS), "cascade").of("attractiveness")
    assert_allclose(found.low[:2], stats.beta.ppf(0.025, [2, 3], [3, 2]), rtol=1e-9)
    assert_allclose(found.high[:2], stats.beta.ppf(0.975, [2, 3], [3, 2]), rtol=1e-9)
    assert_allclose(found.error, np.sqrt(found.value * (1 - found.value) / [5, 5, 3]), rtol=1e-12)


def test_without_a_click_the_interval_begins_at_0():
    found = fit(log_of(ROWS), "cascade").of("attractiveness")
    assert found.low[2] == 0
    assert 0 < found.value[2] < found.high[2] < 1


def test_several_clicks_are_refused_by_the_cascade_model_or_cut_at_the_first():
    log = log_of([("s", "q", ["a", "b", "c"], [0, 1, 1])])
    with pytest.raises(DataError) as error:
        fit(log, "cascade")
    assert error.value.slug == "several-clicks"
    found = fit(log, "cascade", prior=(0, 0), multiple="first").of("attractiveness").value
    assert found[0] == 0
    assert found[1] == 1
    assert np.isnan(found[2])


def test_click_through_rates_are_clicks_over_impressions():
    log = log_of(ROWS)
    assert_allclose(fit(log, "ctr", prior=(0, 0)).of("attractiveness").value, [1 / 4, 2 / 4, 0], rtol=1e-12)
    assert_allclose(fit(log, "rank-ctr", prior=(0, 0)).of("examination").value, [2 / 4, 1 / 4, 0], rtol=1e-12)


def test_the_closed_form_of_the_simplified_model_takes_the_last_click_for_a_satisfying_one():
    log = log_of(
        [
            ("s1", "q", ["a", "b", "c"], [1, 1, 0]),
            ("s2", "q", ["a", "b", "c"], [1, 0, 0]),
            ("s3", "q", ["a", "b", "c"], [0, 0, 0]),
        ]
    )
    found = fit(log, "sdbn", method="counts", prior=(0, 0))
    assert_allclose(found.of("attractiveness").value, [2 / 3, 1 / 2, 0], rtol=1e-12)
    assert_allclose(found.of("satisfaction").value[:2], [1 / 2, 1], rtol=1e-12)
    assert_allclose(found.relevance.value[:2], [1 / 3, 1 / 2], rtol=1e-12)


def test_the_closed_form_of_the_dependent_click_model_counts_last_clicks_by_rank():
    log = log_of(
        [
            ("s1", "q", ["a", "b", "c"], [1, 1, 0]),
            ("s2", "q", ["a", "b", "c"], [1, 0, 0]),
            ("s3", "q", ["a", "b", "c"], [1, 0, 1]),
        ]
    )
    found = fit(log, "dcm", method="counts", prior=(0, 0))
    assert_allclose(found.of("satisfaction").value, [1 / 3, 1, 1], rtol=1e-12)


# ── EM ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("prior", [(0, 0), (1, 1), (2, 5)])
@pytest.mark.parametrize("name", EM)
def test_the_objective_never_falls(name, prior):
    world = lists(queries=5, orders=4)
    found = fit(simulate(users(name, world), world, 2000, seed=1), name, prior=prior)
    rises = np.diff(found.trace)
    assert len(rises) > 0
    assert (rises >= -1e-12 * np.abs(found.trace[-1])).all()


@pytest.mark.parametrize("name", MODELS.names)
def test_the_likelihood_of_a_fit_is_that_of_its_model_on_the_same_sessions(name):
    world = lists(queries=3)
    log = simulate(users("cascade" if name == "cascade" else "dbn", world), world, 1500, seed=2)
    found = fit(log, name)
    assert_allclose(found.log_likelihood, evaluate_clicks(found.model, log).log_likelihood * 1500, rtol=1e-10)


def objective(name, world, log, prior):
    """Log-likelihood plus log prior as a function of all free parameters, from the model's own conditional chances."""
    grid, size, depth = grid_of(log), len(world.pairs), world.pair.shape[1]

    def value(theta):
        if name == "pbm":
            model = Examination(name, world.pairs, theta[:size], np.append(1.0, theta[size:])[:, None])
        elif name == "ubm":
            table, at = np.full((depth, depth + 1), 0.5), size
            table[0, 0] = 1.0
            for k in range(1, depth):
                table[k, : k + 1] = theta[at : at + k + 1]
                at += k + 1
            model = Examination(name, world.pairs, theta[:size], table)
        elif name == "dcm":
            model = Chain(name, world.pairs, theta[:size], theta[size:], 1.0, "rank")
        else:
            model = Chain(name, world.pairs, theta[:size], theta[size : 2 * size], theta[-1] if name == "dbn" else 1.0)
        chance = model.conditional(grid.lists, grid.clicked)
        likely = np.log(np.where(grid.clicked, chance, 1 - chance))
        return (grid.weight[:, None] * likely).sum() + (prior[0] * np.log(theta) + prior[1] * np.log1p(-theta)).sum()

    return value


def parameters(found):
    parts = [found.of("attractiveness")]
    parts += [found.parameters[key] for key in ("satisfaction", "persistence") if key in found.parameters]
    if "examination" in found.parameters:
        parts.append(found.of("examination").part(slice(1, None)))  # without the anchor
    return np.concatenate([p.value for p in parts]), np.concatenate([p.error for p in parts])


def hessian(f, x, step=1e-4):
    size, out = len(x), np.empty((len(x), len(x)))
    unit = np.eye(size) * step
    for i in range(size):
        for j in range(i + 1):
            four = (
                f(x + unit[i] + unit[j])
                - f(x + unit[i] - unit[j])
                - f(x - unit[i] + unit[j])
                + f(x - unit[i] - unit[j])
            )
            out[i, j] = out[j, i] = four / (4 * step * step)
    return out


@pytest.mark.parametrize("name", EM)
def test_em_ends_at_the_top_and_its_errors_come_from_the_curvature_there(name):
    """Against derivatives taken numerically from the models' own likelihood, which share no code with EM and Louis' formula."""
    world, prior = lists(queries=2, docs=4, orders=6), (1, 1)
    log = simulate(users(name, world), world, 6000, seed=3)
    found = fit(log, name, prior=prior)
    value, error = parameters(found)
    f = objective(name, world, log, prior)
    assert_allclose(f(value), found.trace[-1], rtol=1e-9)
    step = 1e-6
    slope = np.array([(f(value + step * e) - f(value - step * e)) / (2 * step) for e in np.eye(len(value))])
    covariance = np.linalg.inv(-hessian(f, value))
    assert slope @ covariance @ slope < 1e-3  # the squared way to the top, in standard errors
    if name == "sdbn":  # satisfaction of what was clicked at the last rank alone is known by the prior
        assert (error > 0).all()
    assert_allclose(error, np.sqrt(np.diag(covariance)), rtol=2e-3)


@pytest.mark.parametrize("name", ["dbn", "sdbn"])
def test_the_error_of_relevance_uses_the_covariance_of_attractiveness_and_satisfaction(name):
    world = lists(queries=2, docs=4, orders=6)
    log = simulate(users(name, world), world, 6000, seed=3)
    found = fit(log, name)
    value, _ = parameters(found)
    covariance = np.linalg.inv(-hessian(objective(name, world, log, (1, 1)), value))
    size = len(world.pairs)
    for i in range(size):
        slope = np.zeros(len(value))
        slope[i], slope[size + i] = value[size + i], value[i]
        assert_allclose(found.relevance.error[i], np.sqrt(slope @ covariance @ slope), rtol=3e-3)


def test_plain_em_and_its_quick_form_end_at_the_same_place():
    def step(x):  # a slow map to (0.3, 0.6), with its distance as objective
        goal = np.array([0.3, 0.6])
        return x + 0.05 * (goal - x), -float(((x - goal) ** 2).sum())

    found = climb(
        np.array([0.9, 0.1]), step, lambda x: (np.array([0.3, 0.6]) - x, float(((x - [0.3, 0.6]) ** 2).sum()))
    )
    assert_allclose(found.parameters, [0.3, 0.6], atol=0.02)
    assert found.converged
    assert (np.diff(found.trace) >= 0).all()


def test_em_that_is_stopped_early_says_so():
    world = lists(queries=5, orders=4)
    found = fit(simulate(users("ubm", world), world, 2000, seed=1), "ubm", max_steps=1)
    assert not found.converged
    assert found.steps <= 4


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def truths(model, found):
    """The known values of what a fit estimated."""
    known = {"attractiveness": model.attractiveness}
    if isinstance(model, Chain) and "satisfaction" in found.parameters:
        known["satisfaction"] = model.satisfaction
    if "persistence" in found.parameters:
        known["persistence"] = np.array([model.persistence])
    if "examination" in found.parameters:
        at = found.labels["examination"]
        known["examination"] = np.array(
            [model.examination[k - 1, j] for k, j in (a if isinstance(a, tuple) else (a, 0) for a in at)]
        )
    return known


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cascade", *EM])
def test_known_parameters_lie_within_their_95_percent_intervals_about_95_times_of_100(name):
    world = lists(queries=60, docs=8, orders=8, seed=7)
    model = users(name, world, seed=8)
    found = fit(simulate(model, world, 120_000, seed=9), name)
    inside = {}
    for key, truth in truths(model, found).items():
        estimate = found.of(key)
        inside[key] = (estimate.low <= truth) & (truth <= estimate.high)
    every = np.concatenate(list(inside.values()))
    assert len(every) >= 480
    assert 0.93 <= every.mean() <= 0.97
    for key, one in inside.items():
        if len(one) >= 100:
            assert 0.92 <= one.mean() <= 0.98, key
        else:  # few shared parameters: all but a fair share of them
            assert (~one).sum() <= stats.binom.ppf(0.999, len(one), 0.05), key


@pytest.mark.parametrize("name", ["dbn", "sdbn"])
def test_known_relevance_lies_within_its_interval(name):
    world = lists(queries=60, docs=8, orders=8, seed=7)
    model = users(name, world, seed=8)
    found = fit(simulate(model, world, 120_000, seed=9), name).relevance
    truth = model.attractiveness * model.satisfaction
    assert 0.93 <= ((found.low <= truth) & (truth <= found.high)).mean() <= 0.98


@pytest.mark.parametrize("name", ["cascade", "dbn", "pbm", "ubm"])
def test_few_sessions_give_wide_intervals_that_still_hold(name):
    world = lists(queries=60, docs=8, orders=8, seed=7)
    model = users(name, world, seed=8)
    found = fit(simulate(model, world, 6_000, seed=9), name).of("attractiveness")
    inside = (found.low <= model.attractiveness) & (model.attractiveness <= found.high)
    assert 0.92 <= inside.mean() <= 0.99


def test_the_closed_form_of_the_simplified_model_is_biased_where_users_reach_the_end():
    world = lists(queries=60, docs=8, orders=8, seed=7)
    model = users("sdbn", world, seed=8)
    log = simulate(model, world, 120_000, seed=9)
    counts, exact = fit(log, "sdbn", method="counts"), fit(log, "sdbn")
    bias = [(f.of("satisfaction").value - model.satisfaction).mean() for f in (counts, exact)]
    assert bias[0] > 0.05
    assert abs(bias[1]) < 0.005


def test_persistence_can_be_fixed_and_1_is_the_simplified_model():
    world = lists(queries=5, orders=4)
    log = simulate(users("sdbn", world), world, 3000, seed=1)
    fixed, simple = fit(log, "dbn", persistence=1.0), fit(log, "sdbn")
    assert "persistence" not in fixed.parameters
    assert_allclose(fixed.of("attractiveness").value, simple.of("attractiveness").value, rtol=1e-12)


# ── what cannot be told ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["pbm", "ubm"])
def test_examination_at_the_first_rank_is_1_by_definition(name):
    world = lists(queries=5, orders=4)
    found = fit(simulate(users("pbm", world), world, 3000, seed=1), name).of("examination")
    assert found.value[0] == found.low[0] == found.high[0] == 1
    assert found.error[0] == 0


def test_half_the_examination_everywhere_halves_the_attractiveness_instead():
    world = lists(queries=20, docs=6, orders=6)
    model = users("pbm", world)
    dim = Examination("pbm", world.pairs, model.attractiveness, model.examination / 2)
    found = fit(simulate(dim, world, 100_000, seed=1), "pbm").of("attractiveness")
    assert ((found.low <= model.attractiveness / 2) & (model.attractiveness / 2 <= found.high)).mean() > 0.9


def test_documents_that_never_change_their_rank_leave_the_position_based_model_unidentified():
    world = lists(queries=4, orders=1)
    found = fit(simulate(users("pbm", world), world, 2000, seed=1), "pbm")
    at_top = np.zeros(len(world.pairs), bool)
    at_top[world.pair[:, 0]] = True
    assert (np.isnan(found.of("attractiveness").low) == ~at_top).all()
    assert [w.slug for w in found.warnings] == ["unidentified"]
    assert found.warnings[0].count == (~at_top).sum()


def test_one_order_alone_leaves_persistence_unidentified():
    """Any persistence gives the same chances of clicks, with other attractiveness and satisfaction below the first rank."""
    world = lists(queries=1, orders=1)
    model = users("dbn", world)
    order = world.pair[0]
    a, s, old, new = model.attractiveness[order], model.satisfaction[order], 0.85, 0.95
    b, t, through_old, through_new = a.copy(), s.copy(), 1.0, 1.0
    for k in range(1, len(order)):
        b[k] = old * through_old * a[k] / (new * through_new)
        t[k - 1] = 1 - (1 - s[k - 1]) * through_new / through_old
        through_old, through_new = through_old * old * (1 - a[k]), through_new * new * (1 - b[k])
    other_a, other_s = np.empty_like(b), np.empty_like(t)
    other_a[order], other_s[order] = b, t
    other = Chain("dbn", world.pairs, other_a, other_s, new)
    assert ((other_a > 0) & (other_a < 1) & (other_s > 0) & (other_s < 1)).all()
    assert_allclose(other.marginal(world), model.marginal(world), rtol=1e-12)
    found = fit(simulate(model, world, 2000, seed=1), "dbn")
    assert np.isnan(found.of("persistence").low).all()
    assert found.warnings[0].slug == "unidentified"
    assert not fit(simulate(model, world, 2000, seed=1, shuffled=0.5), "dbn").warnings


def test_a_parameter_that_was_never_tried_is_nan_without_a_prior():
    log = log_of([("s1", "q", ["a", "b"], [0, 1]), ("s2", "q", ["b", "a"], [1, 0]), ("s3", "q", ["a", "b"], [0, 0])])
    found = fit(log, "dbn", prior=(0, 0), persistence=0.9).of("satisfaction")
    assert np.isnan(found.value[0])
    assert np.isnan(found.low[0])
    assert not np.isnan(fit(log, "dbn", persistence=0.9).of("satisfaction").value).any()


@pytest.mark.parametrize("name", ["cascade", "dcm", "sdbn", "dbn", "ubm"])
def test_a_gap_in_the_ranks_is_refused_by_models_of_users_who_go_down_the_list(name):
    log = ClickLog.of(["s", "s"], ["q", "q"], ["a", "b"], [1, 3], [0, 1])
    with pytest.raises(DataError) as error:
        fit(log, name)
    assert error.value.slug == "rank-gap"


@pytest.mark.parametrize("name", ["pbm", "ctr", "rank-ctr"])
def test_a_gap_in_the_ranks_does_not_matter_to_the_others(name):
    log = ClickLog.of([1, 1, 2, 2], ["q"] * 4, ["a", "b", "b", "a"], [1, 3, 1, 3], [0, 1, 1, 0])
    assert fit(log, name).sessions == 2


@pytest.mark.parametrize("name", MODELS.names)
def test_a_log_without_a_click_is_fitted(name):
    log = log_of([(f"s{i}", "q", ["a", "b"] if i % 2 else ["b", "a"], [0, 0]) for i in range(20)])
    found = fit(log, name)
    assert found.relevance is None or (found.relevance.low == 0).all()


@pytest.mark.parametrize("name", MODELS.names)
def test_one_session_with_one_document_is_fitted(name):
    found = fit(log_of([("s", "q", ["a"], [1])]), name)
    assert np.isfinite(found.log_likelihood)


def test_queries_with_too_many_documents_get_intervals_from_the_diagonal(monkeypatch):
    world = lists(queries=3, orders=4)
    log = simulate(users("dbn", world), world, 3000, seed=1)
    full = fit(log, "dbn")
    monkeypatch.setattr("judged.clicks.fitting.information.Blocks.feasible", lambda self: False)
    diagonal = fit(log, "dbn")
    assert diagonal.information == "diagonal"
    assert diagonal.warnings[0].slug == "clicks-diagonal"
    assert_allclose(diagonal.of("attractiveness").value, full.of("attractiveness").value, rtol=0.05)


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "dnb"},
        {"prior": (-1, 1)},
        {"prior": (1,)},
        {"prior": (1, float("inf"))},
        {"level": 1},
        {"tolerance": 0},
        {"max_steps": 0},
        {"persistence": 2},
        {"method": "counts"},
        {"model": "sdbn", "method": "other"},
        {"model": "cascade", "multiple": "last"},
    ],
)
def test_a_wrong_call_is_refused(wrong):
    with pytest.raises(UsageError):
        fit(log_of(ROWS), **{"model": "dbn", **wrong})


def test_a_wrong_name_gets_the_nearest_right_one():
    with pytest.raises(UsageError) as caught:
        fit(log_of(ROWS), "dbnn")
    assert (caught.value.slug, str(caught.value.hint)) == ("unknown-click-model", "did you mean dbn?")


def test_equal_sessions_may_come_as_often_as_they_like():
    """Putting equal sessions together changes no number: ten copies of a log have the estimates of one with ten times the sessions."""
    rows = [
        ("s1", "q", ["a", "b"], [1, 0]),
        ("s2", "q", ["b", "a"], [1, 1]),
        ("s3", "q", ["b", "a"], [0, 1]),
        ("s4", "q", ["a", "b"], [0, 0]),
    ]
    many = [(f"{s}{i}", *rest) for i in range(10) for s, *rest in rows]
    mixed = [many[i] for i in np.random.default_rng(0).permutation(len(many))]
    one, other = fit(log_of(many), "dbn"), fit(log_of(mixed), "dbn")
    assert_allclose(one.of("attractiveness").value, other.of("attractiveness").value, rtol=1e-9)


def test_lists_of_different_lengths_are_fitted_together():
    world = ShownLists.of({"q": list("abcd"), "p": list("xy")})
    model = users("dbn", world)
    log = simulate(model, world, 40_000, seed=0, shuffled=1.0)
    found = fit(log, "dbn").of("attractiveness")
    assert (np.abs(found.value - model.attractiveness) < 4 * found.error).all()
