"""Weights of queries in comparisons: a t test of the weighted difference, and refusals of everything else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refusal
from scipy.stats import t

import judged as jd
from judged.stats.decisions import decide_family
from judged.stats.paired.registry import outcome

RNG = np.random.default_rng(3)
N = 30
QRELS = {f"q{i:02}": {"a": 1} for i in range(N)}
RANKS = RNG.integers(1, 6, (N, 2))
RUNS = {
    name: {q: [*(f"x{r}" for r in range(RANKS[i, k] - 1)), "a"] for i, q in enumerate(QRELS)}
    for k, name in enumerate("xy")
}
WEIGHTS = dict(zip(QRELS, RNG.integers(1, 9, N).tolist(), strict=True))
W, D = np.array(list(WEIGHTS.values()), float), 1 / RANKS[:, 1] - 1 / RANKS[:, 0]


def compared(weights=WEIGHTS, **options):
    return jd.compare(QRELS, RUNS, "RR", weights=weights, **options)


def by_hand(w, d):
    """The weighted difference, half of its interval, and p: HC3 with the effective number of queries, less one, degrees of freedom."""
    mean, share = np.average(d, weights=w), w / w.sum()
    alike = share @ share
    error = np.sqrt((1 - alike) * ((share * (d - mean) / (1 - 2 * share + alike)) ** 2).sum())
    return mean, t.ppf(0.975, 1 / alike - 1) * error, 2 * t.sf(abs(mean / error), 1 / alike - 1)


def test_the_difference_its_interval_and_p_are_those_of_a_weighted_mean():
    row = compared().rows[0]
    mean, half, p = by_hand(W, D)
    assert (row.difference, row.low, row.high, row.p) == pytest.approx((mean, mean - half, mean + half, p))
    assert (row.mean_a, row.mean_b) == pytest.approx(tuple(np.average(1 / RANKS, axis=0, weights=W)))
    assert row.mean_b - row.mean_a == pytest.approx(row.difference)


def test_means_of_the_comparison_are_those_of_the_evaluation():
    means = {name: jd.evaluate(QRELS, run, "RR", weights=WEIGHTS).mean()["RR"] for name, run in RUNS.items()}
    assert {name: m["RR"] for name, m in compared().means().items()} == pytest.approx(means)


def test_the_interval_excludes_0_on_the_side_of_the_weighted_mean():
    d, w = np.array([-0.5] * 8 + [0.9, 1.0, 1.1, 1.2, 1.0, 0.95] * 3), np.array([0.01] * 8 + [1.0] * 18)
    found = decide_family([np.stack([np.zeros(26), d - 0.45], axis=1)], [(0, 1)], weights=[w])[0]
    assert found.verdict == ("better",)
    assert 0 < found.low[0] < found.high[0]


def test_weighted_tests_reject_equal_means_in_about_5_percent():
    rng, w = np.random.default_rng(5), 1 / np.arange(1, 51)
    for spread in (np.ones(50), np.where(w >= np.quantile(w, 0.9), 2.0, 1.0)):  # also if heavy queries vary more
        d = rng.normal(size=(50, 4_000)) * spread[:, None]
        assert 0.03 < (outcome(d, "t", weights=w).p <= 0.05).mean() < 0.06  # 11% with n - 1 degrees of freedom


def test_queries_won_and_lost_are_counted_without_weights():
    row = compared().rows[0]
    assert (row.wins, row.ties, row.losses) == ((D > 0).sum(), (D == 0).sum(), (D < 0).sum())


def test_equal_weights_change_nothing():
    plain, weighted = jd.compare(QRELS, RUNS, "RR").rows[0], compared(dict.fromkeys(QRELS, 2)).rows[0]
    for name in ("difference", "low", "high", "p", "d_z", "mean_a"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name))
    assert weighted.verdict == plain.verdict


def test_the_settings_say_that_queries_are_weighted():
    assert "weighted" in str(compared().settings)
    assert "weighted" not in str(jd.compare(QRELS, RUNS, "RR").settings)


def test_slices_are_weighted_and_a_weight_of_0_leaves_a_query_out():
    groups = {q: "even" if i % 2 == 0 else "odd" for i, q in enumerate(QRELS)}
    row = next(r for r in compared(slices=groups).parts if r.part == "even")
    mean, _, p = by_hand(W[::2], D[::2])
    assert (row.difference, row.p) == pytest.approx((mean, p))
    half = {q: w if i % 2 == 0 else 0 for i, (q, w) in enumerate(WEIGHTS.items())}
    row = compared(half).rows[0]
    assert (row.queries, row.difference, row.p) == (N / 2, pytest.approx(mean), pytest.approx(p))


def test_a_slice_that_is_too_small_to_test_has_a_weighted_difference():
    groups = {"q00": "few", "q01": "few", **dict.fromkeys(list(QRELS)[2:], "many")}
    row = next(r for r in compared(slices=groups).parts if r.part == "few")
    assert (row.verdict, row.difference) == ("too few queries", pytest.approx(np.average(D[:2], weights=W[:2])))


def test_results_bring_their_weights_along():
    results = {name: jd.evaluate(QRELS, run, "RR", weights=WEIGHTS) for name, run in RUNS.items()}
    assert jd.compare(results).rows[0].difference == pytest.approx(by_hand(W, D)[0])
    other = {**results, "y": replace(results["y"], weights=None)}
    refusal("incomparable", jd.compare, other)


@pytest.mark.parametrize("options", [{"test": "permutation"}, {"test": "wilcoxon"}, {"clusters": dict.fromkeys(QRELS, 1)}])  # fmt: skip
def test_what_would_ignore_weights_refuses_them(options):
    refusal("query-weights", compared, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: jd.report(c, "never-written.html"),
        lambda c: jd.report(c.results[0], "never-written.html"),
        lambda c: jd.power(QRELS, c.results[0], c.results[1]),
        lambda c: jd.leaderboard({"c": dict(zip(c.names, c.results, strict=True))}),
    ],
)
def test_other_statistics_of_weighted_results_are_refused(call):
    refusal("query-weights", call, compared())
    assert not Path("never-written.html").exists()


def test_a_gate_does_not_compare_weighted_with_unweighted_values():
    refusal(
        "incomparable",
        jd.gate,
        QRELS,
        RUNS["x"],
        baseline=compared().results[1],
        measures="RR",
        allow_changed_judgments=True,
    )
