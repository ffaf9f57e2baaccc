"""Click logs: order, checks, parts."""

from __future__ import annotations

import numpy as np
import pytest
from click_world import log_of

from judged.clicks.data.grid import ShownLists, distinct_rows, grid_of, last_click_before, tally
from judged.clicks.data.log import ClickLog, Pairs
from judged.errors import DataError, UsageError

ROWS = [
    ("s2", "q", ["a", "b", "c"], [0, 1, 0]),
    ("s1", "p", ["a", "x"], [1, 1]),
    ("s3", "q", ["a", "b", "c"], [0, 1, 0]),
]


def test_rows_are_sorted_by_session_and_rank_whatever_their_order():
    log = log_of(ROWS)
    order = np.random.default_rng(0).permutation(len(log))
    queries, docs = log.pairs.ids()
    mixed = ClickLog.of([log.sessions[log.session[i]] for i in order], [queries[log.pair[i]] for i in order],
                        [docs[log.pair[i]] for i in order], log.rank[order], log.clicked[order])  # fmt: skip
    told = {(mixed.sessions[s], docs[p] if False else mixed.pairs.docs[mixed.pairs.doc[p]], r, c)
            for s, p, r, c in zip(mixed.session, mixed.pair, mixed.rank, mixed.clicked, strict=True)}  # fmt: skip
    assert told == {(s, d, r, bool(c)) for s, _, ds, cs in ROWS for r, (d, c) in enumerate(zip(ds, cs, strict=True), 1)}
    assert (np.diff(mixed.session) >= 0).all()
    assert (np.diff(mixed.rank)[np.diff(mixed.session) == 0] > 0).all()


def test_a_session_with_two_queries_counts_as_two_lists():
    log = ClickLog.of([1, 1], ["q", "p"], ["a", "a"], [1, 1], [0, 1])
    assert log.sessions == (1, 1)
    assert sorted(log.session.tolist()) == [0, 1]


def test_ids_keep_their_types():
    log = ClickLog.of([7], [3], ["a"], [1], [True])
    assert log.sessions == (7,)
    assert log.pairs.queries == (3,)
    assert log.pairs.docs == ("a",)


@pytest.mark.parametrize(
    ("columns", "slug"),
    [
        (([1, 1], ["q"], ["a"], [1], [0]), "columns"),
        (([], [], [], [], []), "empty-clicks"),
        (([1], [None], ["a"], [1], [0]), "id-null"),
        (([1], ["q"], [float("nan")], [1], [0]), "id-null"),
        (([1], ["q"], [["a"]], [1], [0]), "id-type"),
        (([1], ["q"], ["a"], [0], [0]), "rank-type"),
        (([1], ["q"], ["a"], [1.5], [0]), "rank-type"),
        (([1], ["q"], ["a"], ["one"], [0]), "rank-type"),
        (([1], ["q"], ["a"], [1], [2]), "click-type"),
        (([1], ["q"], ["a"], [1], [float("nan")]), "click-type"),
        (([1], ["q"], ["a"], [1], ["yes"]), "click-type"),
        (([1, 1], ["q", "q"], ["a", "b"], [1, 1], [0, 0]), "duplicate-rank"),
        (([1, 1], ["q", "q"], ["a", "a"], [1, 2], [0, 0]), "duplicate-doc"),
    ],
)
def test_what_cannot_be_a_log_is_refused(columns, slug):
    with pytest.raises(DataError) as error:
        ClickLog.of(*columns)
    assert error.value.slug == slug


def test_a_split_keeps_whole_sessions_and_is_the_same_for_the_same_seed():
    log = log_of([(f"s{i}", "q", ["a", "b"], [i % 2, 0]) for i in range(200)])
    train, test = log.split(0.25, seed=3)
    assert set(train.sessions) | set(test.sessions) == set(log.sessions)
    assert not set(train.sessions) & set(test.sessions)
    assert len(train) == 2 * len(train.sessions)
    assert train.pairs is log.pairs
    assert log.split(0.25, seed=3)[1].sessions == test.sessions
    assert 30 <= len(test.sessions) <= 70


@pytest.mark.parametrize("share", [0, 1, -1, 2])
def test_a_split_needs_a_share_between_0_and_1(share):
    with pytest.raises(UsageError):
        log_of(ROWS).split(share)


def test_pairs_are_found_again_by_their_ids():
    a, _ = Pairs.of(["q", "p"], ["x", "y"], np.array([0, 0, 1]), np.array([0, 1, 1]))
    b, _ = Pairs.of(["p", "r", "q"], ["y", "z"], np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1]))
    there = [a.ids(np.array([i]))[0] + a.ids(np.array([i]))[1] if i >= 0 else None for i in a.locate(b)]
    assert there == [["p", "y"], None, ["q", "y"], None]


def test_equal_sessions_are_put_together_with_their_weight():
    grid = grid_of(log_of(ROWS))
    assert sorted(grid.weight.tolist()) == [1, 2]
    assert sorted(grid.last.tolist()) == [2, 2]
    assert sorted(grid.length.tolist()) == [2, 3]


def test_distinct_rows_are_those_of_unique():
    table = np.random.default_rng(0).integers(-1, 3, (500, 3))
    first, place = distinct_rows(table)
    assert (table[first[place]] == table).all()
    assert len(first) == len(np.unique(table, axis=0))


def test_a_tally_by_sorting_is_the_one_by_counting():
    codes, weight = np.array([5, 2, 5, 9]), np.array([1.0, 2.0, 3.0, 4.0])
    counted, by_sorting = tally(codes, 10, weight), tally(codes, 1 << 40, weight)
    for one, other in zip(counted, by_sorting, strict=True):
        assert one.tolist() == other.tolist()


def test_the_nearest_click_above_does_not_come_from_another_session():
    log = log_of([("a", "q", ["x", "y", "z"], [1, 0, 1]), ("b", "q", ["x", "y", "z"], [0, 1, 0])])
    assert last_click_before(log).tolist() == [0, 1, 1, 0, 0, 2]


def test_lists_are_padded():
    lists = ShownLists.of({"q": ["b", "a"], "p": ["c"]})
    assert lists.shown.tolist() == [[True, True], [True, False]]
    assert lists.at(np.array([1.0, 2.0, 3.0]), 9.0, lists.pairs)[0].tolist() == [2.0, 1.0]


def test_no_rankings_are_no_lists():
    with pytest.raises(DataError):
        ShownLists.of({"q": []})
