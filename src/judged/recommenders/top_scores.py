"""The first k items of each user in a matrix of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import DataError

Floats = NDArray[Any]
Rows = tuple[Ints, Ints, Floats]  # user, item, score
Seen = Callable[[int, int], tuple[Ints, Ints]]

_CELLS = 1 << 22  # copied at a time


def top_of_dense(scores: NDArray[Any], k: int, seen: Seen | None) -> Rows:
    """The k highest scores of each row of a matrix, best first, equal ones by column; -inf is never among them.

    Args:
        scores: users × items, read in blocks of rows and never copied as a whole.
        k: number of items.
        seen: a function from a range of rows to the cells (row within the range, column) that must not be recommended.
    """
    users, items = scores.shape
    step = max(1, _CELLS // max(items, 1))
    parts = [_block(scores[at : at + step], at, k, seen) for at in range(0, users, step)]
    return _concatenate(iter(parts))


def _block(scores: NDArray[Any], first: int, k: int, seen: Seen | None) -> Rows:
    block = np.array(scores, dtype=np.float32 if scores.dtype == np.float16 else None)
    if block.dtype.kind != "f":
        block = block.astype(np.float64)
    if np.isnan(block).any():
        row, column = np.argwhere(np.isnan(block))[0]
        raise _nan_error(first + int(row), int(column))
    if seen is not None:
        block[seen(first, first + len(block))] = -np.inf
    item = _highest(block, min(k, block.shape[1]))
    score = np.take_along_axis(block, item, axis=1)
    order = np.lexsort((item, -score), axis=1)
    item, score = np.take_along_axis(item, order, axis=1), np.take_along_axis(score, order, axis=1)
    kept = score > -np.inf
    user = np.repeat(np.arange(first, first + len(block)), kept.sum(axis=1))
    return user, item[kept], score[kept]


def _highest(block: NDArray[Any], k: int) -> Ints:
    """The columns of the k highest cells of each row, in any order; of equal ones around the k-th place the first columns."""
    if k == block.shape[1]:
        return np.broadcast_to(np.arange(k), block.shape)
    least = np.partition(block, block.shape[1] - k, axis=1)[:, block.shape[1] - k, None]
    inside = block >= least
    many = np.flatnonzero(inside.sum(axis=1) > k)  # more cells have the k-th score than fit
    for row in many.tolist():
        equal = np.flatnonzero(block[row] == least[row])
        inside[row, equal[k - int(inside[row].sum()) :]] = False
    return np.nonzero(inside)[1].reshape(len(block), k)


def top_of_sparse(indptr: Ints, indices: Ints, data: NDArray[Any], k: int, seen: Seen | None) -> Rows:
    """The k highest scores of each row of a sparse matrix (CSR); only stored cells are recommended."""

    def each() -> Iterator[Rows]:
        for row in range(len(indptr) - 1):
            item = indices[indptr[row] : indptr[row + 1]].astype(np.int64)
            score = np.asarray(data[indptr[row] : indptr[row + 1]], dtype=float)
            if np.isnan(score).any():
                raise _nan_error(row, int(item[np.isnan(score)][0]))
            kept = score > -np.inf
            if seen is not None:
                kept &= ~np.isin(item, seen(row, row + 1)[1])
            item, score = item[kept], score[kept]
            if len(item) > k:
                least = np.partition(score, len(score) - k)[len(score) - k]
                item, score = item[score >= least], score[score >= least]
            order = np.lexsort((item, -score))[:k]
            yield np.full(len(order), row), item[order], score[order]

    return _concatenate(each())


def _concatenate(parts: Iterator[Rows]) -> Rows:
    users, items, scores = zip(*parts, strict=True)
    return np.concatenate(users), np.concatenate(items), np.concatenate(scores)


def _nan_error(row: int, column: int) -> DataError:
    return DataError(
        "score-nan", f"NaN in row {row}, column {column}", where="scores", hint="use -inf for an item not to recommend"
    )
