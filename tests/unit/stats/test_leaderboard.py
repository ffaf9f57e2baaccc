"""Systems over collections: means, ranks, points; and confidence sets for ranks, valid for all systems at once."""

import math
from itertools import combinations

import numpy as np
import pytest
from refusals import refusal
from scipy import stats

from judged.errors import DataError, UsageError
from judged.stats.leaderboard import rank_sets, standings

NAN = math.nan


def by_hand(table):
    """Each column from its definition, cell by cell, for a table without gaps."""
    table = np.asarray(table)
    k, c = table.shape
    ranks = np.array([[1 + (table[:, j] > table[i, j]).sum() + ((table[:, j] == table[i, j]).sum() - 1) / 2 for j in range(c)] for i in range(k)])  # fmt: skip
    top = table == table.max(axis=0)
    return ranks.mean(axis=1), (k - ranks).sum(axis=1), (top / top.sum(axis=0)).sum(axis=1)


def test_every_column_by_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = rng.integers(0, 5, (int(rng.integers(1, 7)), int(rng.integers(1, 6)))) / 4
        found = standings(table)
        for column, wanted in zip((found.mean_rank, found.borda, found.firsts), by_hand(table), strict=True):
            assert column == pytest.approx(wanted)
        assert found.mean == pytest.approx(table.mean(axis=1))
        assert found.firsts.sum() == pytest.approx(table.shape[1])
        assert found.borda == pytest.approx(table.shape[1] * (len(table) - found.mean_rank))


def test_complete_counts_only_collections_that_all_have():
    found = standings([[0.5, 0.1, NAN], [0.4, 0.2, 0.9]])
    assert found.collections == (0, 1)
    assert found.mean.tolist() == pytest.approx([0.3, 0.3])
    assert found.note == "1 of 3 collections left out"
    refusal("values-missing", standings, [[0.5, NAN], [NAN, 0.4]])


def test_worst_ranks_missing_cells_last():
    found = standings([[0.5, NAN], [0.4, 0.2], [0.1, NAN]], missing="worst")
    assert found.mean_rank.tolist() == [(1 + 2.5) / 2, (2 + 1) / 2, (3 + 2.5) / 2]
    assert found.mean.tolist() == pytest.approx([(0.5 + 0.2) / 2, 0.3, (0.1 + 0.2) / 2])
    assert found.present.tolist() == [1, 2, 1]
    assert "2 missing values ranked last" in found.note


def test_a_collection_that_none_has_never_counts():
    for missing in ("complete", "worst"):
        assert standings([[0.5, NAN], [0.4, NAN]], missing=missing).collections == (0,)


def test_values_that_differ_by_a_rounding_are_tied():
    found = standings([[0.1 + 0.2], [0.3], [0.2]])
    assert found.mean_rank.tolist() == [1.5, 1.5, 3]
    assert found.rank().tolist() == [1.5, 1.5, 3]
    assert found.order() == [0, 1, 2]


@pytest.mark.parametrize("bad", [[], [0.1], [[0.1, math.inf]], [["x"]], [[]], [[1, 2], [3]]])
def test_tables_that_are_none_are_refused(bad):
    with pytest.raises(DataError):
        standings(bad)


ORDERS = ("mean", "mean_rank")


def test_clear_systems_have_one_rank_and_a_letter_each():
    rng = np.random.default_rng(0)
    far = [rng.normal([0.2, 0.5, 0.8], 0.05, (30, 3)) for _ in range(3)]
    for by in ORDERS:
        sets = rank_sets(far, by=by)
        assert sets.rank.tolist() == sets.low.tolist() == sets.high.tolist() == [3, 2, 1]
        assert sets.letters() == ("c", "b", "a")
        assert sets.best() == [2]


def hall(d, tests):
    """t of one column of differences with a positive mean, less Hall's correction for skewness and for its error, √(6 / n) · √(ln tests / 2)."""
    n = len(d)
    towards = stats.skew(d) * ((n - 1) / n) ** 1.5 - math.sqrt(6 / n) * math.sqrt(math.log(tests) / 2)
    a = max(0, -towards) / math.sqrt(n)
    t = stats.ttest_1samp(d, 0).statistic
    return t if a == 0 else (1 - (1 - min(a * t / 3, 1)) ** 3) / a - a / 6


def test_one_collection_is_the_skewness_adjusted_t_test_with_bonferroni_for_every_order():
    rng = np.random.default_rng(1)
    for draw in [rng.normal, lambda m, s, size: m + s * (rng.exponential(size=size) - 1)] * 10:
        x = draw(rng.normal(0, 0.05, 5), 0.1, (30, 5))
        x[:, 4] = x[:, 3] + rng.choice([0.02, -0.1], 30, p=[0.9, 0.1])
        p = np.ones((5, 5))
        for a, b in combinations(range(5), 2):
            d = x[:, a] - x[:, b]
            p[a, b] = p[b, a] = 2 * stats.t.sf(hall(d * np.sign(d.mean()), 10), 29)
        above = (p <= 0.05 / 10) & (x.mean(axis=0)[:, None] > x.mean(axis=0))
        for by in ORDERS:
            sets = rank_sets([x], by=by)
            assert (sets.above == above).all()
            assert sets.low.tolist() == (1 + above.sum(axis=0)).tolist()
            assert sets.high.tolist() == (5 - above.sum(axis=1)).tolist()


def test_one_pair_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = rng.exponential(0.1, (15, 2)) * [1, 2]
        p = stats.ttest_rel(*x.T).pvalue
        for confidence, clear in ((1 - p * (1 + 1e-9), True), (1 - p * (1 - 1e-9), False)):
            assert rank_sets([x], confidence=confidence).above.any() == clear


def test_systems_of_unequal_skewness_but_equal_means_are_rarely_separated():
    # weak systems vary little, strong ones have a few high values: t without a correction separates some in 27 of these boards
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(100):
        weak, strong = rng.normal(1, 0.1, (50, 10)), rng.lognormal(-0.5, 1, (50, 10))
        wrong += rank_sets([np.hstack([weak, strong])]).above.any()
    assert wrong <= 13  # 5 of 100 expected; P(more than 13) < 0.001


def test_skewness_does_not_hide_a_difference_without_doubt():
    rng = np.random.default_rng(6)
    x = rng.exponential(0.2, (50, 1)) + rng.normal(0, 0.02, (50, 20)) + np.arange(20) * 0.05
    assert rank_sets([x]).low.tolist() == list(range(20, 0, -1))


def test_the_mean_over_two_collections_is_tested_with_the_degrees_of_freedom_of_welch():
    rng = np.random.default_rng(2)
    d = [rng.normal(0.05, 0.1, 12), rng.normal(0.02, 0.3, 40)]
    tables = [np.stack([x, np.zeros(len(x))], axis=1) for x in d]
    parts = np.array([x.var(ddof=1) / len(x) / 4 for x in d])
    df = parts.sum() ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 39)
    p = 2 * stats.t.sf((d[0].mean() + d[1].mean()) / 2 / math.sqrt(parts.sum()), df)
    assert rank_sets(tables, confidence=1 - p * (1 + 1e-9)).high.tolist() == [1, 2]
    assert rank_sets(tables, confidence=1 - p * (1 - 1e-9)).high.tolist() == [2, 2]


def test_one_query_separates_nobody():
    sets = rank_sets([[[0.1, 0.5, 0.9]]])
    assert sets.low.tolist() == [1, 1, 1]
    assert sets.high.tolist() == [3, 3, 3]
    assert sets.letters() == ("a", "a", "a")


@pytest.mark.parametrize(("queries", "clear"), [(2, False), (5, False), (6, True)])
def test_constant_differences_are_clear_if_that_many_signs_are(queries, clear):
    # 2 / 2⁵ > 0.05 ≥ 2 / 2⁶
    column = np.linspace(0, 0.5, queries)
    sets = rank_sets([np.stack([column, column + 0.25], axis=1)])
    assert sets.above[1, 0] == clear


def test_equal_systems_share_a_letter_and_their_rank():
    column = np.random.default_rng(0).random(20)
    for by in ORDERS:
        sets = rank_sets([np.stack([column, column], axis=1)], by=by)
        assert sets.rank.tolist() == [1.5, 1.5]
        assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1], [2, 2])
        assert sets.letters() == ("a", "a")


def test_a_missing_system_follows_the_rule():
    rng = np.random.default_rng(0)
    tables = [rng.random((20, 4)) for _ in range(3)]
    gap = [t.copy() for t in tables]
    gap[1][:, 0] = NAN
    for by in ORDERS:
        assert (rank_sets(gap, by=by).above == rank_sets([tables[0], tables[2]], by=by).above).all()
        sets = rank_sets(gap, by=by, missing="worst")
        assert (sets.low <= np.ceil(sets.rank)).all()
        assert (np.floor(sets.rank) <= sets.high).all()
    clear = [np.stack([np.full(30, 0.9), *rng.normal([[0.2], [0.5]], 0.01, (2, 30))], axis=1) for _ in range(2)]
    clear[1][:, 0] = NAN
    assert not rank_sets(clear, by="mean_rank", missing="worst").above[0].all()


def test_a_system_that_is_missing_once_and_best_once_is_not_above_its_rival():
    clear = [np.array([[NAN, 0.5]]).repeat(8, axis=0), np.array([[0.9, 0.1]]).repeat(8, axis=0)]
    assert not rank_sets(clear, by="mean_rank", missing="worst").above.any()


def test_all_sets_contain_the_true_ranks_with_the_stated_confidence():
    rng, truth = np.random.default_rng(4), np.array([0.30, 0.31, 0.32, 0.5, 0.5])
    ranks_from = 1 + (truth > truth[:, None]).sum(axis=1)
    ranks_to = ranks_from + (truth == truth[:, None]).sum(axis=1) - 1
    for by in ORDERS:
        missed = 0
        for _ in range(100):
            noise = [rng.normal(0, 0.1, (40, 1)) + rng.normal(truth, 0.1, (40, 5)) for _ in range(2)]
            sets = rank_sets(noise, by=by)
            missed += bool((sets.low > ranks_from).any() or (sets.high < ranks_to).any())
        assert missed <= 13  # 5 of 100 expected; P(more than 13) < 0.001


WRONG = [
    lambda: standings([[0.1]], missing="zero"),
    lambda: standings([[0.1]]).order("median"),
    lambda: rank_sets([[[0.1, 0.2]]], by="x"),
    lambda: rank_sets([[[0.1, 0.2]]], confidence=95),
    lambda: rank_sets([]),
    lambda: rank_sets([[[0.1, 0.2]], [[0.1]]]),
    lambda: rank_sets([[[0.1, 0.2], [NAN, 0.3]]]),
]  # fmt: skip


def test_a_system_that_some_queries_lack_is_refused_whatever_the_others_have():
    for row in ([NAN, 0.3], [0.3, NAN]):
        refusal("table", rank_sets, [[[0.1, 0.2], row]])


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_are_refused(call):
    with pytest.raises((UsageError, DataError)):
        call()


def test_a_collection_of_one_query_separates_nobody_unless_it_says_nothing():
    many = np.array([[0.9, 0.1]]) + np.random.default_rng(0).normal(0, 0.01, (20, 2))
    assert not rank_sets([many, [[0.6, 0.5]]]).above.any()
    assert rank_sets([many, [[0.5, 0.5]]]).above.tolist() == [[False, True], [False, False]]


def test_two_queries_are_a_t_test_with_one_degree_of_freedom():
    x = np.array([[0.9, 0.1], [0.7, 0.2]])
    p = stats.ttest_rel(*x.T).pvalue
    for confidence, clear in ((1 - 1.001 * p, True), (1 - 0.999 * p, False)):
        assert rank_sets([x], confidence=confidence).above[0, 1] == clear
