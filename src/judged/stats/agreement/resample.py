"""Units, or whole queries, drawn again with replacement: how often each pattern then occurs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from judged._types import Floats, Ints
from judged.core.numeric.seed import generator
from judged.stats.agreement.ratings import Patterns

__all__ = ["by_cluster", "resampled", "resamples"]


_MOST = 2_000
_FEWEST = 200
_DRAWS = 20_000_000  # more queries, or ways to be judged, than 10,000 need fewer resamples for the same steadiness
_BLOCK = 1 << 21


def resamples(size: int) -> int:
    """How many resamples of so many patterns or queries: 2,000; of more than 10,000 fewer, and never fewer than 200."""
    return max(_FEWEST, min(_MOST, _DRAWS // max(size, 1)))


def by_cluster(patterns: Patterns, cluster: Ints) -> tuple[Ints, list[Floats]]:
    """The clusters that have units, and the count of each pattern in each cluster (clusters × patterns, in blocks)."""
    present, place = np.unique(cluster, return_inverse=True)
    table = _table(patterns, place, len(present))
    step = max(1, _BLOCK // max(len(patterns.count), 1))
    return present, [table[at : at + step].toarray() for at in range(0, len(present), step)]


def resampled(patterns: Patterns, cluster: Ints | None, seed: int | np.random.Generator) -> Iterator[Floats]:
    """Blocks of resamples × patterns: units drawn one by one; or, with `cluster`, all units of a cluster together."""
    rng = generator(seed)
    wide = len(patterns.count)
    if cluster is None:
        n, share = int(patterns.count.sum()), patterns.count / patterns.count.sum()
        for rows in _blocks(wide, wide):
            yield rng.multinomial(n, share, rows).astype(float)  # units of one pattern need not be told apart
        return
    present, place = np.unique(cluster, return_inverse=True)
    table, size = _table(patterns, place, len(present)).T, len(present)
    table = table.toarray() if size * wide <= _BLOCK else table
    for rows in _blocks(size, wide):
        drawn = rng.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        yield (table @ times.T.astype(float)).T


def _blocks(size: int, wide: int) -> Iterator[int]:
    """How many resamples at a time, until there are enough."""
    left, step = resamples(size), max(1, _BLOCK // max(size, wide))
    while left > 0:
        yield min(step, left)
        left -= step


def _table(patterns: Patterns, place: Ints, clusters: int):  # type: ignore[no-untyped-def]  # SciPy's matrices have no types
    from scipy.sparse import csr_array

    ones = np.ones(len(place))
    return csr_array((ones, (place, patterns.unit)), shape=(clusters, len(patterns.count)))
