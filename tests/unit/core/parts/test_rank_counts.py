"""Counts of partitions add up."""

import numpy as np
import pytest

from judged.core.parts.pass_two import RankCounts


@pytest.mark.parametrize("rows", [1 << 32, (1 << 32) - 1])
def test_counts_never_overflow(rows):
    total = RankCounts.nothing(groups=2, queries=1, inside=5)
    for _ in range(2):
        part = RankCounts.nothing(groups=2, queries=1, inside=5)
        part.rows = rows // 2 + rows % 2
        part.ahead[:] = np.uint32((1 << 31) + 5)
        total.add(part, dict)
    assert total.ahead.tolist() == [(1 << 32) + 10] * 3
