"""Recommended lists with side information, the input of every measure beyond accuracy; read from any supported input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.policy import Policy
from judged.core.reference import ranked_rows
from judged.core.tables import Id, decoded
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays import as_numbers, is_number_matrix, is_sparse
from judged.io.read import read_qrels, read_run
from judged.stats.checks import check_count
from judged.tables.table import counted

By = Literal["users", "interactions"]
Discount = Literal["none", "log2", "reciprocal", "geometric"]

_SAME_IDS = "check that the ids are the same"


class History(NamedTuple):
    """Past interactions: the popularity of items, and what the users of the lists have.

    Args:
        popularity: users, and interactions, of each item.
        total: number of users, and of interactions.
        population: number of users of the history or the run.
        own: the distinct pairs of a user of the lists and an item of the history.
    """

    popularity: dict[By, Floats]
    total: dict[By, int]
    population: int
    own: tuple[Ints, Ints]


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
        measure: the name of the measure that reads the lists, for messages.
    """

    user: Ints
    item: Ints
    rank: Ints
    users: int
    items: int
    k: int
    side: dict[str, Any] = field(default_factory=dict)
    measure: str = ""

    def need(self, argument: str) -> Any:
        """The side information of an argument; raise if it is missing."""
        if argument not in self.side:
            problem, hint = f"{self.measure} needs {argument}", Hint(f"pass {{{argument}}}", **{argument: None})
            raise UsageError("parameter", problem, hint=hint, value=argument)
        return self.side[argument]

    @property
    def relevant(self) -> Bools:
        """True for rows that are relevant to their user."""
        user, item = self.need("qrels")
        return np.isin(self.user * self.items + self.item, user * self.items + item)

    def per_user(self, x: NDArray[Any], weight: NDArray[Any] | None = None) -> Floats:
        """The weighted mean over each user's rows; NaN for a user without any."""
        weight = np.ones(len(self.user)) if weight is None else weight
        top = np.bincount(self.user, weights=weight * x, minlength=self.users)
        bottom = np.bincount(self.user, weights=weight, minlength=self.users)
        return np.divide(top, bottom, out=np.full(self.users, np.nan), where=bottom > 0)

    def cut(self, k: int, measure: str) -> RecommendedLists:
        """The first k of each list, for a measure."""
        kept = self.rank <= k
        return replace(self, user=self.user[kept], item=self.item[kept], rank=self.rank[kept], k=k, measure=measure)


def discounts(rank: Ints, discount: Discount, persistence: float = 0.85) -> Floats:
    """The weight of each rank: 1, 1 / log2(rank + 1), 1 / rank, or persistence^(rank - 1)."""
    if discount == "none":
        return np.ones(len(rank))
    if discount == "geometric":
        return np.asarray(persistence ** (rank - 1.0))
    return np.asarray(1.0 / np.log2(rank + 1.0) if discount == "log2" else 1.0 / rank)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def texts(ids: Any) -> list[str]:
    """Ids as text: 7 in a frame and 7 in a file are the same item, as in slices."""
    listed = ids.tolist() if hasattr(ids, "tolist") else ids
    return [i.decode("utf-8", "surrogateescape") if isinstance(i, bytes) else str(i) for i in listed]


def _refuse_matrix(source: Any, where: str, action: str) -> None:
    """Raise for an array of numbers: it is a matrix of scores, even with three columns."""
    if is_number_matrix(source):
        raise DataError("form", "ids of users and items", got="a matrix of numbers", where=where, hint=action)


def read_interactions(source: Any, where: str) -> tuple[list[str], Ints, list[str], Ints]:
    """Read interactions from any input of `read_qrels`, (user, item) pairs, or a sparse matrix of users × items.

    Return the distinct users as text, the number of the user of each interaction, and the same of items. Ratings are ignored: drop the rows
    that should not count. `where` is the name of the argument, for messages.
    """
    if is_sparse(source):
        cells = source.tocoo()
        users, user = np.unique(cells.row[cells.data != 0], return_inverse=True)
        items, item = np.unique(cells.col[cells.data != 0], return_inverse=True)
        return texts(users), user, texts(items), item
    _refuse_matrix(source, where, f"convert it with scipy.sparse.csr_array({where})")
    pairs = isinstance(source, list | tuple) and all(isinstance(row, tuple | list) and len(row) > 1 for row in source)
    if pairs and source:
        return *_distinct([row[0] for row in source]), *_distinct([row[1] for row in source])
    try:
        past = read_qrels(source)
    except DataError as error:
        if error.slug != "columns":
            raise
        action = f"{where} needs columns user and item: keep these two, and rating if there is one"
        raise error.changed(hint=action) from error
    return texts(past.queries), past.query, *_distinct(past.doc)


def _distinct(ids: Any) -> tuple[list[str], Ints]:
    """The distinct ids as text, in their order, and the number of each."""
    rows = texts(ids)
    place = {text: i for i, text in enumerate(dict.fromkeys(rows))}
    return list(place), numbers_of(rows, place)


def numbers_of(ids: Iterable[Any], number: dict[Any, int]) -> Ints:
    """The number of each id; -1 for one without."""
    return np.array([number.get(i, -1) for i in ids], dtype=np.int64)


def read_recommendations(
    source: Any, k: int, *, items: Any, history: Any, vectors: Any, qrels: Any, level: float, categories: Any
) -> tuple[str, tuple[Id, ...], RecommendedLists]:
    """Read the first k recommendations of each user of a run, with the side information; return its name, users and lists."""
    _refuse_matrix(source, "run", "convert it to a run with jd.recommenders.top_k")
    run = read_run(source)
    queries = decoded(run.queries, run.query_kind)
    numbers = all(isinstance(u, int) or (isinstance(u, str) and u.isdigit()) for u in queries)
    users = tuple(sorted(queries, key=(lambda u: (int(str(u)), str(u))) if numbers else str))
    query, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segments.positions(np.bincount(query, minlength=len(users))) + 1
    user = numbers_of(queries, {u: i for i, u in enumerate(users)})[query]
    order = np.argsort(user, kind="stable")
    order = order[rank[order] <= k]
    doc = texts(run.doc.take(row[order]))

    catalogue = _catalogue(items, set(doc))
    past = None if history is None else read_interactions(history, "history")
    # items that only the categories have count as possible recommendations, unless the catalogue is known
    known = {*doc, *(past[2] if past else ()), *catalogue}
    labels: Iterable[str] = () if catalogue or categories is None else texts(categories)
    place = {i: n for n, i in enumerate(sorted(known.union(labels)))}
    by_name = {name: i for i, name in enumerate(texts(users))}
    item = numbers_of(doc, place)
    side: dict[str, Any] = {}
    if items is not None:
        side["items"] = len(catalogue) or int(items)
    if past is not None:
        side["history"] = _history(*past[:2], numbers_of(past[2], place)[past[3]], by_name, len(place))
    if vectors is not None:
        side["vectors"] = cosine_of(vectors, place)
    if categories is not None:
        side["categories"] = _shares(categories, place, known)
    if qrels is not None:
        side["qrels"] = _relevant(qrels, level, by_name, place)
    return run.label, users, RecommendedLists(user[order], item, rank[order], len(users), len(place), k, side)


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
    number = users | {u: len(users) + i for i, u in enumerate(u for u in past_users if u not in users)}
    own = np.unique(numbers_of(past_users, number)[user] * items + item)
    user, distinct = own // items, own % items
    popularity: dict[By, Floats] = {
        "users": np.bincount(distinct, minlength=items).astype(float),
        "interactions": np.bincount(item, minlength=items).astype(float),
    }
    total: dict[By, int] = {"users": len(past_users), "interactions": len(item)}
    ours = user < len(users)  # users of the run have the first numbers
    return History(popularity, total, len(number), (user[ours], distinct[ours]))


def _relevant(source: Any, level: float, users: dict[str, int], items: dict[str, int]) -> tuple[Ints, Ints]:
    """Users of the run, and their relevant items, as far as these are known."""
    qrels = read_qrels(source)
    good = qrels.grade >= level
    user = numbers_of(texts(qrels.queries), users)[qrels.query[good]]
    item = numbers_of(texts(qrels.doc.take(good)), items)
    if (user < 0).all():
        problem = "run and judgments have no user in common"
        raise DataError("no-common-query", problem, where=qrels.name, hint=_SAME_IDS)
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
    if popularity and "history" in side:
        known["interactions (Popularity counts 0, Novelty 1)"] = side["history"].popularity["users"] > 0
    if "vectors" in side:
        known["a vector; excluded where one is needed"] = side["vectors"][1]
    if "categories" in side:
        known["a category; excluded where one is needed"] = side["categories"].any(axis=1)
    recommended, warnings = np.unique(lists.item), []
    for what, has in known.items():
        if count := int((~has[recommended]).sum()):
            hint = Hint(_SAME_IDS) if count == len(recommended) else None
            text = f"{counted(count, 'recommended item')} without {what}"
            warnings.append(Warned("item-unknown", count, text, hint))
    return warnings


# ── similarity of items ──────────────────────────────────────────────────────────────────────────

_CELLS = 1 << 22  # numbers in memory at a time


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
    matrix: Any = given.tocsr() if is_sparse(given) else as_numbers(given, "vectors").astype(float)
    if matrix.ndim != 2 or len(ids) != matrix.shape[0]:
        got = f"shape {matrix.shape} for {counted(len(ids), 'item')}"
        raise DataError("shape", "a matrix with one row per item", got=got, where="vectors")
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
        return np.asarray(dense / np.where(norm > 0, norm, 1.0))  # a vector of zeros has similarity 0

    def similarity(a: Ints, b: Ints) -> Floats:
        out = np.empty(len(a))
        for at in range(0, len(a), step):
            out[at : at + step] = np.einsum("ij,ij->i", unit(a[at : at + step]), unit(b[at : at + step]))
        return out

    return similarity, row >= 0
