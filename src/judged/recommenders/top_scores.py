"""The first k items of each user in a matrix of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core import segments
from judged.core.tables import Run
from judged.errors import DataError, Hint, shown
from judged.io.arrays import as_numbers, is_number_matrix, is_sparse
from judged.io.read import read_run
from judged.recommenders.lists import numbers_of, read_interactions, texts
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
        seen: items not to recommend: a sparse matrix or a mask of the same shape, {user: items}, (user, item) pairs, a frame.
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
    """The ids of rows or columns; by default their numbers."""
    if ids is None:
        return np.arange(size)
    names = list(ids.tolist() if hasattr(ids, "tolist") else ids)
    if len(names) != size or len(set(names)) < size:
        raise DataError("lengths", f"{size} different {what}", got=f"{len(set(names))}", where=what)
    return np.array(names, dtype=object)


def _seen(seen: Any, shape: tuple[int, int], users: NDArray[Any], items: NDArray[Any]) -> Cells:
    """The cells that must not be recommended, ordered by row."""
    if is_sparse(seen) or is_number_matrix(seen):
        mask = seen if is_sparse(seen) else as_numbers(seen, "seen")
        if tuple(mask.shape) != shape:
            raise DataError("shape", f"the shape of the scores, {shape}", got=str(tuple(mask.shape)), where="seen")
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
    at = numbers_of(ids, {name: i for i, name in enumerate(texts(names))})
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
    step = max(1, _CELLS // items)
    parts = [_block(scores[at : at + step], at, min(k, items), seen) for at in range(0, users, step)]
    user, item, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _best(user, item, score, k)


def _block(scores: NDArray[Any], first: int, k: int, seen: Cells) -> Rows:
    """The k highest cells of each row of a block, in any order; of equal ones around the k-th place those of the first columns."""
    block = scores.astype(np.result_type(scores.dtype, np.float32))
    if np.isnan(block).any():  # much faster than to look for the cells
        row, column = np.nonzero(np.isnan(block))
        _refuse_nan(first + row, column)
    inside = slice(*np.searchsorted(seen[0], (first, first + len(block))))
    block[seen[0][inside] - first, seen[1][inside]] = -np.inf
    least = np.partition(block, block.shape[1] - k, axis=1)[:, block.shape[1] - k, None]
    chosen = block >= least
    many = np.flatnonzero(chosen.sum(axis=1) > k)  # rows in which more cells have the k-th score than fit
    equal = block[many] == least[many]
    room = k - (block[many] > least[many]).sum(axis=1, keepdims=True)
    chosen[many] &= ~equal | (equal.cumsum(axis=1) <= room)
    row, item = np.nonzero(chosen & (block > -np.inf))
    return first + row, item, block[row, item]


def top_of_sparse(scores: Any, k: int, seen: Cells) -> Rows:
    """The same of a sparse matrix (CSR); only stored cells are recommended."""
    cells, items = scores.tocoo(), scores.shape[1]
    user, item, score = cells.row.astype(np.int64), cells.col.astype(np.int64), cells.data.astype(float)
    nan = np.isnan(score)
    _refuse_nan(user[nan], item[nan])
    kept = (score > -np.inf) & ~np.isin(user * items + item, seen[0] * items + seen[1])
    return _best(user[kept], item[kept], score[kept], k)


def _best(user: Ints, item: Ints, score: NDArray[Any], k: int) -> Rows:
    """The first k cells of each user, by score from the highest down, then by column."""
    order = np.lexsort((item, -score, user))
    order = order[segments.positions(np.bincount(user[order])) < k]
    return user[order], item[order], score[order]


def _refuse_nan(row: Ints, column: Ints) -> None:
    if len(row):
        problem = f"NaN in row {row[0]}, column {column[0]}"
        raise DataError("score-nan", problem, where="scores", hint="use -inf for an item not to recommend")
