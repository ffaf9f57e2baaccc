"""Random numbers for resampling tests: counter-based, so they are the same on every machine and in blocks of any size."""

from __future__ import annotations

import numpy as np

from judged._types import Floats, Ints, Words
from judged.core.resample import drawn_at


def _words(seed: int, counters: Words) -> Words:
    return drawn_at(seed % 2**64, counters)


def _counters(rows: range, wide: int, columns: range) -> Words:
    """Return the positions in the stream of a block of a table (rows × columns) with `wide` columns in all."""
    down = np.arange(rows.start, rows.stop, dtype=np.uint64)[:, None]
    across = np.arange(columns.start, columns.stop, dtype=np.uint64)
    return (down * np.uint64(wide) + across).astype(np.uint64, copy=False)


def arrangements(seed: int, rows: range, queries: range, size: int, k: int) -> Ints:
    """Draw uniform random permutations of k items: one per row and query (rows × queries × k), of `size` queries in all.

    A permutation is the order of k random numbers. The last bits of each number are its position, so numbers are never
    equal and the result does not depend on the sorting algorithm.
    """
    low = np.uint64((1 << (k - 1).bit_length()) - 1)
    keys = _words(seed, _counters(rows, size * k, range(queries.start * k, queries.stop * k)))
    keys = (keys & ~low).reshape(len(rows), len(queries), k) | np.arange(k, dtype=np.uint64)
    keys.sort(axis=2)
    return (keys & low).astype(np.int64)


def signs(seed: int, rows: int, columns: range, n: int) -> Floats:
    """Draw signs (+1 or -1) of a block of columns of a table rows × n: bits of the stream, lowest first. The block
    starts at a multiple of 64.
    """
    words = _words(seed, _counters(range(rows), -(-n // 64), range(columns.start // 64, -(-columns.stop // 64))))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, : len(columns)].astype(np.float64) * 2.0 - 1.0


def places(seed: int, rows: range, n: int, size: int) -> Ints:
    """Draw uniform positions below `size` (at most 2³²) for some rows of a table with n columns."""
    words = _words(seed, _counters(rows, n, range(n))) >> np.uint64(32)
    return (words * np.uint64(size) >> np.uint64(32)).astype(np.int64)
