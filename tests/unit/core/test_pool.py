"""Columns that are computed from a pool are kept, but not without bound."""

import numpy as np

from judged.core import pool as pools
from judged.core.pool import Pool


def test_columns_of_many_levels_are_not_all_kept(monkeypatch):
    monkeypatch.setattr(pools, "_MOST", 10)
    pool = Pool(queries=("a", "b"), query=np.array([0, 0, 1]), grade=np.array([3.0, 1.0, 2.0]))
    sizes, first = pool.sizes, pool.relevant(0.5)
    assert pool.relevant(0.5) is first
    for step in range(1, 100):
        assert pool.relevant(step / 25).tolist() == [(step / 25 <= 3) + (step / 25 <= 1), step / 25 <= 2]
    assert len(pool.results) == 10 + 1
    assert pool.sizes is sizes  # one of a kind stays
    assert pool.relevant(0.5).tolist() == first.tolist()
