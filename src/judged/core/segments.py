"""Sums and products within segments of a column: sequential and independent per segment.

Every function takes the elements of all segments one after the other. A segment's result depends only on
its own elements, taken from the first to the last, so any split of the segments gives the same bits. The NumPy code
is the specification; the native core returns the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.native import CORES, as_floats, as_ints, native


def offsets(sizes: Ints) -> Ints:
    """Return the start of each segment, and the end of the last one."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def numbers(sizes: Ints) -> Ints:
    """The number of the segment of each element."""
    if native is not None:
        return native.numbers(as_ints(sizes))
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)


def positions(sizes: Ints) -> Ints:
    """0, 1, 2 … within each segment."""
    return np.arange(int(sizes.sum()), dtype=np.int64) - np.repeat(offsets(sizes)[:-1], sizes)


def ranks(sizes: Ints) -> Ints:
    """1, 2, 3 … within each segment."""
    if native is not None:
        return native.ranks(as_ints(sizes))
    return positions(sizes) + 1


def heads(sizes: Ints, cutoff: int) -> tuple[Ints, Ints, Ints, Ints]:
    """The first elements of each segment: their number per segment; the segment, rank and place of each."""
    if native is not None:
        return native.heads(as_ints(sizes), cutoff)
    kept = np.minimum(sizes, cutoff)
    segment, rank = numbers(kept), ranks(kept)
    return kept, segment, rank, offsets(sizes)[segment] + rank - 1


def total(x: NDArray[Any], segment: Ints, count: int) -> Floats:
    """The sum of each segment. `bincount` adds one element after the other, unlike `sum`."""
    if native is not None:
        return native.total(as_floats(x), as_ints(segment), count)
    return np.bincount(segment, weights=x, minlength=count).astype(np.float64, copy=False)


def first(mask: NDArray[np.bool_], segment: Ints, rank: Ints, count: int) -> Floats:
    """The rank of the first element of each segment for which the mask is True; infinite without such an element."""
    if native is not None:
        return native.first(np.ascontiguousarray(mask, np.bool_), as_ints(segment), as_ints(rank), count)
    out = np.full(count, np.inf)
    out[segment[mask][::-1]] = rank[mask][::-1]
    return out


def falling(x: Floats, sizes: Ints) -> Ints:
    """Stable order of the elements of each segment, from the highest to the lowest."""
    if native is not None:
        return native.falling(as_floats(x), as_ints(sizes), CORES)
    return np.lexsort((-x, np.repeat(np.arange(len(sizes)), sizes)))


def top(score: Floats, grade: Floats, sizes: Ints, depth: int, sign: int) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """The first elements of each segment by score, and all grades from the highest to the lowest.

    Returns the positions of the first `depth` elements of each segment; their places among the sorted grades; the first and the last rank
    of the elements with their score, also below `depth`; the sorted grades. Of equal scores, the higher grade is first if `sign` is 1, the
    lower if it is -1, and the first in the column if it is 0, or if the grades are equal too.
    """
    if native is not None:
        return native.top(as_floats(score), as_floats(grade), as_ints(sizes), depth, sign, CORES)
    segment, rank = numbers(sizes), ranks(sizes)
    order = np.lexsort((-sign * grade, -score, segment))
    by_grade = falling(grade, sizes)
    place = np.empty(len(grade), np.int64)
    place[by_grade] = np.arange(len(grade))
    start = np.ones(len(score), bool)
    start[1:] = (score[order][1:] != score[order][:-1]) | (rank[1:] == 1)
    group = np.cumsum(start) - 1
    tie_first = rank[start][group]
    tie_last = tie_first + np.bincount(group, minlength=1)[group] - 1
    kept = rank <= depth
    return order[kept], place[order[kept]], tie_first[kept], tie_last[kept], grade[by_grade]


def running(x: NDArray[Any], sizes: Ints) -> NDArray[Any]:
    """The sum over each segment from its first element up to each one, itself included."""
    if native is not None:
        return native.running(as_ints(x) if x.dtype.kind in "bui" else as_floats(x), as_ints(sizes))
    if x.dtype.kind in "bui":  # integers add without rounding: no need to go segment by segment
        along = np.concatenate([np.zeros(1, np.int64), np.cumsum(x, dtype=np.int64)])
        return along[1:] - np.repeat(along[offsets(sizes)[:-1]], sizes)
    return _accumulate(np.add, x, sizes)


def product_before(x: Floats, sizes: Ints) -> Floats:
    """The product over each segment from its first element up to the one before each; 1 for the first."""
    if native is not None:
        return native.product_before(as_floats(x), as_ints(sizes))
    through = _accumulate(np.multiply, x, sizes)
    before = np.ones_like(x)
    later = positions(sizes) > 0
    before[later] = through[np.flatnonzero(later) - 1]
    return before


def _accumulate(operation: np.ufunc, x: Floats, sizes: Ints) -> Floats:
    """`operation` over each segment from its first element up to each one, itself included.

    Segments of similar size are the rows of one matrix: one vectorised step serves many segments, and memory stays below
    twice the input.
    """
    out = np.empty_like(x)
    start = offsets(sizes)[:-1]
    width_class = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    for size_class in np.unique(width_class[sizes > 0]):
        chosen = np.flatnonzero((width_class == size_class) & (sizes > 0))
        step = np.arange(int(sizes[chosen].max()))
        inside = step < sizes[chosen, None]
        at = np.minimum(start[chosen, None] + step, len(x) - 1)
        out[at[inside]] = operation.accumulate(x[at], axis=1)[inside]
    return out
