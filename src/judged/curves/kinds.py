"""The curves of one run, of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.confusion import Confusion
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.curves.curve import Curve
from judged.curves.mean import mean_curve, pooled_band
from judged.curves.threshold import per_query, pooled, roc_heights, roc_points
from judged.errors import UsageError, shown
from judged.evaluation.evaluate import with_level
from judged.evaluation.measuring.column import column
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.measures.grammar import parse
from judged.measures.profiles import Profile
from judged.measures.registry import Measure
from judged.stats.summary import mean

__all__ = ["CURVE_KINDS", "EVERY", "CurveRequest"]


EVERY = 50  # a point at each of the first ranks, then at as many more, ever further apart
_STANDARD = tuple(i / 10 for i in range(11))


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """What is asked of every run."""

    average: str
    queries: tuple[Id, ...] | None
    points: Any
    level: float | None
    band: float | None
    seed: int
    profile: Profile

    @property
    def lowest(self) -> float:
        return 1 if self.level is None else self.level


# ── each kind: the curves of one run, and what stands behind their names ─────────────────────────

_Drawn = tuple[list[Curve], list[str]]


def _precision_recall(name: str, j: Judged, wish: CurveRequest, _: list[Measure]) -> _Drawn:
    ap = _measure(j, wish, "AP")
    if wish.queries is not None or len(j) == 1:
        return _each(name, j, wish, ap, lambda row: _pr_of(j, row, wish.lowest))
    ranks = _ranks(wish.points, j)
    if wish.average == "micro":
        found, seen, relevant = pooled(_counted(j, wish), ranks, wish.lowest, shared=_shared(j))
        low, high = pooled_band(found, seen, band=wish.band, seed=wish.seed)
        tp = found.sum(axis=0)
        sums = Confusion(tp=tp, fp=seen.sum(axis=0) - tp, fn=relevant.sum() - tp, tn=np.zeros(len(tp)))
        return [Curve(name, sums.recall, sums.precision, ranks.astype(float), low, high)], [""]
    recall, precision = (_along(j, wish, parse(m), ranks) for m in ("R", "P"))
    across = mean_curve(name, ranks.astype(float), recall, band=None).y
    line = mean_curve(name, across, precision, at=ranks.astype(float), band=wish.band, seed=wish.seed)
    return [line], [f"(AP {mean(ap[~np.isnan(ap)]):.3f})"]


def _pr_of(j: Judged, row: int, level: float) -> Curve:
    ranks = np.arange(1, int(j.retrieved[row]) + 1)
    decisions = per_query(j, row, ranks, level, shared=_shared(j))
    return Curve("", decisions.recall, decisions.precision, ranks.astype(float), rule="step")


def _shared(j: Judged) -> bool:
    """Whether documents of equal scores share their ranks: the policy asks for the mean over their orders."""
    return j.policy.ties == "expected"


def _counted(j: Judged, wish: CurveRequest) -> Judged:
    """The queries whose decisions are pooled: all, or those with a relevant document where the policy leaves the others out."""
    left_out = j.policy.empty in ("skip", "nan")
    return j.select(np.flatnonzero(j.relevant(wish.lowest) > 0)) if left_out else j


def _interpolated(name: str, j: Judged, wish: CurveRequest, _: list[Measure]) -> _Drawn:
    levels = np.array(_STANDARD) if wish.points is None else shares(wish.points, "recall levels")
    values = np.stack([_measure(j, wish, parse("IPrec")(recall=float(c))) for c in levels], axis=1)
    if wish.queries is not None:
        return [Curve(_of(name, q, wish), levels, values[row], levels) for q, row in _rows(j, wish)], []
    return [mean_curve(name, levels, values, at=levels, band=wish.band, seed=wish.seed)], []


def _roc(name: str, j: Judged, wish: CurveRequest, _: list[Measure]) -> _Drawn:
    auc = _measure(j, wish, "AUC")
    if wish.queries is not None or len(j) == 1:
        return _each(name, j, wish, auc, lambda row: _roc_of(j, row, wish.lowest), "AUC")
    if wish.average == "micro":
        ranks = np.append(0, _ranks(wish.points, j))
        found, seen, _relevant = pooled(_counted(j, wish), ranks, wish.lowest, shared=True)
        tp, retrieved = found.sum(axis=0), seen.sum(axis=0)
        wrong = retrieved - tp
        sums = Confusion(tp=tp, fp=wrong, fn=tp[-1] - tp, tn=wrong[-1] - wrong)
        line = Curve(name, sums.fall_out, sums.recall, ranks.astype(float))
        return [line], [f"(AUC {line.area():.3f})"]
    rates = np.linspace(0, 1, 101) if wish.points is None else shares(wish.points, "false positive rates")
    heights = roc_heights(j, rates, wish.lowest)
    if j.policy.empty in ("skip", "nan", "one"):
        heights[j.relevant(wish.lowest) == 0] = 1.0 if j.policy.empty == "one" else np.nan
    line = mean_curve(name, rates, heights, at=rates, band=wish.band, seed=wish.seed)
    return [line], [f"(AUC {mean(auc[~np.isnan(auc)]):.3f})"]


def _roc_of(j: Judged, row: int, level: float) -> Curve:
    ranks, decisions = roc_points(j, row, level)
    return Curve("", decisions.fall_out, decisions.recall, ranks.astype(float))


def _at_k(name: str, j: Judged, wish: CurveRequest, wanted: list[Measure]) -> _Drawn:
    ranks = _ranks(wish.points, j)
    lines = []
    for m in wanted:
        label = f"{name} {m.name}" if len(wanted) > 1 else name
        values = _along(j, wish, m, ranks)
        k = ranks.astype(float)
        if wish.queries is not None:
            lines += [Curve(_of(label, q, wish), k, values[row], k) for q, row in _rows(j, wish)]
        else:
            lines.append(mean_curve(label, k, values, at=k, band=wish.band, seed=wish.seed))
    return lines, []


CURVE_KINDS: dict[str, Callable[[str, Judged, CurveRequest, list[Measure]], _Drawn]] = {
    "pr": _precision_recall,
    "ipr": _interpolated,
    "roc": _roc,
    "at-k": _at_k,
}


def _each(
    name: str, j: Judged, wish: CurveRequest, values: Floats, made: Callable[[int], Curve], mark: str = "AP"
) -> _Drawn:
    """A curve for each query that was asked for, with its value."""
    rows = _rows(j, wish)
    lines = [replace(made(row), name=_of(name, q, wish) if len(j) > 1 else name) for q, row in rows]
    return lines, [f"({mark} {values[row]:.3f})" for _, row in rows]


def _rows(j: Judged, wish: CurveRequest) -> list[tuple[Id, int]]:
    place = {query: row for row, query in enumerate(j.queries)}
    asked = j.queries if wish.queries is None else wish.queries
    for query in asked:
        if query not in place:
            raise UsageError("no-query", f"one of {len(place)} queries", got=shown(query), value=query)
    return [(query, place[query]) for query in asked]


def _of(name: str, query: Id, wish: CurveRequest) -> str:
    return f"{name} {query}" if wish.queries is not None and len(wish.queries) > 1 else name


def _measure(j: Judged, wish: CurveRequest, measure: str | Measure) -> Floats:
    m = with_level(wish.profile.apply(parse(measure)), wish.level)
    return column(m, j, _orders(j))


def _orders(j: Judged) -> TieOrders | None:
    return TieOrders(j) if j.policy.ties == "expected" else None


def _along(j: Judged, wish: CurveRequest, measure: Measure, ranks: Ints) -> Floats:
    """The measure at every rank (columns) for every query (rows)."""
    m, orders = with_level(wish.profile.apply(measure), wish.level), _orders(j)
    return np.stack([column(m @ int(k), j, orders) for k in ranks], axis=1)


def _ranks(points: Any, j: Judged) -> Ints:
    """All of the first ranks, then ever fewer, down to the end of the longest ranking; or those that are asked for."""
    if isinstance(points, Iterable):
        chosen = numbers(points, "ranks")
        if chosen[0] < 1 or (chosen != np.floor(chosen)).any():
            raise UsageError(
                "parameter",
                "whole ranks from 1 on",
                got=shown(chosen.tolist()),
                hint="recall levels are for ipr",
                value=points,
            )
        return chosen.astype(np.int64)
    last = int(j.retrieved.max(initial=1)) if points is None else whole_rank(points)
    dense = np.arange(1, min(last, EVERY) + 1)
    wide = np.geomspace(EVERY, last, EVERY + 1)[1:] if last > EVERY else np.empty(0)
    return np.unique(np.concatenate([dense, np.rint(wide).astype(np.int64)]))


def whole_rank(value: Any) -> int:
    """A last rank."""
    if not _is_number(value) or not 1 <= float(value) <= 2**31 or float(value) != int(value):
        raise UsageError("parameter", "a last rank, a whole number from 1 on", got=shown(value), value=value)
    return int(value)


def _is_number(value: Any) -> bool:
    number: Any = value if isinstance(value, int | float | np.number) and not isinstance(value, bool) else np.nan
    return bool(abs(number) <= 2**53)


def numbers(points: Any, what: str) -> Floats:
    """Points that were asked for, each once, in order."""
    given = [] if isinstance(points, str | bytes) else list(points)
    if not given or not all(map(_is_number, given)):
        raise UsageError("parameter", f"{what}, as numbers", got=shown(points), value=points)
    return np.unique(np.array(given, float))


def shares(points: Any, what: str) -> Floats:
    """Points from 0 to 1."""
    found = numbers(points if isinstance(points, Iterable) else [points], what)
    if found[0] < 0 or found[-1] > 1:
        raise UsageError("parameter", f"{what} from 0 to 1", got=shown(found.tolist()), value=points)
    return found
