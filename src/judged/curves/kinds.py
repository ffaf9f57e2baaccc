"""Kinds of curves, each declared once: the curves of one run, their labels, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.confusion import Confusion
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.curves.at_ranks import CurveRequest, values_at_ranks
from judged.curves.mean import mean_curve, pooled_band
from judged.curves.result import Curve, Kind
from judged.curves.threshold import per_query, pooled, roc_heights, roc_points
from judged.errors import UsageError, shown
from judged.evaluation.measuring import Views
from judged.evaluation.provenance import Provenance
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.registry import Registry
from judged.stats.summary import mean

EVERY = 50  # a point at each of the first 50 ranks, then at 50 more, increasingly far apart
_STANDARD = tuple(i / 10 for i in range(11))


# ── each kind: the curves of one run, and the text after their names in a legend ─────────────────

_CurvesAndMarks = tuple[list[Curve], list[str]]


def _precision_recall(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    ap = _values(j, request, "AP")
    if request.queries is not None or len(j) == 1:
        return _each(name, j, request, ap, lambda row: _pr_of(j, row, request.lowest))
    ranks = _ranks(request.points, j)
    if request.average == "micro":
        found, seen, relevant = pooled(_pooled_queries(j, request), ranks, request.lowest, shared=_shared(j))
        low, high = pooled_band(found, seen, band=request.band, seed=request.seed)
        tp = found.sum(axis=0)
        sums = Confusion(tp=tp, fp=seen.sum(axis=0) - tp, fn=relevant.sum() - tp, tn=np.zeros(len(tp)))
        return [Curve(name, sums.recall, sums.precision, ranks.astype(float), low, high)], [""]
    recall, precision = values_at_ranks(j, request, [parse("R"), parse("P")], ranks)
    across = mean_curve(name, ranks.astype(float), recall, band=None).y
    line = mean_curve(name, across, precision, at=ranks.astype(float), band=request.band)
    return [line], [f"(AP {mean(ap[~np.isnan(ap)]):.3f})"]


def _pr_of(j: Judged, row: int, level: float) -> Curve:
    ranks = np.arange(1, int(j.retrieved[row]) + 1)
    decisions = per_query(j, row, ranks, level, shared=_shared(j))
    return Curve("", decisions.recall, decisions.precision, ranks.astype(float), rule="step")


def _shared(j: Judged) -> bool:
    """Return whether documents with equal scores share their ranks, which is the mean over their orders."""
    return j.policy.ties == "expected"


def _pooled_queries(j: Judged, request: CurveRequest) -> Judged:
    """Return the queries to pool: all, or those with relevant documents if the policy excludes the others."""
    excluded = j.policy.empty == "skip"
    return j.select(np.flatnonzero(j.relevant(request.lowest) > 0)) if excluded else j


def _interpolated(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    levels = np.array(_STANDARD) if request.points is None else _shares(request.points, "recall levels")
    views = Views(Provenance(j))
    values = np.stack(views.columns(request.measures(parse("IPrec"), levels.tolist())), axis=1)
    if request.queries is not None:
        return [Curve(_query_label(name, q, request), levels, values[row], levels) for q, row in _rows(j, request)], []
    return [mean_curve(name, levels, values, at=levels, band=request.band)], []


def _roc(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    auc = _values(j, request, "AUC")
    if request.queries is not None or len(j) == 1:
        return _each(name, j, request, auc, lambda row: _roc_of(j, row, request.lowest), "AUC")
    if request.average == "micro":
        ranks = np.append(0, _ranks(request.points, j))
        found, seen, _relevant = pooled(_pooled_queries(j, request), ranks, request.lowest, shared=True)
        tp, retrieved = found.sum(axis=0), seen.sum(axis=0)
        wrong = retrieved - tp
        sums = Confusion(tp=tp, fp=wrong, fn=tp[-1] - tp, tn=wrong[-1] - wrong)
        line = Curve(name, sums.fall_out, sums.recall, ranks.astype(float))
        return [line], [f"(AUC {line.area():.3f})"]
    rates = np.linspace(0, 1, 101) if request.points is None else _shares(request.points, "false positive rates")
    heights = roc_heights(j, rates, request.lowest)
    if j.policy.empty in ("skip", "one"):
        heights[j.relevant(request.lowest) == 0] = 1.0 if j.policy.empty == "one" else np.nan
    line = mean_curve(name, rates, heights, at=rates, band=request.band)
    return [line], [f"(AUC {mean(auc[~np.isnan(auc)]):.3f})"]


def _roc_of(j: Judged, row: int, level: float) -> Curve:
    ranks, decisions = roc_points(j, row, level)
    return Curve("", decisions.fall_out, decisions.recall, ranks.astype(float))


def _at_k(name: str, j: Judged, request: CurveRequest, measures: list[Measure]) -> _CurvesAndMarks:
    ranks = _ranks(request.points, j)
    lines, several = [], len(measures) > 1
    for m, values in zip(measures, values_at_ranks(j, request, measures, ranks), strict=True):
        label = f"{name} {m.name}" if several else name
        k = ranks.astype(float)
        if request.queries is not None:
            of = {
                _query_label(name, q, request): Curve(_query_label(label, q, request), k, values[row], k)
                for q, row in _rows(j, request)
            }
        else:
            of = {name: mean_curve(label, k, values, at=k, band=request.band, limits=m.definition.limits)}
        lines += [replace(line, panel=str(m), series=series) if several else line for series, line in of.items()]
    return lines, []


@dataclass(frozen=True, slots=True)
class CurveKind:
    """A kind of curve: its names, description, axis labels, and the function that computes the curves of one run."""

    name: Kind
    aliases: tuple[str, ...]
    text: str
    x_label: str
    y_label: str  # empty for the name of the measure
    at_label: str
    compute: Callable[[str, Judged, CurveRequest, list[Measure]], _CurvesAndMarks]


CURVE_KINDS: Registry[CurveKind] = Registry("curve")
for _kind in (
    CurveKind(
        "pr",
        ("precision_recall",),
        "precision against recall, at every rank",
        "recall",
        "precision",
        "rank",
        _precision_recall,
    ),
    CurveKind(
        "ipr",
        ("11pt",),
        "interpolated precision at the 11 standard recall levels",
        "recall",
        "interpolated precision",
        "recall",
        _interpolated,
    ),
    CurveKind(
        "roc",
        (),
        "true against false positive rate, with the area under it",
        "false positive rate, of the documents retrieved",
        "true positive rate",
        "rank",
        _roc,
    ),
    CurveKind("at-k", (), "measures as a function of the cutoff", "rank k", "", "k", _at_k),
):
    CURVE_KINDS.add(_kind)


def _each(
    name: str, j: Judged, request: CurveRequest, values: Floats, compute: Callable[[int], Curve], mark: str = "AP"
) -> _CurvesAndMarks:
    """Return one curve per requested query, with its value as the mark."""
    rows = _rows(j, request)
    lines = [replace(compute(row), name=_query_label(name, q, request) if len(j) > 1 else name) for q, row in rows]
    return lines, [f"({mark} {values[row]:.3f})" for _, row in rows]


def _rows(j: Judged, request: CurveRequest) -> list[tuple[Id, int]]:
    place = {query: row for row, query in enumerate(j.queries)}
    queries = j.queries if request.queries is None else request.queries
    for query in queries:
        if query not in place:
            raise UsageError("not-asked", f"no query {shown(query)} among the {len(place)} queries", value=query)
    return [(query, place[query]) for query in queries]


def _query_label(name: str, query: Id, request: CurveRequest) -> str:
    return f"{name} {query}" if request.queries is not None and len(request.queries) > 1 else name


def _values(j: Judged, request: CurveRequest, measure: str) -> Floats:
    return Views(Provenance(j)).column(request.measures(parse(measure), [None])[0])


def _ranks(points: Any, j: Judged) -> Ints:
    """Return the requested ranks; by default the first 50, then increasingly sparse ones down to the end of the longest ranking."""
    if isinstance(points, Iterable):
        chosen = _numbers(points, "ranks")
        if chosen[0] < 1 or (chosen != np.floor(chosen)).any():
            raise UsageError("parameter", f"ranks must be integers ≥ 1, got {shown(chosen.tolist())}", value=points)
        return chosen.astype(np.int64)
    last = int(j.retrieved.max(initial=1)) if points is None else _last_rank(points)
    dense = np.arange(1, min(last, EVERY) + 1)
    wide = np.geomspace(EVERY, last, EVERY + 1)[1:] if last > EVERY else np.empty(0)
    return np.unique(np.concatenate([dense, np.rint(wide).astype(np.int64)]))


def _last_rank(value: Any) -> int:
    if not _is_number(value) or not 1 <= float(value) <= 2**31 or float(value) != int(value):
        raise UsageError("parameter", f"the last rank must be an integer ≥ 1, got {shown(value)}", value=value)
    return int(value)


def _is_number(value: Any) -> bool:
    number: Any = value if isinstance(value, int | float | np.number) and not isinstance(value, bool) else np.nan
    return bool(abs(number) <= 2**53)


def _numbers(points: Any, what: str) -> Floats:
    """Return the requested points, sorted and distinct."""
    values = [] if isinstance(points, str | bytes) else list(points)
    if not values or not all(map(_is_number, values)):
        raise UsageError("parameter", f"{what} must be numbers, got {shown(points)}", value=points)
    return np.unique(np.array(values, float))


def _shares(points: Any, what: str) -> Floats:
    """Return the requested points, which are from 0 to 1."""
    values = _numbers(points if isinstance(points, Iterable) else [points], what)
    if values[0] < 0 or values[-1] > 1:
        raise UsageError("parameter", f"{what} must be from 0 to 1, got {shown(values.tolist())}", value=points)
    return values
