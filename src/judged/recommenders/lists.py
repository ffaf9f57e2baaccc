"""Lists of recommendations: the first k items of each user in a matrix of scores; lists with side information, as measures read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.policy import Policy
from judged.core.reference import raise_no_common_query, ranked_rows
from judged.core.tables import Id, Qrels, Run, as_text, decoded
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays import as_numbers, is_number_matrix, is_sparse
from judged.io.read import read_qrels, read_run
from judged.stats.checks import check_count
from judged.tables.table import counted

By = Literal["users", "interactions"]
Discount = Literal["none", "log2", "geometric"]

Cells = NDArray[Any]  # users, and items
Rows = tuple[Ints, Ints, NDArray[Any]]  # user, item, score

_CELLS = 1 << 22  # numbers in memory at a time
_SAME_IDS = "check that the ids are the same"


class History(NamedTuple):
    """Past interactions: the popularity of items, and what the users of the lists have.

    Args:
        popularity: users, and interactions, of each item.
        total: number of users, and of interactions.
        population: number of users of the history or the run.
        own: the items of the histories of the users of the lists, each once per user.
    """

    popularity: dict[By, Floats]
    total: dict[By, int]
    population: int
    own: Ints


@dataclass(frozen=True, eq=False)
class RecommendedLists:
    """The first k items recommended to each user: rows ordered by user, then rank. Users and items are numbered.

    Args:
        user: of each row.
        item: of each row.
        rank: of each row, from 1.
        users: their number.
        items: the number of items: recommended ones, and those of the side information.
        k: the longest length of a list.
        side: side information by the argument it was passed as: the size of the catalogue (items), `History` (history), users and their
            relevant items, recommended or not (qrels), items × categories with the share of an item in each (categories), a function from
            two arrays of items to similarities with a mask of the items that have one (vectors).
        warnings: those of the run and of the judgments.
    """

    user: Ints
    item: Ints
    rank: Ints
    users: int
    items: int
    k: int
    side: dict[str, Any]
    warnings: tuple[Warned, ...] = ()

    @property
    def relevant(self) -> Bools:
        """True for rows that are relevant to their user."""
        user, item = self.side["qrels"]
        return np.isin(self.user * self.items + self.item, user * self.items + item)

    def total(self, x: NDArray[Any]) -> Floats:
        """The sum over each user's rows."""
        return np.asarray(np.bincount(self.user, weights=x, minlength=self.users), float)

    def per_user(self, x: NDArray[Any], weight: Floats | float = 1.0) -> Floats:
        """The weighted mean over each user's rows; NaN for a user without any."""
        weights = self.total(np.broadcast_to(weight, self.user.shape))
        return self.total(weight * x) / np.where(weights > 0, weights, np.nan)

    def cut(self, k: int) -> RecommendedLists:
        """The first k of each list."""
        kept = self.rank <= k
        return replace(self, user=self.user[kept], item=self.item[kept], rank=self.rank[kept], k=k)


def discounts(rank: Ints, discount: Discount, persistence: float = 0.85) -> Floats:
    """The weight of each rank: 1, 1 / log2(rank + 1), or persistence^(rank - 1)."""
    if discount == "none":
        return np.ones(len(rank))
    return np.asarray(persistence ** (rank - 1.0) if discount == "geometric" else 1.0 / np.log2(rank + 1.0))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def texts(ids: Any) -> list[str]:
    """Ids as text: 7 in a frame and 7 in a file are the same item, as in slices."""
    listed = ids.tolist() if hasattr(ids, "tolist") else ids
    return [as_text(i) if isinstance(i, bytes) else str(i) for i in listed]


def _matrix(source: Any, name: str) -> Any:
    """A sparse matrix in rows, or an array of numbers."""
    return source.tocsr() if is_sparse(source) else as_numbers(source, name)


def _refuse_matrix(source: Any, where: str, action: str) -> None:
    if is_number_matrix(source):  # it is a matrix of scores, even with three columns
        raise DataError("form", "ids of users and items", got="a matrix of numbers", where=where, hint=action)


def read_interactions(source: Any, where: str) -> tuple[list[str], Ints, list[str], Ints]:
    """Read interactions from any input of `read_qrels`, (user, item) pairs, or a sparse matrix of users × items.

    Return the distinct users as text, the number of the user of each interaction, and the same of items. Ratings are ignored: drop the rows
    that should not count. `where` is the name of the argument, for messages.
    """
    if is_sparse(source):
        cells = source.tocoo()
        stored = cells.data != 0
        source = {"user": cells.row[stored], "item": cells.col[stored], "rating": stored[stored].astype(float)}
    _refuse_matrix(source, where, f"convert it with scipy.sparse.csr_array({where})")
    rows = source if isinstance(source, list | tuple) else ()
    if rows and all(isinstance(row, tuple | list) and len(row) > 1 for row in rows):
        source = [(row[0], row[1], 1) for row in rows]
    try:
        past = read_qrels(source)
    except DataError as error:
        if error.slug != "columns":
            raise
        action = f"{where} needs columns user and item: keep these two, and rating if there is one"
        raise error.changed(hint=action) from error
    items, item = past.doc.distinct()
    return past.queries.texts(), past.query, items.texts(), item


def numbers_of(ids: Iterable[Any], number: dict[Any, int]) -> Ints:
    """The number of each id; -1 for one without."""
    return np.array([number.get(i, -1) for i in ids], dtype=np.int64)


def read_recommendations(
    source: Any, k: int, *, items: Any, history: Any, vectors: Any, qrels: Any, level: float, categories: Any
) -> tuple[str, tuple[Id, ...], RecommendedLists]:
    """Read the first k recommendations of each user of a run, with the side information; return its name, users and lists."""
    _refuse_matrix(source, "run", "convert it to a run with jd.recommenders.top_k")
    run = read_run(source)
    names = run.queries.texts()
    numbers = run.query_kind == "integer" or all(map(str.isdecimal, names))
    by_id = sorted(range(len(names)), key=lambda i: (int(names[i]) if numbers else 0, names[i]))
    run = replace(run, queries=run.queries.take(np.array(by_id, np.int64)), query=np.argsort(by_id)[run.query])
    users = decoded(run.queries, run.query_kind)
    user, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segments.ranks(np.bincount(user, minlength=len(users)))
    user, row, rank = (column[rank <= k] for column in (user, row, rank))
    doc = run.doc.take(row).texts()

    catalogue = _catalogue(items, set(doc))
    past = None if history is None else read_interactions(history, "history")
    # items that only the categories have count as possible recommendations, unless the catalogue is known
    known = {*doc, *(past[2] if past else ()), *catalogue}
    labels: Iterable[str] = () if catalogue or categories is None else texts(categories)
    place = {i: n for n, i in enumerate(sorted(known.union(labels)))}
    by_name = {names[i]: n for n, i in enumerate(by_id)}
    item = numbers_of(doc, place)
    side: dict[str, Any] = {}
    warnings = run.warnings
    if items is not None:
        side["items"] = len(catalogue) or int(items)
    if past is not None:
        side["history"] = _history(*past[:2], numbers_of(past[2], place)[past[3]], by_name, len(place))
    if vectors is not None:
        side["vectors"] = cosine_of(vectors, place)
    if categories is not None:
        side["categories"] = _shares(categories, place, known)
    if qrels is not None:
        judgments = read_qrels(qrels)
        warnings += judgments.warnings
        side["qrels"] = _relevant(judgments, level, by_name, place)
    lists = RecommendedLists(user, item, rank, len(users), len(place), k, side, warnings=warnings)
    return run.label, tuple(users), lists


def _catalogue(items: Any, recommended: set[str]) -> set[str]:
    """The ids of the catalogue, none if it is a number; raise if an item outside it was recommended."""
    if items is None:
        return set()
    if isinstance(items, int | np.integer):
        ids, extra = set[str](), len(recommended) - check_count(items, "items")
    elif isinstance(items, str | bytes) or not isinstance(items, Iterable) or hasattr(items, "columns"):
        raise UsageError("parameter", f"items must be ids or their number, got {shown(items)}", value=items)
    else:
        ids = set(texts(items))
        extra = len(recommended - ids)
    if extra > 0:
        hint = Hint("pass all items that can be recommended as {items}", items=None)
        problem = f"{counted(extra, 'recommended item')} outside the catalogue"
        raise DataError("parameter", problem, where="items", hint=hint)
    return ids


def _history(past_users: list[str], user: Ints, item: Ints, users: dict[str, int], items: int) -> History:
    pairs = np.unique(user * items + item)
    had = pairs % items
    ours = np.array([name in users for name in past_users], bool)[pairs // items]
    return History(
        popularity={
            "users": np.bincount(had, minlength=items).astype(float),
            "interactions": np.bincount(item, minlength=items).astype(float),
        },
        total={"users": len(past_users), "interactions": len(item)},
        population=len({*users, *past_users}),
        own=had[ours],
    )


def _relevant(qrels: Qrels, level: float, users: dict[str, int], items: dict[str, int]) -> tuple[Ints, Ints]:
    """Users of the run, and their relevant items, as far as these are known."""
    good = qrels.grade >= level
    user = numbers_of(qrels.queries.texts(), users)[qrels.query[good]]
    item = numbers_of(qrels.doc.take(good).texts(), items)
    if (user < 0).all():
        raise_no_common_query(qrels.queries.texts(), qrels.name, list(users))
    kept = (user >= 0) & (item >= 0)
    return user[kept], item[kept]


def _shares(categories: Any, items: dict[str, int], known: set[str]) -> Floats:
    """Items × categories: an item of several categories has an equal share in each."""
    if not isinstance(categories, Mapping):
        problem = f"categories must be {{item: category or list of categories}}, got {shown(categories)}"
        raise UsageError("parameter", problem, value=categories)
    if known.isdisjoint(texts(categories)):
        problem = "no item of the run or the history has a category"
        raise DataError("parameter", problem, where="categories", hint=_SAME_IDS)
    columns: dict[Any, Floats] = {}
    for item, given in zip(texts(categories), categories.values(), strict=True):
        several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
        own = dict.fromkeys(given if several else [given])
        for category in own if item in items else ():
            columns.setdefault(category, np.zeros(len(items)))[items[item]] = 1 / len(own)
    return np.ascontiguousarray(np.array(list(columns.values())).reshape(-1, len(items)).T)


def warnings_of(lists: RecommendedLists, *, popularity: bool) -> list[Warned]:
    """Count recommended items without interactions, if the popularity of items matters, and without a vector or category."""
    side = lists.side
    known: dict[str, Bools] = {}
    if popularity:
        known["interactions (Popularity counts 0, Novelty 1)"] = side["history"].popularity["users"] > 0
    if "vectors" in side:
        known["a vector; excluded where one is needed"] = side["vectors"][1]
    if "categories" in side:
        known["a category; excluded where one is needed"] = side["categories"].any(axis=1)
    recommended, warnings = np.unique(lists.item), list(lists.warnings)
    for what, has in known.items():
        if count := int((~has[recommended]).sum()):
            hint = Hint(_SAME_IDS) if count == len(recommended) else None
            text = f"{counted(count, 'recommended item')} without {what}"
            warnings.append(Warned("item-unknown", count, text, hint))
    return warnings


# ── similarity of items ──────────────────────────────────────────────────────────────────────────


def cosine_of(vectors: Any, place: dict[str, int]) -> tuple[Callable[[Ints, Ints], Floats], Bools]:
    """Return the cosine of the vectors of items by number, and the items that have a vector.

    Args:
        vectors: {item: vector}, or (ids, matrix).
        place: the numbers of items by id.
    """
    if isinstance(vectors, Mapping):
        vectors = list(vectors), list(vectors.values())
    if not isinstance(vectors, tuple) or len(vectors) != 2:
        raise DataError("form", "{item: vector} or (ids, matrix)", got=type(vectors).__name__, where="vectors")
    ids, given = texts(vectors[0]), vectors[1]
    matrix = _matrix(given, "vectors").astype(float, copy=False)
    if matrix.ndim != 2 or len(ids) != matrix.shape[0]:
        raise DataError("shape", f"{len(ids)} rows, one per item", got=f"shape {matrix.shape}", where="vectors")
    if not np.isfinite(matrix.data if is_sparse(given) else matrix).all():
        raise DataError("shape", "NaN or infinity in vectors", where="vectors")
    row = numbers_of(place, {text: i for i, text in enumerate(ids)})
    if (row < 0).all():
        problem = "no item of the run or the history is in vectors"
        raise DataError("parameter", problem, where="vectors", hint=_SAME_IDS)
    step = max(1, _CELLS // max(matrix.shape[1], 1))

    def unit(items: Ints) -> Floats:
        dense = matrix[row[items]].toarray() if is_sparse(matrix) else matrix[row[items]]
        norm = np.linalg.norm(dense, axis=1, keepdims=True)
        return dense / np.where(norm > 0, norm, 1.0)  # a vector of zeros has similarity 0

    def similarity(a: Ints, b: Ints) -> Floats:
        out = np.empty(len(a))
        for at in range(0, len(a), step):
            rows = slice(at, at + step)
            out[rows] = np.einsum("ij,ij->i", unit(a[rows]), unit(b[rows]))
        return out

    return similarity, row >= 0


# ── lists from scores ────────────────────────────────────────────────────────────────────────────


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
    matrix = _matrix(scores, "scores")
    if matrix.ndim != 2 or not all(matrix.shape):
        raise DataError("shape", "a matrix of users × items", got=f"shape {matrix.shape}", where="scores")
    rows, columns = _names(users, matrix.shape[0], "users"), _names(items, matrix.shape[1], "items")
    hidden = np.empty((2, 0), np.int64) if seen is None else _seen(seen, matrix.shape, rows, columns)
    user, item, score = (top_of_sparse if is_sparse(matrix) else top_of_dense)(matrix, k, hidden)
    return read_run({"user": rows[user], "item": columns[item], "score": score.astype(float)}, name=name)


# ── items not to recommend ───────────────────────────────────────────────────────────────────────


def _names(ids: Any, size: int, what: str) -> NDArray[Any]:
    """The ids of rows or columns; by default their numbers."""
    if ids is None:
        return np.arange(size)
    names = list(ids.tolist() if hasattr(ids, "tolist") else ids)
    different = len(set(names))
    if not len(names) == size == different:
        raise DataError("lengths", f"{size} different {what}", got=f"{different}", where=what)
    return np.array(names, dtype=object)


def _seen(seen: Any, shape: tuple[int, int], users: NDArray[Any], items: NDArray[Any]) -> Cells:
    """The cells that must not be recommended, ordered by row."""
    if is_number_matrix(seen):
        mask = _matrix(seen, "seen")
        if tuple(mask.shape) != shape:
            raise DataError("shape", f"the shape of the scores, {shape}", got=str(tuple(mask.shape)), where="seen")
        user, item = mask.nonzero()
    else:
        past_users, past_user, past_items, past_item = read_interactions(seen, "seen")
        user = _places(past_users, users, "users")[past_user]
        item = _places(past_items, items, "items")[past_item]
        kept = (user >= 0) & (item >= 0)  # training data may have users and items that the matrix does not have
        user, item = user[kept], item[kept]
    return np.array([user, item], np.int64)[:, np.argsort(user, kind="stable")]


def _places(ids: list[str], names: NDArray[Any], what: str) -> Ints:
    """The row or column of each id; -1 for an id that the matrix does not have."""
    at = numbers_of(ids, {name: i for i, name in enumerate(texts(names))})
    if (at < 0).all():
        problem = f"scores and seen have no {what} in common: {shown(names[0])} … and {shown(ids[0])} …"
        action = Hint(f"name those of the matrix with {{{what}}}", **{what: None})
        raise DataError("no-common-item", problem, where="seen", hint=action)
    return at


# ── the highest scores ───────────────────────────────────────────────────────────────────────────


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
