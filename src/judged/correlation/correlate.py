"""Correlate two runs, two rankings or two orders of systems, or every pair of several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core.reference import check_same_kinds, match_documents
from judged.core.tables import Id, IdColumn, Run, decoded
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, fold_warnings, shown
from judged.evaluation.model_judgments import check_no_model
from judged.evaluation.values import Values
from judged.io.questions import read_questions
from judged.io.read import read_run
from judged.io.recognise import recognise
from judged.io.run_names import short_names
from judged.stats.checks import check_count, check_share
from judged.stats.intervals import interval, mean
from judged.stats.rank_correlation import Columns, p_value, parse_coefficients
from judged.stats.rank_overlap import Rankings, numbers, rank_items, shared_rows, with_scores
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, counted, number, some

Interval = tuple[float, float] | None
Kind = Literal["runs", "items"]

DEFAULT = "tau_b tau_ap rbo overlap@10"
_DEFAULT_OF_ITEMS = "tau_b tau_ap rbo"  # two orders often have fewer than ten items
_ROUNDING = 1e-12  # relative to a score: error of adding in another order


@step("correlating")
def correlate(
    a: Any,
    b: Any,
    measures: str | Iterable[str] | None = None,
    *,
    depth: int | None = None,
    level: float = 0.95,
    names: tuple[str, str] | None = None,
) -> Correlation:
    """Compute rank correlation coefficients of two rankings.

    Both sides are runs (anything that `read_run` accepts), compared query by query; mappings {name: number}, pandas Series or
    `Values` of one measure, aligned by name; columns of numbers, aligned by position; or lists of ids, the best first. A list of integers is a column of scores.

    Higher scores are better, and equal scores are ties. `tau_ap` uses the ranks of `a` and compares them with `b`; the other
    coefficients are symmetric. Pairs are formed from items that both sides have; RBO and overlap use the complete rankings.

    Args:
        a: first ranking.
        b: second ranking; the reference of `tau_ap`.
        measures: coefficients, such as tau_b 'rbo(p=0.98)' overlap@20; by name.
            [default: tau_b tau_ap rbo overlap@10; without overlap@10 for anything but runs]
        depth: number of documents of each ranking to use; documents tied with the last are kept.
        level: confidence level of the intervals of means over queries.
        names: names of the two rankings.

    >>> print(correlate([3, 2, 1], [3, 1, 2], "tau_b spearman").mean())
    {'tau_b': 0.3333333333333333, 'spearman': 0.5}
    """
    if depth is not None:
        check_count(depth, "depth")
    check_share(level, "level")
    if names is not None and (isinstance(names, str) or len(names) != 2 or {*map(type, names)} != {str}):
        raise UsageError("names", f"names must be two strings, got {shown(names)}", value=names)
    x, y = _read_items(a, "a"), _read_items(b, "b")
    if (x is None) != (y is None):
        problem = f"one side is a run, and the other is not: {type(a).__name__} and {type(b).__name__}"
        raise UsageError("form", problem, hint="use the same kind on both sides")
    own_names = ("a", "b")
    if x is None or y is None:
        kind: Kind = "runs"
        left, right = _read_run(a), _read_run(b)
        if left.name == right.name:
            left, right = replace(left, name=f"{left.name} (a)"), replace(right, name=f"{right.name} (b)")
        own_names = tuple(short_names([left.name, right.name]))  # type: ignore[assignment]
        shared, rankings, queries, warnings = _align_runs(left, right, depth)
    else:
        kind, queries = "items", ()
        shared, rankings, warnings = _align_items(x, y, depth)
    default = DEFAULT if kind == "runs" else _DEFAULT_OF_ITEMS
    requests = parse_coefficients(default if measures is None else measures)
    columns: dict[str, Floats] = {}
    for name, (one, parameter) in requests.items():
        columns[name] = one.pairs(shared) if one.pairs else one.depths(rankings, parameter)  # type: ignore[misc]
        columns[name].flags.writeable = False
    intervals: dict[str, Interval] = {}
    p_values: dict[str, float | None] = {}
    if kind == "runs":
        limits = [(one.low, 1.0) for one, _ in requests.values()]
        ends = interval(list(columns.values()), confidence=level, limits=limits)
        intervals = dict(zip(columns, ends, strict=True))
    else:
        p_values = {name: p_value(shared, one, float(columns[name][0])) for name, (one, _) in requests.items()}
    return Correlation(
        kind=kind,
        names=own_names if names is None else (names[0], names[1]),
        queries=queries,
        items=shared.sizes,
        columns=columns,
        intervals=intervals,
        p_values=p_values,
        conventions={"depth": depth, "level": level},
        warnings=(*warnings, *_warnings(columns, rankings, queries)),
    )


def _warnings(columns: dict[str, Floats], rankings: Rankings, queries: tuple[Id, ...]) -> list[Warned]:
    """Warn about cutoffs that neither ranking of a query reaches, since overlap stays below 1, and about undefined values."""
    longer, warnings = np.maximum(rankings.a.sizes, rankings.b.sizes), []
    what = "documents" if queries else "items"
    for name, column in columns.items():
        cutoff = int(name.partition("@")[2] or 0)
        short, missing = int((longer < cutoff).sum()), np.flatnonzero(np.isnan(column))
        if short:
            where = f" in {counted(short, 'query')}" if queries else ""
            text = f"both rankings have fewer than {cutoff} {what}{where}, so {name} cannot reach 1"
            warnings.append(Warned("short", short, text))
        if len(missing):
            text = f"{name} is undefined"
            if queries:
                ids = some([queries[i] for i in missing])
                text += f" for {counted(len(missing), 'query')}, excluded from the mean: {ids}"
            text += f" (fewer than two shared {what}, or all tied)"
            warnings.append(Warned("undefined", len(missing), text))
    return warnings


def correlate_all(
    rankings: Mapping[str, Any] | Iterable[Any],
    measures: str | Iterable[str] | None = None,
    *,
    depth: int | None = None,
    level: float = 0.95,
) -> Correlations:
    """Apply `correlate` to every pair of several rankings, the earlier one first. Each run is read once.

    Args:
        rankings: {name: ranking} or a list of rankings, all of one kind that `correlate` accepts.
        measures: coefficients by name, as in `correlate`.
        depth: as in `correlate`.
        level: as in `correlate`.
    """
    if isinstance(rankings, str | bytes) or not isinstance(rankings, Iterable):
        raise UsageError("form", "{name: ranking} or a list of rankings", got=shown(rankings), value=rankings)
    sources = list(rankings.items()) if isinstance(rankings, Mapping) else [(None, one) for one in rankings]
    if len(sources) < 2:
        raise UsageError("form", f"correlation needs two or more rankings, got {len(sources)}")
    named: list[tuple[str, Any]] = []
    for place, (name, source) in enumerate(sources, 1):
        if _read_items(source, str(place)) is not None:
            named.append((str(place if name is None else name), source))
            continue
        run = _read_run(source)
        own = run.name if run.name != "run" else str(place)
        run_name = own if name is None else str(name)
        named.append((run_name, replace(run, name=run_name)))
    requests = measures if measures is None or isinstance(measures, str) else list(measures)
    return Correlations(
        tuple(name for name, _ in named),
        tuple(
            correlate(x, y, requests, depth=depth, level=level, names=(a, b))
            for (a, x), (b, y) in combinations(named, 2)
        ),
    )


# ── inputs ───────────────────────────────────────────────────────────────────────────────────────


def _read_run(source: Any) -> Run:
    """Read a run; of questions, which contain judgments too, the rankings are used."""
    recognised = recognise(source)
    return read_questions(recognised).run if recognised.kind == "questions" else read_run(recognised)


def _read_items(source: Any, name: str) -> tuple[list[Any], Floats] | None:
    """Return the ids and scores of one order of items, where a column of numbers has positions as ids; None for a run."""
    if isinstance(source, str | bytes | os.PathLike | Run | UnreadRun):
        return None
    if isinstance(source, Values):
        check_no_model(source, "a correlation")
        measures = [m for m in source.measures if not m.definition.text]
        if len(measures) != 1:
            hint = "select one, such as correlate(x['AP'], y['AP'])"
            raise UsageError("form", f"values have {len(measures)} measures, not one", where=name, hint=hint)
        return list(source.queries), numbers(source[measures[0]], name)
    if isinstance(source, Mapping):
        return with_scores(source, name) if source and all(map(_is_number, source.values())) else None
    if type(source).__module__.partition(".")[0] == "pandas" and not hasattr(source, "columns"):
        return with_scores((source.index.tolist(), source.tolist()), name)  # a duplicate name is a duplicate id
    if isinstance(source, list | tuple) or (isinstance(source, np.ndarray) and source.dtype.kind not in "biufV"):
        if not all(map(_is_number, source)):
            return with_scores(source, name) if all(isinstance(s, str | bytes) for s in source) else None
    elif (  # NumPy, polars, Arrow and tensors, but no frames and no structured arrays
        not hasattr(source, "__array__")
        or hasattr(source, "columns")
        or getattr(getattr(source, "dtype", None), "names", None)
    ):
        return None
    column = numbers(source, name)
    return list(range(len(column))), column


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


Side = tuple[Ints, Floats]  # query (a segment) and score of each document


def _align_items(
    a: tuple[list[Any], Floats], b: tuple[list[Any], Floats], depth: int | None
) -> tuple[Columns, Rankings, list[Warned]]:
    """Align two orders of items by id; warn about items of one side only, and about scores that may be ties."""
    (a_ids, x), (b_ids, y) = a, b
    if len(x) != len(y) and a_ids == list(range(len(x))) and b_ids == list(range(len(y))):
        problem = f"columns have different lengths: {len(x)} and {len(y)}"
        raise DataError("lengths", problem, hint="align them by name as {name: number}")
    a_at, b_at = shared_rows(a_ids, b_ids)
    if not len(a_at) and (len(x) or len(y)):
        problem = f"rankings have no item in common (a: {some(a_ids)}; b: {some(b_ids)})"
        raise DataError("no-common-item", problem, where="b", hint="check the spelling of the names")
    left, right = ((np.zeros(len(v), np.int64), v) for v in (x, y))
    columns, rankings = _align(left, right, a_at, b_at, 1, depth)
    warnings = []
    shared = set(a_ids) & set(b_ids)
    if alone := [item for item in (*a_ids, *b_ids) if item not in shared]:
        items = counted(len(alone), "item is", "items are")
        text = f"{items} in one order only and excluded from coefficients of pairs: {some(alone)}"
        warnings.append(Warned("query-unshared", len(alone), text))
    near = 0
    for score in (np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])):
        away = np.diff(score)
        near += int(((away > 0) & (away <= _ROUNDING * np.abs(score[1:]))).sum())
    if near:  # such means may be ties
        text = f"{counted(near, 'score differs', 'scores differ')} from the next one by rounding only"
        warnings.append(Warned("near-ties", near, text, Hint("round the scores if they are tied")))
    return columns, rankings, warnings


def _align_runs(a: Run, b: Run, depth: int | None) -> tuple[Columns, Rankings, tuple[Id, ...], list[Warned]]:
    """Align the rankings of the queries that both runs have, in the order of query ids, which are returned too."""
    if len(a.query) and len(b.query):
        check_same_kinds((a.query_kind, a.doc_kind), (b.query_kind, b.doc_kind), b.name, sides=(a.name, b.name))
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
            text = f"{queries} in {run.label} only and excluded: {some(alone)}"
            warnings.append(Warned("query-unshared", len(alone), text))
    at = match_documents(a, b, (rows[0], rows[1]), (sides[0][0], sides[1][0]), "keep one of them")
    columns, rankings = _align(sides[0], sides[1], *at, len(ordered), depth)
    return columns, rankings, tuple(decoded(IdColumn.of(ordered), a.query_kind)), warnings


def _align(a: Side, b: Side, a_at: Ints, b_at: Ints, count: int, depth: int | None) -> tuple[Columns, Rankings]:
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
        return _align((a[0][a_stays], a[1][a_stays]), (b[0][b_stays], b[1][b_stays]), *at, count, None)
    query, x, y = a[0][a_at], a[1][a_at], b[1][b_at]
    order = np.argsort(query, kind="stable")
    columns = Columns(x[order], y[order], np.bincount(query, minlength=count))
    return columns, Rankings(a_ranked, b_ranked, a_place[a_at], b_place[b_at])


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
    intervals: dict[str, Interval]  # of the means over queries; empty unless runs were compared
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
        name = next(iter(parse_coefficients(coefficient)))
        if name not in self.columns:
            hint = f"choose one of {', '.join(self.columns)}"
            raise UsageError("not-asked", f"{shown(name)} was not computed", hint=hint, value=name)
        return self.columns[name]

    def mean(self) -> dict[str, float]:
        """Return the mean of each coefficient over the queries for which it is defined, or its only value."""
        return {name: mean(column[~np.isnan(column)]) for name, column in self.columns.items()}

    def records(self) -> list[dict[str, Any]]:
        """One row per coefficient, with the query "all"; with `all_queries`, one per query before it."""
        runs = self.kind == "runs"
        records: list[dict[str, Any]] = []
        for name, value in self.mean().items():
            rows: list[tuple[Id, float, int | None]] = []
            if runs and self.all_queries:
                rows += zip(self.queries, self.columns[name].tolist(), self.items.tolist(), strict=True)
            rows.append(("all", value, None if runs else int(self.items[0])))
            for query, one, items in rows:
                record = {"coefficient": name, "query": query, "value": one, "low": None, "high": None}
                records.append({**record, "p_value": None, "items": items})
            records[-1]["low"], records[-1]["high"] = self.intervals.get(name) or (None, None)
            records[-1]["p_value"] = self.p_values.get(name)
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

    def tables(self, *, places: int = 4) -> list[Table]:
        """The means with intervals, or the values with p-values; with `all_queries`, the values per query first."""
        runs, rows = self.kind == "runs", []
        for name, value in self.mean().items():
            if runs:
                ends = self.intervals[name]
                within = "" if ends is None else f"[{number(ends[0], places)}, {number(ends[1], places)}]"
                last = (within, str(int((~np.isnan(self.columns[name])).sum())))
            else:
                p = self.p_values[name]
                last = ("" if p is None else f"{p:.3g}", str(int(self.items[0])))
            rows.append((name, number(value, places), *last))
        share = f"{self.conventions['level']:.0%} interval"
        headers = ("coefficient", "mean", share, "queries") if runs else ("coefficient", "value", "p-value", "items")
        size = [counted(len(self), "query")] if runs else []
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
        words = [f"pairs of shared {'documents' if self.kind == 'runs' else 'items'}"]
        if self.conventions["depth"] is not None:
            words.append(f"depth {self.conventions['depth']}")
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
        """The warnings of all pairs."""
        found = ((f"{_label(pair.names)}: ", w) for pair in self.pairs for w in pair.warnings)
        return fold_warnings(replace(w, text=label + w.text) for label, w in found)

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


def _label(names: tuple[str, str]) -> str:
    return " ~ ".join(name.rpartition("/")[2] for name in names)
