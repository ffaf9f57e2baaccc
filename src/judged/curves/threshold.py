"""Confusion counts along a ranking: at every rank, the documents above it count as retrieved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged._types import Floats, Ints
from judged.core.confusion import Confusion, wrong_around
from judged.core.judged import Judged


def group_ends(j: Judged, row: int) -> Ints:
    """Return the last rank of each group of equal scores, for a query whose documents are all judged: its thresholds."""
    return np.unique(j.tie_last[j.query == row])


def relevant_retrieved(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> Floats:
    """Return the number of relevant documents down to each rank (columns) for every query (rows).

    `shared`: documents with equal scores share their ranks, which gives the mean over their orders.
    """
    hit = j.is_relevant(level)
    if not shared:
        rows = np.repeat(np.arange(len(j)), len(ranks))
        return j.upto(hit, rows, np.tile(ranks, len(j))).reshape(len(j), len(ranks)).astype(float)
    counts = np.empty((len(j), len(ranks)))
    size = j.tie_last - j.tie_first + 1
    for column, rank in enumerate(ranks.tolist()):
        counts[:, column] = j.total(np.where(hit, np.clip((rank - j.tie_first + 1) / size, 0, 1), 0.0))
    return counts


def per_query(j: Judged, row: int, ranks: Ints, level: float = 1, *, shared: bool = False) -> Confusion:
    """Return the confusion counts of one query at each rank; relevant documents that were not retrieved are false negatives."""
    one = j.select([row])
    relevant = relevant_retrieved(one, ranks, level, shared=shared)[0]
    nonrelevant = float(one.retrieved[0] - one.total(one.is_relevant(level))[0])
    return Confusion(
        tp=relevant, fp=ranks - relevant, fn=one.relevant(level)[0] - relevant, tn=nonrelevant - (ranks - relevant)
    )


def pooled(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> tuple[Floats, Floats, Floats]:
    """Return relevant documents retrieved and documents retrieved (queries × ranks), and relevant documents per query.

    A ranking that is shorter than a rank counts with its full length.
    """
    seen = np.minimum(j.retrieved[:, None], ranks).astype(float)
    return relevant_retrieved(j, ranks, level, shared=shared), seen, j.relevant(level)


def roc_points(j: Judged, row: int, level: float = 1) -> tuple[Ints, Confusion]:
    """Return the ranks at which the ROC curve of one query turns, around each group of equal scores, and the counts there.

    Only retrieved documents count, as in AUC.
    """
    mine = (j.query == row) & j.is_relevant(level)
    ends = np.unique(np.concatenate([[0], j.tie_first[mine] - 1, j.tie_last[mine], [j.retrieved[row]]]))
    whole = per_query(j, row, ends, level)
    return ends, replace(whole, fn=np.max(whole.tp, initial=0) - whole.tp)


def roc_heights(j: Judged, fall_out: Floats, level: float = 1) -> Floats:
    """Return the true positive rate of every query (rows) at each false positive rate (columns); the top of vertical parts.

    As in AUC, it is 0 if no relevant document was retrieved, and 1 if only relevant ones were.
    """
    hit = j.is_relevant(level)
    relevant = j.total(hit)
    others = j.retrieved - relevant
    low, high = wrong_around(j, hit)
    heights = np.empty((len(j), len(fall_out)))
    for column, rate in enumerate(fall_out.tolist()):
        past = rate * j.at(others) - low
        share = np.where(high > low, np.clip(j.ratio(past, high - low), 0, 1), past >= 0)
        heights[:, column] = j.ratio(j.total(np.where(hit, share, 0.0)), relevant)
    return heights
