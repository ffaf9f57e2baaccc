"""Concentration of recommendations on items: measures of the whole run."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Floats
from judged.measures.parameters import Flag, Persistence
from judged.recommenders.lists import Discount, RecommendedLists, discounts
from judged.recommenders.registry import LogBase, beyond

Over = Literal["catalogue", "recommended"]


@beyond(
    "Coverage",
    intuition="Coverage is the share of the catalogue that at least one user got to see. It suits shops and libraries that want their "
    "whole range to be found; it says nothing about how often an item is shown.",
    latex=r"\mathrm{Coverage} = \frac{\left|\bigcup_u L_u\right|}{|I|}",
    of="run",
    needs=("items",),
    range=(0, 1),
    aliases=("CatalogCoverage", "CatalogueCoverage", "ItemCoverage"),
    formula="distinct items recommended / items of the catalogue",
    paper="ge2010",
)
def coverage(lists: RecommendedLists) -> float:
    """Share of the catalogue that was recommended to any user."""
    return len(lists.recommended) / lists.catalogue


@beyond(
    "UserCoverage",
    intuition="User coverage is the share of the users to whom the system can recommend anything. It suits systems that fail for new "
    "users: their other values hide the users without a list.",
    latex=r"\mathrm{UserCoverage} = \frac{|\{u \in U : L_u \ne \emptyset\}|}{|U|}",
    of="run",
    needs=("history",),
    range=(0, 1),
    formula="users with recommendations / users of the history or the run",
    paper="anelli2021",
)
def user_coverage(lists: RecommendedLists, *, full: Flag = False) -> float:
    """Share of the users who get recommendations; with `full=True`, all k of them. In slices, the share is of all users."""
    served = int((lists.size >= (lists.k if full else 1)).sum())
    return served / (lists.history.users + int((lists.history.place < 0).sum()))


@beyond(
    "Distinct",
    intuition="Distinct counts the different items that were recommended to anybody. It is coverage as a plain number, and suits "
    "catalogues of unknown size.",
    latex=r"\mathrm{Distinct} = \left|\bigcup_u L_u\right|",
    of="run",
    range=(1, np.inf),
    whole=True,
    aliases=("AggregateDiversity", "DistinctItems"),
    formula="distinct items recommended",
    paper="adomavicius2012",
)
def distinct(lists: RecommendedLists) -> float:
    """Number of distinct items recommended, over all users."""
    return float(len(lists.recommended))


@beyond(
    "Gini",
    intuition="Gini tells how unequally recommendations are spread over items: 0 if each is shown equally often, near 1 if a few get "
    "nearly all. It suits market places, in which every seller should have a chance.",
    latex=r"\mathrm{Gini} = \frac{\sum_{i=1}^{n} (2i - n - 1)\,x_{(i)}}{n \sum_{i=1}^{n} x_{(i)}}",
    of="run",
    needs=("items",),
    range=(0, 1),
    aliases=("GiniIndex", "ListGini"),
    lower_is_better=True,
    formula="Σ (2i - n - 1)·x(i) / (n·Σ x), x(1) ≤ … ≤ x(n) the recommendations of each item",
    paper="gini1912 adomavicius2012",
)
def gini(lists: RecommendedLists, *, over: Over = "catalogue") -> float:
    """Inequality of recommendations over items: 0 if all get the same number, near 1 if a few get all.

    `over="recommended"` ignores items that were never recommended.
    """
    return gini_of(lists.per_item(np.ones(len(lists.item))), _count(lists, over))


@beyond(
    "ExposureGini",
    intuition="ExposureGini is Gini of attention rather than of recommendations: the first ranks of a list give an item more of it. "
    "It suits long lists, of which users see mainly the top.",
    latex=r"\mathrm{ExposureGini} = \frac{\sum_{i=1}^{n} (2i - n - 1)\,x_{(i)}}{n \sum_{i=1}^{n} x_{(i)}},\quad x_i = \sum_{u : i \in L_u} \frac{1}{\log_2(r_{u,i} + 1)}",
    of="run",
    needs=("items",),
    range=(0, 1),
    lower_is_better=True,
    formula="Gini of Σ discount(rank) over the recommendations of each item",
    paper="diaz2020",
)
def exposure_gini(
    lists: RecommendedLists, *, over: Over = "catalogue", discount: Discount = "log2", persistence: Persistence = 0.85
) -> float:
    """Inequality of exposure over items, with more exposure at the first ranks.

    The discount of rank r is log2 (1 / log2(r + 1)), reciprocal (1 / r), geometric (persistence^(r - 1)) or none.
    """
    return gini_of(lists.per_item(discounts(lists.rank, discount, persistence)), _count(lists, over))


@beyond(
    "Entropy",
    intuition="Entropy tells how hard it is to guess which item a random recommendation shows: 0 bits if it is always the same one. "
    "It suits the same questions as Gini, and needs no catalogue.",
    latex=r"\mathrm{Entropy} = -\sum_i p_i \log_2 p_i",
    of="run",
    range=(0, np.inf),
    aliases=("ShannonEntropy",),
    formula="-Σ p·log2 p, p the share of all recommendations that an item has",
    paper="shannon1948 adomavicius2012",
)
def entropy(lists: RecommendedLists, *, base: LogBase = 2.0, norm: Literal["none", "catalogue"] = "none") -> float:
    """Entropy of recommendations over items, in bits; `norm="catalogue"` divides by the logarithm of its size, for values from 0 to 1."""
    share = lists.per_item(np.ones(len(lists.item))) / len(lists.item)
    bits = float(-(share * np.log(share)).sum()) / np.log(base)
    if norm == "none":
        return max(bits, 0.0)
    return max(bits, 0.0) / (np.log(lists.catalogue) / np.log(base)) if lists.catalogue > 1 else 0.0


@beyond(
    "Personalisation",
    intuition="Personalisation takes the lists of two random users and asks how much they differ. A system that shows everybody the "
    "most popular items has 0.",
    latex=r"\mathrm{Personalisation} = 1 - \frac{2}{|U|\,(|U| - 1)} \sum_{u < v} \frac{|L_u \cap L_v|}{k}",
    of="run",
    range=(0, 1),
    aliases=("Personalization", "InterUserDiversity"),
    formula="1 - mean over pairs of users of items in both lists / k",
    paper="zhou2010",
)
def personalisation(lists: RecommendedLists) -> float:
    """Mean dissimilarity of the lists of two users: 0 if all get the same k items."""
    times = lists.per_item(np.ones(len(lists.item)))
    pairs = lists.users * (lists.users - 1) / 2
    shared = float((times * (times - 1) / 2).sum())
    return 1 - shared / (pairs * lists.k) if pairs else float("nan")


def gini_of(x: Floats, count: int | None = None) -> float:
    """The Gini coefficient of non-negative amounts, padded with zeros to `count`.

    >>> gini_of(np.array([1.0, 3.0]))
    0.25
    """
    n = len(x) if count is None else count
    place = np.arange(n - len(x) + 1, n + 1)
    total = float(x.sum())
    return float(((2 * place - n - 1) * np.sort(x)).sum()) / (n * total) if total > 0 else float("nan")


def _count(lists: RecommendedLists, over: Over) -> int:
    return lists.catalogue if over == "catalogue" else len(lists.recommended)
