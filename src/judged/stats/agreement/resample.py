"""Bootstrap of units or of whole queries: counts of each pattern in every resample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from judged._types import Floats, Ints
from judged.core.resample import generator
from judged.stats.agreement.ratings import Patterns

_MOST = 2_000
_FEWEST = 200
_DRAWS = 20_000_000  # bounds the work for more than 10,000 queries or patterns
_BLOCK = 1 << 21


def resamples(size: int) -> int:
    """Return the number of resamples for this number of patterns or queries: 2,000, fewer above 10,000, at least 200."""
    return max(_FEWEST, min(_MOST, _DRAWS // max(size, 1)))


def by_cluster(patterns: Patterns, cluster: Ints) -> tuple[Ints, list[Floats]]:
    """Return the clusters that have units, and the count of each pattern in each cluster (clusters × patterns, in blocks)."""
    present, place = np.unique(cluster, return_inverse=True)
    table = _table(patterns, place, len(present))
    step = max(1, _BLOCK // max(len(patterns.count), 1))
    return present, [table[at : at + step].toarray() for at in range(0, len(present), step)]


def resample(patterns: Patterns, cluster: Ints | None, seed: int | np.random.Generator) -> Iterator[Floats]:
    """Yield blocks of counts (resamples × patterns): of units, or of whole clusters."""
    rng = generator(seed)
    wide = len(patterns.count)
    if cluster is None:
        n, share = int(patterns.count.sum()), patterns.count / patterns.count.sum()
        for rows in _blocks(wide, wide):
            yield rng.multinomial(n, share, rows).astype(float)  # units of one pattern are interchangeable
        return
    present, place = np.unique(cluster, return_inverse=True)
    table, size = _table(patterns, place, len(present)).T, len(present)
    table = table.toarray() if size * wide <= _BLOCK else table
    for rows in _blocks(size, wide):
        drawn = rng.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        yield (table @ times.T.astype(float)).T


def _blocks(size: int, wide: int) -> Iterator[int]:
    """Yield the number of resamples in each block."""
    left, step = resamples(size), max(1, _BLOCK // max(size, wide))
    while left > 0:
        yield min(step, left)
        left -= step


def _table(patterns: Patterns, place: Ints, clusters: int):  # type: ignore[no-untyped-def]  # SciPy has no types
    from scipy.sparse import csr_array

    ones = np.ones(len(place))
    return csr_array((ones, (place, patterns.unit)), shape=(clusters, len(patterns.count)))
