"""Compute curves of runs: precision-recall, ROC, and measures along the ranking, averaged over queries or of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Confusion, Judged, wrong_around
from judged.core.judged_views import stack_runs
from judged.core.tables import Id
from judged.curves.points import UNIT_SQUARE, Curve, Curves, Kind
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import Measures, join
from judged.evaluation.inputs import ORDER_POLICIES, Provenance, are_questions, open_inputs, queries_differ
from judged.evaluation.measuring import Views, ends_at_cutoff, level_warnings
from judged.evaluation.options import EvaluateOptions, with_level
from judged.evaluation.values import policy_notes
from judged.io.run_names import short_names
from judged.measures.profiles import Profile
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure, parse, parse_all
from judged.registry import Registry
from judged.stats.checks import check_share
from judged.stats.intervals import Ends, interval, mean
from judged.steps import step
from judged.tables.table import counted


def confusion_at(j: Judged, row: int, ranks: Ints, level: float = 1) -> Confusion:
    """Return the confusion counts of one query at each rank; relevant documents that were not retrieved are false negatives.

    Under expected ties, documents with equal scores share their ranks, which gives the mean over their orders.
    """
    one = j.select([row])
    hit = one.is_relevant(level)
    if j.policy.ties == "expected":
        size = one.tie_last - one.tie_first + 1
        shares = [np.where(hit, np.clip((rank - one.tie_first + 1) / size, 0, 1), 0.0) for rank in ranks.tolist()]
        relevant = np.array([one.total(share)[0] for share in shares])
    else:
        relevant = one.upto(hit, np.zeros(len(ranks), np.int64), ranks).astype(float)
    nonrelevant = float(one.retrieved[0] - one.total(hit)[0])
    return Confusion(
        tp=relevant, fp=ranks - relevant, fn=one.relevant(level)[0] - relevant, tn=nonrelevant - (ranks - relevant)
    )


def roc_points(j: Judged, row: int, level: float = 1) -> tuple[Ints, Confusion]:
    """Return the ranks at which the ROC curve of one query turns, around each group of equal scores, and the counts there.

    Only retrieved documents count, as in AUC.
    """
    mine = (j.query == row) & j.is_relevant(level)
    ends = np.unique(np.concatenate([[0], j.tie_first[mine] - 1, j.tie_last[mine], [j.retrieved[row]]]))
    whole = confusion_at(j, row, ends, level)
    return ends, replace(whole, fn=np.max(whole.tp, initial=0) - whole.tp)


def roc_heights(j: Judged, fall_out: Floats, level: float = 1) -> Floats:
    """Return the true positive rate of every query (rows) at each false positive rate (columns); the top of vertical parts.

    As in AUC, it is 0 if no relevant document was retrieved, and 1 if only relevant ones were.
    """
    hit = j.is_relevant(level)
    relevant = j.total(hit)
    others = j.retrieved - relevant
    low, high = wrong_around(j, hit)
    heights = np.empty((len(j), len(fall_out)))
    for column, rate in enumerate(fall_out.tolist()):
        past = rate * j.at(others) - low
        share = np.where(high > low, np.clip(j.ratio(past, high - low), 0, 1), past >= 0)
        heights[:, column] = j.ratio(j.total(np.where(hit, share, 0.0)), relevant)
    return heights


def mean_curve(
    name: str,
    x: Floats,
    values: Floats,
    *,
    at: Floats | None = None,
    band: float | None = 0.95,
    limits: Ends = (0.0, 1.0),
) -> Curve:
    """Return the mean of each column of `values` (queries × points), with the interval of each mean as a band.

    The band is pointwise, not simultaneous. Queries with an undefined value (NaN) are excluded.
    """
    known = values[~np.isnan(values).any(axis=1)]
    if not len(known):
        return Curve(name, x, np.full(len(x), np.nan), at)
    means = np.add.accumulate(known, axis=0)[-1] / len(known)
    if band is None or len(known) < 2:
        return Curve(name, x, means, at)
    ends = interval(known, confidence=band, limits=[limits] * known.shape[1])
    low, high = np.array([(np.nan, np.nan) if pair is None else pair for pair in ends]).T
    return Curve(name, x, means, at, low, high)


# ── measures of runs at many cutoffs: of several runs together, and from fewer hits the smaller the cutoff ────────────

_HITS = 50_000  # of several runs at once: columns of this size stay in the cache
_SHORTER = 4  # times: dropping hits takes as long as computing two measures from them


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """Options that apply to every run."""

    queries: tuple[Id, ...] | None
    points: Any
    level: float | None
    band: float | None
    profile: Profile
    runs: list[Judged]  # all runs, in order
    made: dict[tuple[Any, ...], Measure] = field(default_factory=dict)  # by `measure`
    tables: dict[tuple[Any, ...], list[Floats]] = field(default_factory=dict)  # by `values_at_ranks`, for later runs

    @property
    def lowest(self) -> float:
        """Lowest relevant grade."""
        return 1 if self.level is None else self.level

    def measure(self, m: Measure, at: float | None = None) -> Measure:
        """Return a measure at a point, under the profile and at the level; the same one for every run."""
        key = m, m.explicit, m.policy, at
        if key not in self.made:
            placed = m if at is None else m @ at
            self.made[key] = with_level(self.profile.apply(placed, ORDER_POLICIES), self.level)
        return self.made[key]


def values_at_ranks(j: Judged, request: CurveRequest, measures: Sequence[Measure], ranks: Ints) -> list[Floats]:
    """Return for each measure the values of every query (rows) at every rank (columns).

    They are computed together with those of the runs that follow, which ask for them next: calls take longer than sums.
    """
    key = tuple(measures), tuple(ranks.tolist())
    if (id(j), key) not in request.tables:
        batch = _batch(j, request.runs, measures)
        try:
            values = _compute(batch[0] if len(batch) == 1 else stack_runs(batch), request, measures, ranks)
        except DataError:  # which names a query and a document, if the run is computed alone
            batch, values = [j], _compute(j, request, measures, ranks)
        for at, one in enumerate(batch):
            rows = slice(at * len(j), (at + 1) * len(j))
            request.tables[id(one), key] = [table[rows] for table in values]
    return request.tables.pop((id(j), key))


def _batch(j: Judged, runs: Sequence[Judged], measures: Sequence[Measure]) -> list[Judged]:
    """Return a run and those after it that can be measured with it: with the same judgments, policies and depth."""
    batch, hits = [j], len(j.rank)
    at = next((i for i, one in enumerate(runs) if one is j), len(runs))
    own = any(m.definition.family == "own" for m in measures)  # a user's formula may look at all queries
    if own or j.policy.ties == "expected" or j.reading is not None or j.aspects is not None:
        return batch
    for one in runs[at + 1 :]:
        hits += len(one.rank)
        alike = one.pool is j.pool and one.policy == j.policy and one.reading is None
        if hits > _HITS or not alike or one.retrieved.max(initial=1) != j.retrieved.max(initial=1):
            break
        batch.append(one)
    return batch


def _compute(j: Judged, request: CurveRequest, measures: Sequence[Measure], ranks: Ints) -> list[Floats]:
    """Return the tables of `values_at_ranks`: measures that see nothing below their cutoff from fewer and fewer hits."""
    whole = top = Views(Provenance(j))
    tables = [[request.measure(m, k) for k in ranks.tolist()] for m in measures]
    shortened = [ends_at_cutoff(table[0], j.policy) for table in tables]
    whole.compute_together((j, m) for table, short in zip(tables, shortened, strict=True) if not short for m in table)
    depth, found = int(ranks[-1]), []
    for k, *at_k in reversed(list(zip(ranks.tolist(), *tables, strict=True))):
        if _SHORTER * k <= depth:
            depth, top = k, Views(Provenance(j.only(j.tie_first <= k)))  # tied documents stay together
        found.append([(top if short else whole).column(m) for m, short in zip(at_k, shortened, strict=True)])
    return [np.stack(columns[::-1], axis=1) for columns in zip(*found, strict=True)]


# ── each kind: the curves of one run, and the text after their names in a legend ─────────────────

EVERY = 50  # a point at each of the first 50 ranks, then at 50 more, increasingly far apart

_CurvesAndMarks = tuple[list[Curve], list[str]]


def _precision_recall(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    ap = Views(Provenance(j)).column(request.measure(parse("AP")))
    if request.queries is not None or len(j) == 1:
        rows, lines = _rows(name, j, request), []
        for label, row in rows:
            ranks = np.arange(1, int(j.retrieved[row]) + 1)
            counts = confusion_at(j, row, ranks, request.lowest)
            lines.append(Curve(label, counts.recall, counts.precision, ranks.astype(float), rule="step"))
        return lines, [f"(AP {ap[row]:.3f})" for _, row in rows]
    ranks = _ranks(request.points, j)
    recall, precision = values_at_ranks(j, request, [parse("R"), parse("P")], ranks)
    across = mean_curve(name, ranks.astype(float), recall, band=None).y
    line = mean_curve(name, across, precision, at=ranks.astype(float), band=request.band)
    return [line], [f"(AP {mean(ap[~np.isnan(ap)]):.3f})"]


def _interpolated(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    levels = np.arange(11) / 10 if request.points is None else _shares(request.points, "recall levels")
    at_recall = parse("IPrec")
    measures = [request.measure(at_recall, level) for level in levels.tolist()]
    values = np.stack(Views(Provenance(j)).columns(measures), axis=1)
    if request.queries is not None:
        return [Curve(label, levels, values[row], levels) for label, row in _rows(name, j, request)], []
    return [mean_curve(name, levels, values, at=levels, band=request.band)], []


def _roc(name: str, j: Judged, request: CurveRequest, _: list[Measure]) -> _CurvesAndMarks:
    auc = Views(Provenance(j)).column(request.measure(parse("AUC")))
    if request.queries is not None or len(j) == 1:
        rows, lines = _rows(name, j, request), []
        for label, row in rows:
            ranks, counts = roc_points(j, row, request.lowest)
            lines.append(Curve(label, counts.fall_out, counts.recall, ranks.astype(float)))
        return lines, [f"(AUC {auc[row]:.3f})" for _, row in rows]
    rates = np.linspace(0, 1, 101) if request.points is None else _shares(request.points, "false positive rates")
    heights = roc_heights(j, rates, request.lowest)
    if j.policy.empty in ("skip", "one"):
        heights[j.relevant(request.lowest) == 0] = 1.0 if j.policy.empty == "one" else np.nan
    line = mean_curve(name, rates, heights, at=rates, band=request.band)
    return [line], [f"(AUC {mean(auc[~np.isnan(auc)]):.3f})"]


def _at_k(name: str, j: Judged, request: CurveRequest, measures: list[Measure]) -> _CurvesAndMarks:
    ranks = _ranks(request.points, j)
    k, lines = ranks.astype(float), []
    for m, values in zip(measures, values_at_ranks(j, request, measures, ranks), strict=True):
        label = f"{name} {m.name}" if len(measures) > 1 else name
        if request.queries is None:
            lines.append(mean_curve(label, k, values, at=k, band=request.band, limits=m.definition.limits))
        else:
            lines += [Curve(one, k, values[row], k) for one, row in _rows(label, j, request)]
    return lines, []


class CurveKind(NamedTuple):
    """A kind of curve: its names, axis labels, and the function that computes the curves of one run."""

    name: Kind
    aliases: tuple[str, ...]
    x_label: str
    y_label: str  # empty for the name of the measure
    at_label: str
    compute: Callable[[str, Judged, CurveRequest, list[Measure]], _CurvesAndMarks]


CURVE_KINDS: Registry[CurveKind] = Registry("curve")
_FALSE = "false positive rate, of the documents retrieved"
CURVE_KINDS.add(CurveKind("pr", ("precision_recall",), "recall", "precision", "rank", _precision_recall))
CURVE_KINDS.add(CurveKind("ipr", ("11pt",), "recall", "interpolated precision", "recall", _interpolated))
CURVE_KINDS.add(CurveKind("roc", (), _FALSE, "true positive rate", "rank", _roc))
CURVE_KINDS.add(CurveKind("at-k", (), "rank k", "", "k", _at_k))


def _rows(name: str, j: Judged, request: CurveRequest) -> list[tuple[str, int]]:
    """Return a label and the row of each requested query; the label names the query if there are several."""
    place = {query: row for row, query in enumerate(j.queries)}
    queries = j.queries if request.queries is None else request.queries
    for query in queries:
        if query not in place:
            raise UsageError("not-asked", f"no query {shown(query)} among the {len(place)} queries", value=query)
    return [(f"{name} {query}" if len(queries) > 1 else name, place[query]) for query in queries]


# ── points ───────────────────────────────────────────────────────────────────────────────────────


def _ranks(points: Any, j: Judged) -> Ints:
    """Return the requested ranks; by default the first 50, then increasingly sparse ones down to the end of the longest ranking."""
    last = int(j.retrieved.max(initial=1))
    if points is not None:
        chosen = _numbers(points)
        if chosen is None or chosen[0] < 1 or chosen[-1] > 2**31 or (chosen != np.floor(chosen)).any():
            raise UsageError("parameter", f"ranks must be integers ≥ 1, got {shown(points)}", value=points)
        if isinstance(points, Iterable):
            return chosen.astype(np.int64)
        last = int(chosen[0])
    dense = np.arange(1, min(last, EVERY) + 1)
    wide = np.geomspace(EVERY, last, EVERY + 1)[1:] if last > EVERY else np.empty(0)
    return np.unique(np.concatenate([dense, np.rint(wide).astype(np.int64)]))


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, at most 2^53, so that it has an exact integer part."""
    number: Any = value if isinstance(value, int | float | np.number) and not isinstance(value, bool) else np.nan
    return bool(abs(number) <= 2**53)


def _numbers(points: Any) -> Floats | None:
    """Return the requested points, sorted and distinct; None if they are not numbers."""
    values = list(points) if isinstance(points, Iterable) and not isinstance(points, str | bytes) else [points]
    return np.unique(np.array(values, float)) if values and all(map(is_number, values)) else None


def _shares(points: Any, what: str) -> Floats:
    """Return the requested points, which are from 0 to 1."""
    values = _numbers(points)
    if values is None or values[0] < 0 or values[-1] > 1:
        raise UsageError("parameter", f"{what} must be numbers from 0 to 1, got {shown(points)}", value=points)
    return values


# ── all runs ─────────────────────────────────────────────────────────────────────────────────────


def curve(
    kind: str,
    qrels: Any,
    runs: Any = None,
    measures: Measures | None = None,
    *,
    query: Id | Sequence[Id] | None = None,
    points: int | Iterable[float] | None = None,
    level: float | None = None,
    band: float | None = 0.95,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Curves:
    """Compute curves of one or several runs, averaged over queries.

    Args:
        kind: "pr", precision against recall at every rank; "ipr" (or "11pt"), the best precision at or beyond each recall, at the
            eleven standard points or others; "roc", true against false positive rate of the documents retrieved; "at-k",
            measures as a function of the cutoff.
        qrels: judgments; or one or several `Judged` or question files, without runs.
        runs: a run, a list of runs, or {name: run}.
        measures: measures for "at-k", without cutoffs, such as `"nDCG P R F Success CG"`. The default is nDCG.
        query: queries to draw, each with its own curve, instead of the average.
        points: recall levels ("ipr"), false positive rates ("roc") or ranks; a single number is the last rank.
        level: lowest relevant grade.
        band: confidence level of the band over queries; None for no band.
        profile: conventions of another tool, see `PROFILES`.
        options: policies and inputs, as in `evaluate`.

    >>> curve("ipr", {"q": {"a": 1}}, {"q": ["b", "a"]}, points=[0, 1])[0].y
    array([0.5, 0.5])
    """
    definition = CURVE_KINDS.find(kind)
    if band is not None:
        check_share(band, "band")
    queries = None if query is None else tuple(query) if isinstance(query, list | tuple | set) else (query,)
    if queries == ():
        raise UsageError("not-asked", "no query was named", value=query)
    if queries is not None and points is not None and definition.name in ("pr", "roc"):
        problem = "the curve of a query has a point at every rank"
        raise UsageError("parameter", problem, hint="omit points", value=points)
    judged = _join_runs(qrels, runs, profile, options)
    request = CurveRequest(queries, points, level, band, profile_named(profile), judged)
    chosen = _parse_measures(definition.name, measures, request)
    lost = queries_differ([j.queries for j in judged], "found {}; each curve is of the queries of its own run")
    with step("computing curves"):
        names = short_names([j.names[1] for j in judged])
        computed = [definition.compute(name, j, request, chosen) for name, j in zip(names, judged, strict=True)]
    lines = tuple(line for own, _ in computed for line in own)
    first = list(request.made.values())[: len(chosen) or 1]  # the others are these at many points
    found = (w for j in judged for w in (*j.warnings, *level_warnings(j, first)))
    at_k = definition.name == "at-k"
    return Curves(
        kind=definition.name,
        curves=lines,
        x_label=definition.x_label,
        y_label=definition.y_label or (str(chosen[0]) if len(chosen) == 1 else "value"),
        at_label=definition.at_label,
        marks=tuple(mark for _, marks in computed for mark in marks),
        notes=_notes(definition.name, request),
        warnings=(*dict.fromkeys(found), *lost),
        log_x=at_k and max(float(line.x[-1]) for line in lines) > EVERY,
        files=tuple(dict.fromkeys(file for j in judged for file in j.files)),
        limits={} if at_k else UNIT_SQUARE,
    )


def _parse_measures(kind: str, measures: Measures | None, request: CurveRequest) -> list[Measure]:
    if kind != "at-k":
        if measures is not None:
            raise UsageError("parameter", f"measures are for at-k only, not for {kind}", value=measures)
        return []
    parsed = parse_all("nDCG" if measures is None else measures)
    for m in parsed:
        if m.definition.at != "cutoff" or "cutoff" in m.explicit:
            problem = (
                f"{m} has a cutoff, which is the x axis" if m.definition.at == "cutoff" else f"{m} takes no cutoff"
            )
            raise UsageError("cutoff", problem, hint="name measures without it, such as nDCG", value=str(m))
        if m.definition.text:
            raise UsageError("measure", f"{m} has no numbers", hint="choose another measure", value=str(m))
    return [request.measure(m) for m in parsed]


def _join_runs(qrels: Any, runs: Any, profile: str, options: EvaluateOptions) -> list[Judged]:
    if runs is None:
        judged = list(qrels) if isinstance(qrels, list | tuple) else [qrels]
        if judged and all(isinstance(j, Judged) for j in judged):
            return judged
        if not are_questions(qrels, options):
            raise UsageError("runs", "judgments without a run", hint="name a run, or use a Judged")
    inputs = open_inputs(qrels, runs, options)
    pairs = [(name, join(inputs.qrels, run, profile=profile, **inputs.options)) for name, run in inputs.runs]
    return [j if name is None else replace(j, names=(j.names[0], name)) for name, j in pairs]


def _notes(kind: str, request: CurveRequest) -> tuple[str, ...]:
    first = request.runs[0]
    if request.queries is not None:
        over = f"query {', '.join(map(str, request.queries))}"
    else:
        over = f"mean over {counted(len(first), 'query')}"
        over += ", excluding those without a relevant document" if first.policy.empty == "skip" else ""
        over += f", {request.band:.0%} band over queries" if request.band is not None and len(first) > 1 else ""
    more = [over]
    if kind == "roc":
        more.append("over the retrieved documents; unjudged ones count as non-relevant")
    if kind == "ipr":
        rounding = request.profile.apply(parse("IPrec")).get("rounding")
        more.append(f"number of documents for a recall level: recall · R, rounded: {rounding}")
    return (*more, *policy_notes(first.policy, list(request.made.values())))
