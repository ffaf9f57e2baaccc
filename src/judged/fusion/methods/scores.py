"""Methods that combine the scores of the runs."""

from __future__ import annotations

import numpy as np

from judged.fusion.method import FUSIONS, Fusion, FusionParameter

_FOX = "fox1993"
_WU = "wu2002"
_GAMMA = FusionParameter(
    "gamma", 1.0, 0.0, 1e9, tuple(i / 10 for i in range(21)), "exponent of the number of runs that have the document"
)

for _method in (
    Fusion(
        name="sum",
        aliases=("comb_sum",),
        uses="scores",
        paper=_FOX,
        text="sum of the scores: Σ s",
        score=lambda a, _: a.total(a.score),
    ),
    Fusion(
        name="mnz",
        aliases=("comb_mnz",),
        uses="scores",
        paper=_FOX,
        text="sum of the scores, times the number n of runs that have the document: n · Σ s",
        score=lambda a, _: a.total(a.score) * a.count,
    ),
    Fusion(
        name="gmnz",
        aliases=("comb_gmnz",),
        uses="scores",
        parameters=(_GAMMA,),
        paper="lee1997",
        text="between sum (gamma = 0) and mnz (gamma = 1): n^gamma · Σ s",
        score=lambda a, given: a.total(a.score) * np.power(a.count.astype(float), given["gamma"]),
    ),
    Fusion(
        name="max",
        aliases=("comb_max",),
        uses="scores",
        missing="is not counted",
        paper=_FOX,
        text="largest score",
        score=lambda a, _: a.extreme(np.maximum, a.score),
    ),
    Fusion(
        name="min",
        aliases=("comb_min",),
        uses="scores",
        missing="is not counted",
        paper=_FOX,
        text="smallest score",
        score=lambda a, _: a.extreme(np.minimum, a.score),
    ),
    Fusion(
        name="med",
        aliases=("comb_med",),
        uses="scores",
        missing="is not counted",
        paper=_FOX,
        text="median of the scores",
        score=lambda a, _: a.median(a.score),
    ),
    Fusion(
        name="anz",
        aliases=("comb_anz",),
        uses="scores",
        missing="is not counted",
        paper=_FOX,
        text="mean of the scores: Σ s / n",
        score=lambda a, _: a.total(a.score) / a.count,
    ),
    Fusion(
        name="wsum",
        aliases=("weighted_sum",),
        uses="scores",
        weights="needed",
        paper="vogt1999",
        text="weighted sum of the scores: Σ w·s",
        score=lambda a, given: a.total(a.score * given.weight(a)),
    ),
    Fusion(
        name="wmnz",
        aliases=("weighted_mnz",),
        uses="scores",
        weights="needed",
        paper=_WU,
        text="sum of the scores, times the weights of the runs that have the document: Σ w · Σ s",
        score=lambda a, given: a.total(a.score) * a.total(given.weight(a)),
    ),
    Fusion(
        name="mixed",
        aliases=("mixedfuse",),
        uses="scores",
        weights="needed",
        paper=_WU,
        text="weighted sum of the scores, times the root of the number of runs: √n · Σ w·s",
        score=lambda a, given: a.total(a.score * given.weight(a)) * np.sqrt(a.count),
    ),
):
    FUSIONS.add(_method)
