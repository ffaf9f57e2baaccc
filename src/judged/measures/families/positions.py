"""Measures of the positions of the relevant documents, and of how far down a ranking stays precise."""

from __future__ import annotations

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.families.binary import Missed
from judged.measures.families.cwl import sum_weights
from judged.measures.gains import gain_of
from judged.measures.parameters import Cutoff, Level, Share
from judged.measures.registry import measure

_PASUMARTHI = "pasumarthi2019"


@measure(
    "MAR",
    intuition="MAR averages recall over all cutoffs down to k. Early relevant documents count at more of these "
    "cutoffs, so unlike recall it rewards a good order.",
    latex=r"\mathrm{MAR}@k = \frac{1}{k} \sum_{i=1}^{k} \mathrm{R}@i",
    family="ranked",
    aliases=("mean_average_recall", "AverageRecall"),
    laws={"additive", "unit", "cutoff", "swap"},
    example=([1, 0, 1], (1 / 2 + 1 / 2 + 1) / 3),
    paper="anelli2021",
    formula="mean of R@n over n = 1, …, k",
)
def mean_average_recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Mean of the recall at each rank down to k. Without a cutoff, k is the length of the ranking."""
    size = j.retrieved if cutoff is None else np.full(len(j), cutoff)
    times = j.column("cutoffs that see it", j.at(size) - j.rank + 1.0)
    hit = j.column("relevant", j.is_relevant(level)) & j.within(cutoff)
    return j.ratio(j.total(np.where(hit, times, 0.0)), size * j.relevant(level))


@measure(
    "RecallAtPrecision",
    intuition="RecallAtPrecision asks how much of everything useful a user finds who reads on only as long as enough "
    "of what was read is useful. It suits tasks with a required precision, such as patent search.",
    latex=r"\mathrm{RecallAtPrecision}@k = \max\{\mathrm{R}@r : r \le k,\ \mathrm{P}@r \ge \mathrm{precision}\}",
    family="ranked",
    aliases=("recall_at_precision", "RecallAtFixedPrecision"),
    laws={"unit", "cutoff", "swap", "tail"},
    example=([1, 0, 1, 0, 0, 0, 1], 2 / 3),
    formula="max of R@r over ranks r down to k with P@r ≥ precision",
)
def recall_at_precision(j: Judged, *, cutoff: Cutoff = None, precision: Share = 0.5, level: Level = 1) -> Column:
    """The highest recall at a rank at which the precision is high enough; 0 if there is no such rank.

    torchmetrics (`RetrievalRecallAtFixedPrecision`) averages precision and recall over queries first, rank by rank.
    """
    hit = j.column("relevant", j.is_relevant(level)) & j.within(cutoff)
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
    laws={"additive"},
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
    laws={"additive", "cutoff", "swap", "tail"},
    example=([3, 0, 1], (3 + 1 / 3) / (1 + 1 / 2 + 1 / 3)),
    paper=_PASUMARTHI,
    formula="Σ over ranks r down to k of grade / r, / Σ of 1 / r",
)
def position_weighted_average(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """Mean grade of the first k documents, weighted by one over the rank. Without a cutoff, k is the length of the ranking."""
    size = j.retrieved if cutoff is None else np.full(len(j), cutoff)
    terms = j.column("grade/rank", j.column("gain", gain_of(j.grade)) / j.rank)
    return j.ratio(j.total(np.where(j.within(cutoff), terms, 0.0)), sum_weights(np.reciprocal, size))
