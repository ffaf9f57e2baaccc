"""Measures for collections in which many documents were never judged."""

from __future__ import annotations

from typing import Literal

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.parameters import Level
from judged.measures.registry import measure

_SMALL = 0.00001


@measure(
    "Bpref",
    intuition="Bpref asks how often judged non-relevant documents are ranked above relevant ones. Unjudged "
    "documents are ignored, so it suits collections in which many documents were never judged.",
    latex=r"\mathrm{Bpref} = \frac{1}{R} \sum_r \mathrm{rel}_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)",
    family="ranked",
    aliases=("BPref",),
    trec="bpref",
    laws={"unit", "perfect"},
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
    laws={"unit", "perfect"},
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
    laws={"unit"},
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
