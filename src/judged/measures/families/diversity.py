"""Measures of novelty and diversity: a query has subtopics, and each document covers some of them.

Subtopics for which nothing is relevant do not count. The conventions are those of ndeval, the program of the
TREC Web tracks, without its limit to the first twenty ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Column, Ints
from judged.core import segments
from judged.core.judged import Judged
from judged.measures.families.cwl import Weight, sum_weights
from judged.measures.families.sets import size_of
from judged.measures.parameters import Cutoff, Flag, Level, Share
from judged.measures.registry import measure

_CLARKE = "clarke2008"
_AGRAWAL = "agrawal2009"


@dataclass(frozen=True, slots=True)
class _Subtopics:
    """Pairs of a relevant judgment and a subtopic that it covers; subtopics are numbered over all queries."""

    judgment: Ints
    subtopic: Ints
    owner: Ints  # per subtopic: its query
    size: Ints  # per subtopic: its relevant documents
    count: Ints  # per query: its subtopics


def _subtopics(j: Judged, level: Level) -> _Subtopics:
    assert j.aspects is not None  # `needs` is checked before a formula is called
    kept = (j.aspects.grade >= level) & (j.aspects.grade >= 0)
    judgment, aspect = j.aspects.judgment[kept], j.aspects.aspect[kept]
    query = j.pool_query[judgment]
    new = np.ones(len(query), bool)
    new[1:] = (query[1:] != query[:-1]) | (aspect[1:] != aspect[:-1])
    subtopic = np.cumsum(new) - 1
    owner = query[new]
    return _Subtopics(judgment, subtopic, owner, np.bincount(subtopic), np.bincount(owner, minlength=len(j)))


def _cover(j: Judged, served: _Subtopics) -> tuple[Ints, Ints, Ints]:
    """Return, for each pair of a hit and a subtopic that it covers: the hit, the subtopic, and the number of hits above that cover it."""
    hit_of = np.full(len(j.pool_query), -1)
    hit_of[j.judgment] = np.arange(len(j.judgment))
    hit, subtopic = hit_of[served.judgment], served.subtopic
    hit, subtopic = hit[hit >= 0], subtopic[hit >= 0]
    order = np.lexsort((hit, subtopic))
    hit, subtopic = hit[order], subtopic[order]
    return hit, subtopic, segments.positions(np.bincount(subtopic))


def _novelty(j: Judged, served: _Subtopics, alpha: Share) -> Column:
    """Gain of each hit: the sum of (1 - α)^(hits above that cover it) over the subtopics that the hit covers."""
    hit, _, above = _cover(j, served)
    return j.column("gain", np.bincount(hit, (1.0 - alpha) ** above, len(j.query)))


def _sum(j: Judged, served: _Subtopics, alpha: Share, weight: Weight, cutoff: Cutoff = None) -> Column:
    worth = _novelty(j, served, alpha) * j.column("weight", weight(j.rank.astype(float)))
    return j.total(j.column("term", np.where(j.within(cutoff), worth, 0.0)))


def _share(j: Judged, top: Column, bottom: Column) -> Column:
    """Ratio of at most 1: rounding, or a ranking that beats the greedy ideal, cannot exceed it."""
    return np.minimum(j.ratio(top, bottom), 1.0)


# ── normalised by a ranking in which every document covers every subtopic ────────────────────────


def _of_the_best(j: Judged, level: Level, alpha: Share, weight: Weight, cutoff: Cutoff) -> Column:
    served = _subtopics(j, level)
    best = sum_weights(lambda rank: (1.0 - alpha) ** (rank - 1.0) * weight(rank), size_of(j, cutoff))
    return _share(j, _sum(j, served, alpha, weight, cutoff), served.count * best)


def _log(rank: Column) -> Column:
    return 1.0 / np.log2(rank + 1.0)


@measure(
    "alpha_DCG",
    intuition="alpha-DCG rewards rankings that cover many aspects of an ambiguous query, and a document earns less for an aspect that "
    "was covered above. It is divided by what k documents that cover everything would earn, so values are low but need no "
    "ideal ranking.",
    latex=r"\mathrm{alpha\_DCG}@k = \frac{\sum_{r=1}^{k} \nu_r / \log_2(r + 1)}{|S| \sum_{r=1}^{k} (1-\alpha)^{r-1} / \log_2(r + 1)},\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    family="diversity",
    aliases=("α_DCG", "α-DCG"),
    needs="subtopics",
    laws="unit cutoff tail",
    paper=_CLARKE,
    formula="Σ over ranks r down to k of Σ over subtopics served of (1 - α)^(times served above) / log2(r + 1), / its value if every document served all",
)
def alpha_dcg(
    j: Judged, *, cutoff: Cutoff = None, alpha: Share = 0.5, level: Level = 1, normalize: Flag = True
) -> Column:
    """DCG in which each repetition of a subtopic gains less.

    Normalised independently of the collection: 1 means that each of k documents covers every subtopic. Without a cutoff, k
    is the length of the ranking. `normalize=False` is the plain sum, as in TF-Ranking.
    """
    return (
        _of_the_best(j, level, alpha, _log, cutoff) if normalize else _sum(j, _subtopics(j, level), alpha, _log, cutoff)
    )


@measure(
    "ERR_IA",
    intuition="ERR_IA is the mean of ERR over the meanings of an ambiguous query: each user wants one of them and stops when it is "
    "served. It suits queries for which the first good document of each meaning matters most.",
    latex=r"\mathrm{ERR\_IA}@k = \frac{\sum_{r=1}^{k} \nu_r / r}{|S| \sum_{r=1}^{k} (1-\alpha)^{r-1} / r},\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    family="diversity",
    needs="subtopics",
    laws="unit cutoff tail",
    paper="chapelle2009",
    formula="Σ over ranks r down to k of Σ over subtopics served of (1 - α)^(times served above) / r, / its value if every document served all",
)
def intent_aware_err(j: Judged, *, cutoff: Cutoff = None, alpha: Share = 0.5, level: Level = 1) -> Column:
    """Expected reciprocal rank over users who are each interested in one subtopic.

    Relevant documents satisfy with probability α. Normalised as alpha_DCG.
    """
    return _of_the_best(j, level, alpha, np.reciprocal, cutoff)


@measure(
    "NRBP",
    intuition="NRBP is RBP for ambiguous queries: a user wants one aspect, goes on with probability β, and a repeated aspect is worth "
    "less. It needs no cutoff and no ideal ranking.",
    latex=r"\mathrm{NRBP} = \frac{1 - (1-\alpha)\beta}{|S|} \sum_r \beta^{r-1}\,\nu_r,\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    family="diversity",
    needs="subtopics",
    laws="unit tail",
    paper="clarke2009",
    formula="(1 - (1 - α)·β) / subtopics · Σ over ranks r of β^(r-1)·Σ over subtopics served of (1 - α)^(times served above)",
)
def novelty_rbp(j: Judged, *, alpha: Share = 0.5, beta: Share = 0.5, level: Level = 1) -> Column:
    """Rank-biased precision in which each repetition of a subtopic gains less.

    The user is interested in one subtopic, and continues to the next document with probability β.
    """
    served = _subtopics(j, level)
    total = _sum(j, served, alpha, lambda rank: beta ** (rank - 1.0))
    return _share(j, (1.0 - (1.0 - alpha) * beta) * total, served.count)


# ── normalised by an ideal ranking of the pool ───────────────────────────────────────────────────


def _candidates(j: Judged, served: _Subtopics) -> Ints:
    """Judgments that cover a subtopic, sorted by query and document id; in the order of the pool if ids are unknown."""
    judgment = np.unique(served.judgment)
    return judgment if j.pool_doc is None else judgment[j.pool_doc.take(judgment).order(j.pool_query[judgment])]


def _ideal_sum(j: Judged, served: _Subtopics, alpha: Share, weight: Weight, cutoff: Cutoff = None) -> Column:
    """Sum for the greedy ideal ranking, in which each rank has the document with the largest gain. All queries at once."""
    candidate = _candidates(j, served)
    place = np.empty(len(j.pool_query), np.int64)
    place[candidate] = np.arange(len(candidate))
    query, doc, subtopic = j.pool_query[candidate], place[served.judgment], served.subtopic
    start = np.flatnonzero(np.diff(query, prepend=-1))
    gain, total, rank = np.ones(len(served.size)), np.zeros(len(j)), 0
    while len(doc) and rank < (cutoff or np.inf):
        rank += 1
        worth = np.bincount(doc, gain[subtopic], len(query))
        best = np.repeat(np.maximum.reduceat(worth, start), np.diff(np.append(start, len(query))))
        at = np.flatnonzero((worth == best) & (worth > 0))
        at = at[np.diff(query[at], append=-1) != 0]  # of equal ones the last, which has the largest id
        here = weight(np.array([float(rank)]))
        if not len(at) or not here.any():
            break
        total[query[at]] += worth[at] * here
        taken = np.zeros(len(query), bool)
        taken[at] = True
        gain[subtopic[taken[doc]]] *= 1.0 - alpha
        doc, subtopic = doc[~taken[doc]], subtopic[~taken[doc]]
    return total


def _of_the_ideal(j: Judged, level: Level, alpha: Share, weight: Weight, cutoff: Cutoff = None) -> Column:
    served = _subtopics(j, level)
    ideal = _ideal_sum(j, served, alpha, weight, cutoff)
    return _share(j, _sum(j, served, alpha, weight, cutoff), ideal)


@measure(
    "alpha_nDCG",
    intuition="alpha-nDCG rewards rankings that cover many aspects of an ambiguous query. A document earns "
    "less for an aspect that documents above it already cover, and the best greedy ranking has the "
    "value 1.",
    latex=r"\mathrm{alpha\_nDCG}@k = \frac{\sum_{r=1}^{k} \nu_r / \log_2(r + 1)}{\sum_{r=1}^{k} \nu^*_r / \log_2(r + 1)},\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    family="diversity",
    aliases=("α_nDCG", "α-nDCG", "aNDCG"),
    needs="subtopics",
    laws="unit cutoff tail",
    paper=_CLARKE,
    formula="alpha_DCG@k / alpha_DCG@k of the greedy ideal ranking",
)
def alpha_ndcg(j: Judged, *, cutoff: Cutoff = None, alpha: Share = 0.5, level: Level = 1) -> Column:
    """DCG in which each repetition of a subtopic gains less, as a share of the ideal.

    Finding the best ranking is intractable, so the ideal is greedy: each rank takes the document that gains most; of equal
    ones, the one with the largest id. A ranking that is better than the greedy one has the value 1.
    """
    return _of_the_ideal(j, level, alpha, _log, cutoff)


@measure(
    "nERR_IA",
    intuition="nERR_IA is ERR_IA divided by its value for a greedily built best ranking. It suits comparisons over queries with "
    "different numbers of aspects.",
    latex=r"\mathrm{nERR\_IA}@k = \frac{\sum_{r=1}^{k} \nu_r / r}{\sum_{r=1}^{k} \nu^*_r / r},\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    paper="chapelle2009",
    family="diversity",
    needs="subtopics",
    laws="unit cutoff tail",
    formula="ERR_IA@k / ERR_IA@k of the greedy ideal ranking",
)
def normalised_intent_aware_err(j: Judged, *, cutoff: Cutoff = None, alpha: Share = 0.5, level: Level = 1) -> Column:
    """ERR_IA as a share of the greedy ideal; see alpha_nDCG."""
    return _of_the_ideal(j, level, alpha, np.reciprocal, cutoff)


@measure(
    "nNRBP",
    intuition="nNRBP is NRBP divided by its value for a greedily built best ranking. Queries whose documents cover few aspects then "
    "weigh as much as others.",
    latex=r"\mathrm{nNRBP} = \frac{\sum_r \beta^{r-1}\,\nu_r}{\sum_r \beta^{r-1}\,\nu^*_r},\quad \nu_r = \sum_{s \in S} \mathrm{rel}_{r,s}\,(1-\alpha)^{a_{r,s}}",
    paper="clarke2009",
    family="diversity",
    needs="subtopics",
    laws="unit tail",
    formula="NRBP / NRBP of the greedy ideal ranking",
)
def normalised_novelty_rbp(j: Judged, *, alpha: Share = 0.5, beta: Share = 0.5, level: Level = 1) -> Column:
    """NRBP as a share of the greedy ideal; see alpha_nDCG."""
    return _of_the_ideal(j, level, alpha, lambda rank: beta ** (rank - 1.0))


# ── means over subtopics ─────────────────────────────────────────────────────────────────────────


@measure(
    "P_IA",
    intuition="P_IA is the mean of precision over the meanings of an ambiguous query. It rewards documents that serve several "
    "meanings, but not that each meaning is served.",
    latex=r"\mathrm{P\_IA}@k = \frac{1}{|S|} \sum_{s \in S} \frac{1}{k} \sum_{r=1}^{k} \mathrm{rel}_{r,s}",
    family="diversity",
    needs="subtopics",
    laws="unit cutoff tail",
    paper=_AGRAWAL,
    formula="mean over subtopics of the share of the first k documents that serve it",
)
def intent_aware_precision(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Precision, averaged over the subtopics. Without a cutoff, k is the length of the ranking."""
    served = _subtopics(j, level)
    times = np.bincount(_cover(j, served)[0], minlength=len(j.query))
    return j.ratio(j.total(times * j.within(cutoff)), served.count * size_of(j, cutoff))


@measure(
    "AP_IA",
    intuition="AP_IA is the mean of average precision over the meanings of an ambiguous query. It suits tasks in which each user "
    "wants many documents of one meaning.",
    latex=r"\mathrm{AP\_IA}@k = \frac{1}{|S|} \sum_{s \in S} \frac{1}{R_s} \sum_{r=1}^{k} \mathrm{rel}_{r,s} \cdot \mathrm{P}_s@r",
    family="diversity",
    aliases=("MAP_IA",),
    needs="subtopics",
    laws="unit cutoff tail",
    paper=_AGRAWAL,
    formula="mean over subtopics of AP for the documents that serve it",
)
def intent_aware_ap(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Average precision, averaged over the subtopics."""
    served = _subtopics(j, level)
    hit, subtopic, above = _cover(j, served)
    precision = np.where(j.within(cutoff)[hit], (above + 1.0) / j.rank[hit], 0.0)
    each = np.bincount(subtopic, precision, len(served.size)) / served.size
    return j.ratio(np.bincount(served.owner, each, len(j)), served.count)


@measure(
    "StRecall",
    intuition="Subtopic recall is the share of the aspects of a query about which the first k documents say anything. It suits "
    "overviews, in which each aspect should appear once and repetitions are worth nothing.",
    latex=r"\mathrm{StRecall}@k = \frac{1}{|S|} \sum_{s \in S} \max_{r \le k}\,\mathrm{rel}_{r,s}",
    family="diversity",
    aliases=("strec", "subtopic_recall", "SRecall"),
    needs="subtopics",
    laws="unit cutoff tail",
    paper="zhai2003",
    formula="subtopics served by the first k documents / subtopics",
)
def subtopic_recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """The share of the subtopics that at least one of the first k documents covers."""
    served = _subtopics(j, level)
    hit, subtopic, above = _cover(j, served)
    reached = subtopic[(above == 0) & j.within(cutoff)[hit]]
    return j.ratio(np.bincount(served.owner[reached], minlength=len(j)), served.count)
