"""Compute curves of runs: precision-recall, ROC, and measures along the ranking, averaged over queries or of one query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core.confusion import Confusion, wrong_around
from judged.core.judged import Judged
from judged.core.judged_views import stack_runs
from judged.core.resample import resampled_means
from judged.core.tables import Id
from judged.curves.points import Curve, Curves, Kind
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import Measures, join
from judged.evaluation.inputs import ORDER_POLICIES, are_questions, open_inputs, queries_differ
from judged.evaluation.measuring import Views, ends_at_cutoff
from judged.evaluation.options import EvaluateOptions, with_level
from judged.evaluation.provenance import Provenance
from judged.io.run_names import short_names
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import Profile
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.registry import Registry
from judged.stats.intervals import Ends, interval
from judged.stats.summary import mean
from judged.steps import step
from judged.tables.text import counted


def group_ends(j: Judged, row: int) -> Ints:
    """Return the last rank of each group of equal scores, for a query whose documents are all judged: its thresholds."""
    return np.unique(j.tie_last[j.query == row])


def relevant_retrieved(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> Floats:
    """Return the number of relevant documents down to each rank (columns) for every query (rows).

    `shared`: documents with equal scores share their ranks, which gives the mean over their orders.
    """
    hit = j.is_relevant(level)
    if not shared:
        rows = np.repeat(np.arange(len(j)), len(ranks))
        return j.upto(hit, rows, np.tile(ranks, len(j))).reshape(len(j), len(ranks)).astype(float)
    counts = np.empty((len(j), len(ranks)))
    size = j.tie_last - j.tie_first + 1
    for column, rank in enumerate(ranks.tolist()):
        counts[:, column] = j.total(np.where(hit, np.clip((rank - j.tie_first + 1) / size, 0, 1), 0.0))
    return counts


def per_query(j: Judged, row: int, ranks: Ints, level: float = 1, *, shared: bool = False) -> Confusion:
    """Return the confusion counts of one query at each rank; relevant documents that were not retrieved are false negatives."""
    one = j.select([row])
    relevant = relevant_retrieved(one, ranks, level, shared=shared)[0]
    nonrelevant = float(one.retrieved[0] - one.total(one.is_relevant(level))[0])
    return Confusion(
        tp=relevant, fp=ranks - relevant, fn=one.relevant(level)[0] - relevant, tn=nonrelevant - (ranks - relevant)
    )


def pooled(j: Judged, ranks: Ints, level: float = 1, *, shared: bool = False) -> tuple[Floats, Floats, Floats]:
    """Return relevant documents retrieved and documents retrieved (queries × ranks), and relevant documents per query.

    A ranking that is shorter than a rank counts with its full length.
    """
    seen = np.minimum(j.retrieved[:, None], ranks).astype(float)
    return relevant_retrieved(j, ranks, level, shared=shared), seen, j.relevant(level)


def roc_points(j: Judged, row: int, level: float = 1) -> tuple[Ints, Confusion]:
    """Return the ranks at which the ROC curve of one query turns, around each group of equal scores, and the counts there.

    Only retrieved documents count, as in AUC.
    """
    mine = (j.query == row) & j.is_relevant(level)
    ends = np.unique(np.concatenate([[0], j.tie_first[mine] - 1, j.tie_last[mine], [j.retrieved[row]]]))
    whole = per_query(j, row, ends, level)
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


_HITS = 50_000  # of several runs at once: columns of this size stay in the cache
_SHORTER = 4  # times: dropping hits takes as long as computing two measures from them


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """Options that apply to every run."""

    average: str
    queries: tuple[Id, ...] | None
    points: Any
    level: float | None
    band: float | None
    seed: int
    profile: Profile
    runs: tuple[Judged, ...] = ()  # all runs, in order
    made: dict[tuple[Any, ...], list[Measure]] = field(default_factory=dict)  # by `measures`
    tables: dict[tuple[Any, ...], list[Floats]] = field(
        default_factory=dict
    )  # by `values_at_ranks`, for runs that follow

    @property
    def lowest(self) -> float:
        """Lowest relevant grade."""
        return 1 if self.level is None else self.level

    def measures(self, m: Measure, points: Sequence[float | None]) -> list[Measure]:
        """Return a measure at each point (None for no point), under the profile and at the level; the same ones for every run."""
        key = m, m.explicit, m.policy, tuple(points)
        if key not in self.made:
            placed = [m if at is None else m @ at for at in points]
            self.made[key] = [with_level(self.profile.apply(one, ORDER_POLICIES), self.level) for one in placed]
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
    tables = [request.measures(m, ranks.tolist()) for m in measures]
    shortened = [ends_at_cutoff(table[0], j.policy) for table in tables]
    whole.compute_together((j, m) for table, short in zip(tables, shortened, strict=True) if not short for m in table)
    depth, found = int(ranks[-1]), []
    for k, *at_k in reversed(list(zip(ranks.tolist(), *tables, strict=True))):
        if _SHORTER * k <= depth:
            depth, top = k, Views(Provenance(j.only(j.tie_first <= k)))  # tied documents stay together
        found.append([(top if short else whole).column(m) for m, short in zip(at_k, shortened, strict=True)])
    return [np.stack(columns[::-1], axis=1) for columns in zip(*found, strict=True)]


_RESAMPLES = 2_000
_ADDITIONS = 1_000_000_000  # limits the work to a second or two


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
    mean = np.add.accumulate(known, axis=0)[-1] / len(known)
    low, high = _ends(known, band, limits)
    return Curve(name, x, mean, at, low, high)


def pooled_band(
    numerator: Floats, denominator: Floats, *, band: float | None = 0.95, seed: int = 0
) -> tuple[Floats | None, Floats | None]:
    """Return the band of Σ numerator / Σ denominator at each point (queries × points), by bootstrap over queries."""
    if band is None or len(numerator) < 2:
        return None, None
    points = numerator.shape[1]
    means = resampled_means(np.hstack([numerator, denominator]), _resamples(numerator.size * 2), seed)
    top, bottom = means[:, :points], means[:, points:]
    shares = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
    low, high = np.quantile(shares, [(1 - band) / 2, (1 + band) / 2], axis=0)
    return low, high


def _ends(values: Floats, band: float | None, limits: Ends) -> tuple[Floats | None, Floats | None]:
    if band is None or len(values) < 2:
        return None, None
    ends = interval(values, confidence=band, limits=[limits] * values.shape[1])
    low, high = np.array([(np.nan, np.nan) if pair is None else pair for pair in ends]).T
    return low, high


def _resamples(size: int) -> int:
    return max(200, min(_RESAMPLES, _ADDITIONS // max(size, 1)))


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
            raise UsageError("no-query", f"no query {shown(query)} among the {len(place)} queries", value=query)
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
