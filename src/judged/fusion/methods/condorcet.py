"""Condorcet fusion: a document precedes another if most runs rank it higher."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.fusion.aligned import AlignedRuns
from judged.fusion.method import FUSIONS, Fusion, FusionSettings
from judged.fusion.methods.ranks import borda_points

_NEVER = np.iinfo(np.int64).max
_ROUNDING = 1e-12  # of sums of weights


def majority_order(a: AlignedRuns, given: FusionSettings) -> Floats:
    """Score c for the first of c documents of a query, c - 1 for the second, and so on, by majority of the runs.

    A run votes for the document that it ranks higher; one that it has precedes one that it lacks; it does not vote on two that it lacks.
    No document is beaten by its successor. Equal votes, and cycles of majorities, are resolved by the Borda count, then by id.
    """
    rank = np.full((len(a.names), len(a.query)), _NEVER)
    rank[a.run, a.document] = a.rank
    weights = given.of_runs(a)
    heavy = np.argsort(-weights, kind="stable")  # sums of weights do not depend on the order of the runs
    rank, weights = rank[heavy], weights[heavy]
    slack = _ROUNDING * weights.sum()

    def beats(x: Ints, y: Ints) -> Bools:
        lead = np.zeros((2, len(x)))
        for ranks, weight in zip(rank, weights, strict=True):
            lead[0] += weight * (ranks[x] < ranks[y])
            lead[1] += weight * (ranks[y] < ranks[x])
        return np.asarray(lead[0] > lead[1] + slack)

    order = a.best_first(borda_points(a, given))
    width, longest = 1, int(a.candidates.max(initial=0))
    while width < longest:
        order = _merge(order, a.candidates, width, beats)
        width *= 2
    score = np.empty(len(order))
    score[order] = np.repeat(a.candidates, a.candidates) - segments.positions(a.candidates)
    return score


def _merge(order: Ints, sizes: Ints, width: int, beats: Callable[[Ints, Ints], Bools]) -> Ints:
    """Merge neighbouring blocks of `width` documents of every query: all merges take one step at a time.

    A document of the second block moves ahead only if it beats the one of the first: neighbours in the result were compared,
    here or before, so that none is beaten by its successor even if majorities have cycles.
    """
    merges = -(-sizes // (2 * width))  # of each query
    first, end = (np.repeat(ends, merges) for ends in (segments.offsets(sizes)[:-1], segments.offsets(sizes)[1:]))
    begin = first + 2 * width * segments.positions(merges)
    middle, end = np.minimum(begin + width, end), np.minimum(begin + 2 * width, end)
    left, right, out = begin.copy(), middle.copy(), order.copy()
    active = np.flatnonzero(middle < end)
    while len(active):
        x, y = order[left[active]], order[right[active]]
        second = beats(y, x)
        at = left[active] + right[active] - middle[active]
        out[at] = np.where(second, y, x)
        right[active] += second
        left[active] += ~second
        active = active[(left[active] < middle[active]) & (right[active] < end[active])]
    rest = middle - left  # documents of the second block that remain are in place already
    step = segments.positions(rest)
    out[np.repeat(left + right - middle, rest) + step] = order[np.repeat(left, rest) + step]
    return out


_MISSING = "loses against every document that the run has; no vote between two that it lacks"
for _method in (
    Fusion(
        name="condorcet",
        aliases=("condorcet_fuse",),
        missing=_MISSING,
        paper="montague2002",
        text="order by majority: how many documents of the query follow, plus 1",
        score=majority_order,
    ),
    Fusion(
        name="w_condorcet",
        aliases=("weighted_condorcet",),
        weights="needed",
        missing=_MISSING,
        paper="montague2002",
        text="the same with a weight per vote",
        score=majority_order,
    ),
):
    FUSIONS.add(_method)
