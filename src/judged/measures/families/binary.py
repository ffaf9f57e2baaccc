"""Measures of a ranking in which a document is relevant or not."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.families.sets import depth_of, relevant_hits, relevant_retrieved, size_of, zero_if_short
from judged.measures.parameters import (
    Beta,
    Cutoff,
    Level,
    Multiple,
    Norm,
    PadOrZero,
    Recall,
    Short,
    Spec,
    number,
    numbers,
)
from judged.measures.registry import measure

Rounding = Literal["nearest", "up", "trec9"]
_AFTER = "the value if no relevant document is retrieved; None for the rank after the cutoff or, without a cutoff, after the ranking"
Points = Annotated[tuple[float, ...], Spec("a list of recall levels", numbers(0, 1))]
Missed = Annotated[float | None, Spec(_AFTER, number(1, 1e100, optional=True))]


@measure(
    "P",
    intuition="Precision asks how much of what the user sees is useful: P@10 = 0.4 means that four of the "
    "first ten documents are relevant. It ignores their order within the first ten, and how many "
    "relevant documents exist.",
    latex=r"\mathrm{P}@k = \frac{1}{k} \sum_{r=1}^{k} \mathrm{rel}_r",
    paper="kent1955",
    family="ranked",
    aliases=("Precision", "precision", "RetrievalPrecision"),
    trec="P.",
    laws="additive unit cutoff swap tail",
    example=([1, 0, 1], 2 / 3),
    formula="relevant in the first k / k",
)
def precision(j: Judged, *, cutoff: Cutoff = None, level: Level = 1, short: Short = "pad") -> Column:
    """The share of the first k documents that are relevant.

    A ranking shorter than k is padded with non-relevant documents; `short="shrink"` divides by its
    length instead, `short="zero"` gives 0.
    """
    size = depth_of(j, cutoff) if short == "shrink" else size_of(j, cutoff)
    return zero_if_short(j, j.ratio(relevant_retrieved(j, level, cutoff), size), cutoff, short)


@measure(
    "R",
    intuition="Recall asks how much of everything useful was found: R@100 = 0.8 means that 80% of the known "
    "relevant documents are among the first 100. It matters if missing a document is costly, as in "
    "legal search or for the first stage of a retrieval pipeline.",
    latex=r"\mathrm{R}@k = \frac{1}{R} \sum_{r=1}^{k} \mathrm{rel}_r",
    paper="kent1955",
    family="ranked",
    aliases=("Recall", "RetrievalRecall"),
    trec="recall.",
    laws="additive unit cutoff swap tail",
    example=([1, 0, 1], 1),
    formula="relevant in the first k / relevant",
)
def recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """The share of the relevant documents that are among the first k."""
    return j.ratio(relevant_retrieved(j, level, cutoff), j.relevant(level))


@measure(
    "RCap",
    intuition="Capped recall is recall divided by the best value that k documents allow, so that a perfect ranking has 1 at every "
    "cutoff. It suits short lists for queries with more than k relevant documents, on which plain recall cannot reach 1.",
    latex=r"\mathrm{RCap}@k = \frac{1}{\min(k, R)} \sum_{r=1}^{k} \mathrm{rel}_r",
    paper="thakur2021",
    family="ranked",
    aliases=("R_cap", "capped_recall", "relP"),
    trec="relative_P.",
    laws="additive unit cutoff swap perfect capped tail",
    example=([1, 0, 1], 1),
    formula="relevant in the first k / min(k, relevant)",
)
def capped_recall(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Recall relative to the best that k documents allow."""
    relevant = j.relevant(level)
    return j.ratio(relevant_retrieved(j, level, cutoff), relevant if cutoff is None else np.minimum(cutoff, relevant))


@measure(
    "F",
    intuition="F combines precision and recall in one number that is high only if both are high. F1 weighs "
    "them equally; a larger β favours recall.",
    latex=r"\mathrm{F}@k = \frac{(1 + \beta^2)\,\mathrm{P}@k\,\mathrm{R}@k}{\beta^2\,\mathrm{P}@k + \mathrm{R}@k}",
    family="ranked",
    aliases=("F1", "f1", "Fbeta"),
    laws="unit cutoff swap",
    example=([1, 0, 1], 0.8),
    paper="vanrijsbergen1979",
    formula="(1 + β²)·P·R / (β²·P + R)",
)
def f_measure(j: Judged, *, cutoff: Cutoff = None, beta: Beta = 1.0, level: Level = 1) -> Column:
    """The weighted harmonic mean of precision and recall at k; β > 1 favours recall."""
    p, r = precision(j, cutoff=cutoff, level=level), recall(j, cutoff=cutoff, level=level)
    square = beta * beta
    return j.ratio((square + 1.0) * p * r, square * p + r)


@measure(
    "Success",
    intuition="Success asks whether the user finds anything useful at all among the first k documents: 1 if "
    "so, 0 if not. Its mean is the share of queries that are answered, also called hit rate.",
    latex=r"\mathrm{Success}@k = \max_{r \le k}\,\mathrm{rel}_r",
    family="ranked",
    aliases=("hit_rate", "HitRate", "Hit", "HR", "RetrievalHitRate"),
    trec="success.",
    laws="unit cutoff swap tail",
    example=([0, 1, 1], 1),
    formula="1 if any of the first k is relevant",
)
def success(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """1 if any of the first k documents is relevant, otherwise 0."""
    return (relevant_retrieved(j, level, cutoff) > 0).astype(float)


@measure(
    "RR",
    intuition="Reciprocal rank asks how far the user reads until the first relevant document: 1 at rank 1, 1/2 "
    "at rank 2, 1/3 at rank 3. It suits questions with one answer; everything after the first "
    "relevant document is ignored.",
    latex=r"\mathrm{RR}@k = \frac{1}{\min\{r \le k : \mathrm{rel}_r = 1\}}",
    family="ranked",
    aliases=("MRR", "mrr", "mean_reciprocal_rank", "RetrievalMRR"),
    trec="recip_rank",
    laws="unit cutoff swap perfect capped tail",
    example=([0, 1, 1], 1 / 2),
    paper="kantor2000 voorhees1999",
    formula="1 / rank of the first relevant document",
)
def reciprocal_rank(
    j: Judged, *, cutoff: Cutoff = None, level: Level = 1, which: Literal["first", "all"] = "first"
) -> Column:
    """One over the rank of the first relevant document; 0 if there is none.

    `which="all"` is the mean over every relevant document retrieved.
    """
    hit = relevant_hits(j, level, cutoff)
    if which == "all":
        return j.ratio(j.total(hit * j.column("1/rank", 1 / j.rank)), j.total(hit))
    return j.ratio(1.0, j.first(hit))


@measure(
    "FirstHit",
    intuition="FirstHit is the rank of the first useful document: how many results a user looks at until something helps. It is "
    "easier to explain than reciprocal rank, but a few very late hits dominate its mean.",
    latex=r"\mathrm{FirstHit}@k = \min\{r \le k : \mathrm{rel}_r = 1\}",
    family="ranked",
    aliases=("first_hit", "FirstHitRank", "AverageRankOfFirstHit"),
    lower_is_better=True,
    laws="cutoff",
    example=([0, 1, 1], 2),
    formula="rank of the first relevant document",
)
def first_hit(j: Judged, *, cutoff: Cutoff = None, level: Level = 1, missed: Missed = None) -> Column:
    """The rank of the first relevant document; lower is better.

    If no relevant document is retrieved, the value is `missed`. A query without relevant documents has no value; neither has a query that is
    not in the run, unless a cutoff or `missed` is given.
    """
    rank = j.first(relevant_hits(j, level, cutoff))
    behind = np.where(j.retrieved > 0, j.retrieved + 1.0, np.nan) if cutoff is None else np.full(len(j), cutoff + 1.0)
    absent = behind if missed is None else np.full(len(j), missed)
    return np.where(j.relevant(level) > 0, np.where(np.isinf(rank), absent, rank), np.nan)


@measure(
    "AP",
    intuition="Average precision rewards rankings that put all relevant documents early. At each relevant "
    "document it notes the precision so far, and averages these over all relevant documents, so that "
    "missed ones count as 0.",
    latex=r"\mathrm{AP}@k = \frac{1}{R} \sum_{r=1}^{k} \mathrm{rel}_r \cdot \mathrm{P}@r",
    family="ranked",
    aliases=("MAP", "AveP", "mean_average_precision", "RetrievalMAP"),
    trec="map map_cut.",
    laws="unit cutoff swap perfect tail",
    example=([1, 0, 1], 5 / 6),
    paper="harman1992 buckley2005",
    formula="Σ over relevant ranks r of P@r, / relevant",
)
def average_precision(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    level: Level = 1,
    norm: Norm = "relevant",
    tied: Literal["apart", "together"] = "apart",
    short: PadOrZero = "pad",
) -> Column:
    """Mean, over the relevant documents, of the precision at the rank where each is found.

    Relevant documents that are not retrieved count as 0. Tools divide by different numbers; `norm` chooses one. Documents with equal scores are
    ranked by the policy (`tied="apart"`), or all at the rank of the last of them (`tied="together"`), as in scikit-learn. `short="zero"` gives 0 to rankings
    shorter than k.
    """
    hit = relevant_hits(j, level, cutoff)
    last = j.rank if tied == "apart" else np.minimum(j.tie_last, np.inf if cutoff is None else cutoff)
    found = j.running(hit) if tied == "apart" else j.upto(hit, j.query, last)
    precision_here = j.column("precision", found / last)
    value = j.ratio(j.total(j.column("term", hit * precision_here)), _denominator(j, norm, level, cutoff, hit))
    return zero_if_short(j, value, cutoff, short)


def _denominator(j: Judged, norm: str, level: float, cutoff: int | None, hit: Column) -> Column:
    relevant = j.relevant(level)
    if norm == "capped" and cutoff is not None:
        return np.minimum(relevant, cutoff)
    if norm == "ideal":
        return j.ideal.total(np.maximum(j.ideal.grade, 0) * j.ideal.within(cutoff))
    if norm == "list":
        return np.minimum(relevant, depth_of(j, cutoff))
    if norm == "found":
        return j.total(hit)
    return size_of(j, cutoff) if norm == "cutoff" else relevant


@measure(
    "GMAP",
    intuition="GMAP is the geometric mean of average precision over queries. Improving a query from 0.01 to "
    "0.02 counts as much as from 0.4 to 0.8, so it shows progress on difficult queries.",
    latex=r"\mathrm{GMAP} = \exp\left(\frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{AP}_q, 10^{-5})\right)",
    family="ranked",
    trec="gm_map",
    summary="geometric",
    laws="unit swap perfect tail",
    example=([1, 0, 1], 5 / 6),
    paper="robertson2006",
    formula="exp(mean of ln max(AP, 0.00001))",
)
def geometric_map(j: Judged, *, level: Level = 1) -> Column:
    """Average precision, summarised by its geometric mean, in which weak queries weigh more."""
    return average_precision(j, level=level)


@measure(
    "yaap",
    intuition="yaap stretches average precision to a scale without ends, on which differences between two bad or between two good "
    "rankings count as much as those in the middle. It suits statistics that assume values with a bell-shaped distribution.",
    latex=r"\mathrm{yaap} = \ln \frac{1 + s}{1 + R - s},\quad s = \sum_r \mathrm{rel}_r \cdot \mathrm{P}@r",
    family="ranked",
    trec="yaap",
    example=([1, 0, 1], float(np.log((8 / 3) / (4 / 3)))),
    paper="robertson2012",
    formula="ln((1 + s) / (1 + R - s)), s = Σ P@r over relevant ranks r",
)
def yaap(j: Judged, *, level: Level = 1) -> Column:
    """Yet another AP: average precision on the log-odds scale, smoothed."""
    hit = j.is_relevant(level)
    total = j.total(hit * (j.running(hit) / j.rank))
    return np.log((1.0 + total) / (1.0 + j.relevant(level) - total))


@measure(
    "Rprec",
    intuition="R-precision asks how many of the first R documents are relevant, if R relevant documents exist. "
    "A perfect ranking has the value 1 for every query, however many relevant documents there are.",
    latex=r"\mathrm{Rprec} = \frac{1}{d} \sum_{r=1}^{d} \mathrm{rel}_r,\quad d = \lfloor \mathrm{multiple} \cdot R + 0.9 \rfloor",
    paper="buckley2005",
    family="ranked",
    aliases=("RPrec", "r-precision", "r_precision", "RetrievalRPrecision"),
    trec="Rprec Rprec_mult.",
    laws="additive unit swap perfect tail",
    example=([1, 0, 1], 1 / 2),
    formula="relevant in the first c·R / (c·R), with c = 1 unless given",
)
def r_precision(j: Judged, *, multiple: Multiple = 1.0, level: Level = 1) -> Column:
    """Precision at the number of relevant documents, or at a multiple of it."""
    cutoff = np.trunc(multiple * j.relevant(level) + 0.9)
    return j.ratio(j.total(j.column("relevant", j.is_relevant(level)) & (j.rank <= j.at(cutoff))), cutoff)


@measure(
    "IPrec",
    intuition="IPrec is the precision that a user can expect who reads on until a given share of the relevant documents is found, or "
    "more. Its values at several recall levels make up the classic precision-recall curve.",
    latex=r"\mathrm{IPrec}@\rho = \max\{\mathrm{P}@r : c_r \ge \lfloor \rho R + 0.5 \rfloor\}",
    paper="manning2008",
    family="ranked",
    trec="iprec_at_recall.",
    laws="unit swap perfect tail",
    example=([1, 0, 1], 1),
    formula="max of P@r over ranks r at which at least recall·R relevant documents are found",
)
def interpolated_precision(
    j: Judged, *, recall: Recall = 0.0, level: Level = 1, rounding: Rounding = "nearest"
) -> Column:
    """The best precision at or beyond a recall level.

    The number of relevant documents that a level needs is recall·R, rounded to the nearest integer (trec_eval 10), rounded
    up (the textbook), or with 0.9 added and truncated (trec_eval 9).
    """
    hit = j.column("relevant", j.is_relevant(level))
    count = j.column("found", j.running(hit))
    needed = _relevant_needed(recall, j.relevant(level), rounding)
    return j.highest(j.column("precision", count / j.rank), hit & (count >= j.at(needed)))


def _relevant_needed(recall: float, relevant: Column, rounding: str) -> Column:
    exact = recall * relevant
    if rounding == "trec9":
        return np.trunc(exact + 0.9)
    down = np.floor(exact)
    step = 0.5 if rounding == "nearest" else 1e-9  # 0.7·10 is a little more than 7
    return down + (exact - down >= step)


@measure(
    "IPrec11",
    intuition="IPrec11 averages the precision-recall curve over eleven recall levels from 0 to 1. It was the usual summary before "
    "average precision and suits comparisons with older results.",
    latex=r"\mathrm{IPrec11} = \frac{1}{11} \sum_{i=0}^{10} \mathrm{IPrec}@\frac{i}{10}",
    paper="manning2008",
    family="ranked",
    aliases=("11pt", "eleven_point_average"),
    trec="11pt_avg:",
    laws="unit swap perfect tail",
    example=([1, 0, 1], (8 + 3 * 2 / 3) / 11),
    formula="mean of IPrec at recall 0, 0.1, … 1",
)
def eleven_point_average(
    j: Judged,
    *,
    points: Points = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    level: Level = 1,
    rounding: Rounding = "nearest",
) -> Column:
    """The mean interpolated precision over recall levels, the eleven standard ones unless given."""
    total = np.zeros(len(j))
    for point in reversed(points):
        total += interpolated_precision(j, recall=point, level=level, rounding=rounding)
    return total / len(points)


@measure(
    "binG",
    intuition="binG asks at each relevant document how many useless ones had to be passed before it, and discounts it by the "
    "logarithm of that number. It suits the same tasks as average precision, with a milder penalty for late documents.",
    latex=r"\mathrm{binG} = \frac{1}{R} \sum_r \frac{\mathrm{rel}_r}{\log_2(2 + r - c_r)}",
    family="ranked",
    trec="binG",
    laws="unit swap perfect tail",
    example=([1, 0, 1], (1 + 1 / np.log2(3)) / 2),
    formula="mean over relevant documents of 1 / log2(2 + non-relevant above)",
)
def binary_g(j: Judged, *, level: Level = 1) -> Column:
    """Mean over relevant documents of a gain that falls with the number of non-relevant documents above, on a log scale."""
    hit = j.is_relevant(level)
    weight = 1.0 / np.log2(2 + j.rank - j.running(hit))
    return j.ratio(j.total(hit * j.column("weight", np.where(hit, weight, 0.0))), j.relevant(level))


_DIGITS = np.array([*"0123456789"])


@measure(
    "relstring",
    intuition="relstring writes the first grades of a ranking as a string of characters, such as 3-01. It suits looking at rankings: "
    "it is no number and has no mean.",
    family="ranked",
    trec="relstring.",
    text=True,
    summary="none",
    formula="one character per rank: the grade, > above 9, - not in the pool, . negative grade",
)
def relevance_string(j: Judged, *, cutoff: Cutoff = 10) -> Column:
    """The grades of the first documents as a string, one character each."""
    width = int(j.retrieved.max(initial=0))
    width = width if cutoff is None else min(width, cutoff)
    letters = np.full((len(j), width), "-", dtype="U1")
    letters[np.arange(width) >= j.retrieved[:, None]] = ""
    inside = j.within(width)
    grade = j.grade[inside]
    shown = np.where(
        grade < 0, ".", np.where(grade >= 10, ">", _DIGITS[np.clip(np.nan_to_num(grade), 0, 9).astype(int)])
    )
    letters[j.query[inside], j.rank[inside] - 1] = shown
    return np.array(["".join(row) for row in letters], dtype=object)


_SMALL = 0.00001


@measure(
    "Bpref",
    intuition="Bpref asks how often judged non-relevant documents are ranked above relevant ones. Unjudged "
    "documents are ignored, so it suits collections in which many documents were never judged.",
    latex=r"\mathrm{Bpref} = \frac{1}{R} \sum_r \mathrm{rel}_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)",
    family="ranked",
    aliases=("BPref",),
    trec="bpref",
    laws="unit perfect",
    example=([1, 0, 1], 1 / 2),
    paper="buckley2004",
    formula="Σ over relevant retrieved of 1 - min(n, R) / min(N, R), / R; n = judged non-relevant above",
)
def binary_preference(j: Judged, *, level: Level = 1, norm: Literal["min", "relevant"] = "min") -> Column:
    """Mean over relevant documents of the share of judged non-relevant documents that are not ranked above; unjudged documents are ignored.

    `norm="relevant"` is the denominator R of the original paper instead of min(N, R).
    """
    hit = j.is_relevant(level)
    above = j.column("non-relevant so far", j.running(j.is_judged & ~hit))
    relevant = j.relevant(level)
    others = j.ideal.total(j.ideal.is_judged & ~j.ideal.is_relevant(level))
    most = relevant if norm == "relevant" else np.minimum(others, relevant)
    term = np.where(above > 0, 1.0 - j.ratio(np.minimum(above, j.at(relevant)), j.at(most)), 1.0)
    return j.ratio(j.total(j.column("term", hit * term)), relevant)


@measure(
    "GBpref",
    intuition="GBpref is the geometric mean of Bpref over queries, so that a relative gain counts the same on hard and on easy "
    "queries. It shows progress on hard queries of collections with few judgments.",
    latex=r"\mathrm{GBpref} = \exp\left(\frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{Bpref}_q, 10^{-5})\right)",
    paper="buckley2004",
    family="ranked",
    trec="gm_bpref",
    summary="geometric",
    laws="unit perfect",
    example=([1, 0, 1], 1 / 2),
    formula="exp(mean of ln max(Bpref, 0.00001))",
)
def geometric_bpref(j: Judged, *, level: Level = 1) -> Column:
    """Bpref, summarised by its geometric mean."""
    return binary_preference(j, level=level)


@measure(
    "infAP",
    intuition="infAP estimates average precision if only a random sample of the pool was judged. It lets a "
    "collection be built with fewer judgments.",
    latex=r"\mathrm{infAP} = \frac{1}{R} \sum_r \frac{\mathrm{rel}_r}{r} \left(1 + d_r\,\frac{c_{r-1} + \epsilon}{c_{r-1} + n_r + 2\epsilon}\right),\quad \epsilon = 10^{-5}",
    family="ranked",
    trec="infAP",
    laws="unit",
    example=([1, 0, 1], (1 + 1 / 3 + 2 / 3 * (1 + _SMALL) / (2 + 2 * _SMALL)) / 2),
    paper="yilmaz2006",
    formula="mean over relevant documents of the expected precision, from the judged sample of the pool",
)
def inferred_ap(j: Judged, *, level: Level = 1) -> Column:
    """Average precision estimated from a sample of the pool; negative grades mark documents outside the sample."""
    hit = j.is_relevant(level)
    relevant, other = j.running(hit) - 1, j.running(j.is_judged & ~hit)
    pooled = relevant + other + j.running(~j.is_judged)
    before = np.maximum(j.rank - 1.0, 1.0)
    share = (relevant + _SMALL) / (relevant + other + 2 * _SMALL)
    expected = 1.0 / j.rank + ((j.rank - 1.0) / j.rank) * (pooled / before) * share
    here = j.column("expected precision", np.where(hit, np.where(j.rank == 1, 1.0, expected), 0.0))
    return j.ratio(j.total(here), j.relevant(level))
