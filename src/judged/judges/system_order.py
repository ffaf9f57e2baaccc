"""What a change of judge does to the order of systems: two leaderboards, how alike they are, and who swaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Rejudged
from judged.core.tables import Qrels
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import evaluate
from judged.io.run_names import named_runs, short_names
from judged.judges.panel import Panel
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.stats.rank_correlation.tau_and_rho import kendall, tau_ap
from judged.stats.summary import summarise
from judged.tables.result import RecordTable
from judged.tables.text import counted, distinct_columns, number, plain_data

__all__ = ["OrderPair", "Swap", "SystemOrder", "system_order"]


_ROUNDING = 1e-12  # of the largest mean: means that differ by less are equal, whatever their last bits say


@dataclass(frozen=True, slots=True)
class Swap:
    """Two systems of which one judge prefers the first and the other judge the second.

    `differences`: the value of the first system less that of the second, under each judge.
    """

    systems: tuple[str, str]
    differences: tuple[float, float]


@dataclass(frozen=True, slots=True)
class OrderPair:
    """Two judges' orders of the same systems.

    `tau_ap[0]` takes the first judge's order as the reference, `tau_ap[1]` the second's: it is not symmetric. `reason` says why
    `tau` is NaN, where it is. Of systems that tie, tau_AP is the mean over all their orders: 0 where all of them do.
    """

    judges: tuple[str, str]
    tau: float
    tau_ap: tuple[float, float]
    swaps: tuple[Swap, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SystemOrder:
    """Systems as each judge ranks them: `values` (judges × systems) over the queries that all judges judged.

    Means that differ by a rounding only are tied (within 1e-12 of the judge's largest).
    """

    measure: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    queries: int
    pairs: tuple[OrderPair, ...]
    warnings: tuple[Warned, ...] = ()  # of the evaluations: queries that a run lacks, and the like

    def board(self) -> RecordTable:
        """The systems, best first under the first judge, with their value and place under each."""
        levels = [_levels(row) for row in self.values]
        order = np.lexsort((np.arange(len(self.systems)), -levels[0]))
        labels = distinct_columns(self.judges, {"system", *(f"place, {judge}" for judge in self.judges)}.__contains__)
        columns: dict[str, tuple[Any, ...]] = {"system": tuple(self.systems[i] for i in order)}
        for judge, row, level in zip(labels, self.values, levels, strict=True):
            columns[judge] = tuple(row[order].tolist())
            columns[f"place, {judge}"] = tuple((1 + (level > level[i]).sum()).item() for i in order)
        title = f"{self.measure} by judge, mean over {counted(self.queries, 'query', 'queries')}"
        return RecordTable(columns, words=("system",), title=title, notes=self._notes())

    def conclusion(self) -> tuple[str, ...]:
        """In words: whether judges order the systems alike, and who swaps; of each pair of judges that does not."""
        size = len(self.systems)
        alike = [np.array_equal(_signs(self.values[a]), _signs(self.values[b]))
                 for a, b in combinations(range(len(self.judges)), 2)]  # fmt: skip
        one_pair = "; 2 systems are one pair, which says little" if size == 2 else ""
        if all(alike):
            who = "both judges" if len(self.judges) == 2 else f"all {len(self.judges)} judges"
            if not any(_levels(row).any() for row in self.values):
                return (f"By {self.measure}, the {size} systems tie under {who}",)
            return (f"By {self.measure}, the order of the {size} systems is the same under {who}{one_pair}",)
        said = [_swapped(pair, size) for pair, same in zip(self.pairs, alike, strict=True) if not same]
        return (*(f"By {self.measure}, {line}{one_pair}" for line in said),)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        for pair in self.pairs:
            a, b = pair.judges
            tau = f"not defined ({pair.reason})" if pair.reason else number(pair.tau)
            notes.append(
                f"{a} and {b}: Kendall's tau {tau}, tau_AP {number(pair.tau_ap[0])} ({a} as reference) and"
                f" {number(pair.tau_ap[1])} ({b}); {_share(pair, len(self.systems))}"
            )
            notes += [
                f"{s.systems[0]} and {s.systems[1]} swap: {s.differences[0]:+z.4f} under {a}, {s.differences[1]:+z.4f} under {b}"
                for s in pair.swaps[:5]
            ]
        return tuple(notes)

    def plain(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "measure": self.measure,
            "queries": self.queries,
            "values": {j: dict(zip(self.systems, row.tolist(), strict=True))
                       for j, row in zip(self.judges, self.values, strict=True)},
            "pairs": [
                {"judges": p.judges, "tau": plain_data(p.tau), "reason": p.reason, "tau_ap": [plain_data(x) for x in p.tau_ap],
                 "swaps": [{"systems": s.systems, "differences": s.differences} for s in p.swaps]}
                for p in self.pairs
            ],
        }  # fmt: skip


def system_order(panel: Panel, runs: Any, measure: str | Measure, rejudged: Rejudged = "error") -> SystemOrder:
    """Each run evaluated with each judge's judgments, over the queries that all judges judged.

    Each judge keeps his own documents: one that he did not judge is unjudged, as in every evaluation.
    """
    found = named_runs(runs)
    if len(found) < 2:
        raise UsageError("runs", "two runs or more, to be ordered", got=str(len(found)))
    chosen = parse(measure)
    if chosen.definition.text:
        raise UsageError("measure", "a measure that is a number", got=shown(str(chosen)), value=str(chosen))
    judges, qrels = panel.names, _shared(panel.qrels)
    each = panel.levels if panel.levels is not None else [None] * len(qrels)
    results = [
        [evaluate(one, run, chosen, level=level, rejudged=rejudged) for _, run in found]
        for one, level in zip(qrels, each, strict=True)
    ]
    values = np.array([[_mean(result) for result in row] for row in results])
    shorter = short_names([result.names[1] for result in results[0]])
    systems = tuple(name or short for (name, _), short in zip(found, shorter, strict=True))
    pairs = [
        _pair((judges[a], judges[b]), systems, values[a], values[b]) for a, b in combinations(range(len(judges)), 2)
    ]
    limited = any(one is not whole for one, whole in zip(qrels, panel.qrels, strict=True))
    about = ", over the queries that all judges judged" if limited else ""
    warnings = tuple(_warned(judges, systems, results, panel.warnings, about))
    called = " or ".join(
        dict.fromkeys(str(row[0].measures[0]) for row in results)
    )  # judges may have levels of their own
    return SystemOrder(called, tuple(judges), systems, values, len(results[0][0].queries), tuple(pairs), warnings)


def _shared(qrels: Sequence[Qrels]) -> list[Qrels]:
    """Each judge's judgments of the queries that all of them judged."""
    common = set.intersection(*(set(one.queries.take(np.unique(one.query)).tolist()) for one in qrels))
    if not common:
        raise DataError("no-common-query", "a query that all judges judged", got="none")
    return [_only(one, common) for one in qrels]


def _only(one: Qrels, queries: set[bytes]) -> Qrels:
    stays = np.array([query in queries for query in one.queries.tolist()])
    if stays.all():
        return one
    kept = one.take(stays[one.query])
    return replace(kept, queries=one.queries.take(stays), query=(np.cumsum(stays) - 1)[kept.query])


def _mean(result: Any) -> float:
    (measure,) = result.measures
    return summarise(result[measure], measure.definition.summary)


def _levels(values: Floats) -> Floats:
    """Means as whole numbers, ascending from 0: equal ones, and such as differ by a rounding only, have the same."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    found = np.zeros(len(values))
    found[order[1:]] = np.cumsum(ordered[1:] > ordered[:-1] + _ROUNDING * scale)
    return np.where(np.isnan(values), np.nan, found)


def _pair(judges: tuple[str, str], systems: Sequence[str], one: Floats, other: Floats) -> OrderPair:
    x, y = _levels(one), _levels(other)
    tied = [judge for judge, level in zip(judges, (x, y), strict=True) if not level.any()]
    reason = f"all systems tie under {' and '.join(tied)}" if tied else ""
    return OrderPair(judges, kendall(x, y), (tau_ap(y, x), tau_ap(x, y)), _swaps(systems, one, other), reason)


def _warned(
    judges: Sequence[str], systems: Sequence[str], results: Sequence[Sequence[Any]], known: Sequence[Warned], about: str
) -> list[Warned]:
    """What the evaluations warn of, but for what is known of the judgments; the same under all judges is said once."""
    found: dict[tuple[str, Warned], list[str]] = {}
    for judge, row in zip(judges, results, strict=True):
        for system, result in zip(systems, row, strict=True):
            for warning in dict.fromkeys(w for w in result.warnings if w not in known):
                found.setdefault((system, warning), []).append(judge)
    under = {key: "" if len(who) == len(judges) else f" under {' and '.join(who)}" for key, who in found.items()}
    return [replace(w, text=f"{system}{under[system, w]}{about}: {w.text}") for system, w in found]


def _swaps(systems: Sequence[str], one: Floats, other: Floats) -> tuple[Swap, ...]:
    """Pairs in opposite order, those that differ most under both judges first."""
    first, second = np.triu_indices(len(systems), 1)
    before, after = one[first] - one[second], other[first] - other[second]
    x, y = _levels(one), _levels(other)
    which = np.flatnonzero((x[first] - x[second]) * (y[first] - y[second]) < 0)
    which = which[np.argsort(-np.minimum(np.abs(before), np.abs(after))[which], kind="stable")]
    return tuple(
        Swap((systems[first[i]], systems[second[i]]), (float(before[i]), float(after[i]))) for i in which.tolist()
    )


def _signs(values: Floats) -> Floats:
    """Of each two systems, which one is better: 1, 0, -1."""
    levels = _levels(values)
    return np.sign(levels[:, None] - levels[None, :])


def _share(pair: OrderPair, systems: int) -> str:
    pairs = counted(systems * (systems - 1) // 2, "pair")
    return f"{len(pair.swaps)} of {pairs} of systems {'swaps' if systems == 2 else 'swap'}"


def _swapped(pair: OrderPair, systems: int) -> str:
    a, b = pair.judges
    if not pair.swaps:
        return f"no two of the {systems} systems swap between {a} and {b}, but some tie under one of them"
    some = ", ".join(f"{s.systems[0]} and {s.systems[1]}" for s in pair.swaps[:3])
    more = f" and {len(pair.swaps) - 3} more" if len(pair.swaps) > 3 else ""
    return f"{_share(pair, systems)} between {a} and {b}: {some}{more}"
