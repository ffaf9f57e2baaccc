"""Measures that model a user who goes down the ranking and may stop."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Column
from judged.core import segments
from judged.core.judged import Judged
from judged.errors import DataError, UsageError, shown
from judged.measures.families.sets import zero_if_short
from judged.measures.parameters import (
    Cutoff,
    Gain,
    Gains,
    MaxGrade,
    OptionalLevel,
    OptionalMax,
    PadOrZero,
    Persistence,
    gain_of,
)
from judged.measures.registry import measure


def check_top_grade(j: Judged, top: float) -> None:
    """Raise `label-above-max` if a grade is above the top grade."""
    above = np.flatnonzero(j.pool_grade > top)
    if len(above):
        grade, query = j.pool_grade[above[0]], j.queries[j.pool_query[above[0]]]
        doc = f" of document {shown(j.pool_doc[int(above[0])])}" if j.pool_doc is not None else ""
        raise DataError(
            "label-above-max",
            f"grade {grade:g}{doc} for query {shown(query)} is above the top grade, {top:g}",
            value=float(grade),
            hint=f"set the top grade: max={j.pool_grade.max():g}",
            where=j.names[0],
        )


def satisfaction(j: Judged, grade: Column, max_grade: MaxGrade, gain: Gain = "exp", gains: Gains = None) -> Column:
    """Probability that a document of this grade satisfies the user: gain / (top gain + 1), or (2^grade - 1) / 2^max."""
    check_top_grade(j, max_grade)
    chance = gain_of(grade, gain, 2.0, gains) / (gain_of(np.array([max_grade]), gain, 2.0, gains) + 1.0)
    if ((chance < 0) | (chance > 1)).any():
        raise UsageError(
            "parameter", f"gains from 0 to that of the top grade, {max_grade:g}", got=f"{gains}", value=gains
        )
    return chance


def _stops(j: Judged, max_grade: MaxGrade, gain: Gain = "exp", gains: Gains = None) -> Column:
    """Probability of stopping at each hit: satisfied by it, and by no document above."""
    chance = j.column("satisfied", satisfaction(j, j.grade, max_grade, gain, gains))
    return j.column("stops here", chance * j.product_before(1.0 - chance))


@measure(
    "ERR",
    intuition="ERR imagines a user who reads from the top and stops at the first satisfying document; higher "
    "grades satisfy more often. A good document is therefore worth less if an equally good one "
    "precedes it.",
    latex=r"\mathrm{ERR}@k = \sum_{r=1}^{k} \frac{s_r}{r} \prod_{i=1}^{r-1} (1 - s_i),\quad s_r = \frac{2^{y_r} - 1}{2^{y_{\max}}}",
    family="cascade",
    laws="unit cutoff swap tail",
    example=([3, 0, 1], 7 / 16 + 9 / 16 * 1 / 16 / 3),
    paper="chapelle2009",
    formula="Σ over ranks r of (1 / r)·R_r·Π over i < r of (1 - R_i), R = (2^grade - 1) / 2^max",
)
def expected_reciprocal_rank(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    max: MaxGrade = 4.0,
    gain: Gain = "exp",
    gains: Gains = None,
    short: PadOrZero = "pad",
) -> Column:
    """The expected value of one over the rank at which the user stops.

    `max` is the highest grade of the scale, not the highest grade in the judgments; a higher grade is
    an error. 4 is the scale of the TREC Web tracks. With another gain the probability is gain / (top gain + 1), as
    in NTCIREVAL. `short="zero"` gives 0 to rankings shorter than k.
    """
    stop = np.where(j.within(cutoff), _stops(j, max, gain, gains), 0.0)
    return zero_if_short(j, j.total(j.column("term", stop / j.rank)), cutoff, short)


@measure(
    "nERR",
    intuition="nERR is ERR divided by its value for the best possible order. It suits comparisons over queries whose best "
    "documents differ: ERR itself stays low if no document of the top grade exists.",
    latex=r"\mathrm{nERR}@k = \frac{\mathrm{ERR}@k}{\mathrm{ERR}^*@k}",
    paper="chapelle2009",
    family="cascade",
    laws="unit cutoff swap perfect capped tail",
    example=([3, 0, 1], (7 / 16 + 9 / 16 * 1 / 16 / 3) / (7 / 16 + 9 / 16 * 1 / 16 / 2)),
    formula="ERR@k / ERR@k of the ideal ranking",
)
def normalised_err(
    j: Judged, *, cutoff: Cutoff = None, max: MaxGrade = 4.0, gain: Gain = "exp", gains: Gains = None
) -> Column:
    """Expected reciprocal rank as a share of the best possible."""
    ours = expected_reciprocal_rank(j, cutoff=cutoff, max=max, gain=gain, gains=gains)
    return j.ratio(ours, expected_reciprocal_rank(j.ideal, cutoff=cutoff, max=max, gain=gain, gains=gains))


@measure(
    "Stop",
    intuition="Stop is the probability that a user who reads from the top is satisfied within the first k documents. It suits the "
    "choice of how many results to show.",
    latex=r"\mathrm{Stop}@k = \sum_{r=1}^{k} s_r \prod_{i=1}^{r-1} (1 - s_i),\quad s_r = \frac{2^{y_r} - 1}{2^{y_{\max}}}",
    paper="chapelle2009",
    family="cascade",
    aliases=("stopping_probability",),
    laws="unit cutoff",
    example=([3, 0, 1], 7 / 16 + 9 / 16 / 16),
    formula="Σ over ranks r down to k of R_r·Π over i < r of (1 - R_i)",
)
def stopping_probability(j: Judged, *, cutoff: Cutoff = None, max: MaxGrade = 4.0) -> Column:
    """The probability that a user of the cascade model has stopped by rank k."""
    return j.total(np.where(j.within(cutoff), _stops(j, max), 0.0))


@measure(
    "PFound",
    intuition="PFound is the probability that a user finds what was wanted before giving up; after each document some users leave. It "
    "is the measure of Yandex, and resembles ERR with another discount.",
    latex=r"\mathrm{PFound}@k = \sum_{r=1}^{k} \mathrm{decay}^{r-1}\, s_r \prod_{i=1}^{r-1} (1 - s_i),\quad s_r = \frac{2^{y_r} - 1}{2^{y_{\max}}}",
    family="cascade",
    laws="unit cutoff swap tail",
    example=([3, 0, 1], 7 / 16 + 9 / 16 * 0.85**2 / 16),
    paper="gulin2009",
    formula="Σ over ranks r of decay^(r-1)·R_r·Π over i < r of (1 - R_i)",
)
def p_found(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    decay: Persistence = 0.85,
    max: MaxGrade = 4.0,
    chance: Literal["exp", "grade"] = "exp",
) -> Column:
    """The probability of finding a satisfying document if the user may give up after each document.

    `chance="grade"` uses the grade itself, between 0 and 1, as the probability of satisfaction.
    """
    if chance == "grade":
        if max not in (1.0, 4.0):  # the top of these grades, and the default
            raise UsageError(
                "parameter", f"chance='grade' has the top grade 1, got max={max:g}", hint="leave out max", value=max
            )
        check_top_grade(j, 1.0)
        found = np.maximum(j.grade, 0.0)
    else:
        found = satisfaction(j, j.grade, max)
    here = found * j.product_before(1.0 - found) * decay ** (j.rank - 1.0)
    return j.total(np.where(j.within(cutoff), here, 0.0))


@measure(
    "RBP",
    intuition="RBP imagines a user who goes on to the next document with a fixed probability p, for example "
    "0.9. The value is the average usefulness per document that such a user sees.",
    latex=r"\mathrm{RBP}@k = (1 - p) \sum_{r=1}^{k} p^{r-1}\,\bar{g}_r",
    family="cascade",
    trec="rbp=",
    laws="additive unit cutoff tail",
    example=([1, 0, 1], 0.1 * (1 + 0.9**2)),
    paper="moffat2008",
    formula="(1 - p)·Σ over ranks r of p^(r-1)·gain",
)
def rank_biased_precision(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    p: Persistence = 0.9,
    level: OptionalLevel = None,
    max: OptionalMax = None,
    gains: Gains = None,
    scale: Literal["top", "none"] = "top",
) -> Column:
    """Expected gain per document of a user who continues to the next document with probability p.

    With a `level`, relevant documents gain 1. Without one, grades are divided by the highest grade of the scale, or by
    the highest grade of the query if that is above 1. `scale="none"` uses gains as they are, those below the `level` as 0: the value may
    exceed 1.
    """
    if (max is not None and (level is not None or scale == "none")) or (
        gains is not None and level is not None and scale == "top"
    ):
        raise UsageError(
            "parameter", "max and gains have no effect with a level, nor max with scale='none'", hint="leave them out"
        )
    if scale == "none":
        worth = gain_of(j.grade, gains=gains, level=level or 0)
    else:
        worth = _rescale(j, max, gains) if level is None else j.is_relevant(level).astype(float)
    weight = j.column("weight", _powers(p, int(j.rank.max(initial=1)))[j.rank - 1])
    terms = j.column("term", np.where(j.within(cutoff), j.column("gain", worth) * weight, 0.0))
    return (1.0 - p) * j.total(terms)


@measure(
    "nRBP",
    intuition="nRBP is RBP divided by its value for the best possible order of the judged "
    "documents. RBP itself stays low if only few relevant documents exist.",
    latex=r"\mathrm{nRBP}@k = \frac{\sum_{r=1}^{k} p^{r-1}\,\bar{g}_r}{\sum_{r=1}^{k} p^{r-1}\,\bar{g}^*_r}",
    family="cascade",
    aliases=("normalised_RBP", "normalized_RBP"),
    laws="additive unit cutoff swap perfect capped tail",
    example=([1, 0, 1], (1 + 0.9**2) / (1 + 0.9)),
    paper="ekstrand2020",
    formula="RBP@k / RBP@k of the ideal ranking",
)
def normalised_rbp(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    p: Persistence = 0.9,
    level: OptionalLevel = None,
    max: OptionalMax = None,
    gains: Gains = None,
) -> Column:
    """Rank-biased precision as a share of the best possible; see RBP."""
    worth = gain_of(j.pool_grade, gains=gains) if level is None else j.pool_grade
    ours, best = (
        rank_biased_precision(view, cutoff=cutoff, p=p, level=level, max=max, gains=gains)
        for view in (j, j.ideal_by(worth))
    )
    return np.minimum(j.ratio(ours, best), 1.0)


def _powers(p: float, count: int) -> Column:
    """Return 1, p, p² … by repeated multiplication as trec_eval does, so that decimals that end in 5 round alike."""
    return np.multiply.accumulate(np.append(1.0, np.full(count, p)))


def _rescale(j: Judged, top: float | None, gains: Gains) -> Column:
    """Rescale grades to values between 0 and 1."""
    here, pool = gain_of(j.grade, gains=gains), gain_of(j.pool_grade, gains=gains)
    if top is not None:
        if gains is None:
            check_top_grade(j, top)
        elif pool.max(initial=0) > top or pool.min(initial=0) < 0:
            raise UsageError("parameter", f"gains from 0 to max={top:g}", got=f"{gains}", value=gains)
        return here / top
    high, low = np.ones(len(j)), np.zeros(len(j))
    np.maximum.at(high, j.pool_query, pool)
    np.minimum.at(low, j.pool_query, pool)
    scaled = (here - j.at(low)) / (j.at(high) - j.at(low))
    return np.where(j.is_judged, scaled, 0.0)


@measure(
    "RBPResidual",
    intuition="RBPResidual tells how much RBP could rise if every unjudged document were of the top grade. RBP without it may hide "
    "how little is known: report both.",
    latex=r"\mathrm{RBPResidual} = p^n + (1 - p) \sum_{r=1}^{n} p^{r-1} (1 - j_r)",
    family="cascade",
    trec="rbp_resid=",
    laws="residual unit",
    lower_is_better=True,
    example=([1, 0, 1], 0),
    paper="moffat2008",
    formula="p^n + (1 - p)·Σ over unjudged ranks r of p^(r-1)",
)
def rbp_residual(j: Judged, *, p: Persistence = 0.9, tail: Literal["unjudged", "always"] = "unjudged") -> Column:
    """Possible increase of RBP if every unjudged document had the top grade.

    The term p^n of ranks beyond the end of the ranking is left out if no unjudged document was retrieved (as
    in trec_eval), unless `tail="always"`.
    """
    weight = _powers(p, int(j.retrieved.max(initial=0)))
    residual = weight[j.retrieved] + (1.0 - p) * _unjudged_weight(j, p, weight)
    unjudged = j.retrieved - j.total(j.is_judged) > 0.5  # an integer, except for the rounding of expected values
    return residual if tail == "always" else np.where(unjudged, residual, 0.0)


def _unjudged_weight(j: Judged, p: float, weight: Column) -> Column:
    """Sum of the weights of the unjudged ranks, in order; those beyond `reach` do not change it."""
    reach = np.ceil(40.0 / -np.log(p)) if 0 < p < 1 else np.inf  # p^reach < 2^-53
    depth = np.minimum(j.retrieved, j.hits + reach).astype(np.int64)
    start = segments.offsets(depth)[:-1]
    known = np.flatnonzero(j.is_judged & (j.rank <= j.at(depth)))
    place = start[j.query[known]] + j.rank[known] - 1
    judged = np.bincount(place, j.weighted(j.is_judged)[known], int(depth.sum()))
    query = np.repeat(np.arange(len(j)), depth)
    return segments.total(weight[segments.positions(depth)] * (1.0 - judged), query, len(j))
