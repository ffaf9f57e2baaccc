"""Sets of documents of which any one answers the question: judged one after the other, and the best counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.tables import Qrels
from judged.evaluation.measuring.column import column
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.rag.roll_up import rolled_qrels
from judged.evaluation.result.source import Provenance
from judged.measures.registry import Measure

__all__ = ["all_sets", "best", "best_column", "chosen", "each_set"]


def all_sets(qrels: Qrels) -> Qrels:
    """The documents of all sets of a query, each once with its highest grade: what is judged at all."""
    return _once(replace(qrels, choice=None))


def each_set(qrels: Qrels) -> list[Qrels]:
    """The judgments once for each set: the first of every query, the second, …; a query that has fewer repeats its last.

    Documents of the other sets are judged, and not relevant.
    """
    assert qrels.choice is not None
    most = np.zeros(len(qrels.queries), np.int64)
    np.maximum.at(most, qrels.query, qrels.choice)
    found = []
    for number in range(int(most.max()) + 1):
        mine = qrels.choice == np.minimum(number, most)[qrels.query]
        if qrels.passages is not None and qrels.passages.spans:
            found.append(replace(qrels.take(mine), choice=None))
        else:
            found.append(_once(replace(qrels, choice=None, grade=np.where(mine, qrels.grade, 0.0))))
    return found


def _once(qrels: Qrels) -> Qrels:
    if qrels.passages is not None and qrels.passages.spans:
        return qrels  # a span is found once, however often it is listed
    return replace(rolled_qrels(qrels, lambda rows: rows.doc), doc_kind=qrels.doc_kind)


# ── the best of them ─────────────────────────────────────────────────────────────────────────────


def best_column(measure: Measure, source: Provenance, orders: TieOrders | None) -> Column:
    """One value per query: of the sets, where there are any, the best; chosen by each measure for itself."""
    if not source.alternatives or not _differs(measure):
        return column(measure, source.judged, orders)
    return best(measure, [_on(measure, judged) for judged in source.alternatives])


def best(measure: Measure, columns: Sequence[Column]) -> Column:
    """The best of several values, for each query; one that there is, where some are missing."""
    better = np.fmin if measure.definition.lower_is_better else np.fmax
    out: Column = better.reduce(np.stack(columns))
    return out


def chosen(measure: Measure, source: Provenance) -> Provenance:
    """The source with that set of each query by which it has its value."""
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
