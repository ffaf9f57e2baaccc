"""Alternative sets of documents, any one of which answers the question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged.core.tables import Qrels
from judged.evaluation.roll_up import roll_up_qrels


def all_sets(qrels: Qrels) -> Qrels:
    """Merge the sets of each query: every judged document once, with its highest grade."""
    return _once(replace(qrels, choice=None))


def each_set(qrels: Qrels) -> list[Qrels]:
    """Return judgments with the first set of every query, with the second, and so on; a query with fewer sets repeats its last.

    Documents of the other sets are judged not relevant.
    """
    assert qrels.choice is not None
    most = np.zeros(len(qrels.queries), np.int64)
    np.maximum.at(most, qrels.query, qrels.choice)
    sets = []
    for number in range(int(most.max()) + 1):
        mine = qrels.choice == np.minimum(number, most)[qrels.query]
        if qrels.passages is not None and qrels.passages.spans:
            sets.append(replace(qrels.take(mine), choice=None))
        else:
            sets.append(_once(replace(qrels, choice=None, grade=np.where(mine, qrels.grade, 0.0))))
    return sets


def _once(qrels: Qrels) -> Qrels:
    if qrels.passages is not None and qrels.passages.spans:
        return qrels  # a span counts once even if it is listed several times
    return replace(roll_up_qrels(qrels, lambda rows: rows.doc), doc_kind=qrels.doc_kind)
