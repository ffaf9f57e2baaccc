"""Fairness: whether groups of items, their categories, are recommended in proportion. Measures of the whole run."""

from __future__ import annotations

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.measures.parameters import Persistence
from judged.recommenders.lists import Discount, RecommendedLists, discounts
from judged.recommenders.registry import beyond

_ZHU = "zhu2020"


@beyond(
    "RSP",
    intuition="RSP compares groups of items: how often an item of each group is recommended, of all the times it could have been. It "
    "suits checks of fairness to groups of providers if every group deserves the same exposure.",
    latex=r"\mathrm{RSP} = \frac{\mathrm{std}_c(\pi_c)}{\mathrm{mean}_c(\pi_c)},\quad \pi_c = \frac{\text{recommendations of items of } c}{\text{possible ones}}",
    of="run",
    needs=("categories",),
    range=(0, np.inf),
    aliases=("StatisticalParity", "RankingStatisticalParity"),
    lower_is_better=True,
    formula="standard deviation / mean over categories of recommendations of its items / recommendations that were possible",
    paper=_ZHU,
)
def statistical_parity(
    lists: RecommendedLists, *, discount: Discount = "none", persistence: Persistence = 0.85
) -> float:
    """Relative spread over categories of the probability that an item is recommended; 0 is the same for all, and lower is better.

    With a history, items that a user already has could not be recommended to the user. With a `discount` the exposure of an item is
    compared instead, as in demographic parity of exposure (Singh and Joachims, KDD 2018). An item of several categories counts in each.
    """
    member = lists.categories > 0
    possible = lists.users * member.sum(axis=0).astype(float)
    if lists.interactions is not None:
        possible -= _count(member, lists.own_pairs[1])
    return _spread(_count(member, lists.item, discounts(lists.rank, discount, persistence)), possible)


@beyond(
    "REO",
    intuition="REO compares groups of items: how many of the items of each group that users want are recommended to them. It suits "
    "checks of fairness if exposure should follow what users like.",
    latex=r"\mathrm{REO} = \frac{\mathrm{std}_c(\pi_c)}{\mathrm{mean}_c(\pi_c)},\quad \pi_c = \frac{\text{relevant recommendations of items of } c}{\text{relevant items of } c}",
    of="run",
    needs=("categories", "qrels"),
    range=(0, np.inf),
    aliases=("EqualOpportunity", "RankingEqualOpportunity"),
    lower_is_better=True,
    formula="standard deviation / mean over categories of relevant recommendations of its items / relevant items",
    paper=_ZHU,
)
def equal_opportunity(lists: RecommendedLists) -> float:
    """Relative spread over categories of the share of relevant items that are recommended; 0 is the same for all, and lower is better.

    Categories without a relevant item are left out. An item of several categories counts in each.
    """
    member = lists.categories > 0
    return _spread(_count(member, lists.item[lists.relevant]), _count(member, lists.relevant_pairs[1]))


@beyond(
    "BiasDisparity",
    intuition="Bias disparity tells how much the recommendations shift the shares of the categories away from what users chose "
    "themselves. It suits the question whether a system amplifies a preference that is in its data.",
    latex=r"\mathrm{BiasDisparity} = \frac{1}{|C|} \sum_{c \in C} \frac{|q_c - p_c|}{p_c}",
    of="run",
    needs=("history", "categories"),
    range=(0, np.inf),
    lower_is_better=True,
    formula="mean over categories of |r - s| / s, r the share of the category in the lists, s in the histories of the same users",
    paper="tsintzou2019",
)
def bias_disparity(lists: RecommendedLists) -> float:
    """Mean relative change of the share of a category from histories to recommendations; 0 is no change, and lower is better.

    Categories that are in no history are left out. Slices of users give the disparity of each group.
    """
    ours, theirs = (_count(lists.categories, item) for item in (lists.item, lists.own_pairs[1]))
    known = theirs > 0
    if not known.any() or not ours.any():
        return float("nan")
    before = theirs[known] / theirs.sum()
    return float(np.mean(np.abs(ours[known] / ours.sum() - before) / before))


def _count(member: Floats | Bools, item: Ints, weight: Floats | None = None) -> Floats:
    """The weighted number of rows of each category."""
    amount = np.bincount(item, weights=weight, minlength=len(member)).astype(float)
    return np.asarray(amount @ member, dtype=float)


def _spread(amount: Floats, possible: Floats) -> float:
    """The standard deviation of the ratios over their mean; NaN if all are 0 or there are none."""
    share = amount[possible > 0] / possible[possible > 0]
    mean = share.mean() if len(share) else 0.0
    return float(share.std() / mean) if mean > 0 else float("nan")
