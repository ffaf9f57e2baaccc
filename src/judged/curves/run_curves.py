"""Curves of runs: a measure along the ranking, averaged over queries or of one query."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from judged.core.judged import Judged
from judged.core.tables import Id
from judged.curves.curve import CurveSet, Kind
from judged.curves.kinds import CURVE_KINDS, EVERY, CurveRequest
from judged.errors import UsageError, shown
from judged.evaluation.evaluate import Measures, join, with_level
from judged.io.read import read_qrels
from judged.io.run_names import named_runs, plain_names
from judged.measures.grammar import parse_all
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure

__all__ = ["Curves", "curve"]

_LABELS = {
    "pr": ("recall", "precision", "rank"),
    "ipr": ("recall", "interpolated precision", "recall"),
    "roc": ("false positive rate, of the documents retrieved", "true positive rate", "rank"),
    "at-k": ("rank k", "", "k"),
}


class Curves(CurveSet):
    """The curves of one or several runs; see `CurveSet` for what can be done with them."""

    def save(
        self, path: str | os.PathLike[str], *, size: tuple[float, float] | None = None, dpi: int | None = None
    ) -> None:
        """Write a picture (.svg, .png, .pdf; `size` in inches) or the points (.csv, .json); the file appears whole or not at all."""
        from judged.curves.storage import save_curves

        save_curves(self, path, size, dpi)


def curve(
    kind: Kind,
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
    **policy: Any,
) -> Curves:
    """Curves of one or several runs.

    Args:
        kind: `pr`: precision against recall, at every rank; `ipr`: the best precision at or beyond each recall, at the eleven
            standard points or others; `roc`: true against false positive rate, of the documents retrieved; `at-k`:
            measures that take a cutoff, as a function of it.
        qrels: judgments; or one `Judged`, or several, without runs.
        runs: a run, a list of runs, or {name: run}.
        measures: for `at-k`: `"nDCG P R F Success CG"`, without cutoffs; nDCG unless given.
        average: `macro`: the mean over queries; `micro`: decisions of all queries are pooled at each rank.
        query: one query, or several, each with its own curve, instead of an average.
        points: recall levels (`ipr`), false positive rates (`roc`) or ranks; one number is the last rank.
        level: the lowest grade that counts as relevant.
        band: the confidence of the band over queries; None for none.
        seed: of the draws behind the band.
        profile: the conventions of another tool, see `PROFILES`.
        policy: answers to the open questions, see `Policy`.

    >>> curve("ipr", {"q": {"a": 1}}, {"q": ["b", "a"]}, points=[0, 1])[0].y
    array([0.5, 0.5])
    """
    wish = _wish(kind, average, query, points, level, band, seed, profile)
    judged = _judged(qrels, runs, profile, policy)
    names = plain_names([j.names[1] for j in judged])
    wanted = _wanted(kind, measures, wish)
    drawn, marks = [], []
    for name, j in zip(names, judged, strict=True):
        lines, mark = CURVE_KINDS[kind](name, j, wish, wanted)
        drawn += lines
        marks += mark
    x, y, at = _LABELS[kind]
    found = Curves(
        kind=kind,
        curves=tuple(drawn),
        x_label=x,
        y_label=y or (str(wanted[0]) if len(wanted) == 1 else "value"),
        at_label=at,
        marks=tuple(marks),
        notes=_notes(kind, wish, judged),
        warnings=tuple(dict.fromkeys(w for j in judged for w in j.warnings)),
        limits={} if kind == "at-k" else {"x": (0.0, 1.0), "y": (0.0, 1.0)},
    )
    return _with_axis(found)


def _wish(
    kind: str, average: str, query: Any, points: Any, level: Any, band: Any, seed: int, profile: str
) -> CurveRequest:
    for what, value, known in (("kind", kind, get_args(Kind)), ("average", average, ("macro", "micro"))):
        if value not in known:
            raise UsageError("curve", f"{what} one of {', '.join(known)}", got=shown(value), value=value)
    if average == "micro" and kind not in ("pr", "roc"):
        raise UsageError("curve", "pooled decisions for pr and roc only", got=f"average='micro' for {kind}")
    if band is not None and not (isinstance(band, int | float) and 0 < band < 1):
        raise UsageError("parameter", "a band between 0 and 1, or None", got=shown(band), value=band)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UsageError("parameter", "a whole number as seed", got=shown(seed), value=seed)
    queries = None if query is None else tuple(query) if isinstance(query, list | tuple | set) else (query,)
    if queries == ():
        raise UsageError("no-query", "at least one query", got="none", value=query)
    if queries is not None and average == "micro":
        raise UsageError(
            "curve",
            "pooled decisions of all queries",
            got="average='micro' for one query",
            hint="leave one of them out",
        )
    if queries is not None and points is not None and kind in ("pr", "roc"):
        raise UsageError(
            "curve",
            "the curve of a query at every one of its ranks",
            got=f"points={shown(points)}",
            hint="leave points out",
        )
    return CurveRequest(average, queries, points, level, band, seed, profile_named(profile))


def _wanted(kind: str, measures: Measures | None, wish: CurveRequest) -> list[Measure]:
    if kind != "at-k":
        if measures is not None:
            raise UsageError(
                "curve", "measures for at-k only", got=f"{shown(measures)} for {kind}", hint="use kind='at-k'"
            )
        return []
    found = parse_all("nDCG" if measures is None else measures)
    for m in found:
        if m.definition.at != "cutoff":
            raise UsageError("cutoff", "measures that take a cutoff", got=str(m), value=str(m))
        if "cutoff" in m.explicit:
            raise UsageError(
                "cutoff",
                "measures without a cutoff: it is the x axis",
                got=str(m),
                hint=f"write {m.name}",
                value=str(m),
            )
    return [with_level(wish.profile.apply(m), wish.level) for m in found]


def _judged(qrels: Any, runs: Any, profile: str, policy: dict[str, Any]) -> list[Judged]:
    if runs is None:
        found = qrels if isinstance(qrels, list | tuple) else [qrels]
        if not found or not all(isinstance(j, Judged) for j in found):
            raise UsageError("runs", "judgments and runs, or a Judged", got="judgments alone")
        return list(found)
    judgments = read_qrels(qrels)
    pairs = [(name, join(judgments, run, profile=profile, **policy)) for name, run in named_runs(runs)]
    return [j if name is None else replace(j, names=(j.names[0], name)) for name, j in pairs]


def _notes(kind: str, wish: CurveRequest, judged: list[Judged]) -> tuple[str, ...]:
    first = judged[0]
    if wish.queries is not None:
        over = f"query {', '.join(map(str, wish.queries))}"
    elif wish.average == "micro":
        over = f"{len(first)} queries, decisions pooled at each rank"
    else:
        over = f"mean over {len(first)} {'query' if len(first) == 1 else 'queries'}"
        over += ", those without a relevant document left out" if first.policy.empty in ("skip", "nan") else ""
    if (
        wish.queries is None
        and wish.band is not None
        and len(first) > 1
        and not (kind == "roc" and wish.average == "micro")
    ):
        over += f", {wish.band:.0%} band by bootstrap over queries"
    rounding = dict(wish.profile.params.get("IPrec", {})).get("rounding", "nearest")
    more = {"roc": ("of the documents retrieved; those not judged count as non-relevant",),
            "ipr": (f"a recall level of R documents needs recall·R of them, rounded: {rounding}",)}  # fmt: skip
    return (over, *more.get(kind, ()), f"policy: {first.policy}")


def _with_axis(found: Curves) -> Curves:
    """Cutoffs on a logarithmic axis where they reach far; values from 0."""
    if found.kind != "at-k":
        return found
    last = max(float(c.x[-1]) for c in found.curves)
    top = max(float(np.nanmax(c.y if c.high is None else c.high, initial=0.0)) for c in found.curves)
    return replace(found, log_x=last > EVERY, limits={"y": (0.0, _round_up(top))})


def _round_up(top: float) -> float:
    """The next round number."""
    if top <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top))
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10) if step * power >= top * (1 - 1e-9))
