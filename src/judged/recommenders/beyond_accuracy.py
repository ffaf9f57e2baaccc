"""The public functions of recommenders: top-k lists from scores, and measures beyond accuracy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.tables import Run
from judged.errors import DataError, Hint, shown
from judged.io.arrays import as_numbers, is_sparse
from judged.io.read import read_run
from judged.recommenders.inputs import SideInformation, read_recommendations
from judged.recommenders.interactions import as_text, read_interactions
from judged.recommenders.registry import BEYOND, BeyondMeasure, parse_beyond
from judged.recommenders.result import BeyondAccuracy, compute
from judged.recommenders.top_scores import top_of_dense, top_of_sparse
from judged.stats.checks import check_count
from judged.steps import step

Seen = Callable[[int, int], tuple[Ints, Ints]]


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


def beyond_accuracy(
    run: Any,
    measures: str | BeyondMeasure | Iterable[str | BeyondMeasure] | None = None,
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
    """Measure coverage, concentration, popularity, novelty, diversity, serendipity and calibration of recommendations.

    Args:
        run: recommendations of one system, any input of `read_run`; equal scores are ordered by id, descending, as in `evaluate`.
        measures: names, such as `"Coverage Gini(over='recommended')@5 ILD"`; by default all that the arguments allow. See docs/guides/recommenders.md.
        k: number of recommendations per user, for measures without their own cutoff.
        items: the catalogue: ids, or their number.
        history: past interactions, usually the training data: a file or frame with users and items (ratings are ignored),
            pairs, {user: items}, or a sparse matrix.
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are `items` in order (items 0, 1, 2 … without it).
        similarity: `cosine` (the default) or `euclidean` (1 / (1 + distance)) of vectors; `jaccard` of categories; or a
            function of two items, a matrix, (ids, matrix).
        qrels: relevant items of each user, any input of `read_qrels`.
        level: lowest relevant grade.
        categories: {item: category or list of categories}.
        expected: a run of a primitive recommender, for Serendipity; by default the most popular items.

    Raises:
        UsageError: a measure needs an argument that is missing.

    >>> result = beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, "Coverage Distinct", items=["a", "b", "c", "d"], k=2)
    >>> result.summary()
    {'Coverage@2': 0.75, 'Distinct@2': 3.0}
    """
    side = SideInformation(items, history, vectors, similarity, qrels, level, categories, expected)
    k = check_count(k, "k", slug="cutoff")
    chosen = tuple(m.at(k) for m in (_possible(side) if measures is None else parse_beyond(measures)))
    recommendations = read_recommendations(run, side, max(m.k or k for m in chosen))
    with step("measuring"):
        return compute(recommendations, chosen, k)


def _possible(side: SideInformation) -> list[BeyondMeasure]:
    """Every measure whose arguments are present: those of the run, then those of each user."""
    names = {name for name in ("items", "history", "qrels", "categories") if getattr(side, name) is not None}
    alike = side.vectors is not None or (side.similarity is not None and not isinstance(side.similarity, str))
    if alike or (side.similarity == "jaccard" and "categories" in names):
        names.add("vectors")
    return [BeyondMeasure(d) for d in sorted(BEYOND, key=lambda d: d.of) if names.issuperset(d.needs)]


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
    past = read_interactions(seen, "seen")
    user = _places(past.users, users, "users")[past.user]
    item = _places(past.items, items, "items")[past.item]
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
