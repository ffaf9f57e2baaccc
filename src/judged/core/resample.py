"""Random seeds: non-negative integers or NumPy generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.native import CORES, native
from judged.errors import UsageError, shown


def whole_seed(seed: Any) -> int:
    """Return the seed; raise an error if it is not a non-negative integer."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError("parameter", f"seed must be an integer ≥ 0, got {shown(seed)}", value=seed)
    return int(seed)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return the NumPy generator of a seed, the same on every machine; a generator is returned unchanged."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole_seed(seed))


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


Item = TypeVar("Item")
Result = TypeVar("Result")
Rank = Callable[[int, int], int]

_TILE = 64  # signs are multiplied in tiles of 64 × 64: these fit the cache, and are too small for BLAS to start threads
_SIGNS = 1 << 17  # signs, or statistics, at a time
_CORES = 16
_COLUMNS = 4  # whose sums of all rows are kept at a time: they fit the cache


@dataclass(frozen=True, slots=True)
class SignFlips:
    """Columns (queries × columns) and the number of rows of signs that they are multiplied with."""

    columns: Floats
    rows: int
    seed: int | None

    def count_reached(self, pairs: Ints | None, bound: Floats, factor: Floats) -> tuple[Ints, Floats]:
        """Return in how many rows the statistic of each pair reaches its bound, and the largest statistic · factor of each row.

        The sum of a pair is that of its second column less that of its first; without pairs, that of a column. The statistic is
        its absolute value.
        """
        size = max(1, self.rows // (4 * CORES) + 1)
        parts = [(first, min(first + size, self.rows)) for first in range(0, self.rows, size)]
        count = self._count if native is None else self._count_native
        seen = _in_parallel(lambda part: count(pairs, bound, factor, *part), parts)
        return np.add.reduce([hits for hits, _ in seen]), np.concatenate([tops for _, tops in seen])

    def _count_native(self, pairs: Ints | None, bound: Floats, factor: Floats, first: int, last: int) -> Any:
        own = np.arange(len(bound))
        a, b = (np.full_like(own, -1), own) if pairs is None else (pairs[:, 0], pairs[:, 1])
        ends = np.ascontiguousarray(a, np.int64), np.ascontiguousarray(b, np.int64), np.ascontiguousarray(bound)
        return native.count_reached(*self._columns(), *ends, np.ascontiguousarray(factor), 0, first, last)

    def _count(self, pairs: Ints | None, bound: Floats, factor: Floats, first: int, last: int) -> Any:
        hits, tops = np.zeros(len(bound), np.int64), []
        step = max(1, _SIGNS // max(len(bound), len(self.columns)))
        for at in range(first, last, step):
            sums = self._sums(at, min(at + step, last))
            sums = sums if pairs is None else sums[:, pairs[:, 1]] - sums[:, pairs[:, 0]]
            reached = np.abs(sums)
            hits += (reached >= bound).sum(axis=0)
            tops.append((reached * factor).max(axis=1))
        return hits, np.concatenate(tops)

    def shifts(self, sizes: Floats, total: Floats, slack: Floats, rank: Rank) -> tuple[Floats, Floats]:
        """Return the ends of the shifts δ that are accepted, per column; infinite where none is rejected.

        A row of signs reaches the observed mean of d - δ exactly if δ lies between the means of the differences with + and of
        those with -. `rank(column, hits)` gets the number of rows that reach it for δ = 0, and returns the order statistic of
        these means at which the interval ends, or 0.
        """
        signs = SignFlips(sizes[:, None], self.rows, self.seed).all_sums()[0]
        ends = _shift_ends if native is None else _shift_ends_native

        def ends_of(group: range) -> list[tuple[float, float]]:
            sums = SignFlips(self.columns[:, group.start : group.stop], self.rows, self.seed).all_sums()
            return [
                ends(row, signs, float(total[at]), float(slack[at]), float(sizes.sum()), partial(rank, at))
                for at, row in zip(group, sums, strict=True)
            ]

        groups = [range(at, min(at + _COLUMNS, len(total))) for at in range(0, len(total), _COLUMNS)]
        found = np.array([pair for group in _in_parallel(ends_of, groups) for pair in group]).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def all_sums(self) -> Floats:
        """Return Σ ±x of each column, columns × rows."""
        if native is not None:
            return np.asarray(native.signed_sums(*self._columns(), self.rows)).reshape(-1, self.rows)
        step = max(1, _SIGNS // max(1, len(self.columns)))
        blocks = [self._sums(at, min(at + step, self.rows)) for at in range(0, self.rows, step)]
        return np.ascontiguousarray(np.concatenate(blocks).T)

    def _columns(self) -> tuple[Any, ...]:
        seed = None if self.seed is None else self.seed % 2**64
        columns = self.columns if len(self.columns) else np.zeros((1, self.columns.shape[1]))
        return np.ascontiguousarray(columns.T).reshape(-1), len(columns), seed

    def _sums(self, first: int, last: int) -> Floats:
        """Return Σ ±x of rows × columns."""
        n, k = self.columns.shape
        wide, groups = max(1, -(-n // _TILE)), -(-(last - first) // _TILE)
        padded = np.zeros((wide * _TILE, k))
        padded[:n] = self.columns
        row = np.arange(first, first + groups * _TILE, dtype=np.uint64).reshape(groups, 1, _TILE)
        counter = row * np.uint64(wide) + np.arange(wide, dtype=np.uint64)[:, None]
        words = counter if self.seed is None else drawn_at(self.seed % 2**64, counter)
        bits = np.unpackbits(words.astype("<u8", copy=False).reshape(-1).view(np.uint8), bitorder="little")
        signs = bits.reshape(groups, wide, _TILE, _TILE).astype(np.float64)  # 1 for + and 0 for -
        tiles = [padded[:, at : at + _TILE].reshape(wide, _TILE, -1) for at in range(0, k, _TILE)]
        sums = [np.matmul(signs, tile).sum(axis=1).reshape(-1, tile.shape[2]) for tile in tiles]
        return 2 * np.concatenate(sums, axis=1)[: last - first] - self.columns.sum(axis=0)


def _shift_ends_native(
    sums: Floats, signs: Floats, total: float, slack: float, n: float, rank: Callable[[int], int]
) -> tuple[float, float]:
    known = sums, signs, total, slack, n
    place = rank(native.shift_hits(*known))
    return (native.shift_end(*known, place, 1), native.shift_end(*known, place, -1)) if place else (-np.inf, np.inf)


def _shift_ends(
    sums: Floats, signs: Floats, total: float, slack: float, n: float, rank: Callable[[int], int]
) -> tuple[float, float]:
    """Return the ends of the shifts of a column: `sums` with all signs, `signs` the sum of all signs of a row, n of all sizes."""
    plus, minus = total + sums, total - sums  # twice the sums of differences with + and with -
    low = np.minimum(_shift(plus - slack, n + signs, -np.inf), _shift(minus - slack, n - signs, -np.inf))
    high = np.maximum(_shift(plus + slack, n + signs, np.inf), _shift(minus + slack, n - signs, np.inf))
    place, rows = rank(int(np.count_nonzero((low <= 0) & (high >= 0)))), len(sums)
    if not place:
        return -np.inf, np.inf
    return float(np.partition(low, place - 1)[place - 1]), float(np.partition(high, rows - place)[rows - place])


def _shift(sums: Floats, count: Floats, none: float) -> Floats:
    """sums / count; `none` where no difference has this sign: all signs are equal, and every shift is a hit."""
    return np.divide(sums, count, out=np.full_like(sums, none), where=count > 0)


def _in_parallel(act: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
    workers = min(CORES, _CORES, len(items))
    if workers < 2:
        return [act(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(act, items))
