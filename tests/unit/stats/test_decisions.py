"""One decision per pair: p, interval and verdict of every test and correction agree; error rates of the defaults."""

from itertools import combinations

import numpy as np
import pytest
from for_each import for_each
from refusals import refusal

from judged.errors import UsageError
from judged.stats.corrections import CORRECTIONS, adjusted
from judged.stats.decisions import APART, decide_family
from judged.stats.paired.registry import TESTS, interval_of, outcome

MEANS = [t for t in TESTS if t.interval]
PAIRS = list(combinations(range(4), 2))
SIZES = [1, 2, 3, 4, 5, 6, 9, 14, 17, 18, 50]


def tables(n, k=4):
    rng = np.random.default_rng(n)
    yield rng.normal(0, 0.3, (n, k)) + np.arange(k) * 0.2
    yield rng.integers(0, 6, (n, k)) / 5 * np.arange(1, k + 1) / k  # ties
    yield np.arange(k) ** 2 * 0.1 + np.zeros((n, 1))  # constant differences
    yield rng.choice([0, 0, 0, 0.3, -0.1], (n, k)) * np.array([0, 0, 1, 2])  # zeros; the first two are identical


def decide(x, pairs, *, limit=np.inf, clusters=None, **more):
    return decide_family([x], pairs, limits=[limit], clusters=[clusters], **more)[0]


def options(test):
    return {"resamples": 999} if "resamples" in test.options else {}


@for_each("test", MEANS, ids=lambda t: t.name)
@for_each("n", SIZES)
def test_the_interval_of_a_test_excludes_0_exactly_if_p_is_at_most_the_level(test, n):
    for x in tables(n):
        d = np.concatenate([x, -x, x[:, 1:] - x[:, :1]], axis=1)
        p = outcome(d, test, **options(test)).p
        for level in (0.5, 0.25, 0.0625, 0.05, 0.03125, 0.001):
            low, high = interval_of(d, test, level=level, p=p, **options(test))
            assert (((low > 0) | (high < 0)) == (p <= level)).all()
            inside = np.abs(d - d.mean(axis=0)).max(axis=0) > 1e-9  # the mean itself is never rejected
            assert (low[inside] <= d.mean(axis=0)[inside]).all()
            assert (high[inside] >= d.mean(axis=0)[inside]).all()


@pytest.mark.parametrize("test", MEANS, ids=lambda t: t.name)
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("n", [9, 40])
def test_an_interval_holds_the_means_that_the_test_does_not_reject(test, clusters, n):
    rng = np.random.default_rng(n)
    d = np.stack([rng.normal(0.1, 0.3, n), rng.exponential(1, n) - 0.8, rng.integers(-2, 4, n) / 10], axis=1)
    own = {**options(test), **({"clusters": np.arange(n) * 3 // 5 % 12} if clusters else {})}
    low, high = interval_of(d, test, level=0.1, **own)
    for end, out in ((low, -1e-6), (high, 1e-6)):
        assert (outcome(d - end + out, test, **own).p > 0.1).all()
        assert (outcome(d - end - out, test, **own).p <= 0.1).all()


def test_tests_of_wins_have_the_interval_of_the_t_test():
    d = np.random.default_rng(1).normal(0.1, 0.3, (30, 3))
    for test in TESTS:
        if not test.interval:
            np.testing.assert_array_equal(interval_of(d, test, level=0.01), interval_of(d, "t", level=0.01))


@pytest.mark.slow
@for_each("correction", list(CORRECTIONS), ids=lambda c: c.name)
@for_each("test", list(TESTS), ids=lambda t: t.name)
def test_better_and_worse_are_the_pairs_whose_interval_excludes_0(test, correction):
    if correction.function is None and not test.corrects:
        with pytest.raises(UsageError):
            decide(np.eye(3), [(0, 1)], test=test.name, correction=correction.name)
        return
    for n in SIZES:
        for x in tables(n):
            found = decide(x, PAIRS, test=test.name, correction=correction.name, **options(test))
            excluded, known = (found.low > 0) | (found.high < 0), ~np.isnan(found.low)
            apart = np.array([v in APART for v in found.verdict])
            assert (apart == (found.adjusted <= 0.05) & known).all()
            assert all((v == "identical") == (not (x[:, b] != x[:, a]).any()) for v, (a, b) in zip(found.verdict, PAIRS, strict=True))  # fmt: skip
            if test.interval:
                assert (apart == excluded).all()
                assert {v for v, a in zip(found.verdict, apart, strict=True) if a} <= {"better", "worse"}
                assert (known | (found.adjusted > 0.05)).all()
            else:
                assert not {"better", "worse"} & set(found.verdict)


def test_the_interval_is_at_the_level_of_the_correction():
    x = np.random.default_rng(2).normal(0, 0.3, (40, 4)) + np.arange(4) * 0.1
    d = np.stack([x[:, b] - x[:, a] for a, b in PAIRS], axis=1)
    for name, level in {"bonferroni": 0.05 / 6, "none": 0.05}.items():
        found = decide(x, PAIRS, correction=name)
        np.testing.assert_allclose(found.level, level, rtol=1e-12)
        np.testing.assert_allclose([found.low, found.high], interval_of(d, "t", level=level), rtol=1e-9)
    holm = decide(x, PAIRS, correction="holm")
    np.testing.assert_allclose(holm.level, 0.05 * holm.p / adjusted(holm.p, "holm", most=np.inf), rtol=1e-9)


def test_a_family_is_corrected_for_the_pairs_of_all_tables():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, (30, 3)), rng.normal(0.5, 1, (20, 3))
    pairs = [(0, 1), (0, 2)]
    first, second = decide_family([x, y], pairs, correction="holm")
    p = np.r_[outcome(x[:, 1:] - x[:, :1], "t").p, outcome(y[:, 1:] - y[:, :1], "t").p]
    np.testing.assert_allclose(np.r_[first.adjusted, second.adjusted], adjusted(p, "holm"), rtol=1e-12)
    assert first.tests == second.tests == 4
    maxima = decide_family([x, y], pairs, test="permutation", correction="max")
    alone = decide(x, pairs, test="permutation", correction="max").adjusted
    np.testing.assert_array_equal(maxima[0].adjusted, np.minimum(1, 2 * alone))


def test_equal_is_an_interval_within_the_margin_even_if_it_excludes_0():
    d = np.tile([0.010, 0.011, 0.009, 0.010], 10)
    x = np.stack([np.zeros(40), d], axis=1)
    assert decide(x, [(0, 1)]).verdict == ("better",)
    assert decide(x, [(0, 1)], margin=0.02).verdict == ("equal",)
    assert decide(x, [(0, 1)], margin=0.005).verdict == ("better",)


def test_without_differences_the_verdict_is_identical_and_never_equal():
    for n in (1, 2, 3, 40):
        found = decide(np.full((n, 2), 0.5), [(0, 1)], margin=0.1)
        assert found.verdict == ("identical",)
        assert np.isnan(found.low[0])


@for_each("test", MEANS, ids=lambda t: t.name)
@for_each("n", range(1, 12))
def test_a_constant_difference_decides_if_random_signs_do(test, n):
    x = np.stack([np.zeros(n), np.full(n, 0.1)], axis=1)
    found = decide(x, [(0, 1)], test=test.name)
    assert found.verdict == ("better" if 2 / 2**n <= 0.05 else "too few queries",)
    if found.verdict == ("better",):
        assert (found.low[0], found.high[0]) == pytest.approx((0.1, 0.1), rel=1e-9)
    else:
        assert np.isnan([found.low[0], found.high[0]]).all()


def test_two_queries_are_tested_by_t_as_they_are():
    x = np.array([[0.0, 0.5], [0.0, 0.50001]])
    assert decide(x, [(0, 1)]).verdict == ("better",)
    assert decide(x, [(0, 1)], test="permutation").verdict == ("too few queries",)


def test_differences_stay_within_the_range_of_the_measure():
    x = np.array([[0.0, 1.0], [0.0, 0.2], [0.1, 0.9]])
    assert decide(x, [(0, 1)]).high[0] > 1
    assert decide(x, [(0, 1)], limit=1.0).high[0] == 1


def test_a_resampling_test_that_cannot_reach_the_level_gives_way_to_t():
    x = np.random.default_rng(4).normal(0, 1, (30, 3))
    pairs = [(0, 1), (0, 2), (1, 2)]
    for test in ("permutation", "bootstrap"):
        found = decide(x, pairs, test=test, resamples=598)  # 0.05/3 · 599 < 10
        assert (found.test, len(found.remarks)) == ("t", 1)
        np.testing.assert_array_equal(found.p, decide(x, pairs).p)
        assert decide(x, pairs, test=test, resamples=599).test == test
        assert decide(x, pairs, test=test, resamples=598, correction="none").test == test
    few = decide(x[:9], pairs, test="permutation", resamples=598)  # all 512 assignments are enumerated
    assert (few.test, few.remarks) == ("permutation", ())


def test_a_remark_says_that_queries_are_too_few_for_any_verdict():
    x = np.random.default_rng(5).normal(0, 1, (6, 3))
    for test in ("permutation", "sign", "wilcoxon"):
        assert decide(x, [(0, 1)], test=test).remarks == ()  # 2/2⁶ ≤ 0.05
        assert "0.094" in decide(x, [(0, 1), (0, 2), (1, 2)], test=test).remarks[0]
    assert decide(x, [(0, 1), (0, 2), (1, 2)]).remarks == ()


@pytest.mark.parametrize("size", [1e300, 1e-300])
@pytest.mark.parametrize("test", list(TESTS), ids=lambda t: t.name)
def test_values_of_any_size_have_a_decision(test, size):
    x = np.random.default_rng(6).normal(0, 1, (20, 2)) + np.array([0, 2])
    plain, found = (decide(y, [(0, 1)], test=test.name) for y in (x, x * size))
    assert found.verdict == plain.verdict
    np.testing.assert_allclose([found.low / size, found.high / size], [plain.low, plain.high], rtol=1e-6)


@pytest.mark.slow
def test_a_table_has_a_false_finding_in_at_most_5_percent_and_never_contradicts_itself():
    rng, wrong, contradictions = np.random.default_rng(8), 0, 0
    for _ in range(600):
        found = decide_family([rng.gamma(4, 1, (50, 4)) for _ in range(3)], PAIRS)  # three measures, four equal systems
        wrong += any(v in APART for d in found for v in d.verdict)
        for d in found:
            contradictions += sum((low > 0 or high < 0) != (v in APART) for low, high, v in zip(d.low, d.high, d.verdict, strict=True))  # fmt: skip
    assert wrong / 600 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
    assert contradictions == 0


def test_ten_clusters_of_different_sizes_reject_equal_means_in_about_5_percent():
    rng = np.random.default_rng(9)
    sizes = np.array([1, 2, 3, 4, 6, 8, 10, 15, 25, 40])
    codes = np.repeat(np.arange(10), sizes)
    d = np.repeat(rng.normal(0, 1, (10, 3_000)), sizes, axis=0) * 0.5 + rng.normal(0, 1, (len(codes), 3_000))
    assert (outcome(d, "t", clusters=codes).p <= 0.05).mean() < 0.075  # 11% with as many degrees of freedom as clusters
    assert (outcome(d, "t").p <= 0.05).mean() > 0.3


@pytest.mark.parametrize("alpha", [0, 0.5, 0.7, -0.1, float("nan"), "5%", True])
def test_alpha_is_above_0_and_below_one_half(alpha):
    refusal("parameter", decide, [[0.1, 0.2], [0.3, 0.5]], [(0, 1)], alpha=alpha)


def test_an_interval_that_touches_the_margin_is_not_within_it():
    for sign, apart in ((1, "better"), (-1, "worse")):
        x = np.stack([np.zeros(20), np.full(20, sign * 0.25)], axis=1)
        assert decide(x, [(0, 1)], margin=0.25).verdict == (apart,)
        assert decide(x, [(0, 1)], margin=0.2501).verdict == ("equal",)


def test_the_seed_decides_what_a_decision_draws():
    x = np.random.default_rng(3).normal([0, 0.1], 0.3, (40, 2))
    for test in [t for t in TESTS if "resamples" in t.options]:
        p = [decide(x, [(0, 1)], test=test.name, resamples=499, seed=seed).p[0] for seed in (0, 1, 1, 2, 3)]
        assert p[1] == p[2]
        assert len(set(p)) > 1
