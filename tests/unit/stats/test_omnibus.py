"""Several systems at once: ranks, Friedman, Nemenyi, analysis of variance, Tukey, letters."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from for_each import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judged.errors import DataError, UsageError
from judged.stats.omnibus import (
    _random_sums,
    anova,
    bars,
    friedman,
    letters,
    mean_ranks,
    randomised_tukey,
    range_quantile,
    range_tail,
    tukey,
)
from judged.stats.random_stream import arrangements

near = lambda value, rel=1e-12: pytest.approx(value, rel=rel, abs=1e-300)  # noqa: E731


def tables(seed=0, count=8):
    rng = np.random.default_rng(seed)
    for i in range(count):
        n, k = int(rng.integers(3, 30)), int(rng.integers(3, 9))
        x = rng.random((n, k))
        yield np.round(x, 1) if i % 2 else x


# ── ranks ────────────────────────────────────────────────────────────────────────────────────────


def test_ranks_are_scipys_of_the_negated_values():
    for x in tables():
        assert (mean_ranks(x) == stats.rankdata(-x, axis=1)).all()
        assert (mean_ranks(x, axis=0) == stats.rankdata(-x, axis=0)).all()


def test_missing_values_rank_last_and_near_values_tie_by_tolerance():
    assert mean_ranks([np.nan, 0.5, 0.1, np.nan]).tolist() == [3.5, 1, 2, 3.5]
    assert mean_ranks([0.1 + 0.2, 0.3], tolerance=1e-12).tolist() == [1.5, 1.5]
    assert mean_ranks([0.1 + 0.2, 0.3]).tolist() == [1, 2]
    assert mean_ranks([[0.4]]).tolist() == [[1]]


# ── Friedman ─────────────────────────────────────────────────────────────────────────────────────


def test_friedman_is_scipys_with_and_without_ties():
    for x in tables():
        wanted = stats.friedmanchisquare(*x.T)
        found = friedman(x)
        assert (found.statistic, found.p) == (near(wanted.statistic), near(wanted.pvalue))
        n, k = x.shape
        assert found.concordance == near(wanted.statistic / (n * (k - 1)))


def test_demsars_example_of_friedman():
    """Demšar, JMLR 2006, table 6 (AUC of four variants of C4.5 on 14 data sets): χ² = 9.28."""
    auc = """.763 .768 .771 .798 .599 .591 .590 .569 .954 .971 .968 .967 .628 .661 .654 .657 .882 .888 .886 .898 .936 .931 .916 .931
    .661 .668 .609 .685 .583 .583 .563 .625 .775 .838 .866 .875 1.000 1.000 1.000 1.000 .940 .962 .965 .962 .619 .666 .614 .669
    .972 .981 .9751 .975 .957 .978 .946 .970"""
    x = np.array(auc.split(), float).reshape(14, 4)
    ranks = friedman(x).mean_rank
    assert ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    n, k = 14, 4  # the paper does not correct for ties
    chi = 12 * n / (k * (k + 1)) * (float((ranks**2).sum()) - k * (k + 1) ** 2 / 4)
    assert round(chi, 2) == 9.28
    assert friedman(x).statistic > chi


def test_friedman_has_a_value_where_it_cannot_say_anything():
    equal = friedman(np.full((5, 3), 0.5))
    assert (equal.p, equal.statistic, bool(equal.note)) == (1.0, 0.0, True)
    one = friedman([[0.1, 0.2, 0.3]])
    assert (one.p, bool(one.note)) == (1.0, True)


# ── the studentised range ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("k", [2, 3, 8, 20])
@pytest.mark.parametrize("df", [1, 4, 30, 343, 6979, math.inf])
def test_the_tail_of_the_range_is_scipys(k, df):
    q = np.array([0.0, 0.3, 1.5, 3.0, 4.5, 7.0])
    assert range_tail(q, k, df) == pytest.approx(stats.studentized_range.sf(q, k, df), rel=1e-9, abs=1e-11)


def test_the_range_of_two_is_a_t_on_both_sides_far_into_the_tail():
    for df in (1, 3, 10, 200, 5000):
        q = np.array([0.5, 3.0, 10.0, 40.0])
        assert range_tail(q, 2, df) == near(2 * stats.t.sf(q / math.sqrt(2), df), 1e-11)
    q = np.array([0.5, 3.0, 10.0, 40.0, 50.0])
    assert range_tail(q, 2) == near(2 * stats.norm.sf(q / math.sqrt(2)), 1e-11)


def test_no_chance_is_lost_in_the_far_tail():
    """Bonferroni bounds it from above, one pair from below, and far out they meet the sum of pairs."""
    for k in (3, 10):
        tail, pair = float(range_tail(14.0, k)), 2 * stats.norm.sf(14 / math.sqrt(2))
        assert pair < tail <= math.comb(k, 2) * pair * (1 + 1e-9)
        assert tail == pytest.approx(math.comb(k, 2) * pair, rel=1e-3)


def test_quantiles_invert_the_tail():
    for k, df in [(2, 5), (4, 30), (10, math.inf), (8, 343)]:
        assert range_tail(range_quantile(0.05, k, df), k, df) == near(0.05)
        assert range_quantile(0.05, k, df) == near(stats.studentized_range.isf(0.05, k, df), 1e-9)


# ── Nemenyi ──────────────────────────────────────────────────────────────────────────────────────


def test_critical_values_are_those_of_demsars_table_5():
    table = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
    assert {k: round(range_quantile(0.05, k) / math.sqrt(2), 3) for k in table} == pytest.approx(table, abs=0.0011)
    ten = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855, 10: 2.920}
    assert {k: round(range_quantile(0.10, k) / math.sqrt(2), 3) for k in ten} == pytest.approx(ten, abs=0.0011)


# ── analysis of variance ─────────────────────────────────────────────────────────────────────────


@pytest.mark.needs("pandas", "statsmodels")
def test_the_analysis_of_variance_is_that_of_statsmodels():
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    for x in tables(4):
        n, k = x.shape
        frame = pd.DataFrame({"v": x.ravel(), "s": np.tile(np.arange(k), n), "q": np.repeat(np.arange(n), k)})
        wanted = anova_lm(ols("v ~ C(s) + C(q)", frame).fit())
        found = anova(x)
        for row, line in [("C(s)", found.system), ("C(q)", found.query), ("Residual", found.residual)]:
            assert line.squares == near(wanted.loc[row, "sum_sq"], 1e-11)
            assert line.df == wanted.loc[row, "df"]
            if line.f is not None:
                assert (line.f, line.p) == (near(wanted.loc[row, "F"], 1e-10), near(wanted.loc[row, "PR(>F)"], 1e-9))


def test_two_systems_make_the_square_of_the_paired_t():
    x = np.random.default_rng(0).random((20, 2))
    wanted = stats.ttest_rel(x[:, 0], x[:, 1])
    found = anova(x).system
    assert (found.f, found.p) == (near(wanted.statistic**2, 1e-11), near(wanted.pvalue, 1e-11))


def test_without_blocks_it_is_the_one_way_analysis():
    for x in tables(5, 4):
        wanted, found = stats.f_oneway(*x.T), anova(x, blocked=False)
        assert (found.system.f, found.system.p) == (near(wanted.statistic, 1e-11), near(wanted.pvalue, 1e-11))
        assert found.query is None


def test_effect_sizes_by_their_formulas():
    found = anova([[0.1, 0.3], [0.2, 0.3], [0.6, 0.7]])
    ss, error = 3 / 2 * 0.4**2 / 9, 0.01 / 3  # differences 0.2, 0.1, 0.1: mean 4/30, half of their squares about it
    assert found.partial_eta_squared == near(ss / (ss + error), 1e-10)


def test_an_analysis_without_residual_or_effect_has_values():
    shift = np.linspace(0.1, 0.9, 7)[:, None] + np.array([0.0, 0.1, 0.3])
    found = anova(shift)
    assert (found.system.f, found.residual.squares, bool(found.note)) == (math.inf, 0.0, True)
    assert 0 < found.system.p < 1e-300
    assert found.partial_eta_squared == 1.0
    nothing = anova(np.full((4, 3), 0.7))
    assert (nothing.system.f, nothing.system.p, nothing.partial_eta_squared) == (0.0, 1.0, 0.0)
    one = anova([[0.1, 0.2, 0.4]])
    assert (one.system.p, bool(one.note)) == (1.0, True)


# ── Tukey ────────────────────────────────────────────────────────────────────────────────────────


def test_tukey_without_blocks_is_scipys():
    for x in tables(6, 4):
        assert tukey(x, blocked=False).p == pytest.approx(stats.tukey_hsd(*x.T).pvalue, rel=1e-9, abs=1e-11)


def test_tukey_of_two_systems_is_the_paired_t_test():
    x = np.random.default_rng(3).random((15, 2))
    assert tukey(x).p[0, 1] == near(stats.ttest_rel(x[:, 0], x[:, 1]).pvalue, 1e-10)


def test_a_difference_above_the_critical_one_is_significant():
    for x in tables(7, 4):
        x = x + np.arange(x.shape[1]) * 0.2
        for found in (tukey(x), randomised_tukey(x, resamples=2000)):
            off = ~np.eye(len(found.p), dtype=bool)
            assert (found.significant() == (np.abs(found.difference) > found.critical))[off].all(), found.test


def test_pairs_have_values_where_nothing_can_be_said():
    shift = np.linspace(0.1, 0.9, 7)[:, None] + np.array([0.0, 0.0, 0.3])
    found = tukey(shift)
    assert found.p[0, 1] == 1.0
    assert 0 < found.p[0, 2] < 1e-300
    for test in (tukey, randomised_tukey):
        one = test([[0.1, 0.2, 0.4]])
        assert (one.p == 1).all()
        assert one.critical == math.inf
        assert one.note
        assert one.letters() == ("a", "a", "a")
        assert (test(np.full((4, 3), 0.25)).p == 1).all()


# ── randomised Tukey ─────────────────────────────────────────────────────────────────────────────


def shares_by_hand(x):
    """Every rearrangement, in the exact arithmetic of the decimals."""
    n, k = x.shape
    rows = [[Fraction(str(v)) for v in row] for row in np.asarray(x).tolist()]
    means = [sum(row[j] for row in rows) for j in range(k)]
    spreads = []
    for orders in product(permutations(range(k)), repeat=n):
        sums = [sum(row[order[j]] for row, order in zip(rows, orders, strict=True)) for j in range(k)]
        spreads.append(max(sums) - min(sums))
    share = lambda a, b: Fraction(sum(s >= abs(means[a] - means[b]) for s in spreads), len(spreads))  # noqa: E731
    return np.array([[float(share(a, b)) if a != b else 1.0 for b in range(k)] for a in range(k)])


@pytest.mark.parametrize("x", [
    [[0.1, 0.4, 0.2], [0.3, 0.3, 0.9], [0.0, 0.5, 0.5], [0.1, 0.2, 0.7]],
    [[0.0, 0.5, 1.0], [0.5, 0.5, 0.5], [0.0, 1.0, 1.0]],
    [[0.25, 0.75], [0.5, 1.0], [0.1, 0.9], [0.3, 0.2], [0.6, 0.6]],
])  # fmt: skip
def test_few_queries_are_enumerated(x):
    x = np.array(x)
    assert randomised_tukey(x).p == near(shares_by_hand(x))


def test_drawn_shares_are_those_of_all_rearrangements_within_chance():
    x = np.array([[0.1, 0.4, 0.2], [0.3, 0.3, 0.9], [0.0, 0.5, 0.5], [0.1, 0.2, 0.7], [0.6, 0.5, 0.8], [0.2, 0.3, 0.4]])
    exact = randomised_tukey(x).p
    drawn = randomised_tukey(x, resamples=6**5 - 1, seed=1).p
    assert (np.abs(drawn - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 6**5) + 2 / 6**5).all()
    assert (drawn != exact).any()


def test_the_share_counts_the_observed_arrangement_too():
    x = np.linspace(0, 1, 30)[:, None] + np.array([0.0, 0.0, 0.5])
    found = randomised_tukey(x, resamples=999)
    assert found.p[0, 2] == 1 / 1000
    assert found.p[0, 1] == 1.0


def test_two_systems_make_the_sign_flip_test():
    rng = np.random.default_rng(5)
    x = rng.random((12, 2))
    d = x[:, 1] - x[:, 0]
    flips = np.abs(np.array(list(product([-1, 1], repeat=12))) @ d)
    assert randomised_tukey(x, resamples=2**11).p[0, 1] == near((flips >= abs(d.sum()) - 1e-12).mean())


def test_seeds_and_blocks_decide_the_draws_and_nothing_else(monkeypatch):
    x = np.random.default_rng(5).random((41, 4))
    first = randomised_tukey(x, resamples=500, seed=3)
    assert (first.p == randomised_tukey(x, resamples=500, seed=3).p).all()
    assert (first.p != randomised_tukey(x, resamples=500, seed=4).p).any()
    monkeypatch.setattr("judged.stats.omnibus._CELLS", 1000)
    assert (first.p == randomised_tukey(x, resamples=500, seed=3).p).all()
    assert (randomised_tukey(x * 1000, resamples=500, seed=3).p == first.p).all()
    assert (randomised_tukey(x + np.arange(41)[:, None], resamples=500, seed=3).p == first.p).all()
    whole = arrangements(3, range(5), range(41), 41, 4)
    assert (arrangements(3, range(2, 4), range(10, 20), 41, 4) == whole[2:4, 10:20]).all()


def test_all_orders_are_as_likely():
    drawn = arrangements(0, range(100), range(600), 600, 4).reshape(-1, 4)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 0.001
    assert (np.sort(drawn, axis=1) == np.arange(4)).all()


def test_a_rearrangement_is_one_order_of_another():
    """Two sets of orders that share none; the product of the b-th and the m-th, query by query."""
    x = np.random.default_rng(2).random((9, 4))
    sums = _random_sums(x, 30, 7)  # five of six
    orders = arrangements(7, range(5 + 6), range(9), 9, 4)
    outer, inner = orders[:5], orders[5:]
    by_hand = [[sum(x[q, m[q, b[q, j]]] for q in range(9)) for j in range(4)] for b in outer for m in inner]
    assert sums == near(np.array(by_hand))


def test_products_of_two_sets_of_orders_vary_as_independent_ones():
    """The count of hits has the variance of a binomial, over seeds."""
    x = np.random.default_rng(8).normal(size=(12, 3))
    b = 400
    hits = np.array([randomised_tukey(x, resamples=b, seed=s).p * (b + 1) - 1 for s in range(200)])
    p = hits.mean(axis=0) / b
    off = np.triu_indices(3, 1)
    ratio = (hits.var(axis=0, ddof=1) / (b * p * (1 - p) + np.eye(3)))[off]
    assert ((ratio > 0.7) & (ratio < 1.4)).all(), ratio


# ── letters and bars ─────────────────────────────────────────────────────────────────────────────


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 9).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.booleans(), min_size=k * k, max_size=k * k), st.permutations(range(k)))))  # fmt: skip
def test_systems_share_a_letter_exactly_where_they_do_not_differ(made):
    k, flags, order = made
    upper = np.triu(np.array(flags).reshape(k, k), 1)
    apart = upper | upper.T
    found = letters(apart, order)
    for a in range(k):
        assert found[a]
        for b in range(k):
            if a != b:
                assert bool(set(found[a]) & set(found[b])) == (not apart[a, b])
    assert "a" in found[order[0]]


def test_no_letter_is_idle():
    """A ring of five: five edges need five letters; a chain of intervals needs as many as it has maximal groups."""
    ring = np.ones((5, 5), bool) & ~np.eye(5, dtype=bool)
    for i in range(5):
        ring[i, (i + 1) % 5] = ring[(i + 1) % 5, i] = False
    assert len(set("".join(letters(ring)))) == 5
    values = np.array([0, 1, 2, 3, 4.0])
    chain = np.abs(values[:, None] - values) > 1.5
    assert letters(chain) == ("a", "ab", "bc", "cd", "d")


def test_more_than_52_letters_stay_apart():
    apart = ~np.eye(60, dtype=bool)
    found = letters(apart)
    assert len(set(found)) == 60
    assert found[:2] + found[26:27] + found[52:53] == ("a", "b", "A", "a2")


def test_bars_are_the_groups_that_share_a_letter():
    def apart(*pairs):
        table = np.zeros((3, 3), bool)
        for i, j in pairs:
            table[i, j] = table[j, i] = True
        return table

    assert bars(apart()) == ((0, 1, 2),)
    assert bars(apart((0, 1), (0, 2), (1, 2))) == ()
    assert bars(apart((0, 1)), order=[1, 2, 0]) == ((1, 2), (2, 0))
    assert bars(apart((0, 1)), order=[0, 1, 2]) == (
        (0, 2),
        (1, 2),
    )  # the run between two others need not be in their bar


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


@for_each("bad", [[], [0.1, 0.2], [[0.1], [0.2]], [[0.1, np.nan]], [[0.1, np.inf]], [["a", "b"]], [[1, 2], [3]], None])  # fmt: skip
@for_each("test", [friedman, anova, tukey, randomised_tukey])
def test_tables_that_are_none_are_refused(test, bad):
    with pytest.raises(DataError) as caught:
        test(bad)
    assert caught.value.slug == "table"


@pytest.mark.parametrize("call", [
    lambda x: tukey(x, alpha=0),
    lambda x: randomised_tukey(x, resamples=0),
    lambda x: randomised_tukey(x, resamples=2.5),
])  # fmt: skip
def test_wrong_parameters_are_refused(call):
    with pytest.raises(UsageError):
        call([[0.1, 0.2], [0.3, 0.1]])


@pytest.mark.parametrize("bad", [[[0, 1], [0, 0]], [[0, 1, 0]], [[0.5]], []])
def test_letters_need_a_symmetric_table(bad):
    with pytest.raises(DataError):
        letters(bad)
    with pytest.raises(DataError):
        letters([[0, 1], [1, 0]], [0, 0])


def test_inputs_are_not_modified():
    x = np.random.default_rng(0).random((6, 3))
    before = x.copy()
    for test in (friedman, anova, tukey, randomised_tukey):
        test(x)
    assert (x == before).all()


def test_two_systems_on_two_queries_have_one_degree_of_freedom():
    """Differences 1 and 3: t = 2 / (√2/√2) with one degree of freedom, and F = t²."""
    line = anova([[0, 1], [0, 3]]).system
    assert line.f == pytest.approx(2**2)
    assert line.p == pytest.approx(stats.t.sf(2, 1) * 2)
    assert anova([[1, 1], [2, 2]]).system.f == 0  # no difference, and one degree of freedom


def test_means_that_differ_by_rounding_are_equal_beside_a_zero():
    """0.1 + 0.2 is not 0.3; without any residual the difference would be infinitely significant."""
    for test in (tukey, randomised_tukey):
        assert test([[0.1 + 0.2, 0.3, 0.0], [0.1 + 0.2, 0.3, 0.0], [0.1 + 0.2, 0.3, 0.0]]).p[0, 1] == 1


def test_the_critical_range_is_the_smallest_that_is_significant():
    x = np.random.default_rng(8).random((12, 4))
    for resamples, alpha in ((999, 0.05), (500, 0.1), (19, 0.05)):
        found = randomised_tukey(x, resamples=resamples, alpha=alpha)
        lowest = x - x.min(axis=1, keepdims=True)
        spread = np.ptp(_random_sums(lowest, resamples, 0), axis=1) / len(x)
        at, below = ((1 + (spread >= found.critical * (1 - slack)).sum()) / (1 + resamples) for slack in (-1e-9, 1e-9))
        assert at <= alpha < below


def test_concordance_is_1_where_all_queries_rank_alike_and_0_where_they_cancel():
    for x in ([[0.1, 0.2]], [[0.1, 0.2], [0.3, 0.4]], [[1, 2, 3]]):
        assert friedman(x).concordance == 1
    for x in ([[0.1, 0.2], [0.4, 0.3]], [[1, 1], [2, 2]]):
        assert friedman(x).concordance == 0


def test_letters_follow_the_order_of_the_systems():
    """The best has an a; the first letters of the systems, from the best, come in the order of the alphabet."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        k = int(rng.integers(2, 8))
        apart = np.triu(rng.random((k, k)) < 0.6, 1)
        order = rng.permutation(k).tolist()
        found = letters(apart | apart.T, order)
        first = [found[i][0] for i in order]
        assert first[0] == "a"
        new = list(dict.fromkeys("".join(found[i] for i in order)))
        assert new == sorted(new)


@pytest.mark.parametrize("test", [tukey, randomised_tukey])
def test_the_best_system_has_the_first_letter(test):
    x = np.random.default_rng(3).normal([0.2, 0.8, 0.5], 0.01, (30, 3))
    assert test(x).letters() == ("c", "a", "b")
