"""Recommenders: lists out of scores, and what they are worth beyond the relevance of each item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.tables import Run
from judged.errors import DataError, shown
from judged.io.arrays.numbers import as_numbers, is_sparse
from judged.io.read import read_run
from judged.recommenders.inputs import Given, recommended_of, whole_number
from judged.recommenders.interactions import as_text, interactions_of
from judged.recommenders.registry import Beyond, declared, parse_beyond
from judged.recommenders.result import BeyondAccuracy, measured
from judged.recommenders.top_scores import top_of_dense, top_of_sparse

__all__ = ["beyond_accuracy", "top_k"]

Seen = Callable[[int, int], tuple[Ints, Ints]]


def top_k(
    scores: Any, k: int = 10, *, seen: Any = None, users: Any = None, items: Any = None, name: str = "scores"
) -> Run:
    """The k items of each user with the highest scores, without those already seen, as a run for `evaluate`.

    Of items with equal scores around the k-th place, the first columns are taken; how equal scores are ordered within a list is
    decided where the run is evaluated (`ties=`). A list is shorter where fewer items are left; a user without any is not in the run.

    Args:
        scores: users × items: an array, a tensor, nested lists; or a sparse matrix, of which only what is stored is recommended. NaN is
            refused, -inf is never recommended. The matrix is looked at in blocks of rows, and not copied.
        k: how many items.
        seen: what not to recommend: a sparse matrix or a boolean mask of the same shape, {user: items}, (user, item) pairs, a frame.
        users: the ids of the rows; their numbers unless given.
        items: the ids of the columns; their numbers unless given.
        name: what to call the run.

    >>> run = top_k([[0.1, 0.9, 0.5]], 2, seen={0: [1]})
    >>> run.doc.tolist(), run.score.tolist()
    ([b'2', b'0'], [0.5, 0.1])
    """
    k = whole_number(k, "k")
    matrix: Any = scores.tocsr() if is_sparse(scores) else as_numbers(scores, "scores").values
    if matrix.ndim != 2 or not all(matrix.shape):
        raise DataError("shape", "scores as a matrix of users × items", got=f"the shape {matrix.shape}", where="scores")
    rows, columns = _names(users, matrix.shape[0], "users"), _names(items, matrix.shape[1], "items")
    hidden = None if seen is None else _seen(seen, matrix.shape, rows, columns)
    if is_sparse(scores):
        user, item, score = top_of_sparse(matrix.indptr, matrix.indices, matrix.data, k, hidden)
    else:
        user, item, score = top_of_dense(matrix, k, hidden)
    return read_run({"user": rows[user], "item": columns[item], "score": score.astype(float)}, name=name)


def beyond_accuracy(
    run: Any,
    measures: str | Beyond | Iterable[str | Beyond] | None = None,
    *,
    k: int = 10,
    items: Any = None,
    history: Any = None,
    vectors: Any = None,
    similarity: Any = None,
    qrels: Any = None,
    level: float = 1,
    categories: Any = None,
    expected: Any = None,
) -> BeyondAccuracy:
    """How recommendations spread over items, and how popular, novel, diverse, serendipitous and calibrated they are.

    Args:
        run: recommendations in any form that `read_run` takes; equal scores are ordered by id, descending, as in `evaluate`.
        measures: names, such as `"Coverage Gini(over='recommended')@5 ILD"`; unless given, all that can be computed. See docs/recommenders.md.
        k: how many recommendations of each user count, for measures that do not say their own.
        items: the catalogue: ids, or how many there are.
        history: interactions from before, as a rule the training data: a file or frame with users and items (and ratings, which are not
            looked at), pairs, {user: items}, or a sparse matrix.
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are `items` in order (items 0, 1, 2 … without it).
        similarity: of vectors, `cosine` (the default) or `euclidean` (1 / (1 + distance)); `jaccard` of categories; or one of its own: a
            function of two items, a matrix, (ids, matrix).
        qrels: what is relevant to whom, in any form that `read_qrels` takes.
        level: the lowest grade that counts as relevant.
        categories: {item: category, or a list of them}.
        expected: a run of a primitive recommender, for Serendipity; the most popular items unless given.

    Raises:
        UsageError: a measure was asked for that needs something which was not given.

    >>> found = beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, "Coverage Distinct", items=["a", "b", "c", "d"], k=2)
    >>> found.summary()
    {'Coverage@2': 0.75, 'Distinct@2': 3.0}
    """
    given = Given(items, history, vectors, similarity, qrels, level, categories, expected)
    k = whole_number(k, "k")
    wanted = [m.at(k) for m in (_possible(given) if measures is None else parse_beyond(measures))]
    found = recommended_of(run, given, max(m.k or k for m in wanted))
    return measured(found, tuple(wanted), k)


def _possible(given: Given) -> list[Beyond]:
    """Every measure for which there is what it needs."""
    there = {name for name in ("items", "history", "qrels", "categories") if getattr(given, name) is not None}
    alike = given.vectors is not None or (given.similarity is not None and not isinstance(given.similarity, str))
    if alike or (given.similarity == "jaccard" and "categories" in there):
        there.add("vectors")
    return [Beyond(d) for d in declared() if there.issuperset(d.needs)]


# ── what not to recommend ────────────────────────────────────────────────────────────────────────


def _names(ids: Any, size: int, what: str) -> NDArray[Any]:
    if ids is None:
        return np.arange(size)
    found = list(ids.tolist() if hasattr(ids, "tolist") else ids)
    if len(found) != size:
        raise DataError("lengths", f"{size} ids of {what}", got=str(len(found)), where=what)
    if len(set(found)) < size:
        raise DataError("duplicate-key", f"each of the {what} once", got="one of them twice", where=what)
    out = np.empty(size, dtype=object)
    out[:] = found
    return out


def _seen(seen: Any, shape: tuple[int, int], users: NDArray[Any], items: NDArray[Any]) -> Seen:
    """A function from rows to the cells that are not to be recommended."""
    if is_sparse(seen):
        _refuse_shape(seen.shape, shape)
        cells = seen.tocoo()
        return _of_cells(cells.row[cells.data != 0], cells.col[cells.data != 0], shape[0])
    if hasattr(seen, "dtype") and getattr(seen, "ndim", 0) == 2 and not getattr(seen.dtype, "names", None):
        mask = as_numbers(seen, "seen").values
        _refuse_shape(mask.shape, shape)
        if mask.dtype != bool:
            raise DataError(
                "dtype", "seen as a boolean mask", got=f"an array of {mask.dtype}", where="seen", hint="write seen > 0"
            )
        return lambda first, last: tuple(np.nonzero(mask[first:last]))  # type: ignore[return-value]
    found = interactions_of(seen)
    user = _places(found.users, users, "users")[found.user]
    item = _places(found.items, items, "items")[found.item]
    kept = (user >= 0) & (item >= 0)  # others can be in the training data, and in no matrix
    return _of_cells(user[kept], item[kept], shape[0])


def _places(ids: list[str], names: NDArray[Any], what: str) -> Ints:
    place = {as_text(name): i for i, name in enumerate(names.tolist())}
    found = np.array([place.get(i, -1) for i in ids], dtype=np.int64)
    if (found < 0).all():
        raise DataError("no-common-item", f"{what} such as {shown(names[0])}", got=f"others only, such as {shown(ids[0])}", where="seen",
                        hint=f"are the ids the same? {what}= names those of the matrix")  # fmt: skip
    return found


def _of_cells(row: NDArray[Any], column: NDArray[Any], rows: int) -> Seen:
    order = np.argsort(row, kind="stable")
    row, column = row[order].astype(np.int64), column[order].astype(np.int64)
    start = np.searchsorted(row, np.arange(rows + 1))

    def cells(first: int, last: int) -> tuple[Ints, Ints]:
        inside = slice(start[first], start[last])
        return row[inside] - first, column[inside]

    return cells


def _refuse_shape(got: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(got) != tuple(expected):
        raise DataError(
            "shape", f"seen in the shape of the scores, {tuple(expected)}", got=str(tuple(got)), where="seen"
        )
