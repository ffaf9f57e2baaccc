"""The order of systems by the judgments of each judge: means, rank correlations, and the systems that swap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Rejudged
from judged.core.tables import Qrels
from judged.distributed.open_run import open_run
from judged.errors import DataError, UsageError, Warned
from judged.evaluation.evaluate import evaluate
from judged.io.columns import ColumnRequest
from judged.io.recognise import named_runs
from judged.io.run_names import short_names
from judged.judging.panel import Panel
from judged.measures.registry import Measure, parse
from judged.stats.intervals import summarise
from judged.stats.rank_correlation import kendall, tau_ap
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, distinct_columns, number

_ROUNDING = 1e-12  # relative to the largest mean: smaller differences are ties


@dataclass(frozen=True, slots=True)
class Swap:
    """Two systems that two judges order differently.

    `differences`: the value of the first system less that of the second, by judge.
    """

    systems: tuple[str, str]
    differences: tuple[float, float]


@dataclass(frozen=True, slots=True)
class OrderPair:
    """Correlation of the orders of systems by two judges.

    `tau_ap` is not symmetric: its first value has the first judge as the reference, its second value the second judge. With
    tied systems it is the mean over all their orders, so 0 if all are tied; `tau` is then NaN.
    """

    judges: tuple[str, str]
    tau: float
    tau_ap: tuple[float, float]
    swaps: tuple[Swap, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SystemOrder(Result):
    """Mean values of systems by judge, `values` (judges × systems), over the queries that all judges judged.

    Means that differ by less than 1e-12 of the largest are tied.
    """

    measure: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    queries: int
    pairs: tuple[OrderPair, ...]
    warnings: tuple[Warned, ...] = ()  # warnings of the evaluations

    def records(self) -> list[dict[str, Any]]:
        """One row per system, the best of the first judge first, with value and rank by judge."""
        return self._board().records()

    def tables(self, *, places: int = 4) -> list[Table]:
        """The systems by judge, with correlations and swaps as notes."""
        return self._board().tables(places=places)

    def _board(self) -> RecordTable:
        levels = [_levels(row) for row in self.values]
        order = np.lexsort((np.arange(len(self.systems)), -levels[0]))
        labels = distinct_columns(self.judges, {"system", *(f"rank, {judge}" for judge in self.judges)}.__contains__)
        columns: dict[str, tuple[Any, ...]] = {"system": tuple(self.systems[i] for i in order)}
        for judge, row, level in zip(labels, self.values, levels, strict=True):
            columns[judge] = tuple(row[order].tolist())
            columns[f"rank, {judge}"] = tuple((1 + (level > level[i]).sum()).item() for i in order)
        title = f"{self.measure} by judge, mean over {counted(self.queries, 'query', 'queries')}"
        return RecordTable(columns, words=("system",), title=title, notes=self._notes())

    def headline(self) -> tuple[str, ...]:
        """One sentence per pair of judges under which systems swap; or one that none do."""
        size, lines = len(self.systems), []
        for pair in self.pairs:
            if pair.swaps:
                some = ", ".join(" and ".join(swap.systems) for swap in pair.swaps[:3])
                more = f" and {len(pair.swaps) - 3} more" if len(pair.swaps) > 3 else ""
                lines.append(
                    f"By {self.measure}, {_share(pair, size)} between {' and '.join(pair.judges)}: {some}{more}"
                )
        return tuple(lines) or (f"By {self.measure}, no two of the {size} systems swap between judges",)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        for pair in self.pairs:
            a, b = pair.judges
            notes.append(
                f"{a} and {b}: Kendall's tau {number(pair.tau)}, tau_AP {number(pair.tau_ap[0])} ({a} as reference) and"
                f" {number(pair.tau_ap[1])} ({b}); {_share(pair, len(self.systems))}"
            )
            notes += [
                f"{s.systems[0]} and {s.systems[1]} swap: {s.differences[0]:+z.4f} under {a}, {s.differences[1]:+z.4f} under {b}"
                for s in pair.swaps[:5]
            ]
        return tuple(notes)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "measure": self.measure,
            "queries": self.queries,
            "values": {
                j: dict(zip(self.systems, row.tolist(), strict=True))
                for j, row in zip(self.judges, self.values, strict=True)
            },
            "pairs": [asdict(pair) for pair in self.pairs],
        }


def system_order(
    panel: Panel, runs: Any, measure: str | Measure, rejudged: Rejudged, columns: ColumnRequest
) -> SystemOrder:
    """Evaluate each run with the judgments of each judge, over the queries that all judges judged.

    A document that a judge did not judge is unjudged in the evaluation with that judge.
    """
    named = named_runs(runs)
    if len(named) < 2:
        raise UsageError("runs", f"an order of systems needs two or more runs, got {len(named)}")
    chosen = parse(measure)
    if chosen.definition.text:
        raise UsageError("measure", f"{chosen} is not a number and cannot order systems", value=str(chosen))
    named = [(name, open_run(run, None, columns)) for name, run in named]
    judges, qrels = panel.names, _shared(panel.qrels)
    each = panel.levels if panel.levels is not None else [None] * len(qrels)
    results = [
        [evaluate(one, run, chosen, level=level, rejudged=rejudged) for _, run in named]
        for one, level in zip(qrels, each, strict=True)
    ]
    summary = chosen.definition.summary
    values = np.array([[summarise(result[result.measures[0]], summary) for result in row] for row in results])
    shorter = short_names([result.names[1] for result in results[0]])
    systems = tuple(name or short for (name, _), short in zip(named, shorter, strict=True))
    pairs = [
        _pair((judges[a], judges[b]), systems, values[a], values[b]) for a, b in combinations(range(len(judges)), 2)
    ]
    warnings = dict.fromkeys(
        replace(warning, text=f"{system}: {warning.text}")
        for row in results
        for system, result in zip(systems, row, strict=True)
        for warning in result.warnings
        if warning not in panel.warnings
    )
    name = " or ".join(dict.fromkeys(str(row[0].measures[0]) for row in results))  # levels may differ between judges
    return SystemOrder(name, tuple(judges), systems, values, len(results[0][0].queries), tuple(pairs), tuple(warnings))


def _shared(qrels: Sequence[Qrels]) -> list[Qrels]:
    """Restrict the judgments of each judge to the queries that all of them judged."""
    common = set.intersection(*(set(one.queries.take(np.unique(one.query)).tolist()) for one in qrels))
    if not common:
        raise DataError("no-common-query", "no query was judged by all judges")
    limited = []
    for one in qrels:
        stays = np.array([query in common for query in one.queries.tolist()])
        kept = one.take(stays[one.query])
        limited.append(replace(kept, queries=one.queries.take(stays), query=(np.cumsum(stays) - 1)[kept.query]))
    return limited


def _levels(values: Floats) -> Floats:
    """Convert means to integer levels from 0; means that are equal up to rounding have the same level."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    levels = np.zeros(len(values))
    levels[order[1:]] = np.cumsum(ordered[1:] > ordered[:-1] + _ROUNDING * scale)
    return np.where(np.isnan(values), np.nan, levels)


def _pair(judges: tuple[str, str], systems: Sequence[str], one: Floats, other: Floats) -> OrderPair:
    """Compare the orders of systems by two judges; swaps are listed by decreasing smaller difference."""
    x, y = _levels(one), _levels(other)
    first, second = np.triu_indices(len(systems), 1)
    before, after = one[first] - one[second], other[first] - other[second]
    opposite = np.flatnonzero((x[first] - x[second]) * (y[first] - y[second]) < 0)
    smaller = np.minimum(np.abs(before), np.abs(after))[opposite]
    swaps = tuple(
        Swap((systems[first[i]], systems[second[i]]), (float(before[i]), float(after[i])))
        for i in opposite[np.argsort(-smaller, kind="stable")].tolist()
    )
    return OrderPair(judges, kendall(x, y), (tau_ap(y, x), tau_ap(x, y)), swaps)


def _share(pair: OrderPair, systems: int) -> str:
    return f"{len(pair.swaps)} of {counted(systems * (systems - 1) // 2, 'pair')} of systems swap"
