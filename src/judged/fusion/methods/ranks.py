"""Methods that combine the ranks r of a document in the runs; n is the number of runs that have it."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.fusion.aligned import AlignedRuns
from judged.fusion.method import FUSIONS, Fusion, FusionParameter, FusionSettings

_MOURAO = "mourao2015"
_ASLAM = "aslam2001"
_SHARED = "share of the points that the run did not give"
_K = FusionParameter(
    "k",
    60.0,
    0.0,
    1e9,
    tuple(float(k) for k in (1, 2, 5, *range(10, 101, 10), 200, 500)),
    "damping of the first ranks",
)
_SIGMA = FusionParameter(
    "sigma", 0.01, 0.0, 1.0, tuple(i / 100 for i in (0, 1, 2, 5, *range(10, 101, 10))), "added to the number of runs"
)
_PHI = FusionParameter(
    "phi",
    0.8,
    0.0,
    1.0,
    tuple(i / 100 for i in (*range(5, 100, 5), 98, 99)),
    "persistence: chance to look at the next document",
)


def _inverse_squares(a: AlignedRuns) -> Floats:
    return a.total(1 / np.square(a.rank.astype(float)))


def borda_points(a: AlignedRuns, given: FusionSettings) -> Floats:
    """Sum of points of each document: c for the first of c candidates, c - 1 for the second …; missing ones share the rest evenly."""
    shared = np.where(a.size > 0, (a.candidates - a.size + 1) / 2, 0.0)  # points of a missing document, runs × queries
    everywhere = np.sort(shared * given.of_runs(a)[:, None], axis=0).sum(axis=0)  # of a document that all runs lack
    points = a.candidates[a.query[a.document]] - a.rank + 1 - shared.ravel()[a.list]
    return a.total(points * given.weight(a)) + everywhere[a.query]


for _method in (
    Fusion(
        name="rrf",
        aliases=("reciprocal_rank_fusion", "rr_fusion"),
        weights="optional",
        parameters=(_K,),
        paper="cormack2009",
        text="reciprocal rank fusion: Σ 1 / (k + r)",
        score=lambda a, given: a.total(given.weight(a) / (given["k"] + a.rank)),
    ),
    Fusion(
        name="isr",
        aliases=("inverse_square_rank",),
        paper=_MOURAO,
        text="inverse square rank: n · Σ 1 / r²",
        score=lambda a, _: _inverse_squares(a) * a.count,
    ),
    Fusion(
        name="log_isr",
        paper=_MOURAO,
        text="the same with a logarithm: ln n · Σ 1 / r²; 0 for a document of a single run",
        score=lambda a, _: _inverse_squares(a) * np.log(a.count),
    ),
    Fusion(
        name="logn_isr",
        parameters=(_SIGMA,),
        paper=_MOURAO,
        text="the same with a constant: ln(n + sigma) · Σ 1 / r²",
        score=lambda a, given: _inverse_squares(a) * np.log(a.count + given["sigma"]),
    ),
    Fusion(
        name="rbc",
        aliases=("rank_biased_centroid", "rank_biased_centroids"),
        weights="optional",
        parameters=(_PHI,),
        paper="bailey2017",
        text="rank-biased centroid: Σ (1 - phi) · phi^(r - 1)",
        score=lambda a, given: a.total(given.weight(a) * (1 - given["phi"]) * np.power(given["phi"], a.rank - 1.0)),
    ),
    Fusion(
        name="bordafuse",
        aliases=("borda", "borda_count"),
        missing=_SHARED,
        paper=_ASLAM,
        text="Borda count: Σ (c - r + 1), of c candidates",
        score=borda_points,
    ),
    Fusion(
        name="w_bordafuse",
        aliases=("weighted_bordafuse", "weighted_borda"),
        weights="needed",
        missing=_SHARED,
        paper=_ASLAM,
        text="weighted Borda count: Σ w · (c - r + 1)",
        score=borda_points,
    ),
):
    FUSIONS.add(_method)
