"""Measures of the positions of the relevant documents, and of how far down a ranking stays precise."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from judged._types import Column
from judged.core.judged import Judged, wrong_around
from judged.measures.families.binary import Missed
from judged.measures.families.cwl import sum_weights
from judged.measures.families.sets import depth_of, relevant_hits, size_of
from judged.measures.parameters import Cutoff, Level, OneClass, Share, Spec, gain_of, number
from judged.measures.registry import measure

_PASUMARTHI = "pasumarthi2019"


@measure(
    "MAR",
    intuition="MAR averages recall over all cutoffs down to k. Early relevant documents count at more of these "
    "cutoffs, so unlike recall it rewards a good order.",
    latex=r"\mathrm{MAR}@k = \frac{1}{k} \sum_{i=1}^{k} \mathrm{R}@i",
    family="ranked",
    aliases=("mean_average_recall", "AverageRecall"),
    laws="additive unit cutoff swap",
    example=([1, 0, 1], (1 / 2 + 1 / 2 + 1) / 3),
    paper="anelli2021",
    formula="mean of R@n over n = 1, …, k",
)
def mean_average_recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Mean of the recall at each rank down to k. Without a cutoff, k is the length of the ranking."""
    size = size_of(j, cutoff)
    times = j.column("cutoffs that see it", j.at(size) - j.rank + 1.0)
    hit = relevant_hits(j, level, cutoff)
    return j.ratio(j.total(np.where(hit, times, 0.0)), size * j.relevant(level))


@measure(
    "RecallAtPrecision",
    intuition="RecallAtPrecision asks how much of everything useful a user finds who reads on only as long as enough "
    "of what was read is useful. It suits tasks with a required precision, such as patent search.",
    latex=r"\mathrm{RecallAtPrecision}@k = \max\{\mathrm{R}@r : r \le k,\ \mathrm{P}@r \ge \mathrm{precision}\}",
    family="ranked",
    aliases=("recall_at_precision", "RecallAtFixedPrecision"),
    laws="unit cutoff swap tail",
    example=([1, 0, 1, 0, 0, 0, 1], 2 / 3),
    formula="max of R@r over ranks r down to k with P@r ≥ precision",
)
def recall_at_precision(j: Judged, *, cutoff: Cutoff = None, precision: Share = 0.5, level: Level = 1) -> Column:
    """The highest recall at a rank at which the precision is high enough; 0 if there is no such rank.

    torchmetrics (`RetrievalRecallAtFixedPrecision`) averages precision and recall over queries first, rank by rank.
    """
    hit = relevant_hits(j, level, cutoff)
    found = j.column("found", j.running(hit).astype(float))
    enough = hit & (j.column("precision", found / j.rank) >= precision)
    return j.ratio(j.highest(found, enough), j.relevant(level))


@measure(
    "ARP",
    intuition="ARP is the average rank of the relevant documents, in which better grades count more. It says how far "
    "down a user must look for a relevant document.",
    latex=r"\mathrm{ARP} = \frac{1}{\sum_r g^*_r} \left(\sum_{r=1}^{n} r\,g_r + (n + 1) \left(\sum_r g^*_r - \sum_r g_r\right)\right)",
    family="graded",
    aliases=("average_relevance_position",),
    lower_is_better=True,
    laws="additive",
    example=([3, 0, 1], (3 * 1 + 1 * 3) / 4),
    paper=_PASUMARTHI,
    formula="Σ grade·rank / Σ grade",
)
def average_relevance_position(j: Judged, *, missed: Missed = None) -> Column:
    """Mean rank of the documents of positive grade, weighted by grade; lower is better.

    Those that are not retrieved have the rank `missed`. A query without a document of positive grade has no value; neither has a query
    that is not in the run, unless `missed` is given. TF-Ranking weights the values of lists by the sum of their grades.
    """
    grade = j.column("grade", np.maximum(j.grade, 0.0))
    total = j.ideal.total(np.maximum(j.ideal.grade, 0.0))
    behind = np.where(j.retrieved > 0, j.retrieved + 1.0, np.nan) if missed is None else np.full(len(j), missed)
    lacking = total - j.total(grade)
    ranks = j.total(j.column("grade·rank", grade * j.rank)) + np.where(lacking > 0, lacking * behind, 0.0)
    return np.where(total > 0, j.ratio(ranks, total), np.nan)


@measure(
    "PWA",
    intuition="PWA is the mean grade of the first k documents, in which the first rank counts twice as much as the second and three "
    "times as much as the third. It has the unit of the grades, so it is easy to read.",
    latex=r"\mathrm{PWA}@k = \frac{\sum_{r=1}^{k} g_r / r}{\sum_{r=1}^{k} 1 / r}",
    family="graded",
    aliases=("position_weighted_average",),
    laws="additive cutoff swap tail",
    example=([3, 0, 1], (3 + 1 / 3) / (1 + 1 / 2 + 1 / 3)),
    paper=_PASUMARTHI,
    formula="Σ over ranks r down to k of grade / r, / Σ of 1 / r",
)
def position_weighted_average(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """Mean grade of the first k documents, weighted by one over the rank. Without a cutoff, k is the length of the ranking."""
    size = size_of(j, cutoff)
    terms = j.column("grade/rank", j.column("gain", gain_of(j.grade)) / j.rank)
    return j.ratio(j.total(np.where(j.within(cutoff), terms, 0.0)), sum_weights(np.reciprocal, size))


FallOut = Annotated[float, Spec("highest fall-out of the area", number(0, 1, open_low=True))]


@measure(
    "AUC",
    intuition="AUC is the probability that a random relevant document is ranked above a random non-relevant "
    "one. A random order has 1/2, a perfect one 1.",
    latex=r"\mathrm{AUC} = \frac{1}{|A|\,|B|} \sum_{a \in A} \sum_{b \in B} \left([\sigma_a > \sigma_b] + \frac{1}{2} [\sigma_a = \sigma_b]\right)",
    paper="hanley1982",
    family="ranked",
    aliases=("AUROC", "RetrievalAUROC", "ROC_AUC"),
    laws="unit",
    example=([1, 0, 1], 1 / 2),
    formula="share of (relevant, non-relevant) pairs of the ranking in the right order, equal scores ½",
)
def roc_auc(
    j: Judged, *, cutoff: Cutoff = None, level: Level = 1, max_fpr: FallOut = 1.0, no_negatives: OneClass = 1.0
) -> Column:
    """The area under the ROC curve of the ranking; unjudged documents count as non-relevant.

    Below 1, `max_fpr` keeps the area up to that fall-out, rescaled so that chance gives ½ and perfection 1
    (McClish 1989). 0 if no relevant document was retrieved; `no_negatives` if no other was.
    """
    hit = j.is_relevant(level) & j.within(cutoff)
    relevant = j.total(hit)
    others = depth_of(j, cutoff) - relevant
    low, high = wrong_around(j, hit, cutoff)
    limit = max_fpr * j.at(others)
    slope = np.clip(limit - low, 0, high - low)
    area = j.total(np.where(hit, np.maximum(limit - high, 0) + j.ratio(slope**2, 2 * (high - low)), 0.0))
    share = j.ratio(area, relevant * others)
    if max_fpr < 1:
        share = 0.5 * (1 + (share - max_fpr**2 / 2) / (max_fpr - max_fpr**2 / 2))
    return np.where(relevant == 0, 0.0, np.where(others == 0, no_negatives, share))


@measure(
    "RankingLoss",
    intuition="Ranking loss is the share of pairs in which a useless document is scored at least as high as a relevant one. It is "
    "known from multi-label classification, where a perfect order of the labels has 0.",
    latex=r"\mathrm{RankingLoss} = \frac{1}{|A|\,|B|} \sum_{a \in A} \sum_{b \in B} [\sigma_a \le \sigma_b]",
    family="ranked",
    aliases=("label_ranking_loss",),
    lower_is_better=True,
    laws="unit",
    example=([1, 0, 1], 1 / 2),
    paper="tsoumakas2010",
    formula="share of (relevant, non-relevant) pairs not in the right order, equal scores 1",
)
def ranking_loss(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Share of (relevant, non-relevant) pairs in which the relevant document is not ranked above; ties count in full. 0 if there are no pairs."""
    hit = j.is_relevant(level) & j.within(cutoff)
    relevant = j.total(hit)
    _, high = wrong_around(j, hit, cutoff)
    return j.ratio(j.total(np.where(hit, high, 0.0)), relevant * (depth_of(j, cutoff) - relevant))


@measure(
    "LastHit",
    intuition="LastHit tells how far down a user must read to have seen every relevant document. It suits tasks that need all of "
    "them, such as reviews, and one late document decides it.",
    latex=r"\mathrm{LastHit} = \max\{r : \mathrm{rel}_r = 1\}",
    family="ranked",
    aliases=("coverage_error", "CoverageError"),
    lower_is_better=True,
    example=([0, 1, 1], 3),
    paper="tsoumakas2010",
    formula="rank down to which all relevant documents are found",
)
def last_hit(j: Judged, *, level: Level = 1) -> Column:
    """Rank at which all relevant documents have been retrieved; documents with equal scores are taken together.

    0 if there are no relevant documents; one more than the length of the ranking if one is not retrieved.
    """
    hit = j.is_relevant(level)
    last = j.highest(j.column("rank", j.tie_last).astype(float), hit)
    return np.where(j.relevant(level) > j.total(hit), j.retrieved + 1.0, last)


@measure(
    "Accuracy",
    intuition="Accuracy is the share of pairs of a relevant and a useless document that are in the right order. It suits rankings of "
    "a fixed candidate list, such as reranking; one half is random.",
    latex=r"\mathrm{Accuracy} = 1 - \frac{1}{|A|\,|B|} \sum_r \mathrm{rel}_r\,(r - c_r)",
    family="ranked",
    aliases=("pair_accuracy",),
    laws="unit",
    example=([1, 0, 1], 1 / 2),
    formula="1 - non-relevant above each relevant document, summed / (relevant · non-relevant retrieved)",
)
def accuracy(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Probability that a relevant document is ranked above a non-relevant one of the ranking.

    Three measures are called accuracy; see `SetAccuracy` (correct decisions) and `Success` (any hit).
    """
    hit = j.is_relevant(level) & j.within(cutoff)
    relevant = j.total(hit)
    others = depth_of(j, cutoff) - relevant
    wrong = j.total(np.where(hit, j.rank - j.running(hit), 0))
    return np.where(relevant > 0, 1.0 - j.ratio(wrong, relevant * others), 0.0)


@measure(
    "OPA",
    intuition="OPA takes two judged documents of different grades and asks how often the better one has the higher score. It suits "
    "training of rankers from graded labels, since it looks at all pairs and not only at the top.",
    latex=r"\mathrm{OPA} = \frac{|\{(a, b) : y_a > y_b,\ \sigma_a > \sigma_b\}|}{|\{(a, b) : y_a > y_b\}|}",
    family="graded",
    aliases=("ordered_pair_accuracy", "PairAccuracy"),
    laws="unit",
    example=([1, 0, 2], 1 / 3),
    formula="pairs of judged documents in the order of their grades / pairs of different grades",
)
def ordered_pair_accuracy(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of pairs of retrieved judged documents with different grades that are in the right order.

    Documents with equal scores are not in the right order.
    """
    inside = j.within(cutoff)
    right, pairs = np.zeros(len(j)), np.zeros(len(j))
    for grade in j.levels(j.grade):
        here, better = inside & (j.grade == grade), inside & (j.grade > grade)
        right += j.total(here * j.upto(better, j.query, j.tie_first - 1))
        pairs += j.total(here) * j.total(better)
    return j.ratio(right, pairs)
