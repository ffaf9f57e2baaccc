"""Measures beyond accuracy: declared by `@beyond` in the registry of all measures, and listed in `BEYOND`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.errors import Hint, UsageError, Wording
from judged.measures.parameters import Flag, Persistence, Share
from judged.measures.registry import MEASURES, Measure, measure, parse_all
from judged.recommenders.lists import By, Discount, RecommendedLists, discounts

Formula = Callable[..., Any]  # from `RecommendedLists` and parameters to values


def beyond(
    name: str, *, arguments: str = "", range: tuple[float, float] = (0.0, np.inf), **declared: Any
) -> Callable[[Formula], Formula]:
    """Declare the function below it as a measure: from `RecommendedLists` to one value per user, or to one of the run."""
    return measure(name, needs="recommendations", arguments=tuple(arguments.split()), range=range, **declared)


def parse_beyond(names: str | Measure | Iterable[str | Measure], k: int) -> list[Measure]:
    """Parse names of measures beyond accuracy: one, several separated by blanks, or a list. `k` is the cutoff of those without one.

    >>> parse_beyond("Coverage Popularity(by=users)@5", 10)
    [Coverage@10, Popularity(by='users')@5]
    """
    measures = parse_all(names)
    other = next((m for m in measures if m.definition.needs != "recommendations"), None)
    if other is not None:
        hint = Hint("use {evaluate}", evaluate=Wording("jd.evaluate", "judged eval"))
        raise UsageError("measure", f"{other} is a measure of relevance", hint=hint, value=str(other))
    if not measures:
        raise UsageError("measure", "no beyond-accuracy measure given", hint="name one, such as Coverage")
    return [m if m.get("cutoff") else m @ k for m in measures]


def values_of(measure: Measure, lists: RecommendedLists) -> Floats:
    """Return one value per user, or a single one of the whole run."""
    params = dict(measure.given)
    cut = lists.cut(params.pop("cutoff"))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.array(measure.definition.function(cut, **params), dtype=float, ndmin=1)


# ── concentration on items: of the whole run ─────────────────────────────────────────────────────────


@beyond(
    "Coverage",
    intuition="Coverage is the share of the catalogue that at least one user got to see. It suits shops and libraries that want their "
    "whole range to be found; it says nothing about how often an item is shown.",
    latex=r"\mathrm{Coverage} = \frac{\left|\bigcup_u L_u\right|}{|I|}",
    of="run",
    arguments="items",
    range=(0.0, 1.0),
    aliases=("CatalogCoverage", "CatalogueCoverage", "ItemCoverage"),
    formula="distinct items recommended / items of the catalogue",
    paper="ge2010",
)
def coverage(lists: RecommendedLists) -> float:
    """Share of the catalogue that was recommended to any user."""
    return len(np.unique(lists.item)) / lists.side["items"]


@beyond(
    "UserCoverage",
    intuition="User coverage is the share of the users to whom the system can recommend anything. It suits systems that fail for new "
    "users: their other values hide the users without a list.",
    latex=r"\mathrm{UserCoverage} = \frac{|\{u \in U : L_u \ne \emptyset\}|}{|U|}",
    of="run",
    arguments="history",
    range=(0.0, 1.0),
    formula="users with recommendations / users of the history or the run",
    paper="anelli2021",
)
def user_coverage(lists: RecommendedLists, *, full: Flag = False) -> float:
    """Share of the users who get recommendations; with `full=True`, all k of them. In slices, the share is of all users."""
    size = np.bincount(lists.user, minlength=lists.users)
    return int((size >= (lists.k if full else 1)).sum()) / lists.side["history"].population


@beyond(
    "Distinct",
    intuition="Distinct counts the different items that were recommended to anybody. It is coverage as a plain number, and suits "
    "catalogues of unknown size.",
    latex=r"\mathrm{Distinct} = \left|\bigcup_u L_u\right|",
    of="run",
    range=(1.0, np.inf),
    whole=True,
    aliases=("AggregateDiversity", "DistinctItems"),
    formula="distinct items recommended",
    paper="adomavicius2012",
)
def distinct(lists: RecommendedLists) -> int:
    """Number of distinct items recommended, over all users."""
    return len(np.unique(lists.item))


@beyond(
    "Gini",
    intuition="Gini tells how unequally recommendations are spread over items: 0 if each is shown equally often, near 1 if a few get "
    "nearly all. It suits market places, in which every seller should have a chance.",
    latex=r"\mathrm{Gini} = \frac{\sum_{i=1}^{n} (2i - n - 1)\,x_{(i)}}{n \sum_{i=1}^{n} x_{(i)}}",
    of="run",
    arguments="items",
    range=(0.0, 1.0),
    aliases=("GiniIndex", "ListGini"),
    lower_is_better=True,
    formula="Σ (2i - n - 1)·x(i) / (n·Σ x), x(1) ≤ … ≤ x(n) the recommendations of each item",
    paper="gini1912 adomavicius2012",
)
def gini(lists: RecommendedLists) -> float:
    """Inequality of recommendations over the items of the catalogue: 0 if all get the same number, near 1 if a few get all."""
    return exposure_gini(lists, discount="none")


@beyond(
    "ExposureGini",
    intuition="ExposureGini tells how unequally attention is spread over items: the first ranks of a list get most of "
    "it. It suits long lists, of which users mainly see the top.",
    latex=r"\mathrm{ExposureGini} = \frac{\sum_{i=1}^{n} (2i - n - 1)\,x_{(i)}}{n \sum_{i=1}^{n} x_{(i)}},\quad x_i = \sum_{u : i \in L_u} \frac{1}{\log_2(r_{u,i} + 1)}",
    of="run",
    arguments="items",
    range=(0.0, 1.0),
    lower_is_better=True,
    formula="Gini of Σ discount(rank) over the recommendations of each item",
    paper="diaz2020",
)
def exposure_gini(lists: RecommendedLists, *, discount: Discount = "log2", persistence: Persistence = 0.85) -> float:
    """Inequality of exposure over items, with more exposure at the first ranks.

    The discount of rank r is log2 (1 / log2(r + 1)), geometric (persistence^(r - 1)) or none.
    """
    weight = discounts(lists.rank, discount, persistence)
    every, n = np.bincount(lists.item, weights=weight), lists.side["items"]
    exposure = every[every > 0]
    place = np.arange(n - len(exposure) + 1, n + 1)  # the other items have 0
    return ((2 * place - n - 1) * np.sort(exposure)).sum() / (n * exposure.sum())


@beyond(
    "Entropy",
    intuition="Entropy tells how hard it is to guess which item a random recommendation shows: 0 bits if it is always the same one. "
    "It suits the same questions as Gini, and needs no catalogue.",
    latex=r"\mathrm{Entropy} = -\sum_i p_i \log_2 p_i",
    of="run",
    aliases=("ShannonEntropy",),
    formula="-Σ p·log2 p, p the share of all recommendations that an item has",
    paper="shannon1948 adomavicius2012",
)
def entropy(lists: RecommendedLists) -> float:
    """Entropy of recommendations over items, in bits."""
    share = np.unique(lists.item, return_counts=True)[1] / len(lists.item)
    return max(-(share * np.log(share)).sum() / np.log(2.0), 0.0)


# ── fairness to groups of items: of the whole run ────────────────────────────────────────────────────


@beyond(
    "RSP",
    intuition="RSP compares groups of items by how often their items are recommended, of all the times they could have been. It "
    "suits checks of fairness to groups of providers if every group deserves the same exposure.",
    latex=r"\mathrm{RSP} = \frac{\mathrm{std}_c(\pi_c)}{\mathrm{mean}_c(\pi_c)},\quad \pi_c = \frac{\text{recommendations of items of } c}{\text{possible ones}}",
    of="run",
    arguments="categories",
    aliases=("StatisticalParity", "RankingStatisticalParity"),
    lower_is_better=True,
    formula="standard deviation / mean over categories of recommendations of its items / recommendations that were possible",
    paper="zhu2020",
)
def statistical_parity(lists: RecommendedLists) -> float:
    """Relative spread over categories of the probability that an item is recommended; 0 is the same for all, and lower is better.

    With a history, items that a user already has could not be recommended to the user. An item of several categories counts in each.
    """
    member = lists.side["categories"] > 0
    possible = lists.users * member.sum(axis=0)
    if "history" in lists.side:
        possible -= _count(member, lists.side["history"].own)
    return _spread(_count(member, lists.item), possible)


@beyond(
    "REO",
    intuition="REO compares groups of items by how many of the items that users want are recommended to them. It suits "
    "checks of fairness if exposure should follow what users like.",
    latex=r"\mathrm{REO} = \frac{\mathrm{std}_c(\pi_c)}{\mathrm{mean}_c(\pi_c)},\quad \pi_c = \frac{\text{relevant recommendations of items of } c}{\text{relevant items of } c}",
    of="run",
    arguments="categories qrels",
    aliases=("EqualOpportunity", "RankingEqualOpportunity"),
    lower_is_better=True,
    formula="standard deviation / mean over categories of relevant recommendations of its items / relevant items",
    paper="zhu2020",
)
def equal_opportunity(lists: RecommendedLists) -> float:
    """Relative spread over categories of the share of relevant items that are recommended; 0 is the same for all, and lower is better.

    Categories without a relevant item are left out. An item of several categories counts in each.
    """
    member = lists.side["categories"] > 0
    return _spread(_count(member, lists.item[lists.relevant]), _count(member, lists.side["qrels"][1]))


def _count(member: Bools, item: Ints) -> Ints:
    """The number of rows of each category."""
    return np.bincount(item, minlength=len(member)) @ member


def _spread(amount: Ints, possible: Ints) -> float:
    """The standard deviation of the ratios over their mean; NaN if all are 0 or there are none."""
    share = amount[possible > 0] / possible[possible > 0]
    return share.std() / share.mean() if share.any() else np.nan


# ── popularity and novelty: of each list ─────────────────────────────────────────────────────────────


@beyond(
    "Popularity",
    intuition="Popularity is the average number of interactions of the recommended items. A high value warns that the system mainly "
    "recommends what everybody knows.",
    latex=r"\mathrm{Popularity} = \frac{1}{|L|} \sum_{i \in L} n_i",
    arguments="history",
    aliases=("AveragePopularity",),
    lower_is_better=True,
    formula="mean over the list of the interactions that an item has",
    paper="yin2012",
)
def popularity(lists: RecommendedLists, *, by: By = "interactions") -> Floats:
    """Mean popularity of the recommended items: their interactions or their users.

    Lower means less biased towards popular items, which is not always better.
    """
    return lists.per_user(lists.side["history"].popularity[by][lists.item])


@beyond(
    "PopularityRank",
    intuition="PopularityRank places each recommended item on a scale from the least to the most popular item of the data. It suits "
    "comparisons between datasets, since it does not depend on the number of interactions.",
    latex=r"\mathrm{PopularityRank} = \frac{1}{|L|} \sum_{i \in L} \frac{\rho_i}{m}",
    arguments="history",
    range=(0.0, 1.0),
    aliases=("MeanPopRank", "Obscurity"),
    lower_is_better=True,
    formula="mean over the list of rank / items of the history, rank 1 the least popular; 0 for an item without users",
    paper="ekstrand2017",
)
def popularity_rank(lists: RecommendedLists) -> Floats:
    """Mean popularity of the recommended items as a quantile: 1 for the most popular item. Equally popular ones have their mean rank.

    Only items with interactions are ranked, also if `items` lists more.
    """
    count = lists.side["history"].popularity["users"]
    ordered = np.sort(count[count > 0])
    rank = (np.searchsorted(ordered, count, "left") + np.searchsorted(ordered, count, "right") + 1) / 2
    return lists.per_user(np.where(count > 0, rank / len(ordered), 0.0)[lists.item])


TailOf = Literal["interactions", "items"]


def _tail(lists: RecommendedLists, head: float, of: TailOf) -> Bools:
    """True for rows outside the most popular items that together have the share `head`; of equally popular ones the first are head."""
    count = lists.side["history"].popularity["users"]
    order = np.argsort(-count, kind="stable")
    size = count[order] if of == "interactions" else (count[order] > 0).astype(float)
    before = np.cumsum(size) - size
    tail = np.ones(lists.items, bool)
    tail[order] = (before >= head * size.sum() * (1 - 1e-12)) | (count[order] == 0)
    return tail[lists.item]


@beyond(
    "TailShare",
    intuition="TailShare is the share of a list that is outside the few best sellers. It suits shops that earn money with the long "
    "tail of rare items.",
    latex=r"\mathrm{TailShare} = \frac{|L \cap T|}{|L|}",
    arguments="history",
    range=(0.0, 1.0),
    aliases=("APLT", "TailPercentage"),
    formula="items of the list in the long tail / its length",
    paper="abdollahpouri2017",
)
def tail_share(lists: RecommendedLists, *, head: Share = 0.8, of: TailOf = "interactions") -> Floats:
    """Share of the list that is in the long tail: not among the most popular items with `head` of all interactions, or of all items.

    A user counts once per item. Elliot has 80% of the interactions, RecBole 90% of the items (`TailShare(head=0.9, of='items')`).
    """
    return lists.per_user(_tail(lists, head, of))


@beyond(
    "TailCount",
    intuition="TailCount is the number of items of a list that are outside the few best sellers. It is TailShare as a plain number, "
    "for lists of one length.",
    latex=r"\mathrm{TailCount} = |L \cap T|",
    arguments="history",
    aliases=("ACLT",),
    formula="items of the list in the long tail",
    paper="abdollahpouri2017",
)
def tail_count(lists: RecommendedLists, *, head: Share = 0.8, of: TailOf = "interactions") -> Floats:
    """Number of items of the list in the long tail; see TailShare."""
    return lists.total(_tail(lists, head, of))


@beyond(
    "Novelty",
    intuition="Novelty tells how surprising the recommended items are: an item that half of the users have brings 1 bit, one that "
    "every thousandth has about 10. It suits systems that should show things which users do not know yet.",
    latex=r"\mathrm{Novelty} = -\frac{1}{|L|} \sum_{i \in L} \log_2 p_i",
    arguments="history",
    aliases=("SelfInformation", "MIUF"),
    formula="mean over the list of -log2 p, p the share of users who have the item",
    paper="zhou2010 vargas2011",
)
def novelty(
    lists: RecommendedLists,
    *,
    by: By = "users",
    form: Literal["surprisal", "complement"] = "surprisal",
    discount: Discount = "none",
    relevant: Flag = False,
) -> Floats:
    """Mean self-information of the recommended items, in bits.

    `form="complement"` uses 1 - p instead (EPC); `by="interactions"` uses p as a share of all interactions (EFD). `discount` weights
    ranks, `relevant=True` counts only relevant items, over the weight of the whole list: both as Vargas and Castells do. The
    self-information of an item without users would be infinite: it counts as if it had one.
    """
    history = lists.side["history"]
    count, total = history.popularity[by][lists.item], history.total[by]
    value = 1 - count / total if form == "complement" else np.log(total / np.maximum(count, 1)) / np.log(2.0)
    return lists.per_user(value * lists.relevant if relevant else value, discounts(lists.rank, discount))


# ── diversity: of each list ──────────────────────────────────────────────────────────────────────────


@beyond(
    "ILS",
    intuition="ILS tells how similar the items of one list are to each other; lower values mean more variety. It suits lists in which "
    "near duplicates annoy users, such as news and music.",
    latex=r"\mathrm{ILS} = \frac{2}{|L|\,(|L| - 1)} \sum_{i < j} \mathrm{sim}(i, j)",
    arguments="vectors",
    range=(-1.0, 1.0),
    aliases=("IntraListSimilarity",),
    lower_is_better=True,
    formula="mean over pairs of the list of their similarity",
    paper="smyth2001 ziegler2005",
)
def intra_list_similarity(lists: RecommendedLists) -> Floats:
    """Mean similarity of two items of a list; NaN for a list with fewer than two items that have a similarity. 1 - ILS is the diversity (ILD)."""
    similarity, described = lists.side["vectors"]
    total, pairs = np.zeros(lists.users), np.zeros(lists.users)
    for distance in range(1, int(lists.rank.max(initial=0))):  # between the two items of a pair
        upper, lower = lists.item[:-distance], lists.item[distance:]
        known = (lists.user[:-distance] == lists.user[distance:]) & described[upper] & described[lower]
        user = lists.user[:-distance][known]
        np.add.at(total, user, similarity(upper[known], lower[known]))
        np.add.at(pairs, user, 1)
    return total / np.where(pairs > 0, pairs, np.nan)


# ── categories: of each list ─────────────────────────────────────────────────────────────────────────


@beyond(
    "CategoryEntropy",
    intuition="Category entropy tells how evenly a list is spread over categories: 0 bits if all items are of one. It suits questions "
    "of variety if items have categories but no similarity.",
    latex=r"\mathrm{CategoryEntropy} = -\sum_c q_c \log_2 q_c",
    arguments="categories",
    formula="-Σ q·log2 q, q the share of the list that a category has",
    paper="shannon1948 ekstrand2020",
)
def category_entropy(
    lists: RecommendedLists, *, discount: Discount = "none", persistence: Persistence = 0.85
) -> Floats:
    """Entropy of the categories of the list, in bits: 0 if all items are of one category.

    An item of several categories counts for each in equal shares. `discount="geometric"` weights ranks (rank-biased entropy). NaN
    for a list without categories.
    """
    weight = discounts(lists.rank, discount, persistence)
    amount = np.stack([lists.total(weight * share[lists.item]) for share in lists.side["categories"].T], axis=1)
    q = amount / amount.sum(axis=1, keepdims=True)
    nats = -np.where(q == 0, 0.0, q * np.log(q)).sum(axis=1)
    return np.maximum(nats, 0.0) / np.log(2.0)


BEYOND = tuple(d for d in MEASURES if d.needs == "recommendations")
