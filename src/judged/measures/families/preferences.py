"""Measures of preferences between documents, and of several judges of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, Literal

import numpy as np

from judged._types import Bools, Column, Floats, Ints
from judged.core.judged import Judged
from judged.core.pool import Aspects, Pool
from judged.errors import DataError
from judged.measures.families.binary import average_precision, precision, r_precision
from judged.measures.parameters import Cutoff, Level, Multiple
from judged.measures.registry import measure

_COUNT: dict[str, Any] = {
    "family": "preference",
    "needs": "preferences",
    "summary": "sum",
    "whole": True,
    "paper": "carterette2008",
}
_SHARE: dict[str, Any] = {"family": "preference", "needs": "preferences", "paper": "carterette2008"}
Among = Literal["all", "retrieved", "implied"]


def _by_group(j: Judged, count: Callable[[PreferenceGroup], tuple[int, int]]) -> tuple[Column, Column, Column]:
    """Query, preferences fulfilled and preferences possible, per group."""
    rows = np.array([(group.query, *count(group)) for group in groups(j)], dtype=np.int64).reshape(-1, 3)
    return rows[:, 0], rows[:, 1].astype(float), rows[:, 2].astype(float)


def _by_query(j: Judged, among: Among) -> tuple[Column, Column]:
    """Preferences fulfilled and preferences possible, per query."""
    query, fulfilled, possible = _by_group(j, lambda group: count_fulfilled(group, among))
    return np.bincount(query, fulfilled, len(j)), np.bincount(query, possible, len(j))


def _mean(j: Judged, query: Column, value: Column) -> Column:
    """The mean over the groups of a query; 0 where any of them is undefined (as in trec_eval)."""
    total = np.bincount(query, value, len(j))
    return np.where(total > 0, j.ratio(total, np.bincount(query, minlength=len(j))), 0.0)


# ── counts ───────────────────────────────────────────────────────────────────────────────────────


@measure(
    "NumPrefs",
    intuition="NumPrefs counts the pairs of documents in which a judge prefers one. It describes the judgments and not the ranking.",
    trec="prefs_num_prefs_poss",
    formula="preferences",
    **_COUNT,
)
def number_of_preferences(j: Judged) -> Column:
    """Number of preferences that the judges expressed, or that follow from their grades."""
    return _by_query(j, "all")[1]


@measure(
    "NumPrefsMet",
    intuition="NumPrefsMet counts the preferences that the ranking follows. Divide by NumPrefs, or use Prefs, to compare queries.",
    trec="prefs_num_prefs_ful",
    formula="preferences fulfilled",
    **_COUNT,
)
def number_fulfilled(j: Judged) -> Column:
    """Number of fulfilled preferences: the better document is ranked above, or is the only one retrieved."""
    return _by_query(j, "all")[0]


@measure(
    "NumPrefsMetRet",
    intuition="NumPrefsMetRet counts the preferences that the ranking follows between documents that were both retrieved. It leaves "
    "out preferences that are fulfilled only because the other document is missing.",
    trec="prefs_num_prefs_ful_ret",
    formula="preferences fulfilled among pairs with both documents retrieved",
    **_COUNT,
)
def number_fulfilled_retrieved(j: Judged) -> Column:
    """Number of fulfilled preferences between two retrieved documents."""
    return _by_query(j, "retrieved")[0]


# ── shares ───────────────────────────────────────────────────────────────────────────────────────


@measure(
    "Prefs",
    intuition="Prefs is the share of the judges' preferences (this document rather than that one) that the ranking follows. It suits "
    "judgments made by comparing two documents, which are easier to make than grades.",
    latex=r"\mathrm{Prefs} = \frac{|\{(a, b) \in \mathcal{P} : r_a < r_b\}|}{|\mathcal{P}|}",
    trec="prefs_simp",
    formula="preferences fulfilled / preferences",
    **_SHARE,
)
def preferences(j: Judged, *, among: Among = "all") -> Column:
    """The share of the preferences that the ranking fulfils; every preference has the same weight.

    `among="implied"` excludes pairs without a retrieved document, `among="retrieved"` requires both to be retrieved.
    """
    return j.ratio(*_by_query(j, among))


@measure(
    "PrefsPair",
    intuition="PrefsPair first takes, for each pair of documents, the share of its judges that the ranking agrees with, and then the "
    "mean over pairs. It suits panels in which some pairs were judged by more people than others.",
    latex=r"\mathrm{PrefsPair} = \frac{1}{|\mathcal{D}|} \sum_{\{a, b\} \in \mathcal{D},\ r_a < r_b} \frac{v_{ab}}{v_{ab} + v_{ba}}",
    trec="prefs_pair",
    formula="mean over pairs of documents of the share of their preferences that is fulfilled",
    **_SHARE,
)
def preferences_by_pair(j: Judged, *, among: Among = "all") -> Column:
    """The share of the preferences that the ranking fulfils, averaged over pairs of documents."""
    values = np.zeros(len(j))
    for query, own in groupby(groups(j), key=lambda group: group.query):
        votes = np.zeros((int(j.judgments[query]),) * 2)
        for group in own:
            votes[np.ix_(group.doc, group.doc)] += group.prefers
        values[query] = mean_over_pairs(votes, int(j.hits[query]), among)
    return values


@measure(
    "PrefsAvg",
    intuition="PrefsAvg computes Prefs for each judge and takes the mean, so that every judge has the same weight. It suits judges "
    "who expressed very different numbers of preferences.",
    latex=r"\mathrm{PrefsAvg} = \frac{1}{|J|} \sum_{j \in J} \frac{|\{(a, b) \in \mathcal{P}_j : r_a < r_b\}|}{|\mathcal{P}_j|}",
    trec="prefs_avgjg",
    formula="mean over groups of preferences fulfilled / preferences",
    **_SHARE,
)
def preferences_by_group(j: Judged, *, among: Among = "all") -> Column:
    """The share of the preferences that the ranking fulfils, averaged over the judges."""
    query, fulfilled, possible = _by_group(j, lambda group: count_fulfilled(group, among))
    return _mean(j, query, j.ratio(fulfilled, possible))


@measure(
    "PrefsAvgR",
    intuition="PrefsAvgR is PrefsAvg as if each judge had found as many documents useless as useful. It suits collections in which "
    "very many documents were judged useless, whose easy preferences would outweigh the others.",
    latex=r"\mathrm{PrefsAvgR} = \frac{1}{|J|} \sum_{j \in J} \frac{|\{(a, b) \in \mathcal{B}_j : r_a < r_b\}|}{|\mathcal{B}_j|}",
    trec="prefs_avgjg_Rnonrel",
    formula="PrefsAvg with as many irrelevant documents as relevant ones",
    **_SHARE,
)
def preferences_balanced(j: Judged, *, among: Literal["all", "retrieved"] = "all") -> Column:
    """`PrefsAvg` as if every judge had found as many documents irrelevant as relevant; related to bpref."""
    query, fulfilled, possible = _by_group(j, lambda group: count_balanced(group, among))
    return _mean(j, query, np.divide(fulfilled, possible, out=np.full(len(query), np.nan), where=possible > 0))


def _among(base: Callable[..., Column], among: Among, name: str, trec: str, latex: str, intuition: str) -> None:
    """Declare a measure as another one among some of the pairs."""

    def formula(j: Judged) -> Column:
        return base(j, among=among)

    pairs = {"retrieved": "both documents", "implied": "a document"}[among]
    text = f"{name[:-3]} among pairs with {pairs} retrieved"  # without Ret or Imp
    formula.__name__, formula.__doc__ = f"{base.__name__}_{among}", f"{text}."
    measure(name, trec=trec, formula=text, latex=latex, intuition=intuition, **_SHARE)(formula)


_among(
    preferences,
    "retrieved",
    "PrefsRet",
    "prefs_simp_ret",
    r"\mathrm{PrefsRet} = \frac{|\{(a, b) \in \mathcal{P}_2 : r_a < r_b\}|}{|\mathcal{P}_2|}",
    "PrefsRet is Prefs among documents that were both retrieved: it looks at the order only. Use it beside a measure of "
    "recall, which it ignores.",
)
_among(
    preferences_by_pair,
    "retrieved",
    "PrefsPairRet",
    "prefs_pair_ret",
    r"\mathrm{PrefsPairRet} = \frac{1}{|\mathcal{D}_2|} \sum_{\{a, b\} \in \mathcal{D}_2,\ r_a < r_b} \frac{v_{ab}}{v_{ab} + v_{ba}}",
    "PrefsPairRet is PrefsPair among documents that were both retrieved. It suits comparisons of how two systems order the "
    "documents that they found.",
)
_among(
    preferences_by_group,
    "retrieved",
    "PrefsAvgRet",
    "prefs_avgjg_ret",
    r"\mathrm{PrefsAvgRet} = \frac{1}{|J|} \sum_{j \in J} \frac{|\{(a, b) \in \mathcal{P}_{2,j} : r_a < r_b\}|}{|\mathcal{P}_{2,j}|}",
    "PrefsAvgRet is PrefsAvg among documents that were both retrieved. Every judge has the same weight, and documents that "
    "were not found do not count.",
)
_among(
    preferences_balanced,
    "retrieved",
    "PrefsAvgRRet",
    "prefs_avgjg_Rnonrel_ret",
    r"\mathrm{PrefsAvgRRet} = \frac{1}{|J|} \sum_{j \in J} \frac{|\{(a, b) \in \mathcal{B}_{2,j} : r_a < r_b\}|}{|\mathcal{B}_{2,j}|}",
    "PrefsAvgRRet is PrefsAvgR among documents that were both retrieved. It suits very incomplete judgments, as Bpref does.",
)
_among(
    preferences,
    "implied",
    "PrefsImp",
    "prefs_simp_imp",
    r"\mathrm{PrefsImp} = \frac{|\{(a, b) \in \mathcal{P}_1 : r_a < r_b\}|}{|\mathcal{P}_1|}",
    "PrefsImp is Prefs among pairs of which at least one document was retrieved, since the ranking says nothing about the "
    "others. It suits short rankings.",
)
_among(
    preferences_by_pair,
    "implied",
    "PrefsPairImp",
    "prefs_pair_imp",
    r"\mathrm{PrefsPairImp} = \frac{1}{|\mathcal{D}_1|} \sum_{\{a, b\} \in \mathcal{D}_1,\ r_a < r_b} \frac{v_{ab}}{v_{ab} + v_{ba}}",
    "PrefsPairImp is PrefsPair among pairs of which at least one document was retrieved. It suits short rankings that "
    "several judges compared.",
)
_among(
    preferences_by_group,
    "implied",
    "PrefsAvgImp",
    "prefs_avgjg_imp",
    r"\mathrm{PrefsAvgImp} = \frac{1}{|J|} \sum_{j \in J} \frac{|\{(a, b) \in \mathcal{P}_{1,j} : r_a < r_b\}|}{|\mathcal{P}_{1,j}|}",
    "PrefsAvgImp is PrefsAvg among pairs of which at least one document was retrieved. It suits short rankings if every "
    "judge should have the same weight.",
)


# ── several judges ───────────────────────────────────────────────────────────────────────────────


def _over_judges(j: Judged, formula: Callable[[Judged], Column]) -> Column:
    """The mean of a measure over the judges of each query."""
    total, count = np.zeros(len(j)), np.zeros(len(j))
    for one in judges(j):
        total += formula(one)
        count += one.judgments > 0
    return j.ratio(total, count)


@measure(
    "APAvg",
    intuition="APAvg computes average precision by the judgments of each judge and takes the mean. It suits queries on which judges "
    "disagree, since it needs no decision which of them is right.",
    latex=r"\mathrm{APAvg} = \frac{1}{|J|} \sum_{j \in J} \mathrm{AP}_j",
    family="preference",
    needs="groups",
    trec="map_avgjg",
    formula="mean over judges of AP",
)
def average_precision_by_judge(j: Judged, *, level: Level = 1) -> Column:
    """Average precision, averaged over the judges of a query."""
    return _over_judges(j, lambda one: average_precision(one, level=level))


@measure(
    "PAvg",
    intuition="PAvg computes precision by the judgments of each judge and takes the mean. A document on which judges disagree then "
    "counts in part.",
    latex=r"\mathrm{PAvg}@k = \frac{1}{|J|} \sum_{j \in J} \mathrm{P}_j@k",
    family="preference",
    needs="groups",
    trec="P_avgjg.",
    formula="mean over judges of P@k",
)
def precision_by_judge(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Precision, averaged over the judges of a query."""
    return _over_judges(j, lambda one: precision(one, cutoff=cutoff, level=level))


@measure(
    "RprecAvg",
    intuition="RprecAvg computes R-precision by the judgments of each judge, with that judge's own number of relevant documents, and "
    "takes the mean. It suits judges who differ in how strict they are.",
    latex=r"\mathrm{RprecAvg} = \frac{1}{|J|} \sum_{j \in J} \mathrm{Rprec}_j",
    family="preference",
    needs="groups",
    trec="Rprec_mult_avgjg.",
    formula="mean over judges of Rprec@c",
)
def r_precision_by_judge(j: Judged, *, multiple: Multiple = 1.0, level: Level = 1) -> Column:
    """Precision at a multiple of the number of relevant documents, averaged over the judges of a query."""
    return _over_judges(j, lambda one: r_precision(one, multiple=multiple, level=level))


@dataclass(frozen=True, slots=True)
class PreferenceGroup:
    """Preferences of one judge on one query; documents are in rank order, those not retrieved last."""

    query: int
    doc: Ints  # place among all judged documents of the query, in the same order
    retrieved: int  # number of these documents that were retrieved
    grade: Floats
    prefers: Bools  # row to column
    complete: bool  # one subgroup, hence an order of all documents

    @property
    def relevant(self) -> Bools:
        return self.grade > 0

    @property
    def irrelevant(self) -> Bools:
        return self.grade <= 0 if self.complete else self.grade == 0


def _aspects(j: Judged) -> Aspects:
    assert j.aspects is not None  # `Measure.on` has checked
    return j.aspects


# ── preferences ──────────────────────────────────────────────────────────────────────────────────


def groups(j: Judged) -> Iterator[PreferenceGroup]:
    """Iterate over the preferences of every judge, query by query."""
    aspects = _aspects(j)
    query, place = j.pool_query[aspects.judgment], _places(j)
    turn = (query[1:] != query[:-1]) | (aspects.aspect[1:] != aspects.aspect[:-1])
    edge = np.flatnonzero(np.concatenate([[True], turn, [True]])).tolist() if len(query) else []
    for low, high in pairwise(edge):
        rows, own = slice(low, high), int(query[low])
        doc, at = np.unique(place[aspects.judgment[rows]], return_inverse=True)
        grade = np.empty(len(doc))
        grade[at] = aspects.grade[rows]
        parts = np.unique(aspects.sub[rows])
        if len(parts) == 1:
            prefers = grade[:, None] > grade
        else:
            prefers = _preferences(j, own, at, aspects.sub[rows], aspects.grade[rows])
        yield PreferenceGroup(own, doc, int((doc < j.hits[own]).sum()), grade, prefers, len(parts) == 1)


def _places(j: Judged) -> Ints:
    """Position of each judgment in its query: retrieved documents by rank, then the others by id."""
    rank = np.full(len(j.pool_query), np.inf)
    rank[j.judgment] = j.rank
    by_id = np.arange(len(rank)) if j.pool_doc is None else np.argsort(j.pool_doc.order())
    order = np.lexsort((by_id, rank, j.pool_query))
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - (np.cumsum(j.judgments) - j.judgments)[j.pool_query[order]]
    return place


def _preferences(j: Judged, query: int, at: Ints, sub: Ints, grade: Floats) -> Bools:
    """Return the preferences of the subgroups, with those that follow by transitivity."""
    size, known = int(at.max()) + 1, -1
    prefers = np.zeros((size, size), bool)
    for part in np.unique(sub):
        rows, level = at[sub == part], grade[sub == part]
        prefers[np.ix_(rows, rows)] |= level[:, None] > level
    while known < (total := int(prefers.sum())):
        known, step = total, prefers.astype(np.float32)
        prefers |= step @ step > 0
    if (prefers & prefers.T).any() or np.isin(at[grade > 0], at[grade == 0]).any():
        raise DataError(
            "form",
            f"a judge contradicts themselves in query {j.queries[query]}: a document is both above and below another, "
            "or both relevant and not",
            where=j.names[0],
            hint="put contradicting preferences into different groups",
        )
    return prefers


# ── counting ─────────────────────────────────────────────────────────────────────────────────────


def count_fulfilled(group: PreferenceGroup, among: Among) -> tuple[int, int]:
    """Return the numbers of fulfilled and of possible preferences.

    If one document of a pair is retrieved, it counts as ranked first; if none is, the pair is not fulfilled.
    """
    cut, prefers = group.retrieved, group.prefers
    both, one_way, other_way = prefers[:cut, :cut], prefers[:cut, cut:], prefers[cut:, :cut]
    fulfilled, possible = int(np.triu(both, 1).sum()), int(both.sum())
    if among != "retrieved":
        fulfilled += int(one_way.sum())
        possible += int(one_way.sum() + other_way.sum())
    if among == "all":
        possible += int(prefers[cut:, cut:].sum())
    return fulfilled, possible


def count_balanced(group: PreferenceGroup, among: Among) -> tuple[int, int]:
    """Return the same numbers with as many irrelevant documents as relevant ones, R.

    Missing irrelevant documents are added below all others; of more than R the first R count. If the preferences are a complete
    order, those R are compared with every document, the irrelevant ones and themselves included (as in trec_eval).
    """
    seen = slice(group.retrieved if among == "retrieved" else None)
    extra = int(group.relevant[seen].sum()) - int(group.irrelevant[seen].sum())
    if extra >= 0:
        fulfilled, possible = count_fulfilled(group, among)
        found, relevant = int(group.relevant[: group.retrieved].sum()), int(group.relevant.sum())
        return fulfilled + found * extra, possible + relevant * extra
    if group.complete:
        last = group.grade == group.grade.min()
        prefers = group.prefers & ~last
        prefers[:, last & (np.cumsum(last) <= group.relevant[seen].sum())] = True
    else:
        kept = ~group.irrelevant | (np.cumsum(group.irrelevant) <= group.relevant.sum())
        prefers = group.prefers & kept & kept[:, None]
    return count_fulfilled(replace(group, prefers=prefers), among)


def mean_over_pairs(votes: Floats, retrieved: int, among: Among) -> float:
    """Return the mean, over pairs of documents, of the share of votes that the ranking fulfils."""
    pair = np.triu((votes > 0) | (votes.T > 0))
    seen, other = slice(retrieved), slice(retrieved, None)
    blocks = [(seen, seen), (seen, other), (other, other)][: {"retrieved": 1, "implied": 2, "all": 3}[among]]
    fulfilled = [_shares(votes[block], votes.T[block], pair[block]) for block in blocks[:2]]
    added = np.add.accumulate(np.concatenate([[0.0], *fulfilled]))[-1]
    count = sum(int(pair[block].sum()) for block in blocks)
    return float(added) / count if count else 0.0


def _shares(ours: Floats, others: Floats, pair: Bools) -> Floats:
    return ours[pair] / (ours[pair] + others[pair])


# ── several judges ───────────────────────────────────────────────────────────────────────────────


def judges(j: Judged) -> Iterator[Judged]:
    """Yield the ranking with the judgments of the first judge of each query, then of the second, and so on."""
    aspects = _aspects(j)
    for number in range(int(aspects.aspect.max(initial=-1)) + 1):
        rows = np.flatnonzero(aspects.aspect == number)
        rows = rows[np.lexsort((-aspects.grade[rows], j.pool_query[aspects.judgment[rows]]))]
        grade, place = aspects.grade[rows], np.full(len(j.pool_query), -1)
        place[aspects.judgment[rows]] = np.arange(len(rows))
        hit = place[j.judgment] >= 0
        judgment = place[j.judgment[hit]]
        one = replace(
            j,
            query=j.query[hit],
            rank=j.rank[hit],
            grade=grade[judgment],
            judgment=judgment,
            tie_first=j.tie_first[hit],
            tie_last=j.tie_last[hit],
            pool=Pool(queries=j.queries, query=j.pool_query[aspects.judgment[rows]], grade=grade),
        )
        yield one.condensed() if j.policy.unjudged == "condensed" else one
