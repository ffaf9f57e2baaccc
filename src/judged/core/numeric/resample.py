"""Means of resamples with replacement, from a counter-based random stream that is the same on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.numeric.native import native

_BLOCK = 1 << 20


def resampled_means(x: Floats, resamples: int, seed: int) -> Floats:
    """Return the mean of each resample of the rows of `x` (fewer than 2³²), added in the order of the draws.

    The draws depend on the number of rows and the seed only: a column has bit-identical means alone and with others.
    """
    chosen = reference if native is None else _native
    return chosen(np.ascontiguousarray(x, np.float64), resamples, seed % 2**64)


def _native(x: Floats, resamples: int, seed: int) -> Floats:
    columns = x.shape[1] if x.ndim > 1 else 1
    means = native.resampled_means(x.reshape(-1), columns, resamples, seed)
    return means.reshape(resamples, *x.shape[1:])


def reference(x: Floats, resamples: int, seed: int) -> Floats:
    """Reference implementation in NumPy."""
    size, pairs = np.uint64(len(x)), (len(x) + 1) // 2
    means = np.empty((resamples, *x.shape[1:]))
    step = max(1, _BLOCK // x.size)
    half = np.uint64(32)
    for first in range(0, resamples, step):
        resample = np.arange(first, min(first + step, resamples), dtype=np.uint64)
        z = drawn_at(seed, resample * np.uint64(pairs) + np.arange(pairs, dtype=np.uint64)[:, None])
        drawn = np.stack([z >> half, z & np.uint64(0xFFFFFFFF)], axis=1).reshape(2 * pairs, -1)[: len(x)]
        means[first : first + step] = np.add.reduce(x[drawn * size >> half], axis=0) / len(x)  # row after row
    return means


def drawn_at(seed: int, k: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the k-th numbers of a SplitMix64 stream, whose state is a counter."""
    z = np.uint64(seed) + (k + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
