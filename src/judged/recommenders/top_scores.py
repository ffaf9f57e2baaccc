"""The first k items of each user in a matrix of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core import segments
from judged.core.tables import Run
from judged.errors import DataError, Hint, shown
from judged.io.arrays import as_numbers, is_sparse
from judged.io.read import read_run
from judged.recommenders.lists import as_text, read_interactions
from judged.stats.checks import check_count

Cells = tuple[Ints, Ints]  # user, item
Rows = tuple[Ints, Ints, NDArray[Any]]  # user, item, score


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
    none = np.empty(0, np.int64)
    hidden = (none, none) if seen is None else _seen(seen, matrix.shape, rows, columns)
    user, item, score = (top_of_sparse if is_sparse(scores) else top_of_dense)(matrix, k, hidden)
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


def _seen(seen: Any, shape: tuple[int, int], users: NDArray[Any], items: NDArray[Any]) -> Cells:
    """The cells that must not be recommended, ordered by row."""
    is_array = hasattr(seen, "dtype") and getattr(seen, "ndim", 0) == 2 and not getattr(seen.dtype, "names", None)
    if is_sparse(seen) or is_array:
        mask = seen if is_sparse(seen) else as_numbers(seen, "seen")
        if tuple(mask.shape) != shape:
            raise DataError("shape", f"the shape of the scores, {shape}", got=str(tuple(mask.shape)), where="seen")
        if mask.dtype != bool and not is_sparse(seen):
            got = f"an array of {mask.dtype}"
            raise DataError("dtype", "a boolean mask", got=got, where="seen", hint="write seen > 0")
        user, item = mask.nonzero()
    else:
        past_users, past_user, past_items, past_item = read_interactions(seen, "seen")
        user = _places(past_users, users, "users")[past_user]
        item = _places(past_items, items, "items")[past_item]
        kept = (user >= 0) & (item >= 0)  # training data may have users and items that the matrix does not have
        user, item = user[kept], item[kept]
    order = np.argsort(user, kind="stable")
    return user[order].astype(np.int64), item[order].astype(np.int64)


def _places(ids: list[str], names: NDArray[Any], what: str) -> Ints:
    """The row or column of each id; -1 for an id that the matrix does not have."""
    place = {as_text(name): i for i, name in enumerate(names.tolist())}
    at = np.array([place.get(i, -1) for i in ids], dtype=np.int64)
    if (at < 0).all():
        problem = f"scores and seen have no {what} in common: {shown(names[0])} … and {shown(ids[0])} …"
        action = Hint(f"name those of the matrix with {{{what}}}", **{what: None})
        raise DataError("no-common-item", problem, where="seen", hint=action)
    return at


# ── the highest scores ───────────────────────────────────────────────────────────────────────────

_CELLS = 1 << 22  # copied at a time


def top_of_dense(scores: NDArray[Any], k: int, seen: Cells) -> Rows:
    """The k highest scores of each row of a matrix, best first, equal ones by column; -inf is never among them.

    Args:
        scores: users × items, read in blocks of rows and never copied as a whole.
        k: number of items.
        seen: the cells that must not be recommended, ordered by row.
    """
    users, items = scores.shape
    step = max(1, _CELLS // max(items, 1))
    parts = [_block(scores[at : at + step], at, k, seen) for at in range(0, users, step)]
    user, item, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    return user, item, score


def _block(scores: NDArray[Any], first: int, k: int, seen: Cells) -> Rows:
    block = np.array(scores, dtype=np.float32 if scores.dtype == np.float16 else None)
    if block.dtype.kind != "f":
        block = block.astype(np.float64)
    nan = np.isnan(block)
    if nan.any():  # much faster than to look for the cells
        row, column = np.nonzero(nan)
        _refuse_nan(first + row, column)
    inside = slice(*np.searchsorted(seen[0], (first, first + len(block))))
    block[seen[0][inside] - first, seen[1][inside]] = -np.inf
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


def top_of_sparse(scores: Any, k: int, seen: Cells) -> Rows:
    """The same of a sparse matrix (CSR); only stored cells are recommended."""
    cells = scores.tocoo()
    user, item, score = cells.row.astype(np.int64), cells.col.astype(np.int64), cells.data.astype(float)
    nan = np.isnan(score)
    _refuse_nan(user[nan], item[nan])
    users, items = scores.shape
    kept = np.flatnonzero((score > -np.inf) & ~np.isin(user * items + item, seen[0] * items + seen[1]))
    kept = kept[np.lexsort((item[kept], -score[kept], user[kept]))]
    kept = kept[segments.positions(np.bincount(user[kept], minlength=users)) < k]
    return user[kept], item[kept], score[kept]


def _refuse_nan(row: Ints, column: Ints) -> None:
    if len(row):
        problem = f"NaN in row {row[0]}, column {column[0]}"
        raise DataError("score-nan", problem, where="scores", hint="use -inf for an item not to recommend")
