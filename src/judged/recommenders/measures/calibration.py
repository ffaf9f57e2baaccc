"""Calibration: agreement of the categories of a list with those of the user's history."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from judged._types import Floats, Ints
from judged.measures.parameters import Persistence
from judged.recommenders.lists import Discount, RecommendedLists, discounts
from judged.recommenders.registry import Alpha, LogBase, beyond


@beyond(
    "Calibration",
    intuition="Calibration compares the categories of a list with those of the user's past: if a third of what somebody watched is "
    "comedy, about a third of the list should be. It suits users with several interests, of which accuracy alone keeps only "
    "the strongest.",
    latex=r"\mathrm{Calibration} = \sum_{c} p_c \ln \frac{p_c}{(1 - \alpha)\,q_c + \alpha\,p_c}",
    of="user",
    needs=("history", "categories"),
    range=(0, np.inf),
    aliases=("Miscalibration",),
    lower_is_better=True,
    formula="Σ over categories of p·ln(p / ((1 - α)·q + α·p)), p of the history, q of the list",
    paper="steck2018",
)
def calibration(
    lists: RecommendedLists,
    *,
    alpha: Alpha = 0.01,
    divergence: Literal["kl", "js", "hellinger"] = "kl",
    discount: Discount = "none",
    persistence: Persistence = 0.85,
    base: LogBase = math.e,
) -> Floats:
    """Divergence of the categories of the list from those of the user's history; 0 is perfectly calibrated, and lower is better.

    An item of several categories counts for each in equal shares. The divergence is Kullback and Leibler's, with α of p mixed into q,
    Jensen and Shannon's, or Hellinger's distance (the last two without α). NaN for a user without categories in history or list.
    """
    history, weight = lists.history, discounts(lists.rank, discount, persistence)
    taste = _totals(lists.categories, history.user, history.item, np.ones(len(history.user)), history.users)
    p = _shares(np.where(history.place[:, None] >= 0, taste[history.place], 0.0))
    q = _shares(_totals(lists.categories, lists.user, lists.item, weight, lists.users))
    if divergence == "hellinger":
        return np.asarray(np.sqrt(np.maximum(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2, 0)))
    if divergence == "kl":
        return _relative_entropy(p, (1 - alpha) * q + alpha * p) / np.log(base)
    middle = (p + q) / 2
    return (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2 / np.log(base)


@beyond(
    "CategoryEntropy",
    intuition="Category entropy tells how evenly a list is spread over categories: 0 bits if all items are of one. It suits questions "
    "of variety if items have categories but no similarity.",
    latex=r"\mathrm{CategoryEntropy} = -\sum_c q_c \log_2 q_c",
    of="user",
    needs=("categories",),
    range=(0, np.inf),
    formula="-Σ q·log2 q, q the share of the list that a category has",
    paper="shannon1948 ekstrand2020",
)
def category_entropy(
    lists: RecommendedLists, *, base: LogBase = 2.0, discount: Discount = "none", persistence: Persistence = 0.85
) -> Floats:
    """Entropy of the categories of the list, in bits: 0 if all items are of one category.

    An item of several categories counts for each in equal shares. `discount="geometric"` weights ranks (rank-biased entropy). NaN
    for a list without categories.
    """
    weight = discounts(lists.rank, discount, persistence)
    q = _shares(_totals(lists.categories, lists.user, lists.item, weight, lists.users))
    nats = -np.where(q > 0, q * np.log(np.where(q > 0, q, 1.0)), q).sum(axis=1)
    return np.asarray(np.maximum(nats, 0.0) / np.log(base))


def _totals(categories: Floats, user: Ints, item: Ints, weight: Floats, users: int) -> Floats:
    """The total of each category for each user; one category at a time, since interactions may be many."""
    columns = [np.bincount(user, weights=weight * share[item], minlength=users) for share in categories.T]
    return np.stack(columns, axis=1)


def _shares(amount: Floats) -> Floats:
    total = amount.sum(axis=1, keepdims=True)
    return np.divide(amount, total, out=np.full(amount.shape, np.nan), where=total > 0)


def _relative_entropy(p: Floats, q: Floats) -> Floats:
    """Σ p·ln(p / q), 0 where p is 0; never below 0 by rounding."""
    ratio = np.where(p > 0, p, 1.0) / np.where(p > 0, q, 1.0)
    term = np.where(p > 0, p * np.log(ratio), np.where(np.isnan(p), np.nan, 0.0))
    return np.asarray(np.maximum((term + np.where(np.isnan(q), np.nan, 0.0)).sum(axis=1), 0.0))
