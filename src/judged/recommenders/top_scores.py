"""The first k items of each user in a matrix of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.tables import Run
from judged.errors import DataError, Hint, shown
from judged.io.arrays import as_numbers, is_sparse
from judged.io.read import read_run
from judged.recommenders.lists import as_text, read_interactions
from judged.stats.checks import check_count


def top_k(
    scores: Any, k: int = 10, *, seen: Any = None, users: Any = None, items: Any = None, name: str = "scores"
) -> Run:
    """Return the k items with the highest scores of each user, without those already seen, as a run for `evaluate`.

    Of items with equal scores at rank k, the first columns are selected; the order of equal scores within a list is
    decided when the run is evaluated (`ties=`). A list is shorter if fewer items are left; a user without any is not in the run.

    Args:
        scores: users × items: an array, a tensor, nested lists; or a sparse matrix, of which only stored cells are recommended. NaN is
            an error, -inf is never recommended. The matrix is read in blocks of rows and not copied.
        k: number of items.
        seen: items not to recommend: a sparse matrix or a boolean mask of the same shape, {user: items}, (user, item) pairs, a frame.
        users: the ids of the rows; by default their numbers.
        items: the ids of the columns; by default their numbers.
        name: the name of the run.

    >>> run = top_k([[0.1, 0.9, 0.5]], 2, seen={0: [1]})
    >>> run.doc.tolist(), run.score.tolist()
    ([b'2', b'0'], [0.5, 0.1])
    """
    k = check_count(k, "k", slug="cutoff")
    matrix: Any = scores.tocsr() if is_sparse(scores) else as_numbers(scores, "scores")
    if matrix.ndim != 2 or not all(matrix.shape):
        raise DataError("shape", "a matrix of users × items", got=f"shape {matrix.shape}", where="scores")
    rows, columns = _names(users, matrix.shape[0], "users"), _names(items, matrix.shape[1], "items")
    hidden = None if seen is None else _seen(seen, matrix.shape, rows, columns)
    if is_sparse(scores):
        user, item, score = top_of_sparse(matrix.indptr, matrix.indices, matrix.data, k, hidden)
    else:
        user, item, score = top_of_dense(matrix, k, hidden)
    return read_run({"user": rows[user], "item": columns[item], "score": score.astype(float)}, name=name)


# ── items not to recommend ───────────────────────────────────────────────────────────────────────


def _names(ids: Any, size: int, what: str) -> NDArray[Any]:
    if ids is None:
        return np.arange(size)
    names = list(ids.tolist() if hasattr(ids, "tolist") else ids)
    if len(names) != size:
        raise DataError("lengths", f"{len(names)} {what} for a matrix with {size}", where=what)
    if len(set(names)) < size:
        raise DataError("duplicate-key", f"duplicate id among the {what}", where=what)
    out = np.empty(size, dtype=object)
    out[:] = names
    return out


def _seen(seen: Any, shape: tuple[int, int], users: NDArray[Any], items: NDArray[Any]) -> Seen:
    """A function from a range of rows to the cells that must not be recommended."""
    if is_sparse(seen):
        _check_shape(seen.shape, shape)
        cells = seen.tocoo()
        return _of_cells(cells.row[cells.data != 0], cells.col[cells.data != 0], shape[0])
    if hasattr(seen, "dtype") and getattr(seen, "ndim", 0) == 2 and not getattr(seen.dtype, "names", None):
        mask = as_numbers(seen, "seen")
        _check_shape(mask.shape, shape)
        if mask.dtype != bool:
            raise DataError(
                "dtype", "a boolean mask", got=f"an array of {mask.dtype}", where="seen", hint="write seen > 0"
            )
        return lambda first, last: tuple(np.nonzero(mask[first:last]))  # type: ignore[return-value]
    past_users, past_user, past_items, past_item = read_interactions(seen, "seen")
    user = _places(past_users, users, "users")[past_user]
    item = _places(past_items, items, "items")[past_item]
    kept = (user >= 0) & (item >= 0)  # training data may have users and items that the matrix does not have
    return _of_cells(user[kept], item[kept], shape[0])


def _places(ids: list[str], names: NDArray[Any], what: str) -> Ints:
    """The row or column of each id; -1 for an id that the matrix does not have."""
    place = {as_text(name): i for i, name in enumerate(names.tolist())}
    at = np.array([place.get(i, -1) for i in ids], dtype=np.int64)
    if (at < 0).all():
        problem = f"scores and seen have no {what} in common: {shown(names[0])} … and {shown(ids[0])} …"
        raise DataError(
            "no-common-item",
            problem,
            where="seen",
            hint=Hint(f"name those of the matrix with {{{what}}}", **{what: None}),
        )
    return at


def _of_cells(row: NDArray[Any], column: NDArray[Any], rows: int) -> Seen:
    order = np.argsort(row, kind="stable")
    row, column = row[order].astype(np.int64), column[order].astype(np.int64)
    start = np.searchsorted(row, np.arange(rows + 1))

    def cells(first: int, last: int) -> tuple[Ints, Ints]:
        inside = slice(start[first], start[last])
        return row[inside] - first, column[inside]

    return cells


def _check_shape(got: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(got) != tuple(expected):
        raise DataError("shape", f"the shape of the scores, {tuple(expected)}", got=str(tuple(got)), where="seen")


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
