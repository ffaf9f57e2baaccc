"""Counts of partitions: their sum, and the one that threads share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from judged.core.parts.pass_two import CountsTogether, RankCounts


def counted(ahead: list[int], rows: int) -> RankCounts:
    counts = RankCounts.nothing(groups=2, queries=1, inside=5)
    counts.ahead += np.array(ahead, np.uint32)
    counts.inside += np.arange(5, dtype=np.uint32)
    counts.rows = rows
    return counts


def test_threads_that_share_a_sum_count_as_one_after_the_other():
    separately, together = RankCounts.nothing(2, 1, 5), CountsTogether(RankCounts.nothing(2, 1, 5))
    parts = [[i, 2 * i, 3] for i in range(200)]
    for ahead in parts:
        separately.add_rows(counted(ahead, rows=7))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda ahead: together.take(counted(ahead, rows=7)), parts))
    assert together.counts.ahead.tolist() == separately.ahead.tolist() == np.sum(parts, axis=0).tolist()
    assert together.counts.inside.tolist() == separately.inside.tolist()
    assert together.counts.rows == separately.rows == 7 * 200


def test_counts_in_a_shared_sum_are_not_added_again():
    total, together = RankCounts.nothing(2, 1, 5), CountsTogether(RankCounts.nothing(2, 1, 5))
    part = counted([1, 2, 3], rows=4)
    together.take(part)
    total.add(part, dict)
    assert (total.rows, total.ahead.tolist()) == (4, [0, 0, 0])


@pytest.mark.parametrize("rows", [1 << 32, (1 << 32) - 1])
def test_counts_never_overflow(rows):
    total = RankCounts.nothing(2, 1, 5)
    for _ in range(2):
        part = counted([0, 0, 0], rows=rows // 2 + rows % 2)
        part.ahead[:] = np.uint32((1 << 31) + 5)
        total.add_rows(part)
    assert total.ahead.tolist() == [(1 << 32) + 10] * 3
