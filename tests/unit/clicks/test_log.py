"""Click logs: order, ids, checks."""

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.clicks.log import Pairs

ROWS = [
    ("s2", "q", "a", 1, 0),
    ("s2", "q", "b", 2, 1),
    ("s2", "q", "c", 3, 0),
    ("s1", "p", "a", 1, 1),
    ("s1", "p", "x", 2, 1),
]


def rows_of(log):
    pairs = log.pairs.ids()
    columns = (log.session.tolist(), log.pair.tolist(), log.rank.tolist(), log.clicked.tolist())
    return [(log.sessions[s], *pairs[p], r, int(c)) for s, p, r, c in zip(*columns, strict=True)]


def test_rows_are_sorted_by_session_and_rank_whatever_their_order():
    mixed = jd.clicks.read_clicks([ROWS[i] for i in (4, 2, 0, 3, 1)])
    assert set(rows_of(mixed)) == set(ROWS)
    assert (np.diff(mixed.session) >= 0).all()
    assert (np.diff(mixed.rank)[np.diff(mixed.session) == 0] > 0).all()


def test_a_session_with_two_queries_counts_as_two_lists():
    log = jd.clicks.read_clicks([(1, "q", "a", 1, 0), (1, "p", "a", 1, 1)])
    assert log.sessions == (1, 1)
    assert sorted(log.session.tolist()) == [0, 1]


def test_ids_keep_their_types():
    log = jd.clicks.read_clicks([(7, 3, "a", 1, True)])
    assert (log.sessions, log.pairs.ids()) == ((7,), [(3, "a")])


def test_without_ranks_rows_stand_in_the_order_in_which_they_were_shown():
    rows = [("s1", "q", "b", 0), ("s2", "q", "a", 1), ("s1", "q", "a", 1)]
    log = jd.clicks.read_clicks([dict(zip(("session", "query", "doc", "click"), row, strict=True)) for row in rows])
    assert log.rank.tolist() == [1, 2, 1]
    assert log.clicked.tolist() == [False, True, True]


def test_a_log_that_was_read_stays_what_it_is():
    log = jd.clicks.read_clicks(ROWS)
    assert jd.clicks.read_clicks(log) is log
    assert repr(log) == "ClickLog(2 sessions, 2 queries, 5 rows, 3 clicks)"


@pytest.mark.parametrize(
    ("rows", "slug"),
    [
        ([(1, "q", "a", 1, 0), (1, "q", "b", 1, 0)], "clicks"),
        ([(1, "q", "a", 1, 0), (1, "q", "a", 2, 0)], "duplicate-doc"),
    ],
)
def test_two_documents_at_one_rank_or_one_at_two_are_refused(rows, slug):
    refusal(slug, jd.clicks.read_clicks, rows)


def test_pairs_are_distinct_and_each_row_knows_its_own():
    pairs, place = Pairs.of(["q", "p"], ["x", "y"], np.array([0, 1, 0, 1]), np.array([1, 0, 1, 1]))
    assert pairs.ids() == [("q", "y"), ("p", "x"), ("p", "y")]
    assert place.tolist() == [0, 1, 0, 2]
