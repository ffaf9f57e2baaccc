"""Decisions along a ranking: at every rank, the documents above it are retrieved and the others are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged._types import Floats, Ints
from judged.core.confusion import Confusion, wrong_around
from judged.core.judged import Judged

__all__ = ["group_ends", "per_query", "pooled", "roc_heights", "roc_points"]


def group_ends(j: Judged, row: int) -> Ints:
    """The last rank of each group of equal scores, of a query whose documents are all judged: its thresholds."""
    return np.unique(j.tie_last[j.query == row])


def found_by(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> Floats:
    """Relevant documents down to each rank (columns), of every query (rows).

    `shared`: documents of equal scores share their ranks evenly, which is the mean over their orders.
    """
    hit = j.is_relevant(level)
    if not shared:
        rows = np.repeat(np.arange(len(j)), len(ranks))
        return j.upto(hit, rows, np.tile(ranks, len(j))).reshape(len(j), len(ranks)).astype(float)
    found = np.empty((len(j), len(ranks)))
    size = j.tie_last - j.tie_first + 1
    for column, rank in enumerate(ranks.tolist()):
        found[:, column] = j.total(np.where(hit, np.clip((rank - j.tie_first + 1) / size, 0, 1), 0.0))
    return found


def per_query(j: Judged, row: int, ranks: Ints, level: float = 1, *, shared: bool = False) -> Confusion:
    """The decisions of one query at these ranks; what was not retrieved, but judged relevant, is missed."""
    one = j.select([row])
    found = found_by(one, ranks, level, shared=shared)[0]
    nonrelevant = float(one.retrieved[0] - one.total(one.is_relevant(level))[0])
    return Confusion(tp=found, fp=ranks - found, fn=one.relevant(level)[0] - found, tn=nonrelevant - (ranks - found))


def pooled(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> tuple[Floats, Floats, Floats]:
    """Of every query (rows) at every rank (columns): relevant documents found, documents retrieved; and relevant ones in all.

    A ranking that is shorter than a rank counts with all that it holds.
    """
    seen = np.minimum(j.retrieved[:, None], ranks).astype(float)
    return found_by(j, ranks, level, shared=shared), seen, j.relevant(level)


def roc_points(j: Judged, row: int, level: float = 1) -> tuple[Ints, Confusion]:
    """The ranks at which one query's ROC curve turns, and its decisions there: around each group of equal scores.

    Of the documents of the ranking, as AUC is: what was not retrieved plays no part.
    """
    mine = (j.query == row) & j.is_relevant(level)
    ends = np.unique(np.concatenate([[0], j.tie_first[mine] - 1, j.tie_last[mine], [j.retrieved[row]]]))
    whole = per_query(j, row, ends, level)
    return ends, replace(whole, fn=np.max(whole.tp, initial=0) - whole.tp)


def roc_heights(j: Judged, fall_out: Floats, level: float = 1) -> Floats:
    """The true positive rate of every query (rows) at each false positive rate (columns); at the top of upright parts.

    0 where no relevant document was retrieved, 1 where nothing else was: as AUC has it.
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
