"""Methods that learn from judgments how likely each run has a relevant document at a rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.fusion.method import FUSIONS, AlignedRuns, Fusion, FusionParameter, FusionSettings, Training

_COUNTS = (*range(1, 11), 15, 20, 25, 30, 40, 50, 75, 100)
_SEGMENTS = FusionParameter("segments", 25, 1, 100_000, _COUNTS)
_WINDOW = FusionParameter("w", 5, 0, 100_000, _COUNTS)  # ranks on either side

_BINS = np.array([0, 5, 10, 15, 20, 30, 100, 200, 500, 1000])  # ends of the bins of BayesFuse
_GROWING = np.cumsum([0, *(10 * 2**k - 5 for k in range(20))])  # ends of the segments of SegFuse: of 5, 15, 35 … ranks
_LEAST = 0.001
_NOT_FOUND = np.log(_LEAST / (1 - _LEAST))


def _bin_of(rank: Ints, ends: Ints) -> Ints:
    """The bin of each rank, from 0; beyond the last end, the number of bins; -1 for rank 0."""
    return np.searchsorted(ends, rank) - 1


# ── what is learnt of each run ───────────────────────────────────────────────────────────────────


def _mean_precision(t: Training, _: FusionSettings) -> Floats:
    """Mean average precision of the rankings that are fused."""
    query, queries = t.query[t.relevant], len(t.judged_relevant)
    nth = segments.ranks(np.bincount(query, minlength=queries))
    found = np.bincount(query, weights=nth / t.rank[t.relevant], minlength=queries)
    return np.asarray((found / np.maximum(t.judged_relevant, 1))[t.learn].mean(keepdims=True))


def _by_position(t: Training, _: FusionSettings) -> Floats:
    """Share of relevant documents at each rank, among the rankings that are long enough."""
    return np.bincount(t.rank - 1, weights=t.relevant) / np.maximum(np.bincount(t.rank - 1), 1)


def _shares(t: Training, place: Ints, size: Ints, places: int) -> Floats:
    """Mean over queries of the share of relevant documents in each place; `size` is the number of documents that each row is one of."""
    found = np.bincount(place, weights=t.relevant / size, minlength=places)
    return found[:places] / max(t.learn.sum(), 1)


def _by_segment(t: Training, given: FusionSettings) -> Floats:
    """Mean share of relevant documents in each of x equal segments."""
    x = int(given["segments"])
    width = -(-t.length // x)
    place = (t.rank - 1) // width
    return _shares(t, place, np.minimum(width, t.length - place * width), x)


def _by_bin(t: Training, ends: Ints) -> Floats:
    """Mean share of relevant documents in each bin of ranks."""
    place = _bin_of(t.rank, ends)
    return _shares(t, place, np.append(np.diff(ends), 1)[place], len(ends) - 1)


def _log_odds(t: Training, _: FusionSettings) -> Floats:
    """Logarithm of the odds of relevance in each bin of ranks; the share is at least 0.001, as is its complement."""
    share = _by_bin(t, _BINS)
    share = np.where(share == 0, _LEAST, share)
    return np.log(share / np.where(share == 1, _LEAST, 1 - share))


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def _slidefuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    w, longest = int(given["w"]), a.length.max()
    low, high = np.maximum(a.rank - 1 - w, 0), np.minimum(a.rank + w, a.length)
    sums = replace(given, trained=tuple(np.cumsum(np.pad(known, (1, longest))) for known in given.trained))
    return a.total((sums.learnt(a, high) - sums.learnt(a, low)) / (high - low))


def _probfuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    place = (a.rank - 1) // -(-a.length // int(given["segments"]))
    return a.total(given.learnt(a, place) / (place + 1))


def _bayesfuse(a: AlignedRuns, given: FusionSettings) -> Floats:
    every = a.with_missing()
    return every.total(given.learnt(every, _bin_of(every.rank, _BINS), _NOT_FOUND))


for _method in (
    Fusion(
        "mapfuse",
        (),
        "lillis2010",
        "mean average precision of each run, divided by the rank: Σ MAP / r",
        lambda a, given: a.total(given.learnt(a, np.zeros_like(a.rank)) / a.rank),
        train=_mean_precision,
    ),
    Fusion(
        "posfuse",
        (),
        "lillis2010",
        "share of relevant documents at the rank: Σ P(r)",
        lambda a, given: a.total(given.learnt(a, a.rank - 1)),
        train=_by_position,
    ),
    Fusion(
        "slidefuse",
        (),
        "lillis2008",
        "mean of these shares over the ranks r - w to r + w",
        _slidefuse,
        parameters=(_WINDOW,),
        train=_by_position,
    ),
    Fusion(
        "probfuse",
        (),
        "lillis2006",
        "share of relevant documents in segment k of equal ones, divided by k: Σ P(k) / k",
        _probfuse,
        parameters=(_SEGMENTS,),
        train=_by_segment,
    ),
    Fusion(
        "segfuse",
        (),
        "shokouhi2007",
        "share of relevant documents in segments of 5, 15, 35, 75 … ranks, times the score: Σ P(k) · (s + 1)",
        lambda a, given: a.total(given.learnt(a, _bin_of(a.rank, _GROWING)) * (a.score + 1)),
        uses="scores",
        train=lambda t, _: _by_bin(t, _GROWING),
    ),
    Fusion(
        "bayesfuse",
        (),
        "aslam2001",
        "logarithm of the odds of relevance in bins of ranks: Σ ln O(r); odds of 1 to 999 beyond rank 1,000 and for a run that lacks the document",
        _bayesfuse,
        train=_log_odds,
    ),
):
    FUSIONS.add(_method)
