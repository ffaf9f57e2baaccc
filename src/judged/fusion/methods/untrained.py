"""Methods that need no judgments: of the scores of the runs, of the ranks r of a document in them, and of their votes.

n is the number of runs that have the document.
"""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.core import segments
from judged.fusion.method import FUSIONS, AlignedRuns, Fusion, FusionParameter, FusionSettings

# ── scores ───────────────────────────────────────────────────────────────────────────────────────

_GAMMA = FusionParameter("gamma", 1.0, 0.0, 1e9, tuple(i / 10 for i in range(21)))

for _method in (
    Fusion("sum", ("comb_sum",), "fox1993", "sum of the scores: Σ s", lambda a, _: a.total(a.score)),
    Fusion(
        "mnz",
        ("comb_mnz",),
        "fox1993",
        "sum of the scores, times the number n of runs that have the document: n · Σ s",
        lambda a, _: a.total(a.score) * a.count,
    ),
    Fusion(
        "gmnz",
        ("comb_gmnz",),
        "lee1997",
        "between sum (gamma = 0) and mnz (gamma = 1): n^gamma · Σ s",
        lambda a, given: a.total(a.score) * np.power(a.count.astype(float), given["gamma"]),
        parameters=(_GAMMA,),
    ),
    Fusion(
        "max",
        ("comb_max",),
        "fox1993",
        "largest score of the runs that have the document",
        lambda a, _: a.extreme(np.maximum, a.score),
    ),
    Fusion(
        "min",
        ("comb_min",),
        "fox1993",
        "smallest score of them",
        lambda a, _: a.extreme(np.minimum, a.score),
    ),
    Fusion(
        "med",
        ("comb_med",),
        "fox1993",
        "median of their scores",
        lambda a, _: a.median(a.score),
    ),
    Fusion(
        "anz",
        ("comb_anz",),
        "fox1993",
        "mean of their scores: Σ s / n",
        lambda a, _: a.total(a.score) / a.count,
    ),
    Fusion(
        "wsum",
        ("weighted_sum",),
        "vogt1999",
        "weighted sum of the scores: Σ w·s",
        lambda a, given: a.total(a.score * given.weight(a)),
        weights="needed",
    ),
    Fusion(
        "wmnz",
        ("weighted_mnz",),
        "wu2002",
        "sum of the scores, times the weights of the runs that have the document: Σ w · Σ s",
        lambda a, given: a.total(a.score) * a.total(given.weight(a)),
        weights="needed",
    ),
    Fusion(
        "mixed",
        ("mixedfuse",),
        "wu2002",
        "weighted sum of the scores, times the root of the number of runs: √n · Σ w·s",
        lambda a, given: a.total(a.score * given.weight(a)) * np.sqrt(a.count),
        weights="needed",
    ),
):
    FUSIONS.add(_method._replace(uses="scores"))


# ── ranks ────────────────────────────────────────────────────────────────────────────────────────

_K = FusionParameter("k", 60.0, 0.0, 1e9, tuple(map(float, (1, 2, 5, *range(10, 101, 10), 200, 500))))
_SIGMA = FusionParameter("sigma", 0.01, 0.0, 1.0, tuple(i / 100 for i in (0, 1, 2, 5, *range(10, 101, 10))))
_PHI = FusionParameter("phi", 0.8, 0.0, 1.0, tuple(i / 100 for i in (*range(5, 100, 5), 98, 99)))


def _inverse_squares(a: AlignedRuns) -> Floats:
    return a.total(1 / np.square(a.rank))


def _borda_points(a: AlignedRuns, given: FusionSettings) -> Floats:
    """Sum of points of each document: c for the first of c candidates, c - 1 for the second …; missing ones share the rest evenly."""
    shared = np.where(a.size > 0, (a.candidates - a.size + 1) / 2, 0.0)  # points of a missing document, runs × queries
    everywhere = np.sort(shared * given.of_runs(a)[:, None], axis=0).sum(axis=0)  # of a document that all runs lack
    points = a.candidates[a.query[a.document]] - a.rank + 1 - shared.ravel()[a.list]
    return a.total(points * given.weight(a)) + everywhere[a.query]


def _majority_order(a: AlignedRuns, given: FusionSettings) -> Floats:
    """Score c for the first of c documents of a query, c - 1 for the second, and so on, by majority of the runs.

    A run votes for the document that it ranks higher; one that it has precedes one that it lacks; it does not vote on two that it lacks.
    No document is beaten by its successor. Equal votes, and cycles of majorities, are resolved by the Borda count, then by id.
    """
    rank = np.full((len(a.runs), len(a.query)), len(a.rank) + 1)  # below all others in a run that lacks the document
    rank[a.run, a.document] = a.rank
    weights, starts, width = given.of_runs(a), segments.offsets(a.candidates), 1
    order = segments.falling(_borda_points(a, given), a.candidates)
    while width < a.candidates.max():
        # Merge neighbouring blocks of `width` documents of every query: all merges take one step at a time. A document of the second
        # block moves ahead only if it beats the one of the first: neighbours in the result were compared, here or before, so that none
        # is beaten by its successor even if majorities have cycles.
        merges = -(-a.candidates // (2 * width))  # of each query
        left = np.repeat(starts[:-1], merges) + 2 * width * segments.positions(merges)
        end = np.repeat(starts[1:], merges)
        middle, end = np.minimum(left + width, end), np.minimum(left + 2 * width, end)
        right, merged = middle.copy(), order.copy()
        active = np.flatnonzero(middle < end)
        while len(active):  # documents of the second block that remain at the end are in place already
            at, ended = left[active] + right[active] - middle[active], right[active] == end[active]
            first, second = order[left[active]], order[right[active] - ended]
            lead = weights @ np.sign(rank[:, first] - rank[:, second])
            ahead = ~ended & (lead > 1e-12 * weights.sum())  # which is more than sums of weights are rounded by
            merged[at] = np.where(ahead, second, first)
            right[active] += ahead
            left[active] += ~ahead
            active = active[left[active] < middle[active]]
        order = merged
        width *= 2
    score = np.empty(len(order))
    score[order] = a.candidates[a.query] - segments.positions(a.candidates)
    return score


for _method in (
    Fusion(
        "rrf",
        ("reciprocal_rank_fusion", "rr_fusion"),
        "cormack2009",
        "reciprocal rank fusion: Σ 1 / (k + r)",
        lambda a, given: a.total(given.weight(a) / (given["k"] + a.rank)),
        weights="optional",
        parameters=(_K,),
    ),
    Fusion(
        "isr",
        ("inverse_square_rank",),
        "mourao2015",
        "inverse square rank: n · Σ 1 / r²",
        lambda a, _: _inverse_squares(a) * a.count,
    ),
    Fusion(
        "log_isr",
        (),
        "mourao2015",
        "the same with a logarithm: ln n · Σ 1 / r²; 0 for a document of a single run",
        lambda a, _: _inverse_squares(a) * np.log(a.count),
    ),
    Fusion(
        "logn_isr",
        (),
        "mourao2015",
        "the same with a constant: ln(n + sigma) · Σ 1 / r²",
        lambda a, given: _inverse_squares(a) * np.log(a.count + given["sigma"]),
        parameters=(_SIGMA,),
    ),
    Fusion(
        "rbc",
        ("rank_biased_centroid", "rank_biased_centroids"),
        "bailey2017",
        "rank-biased centroid: Σ (1 - phi) · phi^(r - 1)",
        lambda a, given: a.total(given.weight(a) * (1 - given["phi"]) * np.power(given["phi"], a.rank - 1.0)),
        weights="optional",
        parameters=(_PHI,),
    ),
    Fusion(
        "bordafuse",
        ("borda", "borda_count"),
        "aslam2001",
        "Borda count: Σ (c - r + 1), of c candidates; documents that a run lacks share its other points",
        _borda_points,
    ),
    Fusion(
        "w_bordafuse",
        ("weighted_bordafuse", "weighted_borda"),
        "aslam2001",
        "weighted Borda count: Σ w · (c - r + 1)",
        _borda_points,
        weights="needed",
    ),
    Fusion(
        "condorcet",
        ("condorcet_fuse",),
        "montague2002",
        "order by majority: how many documents of the query follow, plus 1; a run prefers what it has to what it lacks",
        _majority_order,
    ),
    Fusion(
        "w_condorcet",
        ("weighted_condorcet",),
        "montague2002",
        "the same with a weight per vote",
        _majority_order,
        weights="needed",
    ),
):
    FUSIONS.add(_method)
