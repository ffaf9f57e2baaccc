"""Popularity and novelty of recommended items: measures of each user's list."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Floats
from judged.measures.parameters import Flag, Persistence
from judged.recommenders.lists import By, Discount, RecommendedLists, discounts
from judged.recommenders.registry import LogBase, beyond


@beyond("Popularity", of="user", needs=("history",), range=(0, np.inf), aliases=("AveragePopularity", "ARP"), lower_is_better=True,
        formula="mean over the list of the interactions that an item has",
        paper="Yin, Cui, Li, Yao and Chen, PVLDB 5(9), 2012")  # fmt: skip
def popularity(
    lists: RecommendedLists, *, by: By = "interactions", scale: Literal["count", "share"] = "count"
) -> Floats:
    """Mean popularity of the recommended items: their interactions or their users, as a count or as a share of all.

    Lower means less biased towards popular items, which is not always better.
    """
    count = lists.history.popularity(lists.items, by)[lists.item]
    return lists.per_user(count / lists.history.total(by) if scale == "share" else count)


@beyond("Novelty", of="user", needs=("history",), range=(0, np.inf), aliases=("SelfInformation", "MIUF"),
        formula="mean over the list of -log2 p, p the share of users who have the item",
        paper="Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 107(10), 2010; Vargas and Castells, RecSys 2011")  # fmt: skip
def novelty(lists: RecommendedLists, *, by: By = "users", form: Literal["surprisal", "complement"] = "surprisal",
            base: LogBase = 2.0, discount: Discount = "none", persistence: Persistence = 0.85, relevant: Flag = False,
            unseen: Literal["one", "skip"] = "one") -> Floats:  # fmt: skip
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
