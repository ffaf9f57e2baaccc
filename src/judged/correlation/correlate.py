"""Correlate two runs, two rankings or two orders of systems, or every pair of several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from numbers import Real
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core.find.reference import match_documents
from judged.core.ids import IdColumn
from judged.core.resample import whole_seed
from judged.core.tables import Id, Run, decoded
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.model_judgments import check_no_model
from judged.evaluation.values import Values
from judged.io.questions import read_questions
from judged.io.read import read_run
from judged.io.recognise import recognise
from judged.io.run_names import short_names
from judged.stats.checks import check_choice, check_count, check_share
from judged.stats.intervals import interval
from judged.stats.rank_correlation import Columns, CorrelationRequest, intervals, p_value, parse_coefficients
from judged.stats.rank_overlap import Rankings, numbers, rank_items, shared_rows, with_scores
from judged.stats.summary import mean
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number, some

Documents = Literal["both", "union"]
Interval = tuple[float, float] | None
Kind = Literal["runs", "items", "scores", "rankings"]

DEFAULT = "tau_b tau_ap rbo overlap@10"
_DEFAULT_OF_ITEMS = "tau_b tau_ap rbo"  # two orders often have fewer than ten items
_KIND = {
    "runs": "a run",
    "items": "a mapping {name: number}",
    "scores": "a column of numbers",
    "rankings": "a list of ids",
}
_ROUNDING = 1e-12  # relative to a score: error of adding in another order


class CorrelateOptions(TypedDict, total=False):
    """Options of `correlate`."""

    depth: int | None
    documents: Documents
    level: float
    seed: int


def correlate(
    a: Any,
    b: Any,
    measures: str | Iterable[str] | None = None,
    *,
    depth: int | None = None,
    documents: Documents = "both",
    level: float = 0.95,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Correlation:
    """Compute rank correlation coefficients of two rankings.

    Both sides are runs (anything that `read_run` accepts), compared query by query; mappings {name: number}, pandas Series or
    `Values` of one measure, aligned by name; columns of numbers, aligned by position; or lists of ids, the best first, and pairs
    (ids, scores). A list of integers is a column of scores.

    Higher scores are better, and equal scores are ties. `tau_ap` uses the ranks of `a` and compares them with `b`; the other
    coefficients are symmetric.

    Args:
        a: first ranking.
        b: second ranking; the reference of `tau_ap`.
        measures: coefficients, such as tau_b 'rbo(p=0.98)' overlap@20; by name. Mappings and columns have no overlap.
            [default: tau_b tau_ap rbo overlap@10]
        depth: number of documents of each ranking to use; documents tied with the last are kept.
        documents: documents in coefficients of pairs: those in "both" rankings, or their "union", in which missing documents
            are tied below all others. RBO and overlap always use the complete rankings.
        level: confidence level of the intervals.
        seed: random seed of the bootstrap.
        names: names of the two rankings.

    >>> print(correlate([3, 2, 1], [3, 1, 2], "tau_b spearman").mean())
    {'tau_b': 0.3333333333333333, 'spearman': 0.5}
    """
    requests = parse_coefficients(DEFAULT if measures is None else measures)
    if depth is not None:
        check_count(depth, "depth")
    check_choice(documents, Documents, "documents")
    check_share(level, "level")
    listed = isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)
    if names is not None and not listed:
        raise UsageError("names", f"names must be two strings, got {shown(names)}", value=names)
    kind, own_names, pair = _read_pair(a, b, depth, documents)
    if measures is None and kind in ("items", "scores"):
        requests = parse_coefficients(_DEFAULT_OF_ITEMS)
    conventions = {"documents": documents, "depth": depth, "level": level, "seed": whole_seed(seed)}
    return _correlation(requests, pair, kind, own_names if names is None else (names[0], names[1]), conventions)


@step("correlating")
def _correlation(
    requests: list[CorrelationRequest],
    pair: AlignedPair,
    kind: Kind,
    names: tuple[str, str],
    conventions: dict[str, Any],
) -> Correlation:
    columns = {str(one): _values(one, pair) for one in requests}
    p_values = {}
    if kind == "runs":
        limits = [(one.coefficient.low, 1.0) for one in requests]
        ends = interval(list(columns.values()), confidence=conventions["level"], limits=limits)
    else:
        ends = intervals(pair.columns, requests, level=conventions["level"], seed=conventions["seed"])
        p_values = {str(o): p_value(pair.columns, o.coefficient, float(columns[str(o)][0])) for o in requests}
    return Correlation(
        kind=kind,
        names=names,
        queries=pair.queries,
        items=pair.columns.sizes,
        columns=columns,
        intervals=dict(zip(columns, ends, strict=True)),
        p_values=p_values,
        conventions=conventions,
        warnings=(*pair.warnings, *_warn_short_lists(requests, pair, kind), *_warn_undefined(columns, pair, kind)),
    )


def _values(one: CorrelationRequest, pair: AlignedPair) -> Floats:
    pairs, depths = one.coefficient.pairs, one.coefficient.depths
    if pairs is not None:
        values = pairs(pair.columns)
    else:
        assert depths is not None
        values = depths(pair.rankings, one.parameter)
    values.flags.writeable = False
    return values


def _warn_short_lists(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """Warn about each cutoff that neither ranking of a query reaches, since overlap stays below 1."""
    longer, warnings = np.maximum(pair.rankings.a.sizes, pair.rankings.b.sizes), []
    for one in requests:
        if one.coefficient.name != "overlap" or not (count := int((longer < one.parameter).sum())):
            continue
        what, where = ("documents", f" in {counted(count, 'query', 'queries')}") if kind == "runs" else ("items", "")
        text = f"both rankings have fewer than {one.parameter} {what}{where}, so {one} cannot reach 1"
        warnings.append(Warned("short", count, text))
    return warnings


def _warn_undefined(columns: dict[str, Floats], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """Warn about each set of queries for which the same coefficients are undefined."""
    runs = kind == "runs"
    why = f"fewer than two shared {'documents' if runs else 'items'}, or all tied"
    missing: dict[bytes, list[str]] = {}
    for name, column in columns.items():
        missing.setdefault(np.isnan(column).tobytes(), []).append(name)
    warnings = []
    for mask, names in missing.items():
        where = np.flatnonzero(np.frombuffer(mask, bool))
        if not len(where):
            continue
        text = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} undefined"
        if runs:
            ids = some([pair.queries[i] for i in where])
            text += f" for {counted(len(where), 'query', 'queries')} ({why}), excluded from the mean: {ids}"
        else:
            text += f": {why}"
        warnings.append(Warned("undefined", len(where), text))
    return warnings


def correlate_all(
    rankings: Mapping[str, Any] | Iterable[Any],
    measures: str | Iterable[str] | None = None,
    **options: Unpack[CorrelateOptions],
) -> Correlations:
    """Apply `correlate` to every pair of several rankings, the earlier one first. Each run is read once.

    Args:
        rankings: {name: ranking} or a list of rankings, all of one kind that `correlate` accepts.
        measures: coefficients by name, as in `correlate`.
        options: the other arguments of `correlate`, except `names`.
    """
    if isinstance(rankings, str | bytes) or not isinstance(rankings, Iterable):
        raise UsageError("form", "{name: ranking} or a list of rankings", got=shown(rankings), value=rankings)
    sources = list(rankings.items()) if isinstance(rankings, Mapping) else [(None, one) for one in rankings]
    if len(sources) < 2:
        raise UsageError("form", f"correlation needs two or more rankings, got {len(sources)}")
    named = [_with_name(name, source, place) for place, (name, source) in enumerate(sources, 1)]
    requests = measures if measures is None or isinstance(measures, str) else list(measures)
    pairs = [correlate(x, y, requests, **options, names=(a, b)) for (a, x), (b, y) in combinations(named, 2)]
    return Correlations(tuple(name for name, _ in named), tuple(pairs))


def _with_name(name: object, source: Any, place: int) -> tuple[str, Any]:
    """Return a ranking, read if it is a run, with its name: the one in the mapping, that of the run, or its position."""
    if _kind(source) != "runs":
        return str(place if name is None else name), source
    run = _read_run(source)
    own = run.name if run.name != "run" else str(place)
    run_name = own if name is None else str(name)
    return run_name, replace(run, name=run_name)


# ── inputs ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two aligned rankings, from which coefficients are computed: one segment per query, or a single one for two orders."""

    columns: Columns
    rankings: Rankings
    queries: tuple[Id, ...] = ()  # empty for two orders
    warnings: tuple[Warned, ...] = ()


def _read_pair(a: Any, b: Any, depth: int | None, documents: Documents) -> tuple[Kind, tuple[str, str], AlignedPair]:
    """Return the kind of input, the names of both sides, and the aligned pair."""
    first, second = _kind(a), _kind(b)
    if first == second == "runs":
        left, right = _read_run(a), _read_run(b)
        if left.name == right.name:
            left, right = replace(left, name=f"{left.name} (a)"), replace(right, name=f"{right.name} (b)")
        first_name, second_name = short_names([left.name, right.name])
        return "runs", (first_name, second_name), _align_runs(left, right, depth, documents)
    if "runs" in (first, second) or (first != second and "scores" in (first, second)):
        kinds = [f"{_KIND[kind]} ({type(source).__name__})" for source, kind in ((a, first), (b, second))]
        raise UsageError("form", f"cannot correlate {kinds[0]} with {kinds[1]}", hint="use the same kind on both sides")
    if first == second == "scores":
        x, y = numbers(a, "a"), numbers(b, "b")
        if len(x) != len(y):
            problem = f"columns have different lengths: {len(x)} and {len(y)}"
            raise DataError("lengths", problem, hint="align them by name as {name: number}")
        zero, row = np.zeros(len(x), np.int64), np.arange(len(x))
        aligned = _align((zero, x), (zero, y), row, row, 1, depth, documents)
        return "scores", ("a", "b"), replace(aligned, warnings=_near_ties(x, y))
    kind: Kind = "items" if first == second == "items" else "rankings"
    return kind, ("a", "b"), _align_items(a, b, depth, documents)


def _read_run(source: Any) -> Run:
    """Read a run; of questions, which contain judgments too, the rankings are used."""
    recognised = recognise(source)
    return read_questions(recognised).run if recognised.kind == "questions" else read_run(recognised)


def _kind(source: Any) -> Kind:
    if isinstance(source, Values) or _is_series(source):
        return "items"
    if isinstance(source, Mapping):
        return "items" if source and all(map(_is_number, source.values())) else "runs"
    if isinstance(source, str | bytes | os.PathLike | Run | UnreadRun):
        return "runs"
    if isinstance(source, tuple) and len(source) == 2 and all(isinstance(s, list | tuple | np.ndarray) for s in source):
        return "rankings" if len(source[1]) and all(map(_is_number, source[1])) else "runs"
    if isinstance(source, list | tuple) or (isinstance(source, np.ndarray) and source.dtype.kind not in "biufV"):
        if all(map(_is_number, source)):
            return "scores"
        return "rankings" if all(isinstance(s, str | bytes) for s in source) else "runs"
    column = hasattr(source, "__array__") and not hasattr(source, "columns")  # NumPy, polars, Arrow, tensors
    return "scores" if column and not getattr(getattr(source, "dtype", None), "names", None) else "runs"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_series(source: Any) -> bool:
    pandas = type(source).__module__.partition(".")[0] == "pandas"
    return pandas and hasattr(source, "index") and not hasattr(source, "columns")


def _near_ties(x: Floats, y: Floats) -> tuple[Warned, ...]:
    """Warn about scores that differ by rounding only, since such means may be ties."""
    near = 0
    for score in (np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])):
        away = np.diff(score)
        near += int(((away > 0) & (away <= _ROUNDING * np.abs(score[1:]))).sum())
    text = f"{counted(near, 'score differs', 'scores differ')} from the next one by rounding only"
    return (Warned("near-ties", near, text, Hint("round the scores if they are tied")),) if near else ()


def _align_items(a: Any, b: Any, depth: int | None, documents: Documents) -> AlignedPair:
    (a_ids, x), (b_ids, y) = with_scores(_as_mapping(a, "a"), "a"), with_scores(_as_mapping(b, "b"), "b")
    a_at, b_at = shared_rows(a_ids, b_ids)
    if not len(a_at):
        problem = f"rankings have no item in common (a: {some(a_ids)}; b: {some(b_ids)})"
        raise DataError("no-common-item", problem, where="b", hint="check the spelling of the names")
    left, right = ((np.zeros(len(v), np.int64), v) for v in (x, y))
    aligned = _align(left, right, a_at, b_at, 1, depth, documents)
    alone = [a_ids[i] for i in _rest(len(a_ids), a_at)] + [b_ids[i] for i in _rest(len(b_ids), b_at)]
    near = _near_ties(x, y)
    if not alone or documents == "union":
        return replace(aligned, warnings=near)
    items = counted(len(alone), "item is", "items are")
    text = f"{items} in one order only, excluded from coefficients of pairs: {some(alone)}"
    return replace(aligned, warnings=(Warned("query-unshared", len(alone), text), *near))


def _as_mapping(source: Any, name: str) -> Any:
    """Return items with scores as a mapping, and a ranking unchanged."""
    if isinstance(source, Values):
        check_no_model(source, "a correlation")
        measures = [m for m in source.measures if not m.definition.text]
        if len(measures) != 1:
            hint = "select one, such as correlate(x['AP'], y['AP'])"
            raise UsageError("form", f"values have {len(measures)} measures, not one", where=name, hint=hint)
        return dict(zip(source.queries, source[measures[0]].tolist(), strict=True))
    # A duplicate name of a series is found as a duplicate id.
    return (source.index.tolist(), source.tolist()) if _is_series(source) else source


# ── alignment ────────────────────────────────────────────────────────────────────────────────────

Side = tuple[Ints, Floats]  # query (a segment) and score of each document


def _align_runs(a: Run, b: Run, depth: int | None, documents: Documents) -> AlignedPair:
    """Align the rankings of the queries that both runs have, in the order of query ids."""
    for what, a_kind, b_kind in (("query", a.query_kind, b.query_kind), ("document", a.doc_kind, b.doc_kind)):
        if a_kind != b_kind and len(a) and len(b):
            problem = f"{what} ids are of type {a_kind} in {a.name} and {b_kind} in {b.name}"
            raise DataError("id-type", problem, where=b.name, hint=f"convert one side, for example str({what}_id)")
    a_ids, b_ids = a.queries.tolist(), b.queries.tolist()
    common = set(a_ids) & set(b_ids)
    if not common:
        a_queries, b_queries = (some(decoded(run.queries, run.query_kind)) for run in (a, b))
        problem = f"runs have no query in common ({a.name}: {a_queries}; {b.name}: {b_queries})"
        raise DataError("no-common-query", problem, where=b.name, hint="check that both runs are for the same queries")
    ordered = sorted(common, key=int if a.query_kind == "integer" else None)
    code = {raw: i for i, raw in enumerate(ordered)}
    sides, rows, warnings = [], [], [*a.warnings, *b.warnings]
    for run, ids in ((a, a_ids), (b, b_ids)):
        query = np.array([code.get(raw, -1) for raw in ids], np.int64)[run.query]
        row = np.argsort(query, kind="stable")
        row = row[np.searchsorted(query[row], 0) :]
        sides.append((query[row], run.score[row] + 0.0))  # -0.0 ties with 0.0
        rows.append(row)
        alone = decoded(IdColumn.of(raw for raw in ids if raw not in common), run.query_kind)
        if alone:
            queries = counted(len(alone), "query is", "queries are")
            text = f"{queries} in {run.label} only, excluded: {some(alone)}"
            warnings.append(Warned("query-unshared", len(alone), text))
    at = match_documents(a, b, (rows[0], rows[1]), (sides[0][0], sides[1][0]), "keep one of them")
    aligned = _align(sides[0], sides[1], *at, len(ordered), depth, documents)
    queries_of_both = tuple(decoded(IdColumn.of(ordered), a.query_kind))
    return replace(aligned, queries=queries_of_both, warnings=tuple(warnings))


def _align(
    a: Side, b: Side, a_at: Ints, b_at: Ints, count: int, depth: int | None, documents: Documents
) -> AlignedPair:
    """Align two sides of `count` segments, sorted by segment; row `a_at[i]` and row `b_at[i]` are the same item.

    With a depth, items with fewer than `depth` better ones are kept, so ties are not cut.
    """
    (a_ranked, a_place), (b_ranked, b_place) = (
        rank_items(score, np.bincount(query, minlength=count)) for query, score in (a, b)
    )
    if depth is not None:
        a_stays, b_stays = a_ranked.top[a_place] <= depth, b_ranked.top[b_place] <= depth
        both: Bools = a_stays[a_at] & b_stays[b_at]
        at = (np.cumsum(a_stays) - 1)[a_at[both]], (np.cumsum(b_stays) - 1)[b_at[both]]
        return _align((a[0][a_stays], a[1][a_stays]), (b[0][b_stays], b[1][b_stays]), *at, count, None, documents)
    rankings = Rankings(a_ranked, b_ranked, a_place[a_at], b_place[b_at])
    if documents == "both":
        query, x, y = a[0][a_at], a[1][a_at], b[1][b_at]
    else:  # ranks instead of scores: missing items are tied below all others
        a_alone, b_alone = _rest(len(a[0]), a_at), _rest(len(b[0]), b_at)
        a_value, b_value = -a_ranked.top[a_place].astype(float), -b_ranked.top[b_place].astype(float)
        query = np.concatenate([a[0][a_at], a[0][a_alone], b[0][b_alone]])
        x = np.concatenate([a_value[a_at], a_value[a_alone], np.full(len(b_alone), -np.inf)])
        y = np.concatenate([b_value[b_at], np.full(len(a_alone), -np.inf), b_value[b_alone]])
    order = np.argsort(query, kind="stable")
    return AlignedPair(Columns(x[order], y[order], np.bincount(query, minlength=count)), rankings)


def _rest(size: int, at: Ints) -> Ints:
    rest = np.ones(size, bool)
    rest[at] = False
    return np.flatnonzero(rest)


# ── results ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Coefficients of two rankings: one value per query of two runs, one value for anything else.

    `all_queries`: tables and records list every query.

    >>> result = correlate({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, "tau_a overlap@2")
    >>> result.mean()
    {'tau_a': 0.3333333333333333, 'overlap@2': 0.5}
    """

    kind: Kind
    names: tuple[str, str]
    queries: tuple[Id, ...]  # empty unless runs were compared
    items: NDArray[np.int64]  # number of documents in the coefficients of pairs, per query
    columns: dict[str, Floats]
    intervals: dict[str, Interval]
    p_values: dict[str, float | None] = field(default_factory=dict)  # empty for runs
    conventions: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    all_queries: bool = False

    def __len__(self) -> int:
        return len(self.items)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients."""
        return tuple(self.columns)

    def __getitem__(self, coefficient: str) -> Floats:
        """Return the values of a coefficient: one per query in the order of `queries`, or a single one."""
        name = str(parse_coefficients(coefficient)[0])
        if name not in self.columns:
            hint = f"choose one of {', '.join(self.columns)}"
            raise UsageError("not-asked", f"{shown(name)} was not computed", hint=hint, value=name)
        return self.columns[name]

    def mean(self) -> dict[str, float]:
        """Return the mean of each coefficient over the queries for which it is defined, or its only value."""
        return {name: mean(column[~np.isnan(column)]) for name, column in self.columns.items()}

    def records(self) -> list[dict[str, Any]]:
        """One row per coefficient, with the query "all"; with `all_queries`, one per query before it."""
        runs, records = self.kind == "runs", []
        for name, value in self.mean().items():
            if runs and self.all_queries:
                queries = zip(self.queries, self.columns[name].tolist(), self.items.tolist(), strict=True)
                records += [_record(name, query, one, items) for query, one, items in queries]
            items = None if runs else int(self.items[0])
            records.append(_record(name, "all", value, items, self.intervals[name], self.p_values.get(name)))
        return records

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "kind": self.kind,
            "conventions": self.conventions,
            "warnings": [w.to_dict() for w in self.warnings],
            "summary": self.mean(),
            "intervals": self.intervals,
            "p_values": self.p_values,
            "queries": self.queries,
            "items": self.items,
            "values": self.columns,
        }

    def _frame(self) -> dict[str, Any]:
        ids = {"query": [str(q) for q in self.queries]} if self.kind == "runs" else {}
        return {**ids, "items": self.items, **self.columns}

    def to_pandas(self) -> Any:
        """A pandas frame with one row per query (the index, for runs) and one column per coefficient."""
        import pandas as pd

        frame = pd.DataFrame(self._frame())
        return frame.set_index("query") if self.kind == "runs" else frame

    def to_polars(self) -> Any:
        """A polars frame with one row per query and one column per coefficient."""
        import polars as pl

        return pl.DataFrame(self._frame())

    def tables(self, *, places: int = 4) -> list[Table]:
        """The means with intervals; with `all_queries`, the values per query first."""
        runs = self.kind == "runs"
        last = ("queries",) if runs else ("p-value", "items")
        headers = ("coefficient", "mean" if runs else "value", f"{self.conventions['level']:.0%} interval", *last)
        rows = []
        for name, value in self.mean().items():
            interval, p = self.intervals[name], self.p_values.get(name)
            ends = "" if interval is None else f"[{number(interval[0], places)}, {number(interval[1], places)}]"
            defined = str(int((~np.isnan(self.columns[name])).sum()))
            end = (defined,) if runs else ("" if p is None else f"{p:.3g}", str(int(self.items[0])))
            rows.append((name, number(value, places), ends, *end))
        size = [counted(len(self), "query", "queries")] if runs else []
        notes = (" · ".join([*size, *self.settings()]), *(f"warning: {w}" for w in self.warnings))
        summary = Table(headers, tuple(rows), title=_label(self.names), notes=notes)
        return [self.per_query(places=places), summary] if self.all_queries and runs else [summary]

    def per_query(self, *, places: int = 4) -> Table:
        """Values per query, the lowest of the first coefficient first; undefined ones come last."""
        values = [[number(v, places) for v in column.tolist()] for column in self.columns.values()]
        rows = list(zip(map(str, self.queries or ("",)), map(str, self.items.tolist()), *values, strict=True))
        first = self.coefficients[0]
        order = np.argsort(self.columns[first], kind="stable")  # NaN is the highest
        notes = (f"ordered by {first}, the lowest first",) if len(rows) > 1 else ()
        return Table(("query", "documents", *self.columns), tuple(rows[i] for i in order), notes=notes)

    def settings(self) -> list[str]:
        """Describe what was compared, and by which conventions."""
        chosen, what = self.conventions, "documents" if self.kind == "runs" else "items"
        pairs = {"both": f"pairs of shared {what}", "union": f"pairs of all {what}, missing ones tied last"}
        words = [pairs[chosen["documents"]]]
        if chosen["depth"] is not None:
            words.append(f"depth {chosen['depth']}")
        if "tau_ap" in self.columns:
            words.append("tau_ap: ranks of the first, compared with the second")
        return words


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Result):
    """Correlation of every pair of several rankings, in input order.

    >>> result = correlate_all({"x": [1, 2, 3], "y": [1, 3, 2], "z": [3, 2, 1]}, "tau_a")
    >>> [(pair.names, round(pair.mean()["tau_a"], 4)) for pair in result.pairs]
    [(('x', 'y'), 0.3333), (('x', 'z'), -1.0), (('y', 'z'), -0.3333)]
    """

    names: tuple[str, ...]
    pairs: tuple[Correlation, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.pairs)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """One warning per kind: the first one, and the number of pairs that have it."""
        texts: dict[str, list[str]] = {}
        for pair in self.pairs:
            for slug, text in {w.slug: w.text for w in reversed(pair.warnings)}.items():
                texts.setdefault(slug, []).append(f"{_label(pair.names)}: {text}")
        warnings = []
        for slug, found in texts.items():
            also = f"; also in {len(found) - 1} more of {len(self)} pairs" if len(found) > 1 else ""
            warnings.append(Warned(slug, len(found), found[0] + also))
        return tuple(warnings)

    def records(self) -> list[dict[str, Any]]:
        """One row per pair and coefficient."""
        return [{"a": pair.names[0], "b": pair.names[1], **row} for pair in self.pairs for row in pair.records()]

    def to_data(self) -> dict[str, Any]:
        """The pairs, each as in `Correlation.to_data`."""
        return {"judged": 1, "names": self.names, "pairs": [pair.to_data() for pair in self.pairs]}

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per pair: the mean of each coefficient over queries, or its only value."""
        runs = self.pairs[0].kind == "runs"
        rows = []
        for pair in self.pairs:
            values = [number(value, places) for value in pair.mean().values()]
            count = len(pair) if runs else int(pair.items[0])
            rows.append((*(name.rpartition("/")[2] for name in pair.names), *values, str(count)))
        headers = ("a", "b", *self.pairs[0].columns, "queries" if runs else "items")
        notes = (" · ".join(self.pairs[0].settings()), *(f"warning: {w}" for w in self.warnings))
        title = f"{len(self.names)} {'runs' if runs else 'orders'}, pair by pair"
        return [Table(headers, tuple(rows), title=title, notes=notes, words=(0, 1))]


def _record(
    name: str, query: Id, value: float, items: int | None, interval: Interval = None, p: float | None = None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"coefficient": name, "query": query, "value": value, "low": low, "high": high, "p_value": p, "items": items}


def _label(names: tuple[str, str]) -> str:
    return " ~ ".join(name.rpartition("/")[2] for name in names)
