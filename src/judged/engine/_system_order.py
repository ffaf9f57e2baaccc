"""What a change of judge does to the order of systems: two leaderboards, how alike they are, and who swaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core import Qrels
from judged.core.policy import Rejudged
from judged.correlation.order import kendall, tau_ap
from judged.engine._listing import Listing, number
from judged.engine.evaluation import evaluate
from judged.engine.named import named_runs, short_names
from judged.engine.table import counted
from judged.errors import DataError, UsageError, shown
from judged.measures import Measure, parse
from judged.stats import summarise

__all__ = ["OrderPair", "Swap", "SystemOrder", "system_order"]

Floats = NDArray[np.float64]


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

    `tau_ap[0]` takes the first judge's order as the reference, `tau_ap[1]` the second's: it is not symmetric.
    """

    judges: tuple[str, str]
    tau: float
    tau_ap: tuple[float, float]
    swaps: tuple[Swap, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SystemOrder:
    """Systems as each judge ranks them: `values` (judges × systems) over the queries that all judges judged."""

    measure: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    queries: int
    pairs: tuple[OrderPair, ...]

    def board(self) -> Listing:
        """The systems, best first under the first judge, with their value and place under each."""
        order = np.lexsort((np.arange(len(self.systems)), -self.values[0]))
        columns: dict[str, tuple[Any, ...]] = {"system": tuple(self.systems[i] for i in order)}
        for judge, row in zip(self.judges, self.values, strict=True):
            columns[judge] = tuple(row[order].tolist())
            columns[f"place, {judge}"] = tuple((1 + (row > row[i]).sum()).item() for i in order)
        title = f"{self.measure} by judge, mean over {counted(self.queries, 'query', 'queries')}"
        return Listing(columns, words=("system",), title=title, notes=self._notes())

    def conclusion(self) -> tuple[str, ...]:
        """In words: whether judges order the systems alike, and who swaps; of each pair of judges that does not."""
        size = len(self.systems)
        alike = [np.array_equal(_signs(self.values[a]), _signs(self.values[b]))
                 for a, b in combinations(range(len(self.judges)), 2)]  # fmt: skip
        one_pair = "; 2 systems are one pair, which says little" if size == 2 else ""
        if all(alike):
            who = "both judges" if len(self.judges) == 2 else f"all {len(self.judges)} judges"
            if (self.values == self.values[:, :1]).all():
                return (f"By {self.measure}, the {size} systems tie under {who}",)
            return (f"By {self.measure}, the order of the {size} systems is the same under {who}{one_pair}",)
        said = [_swapped(pair, size) for pair, same in zip(self.pairs, alike, strict=True) if not same]
        return (*(f"By {self.measure}, {line}{one_pair}" for line in said),)

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

    def plain(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "measure": self.measure,
            "queries": self.queries,
            "values": {j: dict(zip(self.systems, row.tolist(), strict=True))
                       for j, row in zip(self.judges, self.values, strict=True)},
            "pairs": [
                {"judges": p.judges, "tau": _finite(p.tau), "tau_ap": [_finite(x) for x in p.tau_ap],
                 "swaps": [{"systems": s.systems, "differences": s.differences} for s in p.swaps]}
                for p in self.pairs
            ],
        }  # fmt: skip


def system_order(
    judges: Sequence[str],
    qrels: Sequence[Qrels],
    runs: Any,
    measure: str | Measure,
    levels: Sequence[float] | None,
    rejudged: Rejudged = "error",
) -> SystemOrder:
    """Each run evaluated with each judge's judgments, over the queries that all judges judged.

    Each judge keeps his own documents: one that he did not judge is unjudged, as in every evaluation.
    """
    found = named_runs(runs)
    if len(found) < 2:
        raise UsageError("runs", "two runs or more, to be ordered", got=str(len(found)))
    chosen = parse(measure)
    if chosen.definition.text:
        raise UsageError("measure", "a measure that is a number", got=shown(str(chosen)), value=str(chosen))
    each = levels if levels is not None else [None] * len(qrels)
    results = [
        [evaluate(one, run, chosen, level=level, rejudged=rejudged) for _, run in found]
        for one, level in zip(qrels, each, strict=True)
    ]
    common = set.intersection(*(set(row[0].queries) for row in results))
    if not common:
        raise DataError("no-common-query", "a query that all judges judged", got="none")
    values = np.array([[_mean(result, common) for result in row] for row in results])
    shorter = short_names([result.names[1] for result in results[0]])
    systems = tuple(name or short for (name, _), short in zip(found, shorter, strict=True))
    pairs = [
        OrderPair((judges[a], judges[b]), kendall(values[a], values[b]),
                  (tau_ap(values[b], values[a]), tau_ap(values[a], values[b])), _swaps(systems, values[a], values[b]))
        for a, b in combinations(range(len(judges)), 2)
    ]  # fmt: skip
    called = " or ".join(
        dict.fromkeys(str(row[0].measures[0]) for row in results)
    )  # judges may have levels of their own
    return SystemOrder(called, tuple(judges), systems, values, len(common), tuple(pairs))


def _mean(result: Any, common: set[Any]) -> float:
    (measure,) = result.measures
    there = np.array([query in common for query in result.queries])
    return summarise(result[measure][there], measure.definition.summary)


def _swaps(systems: Sequence[str], one: Floats, other: Floats) -> tuple[Swap, ...]:
    """Pairs in opposite order, those that differ most under both judges first."""
    first, second = np.triu_indices(len(systems), 1)
    before, after = one[first] - one[second], other[first] - other[second]
    which = np.flatnonzero(before * after < 0)
    which = which[np.argsort(-np.minimum(np.abs(before), np.abs(after))[which], kind="stable")]
    return tuple(
        Swap((systems[first[i]], systems[second[i]]), (float(before[i]), float(after[i]))) for i in which.tolist()
    )


def _signs(values: Floats) -> Floats:
    """Of each two systems, which one is better: 1, 0, -1."""
    return np.sign(values[:, None] - values[None, :])


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


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None
