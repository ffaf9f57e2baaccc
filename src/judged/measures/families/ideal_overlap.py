"""Measures that compare the ranking with an ideal one, rank by rank."""

from __future__ import annotations

import numpy as np

from judged._types import Column
from judged.core import segments
from judged.core.judged import Judged
from judged.measures.families.cwl import sum_weights
from judged.measures.families.graded import blended_ratio
from judged.measures.parameters import Flag, Gain, Gains, Persistence, Positive, Share, Stops, gain_of
from judged.measures.registry import measure

_SAKAI = "sakai2007"
_NCU = "sakai2008"


@measure(
    "Compat",
    intuition="Compat asks how similar the top of a ranking is to the best possible one, with the weights of rank-biased overlap. It "
    "suits judgments that order a few best documents, or preferences, rather than fill a grade scale.",
    latex=r"\mathrm{Compat} = \frac{\sum_d p^{d-1}\,|D_d \cap D^*_d| / d}{\sum_d p^{d-1}\,|D^*_d| / d}",
    family="overlap",
    aliases=("compatibility",),
    laws="unit swap perfect",
    example=([0, 2, 1], (0.95 / 2 + 0.95**2 * 2 / 3) / (1 + 0.95 + 0.95**2 * 2 / 3)),
    paper="clarke2021",
    formula="Σ over depths d of p^(d-1)·|ranking_d ∩ ideal_d| / d, / its value for the ideal itself",
)
def compatibility(j: Judged, *, p: Persistence = 0.95, normalize: Flag = True) -> Column:
    """Rank-biased overlap of the ranking with the most similar ideal one.

    The ideal ranking has the documents of positive grade from the highest down, those of equal grade in the order of the
    ranking, and those that were not retrieved last. Depths run to the end of the longer of the two. Without `normalize` the sum
    is divided by that of two equal rankings of that depth, so that a shorter ideal ranking cannot reach 1.
    """
    size = j.ideal.total(j.pool_grade > 0).astype(np.int64)
    depth = np.maximum(j.retrieved, size)
    relevant = np.flatnonzero(j.grade > 0)
    shared = np.maximum(j.rank, _ideal_rank(j)[j.judgment])[relevant]  # the depth from which both contain the document
    ours = np.bincount(j.query[relevant], _weight_from(shared, depth[j.query[relevant]], p), len(j))
    if not normalize:
        return np.minimum(j.ratio(ours * (1.0 - p), 1.0 - p**depth), 1.0)
    query = np.repeat(np.arange(len(j)), size)
    best = np.bincount(query, _weight_from(segments.positions(size) + 1, depth[query], p), len(j))
    return np.minimum(j.ratio(ours, best), 1.0)


def _ideal_rank(j: Judged) -> Column:
    """Rank of each judgment in the ideal ranking that is most similar to the ranking."""
    rank = np.full(len(j.pool_query), np.inf)
    rank[j.judgment] = j.rank
    place = np.empty(len(rank), np.int64)
    place[np.lexsort((rank, -j.pool_grade, j.pool_query))] = segments.positions(j.judgments) + 1
    return place


def _weight_from(first: Column, last: Column, p: float) -> Column:
    """p^(d-1) / d, summed over depths d from the first to the last."""
    upto = sum_weights(lambda d: p ** (d - 1.0) / d, np.concatenate([first - 1, last]))
    return upto[len(first) :] - upto[: len(first)]


# ── the blended ratio of cumulated gain: Q-measure's relatives, for users who want one document ──


@measure(
    "O_measure",
    intuition="O-measure is reciprocal rank for grades: it looks at the first relevant document, how far down it is and how good it "
    "is. It suits tasks for which one document is enough and a better one is worth waiting for.",
    latex=r"\mathrm{O\_measure} = \frac{1 + \beta\,g_f}{f + \beta\,G^*_f},\quad f = \min\{r : g_r > 0\}",
    family="overlap",
    aliases=("O-measure", "OMeasure"),
    laws="unit perfect tail",
    example=([0, 1, 3], (1 + 1) / (2 + 4)),
    paper=_SAKAI,
    formula="(1 + β·gain) / (r + β·ideal CG) at the rank r of the first relevant document",
)
def o_measure(j: Judged, *, beta: Positive = 1.0, gain: Gain = "linear", gains: Gains = None) -> Column:
    """Reciprocal rank for grades: the blended ratio at the first relevant document."""
    hit, blended, _ = blended_ratio(j, None, gain, gains, beta)
    return j.total(np.where(hit & (j.running(hit) == 1), blended, 0.0))


def _up_to_the_top(j: Judged, gain: Gain, gains: Gains) -> tuple[Column, Column]:
    """Return masks of hits with a gain: those down to the first hit of the largest gain, and that hit alone."""
    worth = gain_of(j.grade, gain, 2.0, gains, name=j.names[0])
    top = j.first((worth > 0) & (worth == j.at(j.highest(worth, worth > 0))))
    return (worth > 0) & (j.rank <= j.at(top)), (worth > 0) & (j.rank == j.at(top))


@measure(
    "P_measure",
    intuition="P-measure imagines a user who looks for the best document that was retrieved and stops there. It suits known-item "
    "search with grades: a slightly worse document above does no harm.",
    latex=r"\mathrm{P\_measure} = \frac{c_t + \beta\,G_t}{t + \beta\,G^*_t},\quad t = \min\{r : g_r = \max_i g_i\}",
    family="overlap",
    aliases=("P-measure", "PMeasure"),
    laws="unit perfect tail",
    example=([0, 1, 3], (2 + 4) / (3 + 4)),
    paper=_SAKAI,
    formula="(count + β·CG) / (r + β·ideal CG) at the rank r of the first document of the highest gain retrieved",
)
def p_measure(j: Judged, *, beta: Positive = 1.0, gain: Gain = "linear", gains: Gains = None) -> Column:
    """The blended ratio at the best document of the ranking, for a user who looks for that one."""
    blended = blended_ratio(j, None, gain, gains, beta)[1]
    return j.total(np.where(_up_to_the_top(j, gain, gains)[1], blended, 0.0))


@measure(
    "P_plus",
    intuition="P-plus imagines users who stop at any relevant document down to the best one that was retrieved. It suits tasks in "
    "which one document is enough, but the best one is preferred.",
    latex=r"\mathrm{P\_plus} = \frac{1}{c_t} \sum_{r=1}^{t} \mathrm{rel}_r\,\frac{c_r + \beta\,G_r}{r + \beta\,G^*_r},\quad t = \min\{r : g_r = \max_i g_i\}",
    family="overlap",
    aliases=("P-plus", "P+", "PPlusMeasure"),
    laws="unit perfect tail",
    example=([0, 1, 3], ((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2),
    paper=_SAKAI,
    formula="mean of (count + β·CG) / (r + β·ideal CG) over the relevant ranks r down to the first document of the highest gain retrieved",
)
def p_plus(j: Judged, *, beta: Positive = 1.0, gain: Gain = "linear", gains: Gains = None) -> Column:
    """The blended ratio, averaged over the relevant documents down to the best one of the ranking."""
    blended = blended_ratio(j, None, gain, gains, beta)[1]
    way = _up_to_the_top(j, gain, gains)[0]
    return j.ratio(j.total(np.where(way, blended, 0.0)), j.total(way))


# ── normalised cumulative utility: probability of stopping at a rank, times the value so far ─────


def _graded_stops(j: Judged, beta: float, gain: Gain, gains: Gains, stops: Stops) -> Column:
    """Value for users who stop at relevant documents only, with probabilities proportional to a weight of the grade."""
    hit, blended, _ = blended_ratio(j, None, gain, gains, beta)
    here, pool = (gain_of(grade, gain, 2.0, stops or gains, name=j.names[0]) for grade in (j.grade, j.ideal.grade))
    everyone = j.ideal.total(np.where(gain_of(j.ideal.grade, gain, 2.0, gains) > 0, pool, 0.0))
    return j.ratio(j.total(np.where(hit, here * blended, 0.0)), everyone)


def _early_stops(j: Judged, beta: float, gain: Gain, gains: Gains, gamma: float) -> Column:
    """Value for users who stop at relevant documents only, each γ times as likely as the one before."""
    hit, blended, _ = blended_ratio(j, None, gain, gains, beta)
    chance = gamma ** np.maximum(j.running(hit) - 1.0, 0.0)
    relevant = j.ideal.total(gain_of(j.ideal.grade, gain, 2.0, gains) > 0).astype(np.int64)
    return j.ratio(j.total(np.where(hit, chance * blended, 0.0)), sum_weights(lambda i: gamma ** (i - 1.0), relevant))


@measure(
    "NCUguP",
    intuition="NCUguP is average precision for users who tend to stop at good documents: the better the grade, the more users stop "
    "there. It suits graded judgments of users who want precision when they stop.",
    latex=r"\mathrm{NCUguP} = \frac{\sum_r g_r \cdot \mathrm{P}@r}{\sum_r g^*_r}",
    family="overlap",
    aliases=("NCUgu,P",),
    laws="unit perfect tail",
    example=([3, 0, 1], (3 * 1 + 1 * 2 / 3) / 4),
    paper=_NCU,
    formula="Σ over relevant ranks of stop·precision, / Σ of the stops; the stop of a document is its gain, unless given",
)
def ncu_graded_precision(j: Judged, *, gain: Gain = "linear", gains: Gains = None, stops: Stops = None) -> Column:
    """Average precision over users who stop at a document with a probability that grows with its gain."""
    return _graded_stops(j, 0.0, gain, gains, stops)


@measure(
    "NCUguBR",
    intuition="NCUguBR is Q-measure for users who tend to stop at good documents: the better the grade, the more users stop there. "
    "The grades count twice, in where users stop and in what they have then.",
    latex=r"\mathrm{NCUguBR} = \frac{1}{\sum_r g^*_r} \sum_r g_r\,\frac{c_r + \beta\,G_r}{r + \beta\,G^*_r}",
    family="overlap",
    aliases=("NCUgu,BR",),
    laws="unit perfect tail",
    example=([3, 0, 1], (3 * 1 + 1 * 6 / 7) / 4),
    paper=_NCU,
    formula="Σ over relevant ranks of stop·blended ratio, / Σ of the stops; the stop of a document is its gain, unless given",
)
def ncu_graded_blended(
    j: Judged, *, beta: Positive = 1.0, gain: Gain = "linear", gains: Gains = None, stops: Stops = None
) -> Column:
    """Q-measure over users who stop at a document with a probability that grows with its gain."""
    return _graded_stops(j, beta, gain, gains, stops)


@measure(
    "NCUrbP",
    intuition="NCUrbP is average precision for users who tend to stop at the first relevant documents, and few of whom go on to the "
    "last. It suits tasks in which most users want only a few documents.",
    latex=r"\mathrm{NCUrbP} = \frac{\sum_r \mathrm{rel}_r\,\gamma^{c_r - 1}\,\mathrm{P}@r}{\sum_{i=1}^{R} \gamma^{i-1}}",
    family="overlap",
    aliases=("NCUrb,P",),
    laws="unit perfect tail",
    example=([3, 0, 1], (1 + 0.95 * 2 / 3) / (1 + 0.95)),
    paper=_NCU,
    formula="Σ over relevant ranks, the i-th of them, of γ^(i-1)·precision, / Σ of γ^(i-1)",
)
def ncu_early_precision(j: Judged, *, gamma: Share = 0.95, gains: Gains = None) -> Column:
    """Average precision over users who tend to stop at the first relevant documents: those with a gain."""
    return _early_stops(j, 0.0, "linear", gains, gamma)


@measure(
    "NCUrbBR",
    intuition="NCUrbBR is Q-measure for users who tend to stop at the first relevant documents, and few of whom go on to the last. It "
    "suits graded judgments and impatient users.",
    latex=r"\mathrm{NCUrbBR} = \frac{1}{\sum_{i=1}^{R} \gamma^{i-1}} \sum_r \mathrm{rel}_r\,\gamma^{c_r - 1}\,\frac{c_r + \beta\,G_r}{r + \beta\,G^*_r}",
    family="overlap",
    aliases=("NCUrb,BR",),
    laws="unit perfect tail",
    example=([3, 0, 1], (1 + 0.95 * 6 / 7) / (1 + 0.95)),
    paper=_NCU,
    formula="Σ over relevant ranks, the i-th of them, of γ^(i-1)·blended ratio, / Σ of γ^(i-1)",
)
def ncu_early_blended(
    j: Judged, *, gamma: Share = 0.95, beta: Positive = 1.0, gain: Gain = "linear", gains: Gains = None
) -> Column:
    """Q-measure over users who tend to stop at the first relevant documents."""
    return _early_stops(j, beta, gain, gains, gamma)
