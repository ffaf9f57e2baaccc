"""How well known recommended items are: measures of each user's list."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Floats
from judged.recommenders.lists import By, Discount, RecommendedLists, discounts
from judged.recommenders.registry import Base, Share, beyond

__all__ = ["novelty", "popularity"]


@beyond("Popularity", of="user", needs=("history",), range=(0, np.inf), aliases=("AveragePopularity", "ARP"), lower_is_better=True,
        formula="mean over the list of the interactions that an item has",
        paper="Yin, Cui, Li, Yao and Chen, PVLDB 5(9), 2012")  # fmt: skip
def popularity(
    lists: RecommendedLists, *, by: By = "interactions", scale: Literal["count", "share"] = "count"
) -> Floats:
    """How popular the recommended items are on average, by interactions or by users who have any; or as a share of all of these.

    Lower is less biased towards what everybody knows, which is not the same as better.
    """
    count = lists.history.popularity(lists.items, by)[lists.item]
    return lists.per_user(count / lists.history.total(by) if scale == "share" else count)


@beyond("Novelty", of="user", needs=("history",), range=(0, np.inf), aliases=("SelfInformation", "MIUF"),
        formula="mean over the list of -log2 p, p the share of users who have the item",
        paper="Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 107(10), 2010; Vargas and Castells, RecSys 2011")  # fmt: skip
def novelty(
    lists: RecommendedLists,
    *,
    by: By = "users",
    form: Literal["surprisal", "complement"] = "surprisal",
    base: Base = 2.0,
    discount: Discount = "none",
    persistence: Share = 0.85,
    relevant: bool = False,
    unseen: Literal["one", "skip"] = "one",
) -> Floats:
    """How surprising it is that somebody knows the recommended items: their self-information, in bits.

    `form="complement"` has 1 - p instead (EPC); `by="interactions"` takes p as a share of all interactions (EFD). `discount` weighs
    ranks, `relevant=True` counts relevant items only, over the weight of the whole list: both as Vargas and Castells do. An item that
    nobody has would be infinitely surprising: it counts as if one had it, or is skipped.
    """
    count = lists.history.popularity(lists.items, by)[lists.item]
    total = lists.history.total(by)
    value = 1 - count / total if form == "complement" else np.log(total / np.maximum(count, 1)) / np.log(base)
    weight = discounts(lists.rank, discount, persistence) * ((count > 0) if unseen == "skip" else 1.0)
    return lists.per_user(value * lists.relevant if relevant else value, weight)
