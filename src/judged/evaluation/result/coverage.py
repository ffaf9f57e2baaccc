"""Share of judged documents at each rank."""

from __future__ import annotations

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged


def judged_share(judged: Judged, ranks: Ints) -> Floats:
    """Share of queries whose document at a rank is judged, among those with a document at this rank; NaN if there are none.

    `Judged@k` covers all ranks down to k, this a single one: it shows the depth of the pool.

    >>> from judged.evaluation.evaluate import join
    >>> judged_share(join({"q": {"a": 1}}, {"q": ["a", "b"]}), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """
    last = int(ranks.max(initial=0))
    hits = judged.is_judged & (judged.rank <= last)
    known = np.bincount(judged.rank[hits], minlength=last + 1)[ranks]
    retrieved = (judged.retrieved[:, None] >= ranks[None, :]).sum(axis=0)
    return np.divide(known, retrieved, out=np.full(len(ranks), np.nan), where=retrieved > 0)
