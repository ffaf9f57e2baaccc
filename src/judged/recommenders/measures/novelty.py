"""Popularity and novelty of recommended items: measures of each user's list."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Bools, Floats
from judged.measures.parameters import Flag, Persistence, Share
from judged.recommenders.lists import By, Discount, RecommendedLists, discounts
from judged.recommenders.registry import LogBase, beyond


@beyond(
    "Popularity",
    intuition="Popularity is the average number of interactions of the recommended items. A high value warns that the system mainly "
    "recommends what everybody knows.",
    latex=r"\mathrm{Popularity} = \frac{1}{|L|} \sum_{i \in L} n_i",
    of="user",
    needs=("history",),
    range=(0, np.inf),
    aliases=("AveragePopularity", "ARP"),
    lower_is_better=True,
    formula="mean over the list of the interactions that an item has",
    paper="yin2012",
)
def popularity(
    lists: RecommendedLists, *, by: By = "interactions", scale: Literal["count", "share"] = "count"
) -> Floats:
    """Mean popularity of the recommended items: their interactions or their users, as a count or as a share of all.

    Lower means less biased towards popular items, which is not always better.
    """
    count = lists.history.popularity(lists.items, by)[lists.item]
    return lists.per_user(count / lists.history.total(by) if scale == "share" else count)


@beyond(
    "PopularityRank",
    intuition="PopularityRank places each recommended item on a scale from the least to the most popular item of the data. It suits "
    "comparisons between datasets, since it does not depend on the number of interactions.",
    latex=r"\mathrm{PopularityRank} = \frac{1}{|L|} \sum_{i \in L} \frac{\rho_i}{m}",
    of="user",
    needs=("history",),
    range=(0, 1),
    aliases=("MeanPopRank", "Obscurity"),
    lower_is_better=True,
    formula="mean over the list of rank / items of the history, rank 1 the least popular; 0 for an item without users",
    paper="ekstrand2017",
)
def popularity_rank(lists: RecommendedLists, *, by: By = "users") -> Floats:
    """Mean popularity of the recommended items as a quantile: 1 for the most popular item. Equally popular ones have their mean rank.

    Only items with interactions are ranked, also if `items` lists more.
    """
    count = lists.history.popularity(lists.items, by)
    ordered = np.sort(count[count > 0])
    rank = (np.searchsorted(ordered, count, "left") + np.searchsorted(ordered, count, "right") + 1) / 2
    return lists.per_user(np.where(count > 0, rank / len(ordered), 0.0)[lists.item])


_TAIL = "abdollahpouri2017"


def _tail(lists: RecommendedLists, head: float, of: str) -> Bools:
    """True for rows outside the most popular items that together have the share `head`; of equally popular ones the first are head."""
    count = lists.history.popularity(lists.items, "users")
    order = np.argsort(-count, kind="stable")
    size = count[order] if of == "interactions" else (count[order] > 0).astype(float)
    before = np.cumsum(size) - size
    tail = np.ones(lists.items, bool)
    tail[order] = (before >= head * size.sum() * (1 - 1e-12)) | (count[order] == 0)
    return tail[lists.item]


@beyond(
    "TailShare",
    intuition="TailShare is the share of a list that is outside the few best sellers. It suits shops that earn with the long tail of "
    "rare items.",
    latex=r"\mathrm{TailShare} = \frac{|L \cap T|}{|L|}",
    of="user",
    needs=("history",),
    range=(0, 1),
    aliases=("APLT", "TailPercentage"),
    formula="items of the list in the long tail / its length",
    paper=_TAIL,
)
def tail_share(
    lists: RecommendedLists, *, head: Share = 0.8, of: Literal["interactions", "items"] = "interactions"
) -> Floats:
    """Share of the list that is in the long tail: not among the most popular items with `head` of all interactions, or of all items.

    A user counts once per item. Elliot has 80% of the interactions, RecBole 90% of the items (`TailShare(head=0.9, of='items')`).
    """
    return lists.per_user(_tail(lists, head, of))


@beyond(
    "TailCount",
    intuition="TailCount is the number of items of a list that are outside the few best sellers. It is TailShare as a plain number, "
    "for lists of one length.",
    latex=r"\mathrm{TailCount} = |L \cap T|",
    of="user",
    needs=("history",),
    range=(0, np.inf),
    aliases=("ACLT",),
    formula="items of the list in the long tail",
    paper=_TAIL,
)
def tail_count(
    lists: RecommendedLists, *, head: Share = 0.8, of: Literal["interactions", "items"] = "interactions"
) -> Floats:
    """Number of items of the list in the long tail; see TailShare."""
    return np.asarray(np.bincount(lists.user, weights=_tail(lists, head, of), minlength=lists.users), dtype=float)


@beyond(
    "Novelty",
    intuition="Novelty tells how surprising the recommended items are: an item that half of the users have brings 1 bit, one that "
    "every thousandth has about 10. It suits systems that should show things which users do not know yet.",
    latex=r"\mathrm{Novelty} = -\frac{1}{|L|} \sum_{i \in L} \log_2 p_i",
    of="user",
    needs=("history",),
    range=(0, np.inf),
    aliases=("SelfInformation", "MIUF"),
    formula="mean over the list of -log2 p, p the share of users who have the item",
    paper="zhou2010 vargas2011",
)
def novelty(
    lists: RecommendedLists,
    *,
    by: By = "users",
    form: Literal["surprisal", "complement"] = "surprisal",
    base: LogBase = 2.0,
    discount: Discount = "none",
    persistence: Persistence = 0.85,
    relevant: Flag = False,
    unseen: Literal["one", "skip"] = "one",
) -> Floats:
    """Mean self-information of the recommended items, in bits.

    `form="complement"` uses 1 - p instead (EPC); `by="interactions"` uses p as a share of all interactions (EFD). `discount` weights
    ranks, `relevant=True` counts only relevant items, over the weight of the whole list: both as Vargas and Castells do. The
    self-information of an item without users would be infinite: it counts as if it had one, or is skipped.
    """
    count = lists.history.popularity(lists.items, by)[lists.item]
    total = lists.history.total(by)
    value = 1 - count / total if form == "complement" else np.log(total / np.maximum(count, 1)) / np.log(base)
    weight = discounts(lists.rank, discount, persistence) * ((count > 0) if unseen == "skip" else 1.0)
    return lists.per_user(value * lists.relevant if relevant else value, weight)
