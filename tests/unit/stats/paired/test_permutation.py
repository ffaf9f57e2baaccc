"""The permutation test against all assignments, against SciPy, and against its own promises."""

from itertools import combinations, product

import numpy as np
import pytest
from for_each import for_each
from refusals import refusal
from scipy import stats

from judged.core.resample import drawn_at
from judged.stats.paired.permutation import _Grid, permutation, permutation_of


def all_sums(d):
    return np.array(list(product([1, -1], repeat=len(d)))) @ d


def tables(n, pairs=3):
    rng = np.random.default_rng(n)
    yield rng.normal(0.1, 0.3, (n, pairs))
    yield rng.integers(-2, 4, (n, pairs)) / 10  # ties and zeros, and sums that are equal but for the last bits
    yield np.round(rng.random((n, pairs)), 1) - np.round(rng.random((n, pairs)), 1)


@for_each("n", range(2, 13))
def test_few_queries_are_enumerated(n):
    for d in tables(n):
        found = permutation(d)
        expected = [np.mean(np.abs(all_sums(x)) >= abs(x.sum()) - 1e-9) if x.any() else 1.0 for x in d.T]
        np.testing.assert_allclose(found.p, expected, rtol=1e-15)


@pytest.mark.parametrize("n", [4, 9])
def test_the_max_statistic_is_the_largest_of_all_pairs_in_each_assignment(n):
    for d in tables(n):
        every = np.array(list(product([1, -1], repeat=n))) @ d / n
        t = every / np.sqrt((d**2).mean(axis=0) - every**2 + 1e-15)
        largest, seen = np.abs(t).max(axis=1), np.abs(t[0])
        with np.errstate(invalid="ignore"):
            expected = (largest[:, None] >= seen * (1 - 1e-7)).mean(axis=0)
        found = permutation(d)
        np.testing.assert_allclose(found.adjusted, np.maximum(expected, found.p), rtol=1e-15)


def test_random_signs_agree_with_the_exact_share():
    d = np.random.default_rng(5).integers(-3, 6, (16, 4)) / 10
    exact = permutation(d)
    drawn = permutation(d, resamples=40_000)
    error = np.sqrt(exact.p * (1 - exact.p) / 40_000)
    assert (np.abs(drawn.p - exact.p) <= 4.5 * error + 1 / 40_000).all()
    error = np.sqrt(exact.adjusted * (1 - exact.adjusted) / 40_000)
    assert (np.abs(drawn.adjusted - exact.adjusted) <= 4.5 * error + 1 / 40_000).all()


def test_scipy_doubles_the_smaller_tail_where_we_count_both():
    d = np.array([0.1, 0.1, 0.2, 0.9, -0.3])
    peer = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    sums = all_sums(d)
    assert permutation(d).p[0] == np.mean(np.abs(sums) >= d.sum() - 1e-9)
    assert peer == pytest.approx(2 * np.mean(sums >= d.sum() - 1e-9))


def test_p_follows_from_the_signs_of_the_stream():
    d = np.random.default_rng(8).normal(0.05, 0.3, 130)
    words = drawn_at(7, np.arange(2_000 * 3, dtype=np.uint64)).reshape(
        2_000, 3
    )  # 130 queries need three words of 64 signs
    bits = np.concatenate([words[:, [w]] >> np.arange(64, dtype=np.uint64) & np.uint64(1) for w in range(3)], axis=1)
    sums = (bits[:, :130] * 2.0 - 1) @ d
    hits = (np.abs(sums) >= abs(d.sum()) - 1e-9).sum()
    assert permutation(d, resamples=2_000, seed=7).p[0] == (1 + hits) / (1 + 2_000)


@pytest.mark.parametrize("n", [17, 64, 65, 300])
def test_a_pair_has_the_same_p_alone_and_among_others_and_by_systems(n):
    x = np.round(np.random.default_rng(n).random((n, 6)), 2)
    x[:, 5] = x[:, 4]
    x[:3, 5] += 0.01  # nearly the same system: its few differences are enumerated
    pairs = list(combinations(range(6), 2))
    d = np.stack([x[:, b] - x[:, a] for a, b in pairs], axis=1)
    together, by_system = permutation(d, resamples=5_000), permutation_of(x, pairs, resamples=5_000)
    alone = [permutation(column, resamples=5_000).p[0] for column in d.T]
    assert together.p.tolist() == by_system.p.tolist() == alone
    assert together.adjusted.tolist() == by_system.adjusted.tolist()
    np.testing.assert_allclose(together.statistic, d.mean(axis=0), rtol=1e-12, atol=1e-15)
    assert (together.adjusted >= together.p).all()


def test_sums_on_the_grid_are_exact():
    d = np.random.default_rng(2).normal(0.05, 1, (1_000, 3)) * [1, 1e-9, 1e9]
    grid = _Grid.of(d, d, None)
    assert (np.abs(grid.columns).sum(axis=0) <= 2**51 + 1_000).all()
    assert (grid.columns == np.rint(grid.columns)).all()
    exact = [sum(map(int, column)) for column in grid.columns.T]
    assert grid.total.tolist() == exact
    np.testing.assert_allclose(grid.columns * grid.unit, d, rtol=1e-9)


def test_whole_clusters_change_sign_together():
    d = np.array([0.1, 0.2, -0.4, 0.3, 0.3, 0.1, 0.5])
    clusters = ["a", "b", "a", "c", "c", "b", "d"]
    sums = np.array([0.1 - 0.4, 0.2 + 0.1, 0.3 + 0.3, 0.5])
    found = permutation(d, clusters=clusters)
    assert found.p[0] == np.mean(np.abs(all_sums(sums)) >= sums.sum() - 1e-9)
    assert found.statistic[0] == pytest.approx(d.mean())
    x = np.random.default_rng(4).random((200, 4))
    codes, pairs = np.arange(200) // 4, list(combinations(range(4), 2))
    by_pair = permutation(np.stack([x[:, b] - x[:, a] for a, b in pairs], axis=1), clusters=codes, resamples=2_000)
    assert permutation_of(x, pairs, clusters=codes, resamples=2_000).p.tolist() == by_pair.p.tolist()


def test_where_nothing_can_be_said_p_is_1_and_the_note_says_why():
    assert permutation(np.zeros(5)).p.tolist() == [1.0]
    assert permutation(np.zeros((90, 2))).note == ("all differences are 0",) * 2
    one = permutation([0.3])
    assert (one.p[0], one.note[0]) == (1.0, "one query: nothing to test")
    assert permutation([0.3, 0.4], clusters=[1, 1]).note == ("one cluster: nothing to test",)
    mixed = permutation(np.stack([np.zeros(60), np.ones(60)], axis=1), resamples=999)
    assert mixed.p.tolist() == [1.0, 1 / 1_000]
    assert mixed.note == ("all differences are 0", "")
    assert mixed.adjusted.tolist() == [1.0, 1 / 1_000]


def test_the_scale_of_values_does_not_matter():
    d = np.random.default_rng(6).normal(0.1, 0.5, (40, 2))
    found = permutation(d, resamples=2_000)
    for factor in (2.0**-900, 2.0**900):
        assert permutation(d * factor, resamples=2_000).p.tolist() == found.p.tolist()


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: permutation([0.1, np.nan]), "table"),
        (lambda: permutation([0.1, np.inf]), "table"),
        (lambda: permutation([]), "table"),
        (lambda: permutation(["a", "b"]), "table"),
        (lambda: permutation(np.zeros((2, 2, 2))), "table"),
        (lambda: permutation([0.1, 0.2], clusters=[1]), "lengths"),
        (lambda: permutation([0.1, 0.2], clusters=[1, None]), "table"),
        (lambda: permutation([0.1, 0.2], clusters=[1.0, np.nan]), "table"),
        (lambda: permutation_of(np.zeros((3, 2)), [(0, 2)]), "table"),
        (lambda: permutation_of(np.zeros((3, 2)), [(0, 1, 1)]), "table"),
        (lambda: permutation_of(np.zeros((3, 2)), []), "table"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, slug):
    refusal(slug, call)


@pytest.mark.parametrize(
    "options", [{"resamples": 0}, {"resamples": 1.5}, {"resamples": True}]
)  # fmt: skip
def test_options_out_of_range_are_refused(options):
    refusal("parameter", permutation, [0.1, 0.2], **options)
