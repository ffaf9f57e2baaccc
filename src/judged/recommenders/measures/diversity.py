"""Diversity: dissimilarity of the items of a list to each other and to the user's history."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Bools, Floats
from judged.recommenders.lists import RecommendedLists
from judged.recommenders.registry import beyond

To = Literal["min", "mean"]

_BLOCK = 1 << 20  # pairs in memory at a time


@beyond(
    "ILD",
    intuition="ILD tells how different the items of one list are from each other. It suits lists in which near duplicates annoy, such "
    "as news and music.",
    latex=r"\mathrm{ILD} = \frac{2}{|L|\,(|L| - 1)} \sum_{i < j} \left(1 - \mathrm{sim}(i, j)\right)",
    of="user",
    needs=("vectors",),
    range=(0, 2),
    aliases=("IntraListDiversity", "Diversity"),
    formula="mean over pairs of the list of 1 - similarity",
    paper="smyth2001 ziegler2005",
)
def intra_list_diversity(lists: RecommendedLists) -> Floats:
    """Mean dissimilarity of two items of a list; NaN for a list with fewer than two items that have a similarity."""
    return 1 - intra_list_similarity(lists)


@beyond(
    "ILS",
    intuition="ILS tells how similar the items of one list are to each other; lower values mean more variety. It is the counterpart "
    "of ILD under its first name in the literature.",
    latex=r"\mathrm{ILS} = \frac{2}{|L|\,(|L| - 1)} \sum_{i < j} \mathrm{sim}(i, j)",
    of="user",
    needs=("vectors",),
    range=(-np.inf, np.inf),
    aliases=("IntraListSimilarity",),
    lower_is_better=True,
    formula="mean, or sum, over pairs of the list of their similarity",
    paper="ziegler2005",
)
def intra_list_similarity(lists: RecommendedLists, *, form: Literal["mean", "sum"] = "mean") -> Floats:
    """Mean similarity of two items of a list; Ziegler's is the sum over pairs, which grows with the list."""
    upper, lower = lists.pairs
    known = lists.known[upper] & lists.known[lower]
    upper, lower = upper[known], lower[known]
    alike = lists.similarity(lists.item[upper], lists.item[lower])
    total = np.bincount(lists.user[upper], weights=alike, minlength=lists.users)
    pairs = np.bincount(lists.user[upper], minlength=lists.users)
    return np.where(pairs > 0, total / (np.maximum(pairs, 1) if form == "mean" else 1), np.nan)


@beyond(
    "Unexpectedness",
    intuition="Unexpectedness tells how far the recommended items are from everything that the user already has. It suits systems "
    "that should open new interests; on its own it also rewards nonsense.",
    latex=r"\mathrm{Unexpectedness} = \frac{1}{|L|} \sum_{i \in L} \min_{j \in H} \left(1 - \mathrm{sim}(i, j)\right)",
    of="user",
    needs=("history", "vectors"),
    range=(0, 2),
    aliases=("Surprise",),
    formula="mean over the list of the least (or mean) 1 - similarity to an item that the user has",
    paper="kaminskas2016 zhang2012",
)
def unexpectedness(lists: RecommendedLists, *, to: To = "min") -> Floats:
    """Mean distance of recommended items from the user's items: from the nearest one, or on average.

    NaN for a user without items that have a similarity.
    """
    far = _distance(lists, to)
    known = ~np.isnan(far)
    return lists.per_user(np.where(known, far, 0.0), known)


@beyond(
    "Serendipity",
    intuition="Serendipity is the share of a list that the user likes and would not have got from an obvious recommender, such as the "
    "most popular items. It suits systems that should surprise and still be right.",
    latex=r"\mathrm{Serendipity} = \frac{1}{|L|} \sum_{i \in L} \mathrm{rel}_i\,[i \notin O]",
    of="user",
    needs=("history", "qrels"),
    range=(0, 2),
    formula="unexpected and relevant items of the list / its length",
    paper="ge2010 kaminskas2016",
)
def serendipity(
    lists: RecommendedLists, *, form: Literal["primitive", "distance"] = "primitive", to: To = "min"
) -> Floats:
    """Share of the list that is both relevant and unexpected.

    `form="primitive"`: an item is expected if it is among the first k of a primitive recommender for the user: `expected`, or the most
    popular items that the user does not have. `form="distance"`: an item is weighted by its distance from the user's items, as in Unexpectedness.
    """
    if form == "distance":
        far = _distance(lists, to)
        known = ~np.isnan(far)
        return lists.per_user(np.where(known, far * lists.relevant, 0.0), known)
    expected = _most_popular(lists) if lists.expected_rank is None else lists.expected_rank <= lists.k
    return lists.per_user(lists.relevant & ~expected)


def _most_popular(lists: RecommendedLists) -> Bools:
    """True for rows among the k most popular items that their user does not have; of equally popular ones the first.

    An item's position in the user's list of popular items is its position among all, minus the user's own items before it.
    """
    history = lists.history
    place = np.empty(lists.items, np.int64)
    place[np.argsort(-history.popularity(lists.items, "users"), kind="stable")] = np.arange(lists.items)
    user, item = history.pairs
    owned = np.sort(user * lists.items + place[item])  # by user, then place
    who = history.place[lists.user]
    start = np.searchsorted(owned, who * lists.items)
    own = np.searchsorted(owned, who * lists.items + place[lists.item])
    has = np.isin(who * lists.items + lists.item, user * lists.items + item)
    before = np.where(who >= 0, own - start, 0)
    return (place[lists.item] - before < lists.k) & ~(has & (who >= 0))


def _distance(lists: RecommendedLists, to: To) -> Floats:
    """The distance of each row's item from the user's items; NaN if unknown."""
    user, item = lists.history.pairs
    if lists.described is not None:
        user, item = user[lists.described[item]], item[lists.described[item]]
    count = np.bincount(user, minlength=lists.history.users)
    start = np.cumsum(count) - count
    who = lists.history.place[lists.user]
    size = np.where((who >= 0) & lists.known, count[who], 0)
    out = np.full(len(who), np.nan)
    ends = np.cumsum(size)
    at = 0
    while at < len(who):
        upto = max(at + 1, int(np.searchsorted(ends, ends[at] - size[at] + _BLOCK, "right")))
        rows = np.repeat(np.arange(at, upto), size[at:upto])
        inside = np.arange(len(rows)) - np.repeat(np.cumsum(size[at:upto]) - size[at:upto], size[at:upto])
        far = 1 - lists.similarity(lists.item[rows], item[start[who[rows]] + inside])
        has = size[at:upto] > 0
        first = (np.cumsum(size[at:upto]) - size[at:upto])[has]
        if len(first):
            reduced = (np.minimum if to == "min" else np.add).reduceat(far, first)
            out[at:upto][has] = reduced if to == "min" else reduced / size[at:upto][has]
        at = upto
    return out
