"""Measures of an unranked set: the order of documents does not matter."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from judged._types import Column
from judged.core.judged import Confusion, Judged
from judged.errors import UsageError
from judged.measures.parameters import Beta, Cutoff, Flag, Level, OneClass, Only, Spec, Weights, number
from judged.measures.registry import measure

_MOST = 1e15  # documents; products of such counts are within the range of numbers
Collection = Annotated[
    float | None, Spec("number of documents in the collection", number(0, _MOST, optional=True), ("N",))
]


def relevant_hits(j: Judged, level: Level = 1, cutoff: Cutoff = None) -> Column:
    """Mask of the relevant documents down to the cutoff."""
    hit = j.column("relevant", j.is_relevant(level))
    return hit if cutoff is None else hit & j.within(cutoff)


def relevant_retrieved(j: Judged, level: Level = 1, cutoff: Cutoff = None) -> Column:
    """Number of relevant documents retrieved."""
    return j.total(relevant_hits(j, level, cutoff))


def depth_of(j: Judged, cutoff: Cutoff = None) -> Column:
    """Number of documents retrieved down to the cutoff."""
    return j.retrieved if cutoff is None else np.minimum(j.retrieved, cutoff)


def size_of(j: Judged, cutoff: Cutoff) -> Column:
    """The cutoff, or without one the length of the ranking."""
    return j.retrieved if cutoff is None else np.full(len(j), cutoff)


def zero_if_short(j: Judged, value: Column, cutoff: Cutoff, short: str) -> Column:
    """0 in place of the values of rankings that do not reach the cutoff, if `short` is "zero"."""
    return np.where(depth_of(j, cutoff) < (cutoff or 0), 0.0, value) if short == "zero" else value


def _decisions(j: Judged, level: Level, cutoff: Cutoff = None) -> Confusion:
    """Confusion counts of the retrieved set; unjudged documents count as non-relevant."""
    hits = relevant_retrieved(j, level, cutoff)
    return Confusion(
        tp=hits, fp=depth_of(j, cutoff) - hits, fn=j.relevant(level) - hits, tn=np.zeros(len(j)), ratio=j.ratio
    )


@measure(
    "SetP",
    intuition="Set precision is the share of all retrieved documents that are relevant. It suits systems that "
    "return a set without an order, such as filters.",
    latex=r"\mathrm{SetP} = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}",
    paper="kent1955",
    family="set",
    aliases=("set_precision",),
    trec="set_P",
    laws="additive unit cutoff tail",
    example=([1, 0, 1], 2 / 3),
    formula="relevant retrieved / retrieved",
)
def set_precision(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """The share of the retrieved documents that are relevant; with a cutoff, of the first k as a set."""
    return _decisions(j, level, cutoff).precision


@measure(
    "SetR",
    intuition="Set recall is the share of all relevant documents that were retrieved. It suits systems that "
    "return a set without an order, such as Boolean search.",
    latex=r"\mathrm{SetR} = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}",
    paper="kent1955",
    family="set",
    aliases=("set_R", "TPR", "Sensitivity"),
    trec="set_recall",
    laws="additive unit cutoff perfect tail",
    example=([1, 0, 1], 1),
    formula="relevant retrieved / relevant",
)
def set_recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """The share of the relevant documents that were retrieved; with a cutoff, among the first k."""
    return _decisions(j, level, cutoff).recall


@measure(
    "SetF",
    intuition="Set F combines set precision and set recall in one number that is high only if both are high. It suits filters and "
    "classifiers, which return a set without an order.",
    latex=r"\mathrm{SetF} = \frac{(1 + \beta^2)\,\mathrm{SetP}\,\mathrm{SetR}}{\beta^2\,\mathrm{SetP} + \mathrm{SetR}}",
    family="set",
    trec="set_F:",
    laws="unit tail",
    example=([1, 0, 1], 0.8),
    paper="vanrijsbergen1979",
    formula="(1 + β²)·P·R / (β²·P + R)",
)
def set_f(j: Judged, *, beta: Beta = 1.0, level: Level = 1, squared: Flag = False) -> Column:
    """The weighted harmonic mean of set precision and set recall; β > 1 favours recall.

    trec_eval's `set_F.x` takes x = β²; so does `squared=True`, for which `beta` is the square already.
    """
    return _decisions(j, level).f(beta**0.5 if squared else beta)


@measure(
    "SetAP",
    intuition="SetAP multiplies the share of the retrieved documents that are relevant with the share of the relevant documents that "
    "were retrieved. It is about what average precision would be if the retrieved set were in random order, so it suits "
    "unordered results.",
    latex=r"\mathrm{SetAP} = \mathrm{SetP} \cdot \mathrm{SetR}",
    family="set",
    trec="set_map",
    laws="unit tail",
    example=([1, 0, 1], 2 / 3),
    formula="set precision · set recall",
)
def set_average_precision(j: Judged, *, level: Level = 1) -> Column:
    """Set precision times set recall: average precision if the order were random."""
    hits = relevant_retrieved(j, level)
    return j.ratio(hits * hits, j.retrieved * j.relevant(level))


@measure(
    "SetRelP",
    intuition="SetRelP compares the number of relevant documents retrieved with the most that a set of this size could contain. It is "
    "fairer than set precision if sets have different sizes, or if few relevant documents exist.",
    latex=r"\mathrm{SetRelP} = \frac{\mathrm{TP}}{\min(n, R)}",
    family="set",
    trec="set_relative_P",
    laws="unit cutoff perfect tail",
    example=([1, 0, 1], 1),
    formula="relevant retrieved / min(retrieved, relevant)",
)
def set_relative_precision(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Set precision relative to the best that a set of this size could have."""
    return j.ratio(relevant_retrieved(j, level, cutoff), np.minimum(depth_of(j, cutoff), j.relevant(level)))


# ── right and wrong decisions: these count non-relevant documents that were left out too ─────────


def all_decisions(j: Judged, level: Level, collection: Collection, cutoff: Cutoff = None) -> Confusion:
    """Confusion counts of the collection. Without its size, of the judged documents."""
    hits = relevant_retrieved(j, level, cutoff)
    if collection is None:
        wrong = j.total(j.is_judged & ~j.is_relevant(level) & j.within(cutoff))
        outside = j.ideal.total(j.ideal.is_judged & ~j.ideal.is_relevant(level)) - wrong
    else:
        wrong = depth_of(j, cutoff) - hits
        outside = collection - j.relevant(level) - wrong
        if (outside < 0).any():
            raise UsageError(
                "parameter", f"collection={collection:g} is smaller than the number of retrieved and relevant documents"
            )
    return Confusion(tp=hits, fp=wrong, fn=j.relevant(level) - hits, tn=outside, ratio=j.ratio)


@measure(
    "FallOut",
    intuition="Fall-out is the share of the useless documents that the system returned anyway. It suits tasks in which false "
    "alarms are costly, and is the horizontal axis of a ROC curve.",
    latex=r"\mathrm{FallOut} = \frac{\mathrm{FP}}{\mathrm{FP} + \mathrm{TN}}",
    family="set",
    aliases=("fallout", "RetrievalFallOut", "FPR"),
    lower_is_better=True,
    example=([1, 0, 1], 1),
    laws="additive cutoff",
    formula="non-relevant retrieved / non-relevant in the collection",
)
def fall_out(
    j: Judged, *, cutoff: Cutoff = None, level: Level = 1, collection: Collection = None, no_negatives: OneClass = 0.0
) -> Column:
    """The share of the non-relevant documents that were retrieved; lower is better.

    Without the size of the collection, the judged non-relevant documents represent all others; `no_negatives` is the value if there are none.
    """
    counts = all_decisions(j, level, collection, cutoff)
    return np.where(counts.fp + counts.tn > 0, counts.fall_out, no_negatives)


@measure(
    "Specificity",
    intuition="Specificity is the share of the useless documents that the system rightly left out. It is the counterpart of recall "
    "for screening tasks, in which each wrong alarm costs work.",
    latex=r"\mathrm{Specificity} = \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}",
    family="set",
    aliases=("TNR",),
    example=([1, 0, 1], 0),
    laws="additive cutoff",
    formula="1 - fall-out",
)
def specificity(j: Judged, *, cutoff: Cutoff = None, level: Level = 1, collection: Collection = None) -> Column:
    """The share of the non-relevant documents that were not retrieved."""
    return all_decisions(j, level, collection, cutoff).specificity


@measure(
    "SetAccuracy",
    intuition="Set accuracy is the share of all documents that the system rightly returned or rightly "
    "left out. It suits balanced classification; in search almost nothing is relevant, and a system that returns nothing looks "
    "excellent.",
    latex=r"\mathrm{SetAccuracy} = \frac{\mathrm{TP} + \mathrm{TN}}{\mathrm{TP} + \mathrm{FP} + \mathrm{FN} + \mathrm{TN}}",
    family="set",
    aliases=("decision_accuracy",),
    laws="unit",
    always_defined=True,
    example=([1, 0, 1], 2 / 3),
    formula="(relevant retrieved + non-relevant left out) / all documents",
)
def set_accuracy(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """The share of correct decisions: relevant documents retrieved, others not.

    Misleading if almost nothing is relevant: returning nothing is then almost always right. Three measures are
    called accuracy; see `Accuracy` (pairs in the right order) and `Success` (any hit).
    """
    return all_decisions(j, level, collection).accuracy


@measure(
    "BalancedAccuracy",
    intuition="Balanced accuracy gives the relevant documents together the same weight as all others together. It suits filters if "
    "relevant documents are rare, where plain accuracy is misleading.",
    latex=r"\mathrm{BalancedAccuracy} = \frac{1}{2}\left(\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}} + \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}\right)",
    paper="brodersen2010",
    family="set",
    laws="unit",
    example=([1, 0, 1], 1 / 2),
    formula="(recall + specificity) / 2",
)
def balanced_accuracy(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """The mean of recall and specificity: ½ for retrieving all, nothing, or at random."""
    return all_decisions(j, level, collection).balanced_accuracy


@measure(
    "Youden",
    intuition="Youden's J tells how much more often relevant documents are returned than others. Random decisions have 0 whatever "
    "share of the documents is relevant, so it suits the choice of a threshold.",
    latex=r"\mathrm{Youden} = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}} + \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}} - 1",
    family="set",
    aliases=("informedness",),
    example=([1, 0, 1], 0),
    paper="youden1950",
    formula="recall + specificity - 1",
)
def youden(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """Recall and specificity beyond chance: 0 for random decisions, 1 for perfect ones."""
    return all_decisions(j, level, collection).youden


@measure(
    "MCC",
    intuition="MCC is a correlation: 1 if exactly the relevant documents are returned, 0 for random decisions, -1 if every decision "
    "is wrong. It uses all four kinds of decisions, so it suits unbalanced data on which accuracy and F disagree.",
    latex=r"\mathrm{MCC} = \frac{\mathrm{TP} \cdot \mathrm{TN} - \mathrm{FP} \cdot \mathrm{FN}}{\sqrt{(\mathrm{TP} + \mathrm{FP})(\mathrm{TP} + \mathrm{FN})(\mathrm{TN} + \mathrm{FP})(\mathrm{TN} + \mathrm{FN})}}",
    family="set",
    aliases=("matthews",),
    example=([1, 0, 1], 0),
    paper="matthews1975",
    formula="(TP·TN - FP·FN) / √((TP+FP)·(TP+FN)·(TN+FP)·(TN+FN))",
)
def matthews(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """The correlation between being retrieved and being relevant; 0 if either never varies."""
    return all_decisions(j, level, collection).mcc


_LEFT_OUT = Only("weights", lambda weights: weights[3:] != (0.0,), "without a fourth weight other than 0")
_Size = Annotated[float, Spec("number of documents in the collection", number(0, _MOST), ("N",), only=_LEFT_OUT)]


@measure(
    "Utility",
    intuition="Utility pays or charges a fixed amount for each document, depending on whether it is relevant and whether it was "
    "returned. It suits alerts and filters for which the worth of a hit and the cost of a false alarm are known.",
    latex=r"\mathrm{Utility} = w_1\,\mathrm{TP} + w_2\,\mathrm{FP} + w_3\,\mathrm{FN} + w_4\,\mathrm{TN}",
    family="set",
    trec="utility:",
    example=([1, 0, 1], 1),
    formula="w₁·relevant retrieved + w₂·non-relevant retrieved + w₃·relevant missed + w₄·non-relevant left out",
)
def utility(
    j: Judged, *, weights: Weights = (1.0, -1.0, 0.0, 0.0), level: Level = 1, collection: _Size = 0.0
) -> Column:
    """Weighted sum of the documents that were retrieved and missed."""
    if len(weights) != 4:
        raise UsageError("parameter", f"weights must be four numbers, got {len(weights)}", value=weights)
    hits, relevant = relevant_retrieved(j, level), j.relevant(level)
    return (
        weights[0] * hits
        + weights[1] * (j.retrieved - hits)
        + weights[2] * (relevant - hits)
        + weights[3] * (collection + hits - j.retrieved - relevant)
    )


_COUNT: dict[str, Any] = {"family": "count", "summary": "sum", "whole": True}


@measure(
    "NumQ",
    intuition="NumQ counts the queries that were evaluated. Look at it first: systems are comparable only on the same queries.",
    trec="num_q",
    **_COUNT,
    example=([1, 0, 1], 1),
    formula="1",
)
def number_of_queries(j: Judged) -> Column:
    """Number of queries: 1 for each."""
    return np.ones(len(j))


@measure(
    "NumRet",
    intuition="NumRet counts the documents that the system returned over all queries. Unexpectedly small numbers point to truncated "
    "or incomplete runs.",
    trec="num_ret",
    **_COUNT,
    example=([1, 0, 1], 3),
    formula="retrieved",
)
def number_retrieved(j: Judged) -> Column:
    """Number of documents in the ranking."""
    return j.retrieved


@measure(
    "NumRel",
    intuition="NumRel counts the documents that assessors found relevant. It describes the judgments and not the system: queries with "
    "few of them have coarse values.",
    trec="num_rel",
    **_COUNT,
    example=([1, 0, 1], 2),
    formula="relevant",
)
def number_relevant(j: Judged, *, level: Level = 1) -> Column:
    """Number of relevant documents in the pool."""
    return j.relevant(level)


@measure(
    "NumRelRet",
    intuition="NumRelRet counts the relevant documents that the system found over all queries. Compared with NumRel it shows recall "
    "as plain numbers.",
    aliases=("hits", "TP"),
    trec="num_rel_ret",
    **_COUNT,
    laws="additive cutoff",
    example=([1, 0, 1], 2),
    formula="relevant retrieved",
)
def number_relevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of relevant documents in the ranking."""
    return relevant_retrieved(j, level, cutoff)


@measure(
    "MeanRelRet",
    intuition="MeanRelRet is the number of relevant documents that a user finds for an average query. It is easy to explain, but "
    "queries with many relevant documents dominate it.",
    family="count",
    laws="cutoff",
    example=([1, 0, 1], 2),
    formula="relevant retrieved, averaged over queries",
)
def mean_relevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of relevant documents in the ranking, averaged over queries, like `hits` in ranx."""
    return relevant_retrieved(j, level, cutoff)


@measure(
    "NumNonRelRet",
    intuition="NumNonRelRet counts the documents that the system returned and assessors found useless. Unjudged documents are left "
    "out, so it shows known mistakes only.",
    trec="num_nonrel_judged_ret",
    **_COUNT,
    lower_is_better=True,
    laws="additive cutoff",
    example=([1, 0, 1], 1),
    formula="judged non-relevant retrieved",
)
def number_nonrelevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of judged non-relevant documents in the ranking."""
    return all_decisions(j, level, None, cutoff).fp


@measure(
    "NumWrongRet",
    intuition="NumWrongRet counts the false alarms: documents that were returned and are not relevant. It suits filters, together "
    "with NumRelRet.",
    aliases=("FP",),
    **_COUNT,
    lower_is_better=True,
    example=([1, 0, 1], 1),
    formula="non-relevant retrieved",
)
def number_wrongly_retrieved(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """Number of non-relevant documents in the ranking: judged ones, or all of the collection."""
    return all_decisions(j, level, collection).fp


@measure(
    "NumRelMissed",
    intuition="NumRelMissed counts the relevant documents that the system did not return at any rank. It suits tasks in which each "
    "miss has a cost, such as legal search.",
    aliases=("FN",),
    **_COUNT,
    lower_is_better=True,
    example=([1, 0, 1], 0),
    formula="relevant not retrieved",
)
def number_relevant_missed(j: Judged, *, level: Level = 1) -> Column:
    """Number of relevant documents that are not in the ranking."""
    return all_decisions(j, level, None).fn


@measure(
    "NumNonRelLeft",
    intuition="NumNonRelLeft counts the useless documents that the system rightly did not return. It completes the four counts of a "
    "confusion table and means little on its own.",
    aliases=("TN",),
    **_COUNT,
    example=([1, 0, 1], 0),
    formula="non-relevant not retrieved",
)
def number_nonrelevant_left(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """Number of non-relevant documents that are not in the ranking: judged ones, or all of the collection."""
    return all_decisions(j, level, collection).tn
