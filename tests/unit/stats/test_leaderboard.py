"""Systems over collections: means, ranks, points, wins."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judged.errors import DataError, UsageError
from judged.stats.leaderboard import standings

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
    with pytest.raises(DataError) as caught:
        standings([[0.5, NAN], [NAN, 0.4]])
    assert caught.value.slug == "values-missing"


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


@pytest.mark.parametrize("call", [
    lambda: standings([[0.1]], missing="zero"),
    lambda: standings([[0.1]]).order("median"),
])  # fmt: skip
def test_wrong_calls_are_refused(call):
    with pytest.raises((UsageError, DataError)):
        call()
