"""Alternative sets of documents, any one of which answers the question: each set is evaluated, and the best value counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.tables import Qrels
from judged.evaluation.measuring.column import column
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.result.source import Provenance
from judged.evaluation.roll_up import roll_up_qrels
from judged.measures.registry import Measure


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


# ── the best value ───────────────────────────────────────────────────────────────────────────────


def best_column(measure: Measure, source: Provenance, orders: TieOrders | None) -> Column:
    """One value per query: the best of its sets, if it has several; each measure chooses its own."""
    if not source.alternatives or not _differs(measure):
        return column(measure, source.judged, orders)
    return best(measure, [_on(measure, judged) for judged in source.alternatives])


def best(measure: Measure, columns: Sequence[Column]) -> Column:
    """Return the best value of each query, without missing values."""
    better = np.fmin if measure.definition.lower_is_better else np.fmax
    out: Column = better.reduce(np.stack(columns))
    return out


def chosen(measure: Measure, source: Provenance) -> Provenance:
    """Return the source with the set of each query that has the best value."""
    if not source.alternatives or not _differs(measure):
        return replace(source, alternatives=())
    values = np.stack([_on(measure, judged) for judged in source.alternatives])
    worst = np.inf if measure.definition.lower_is_better else -np.inf
    values = np.where(np.isnan(values), worst, values)
    pick = (values.argmin if measure.definition.lower_is_better else values.argmax)(axis=0)
    if (pick == pick[0]).all():
        return replace(source, judged=source.alternatives[int(pick[0])], alternatives=())
    parts = [source.alternatives[int(number)].select([row]) for row, number in enumerate(pick)]
    merged = replace(Judged.merge(parts), warnings=source.judged.warnings)
    return replace(source, judged=merged, alternatives=())


def _on(measure: Measure, judged: Judged) -> Column:
    return column(measure, judged, TieOrders(judged) if judged.policy.ties == "expected" else None)


def _differs(measure: Measure) -> bool:
    """True if the value differs between sets; the judged share does not."""
    return not measure.definition.text and measure.definition.family != "coverage"
