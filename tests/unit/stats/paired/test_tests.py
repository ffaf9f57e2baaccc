"""t, signed ranks, signs and the bootstrap test: against SciPy, against exact fractions, against their definitions."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from for_each import for_each
from refusals import refusal
from scipy import stats

from judged.core.resample import resampled_means
from judged.errors import DataError, UsageError
from judged.stats.differences import last_accepted
from judged.stats.paired.parametric import bootstrap_test, sign, student
from judged.stats.paired.registry import TESTS, interval_of, outcome, outcome_of_pairs
from judged.stats.paired.wilcoxon import wilcoxon
from judged.stats.two_phase import CheapValues


def tables(n, pairs=4):
    rng = np.random.default_rng(n)
    yield rng.normal(0.1, 0.3, (n, pairs))
    yield rng.integers(-3, 5, (n, pairs)) / 8  # ties, and zeros
    yield rng.integers(1, 5, (n, pairs)) * rng.choice([-1.0, 1.0], (n, pairs))  # ties without zeros


SIZES = [2, 3, 5, 12, 13, 14, 25, 49, 50, 51, 200, 7_000]


@for_each("n", SIZES)
def test_t_is_scipys(n):
    for d in tables(n):
        d = d[:, np.ptp(d, axis=0) > 0]
        peer = stats.ttest_1samp(d, 0)
        found = student(d)
        np.testing.assert_allclose(found.statistic, peer.statistic, rtol=1e-12, atol=1e-13)
        # p changes by t² as much as t does, whose last bits depend on the order of a sum
        assert (np.abs(found.p / peer.pvalue - 1) <= 1e-12 + 1e-14 * peer.statistic**2).all()


@pytest.mark.slow
@for_each("n", [2, 3, 6, 14, 25, 49, 50, 51, 200, 7_000])
def test_signed_ranks_are_scipys(n):
    for d in tables(n):
        for x in d.T:
            if not x.any():
                continue
            peer = stats.wilcoxon(x)
            found = wilcoxon(x)
            assert found.statistic[0] == peer.statistic
            np.testing.assert_allclose(found.p[0], peer.pvalue, rtol=1e-12)
        d = d[:, d.any(axis=0)]
        together = wilcoxon(d).p
        assert together.tolist() == [wilcoxon(x).p[0] for x in d.T]


def test_exact_signed_ranks_count_all_assignments_with_ties_and_zeros():
    for d in tables(11):
        found = wilcoxon(d)
        for x, p in zip(d.T, found.p, strict=True):
            there = x[x != 0]
            rank = stats.rankdata(np.abs(there))
            plus = (rank * (there > 0)).sum()
            sums = np.array(list(product([0, 1], repeat=len(rank)))) @ rank
            assert p == pytest.approx(min(1, 2 * min(np.mean(sums >= plus), np.mean(sums <= plus))), rel=1e-14)


def test_signed_ranks_are_exact_up_to_50_queries_without_ties_and_13_with_them():
    plain = np.arange(1.0, 51) * np.resize([1, -1], 50)
    for d, method in (
        (plain, "exact"),
        (np.append(plain, 51.0), "asymptotic"),
        (np.append(plain[:-1], 0.0), "asymptotic"),
    ):
        assert wilcoxon(d).p[0] == pytest.approx(stats.wilcoxon(d, method=method).pvalue, rel=1e-12)
    assert wilcoxon([1.0, 1.0, 2.0, 0.0]).p[0] == 2 / 2**3


def test_the_sign_test_is_the_binomial():
    for n in (1, 2, 9, 50, 333):
        for won in {0, 1, n // 3, n // 2, n - 1, n}:
            d = np.r_[np.ones(won), -np.ones(n - won), np.zeros(4)]
            tail = lambda k: Fraction(sum(comb(n, i) for i in range(k + 1)), 2**n)  # noqa: B023, E731
            exact = min(Fraction(1), 2 * tail(min(won, n - won)))
            found = sign(d)
            assert found.p[0] == pytest.approx(float(exact), rel=1e-12)
            assert found.p[0] == pytest.approx(stats.binomtest(won, n).pvalue, rel=1e-12)
            assert found.statistic[0] == won


def test_the_sign_test_of_many_queries_never_gives_0():
    assert 0 < sign(np.ones(7_000)).p[0] < 1e-300
    assert 0 < student(np.random.default_rng(0).normal(5, 0.01, 7_000)).p[0] < 1e-300
    assert 0 < wilcoxon(np.arange(1.0, 70_000)).p[0] < 1e-300


def test_the_bootstrap_test_follows_its_definition():
    d = np.random.default_rng(3).normal(0.05, 0.2, (25, 3))
    means = resampled_means(d - d.mean(axis=0), 500, 9)
    squares = resampled_means((d - d.mean(axis=0)) ** 2, 500, 9)
    drawn = means / np.sqrt((squares - means**2) / 24)
    seen = d.mean(axis=0) / (d.std(axis=0, ddof=1) / 5)
    far = np.abs(drawn) >= np.abs(seen)
    found = bootstrap_test(d, resamples=500, seed=9)
    np.testing.assert_allclose(found.p, (1 + far.sum(axis=0)) / 501, rtol=1e-15)
    np.testing.assert_allclose(found.statistic, seen, rtol=1e-12)


def test_the_bootstrap_test_draws_clusters_of_different_sizes():
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(12), rng.integers(1, 6, 12))
    d = rng.normal(0.1, 0.3, len(codes))
    counts = np.rint(resampled_means(np.eye(12), 400, 2) * 12).astype(int)  # how often each cluster is drawn

    def t(x, clusters):
        groups = [x[clusters == c] for c in np.unique(clusters)]
        squares = sum((g.sum() - x.mean() * len(g)) ** 2 for g in groups)
        return x.mean() / (np.sqrt(len(groups) / (len(groups) - 1) * squares) / len(x))

    hits = 0
    for times in counts:
        drawn = [c for c, k in enumerate(times) for _ in range(k)]
        x = np.concatenate([d[codes == c] - d.mean() for c in drawn])
        hits += abs(t(x, np.repeat(np.arange(12), [(codes == c).sum() for c in drawn]))) >= abs(t(d, codes))
    found = bootstrap_test(d, clusters=codes, resamples=400, seed=2)
    assert found.p[0] == (1 + hits) / 401
    assert found.statistic[0] == pytest.approx(t(d, codes), rel=1e-12)


def test_many_pairs_are_tested_as_one_is():
    d = np.random.default_rng(1).normal(0.02, 0.3, (30, 150))
    together = bootstrap_test(d, resamples=300).p
    assert together[[0, 63, 64, 149]].tolist() == [
        bootstrap_test(d[:, i], resamples=300).p[0] for i in (0, 63, 64, 149)
    ]


def test_clusters_of_one_query_change_nothing_and_copies_of_queries_are_no_evidence():
    d = np.random.default_rng(2).normal(0.1, 0.3, (30, 2))
    codes = np.arange(30)
    for test in (student, bootstrap_test):
        plain = test(d)
        np.testing.assert_allclose(test(d, clusters=codes).p, plain.p, rtol=1e-12)
        copied = test(np.repeat(d, 5, axis=0), clusters=np.repeat(codes, 5))
        np.testing.assert_allclose(copied.p, plain.p, rtol=1e-12)
        np.testing.assert_allclose(copied.statistic, plain.statistic, rtol=1e-12)


def test_where_a_test_cannot_say_anything_p_is_1_and_the_note_says_why():
    for test in TESTS:
        none = outcome(np.zeros((20, 2)), test)
        assert none.p.tolist() == [1.0, 1.0], test.name
        assert none.note == ("all differences are 0",) * 2, test.name
        one = outcome([0.5], test)
        assert (one.p[0], one.note[0]) == (1.0, "one query: nothing to test"), test.name
    for test in (student, bootstrap_test):
        assert test([0.1, 0.2], clusters=[3, 3]).note == ("one cluster: nothing to test",)


@pytest.mark.parametrize("test", [t for t in TESTS if t.interval], ids=lambda t: t.name)
@pytest.mark.parametrize("n", [2, 3, 5, 6, 12])
def test_equal_differences_have_the_p_of_random_signs(test, n):
    d = np.arange(2.0, 2 + n) / 10 - np.arange(1.0, 1 + n) / 10  # equal but for the last bits
    assert outcome(d, test).p[0] == 2 / 2**n
    low, high = interval_of(d, test, level=0.05)
    if 2 / 2**n <= 0.05:
        assert (low[0], high[0]) == pytest.approx((0.1, 0.1), rel=1e-9)
    else:
        assert (low[0], high[0]) == (-np.inf, np.inf)


def test_a_pair_without_differences_does_not_disturb_its_neighbours():
    d = np.random.default_rng(2).normal(0.1, 0.3, (30, 2))
    for test in TESTS:
        beside = outcome(np.stack([d[:, 0], np.zeros(30), d[:, 1]], axis=1), test)
        assert beside.p[[0, 2]].tolist() == outcome(d, test).p.tolist()
        assert beside.note == ("", "all differences are 0", "")


def test_tests_are_found_by_any_of_their_names():
    for test in TESTS:
        assert all(TESTS.find(name) is test for name in (test.name, *test.aliases, test.name.upper()))
        assert test.paper
        assert test.null
        assert test.assumes
    with pytest.raises(UsageError, match="wilcoxon") as caught:
        TESTS.find("wilcoxn")
    assert caught.value.slug == "unknown-name"
    with pytest.raises(UsageError):
        TESTS.find(3)


def test_pairs_of_systems_are_tested_as_their_differences():
    x = np.random.default_rng(2).random((40, 4))
    pairs = [(0, 1), (2, 0), (3, 1), (1, 0), (2, 3)]
    d = np.stack([x[:, b] - x[:, a] for a, b in pairs], axis=1)
    for test in TESTS:
        assert outcome_of_pairs(x, pairs, test.name, seed=3).p.tolist() == outcome(d, test.name, seed=3).p.tolist()
        assert outcome_of_pairs(x, pairs[:1], test.name).p.tolist() == outcome(d[:, 0], test.name).p.tolist()
        if "clusters" in test.options:
            codes = np.arange(40) // 3
            for some in (slice(None), slice(1)):  # more pairs than systems, and fewer
                together = outcome_of_pairs(x, pairs[some], test.name, clusters=codes, seed=3)
                assert together.p.tolist() == outcome(d[:, some], test.name, clusters=codes, seed=3).p.tolist()


def test_an_option_that_a_test_does_not_take_is_refused():
    assert refusal("option", outcome, [0.1, 0.2], "sign", clusters=[1, 2]).value == "clusters"
    assert outcome([0.1, 0.2], "sign", clusters=None, seed=4).p[0] == 0.5
    with pytest.raises(UsageError):
        outcome([0.1, 0.2], "wilcoxon", zeros="wilcox")
    with pytest.raises(DataError):
        outcome([0.1, None], "t")


def test_cheap_values_weights_and_clusters_exclude_each_other():
    d, weights, clusters = [0.1, 0.2, 0.4, 0.3], [1, 2, 1, 1], [0, 0, 1, 1]
    cheap = CheapValues(np.array([[0.1], [0.3], [0.4], [0.2], [0.5]]), np.array([True, True, True, True, False]))
    for more in ({"clusters": clusters}, {"weights": weights}):
        refusal("option", student, d, cheap=cheap, **more)
    refusal("query-weights", student, d, clusters=clusters, weights=weights)


@pytest.mark.parametrize(("clusters", "slug"), [([0, 1], "lengths"), ([0, 0, np.nan], "table"), ([0, None, 1], "table"), ([0, "a", 1], "table")])  # fmt: skip
def test_clusters_are_one_code_per_query_of_one_kind(clusters, slug):
    codes = np.array(clusters, dtype=object) if len({type(c) for c in clusters}) > 1 else clusters
    refusal(slug, student, [0.1, 0.2, 0.4], clusters=codes)


@pytest.mark.parametrize("pairs", [[(0, 1), (0,)], [], [(0, 2)], [(-1, 0)], [(0.0, 1.0)], [0, 1]])
def test_pairs_are_two_column_numbers(pairs):
    refusal("table", outcome_of_pairs, [[0.1, 0.2], [0.3, 0.5]], pairs, "t")


@pytest.mark.parametrize("test", [t for t in TESTS if "resamples" in t.options], ids=lambda t: t.name)
def test_a_number_of_resamples_is_an_integer_from_1_on(test):
    for resamples in (0, -1, 2.5, True, "9"):
        refusal("parameter", outcome, np.linspace(-0.2, 0.5, 40), test.name, resamples=resamples)


@pytest.mark.parametrize("drawn", [True, False])
def test_the_last_accepted_number_of_hits_is_the_least_that_is_not_significant(drawn):
    rows, extra = 40, int(drawn)
    for hits in range(rows + 1 - extra):
        for level in (0.01, 0.05, 0.1, 0.5):
            p = max(hits + extra, 1) / (rows + extra)
            some = [h for h in range(rows + 1) if (h + extra) / (rows + extra) > level + 1e-12]
            if hits + extra > 0:
                assert last_accepted(hits, rows, p, level, drawn=drawn) == min(some)


def test_equal_differences_have_no_t_and_an_interval_of_no_width():
    d = np.full(20, 0.25)
    for test in ("t", "bootstrap"):
        assert outcome(d, test).statistic.tolist() == [0]
        low, high = interval_of(d, test, level=0.05)
        assert (low[0], high[0]) == (0.25, 0.25)


def test_codes_of_clusters_may_be_texts_of_any_kind():
    d, codes = [0.1, 0.2, 0.4, -0.1], ["a", "a", "b", "c"]
    expected = student(d, clusters=[0, 0, 1, 2]).p
    for kind in (object, str):
        assert (student(d, clusters=np.array(codes, dtype=kind)).p == expected).all()
