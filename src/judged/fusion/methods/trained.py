"""Methods that learn from judgments how likely each run has a relevant document at a rank."""

from __future__ import annotations

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.fusion.aligned import AlignedRuns
from judged.fusion.method import FUSIONS, Fusion, FusionParameter, FusionSettings, Training

_LILLIS = "lillis2010"
_COUNTS = (*range(1, 11), 15, 20, 25, 30, 40, 50, 75, 100)
_SEGMENTS = FusionParameter("segments", 25, 1, 100_000, _COUNTS, "number of segments of a ranking")
_WINDOW = FusionParameter("w", 5, 0, 100_000, _COUNTS, "ranks on either side of the window")

_BINS = np.array([0, 5, 10, 15, 20, 30, 100, 200, 500, 1000])  # ends of the bins of BayesFuse
_GROWING = np.cumsum(
    [0, *(10 * 2**k - 5 for k in range(20))]
)  # ends of the segments of SegFuse, whose sizes are 5, 15, 35 …
_LEAST = 0.001
_NOT_FOUND = float(np.log(_LEAST / (1 - _LEAST)))


def _shares(t: Training, rows: Ints, place: Ints, size: Floats, length: int) -> Floats:
    """Mean over queries of the share of relevant documents in each place; `size` is the number of documents that each row is one of."""
    found = np.bincount(place, weights=t.relevant[rows] / size, minlength=length)
    return np.asarray(found / max(int(t.queries.sum()), 1))


def _bin_of(rank: Ints, ends: Ints) -> Ints:
    """The bin of each rank, from 0; beyond the last end, the number of bins; -1 for rank 0."""
    return np.searchsorted(ends, rank, side="left") - 1


# ── what is learnt of each run ───────────────────────────────────────────────────────────────────


def _mean_precision(t: Training, rows: Ints, _: FusionSettings) -> Floats:
    """Mean average precision of the rankings that are fused."""
    relevant, hits = t.judged_relevant, rows[t.relevant[rows]]
    place = t.place[t.runs.query[t.runs.document[hits]]]
    nth = segments.positions(np.bincount(place, minlength=len(relevant))) + 1
    found = np.bincount(place, weights=nth / t.runs.rank[hits], minlength=len(relevant))
    values = found / np.maximum(relevant, 1)
    return np.asarray(values[np.sort(t.place[t.queries])].mean(keepdims=True))


def _by_position(t: Training, rows: Ints, _: FusionSettings) -> Floats:
    """Share of relevant documents at each rank, among the rankings that are long enough."""
    place = t.runs.rank[rows] - 1
    return np.bincount(place, weights=t.relevant[rows]) / np.maximum(np.bincount(place), 1)


def _by_segment(t: Training, rows: Ints, given: FusionSettings) -> Floats:
    """Mean share of relevant documents in each of x equal segments."""
    x, length = int(given["segments"]), t.runs.length[rows]
    width = -(-length // x)
    place = (t.runs.rank[rows] - 1) // width
    size = np.minimum((place + 1) * width, length) - place * width
    return _shares(t, rows, place, size, x)


def _by_growing_segment(t: Training, rows: Ints, _: FusionSettings) -> Floats:
    place = _bin_of(t.runs.rank[rows], _GROWING)
    return _shares(t, rows, place, np.diff(_GROWING)[place], len(_GROWING) - 1)


def _log_odds(t: Training, rows: Ints, _: FusionSettings) -> Floats:
    """Logarithm of the odds of relevance in each bin of ranks; the share is at least 0.001, as is its complement."""
    place = _bin_of(t.runs.rank[rows], _BINS)
    inside = np.diff(_BINS)[np.minimum(place, len(_BINS) - 2)].astype(float)
    share = _shares(t, rows, place, inside, len(_BINS))[: len(_BINS) - 1]
    share = np.where(share == 0, _LEAST, share)
    return np.log(share / np.where(1 - share == 0, _LEAST, 1 - share))


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def _probfuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    x = np.array([max(len(known), 1) for known in given.trained])[a.run]
    place = (a.rank - 1) // -(-a.length // x)
    return a.total(given.learnt(a, place) / (place + 1))


def _slidefuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    w = int(given["w"])
    low, high = np.maximum(a.rank - 1 - w, 0), np.minimum(a.rank + w, a.length)
    sums = FusionSettings(trained=tuple(np.concatenate([[0.0], np.cumsum(known)]) for known in given.trained))
    known = np.array([len(known) for known in given.trained])[a.run]
    inside = sums.learnt(a, np.minimum(high, known)) - sums.learnt(a, np.minimum(low, known))
    return a.total(inside / (high - low))


def _bayesfuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    every = a.with_missing()
    return every.total(given.learnt(every, _bin_of(every.rank, _BINS), _NOT_FOUND))


for _method in (
    Fusion(
        name="mapfuse",
        train=_mean_precision,
        paper=_LILLIS,
        text="mean average precision of each run, divided by the rank: Σ MAP / r",
        score=lambda a, given: a.total(given.learnt(a, np.zeros(len(a.run), np.int64)) / a.rank),
    ),
    Fusion(
        name="posfuse",
        train=_by_position,
        paper=_LILLIS,
        text="share of relevant documents at the rank: Σ P(r)",
        score=lambda a, given: a.total(given.learnt(a, a.rank - 1)),
    ),
    Fusion(
        name="slidefuse",
        train=_by_position,
        parameters=(_WINDOW,),
        paper="lillis2008",
        text="mean of these shares over the ranks r - w to r + w",
        score=_slidefuse,
    ),
    Fusion(
        name="probfuse",
        train=_by_segment,
        parameters=(_SEGMENTS,),
        paper="lillis2006",
        text="share of relevant documents in segment k of equal ones, divided by k: Σ P(k) / k",
        score=_probfuse,
    ),
    Fusion(
        name="segfuse",
        uses="scores",
        train=_by_growing_segment,
        paper="shokouhi2007",
        text="share of relevant documents in segments of 5, 15, 35, 75 … ranks, times the score: Σ P(k) · (s + 1)",
        score=lambda a, given: a.total(given.learnt(a, _bin_of(a.rank, _GROWING)) * (a.score + 1)),
    ),
    Fusion(
        name="bayesfuse",
        train=_log_odds,
        paper="aslam2001",
        text="logarithm of the odds of relevance in bins of ranks, up to rank 1,000: Σ ln O(r)",
        missing="odds of 0.001 to 0.999",
        score=_bayesfuse,
    ),
):
    FUSIONS.add(_method)
