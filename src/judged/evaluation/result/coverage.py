"""Share of judged documents at each rank."""

from __future__ import annotations

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged

__all__ = ["judged_share"]


def judged_share(judged: Judged, ranks: Ints) -> Floats:
    """At each of these ranks the share of queries whose document there is judged, of those that have one there; NaN where none has.

    `Judged@k` is of all ranks down to k, this is of one: it shows where the pool ends.

    >>> from judged.evaluation.evaluate import join
    >>> judged_share(join({"q": {"a": 1}}, {"q": ["a", "b"]}), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """
    last = int(ranks.max(initial=0))
    hits = judged.is_judged & (judged.rank <= last)
    found = np.bincount(judged.rank[hits], minlength=last + 1)[ranks]
    there = (judged.retrieved[:, None] >= ranks[None, :]).sum(axis=0)
    return np.divide(found, there, out=np.full(len(ranks), np.nan), where=there > 0)
