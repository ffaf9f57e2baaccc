"""The ranking that each measure sees: a profile may order the documents of some measures differently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from judged._types import Column
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.errors import Warned
from judged.evaluation.inputs import under
from judged.evaluation.measuring.column import column
from judged.evaluation.result.source import Provenance
from judged.measures.registry import Measure

if TYPE_CHECKING:
    from judged.evaluation.measuring.expected_ties import TieOrders


class Views:
    """A joined ranking under the policies of each measure. The run is joined again once per order of documents, if it is available.

    >>> from judged.core.labelled import rank_labels
    >>> from judged.measures.grammar import parse
    >>> Views(Provenance(rank_labels([0, 1], [0.9, 0.4]))).column(parse("RR"))
    array([0.5])
    """

    def __init__(self, source: Provenance) -> None:
        self._source = source
        self._under: dict[Policy, Provenance] = {}
        self._orders: dict[int, TieOrders] = {}  # by identity of the ranking

    def of(self, measure: Measure) -> Provenance:
        """The inputs under the policies of a measure."""
        if not measure.policy:
            return self._source
        policy = replace(self._source.judged.policy, **dict(measure.policy))
        if policy not in self._under:
            self._under[policy] = under(self._source, policy)
        return self._under[policy]

    def orders(self, judged: Judged) -> TieOrders | None:
        """All orders of tied documents, if values are means over them."""
        if judged.policy.ties != "expected":
            return None
        from judged.evaluation.measuring.expected_ties import TieOrders

        return self._orders.setdefault(id(judged), TieOrders(judged))

    def column(self, measure: Measure) -> Column:
        """One value per query; of several sets of judgments the best."""
        source = self.of(measure)
        if not source.alternatives:
            return column(measure, source.judged, self.orders(source.judged))
        from judged.evaluation.alternatives import best_column

        return best_column(measure, source, self.orders(source.judged))

    def columns(self, measures: Sequence[Measure]) -> list[Column]:
        """The columns of several measures, for which the orders of tied documents are made once."""
        self.compute_together((source.judged, m) for m in measures if not (source := self.of(m)).alternatives)
        return [self.column(measure) for measure in measures]

    def compute_together(self, wanted: Iterable[tuple[Judged, Measure]]) -> None:
        """Compute the means over orders of ties that are asked for next, of measures on rankings."""
        by_ranking: dict[int, tuple[Judged, list[Measure]]] = {}
        for judged, measure in wanted:
            by_ranking.setdefault(id(judged), (judged, []))[1].append(measure)
        for judged, measures in by_ranking.values():
            if (orders := self.orders(judged)) is not None:
                orders.compute_together(measures)

    def warnings(self, measures: list[Measure]) -> tuple[Warned, ...]:
        """Warn of queries whose orders were sampled, after the columns of these measures."""
        if not self._orders:
            return ()
        seen = [(m, self.orders(self.of(m).judged)) for m in measures]
        kept = {id(orders): orders for _, orders in seen if orders is not None}
        return tuple(w for o in kept.values() for w in o.warnings([m for m, orders in seen if orders is o]))
