"""Sums of columns under random or all signs: the expensive step of a permutation test, on all cores.

Signs are multiplied in tiles of 64 × 64, which fit the cache and are too small for BLAS to start its own threads:
these would synchronise at every call, which takes ten times as long as the work on a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from judged._types import Floats
from judged.core.numeric.native import usable_cores
from judged.core.numeric.resample import drawn_at

Seen = TypeVar("Seen")

_TILE = 64
_BLOCK = 1 << 19  # signs per core and step: 4 MB
_CORES = 16


def over_signs(columns: Floats, rows: int, seed: int | None, see: Callable[[Floats], Seen]) -> list[Seen]:
    """Apply `see` to each block (rows × columns) of sums Σ ±x of the columns, and return the results in the order of
    rows.

    The signs of a row are bits of the counter-based stream, lowest first, and each row starts a new word, so they
    depend only on the number of queries and the seed. Without a seed they are the bits of the row number: 2ⁿ rows are
    all assignments.
    """
    n, k = columns.shape
    wide = max(1, -(-n // _TILE))
    padded = np.zeros((wide * _TILE, k))
    padded[:n] = columns
    tiles = [padded[:, at : at + _TILE].reshape(wide, _TILE, -1).copy() for at in range(0, k, _TILE)]
    total = columns.sum(axis=0)
    step = _TILE * max(1, _BLOCK // (wide * _TILE * _TILE))

    starts = range(0, rows, step)
    workers = max(1, min(usable_cores(), _CORES, len(starts)))

    def lane(which: int) -> list[Seen]:
        signs = np.empty((step // _TILE, wide, _TILE, _TILE))  # allocated once: allocation costs more than the work
        products = [np.empty((step // _TILE, wide, _TILE, tile.shape[2])) for tile in tiles]
        seen = []
        for first in starts[which::workers]:
            count = min(step, rows - first)
            groups = -(-count // _TILE)
            _draw(signs[:groups], first, seed)
            sums = [
                np.matmul(signs[:groups], tile, out=product[:groups]).sum(axis=1).reshape(-1, tile.shape[2])
                for tile, product in zip(tiles, products, strict=True)
            ]
            seen.append(see(2 * np.concatenate(sums, axis=1)[:count] - total))
        return seen

    if workers == 1:
        return lane(0)
    with ThreadPoolExecutor(workers) as pool:
        lanes = list(pool.map(lane, range(workers)))
    return [lanes[i % workers][i // workers] for i in range(len(starts))]


def _draw(signs: Floats, first: int, seed: int | None) -> None:
    """Fill in 1 for + and 0 for -: groups × words of a row × rows of a group × bits of a word."""
    groups, wide = signs.shape[:2]
    row = np.arange(first, first + groups * _TILE, dtype=np.uint64).reshape(groups, 1, _TILE)
    counter = row * np.uint64(wide) + np.arange(wide, dtype=np.uint64)[:, None]
    words = counter if seed is None else drawn_at(seed % 2**64, counter)
    bits = np.unpackbits(words.astype("<u8", copy=False).reshape(-1).view(np.uint8), bitorder="little")
    np.copyto(signs, bits.reshape(signs.shape))
