"""Nearly expected reciprocal rank: users who continue with probability 1 - gain, and tire (C/W/L)."""

from __future__ import annotations

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.families.cwl import (
    DEPTH,
    Of,
    cut_at,
    every_document,
    gain_rate,
    inverse_squares,
    rank_per_query,
    scale_grades,
    sum_weights,
)
from judged.measures.parameters import Cutoff, Depth, Goal, MaxGrade, MinGrade, Persistence
from judged.measures.registry import measure

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
    laws={"unit", "cutoff", "tail"},
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
    j = every_document(cut_at(j, cutoff or DEPTH), None, of)
    return _nearly(j, scale_grades(j, min, max), np.ones(len(j.rank)), j.rank, rank_per_query(j, cutoff or DEPTH), of)


@measure(
    "NERR9",
    intuition="NERR9 is NERR8 for a user who also tires: fewer and fewer users go on as the rank grows. Of its family it is the "
    "nearest to ERR.",
    latex=r"\mathrm{NERR9}@k = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \frac{r}{r + 1}\,(1 - \bar{g}_r)\ (r < k)",
    family="user model",
    aliases=("NERReq9",),
    laws={"unit", "cutoff", "tail"},
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
    j = every_document(cut_at(j, last), None, of)
    upto = sum_weights(np.reciprocal, np.append(j.rank, last))
    return _nearly(j, scale_grades(j, min, max), 1.0 / j.rank, upto[:-1], upto[-1], of)


@measure(
    "NERR10",
    intuition="NERR10 is NERR8 for a user who goes on with the same probability p after each document, as in RBP. It suits users "
    "whose patience does not depend on the rank.",
    latex=r"\mathrm{NERR10} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = p\,(1 - \bar{g}_r)",
    family="user model",
    aliases=("NERReq10",),
    laws={"unit", "tail"},
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
    j = every_document(cut_at(j, depth), None, of)
    upto, end = (1.0 - p**j.rank) / (1.0 - p), (1.0 - p ** rank_per_query(j, depth)) / (1.0 - p)
    return _nearly(j, scale_grades(j, min, max), p ** (j.rank - 1.0), upto, end, of)


@measure(
    "NERR11",
    intuition="NERR11 is NERR8 for a user who hopes for T relevant documents, as in INSQ. It suits tasks with a known goal in which "
    "one very good document may be enough.",
    latex=r"\mathrm{NERR11} = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \left(\frac{r + 2T - 1}{r + 2T}\right)^2 (1 - \bar{g}_r)",
    family="user model",
    aliases=("NERReq11",),
    laws={"unit", "tail"},
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
    j = every_document(cut_at(j, depth), None, of)
    all_of_them = inverse_squares(2 * T)
    upto, end = (all_of_them - inverse_squares(rank + 2 * T) for rank in (j.rank, rank_per_query(j, depth)))
    return _nearly(j, scale_grades(j, min, max), 1.0 / (j.rank + 2 * T - 1.0) ** 2, upto, end, of, 1.0 / (2 * T) ** 2)
