"""Recommended lists with side information, the input of every measure beyond accuracy; read from any supported input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.core.find.ranking import ranked_rows
from judged.core.policy import Policy
from judged.core.tables import Id, Run, decoded
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays import as_numbers, is_number_matrix, is_sparse
from judged.io.read import read_qrels, read_run
from judged.stats.checks import check_count
from judged.tables.text import counted

Similarity = Callable[[Ints, Ints], Floats]

By = Literal["users", "interactions"]
Discount = Literal["none", "log2", "reciprocal", "geometric"]


class MissingArgumentError(Exception):
    """An argument that a measure needs is missing."""

    def __init__(self, argument: str) -> None:
        super().__init__(argument)
        self.argument = argument


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
    """The first k items recommended to each user: rows ordered by user, then rank.

    Items are numbered. A missing argument is None, and a measure that needs it raises `MissingArgumentError`.
    """

    user: Ints  # per row
    item: Ints
    rank: Ints  # from 1
    users: int
    items: int  # number of items: recommended ones, and those of the side information
    k: int
    size_of_catalogue: int | None = None
    relevant_row: Bools | None = None
    relevant_to: tuple[Ints, Ints] | None = None  # users and their relevant items, recommended or not
    interactions: History | None = None
    similarity_of: Similarity | None = None
    described: Bools | None = None  # per item: true if it has a similarity; None for all
    shares: Floats | None = (
        None  # items × categories: the share of an item in each; all 0 for an item without categories
    )

    # ── arguments of measures ────────────────────────────────────────────────────────────────────

    @property
    def catalogue(self) -> int:
        """The number of items that could be recommended."""
        return int(self._given("items", self.size_of_catalogue))

    @property
    def relevant(self) -> Bools:
        """True for rows that are relevant to their user."""
        return np.asarray(self._given("qrels", self.relevant_row))

    @property
    def relevant_pairs(self) -> tuple[Ints, Ints]:
        """Users and their relevant items, recommended or not."""
        pairs: tuple[Ints, Ints] = self._given("qrels", self.relevant_to)
        return pairs

    @property
    def own_pairs(self) -> tuple[Ints, Ints]:
        """Users of the lists, and the distinct items of their histories."""
        back = np.full(self.history.users, -1)
        known = self.history.place >= 0
        back[self.history.place[known]] = np.flatnonzero(known)
        user, item = self.history.pairs
        return back[user][back[user] >= 0], item[back[user] >= 0]

    @property
    def history(self) -> History:
        """Past interactions."""
        history: History = self._given("history", self.interactions)
        return history

    @property
    def categories(self) -> Floats:
        """Items × categories: the share of an item in each."""
        return np.asarray(self._given("categories", self.shares))

    @property
    def known(self) -> Bools:
        """True for rows whose item has a similarity to others."""
        self._given("vectors", self.similarity_of)
        return np.ones(len(self.item), bool) if self.described is None else self.described[self.item]

    def similarity(self, a: Ints, b: Ints) -> Floats:
        """The similarity of items a[i] and b[i]."""
        between: Similarity = self._given("vectors", self.similarity_of)
        return np.asarray(between(a, b), dtype=float)

    @staticmethod
    def _given(argument: str, value: Any) -> Any:
        if value is None:
            raise MissingArgumentError(argument)
        return value

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

    def cut(self, k: int) -> RecommendedLists:
        """The first k of each list."""
        return replace(self._rows(self.rank <= k), k=k)

    def only(self, users: Bools) -> RecommendedLists:
        """Some of the users; side information of items is unchanged."""
        new = np.cumsum(users) - 1
        part = self._rows(users[self.user])
        history, pairs = self.interactions, self.relevant_to
        kept = None if pairs is None else users[pairs[0]]
        return replace(
            part,
            user=new[part.user],
            users=int(users.sum()),
            relevant_to=None if pairs is None else (new[pairs[0][kept]], pairs[1][kept]),
            interactions=None if history is None else replace(history, place=history.place[users]),
        )

    def _rows(self, mask: Bools) -> RecommendedLists:
        per_row = ("user", "item", "rank", "relevant_row")
        kept: dict[str, Any] = {name: None if (x := getattr(self, name)) is None else x[mask] for name in per_row}
        return replace(self, **kept)


def discounts(rank: Ints, discount: Discount, persistence: float = 0.85) -> Floats:
    """The weight of each rank: 1, 1 / log2(rank + 1), 1 / rank, or persistence^(rank - 1)."""
    if discount == "none":
        return np.ones(len(rank))
    if discount == "geometric":
        return np.asarray(persistence ** (rank - 1.0))
    return np.asarray(1.0 / np.log2(rank + 1.0) if discount == "log2" else 1.0 / rank)


# ── past interactions ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Interactions:
    """One row per interaction, as codes into the distinct users and items, which are text."""

    users: list[str]
    items: list[str]
    user: Ints
    item: Ints


def as_text(item: Any) -> str:
    """An id as text: 7 in a frame and 7 in a file are the same item, as in slices."""
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def read_interactions(source: Any, where: str) -> Interactions:
    """Read interactions from any input of `read_qrels`, (user, item) pairs, or a sparse matrix of users × items.

    Ratings are ignored: drop the rows that should not count. `where` is the name of the argument, for messages.
    """
    if is_sparse(source):
        cells = source.tocoo()
        kept = cells.data != 0
        (users, user), (items, item) = (np.unique(x[kept], return_inverse=True) for x in (cells.row, cells.col))
        return Interactions([str(u) for u in users.tolist()], [str(i) for i in items.tolist()], user, item)
    if is_number_matrix(source):
        raise DataError(
            "form",
            "interactions with ids, or a sparse matrix of users × items",
            got="a matrix of numbers",
            where=where,
            hint=f"convert it with scipy.sparse.csr_array({where})",
        )
    if isinstance(source, (list, tuple)) and source and all(isinstance(row, (tuple, list)) for row in source):
        return _of_pairs(source, where)
    try:
        past = read_qrels(source)
    except DataError as error:
        if error.slug not in ("columns", "swapped"):
            raise
        raise error.changed(
            hint=f"{where} needs columns user and item: keep these two, and rating if there is one"
        ) from error
    return _encode([as_text(u) for u in past.queries.tolist()], past.query, [as_text(i) for i in past.doc.tolist()])


def _of_pairs(rows: Any, where: str) -> Interactions:
    """Read (user, item, …) rows."""
    short = next((row for row in rows if len(row) < 2), None)
    if short is not None:
        raise DataError("columns", "rows of (user, item)", got=repr(short), where=where)
    place = {u: i for i, u in enumerate(dict.fromkeys(as_text(row[0]) for row in rows))}
    user = np.array([place[as_text(row[0])] for row in rows], dtype=np.int64)
    return _encode(list(place), user, [as_text(row[1]) for row in rows])


def _encode(users: list[str], user: Ints, words: list[str]) -> Interactions:
    place = {word: i for i, word in enumerate(dict.fromkeys(words))}
    return Interactions(users, list(place), user, np.fromiter(map(place.__getitem__, words), np.int64, len(words)))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SideInformation:
    """The arguments of `beyond_accuracy` other than the run, as passed."""

    items: Any = None
    history: Any = None
    vectors: Any = None
    qrels: Any = None
    level: float = 1
    categories: Any = None


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The lists, their users, and warnings."""

    name: str
    users: tuple[Id, ...]
    lists: RecommendedLists
    warnings: tuple[Warned, ...]


def read_recommendations(source: Any, side: SideInformation, k: int) -> Recommendations:
    """Read the first k recommendations of each user of a run, with the side information."""
    run = _read_lists(source)
    users = _sorted_users(decoded(run.queries, run.query_kind))
    user, doc, rank = _first(run, users, k)
    history = None if side.history is None else read_interactions(side.history, "history")
    catalogue = None if side.items is None or isinstance(side.items, (int, np.integer)) else _catalogue(side.items)
    labels = None if side.categories is None else _labels(side.categories)
    known = [doc, [] if history is None else history.items, catalogue or []]
    place = {text: i for i, text in enumerate(sorted({text for texts in known for text in texts}))}
    item = np.fromiter(map(place.__getitem__, doc), np.int64, len(doc))
    numbers = place if labels is None or catalogue is not None else _with_labelled(place, labels)
    shares = None if labels is None else _shares(labels, place, numbers)
    alike, described = (None, None) if side.vectors is None else cosine_of(side.vectors, place, catalogue)
    names = {as_text(u): i for i, u in enumerate(users)}
    relevant = None if side.qrels is None else _relevant(side, names, numbers)
    lists = RecommendedLists(
        user=user,
        item=item,
        rank=rank,
        users=len(users),
        items=len(place),
        k=k,
        size_of_catalogue=_size(side.items, catalogue, doc),
        relevant_row=None if relevant is None else _found(relevant, user, item),
        relevant_to=relevant,
        interactions=None if history is None else _history(history, names, place),
        similarity_of=alike,
        described=described,
        shares=shares,
    )
    return Recommendations(run.label, users, lists, _warnings(lists))


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


def _read_lists(source: Any) -> Run:
    """Read a run; an array is a matrix of scores, even with three columns."""
    if is_number_matrix(source):
        raise DataError(
            "form",
            "a run with ids",
            got="a matrix of numbers",
            where="run",
            hint="convert it to a run with jd.recommenders.top_k",
        )
    try:
        return read_run(source)
    except DataError as error:
        if error.slug != "swapped":
            raise
        raise error.changed(
            hint=Hint(
                "pass a table with a column of scores or ranks; past interactions belong in {history}", history=None
            )
        ) from error


def _sorted_users(users: list[Id]) -> tuple[Id, ...]:
    numbers = all(isinstance(u, int) or (isinstance(u, str) and u.isdigit()) for u in users)
    return tuple(sorted(users, key=(lambda u: (int(str(u)), str(u))) if numbers else str))


def _first(run: Run, users: tuple[Id, ...], k: int) -> tuple[Ints, list[str], Ints]:
    """The user, the item and the rank of the first k recommendations of each user, by user and rank."""
    query, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segments.positions(np.bincount(query, minlength=len(users))) + 1
    query, row, rank = query[rank <= k], row[rank <= k], rank[rank <= k]
    place = {u: i for i, u in enumerate(users)}
    user = np.array([place[u] for u in decoded(run.queries, run.query_kind)], dtype=np.int64)[query]
    order = np.argsort(user, kind="stable")
    docs = [as_text(raw) for raw in run.doc.take(row[order]).tolist()]
    return user[order], docs, rank[order]


# ── side information ─────────────────────────────────────────────────────────────────────────────


def _catalogue(items: Any) -> list[str]:
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable) or hasattr(items, "columns"):
        raise UsageError("argument", f"items must be ids or their number, got {shown(items)}", value=items)
    return [as_text(i) for i in (items.tolist() if hasattr(items, "tolist") else items)]


def _size(items: Any, catalogue: list[str] | None, recommended: list[str]) -> int | None:
    """The size of the catalogue; raise if an item outside it was recommended."""
    if items is None:
        return None
    distinct = set(recommended)
    if catalogue is None:
        size = check_count(items, "items")
        extra, example = len(distinct) - size, ""
    else:
        outside = sorted(distinct - set(catalogue))
        extra, size = len(outside), len(set(catalogue))
        example = f", such as {shown(outside[0])}" if outside else ""
    if extra > 0:
        raise DataError(
            "catalogue",
            f"{counted(extra, 'recommended item is', 'recommended items are')} outside the catalogue{example}",
            where="items",
            hint=Hint("pass all items that can be recommended as {items}", items=None),
        )
    return size


def _history(past: Interactions, users: dict[str, int], items: dict[str, int]) -> History:
    item = np.array([items[i] for i in past.items], dtype=np.int64)[past.item]
    place = np.full(len(users), -1)
    for number, user in enumerate(past.users):
        if (at := users.get(user)) is not None:
            place[at] = number
    return History(user=past.user, item=item, users=len(past.users), place=place)


def _relevant(side: SideInformation, users: dict[str, int], items: dict[str, int]) -> tuple[Ints, Ints]:
    """Users of the run, and their relevant items, as far as these are known."""
    qrels = read_qrels(side.qrels)
    good = qrels.grade >= side.level
    query = np.array([users.get(as_text(u), -1) for u in decoded(qrels.queries, qrels.query_kind)])[qrels.query[good]]
    doc = np.array([items.get(as_text(raw), -1) for raw in qrels.doc.take(good).tolist()], dtype=np.int64)
    if (query < 0).all():
        raise DataError(
            "no-common-query",
            "run and judgments have no user in common",
            where=qrels.name,
            hint="check that the ids are the same",
        )
    kept = (query >= 0) & (doc >= 0)
    return query[kept], doc[kept]


def _found(relevant: tuple[Ints, Ints], user: Ints, item: Ints) -> NDArray[np.bool_]:
    width = int(max(item.max(initial=0), relevant[1].max(initial=0))) + 1
    return np.isin(user * width + item, relevant[0] * width + relevant[1])


def _labels(categories: Any) -> dict[str, list[Any]]:
    if not isinstance(categories, Mapping):
        problem = f"categories must be {{item: category or list of categories}}, got {shown(categories)}"
        raise UsageError("argument", problem, value=categories)
    return {as_text(i): list(dict.fromkeys(c)) if _is_list(c) else [c] for i, c in categories.items()}


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _with_labelled(items: dict[str, int], labels: dict[str, list[Any]]) -> dict[str, int]:
    """The numbers of items, followed by those of items that only the categories have."""
    return items | {item: len(items) + i for i, item in enumerate(item for item in labels if item not in items)}


def _shares(labels: dict[str, list[Any]], known: dict[str, int], items: dict[str, int]) -> Floats:
    """Items × categories: an item of several categories has an equal share in each."""
    rows = [(items[item], c, 1 / len(own)) for item, own in labels.items() if item in items for c in own]
    if not any(item in known for item in labels):
        raise DataError(
            "catalogue",
            "no item of the run or the history has a category",
            where="categories",
            hint="check that the ids are the same",
        )
    column = {c: i for i, c in enumerate(dict.fromkeys(c for _, c, _ in rows))}
    out = np.zeros((len(items), len(column)))
    out[[item for item, _, _ in rows], [column[c] for _, c, _ in rows]] = [share for _, _, share in rows]
    return out


def _warnings(lists: RecommendedLists) -> tuple[Warned, ...]:
    warnings = []
    shown_items = lists.recommended
    if lists.interactions is not None:
        unseen = int((lists.interactions.popularity(lists.items, "interactions")[shown_items] == 0).sum())
        if unseen:
            text = (
                f"{counted(unseen, 'recommended item has', 'recommended items have')} no interactions; Popularity treats "
                f"{'it' if unseen == 1 else 'them'} as having 0 interactions, Novelty as having 1"
            )
            every = "no recommended item has any: check that the ids are the same"
            hint = Hint(every) if unseen == len(shown_items) else None
            warnings.append(Warned("item-unseen", unseen, text, hint))
    listed = None if lists.shares is None else np.asarray(lists.shares.any(axis=1))
    for known, what in ((lists.described, "vector"), (listed, "category")):
        missing = 0 if known is None else int((~known[shown_items]).sum())
        if missing:
            text = f"{counted(missing, 'recommended item has', 'recommended items have')} no {what}; excluded where one is needed"
            warnings.append(Warned("item-unknown", missing, text))
    return tuple(warnings)


# ── similarity of items ──────────────────────────────────────────────────────────────────────────

_CELLS = 1 << 22  # numbers in memory at a time


def cosine_of(vectors: Any, place: dict[str, int], catalogue: list[str] | None) -> tuple[Similarity, Bools]:
    """Return the cosine of the vectors of items by number, and the items that have a vector.

    Args:
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are the items of the catalogue in order, or items 0, 1, 2 …
        place: the numbers of items by id.
        catalogue: the items in order, if they were given as ids.
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


def _rows(given: Any, place: dict[str, int], catalogue: list[str] | None) -> tuple[Ints, Any]:
    """The row of each item, -1 for none; and the matrix."""
    ids: list[Any] | None = None
    if isinstance(given, Mapping):
        ids, given = list(given), [np.asarray(v, dtype=float).ravel() for v in given.values()]
        if len({len(v) for v in given}) != 1:
            raise DataError("shape", "vectors have different lengths", where="vectors")
    elif isinstance(given, tuple) and len(given) == 2:
        ids, given = list(given[0].tolist() if hasattr(given[0], "tolist") else given[0]), given[1]
    matrix = given.tocsr() if is_sparse(given) else as_numbers(given, "vectors")
    if matrix.ndim != 2 or (ids is not None and len(ids) != matrix.shape[0]):
        raise DataError("shape", "a matrix with one row per item", got=f"shape {matrix.shape}", where="vectors")
    if not np.isfinite(matrix.data if is_sparse(matrix) else matrix).all():
        raise DataError("shape", "NaN or infinity in vectors", where="vectors")
    if ids is None and catalogue is not None and len(catalogue) != matrix.shape[0]:
        raise DataError("shape", f"{matrix.shape[0]} rows for {len(catalogue)} items", where="vectors")
    if ids is None:
        ids = catalogue or list(range(matrix.shape[0]))
    row = np.full(len(place), -1)
    for i, text in enumerate(map(str, ids)):
        if (at := place.get(text)) is not None:
            row[at] = i
    if (row < 0).all():
        raise DataError(
            "catalogue",
            "no item of the run or the history is in vectors",
            where="vectors",
            hint="check that the ids are the same",
        )
    return row, matrix
