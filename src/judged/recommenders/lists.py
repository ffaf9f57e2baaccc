"""Recommended lists with side information: the input of every measure beyond accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints

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
    expected_rank: Floats | None = (
        None  # per row: the rank of the item in the user's list of a primitive recommender, or inf
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
        per_row = ("user", "item", "rank", "relevant_row", "expected_rank")
        kept: dict[str, Any] = {name: None if (x := getattr(self, name)) is None else x[mask] for name in per_row}
        return replace(self, **kept)


def discounts(rank: Ints, discount: Discount, persistence: float = 0.85) -> Floats:
    """The weight of each rank: 1, 1 / log2(rank + 1), 1 / rank, or persistence^(rank - 1)."""
    if discount == "none":
        return np.ones(len(rank))
    if discount == "geometric":
        return np.asarray(persistence ** (rank - 1.0))
    return np.asarray(1.0 / np.log2(rank + 1.0) if discount == "log2" else 1.0 / rank)
