"""Compute measures on joined rankings, each under its own policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.errors import DataError, Hint, Warned
from judged.evaluation.inputs import Provenance, under
from judged.measures.registry import Measure
from judged.tables.table import counted, listed

if TYPE_CHECKING:
    from judged.evaluation.tied_orders import TieOrders


def column(measure: Measure, judged: Judged, orders: TieOrders | None) -> Column:
    """One value per query: the mean over the orders of ties if these are given; empty queries by the policy."""
    values = orders.expected_value(measure) if orders else measure.on(judged)
    if judged.policy.empty in ("zero", "error") or not is_settled(measure, judged):
        return values
    return np.where(is_empty(measure, judged), 1.0 if judged.policy.empty == "one" else np.nan, values)


def ends_at_cutoff(measure: Measure, policy: Policy) -> bool:
    """True if hits below the cutoff, and not tied with one above it, leave the value as it is."""
    renumbered = measure.get("judged_only") or measure.get("tokens") is not None
    return "cutoff" in measure.definition.laws and policy.ties != "expected" and not renumbered


def is_settled(measure: Measure, judged: Judged) -> bool:
    """True if the policy decides the value of queries without a relevant document: not for counts, judged shares and measures that need none."""
    d = measure.definition
    relevance = "unit" in d.laws and not d.lower_is_better and d.family != "coverage" and not d.always_defined
    return relevance and judged.policy.empty not in ("zero", "error")


def is_empty(measure: Measure, judged: Judged) -> Column:
    """Queries without a document that is relevant to the measure: at its level, or with a positive grade."""
    level = measure.get("level")
    if measure.definition.binary:
        return judged.relevant(level) == 0
    if not level:
        return judged.pool.positive == 0
    pool = judged.ideal
    return pool.total((pool.grade > 0) & (pool.grade >= level)) == 0


_BINARY, _COMMON = 2, 3  # grades of a scale: relevant or not; and not, relevant and highly relevant
_NAMED = 5  # measures in a warning


def level_warnings(judged: Judged, measures: Sequence[Measure]) -> tuple[Warned, ...]:
    """Warn of queries whose relevant documents are all below the level of a measure, and of a level that nobody chose; the join, which has no level, cannot."""
    warnings = []
    for level in sorted({m.get("level") for m in measures if m.definition.binary}):
        n = int(((judged.relevant(level) == 0) & (judged.pool.positive > 0)).sum())
        if n:
            who = "query has a relevant document, but none" if n == 1 else "queries have relevant documents, but none"
            warnings.append(
                Warned("no-relevant", n, f"{n} {who} of grade {level:g} or above (empty={judged.policy.empty})")
            )
    if judged.policy.empty == "error":
        check_empty(warnings)
    return (*warnings, *_unset_level(judged, measures))


def _unset_level(judged: Judged, measures: Sequence[Measure]) -> Iterator[Warned]:
    """Warn if nobody chose the level, and grades look like a scale on which 1 does not mean relevant.

    That is one with four or more grades, or with three or more of which none is below the level. Negative grades mark spam
    and are no part of a scale.
    """
    unset = [m for m in measures if m.definition.binary and "level" not in {*m.explicit, *dict(m.given)}]
    if not unset:
        return
    ordered = np.sort(judged.pool_grade)
    grades = ordered[np.diff(ordered, prepend=np.nan) != 0]  # np.unique imports numpy.ma
    level, scale = unset[0].get("level"), grades[grades >= 0]
    graded = len(scale) > _BINARY or (len(scale) == _BINARY and scale[-1] > _BINARY)
    whole = graded and grades[0] >= level
    if not whole and len(scale) <= _COMMON:
        return
    n, total = int(np.count_nonzero(judged.pool_grade >= level)), counted(len(judged.pool_grade), "judged document")
    why = f"no grade is below {level:g}" if whole else f"grade ≥ {level:g} on a scale of {scale[0]:g} to {scale[-1]:g}"
    names = listed([str(m) for m in unset] if len(unset) <= _NAMED else [*map(str, unset[:_NAMED]), "others"])
    text = (
        f"{names} {'counts' if len(unset) == 1 else 'count'} {'all' if whole else f'{n} of'} {total} as relevant: {why}"
    )
    middle = float(scale[(len(scale) + 1) // 2])
    hint = Hint("name the lowest relevant grade, such as {level}", level=int(middle) if middle.is_integer() else middle)
    yield Warned("level", n, text, hint)


def check_empty(warnings: Sequence[Warned]) -> None:
    """Raise if a query has no relevant document."""
    for warning in warnings:
        if warning.slug == "no-relevant":
            raise DataError("no-relevant", warning.text, value=warning.count)


def check_strict(warnings: Sequence[Warned]) -> None:
    """Raise if there is a warning."""
    if warnings:
        count = f"{len(warnings)} warning{'s' * (len(warnings) > 1)}"
        raise DataError(warnings[0].slug, f"strict mode: {count}; first: {warnings[0].text}")


@dataclass(frozen=True, eq=False, repr=False)
class Views:
    """A joined ranking under the policies of each measure. The run is joined again once per order of documents, if it is available.

    >>> from judged.core.labelled import rank_labels
    >>> from judged.measures.registry import parse
    >>> Views(Provenance(rank_labels([0, 1], [0.9, 0.4]))).column(parse("RR"))
    array([0.5])
    """

    source: Provenance
    _under: dict[Policy, Provenance] = field(default_factory=dict, init=False)
    _orders: dict[int, TieOrders] = field(default_factory=dict, init=False)  # by identity of the ranking

    def of(self, measure: Measure) -> Provenance:
        """The inputs under the policies of a measure."""
        if not measure.policy:
            return self.source
        policy = replace(self.source.judged.policy, **dict(measure.policy))
        if policy not in self._under:
            self._under[policy] = under(self.source, policy)
        return self._under[policy]

    def orders(self, judged: Judged) -> TieOrders | None:
        """All orders of tied documents, if values are means over them."""
        if judged.policy.ties != "expected":
            return None
        from judged.evaluation.tied_orders import TieOrders

        return self._orders.setdefault(id(judged), TieOrders(judged))

    def column(self, measure: Measure) -> Column:
        """One value per query; of several sets of judgments the best."""
        return self.columns([measure])[0]

    def columns(self, measures: Sequence[Measure]) -> list[Column]:
        """The columns of several measures, for which the orders of tied documents are made once."""
        sources = [self.of(m) if m.policy else self.source for m in measures]
        if all(source.judged.policy.ties != "expected" and not source.alternatives for source in sources):
            return [column(m, source.judged, None) for m, source in zip(measures, sources, strict=True)]
        pairs = list(zip(measures, sources, strict=True))
        self.compute_together((source.judged, m) for m, source in pairs if not source.alternatives)
        return [best_column(m, source, self.orders(source.judged)) for m, source in pairs]

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


# ── alternative sets of documents ───────────────────────────────────────────────────────────────────────────────


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
    return column(measure, judged, tie_orders(judged))


def tie_orders(judged: Judged) -> TieOrders | None:
    """All orders of tied documents, if values are means over them."""
    if judged.policy.ties != "expected":
        return None
    from judged.evaluation.tied_orders import TieOrders

    return TieOrders(judged)


def _differs(measure: Measure) -> bool:
    """True if the value differs between sets; the judged share does not."""
    return not measure.definition.text and measure.definition.family != "coverage"
