"""Compute curves of runs: a measure along the ranking, averaged over queries or of one query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np

from judged.core.judged import Judged
from judged.core.tables import Id
from judged.curves.at_ranks import CurveRequest
from judged.curves.kinds import CURVE_KINDS, EVERY
from judged.curves.result import Curves
from judged.errors import UsageError, shown
from judged.evaluation.evaluate import Measures, join
from judged.evaluation.inputs import are_questions, open_inputs, queries_differ
from judged.evaluation.options import EvaluateOptions, with_level
from judged.io.run_names import short_names
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.steps import step
from judged.tables.text import counted


def curve(
    kind: str,
    qrels: Any,
    runs: Any = None,
    measures: Measures | None = None,
    *,
    average: Literal["macro", "micro"] = "macro",
    query: Id | Sequence[Id] | None = None,
    points: int | Iterable[float] | None = None,
    level: float | None = None,
    band: float | None = 0.95,
    seed: int = 0,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Curves:
    """Compute curves of one or several runs.

    Args:
        kind: "pr", precision against recall at every rank; "ipr" (or "11pt"), the best precision at or beyond each recall, at the
            eleven standard points or others; "roc", true against false positive rate of the documents retrieved; "at-k",
            measures as a function of the cutoff.
        qrels: judgments; or one or several `Judged` or question files, without runs.
        runs: a run, a list of runs, or {name: run}.
        measures: measures of "at-k" without cutoffs, such as `"nDCG P R F Success CG"`. The default is nDCG.
        average: "macro" is the mean over queries; "micro" pools the decisions of all queries at each rank.
        query: one or several queries, each with its own curve, instead of an average.
        points: recall levels ("ipr"), false positive rates ("roc") or ranks; a single number is the last rank.
        level: lowest relevant grade.
        band: confidence level of the band over queries; None for no band.
        seed: random seed of the band.
        profile: conventions of another tool, see `PROFILES`.
        options: policies and inputs, as in `evaluate`.

    >>> curve("ipr", {"q": {"a": 1}}, {"q": ["b", "a"]}, points=[0, 1])[0].y
    array([0.5, 0.5])
    """
    definition = CURVE_KINDS.find(kind)
    request = _check_request(definition.name, average, query, points, level, band, seed, profile)
    judged = _join_runs(qrels, runs, profile, options)
    request = replace(request, runs=tuple(judged))
    chosen = _parse_measures(definition.name, measures, request)
    lost = queries_differ([j.queries for j in judged], "found {}; each curve is of the queries of its own run")
    with step("computing curves"):
        computed = [
            definition.compute(name, j, request, chosen)
            for name, j in zip(short_names([j.names[1] for j in judged]), judged, strict=True)
        ]
    curves = Curves(
        kind=definition.name,
        curves=tuple(line for lines, _ in computed for line in lines),
        x_label=definition.x_label,
        y_label=definition.y_label or (str(chosen[0]) if len(chosen) == 1 else "value"),
        at_label=definition.at_label,
        marks=tuple(mark for _, marks in computed for mark in marks),
        notes=_notes(definition.name, request, judged),
        warnings=(*dict.fromkeys(w for j in judged for w in j.warnings), *lost),
        files=tuple(dict.fromkeys(file for j in judged for file in j.files)),
        limits={} if definition.name == "at-k" else {"x": (0.0, 1.0), "y": (0.0, 1.0)},
    )
    return _with_axis(curves)


def _check_request(
    kind: str, average: str, query: Any, points: Any, level: Any, band: Any, seed: int, profile: str
) -> CurveRequest:
    if average not in ("macro", "micro"):
        raise UsageError("curve", f"average must be macro or micro, got {shown(average)}", value=average)
    if average == "micro" and kind not in ("pr", "roc"):
        raise UsageError("curve", f"micro averages are for pr and roc only, not for {kind}")
    if band is not None and not (isinstance(band, int | float) and 0 < band < 1):
        raise UsageError("parameter", f"band must be between 0 and 1, or None, got {shown(band)}", value=band)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UsageError("parameter", f"seed must be an integer, got {shown(seed)}", value=seed)
    queries = None if query is None else tuple(query) if isinstance(query, list | tuple | set) else (query,)
    if queries == ():
        raise UsageError("no-query", "no query was named", value=query)
    if queries is not None and average == "micro":
        raise UsageError(
            "curve", "a micro average pools all queries, but single queries were named", hint="omit one of the two"
        )
    if queries is not None and points is not None and kind in ("pr", "roc"):
        raise UsageError("curve", "the curve of a query has a point at every rank", hint="omit points", value=points)
    return CurveRequest(average, queries, points, level, band, seed, profile_named(profile))


def _parse_measures(kind: str, measures: Measures | None, request: CurveRequest) -> list[Measure]:
    if kind != "at-k":
        if measures is not None:
            raise UsageError("curve", f"measures are for at-k only, not for {kind}", value=measures)
        return []
    parsed = parse_all("nDCG" if measures is None else measures)
    for m in parsed:
        if m.definition.at != "cutoff":
            raise UsageError(
                "cutoff", f"{m} takes no cutoff", hint="choose measures that do, such as nDCG", value=str(m)
            )
        if "cutoff" in m.explicit:
            raise UsageError("cutoff", f"{m} has a cutoff, which is the x axis", hint=f"write {m.name}", value=str(m))
    return [with_level(request.profile.apply(m), request.level) for m in parsed]


def _join_runs(qrels: Any, runs: Any, profile: str, options: EvaluateOptions) -> list[Judged]:
    if runs is None and not are_questions(qrels, options):
        judged = qrels if isinstance(qrels, list | tuple) else [qrels]
        if not judged or not all(isinstance(j, Judged) for j in judged):
            raise UsageError("runs", "judgments without a run", hint="name a run, or use a Judged")
        return list(judged)
    inputs = open_inputs(qrels, runs, options)
    pairs = [(name, join(inputs.qrels, run, profile=profile, **inputs.options)) for name, run in inputs.runs]
    return [j if name is None else replace(j, names=(j.names[0], name)) for name, j in pairs]


def _notes(kind: str, request: CurveRequest, judged: list[Judged]) -> tuple[str, ...]:
    first = judged[0]
    if request.queries is not None:
        over = f"query {', '.join(map(str, request.queries))}"
    elif request.average == "micro":
        over = f"{len(first)} queries, decisions pooled at each rank"
    else:
        over = f"mean over {counted(len(first), 'query')}"
        over += ", excluding those without a relevant document" if first.policy.empty == "skip" else ""
    banded = request.queries is None and request.band is not None and len(first) > 1
    if banded and not (kind == "roc" and request.average == "micro"):
        over += f", {request.band:.0%} band{' by bootstrap' if request.average == 'micro' else ''} over queries"
    rounding = request.profile.apply(parse("IPrec")).get("rounding")
    more = {
        "roc": ("over the retrieved documents; unjudged ones count as non-relevant",),
        "ipr": (f"number of documents for a recall level: recall · R, rounded: {rounding}",),
    }
    return (over, *more.get(kind, ()), f"policy: {first.policy}")


def _with_axis(curves: Curves) -> Curves:
    """Set the axes of measures at k: logarithmic for large cutoffs, values from 0."""
    if curves.kind != "at-k":
        return curves
    last = max(float(c.x[-1]) for c in curves.curves)
    top = max(float(np.nanmax(c.y if c.high is None else c.high, initial=0.0)) for c in curves.curves)
    return replace(curves, log_x=last > EVERY, limits={"y": (0.0, _round_up(top))})


def _round_up(top: float) -> float:
    """Return the next round number."""
    if top <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top))
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10) if step * power >= top * (1 - 1e-9))
