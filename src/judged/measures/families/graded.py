"""Measures that use the grades: cumulated gain and related measures."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from judged._types import Column
from judged.core import segments
from judged.core.judged import Judged
from judged.core.pool import BestFirst
from judged.errors import UsageError
from judged.measures.families.sets import depth_of, size_of
from judged.measures.parameters import (
    CAPPED_WITH_CUTOFF,
    Base,
    Cutoff,
    Discount,
    Function,
    Gain,
    Gains,
    Level,
    LogBase,
    PadOrShrink,
    Positive,
    discount,
    gain_of,
)
from judged.measures.registry import measure


def _sums(
    j: Judged,
    cutoff: Cutoff,
    gain: Gain,
    base: Base,
    gains: Gains,
    kind: Discount,
    log_base: LogBase,
    level: Level,
    short: str = "pad",
) -> tuple[Column, Column]:
    """DCG of the ranking, and of the ideal one, which has positive gains only and may be as short as the ranking."""
    below = [grade for grade, worth in gains or () if 0 <= grade < level and worth]
    if below:
        raise UsageError(
            "parameter",
            f"gains has a gain for grade {below[0]:g}, which is below level={level:g}",
            value=gains,
            hint="leave out the gain, or the level",
        )
    ideal: Judged | BestFirst = j.pool.best_first(cutoff)
    if gains or isinstance(gain, Function):  # which need not grow with the grade, and may be negative
        here, ideal, best = ideal_gains(j, gain, base, gains, level)
        if cutoff is not None:
            inside = ideal.within(cutoff)
            ideal, best = ideal.only(inside), best[inside]
    else:
        here, best = (gain_of(x.grade, gain, base, gains, level, j.names[0]) for x in (j, ideal))
    if short == "shrink":
        best = np.where(ideal.rank <= depth_of(j, cutoff)[ideal.query], best, 0.0)
    gain_here = j.column("gain", here)
    divisor = j.column("discount", discount(j.rank, kind, log_base))
    ours = gain_here / divisor
    ours = j.column("gain/discount", ours if cutoff is None else np.where(j.within(cutoff), ours, 0.0))
    if ideal.rank is not j.rank:  # which lists of labels share
        divisor = discount(ideal.rank, kind, log_base)
    theirs = segments.total(best / divisor, ideal.query, len(j.retrieved))
    return j.total(ours), theirs


def ideal_gains(
    j: Judged, gain: Gain = "linear", base: Base = 2.0, gains: Gains = None, level: Level = 0
) -> tuple[Column, Judged, Column]:
    """The gain of each hit, the ideal ranking by gains, and its gains, which are not negative."""
    here, pool = (gain_of(grade, gain, base, gains, level, j.names[0]) for grade in (j.grade, j.pool_grade))
    ideal = j.ideal_by(pool)
    return here, ideal, np.maximum(pool[ideal.judgment], 0.0)


@measure(
    "CG",
    intuition="CG adds up the grades of the first k documents. Their order does not matter.",
    latex=r"\mathrm{CG}@k = \sum_{r=1}^{k} g_r",
    family="graded",
    laws="additive cutoff",
    example=([3, 0, 1], 4),
    paper="jarvelin2002",
    formula="Σ of the gains down to k",
)
def cumulated_gain(
    j: Judged, *, cutoff: Cutoff = None, gain: Gain = "linear", base: Base = 2.0, gains: Gains = None
) -> Column:
    """Sum of the gains of the first k documents."""
    worth = j.column("gain", gain_of(j.grade, gain, base, gains, name=j.names[0]))
    return j.total(np.where(j.within(cutoff), worth, 0.0))


@measure(
    "nCG",
    intuition="nCG is the sum of the grades of the first k documents divided by the best possible sum. It suits sets of k "
    "documents that are shown together: unlike nDCG it does not care about the order within them.",
    latex=r"\mathrm{nCG}@k = \frac{\sum_{r=1}^{k} g_r}{\sum_{r=1}^{k} g^*_r}",
    family="graded",
    laws="additive unit cutoff swap perfect capped tail",
    example=([0, 1], 1),
    paper="jarvelin2002",
    formula="CG@k / CG@k of the ideal ranking",
    ideal="CG",
)
def normalised_cumulated_gain(
    j: Judged, *, cutoff: Cutoff = None, gain: Gain = "linear", base: Base = 2.0, gains: Gains = None
) -> Column:
    """Cumulated gain as a share of the best possible."""
    _, ideal, best = ideal_gains(j, gain, base, gains)
    most = ideal.total(np.where(ideal.within(cutoff), best, 0.0))
    return j.ratio(cumulated_gain(j, cutoff=cutoff, gain=gain, base=base, gains=gains), most)


@measure(
    "DCG",
    intuition="DCG adds up what the user gains from each document, and reduces a gain the further down the "
    "document is. It has no upper limit, so values of different queries are not comparable; nDCG "
    "fixes that.",
    latex=r"\mathrm{DCG}@k = \sum_{r=1}^{k} \frac{g_r}{\log_2(r + 1)}",
    family="graded",
    trec="dcg=",
    laws="additive cutoff",
    example=([3, 0, 1], 3.5),
    paper="jarvelin2002",
    formula="Σ over ranks r down to k of gain / log2(r + 1)",
)
def dcg(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    gain: Gain = "linear",
    base: Base = 2.0,
    gains: Gains = None,
    discount: Discount = "log2",
    log_base: LogBase = 2.0,
    level: Level = 0,
) -> Column:
    """Sum of gains, each divided by a discount that grows with the rank."""
    return _sums(j, cutoff, gain, base, gains, discount, log_base, level)[0]


@measure(
    "IDCG",
    intuition="IDCG is the DCG of the best possible order of the judged documents. nDCG divides by it.",
    latex=r"\mathrm{IDCG}@k = \sum_{r=1}^{k} \frac{g^*_r}{\log_2(r + 1)}",
    paper="jarvelin2002",
    family="graded",
    aliases=("ideal_DCG",),
    trec="ideal_dcg=",
    laws="cutoff",
    example=([0, 3, 1], 3 + 1 / np.log2(3)),
    formula="DCG@k of the pool in its best order",
    ideal="DCG",
    ideal_only=True,
)
def ideal_dcg(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    gain: Gain = "linear",
    base: Base = 2.0,
    gains: Gains = None,
    discount: Discount = "log2",
    log_base: LogBase = 2.0,
    level: Level = 0,
) -> Column:
    """The DCG of the ideal ranking."""
    return _sums(j, cutoff, gain, base, gains, discount, log_base, level)[1]


@measure(
    "nDCG",
    intuition="nDCG measures how close a ranking comes to the best possible order of the judged documents, "
    "which has the value 1. Better grades earn more, and the same document earns less the further "
    "down it is.",
    latex=r"\mathrm{nDCG}@k = \frac{\mathrm{DCG}@k}{\mathrm{IDCG}@k} = \frac{\sum_{r=1}^{k} g_r / \log_2(r + 1)}{\sum_{r=1}^{k} g^*_r / \log_2(r + 1)}",
    family="graded",
    aliases=("NDCG", "ndcg_score", "RetrievalNormalizedDCG"),
    trec="ndcg= ndcg_cut.",
    laws="additive unit cutoff swap perfect capped tail",
    example=([3, 0, 1], 3.5 / (3 + 1 / np.log2(3))),
    paper="jarvelin2002",
    formula="DCG@k / ideal DCG@k",
    ideal="DCG",
)
def ndcg(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    gain: Gain = "linear",
    base: Base = 2.0,
    gains: Gains = None,
    discount: Discount = "log2",
    log_base: LogBase = 2.0,
    level: Level = 0,
    short: PadOrShrink = "pad",
) -> Column:
    """Discounted cumulated gain as a share of the best possible.

    The ideal ranking comes from all judged documents. `gain="exp"` is the gain 2^grade - 1 of learning to
    rank; `level` makes lower grades worth nothing. `short="shrink"` cuts the ideal ranking to the length of a ranking shorter
    than k, as MLflow does: finding one of many relevant documents and nothing else is then perfect.
    """
    return j.ratio(*_sums(j, cutoff, gain, base, gains, discount, log_base, level, short))


@measure(
    "nDCG_burges",
    intuition="nDCG_burges is nDCG in which each step of the grade doubles the worth of a document. It suits web search and learning "
    "to rank, where one perfect document is worth more than several fair ones.",
    latex=r"\mathrm{nDCG\_burges}@k = \frac{\sum_{r=1}^{k} (2^{y_r} - 1) / \log_2(r + 1)}{\sum_{r=1}^{k} (2^{y^*_r} - 1) / \log_2(r + 1)}",
    family="graded",
    aliases=("ndcg_burges",),
    laws="additive unit cutoff swap perfect capped tail",
    example=([2, 0], 1),
    paper="burges2005",
    formula="nDCG with the gain 2^grade - 1",
    ideal="DCG_burges",
)
def ndcg_burges(j: Judged, *, cutoff: Cutoff = None, level: Level = 0) -> Column:
    """nDCG with exponential gain, under its name in ranx."""
    return ndcg(j, cutoff=cutoff, gain="exp", level=level)


@measure(
    "MSnDCG",
    intuition="MSnDCG is today's usual nDCG under its name in NTCIR campaigns, where plain nDCG has an older discount. Use it to "
    "compare with published NTCIR results.",
    latex=r"\mathrm{MSnDCG}@k = \frac{\sum_{r=1}^{k} g_r / \log_2(r + 1)}{\sum_{r=1}^{k} g^*_r / \log_2(r + 1)}",
    family="graded",
    laws="additive unit cutoff swap perfect capped tail",
    example=([2, 0], 1),
    paper="burges2005",
    formula="nDCG with the discount log2(rank + 1)",
    ideal="DCG",
)
def ms_ndcg(j: Judged, *, cutoff: Cutoff = None, gain: Gain = "linear", gains: Gains = None) -> Column:
    """NTCIREVAL's name for nDCG with the discount log2(rank + 1); NTCIREVAL's own nDCG uses a different discount."""
    return ndcg(j, cutoff=cutoff, gain=gain, gains=gains)


@measure(
    "DCG_burges",
    intuition="DCG_burges adds up discounted gains that double with each step of the grade. Like DCG it has no upper limit, so it "
    "suits comparisons of rankings of the same queries only.",
    latex=r"\mathrm{DCG\_burges}@k = \sum_{r=1}^{k} \frac{2^{y_r} - 1}{\log_2(r + 1)}",
    paper="burges2005",
    family="graded",
    aliases=("dcg_burges",),
    laws="additive cutoff",
    example=([2, 0], 3),
    formula="DCG with the gain 2^grade - 1",
)
def dcg_burges(j: Judged, *, cutoff: Cutoff = None, level: Level = 0) -> Column:
    """DCG with exponential gain, under its name in ranx."""
    return dcg(j, cutoff=cutoff, gain="exp", level=level)


def _discount_gains(j: Judged, gains: Gains) -> tuple[Judged, Column, Column, Column]:
    """The ideal ranking, its positive gains, and both rankings' gain over log2(rank + 1)."""
    here, ideal, best = ideal_gains(j, gains=gains)
    return ideal, best, here / discount(j.rank), best / discount(ideal.rank)


@measure(
    "nDCG_rel",
    intuition="nDCG_rel looks at nDCG at the rank of each relevant document and takes the mean, as average precision does with "
    "precision. It suits users who may stop at any relevant document, not at a fixed cutoff.",
    latex=r"\mathrm{nDCG\_rel} = \frac{1}{R} \left(\sum_{r=1}^{n} \mathrm{rel}_r \cdot \mathrm{nDCG}@r + (R - c_n)\,\mathrm{nDCG}@n\right)",
    family="graded",
    trec="ndcg_rel=",
    laws="unit perfect tail",
    example=([3, 0, 1], (1 + 3.5 / (3 + 1 / np.log2(3))) / 2),
    formula="mean of nDCG at the ranks of the relevant documents; those not retrieved count at the end",
)
def ndcg_at_relevant(j: Judged, *, gains: Gains = None) -> Column:
    """Mean of nDCG over the ranks of the relevant documents."""
    ideal, best, ours, perfect = _discount_gains(j, gains)
    here = gain_of(j.grade, gains=gains) > 0
    there = j.ratio(j.running(ours), ideal.upto(perfect, j.query, j.rank))
    relevant = ideal.total(best > 0)
    at_the_end = j.ratio((relevant - j.total(here)) * j.total(ours), ideal.total(perfect))
    return j.ratio(j.total(np.where(here, there, 0.0)) + at_the_end, relevant)


@measure(
    "Rndcg",
    intuition="Rndcg is the counterpart of R-precision for grades: it looks at nDCG where the best possible ranking would pass from "
    "one grade to the next. It needs no cutoff and adapts to the number of documents of each grade.",
    latex=r"\mathrm{Rndcg} = \frac{1}{|E|} \sum_{r \in E} \mathrm{nDCG}@r,\quad E = \{r : g^*_r > g^*_{r+1}\} \cup \{n : n > R + 1\}",
    family="graded",
    trec="Rndcg=",
    laws="unit",
    example=([3, 0, 1], (1 + 3 / (3 + 1 / np.log2(3))) / 2),
    formula="mean of nDCG at the ranks where the ideal ranking passes to a lower gain, and at the end",
)
def ndcg_at_levels(j: Judged, *, gains: Gains = None, level: Level = 1) -> Column:
    """Mean of nDCG over the ranks at which the ideal ranking changes from one gain to the next."""
    ideal, best, ours, perfect = _discount_gains(j, gains)
    last = np.append(ideal.query[1:] != ideal.query[:-1], True) if len(best) else np.zeros(0, bool)
    last[:-1] |= best[1:] != best[:-1]
    edge = np.flatnonzero(last & (best > 0))
    query, rank = ideal.query[edge], ideal.rank[edge]
    there = j.ratio(j.upto(ours, query, rank), ideal.upto(perfect, query, rank))
    count = np.bincount(query, minlength=len(j)).astype(float)
    total = segments.total(there, query, len(j))
    beyond = (j.retrieved > ideal.total(best > 0) + 1) & (count > 0)
    total += np.where(beyond, j.ratio(j.total(ours), ideal.total(perfect)), 0.0)
    return np.where(j.relevant(level) > 0, j.ratio(total, count + beyond), 0.0)


@measure(
    "G",
    intuition="G discounts a document by how much gain the ranking has missed so far, and not by its rank. A document is worth its "
    "full grade as long as everything above it was ideal, so it suits comparisons over queries with different numbers of "
    "relevant documents.",
    latex=r"\mathrm{G} = \frac{1}{\sum_r g^*_r} \sum_r \frac{g_r}{\log_2(2 + H_r - G_r)},\quad H_r = \sum_{i=1}^{r} \max(g^*_i, 1)",
    family="graded",
    trec="G=",
    laws="unit",
    example=([3, 0, 1], (3 / np.log2(2) + 1 / np.log2(2 + 5 - 4)) / 4),
    formula="Σ of gain / log2(2 + ideal cumulated gain - cumulated gain), / Σ of the ideal gains",
)
def g_measure(j: Judged, *, gains: Gains = None) -> Column:
    """Sum of gains, each discounted by the cumulated gain that the ranking lacks compared with the ideal one.

    The discount is 1 for ranks beyond the ideal ranking and for gains below 1.
    """
    here, ideal, best = ideal_gains(j, gains=gains)
    size = ideal.total(best > 0)
    cost = ideal.upto(np.where(best > 0, np.maximum(best, 1.0), 0.0), j.query, j.rank)
    cost = cost + np.maximum(j.rank - j.at(size), 0.0)
    term = here / np.log2(2 + cost - j.running(here))
    return j.ratio(j.total(np.where(here != 0, term, 0.0)), ideal.total(best))


# ── judgment coverage ────────────────────────────────────────────────────────────────────────────


@measure(
    "Judged",
    intuition="Judged shows how much of what the user sees was ever judged. If it is low, other measures treat "
    "unknown documents as not relevant, and their values are too low.",
    latex=r"\mathrm{Judged}@k = \frac{1}{\min(k, n)} \sum_{r=1}^{\min(k, n)} j_r",
    family="coverage",
    laws="additive unit cutoff",
    example=([1, 0, 1], 1),
    formula="documents of the pool in the first k / min(k, retrieved)",
)
def judged_share(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of the first k documents that are in the pool."""
    return j.ratio(j.total(j.within(cutoff)), depth_of(j, cutoff))


@measure(
    "Unjudged",
    intuition="Unjudged is the share of the first k ranks about which nothing is known. If it differs between two systems, their "
    "other values are not comparable: the one with more unknown documents looks worse than it is.",
    latex=r"\mathrm{Unjudged}@k = \frac{1}{k} \sum_{r=1}^{\min(k, n)} (1 - j_r)",
    family="coverage",
    trec="unj.",
    laws="additive unit cutoff",
    lower_is_better=True,
    example=([1, 0, 1], 0),
    formula="unjudged in the first k / k",
)
def unjudged_share(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of the first k ranks with an unjudged document; documents with negative grades are unjudged."""
    unjudged = depth_of(j, cutoff) - j.total(j.is_judged & j.within(cutoff))
    return j.ratio(unjudged, size_of(j, cutoff))


@measure(
    "Hole",
    intuition="Hole is the share of the first k ranks that no assessor ever saw for the query. It suits old collections and new kinds "
    "of systems, which find documents that the systems of the time did not.",
    latex=r"\mathrm{Hole}@k = \frac{1}{k} \sum_{r=1}^{\min(k, n)} (1 - j_r)",
    family="coverage",
    laws="additive unit cutoff",
    lower_is_better=True,
    example=([1, 0, 1], 0),
    paper="thakur2021",
    formula="documents in the first k that are not in the pool / k",
)
def hole(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of the first k ranks with a document that was never judged for the query.

    BEIR counts a document as judged if it was judged for any query; and, unlike `Unjudged`, so is one with a negative grade.
    """
    return j.ratio(depth_of(j, cutoff) - j.total(j.within(cutoff)), size_of(j, cutoff))


def blended_ratio(j: Judged, cutoff: Cutoff, gain: Gain, gains: Gains, beta: float) -> tuple[Column, Column, Column]:
    """Hits that gain something; the blended ratio and the gain ratio at their ranks."""
    here, ideal, best = ideal_gains(j, gain, gains=gains)
    perfect = ideal.upto(best, j.query, j.rank)
    hit = (here > 0) & j.within(cutoff)
    mine = j.running(np.maximum(here, 0.0))
    blended = (j.running(hit) + beta * mine) / (j.rank + beta * perfect)
    return hit, blended, j.ratio(mine, perfect)


@measure(
    "Q",
    intuition="Q is average precision for grades: at each relevant document it mixes precision with the share of the possible gain "
    "that was collected so far. It suits graded judgments of tasks for which recall matters too.",
    latex=r"\mathrm{Q}@k = \frac{1}{R} \sum_{r=1}^{k} \mathrm{rel}_r\,\frac{c_r + \beta\,G_r}{r + \beta\,G^*_r}",
    family="graded",
    aliases=("Q_measure", "Q-measure"),
    laws="unit cutoff swap perfect tail",
    example=([3, 0, 1], (1 + 6 / 7) / 2),
    paper="sakai2004",
    formula="mean over relevant documents of (count + β·CG) / (rank + β·ideal CG)",
)
def q_measure(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    beta: Positive = 1.0,
    gain: Gain = "linear",
    gains: Gains = None,
    norm: Annotated[Literal["relevant", "capped"], CAPPED_WITH_CUTOFF] = "relevant",
) -> Column:
    """Average precision for grades: the blended ratio replaces precision."""
    hit, blended, _ = blended_ratio(j, cutoff, gain, gains, beta)
    relevant = j.ideal.total(gain_of(j.pool_grade, gain, 2.0, gains) > 0)
    bottom = np.minimum(relevant, cutoff) if norm == "capped" and cutoff is not None else relevant
    return j.ratio(j.total(np.where(hit, blended, 0.0)), bottom)


@measure(
    "GAP",
    intuition="GAP is the average precision that a random user would see, when users differ in how good a document must be to count "
    "as relevant. It extends average precision to grades without giving up its meaning.",
    latex=r"\mathrm{GAP}@k = \frac{1}{\sum_r g^*_r} \sum_{r=1}^{k} \frac{1}{r} \sum_{i=1}^{r} \min(g_i, g_r)",
    family="graded",
    aliases=("graded_AP",),
    laws="unit cutoff swap perfect tail",
    example=([2, 0, 1], (1 + 1 + 2 / 3) / 3),
    paper="robertson2010",
    formula="Σ over ranks n of (1 / n)·Σ over m ≤ n of min(gain_m, gain_n), / Σ of the gains in the pool",
)
def graded_average_precision(j: Judged, *, cutoff: Cutoff = None, gain: Gain = "linear", gains: Gains = None) -> Column:
    """Expected average precision over users who differ in the lowest grade that they consider relevant.

    A grade is the threshold with a probability proportional to the gain that it adds to the grade below.
    """
    worth = np.where(j.within(cutoff), gain_of(j.grade, gain, 2.0, gains, name=j.names[0]), 0.0)
    shared = np.zeros(len(worth))  # Σ over this hit and those above of the smaller of the two gains
    for level in j.levels(worth):
        here = (worth == level) & (worth > 0)
        shared[here] = (j.running(np.where(worth < level, worth, 0.0)) + level * j.running(worth >= level))[here]
    return j.ratio(j.total(shared / j.rank), j.ideal.total(gain_of(j.pool_grade, gain, 2.0, gains)))
