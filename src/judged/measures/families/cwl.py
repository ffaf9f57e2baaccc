"""Measures of the C/W/L framework: a user model is the probability of continuing after each rank.

The user continues from rank i with probability C(i), so rank r is reached with probability V(r) = C(1)·…·C(r-1). The
measure is the gain per inspected document, Σ V·gain / Σ V, or with `of` one of its two parts: the expected gain or the
expected number of inspected documents. Ranks without a judged document gain nothing but count as inspected; sums over
them have closed forms, so only hits are visited.

The cost of a document is its number of tokens, so `of` may also be the cost per inspected document, Σ V·cost / Σ V (EC), or the
expected cost, Σ V·cost (ETC), for which every document is visited. A rank below the end of a ranking costs as much as its longest document:
the worst case, as in cwl-eval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Column
from judged.core import segments
from judged.core.judged import Judged
from judged.core.passages import no_tokens, tokens_of
from judged.errors import UsageError
from judged.measures.families.cascade import check_top_grade
from judged.measures.parameters import (
    Cutoff,
    Depth,
    Goal,
    MaxGrade,
    MinGrade,
    Persistence,
    Spec,
    number,
    one_of,
)
from judged.measures.registry import measure

Weight = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_OF = (
    "rate (expected gain per inspected document), gain (expected gain), depth (expected number of inspected documents), cost (expected tokens per "
    "inspected document) or total_cost (expected tokens); costs need the tokens of documents"
)
_COSTS = ("cost", "total_cost")
Of = Annotated[
    Literal["rate", "gain", "depth", "cost", "total_cost"], Spec(_OF, one_of("of", ("rate", "gain", "depth", *_COSTS)))
]
Diminishing = Annotated[
    float, Spec("how fast the worth of further documents falls: 1 not at all", number(0, 1, open_low=True))
]
DEPTH = 1000  # depth of cwl-eval
_STEP = 4096


def sum_weights(weight: Weight, last: Column) -> Column:
    """Return weight(1) + … + weight(last) for each last rank, added in order and independently of the other ranks.

    The weights must not increase with the rank.
    """
    out, carried = np.zeros(len(last)), 0.0
    for start in range(0, int(last.max(initial=0)), _STEP):
        along = np.cumsum(np.append(carried, weight(np.arange(start + 1.0, start + _STEP + 1.0))))
        inside = last > start
        out[inside] = along[np.minimum(last[inside] - start, _STEP)]
        carried = along[-1]
        if carried == along[-2]:  # further weights are too small to change the sum
            break
    return out


def inverse_squares(x: Any) -> Column:
    """Return the infinite sum 1/x² + 1/(x + 1)² + … for x > 0: sixteen terms, then the Euler-Maclaurin formula."""
    near = sum(1.0 / (x + i) ** 2 for i in range(16))
    y = 1.0 / (x + 16.0)
    z = y * y
    far = y + z / 2 + y * z * (1 / 6 - z * (1 / 30 - z * (1 / 42 - z * (1 / 30 - z * 5 / 66))))
    return np.asarray(near + far)


def scale_grades(j: Judged, low: MinGrade, high: MaxGrade) -> Column:
    """Scale grades to values between 0 and 1. Grades below 0 count as 0."""
    if low >= high:
        raise UsageError("parameter", "min below max", got=f"min={low:g}, max={high:g}")
    check_top_grade(j, high)
    gain = (np.maximum(np.maximum(j.grade, 0.0), low) - low) / (high - low)
    return j.column("gain", np.where(j.judgment < 0, 0.0, gain))


def gain_rate(j: Judged, gain: Column, reached: Column, looked: Column, of: Of = "rate", first: float = 1.0) -> Column:
    """Gain per inspected document; at most 1 despite rounding. Or its parts, or costs; `first` is the weight of rank 1."""
    if of in _COSTS:
        return _cost(j, reached, looked, of, first)
    total = j.total(j.column("term", gain))
    if of == "rate":
        return np.minimum(j.ratio(total, looked), 1.0)
    return np.asarray(total if of == "gain" else np.broadcast_to(looked, total.shape)) / first


def _cost(j: Judged, reached: Column, looked: Column, of: Of, first: float) -> Column:
    known = tokens_of(j)
    if known is None:
        raise no_tokens(j)
    cost = known.at("tokens", j.query, j.rank).astype(float)
    below = np.maximum(looked - j.total(reached), 0.0)  # the end of the ranking
    total = j.total(reached * cost) + below * j.highest(cost, np.ones(len(cost), bool))
    return j.ratio(total, looked) if of == "cost" else total / first


def inspected(j: Judged, depth: int | None, of: Of) -> Judged:
    """The rankings down to a depth; for costs, with every document: those without a judgment gain nothing."""
    cut = j if depth is None else j.cut(depth)
    if of not in _COSTS:
        return cut
    rank = segments.ranks(cut.retrieved)
    place = segments.offsets(cut.retrieved)[cut.query] + cut.rank - 1
    grade, judgment = np.zeros(len(rank)), np.full(len(rank), -1)
    grade[place], judgment[place] = cut.grade, cut.judgment
    query = segments.numbers(cut.retrieved)
    return replace(cut, query=query, rank=rank, grade=grade, judgment=judgment, tie_first=rank, tie_last=rank)


def rank_per_query(j: Judged, rank: float | None) -> Column:
    return np.full(len(j), np.inf if rank is None else rank)


# ── users whose patience does not depend on what they find ───────────────────────────────────────


@measure(
    "SDCG",
    intuition="SDCG is DCG divided by that of k perfect documents, even if the collection has fewer. It reads as gain per document "
    "that a user inspects, so it suits comparisons with other user models such as RBP.",
    latex=r"\mathrm{SDCG}@k = \frac{\sum_{r=1}^{k} \bar{g}_r / \log_2(r + 1)}{\sum_{r=1}^{k} 1 / \log_2(r + 1)}",
    family="user model",
    aliases=("scaled_DCG", "NDCG-k"),
    laws="additive unit cutoff swap tail",
    example=([3, 0, 1], (3 / 4 + 1 / 4 / 2) / (1 + 1 / np.log2(3) + 1 / 2)),
    example_params={"cutoff": 3},
    paper="moffat2008",
    formula="Σ over ranks r down to k of gain / log2(r + 1), / Σ of 1 / log2(r + 1)",
)
def scaled_dcg(
    j: Judged, *, cutoff: Cutoff = None, min: MinGrade = 0.0, max: MaxGrade = 4.0, of: Of = "rate"
) -> Column:
    """DCG as a share of the DCG of k documents of the top grade, even if fewer exist.

    Without a cutoff, the first 1000 ranks.
    """
    last = cutoff or DEPTH
    j = inspected(j, last, of)
    gain = scale_grades(j, min, max)
    best = sum_weights(lambda rank: 1.0 / np.log2(rank + 1.0), np.array([last]))
    discount = j.column("discount", np.log2(j.rank + 1.0))
    return gain_rate(j, gain / discount, 1.0 / discount, best[0], of)


@measure(
    "INSQ",
    intuition="INSQ imagines a user who wants T relevant documents: the more they want, the further down they read. It "
    "suits tasks with a known number of wanted documents.",
    latex=r"\mathrm{INSQ} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \frac{1}{(r + 2T - 1)^2}",
    family="user model",
    laws="additive unit swap tail",
    example=([3, 0, 1], (3 / 4 / 2**2 + 1 / 4 / 4**2) / (1 / 2**2 + 1 / 3**2 + 1 / 4**2)),
    example_params={"depth": 3},
    paper="moffat2012",
    formula="Σ V·gain / Σ V, V(r) = 1 / (r + 2T - 1)²; C(r) = ((r + 2T - 1) / (r + 2T))²",
)
def insq(
    j: Judged,
    *,
    T: Goal = 1.0,  # noqa: N803
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    depth: Depth = DEPTH,
    of: Of = "rate",
) -> Column:
    """Gain per document of a user who hopes for T relevant documents and loses patience with the rank."""
    j = inspected(j, depth, of)
    gain = scale_grades(j, min, max)
    looked = inverse_squares(2 * T) - inverse_squares(rank_per_query(j, depth) + 2 * T)
    weight = j.column("weight", 1.0 / (j.rank + 2 * T - 1.0) ** 2)
    return gain_rate(j, gain * weight, weight, looked, of, 1.0 / (2 * T) ** 2)


@measure(
    "SearchEconomics",
    intuition="SearchEconomics imagines a user to whom each further good document is worth less than the one before. It suits tasks "
    "in which the first few documents bring most of the benefit.",
    latex=r"\mathrm{SearchEconomics}@k = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = r^{\beta} - (r - 1)^{\beta}\ (r \le k)",
    family="user model",
    aliases=("SET",),
    laws="unit cutoff swap tail",
    example=([3, 0, 1], (3 / 4 + 1 / 4 * (3**0.5 - 2**0.5)) / 3**0.5),
    example_params={"cutoff": 3},
    paper="azzopardi2014",
    formula="Σ V·gain / Σ V down to k, V(r) = r^β - (r - 1)^β",
)
def search_economics(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    beta: Diminishing = 0.5,
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    of: Of = "rate",
) -> Column:
    """The gain per document of a user to whom r documents of the top grade are worth r^β.

    β = 1 is precision. Without a cutoff, the first 1000 ranks. SET of cwl-eval has V(r) = (r + 1)^β - r^β, whose sum is
    not r^β.
    """
    last = cutoff or DEPTH
    j = inspected(j, last, of)
    gain = scale_grades(j, min, max)
    weight = j.column("weight", np.power(j.rank, beta) - np.power(j.rank - 1.0, beta))
    return gain_rate(j, gain * weight, weight, rank_per_query(j, last**beta), of)


# ── users who stop when they have found enough ───────────────────────────────────────────────────


@measure(
    "BPM",
    intuition="BPM imagines a user who stops when enough was found, or when patience ends at rank k, whichever is first. It suits "
    "tasks with both a goal and a limit of time.",
    latex=r"\mathrm{BPM}@k = \frac{1}{d} \sum_{r=1}^{d} \bar{g}_r,\quad d = \min\left(\{r : \bar{G}_r \ge T\} \cup \{k\}\right)",
    family="user model",
    aliases=("BPM-Static",),
    laws="unit cutoff tail",
    example=([3, 0, 1], 1 / 3),
    example_params={"cutoff": 5},
    paper="zhang2017",
    formula="mean gain down to the first rank at which the gains reach T, or to rank k",
)
def bejewelled_player(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    T: Goal = 1.0,  # noqa: N803
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    of: Of = "rate",
) -> Column:
    """The gain per document of a user who stops when satisfied or tired.

    The static model, in which neither the goal T nor the patience k changes with the rank. Without a cutoff, the
    first 1000 ranks.
    """
    j = inspected(j, cutoff or DEPTH, of)
    gain = scale_grades(j, min, max)
    stop = np.minimum(j.first(j.running(gain) >= T), cutoff or DEPTH)
    read = j.rank <= j.at(stop)
    return gain_rate(j, np.where(read, gain, 0.0), read, stop, of)


@measure(
    "INST",
    intuition="INST imagines a user who wants T relevant documents and leaves the sooner, the more of them were found. It is INSQ for "
    "users who react to what they see.",
    latex=r"\mathrm{INST} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \left(\frac{r + T + T_r - 1}{r + T + T_r}\right)^2,\quad T_r = T - \bar{G}_r",
    family="user model",
    laws="unit tail",
    example=([3, 0, 1], (3 / 4 + 1 / 4 * (1.25 / 3.25) ** 2) / (1 + (1.25 / 2.25) ** 2 + (1.25 / 3.25) ** 2)),
    example_params={"depth": 3},
    paper="moffat2015",
    formula="Σ V·gain / Σ V; C(r) = ((r + T + T_r - 1) / (r + T + T_r))², T_r = T - gain down to r",
)
def inst(
    j: Judged,
    *,
    T: Goal = 1.0,  # noqa: N803
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    depth: Depth = DEPTH,
    of: Of = "rate",
) -> Column:
    """INSQ for a user who stops earlier after seeing more relevant documents."""
    j = inspected(j, depth, of)
    gain = scale_grades(j, min, max)
    total = j.running(gain)
    new = np.diff(j.query, prepend=-1) > 0
    above = np.where(new, 1, np.roll(j.rank, 1))  # the hit before, or rank 1, which every user inspects
    hope = 2 * T - (total - gain)
    step = (np.maximum(above - 1.0 + hope, 0.0) / (j.rank - 1.0 + hope)) ** 2
    before = j.product_before(step)
    reached = j.column("reached", before * step)
    last = rank_per_query(j, depth)
    tail = np.where(np.roll(new, -1), reached * _stretch(j.rank, j.at(last), 2 * T - total), 0.0)
    nothing = _stretch(np.ones(len(j)), last, np.full(len(j), 2 * T))  # of a ranking without a judged document
    looked = 1.0 + np.where(j.hits > 0, j.total(before * _stretch(above, j.rank, hope) + tail), nothing)
    return gain_rate(j, reached * gain, reached, looked, of)


def _stretch(after: Column, through: Column, hope: Column) -> Column:
    """Expected number of documents that INST inspects after one rank, up to another, given that it reached the first and finds nothing."""
    ranks: Column = inverse_squares(after + hope) - inverse_squares(through + hope)
    return np.square(np.maximum(after - 1.0 + hope, 0.0)) * ranks


_PAPER = "azzopardi2021"


def _nearly(j: Judged, gain: Column, weight: Column, upto: Column, end: Column, of: Of, first: float = 1.0) -> Column:
    """Gain per document when V(r) = weight(r)·Π over i < r of (1 - gain).

    `upto` are the sums of the weights down to each hit, `end` down to the last rank. Summed by the rank at
    which the user is satisfied, Σ V = Σ of stops·upto + (never satisfied)·end.
    """
    before = j.product_before(1.0 - gain)
    never = np.ones(len(j))
    never[j.query] = before * (1.0 - gain)  # the last hit of a query overwrites the others
    stops = j.column("stops here", gain * before)
    return gain_rate(j, stops * weight, before * weight, j.total(stops * upto) + never * end, of, first)


@measure(
    "NERR8",
    intuition="NERR8 imagines a user who reads down to rank k but leaves as soon as a document satisfies; better grades satisfy more "
    "often. Unlike ERR it counts gain per document inspected.",
    latex=r"\mathrm{NERR8}@k = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = 1 - \bar{g}_r\ (r < k)",
    family="user model",
    aliases=("NERReq8",),
    laws="unit cutoff tail",
    example=([3, 0, 1], (3 / 4 + 1 / 16) / (1 + 1 / 4 + 1 / 4)),
    example_params={"cutoff": 3},
    paper=_PAPER,
    formula="Σ V·gain / Σ V down to k; C(r) = 1 - gain",
)
def nearly_err_8(
    j: Judged, *, cutoff: Cutoff = None, min: MinGrade = 0.0, max: MaxGrade = 4.0, of: Of = "rate"
) -> Column:
    """The gain per document of a user who continues until satisfied, at most to rank k.

    Equation 8 of the paper. Without a cutoff, the first 1000 ranks.
    """
    j = inspected(j, cutoff or DEPTH, of)
    return _nearly(j, scale_grades(j, min, max), np.ones(len(j.rank)), j.rank, rank_per_query(j, cutoff or DEPTH), of)


@measure(
    "NERR9",
    intuition="NERR9 is NERR8 for a user who also tires: fewer and fewer users go on as the rank grows. Of its family it is the "
    "nearest to ERR.",
    latex=r"\mathrm{NERR9}@k = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \frac{r}{r + 1}\,(1 - \bar{g}_r)\ (r < k)",
    family="user model",
    aliases=("NERReq9",),
    laws="unit cutoff tail",
    example=([3, 0, 1], (3 / 4 + 1 / 16 / 3) / (1 + 1 / 4 / 2 + 1 / 4 / 3)),
    example_params={"cutoff": 3},
    paper=_PAPER,
    formula="Σ V·gain / Σ V down to k; C(r) = r / (r + 1)·(1 - gain)",
)
def nearly_err_9(
    j: Judged, *, cutoff: Cutoff = None, min: MinGrade = 0.0, max: MaxGrade = 4.0, of: Of = "rate"
) -> Column:
    """The gain per document of a user who tires as one over the rank, or is satisfied, at most to rank k.

    Equation 9 of the paper. Without a cutoff, the first 1000 ranks.
    """
    last = cutoff or DEPTH
    j = inspected(j, last, of)
    upto = sum_weights(np.reciprocal, np.append(j.rank, last))
    return _nearly(j, scale_grades(j, min, max), 1.0 / j.rank, upto[:-1], upto[-1], of)


@measure(
    "NERR10",
    intuition="NERR10 is NERR8 for a user who goes on with the same probability p after each document, as in RBP. It suits users "
    "whose patience does not depend on the rank.",
    latex=r"\mathrm{NERR10} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = p\,(1 - \bar{g}_r)",
    family="user model",
    aliases=("NERReq10",),
    laws="unit tail",
    example=([3, 0, 1], (3 / 4 + 0.81 / 16) / (1 + 0.9 / 4 + 0.81 / 4)),
    example_params={"depth": 3},
    paper=_PAPER,
    formula="Σ V·gain / Σ V; C(r) = p·(1 - gain)",
)
def nearly_err_10(
    j: Judged, *, p: Persistence = 0.9, min: MinGrade = 0.0, max: MaxGrade = 4.0, depth: Depth = DEPTH, of: Of = "rate"
) -> Column:
    """The gain per document of a user who continues with probability p as in RBP, until satisfied.

    Equation 10 of the paper.
    """
    j = inspected(j, depth, of)
    upto, end = (1.0 - p**j.rank) / (1.0 - p), (1.0 - p ** rank_per_query(j, depth)) / (1.0 - p)
    return _nearly(j, scale_grades(j, min, max), p ** (j.rank - 1.0), upto, end, of)


@measure(
    "NERR11",
    intuition="NERR11 is NERR8 for a user who hopes for T relevant documents, as in INSQ. It suits tasks with a known goal in which "
    "one very good document may be enough.",
    latex=r"\mathrm{NERR11} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \left(\frac{r + 2T - 1}{r + 2T}\right)^2 (1 - \bar{g}_r)",
    family="user model",
    aliases=("NERReq11",),
    laws="unit tail",
    example=([3, 0, 1], (3 / 4 + 1 / 16 * (2 / 4) ** 2) / (1 + 1 / 4 * (2 / 3) ** 2 + 1 / 4 * (2 / 4) ** 2)),
    example_params={"depth": 3},
    paper=_PAPER,
    formula="Σ V·gain / Σ V; C(r) = ((r + 2T - 1) / (r + 2T))²·(1 - gain)",
)
def nearly_err_11(
    j: Judged,
    *,
    T: Goal = 1.0,  # noqa: N803
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    depth: Depth = DEPTH,
    of: Of = "rate",
) -> Column:
    """The gain per document of a user who hopes for T relevant documents as in INSQ, until satisfied.

    Equation 11 of the paper.
    """
    j = inspected(j, depth, of)
    all_of_them = inverse_squares(2 * T)
    upto, end = (all_of_them - inverse_squares(rank + 2 * T) for rank in (j.rank, rank_per_query(j, depth)))
    return _nearly(j, scale_grades(j, min, max), 1.0 / (j.rank + 2 * T - 1.0) ** 2, upto, end, of, 1.0 / (2 * T) ** 2)
