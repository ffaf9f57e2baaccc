"""Average precision for grades: cumulated gain where AP has counts."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.families.graded import gain_columns
from judged.measures.gains import gain_of
from judged.measures.parameters import CAPPED_WITH_CUTOFF, Cutoff, Gain, Gains, Positive
from judged.measures.registry import measure


def blended_ratio(j: Judged, cutoff: Cutoff, gain: Gain, gains: Gains, beta: float) -> tuple[Column, Column, Column]:
    """Hits that gain something; the blended ratio and the gain ratio at their ranks."""
    here, best = gain_columns(j, gain, 2.0, gains)
    ideal = j.ideal_by(best)
    perfect = ideal.upto(np.maximum(best[ideal.judgment], 0.0), j.query, j.rank)
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
    laws={"unit", "cutoff", "swap", "perfect", "tail"},
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
    laws={"unit", "cutoff", "swap", "perfect", "tail"},
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
