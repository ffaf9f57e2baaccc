"""Recommended lists with side information, the input of every measure beyond accuracy; read from any supported input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.find.ranking import ranked_rows
from judged.core.policy import Policy
from judged.core.tables import Id, decoded
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays import as_numbers, is_number_matrix, is_sparse
from judged.io.read import read_qrels, read_run
from judged.stats.checks import check_count
from judged.tables.text import counted

By = Literal["users", "interactions"]
Discount = Literal["none", "log2", "reciprocal", "geometric"]

_ARGUMENTS = {
    "items": "the catalogue (its items, or their number)",
    "history": "past interactions of users and items",
    "vectors": "a vector for each item",
    "qrels": "the relevant items of each user",
    "categories": "the categories of each item",
}
_SAME_IDS = "check that the ids are the same"


@dataclass(frozen=True, eq=False)
class History:
    """Past interactions of users with items. Users have their own numbers; `place` maps the users of the lists to them."""

    user: Ints  # per interaction
    item: Ints
    users: int
    place: Ints  # per user of the lists: the number here; -1 for a user without interactions

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The distinct pairs of user and item, ordered by user, then item."""
        width = int(self.item.max(initial=0)) + 1
        key = np.unique(self.user * width + self.item)
        return key // width, key % width

    def popularity(self, items: int, by: By) -> Floats:
        """The number of users, or of interactions, of each item."""
        item = self.pairs[1] if by == "users" else self.item
        return np.bincount(item, minlength=items).astype(float)

    def total(self, by: By) -> int:
        """The number of users, or of interactions."""
        return self.users if by == "users" else len(self.item)


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

    # ── side information ─────────────────────────────────────────────────────────────────────────

    def need(self, argument: str) -> Any:
        """The side information of an argument; raise if it is missing."""
        if argument not in self.side:
            by_name = Hint(f"pass {{{argument}}}", **{argument: None})
            action = Hint("pass vectors= in Python") if argument == "vectors" else by_name
            problem = f"{self.measure} needs {_ARGUMENTS[argument]}"
            raise UsageError("parameter", problem, hint=action, value=argument)
        return self.side[argument]

    @property
    def catalogue(self) -> int:
        """The number of items that could be recommended."""
        return int(self.need("items"))

    @property
    def history(self) -> History:
        """Past interactions."""
        history: History = self.need("history")
        return history

    @property
    def categories(self) -> Floats:
        """Items × categories: the share of an item in each; all 0 for an item without categories."""
        return np.asarray(self.need("categories"))

    @property
    def relevant(self) -> Bools:
        """True for rows that are relevant to their user."""
        user, item = self.need("qrels")
        width = int(max(self.item.max(initial=0), item.max(initial=0))) + 1
        return np.isin(self.user * width + self.item, user * width + item)

    @property
    def own_items(self) -> Ints:
        """The distinct items of the history of each user of the lists, one after the other."""
        user, item = self.history.pairs
        return item[np.isin(user, self.history.place)]

    # ── from rows to users, and to items ─────────────────────────────────────────────────────────

    @cached_property
    def size(self) -> Ints:
        """The number of items recommended to each user."""
        return np.bincount(self.user, minlength=self.users)

    @cached_property
    def recommended(self) -> Ints:
        """The distinct items recommended."""
        return np.unique(self.item)

    def per_user(self, x: NDArray[Any], weight: NDArray[Any] | None = None) -> Floats:
        """The weighted mean over each user's rows; NaN for a user without any."""
        weight = np.ones(len(self.user)) if weight is None else np.asarray(weight, dtype=float)
        top = np.bincount(self.user, weights=weight * x, minlength=self.users)
        bottom = np.bincount(self.user, weights=weight, minlength=self.users)
        return np.divide(top, bottom, out=np.full(self.users, np.nan), where=bottom > 0)

    def per_item(self, weight: NDArray[Any]) -> Floats:
        """The sum of the weights of each recommended item, in the order of `recommended`."""
        amount = np.bincount(self.item, weights=np.asarray(weight, dtype=float), minlength=self.items)
        return np.asarray(amount[self.recommended], dtype=float)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of rows of one user."""
        rows, upper, lower = np.arange(len(self.user)), [], []
        for step in range(1, int(self.size.max(initial=0))):
            first = rows[:-step][self.user[:-step] == self.user[step:]]
            upper.append(first)
            lower.append(first + step)
        none = np.empty(0, np.int64)
        return (np.concatenate(upper), np.concatenate(lower)) if upper else (none, none)

    # ── subsets ──────────────────────────────────────────────────────────────────────────────────

    def cut(self, k: int, measure: str) -> RecommendedLists:
        """The first k of each list, for a measure."""
        return replace(self._rows(self.rank <= k), k=k, measure=measure)

    def only(self, users: Bools) -> RecommendedLists:
        """Some of the users; side information of items is unchanged."""
        new, part, side = np.cumsum(users) - 1, self._rows(users[self.user]), dict(self.side)
        if "history" in side:
            side["history"] = replace(side["history"], place=side["history"].place[users])
        if "qrels" in side:
            user, item = side["qrels"]
            side["qrels"] = new[user[users[user]]], item[users[user]]
        return replace(part, user=new[part.user], users=int(users.sum()), side=side)

    def _rows(self, mask: Bools) -> RecommendedLists:
        return replace(self, user=self.user[mask], item=self.item[mask], rank=self.rank[mask])


def discounts(rank: Ints, discount: Discount, persistence: float = 0.85) -> Floats:
    """The weight of each rank: 1, 1 / log2(rank + 1), 1 / rank, or persistence^(rank - 1)."""
    if discount == "none":
        return np.ones(len(rank))
    if discount == "geometric":
        return np.asarray(persistence ** (rank - 1.0))
    return np.asarray(1.0 / np.log2(rank + 1.0) if discount == "log2" else 1.0 / rank)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def as_text(item: Any) -> str:
    """An id as text: 7 in a frame and 7 in a file are the same item, as in slices."""
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def _texts(ids: Any) -> list[str]:
    return [as_text(i) for i in (ids.tolist() if hasattr(ids, "tolist") else ids)]


def _refuse_matrix(source: Any, where: str, action: str) -> None:
    """Raise for an array of numbers: it is a matrix of scores, even with three columns."""
    if is_number_matrix(source):
        problem = "ids of users and items"
        raise DataError("form", problem, got="a matrix of numbers", where=where, hint=action)


def read_interactions(source: Any, where: str) -> tuple[list[str], Ints, list[str], Ints]:
    """Read interactions from any input of `read_qrels`, (user, item) pairs, or a sparse matrix of users × items.

    Return the distinct users as text, the number of the user of each interaction, and the same of items. Ratings are ignored: drop the rows
    that should not count. `where` is the name of the argument, for messages.
    """
    if is_sparse(source):
        cells = source.tocoo()
        users, user = np.unique(cells.row[cells.data != 0], return_inverse=True)
        items, item = np.unique(cells.col[cells.data != 0], return_inverse=True)
        return _texts(users), user, _texts(items), item
    _refuse_matrix(source, where, f"convert it with scipy.sparse.csr_array({where})")
    pairs = isinstance(source, (list, tuple)) and all(isinstance(row, (tuple, list)) and len(row) > 1 for row in source)
    if pairs and source:
        return *_numbered([row[0] for row in source]), *_numbered([row[1] for row in source])
    try:
        past = read_qrels(source)
    except DataError as error:
        if error.slug not in ("columns", "swapped"):
            raise
        action = f"{where} needs columns user and item: keep these two, and rating if there is one"
        raise error.changed(hint=action) from error
    return _texts(past.queries), past.query, *_numbered(past.doc)


def _numbered(ids: Any) -> tuple[list[str], Ints]:
    """The distinct ids as text, in their order, and the number of each."""
    texts = _texts(ids)
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return list(place), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))


def read_recommendations(
    source: Any, k: int, *, items: Any, history: Any, vectors: Any, qrels: Any, level: float, categories: Any
) -> tuple[str, tuple[Id, ...], RecommendedLists]:
    """Read the first k recommendations of each user of a run, with the side information; return its name, users and lists."""
    _refuse_matrix(source, "run", "convert it to a run with jd.recommenders.top_k")
    try:
        run = read_run(source)
    except DataError as error:
        if error.slug != "swapped":
            raise
        action = "pass a table with a column of scores or ranks; past interactions belong in {history}"
        raise error.changed(hint=Hint(action, history=None)) from error
    queries = decoded(run.queries, run.query_kind)
    numbers = all(isinstance(u, int) or (isinstance(u, str) and u.isdigit()) for u in queries)
    users = tuple(sorted(queries, key=(lambda u: (int(str(u)), str(u))) if numbers else str))

    query, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segments.positions(np.bincount(query, minlength=len(users))) + 1
    query, row, rank = query[rank <= k], row[rank <= k], rank[rank <= k]
    number = {u: i for i, u in enumerate(users)}
    user = np.array([number[u] for u in queries], dtype=np.int64)[query]
    order = np.argsort(user, kind="stable")
    doc = _texts(run.doc.take(row[order]))

    side: dict[str, Any] = {}
    ids: list[str] = []  # of the catalogue
    known = set(doc)
    if items is not None:
        ids, side["items"] = _catalogue(items, known)
    if history is not None:
        past_users, past_user, past_items, past_item = read_interactions(history, "history")
        known = known.union(past_items)
    place = {text: i for i, text in enumerate(sorted(known.union(ids)))}
    by_name = {as_text(u): i for i, u in enumerate(users)}
    if history is not None:
        at = {u: i for i, u in enumerate(past_users)}
        item = np.array([place[i] for i in past_items], dtype=np.int64)[past_item]
        side["history"] = History(past_user, item, len(at), np.array([at.get(u, -1) for u in by_name]))
    if vectors is not None:
        side["vectors"] = cosine_of(vectors, place, ids)
    labelled = place
    if categories is not None:
        labelled, side["categories"] = _shares(categories, place, extend=not ids)
    if qrels is not None:
        side["qrels"] = _relevant(qrels, level, by_name, labelled)
    item = np.array([place[text] for text in doc], dtype=np.int64)
    return run.label, users, RecommendedLists(user[order], item, rank[order], len(users), len(place), k, side)


def _catalogue(items: Any, recommended: set[str]) -> tuple[list[str], int]:
    """The ids of the catalogue, none if it is a number, and its size; raise if an item outside it was recommended."""
    ids: list[str] = []
    if isinstance(items, (int, np.integer)):
        size = check_count(items, "items")
        extra, example = len(recommended) - size, ""
    elif isinstance(items, (str, bytes)) or not isinstance(items, Iterable) or hasattr(items, "columns"):
        raise UsageError("parameter", f"items must be ids or their number, got {shown(items)}", value=items)
    else:
        ids = _texts(items)
        outside = sorted(recommended.difference(ids))
        size, extra = len(set(ids)), len(outside)
        example = f", such as {shown(outside[0])}" if outside else ""
    if extra > 0:
        raise DataError(
            "parameter",
            f"{counted(extra, 'recommended item is', 'recommended items are')} outside the catalogue{example}",
            where="items",
            hint=Hint("pass all items that can be recommended as {items}", items=None),
        )
    return ids, size


def _relevant(source: Any, level: float, users: dict[str, int], items: dict[str, int]) -> tuple[Ints, Ints]:
    """Users of the run, and their relevant items, as far as these are known."""
    qrels = read_qrels(source)
    good = qrels.grade >= level
    query = np.array([users.get(as_text(u), -1) for u in decoded(qrels.queries, qrels.query_kind)])[qrels.query[good]]
    doc = np.array([items.get(text, -1) for text in _texts(qrels.doc.take(good))], dtype=np.int64)
    if (query < 0).all():
        problem = "run and judgments have no user in common"
        raise DataError("no-common-query", problem, where=qrels.name, hint=_SAME_IDS)
    kept = (query >= 0) & (doc >= 0)
    return query[kept], doc[kept]


def _shares(categories: Any, known: dict[str, int], *, extend: bool) -> tuple[dict[str, int], Floats]:
    """The numbers of items, and items × categories: an item of several categories has an equal share in each.

    If `extend`, items that only the categories have get the numbers after the known ones.
    """
    if not isinstance(categories, Mapping):
        problem = f"categories must be {{item: category or list of categories}}, got {shown(categories)}"
        raise UsageError("parameter", problem, value=categories)
    labels = {}
    for item, own in categories.items():
        several = isinstance(own, Iterable) and not isinstance(own, str | bytes)
        labels[as_text(item)] = list(dict.fromkeys(own)) if several else [own]
    if known.keys().isdisjoint(labels):
        problem = "no item of the run or the history has a category"
        raise DataError("parameter", problem, where="categories", hint=_SAME_IDS)
    new = [item for item in labels if item not in known] if extend else []
    items = known | {item: len(known) + i for i, item in enumerate(new)}
    rows = [(items[item], c, 1 / len(own)) for item, own in labels.items() if item in items for c in own]
    column = {c: i for i, c in enumerate(dict.fromkeys(c for _, c, _ in rows))}
    out = np.zeros((len(items), len(column)))
    out[[item for item, _, _ in rows], [column[c] for _, c, _ in rows]] = [share for _, _, share in rows]
    return items, out


def warnings_of(lists: RecommendedLists, *, popularity: bool) -> list[Warned]:
    """Count recommended items without interactions, if the popularity of items matters, and without a vector or category."""
    warnings = []
    if popularity and "history" in lists.side:
        unseen = int((lists.history.popularity(lists.items, "interactions")[lists.recommended] == 0).sum())
        if unseen:
            text = (
                f"{counted(unseen, 'recommended item has', 'recommended items have')} no interactions; Popularity treats "
                f"{'it' if unseen == 1 else 'them'} as having 0 interactions, Novelty as having 1"
            )
            every = Hint("no recommended item has any: " + _SAME_IDS)
            warnings.append(Warned("item-unseen", unseen, text, every if unseen == len(lists.recommended) else None))
    known = {}
    if "vectors" in lists.side:
        known["vector"] = lists.side["vectors"][1]
    if "categories" in lists.side:
        known["category"] = lists.categories.any(axis=1)
    for what, has in known.items():
        missing = int((~has[lists.recommended]).sum())
        if missing:
            text = f"{counted(missing, 'recommended item has', 'recommended items have')} no {what}; excluded where one is needed"
            warnings.append(Warned("item-unknown", missing, text))
    return warnings


# ── similarity of items ──────────────────────────────────────────────────────────────────────────

_CELLS = 1 << 22  # numbers in memory at a time


def cosine_of(
    vectors: Any, place: dict[str, int], catalogue: list[str]
) -> tuple[Callable[[Ints, Ints], Floats], Bools]:
    """Return the cosine of the vectors of items by number, and the items that have a vector.

    Args:
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are the items of the catalogue in order, or items 0, 1, 2 …
        place: the numbers of items by id.
        catalogue: the items in order; empty if they were not given as ids.
    """
    row, matrix = _rows(vectors, place, catalogue)
    if is_sparse(matrix):
        norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        matrix = matrix.multiply(np.where(norm > 0, 1 / np.where(norm > 0, norm, 1), 0)[:, None]).tocsr()
        step = _CELLS >> 8
    else:
        matrix = np.asarray(matrix, dtype=float)
        norm = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = np.divide(
            matrix, norm, out=np.zeros(matrix.shape), where=norm > 0
        )  # a vector of zeros has similarity 0
        step = max(1, _CELLS // max(matrix.shape[1], 1))

    def between(a: Ints, b: Ints) -> Floats:
        if is_sparse(matrix):
            return np.asarray(matrix[a].multiply(matrix[b]).sum(axis=1)).ravel()
        return np.asarray(np.einsum("ij,ij->i", matrix[a], matrix[b]))

    def similarity(a: Ints, b: Ints) -> Floats:
        parts = [between(row[a[at : at + step]], row[b[at : at + step]]) for at in range(0, len(a), step)]
        return np.concatenate(parts) if parts else np.empty(0)

    return similarity, row >= 0


def _rows(given: Any, place: dict[str, int], catalogue: list[str]) -> tuple[Ints, Any]:
    """The row of each item, -1 for none; and the matrix."""
    ids: list[str] | None = None
    if isinstance(given, Mapping):
        ids, given = _texts(given), [np.asarray(v, dtype=float).ravel() for v in given.values()]
        if len({len(v) for v in given}) != 1:
            raise DataError("shape", "vectors have different lengths", where="vectors")
    elif isinstance(given, tuple) and len(given) == 2:
        ids, given = _texts(given[0]), given[1]
    matrix = given.tocsr() if is_sparse(given) else as_numbers(given, "vectors")
    if matrix.ndim != 2:
        raise DataError("shape", "a matrix with one row per item", got=f"shape {matrix.shape}", where="vectors")
    if not np.isfinite(matrix.data if is_sparse(matrix) else matrix).all():
        raise DataError("shape", "NaN or infinity in vectors", where="vectors")
    if ids is None:
        ids = catalogue or _texts(range(matrix.shape[0]))
    if len(ids) != matrix.shape[0]:
        raise DataError("shape", f"{matrix.shape[0]} rows for {len(ids)} items", where="vectors")
    numbers = {text: i for i, text in enumerate(ids)}
    row = np.array([numbers.get(text, -1) for text in place])
    if (row < 0).all():
        problem = "no item of the run or the history is in vectors"
        raise DataError("parameter", problem, where="vectors", hint=_SAME_IDS)
    return row, matrix
