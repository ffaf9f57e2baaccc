"""`agree`: agreement of judges, the result and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import isnan
from typing import Any, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.policy import Rejudged
from judged.core.resample import generator
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.options import ColumnOptions, named_columns
from judged.io.columns import is_usual
from judged.judging.panel import Level, Panel, read_panel
from judged.judging.system_order import SystemOrder, system_order
from judged.measures.registry import Measure
from judged.stats.agreement import (
    Interval,
    Reliability,
    WeightsName,
    by_query,
    coefficient_key,
    coefficients,
    parse_coefficient,
    usual_coefficients,
)
from judged.stats.checks import check_choice, check_count, check_share
from judged.stats.ratings import Label, Ratings
from judged.steps import step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, distinct_columns, number

_MANY_QUERIES = 10  # minimum number of queries to show those with the lowest agreement
_WORST = 5  # queries, and documents, that are shown
_FIELDS = ("key", "name", "value", "low", "high", "error", "expected", "units", "method", "reason")


@dataclass(frozen=True, slots=True, eq=False)
class JudgePair:
    """Agreement of two judges on the documents that both judged."""

    names: tuple[str, str]
    both: int
    alone: tuple[int, int]
    coefficients: dict[str, Reliability]
    confusion: Ints  # rows: the first judge

    def __getitem__(self, key: str) -> Reliability:
        return _coefficient(self.coefficients, key)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement of two or more judges.

    `all_queries`: tables and records list every query instead of the worst ones.

    >>> from judged.judging.agreement import agree
    >>> a = agree([1, 1, 0, 0], [1, 0, 0, 0])
    >>> a["raw"].value, a["kappa"].value
    (0.75, 0.5)
    >>> a.confusion.tolist()
    [[2, 0], [1, 1]]
    """

    panel: Panel
    coefficients: dict[str, Reliability]
    pairs: tuple[JudgePair, ...]
    order: SystemOrder | None
    weights: WeightsName
    confidence: float
    warnings: tuple[Warned, ...]
    note: str = ""  # about intervals that differ from the default
    all_queries: bool = False

    @property
    def level(self) -> float | dict[str, float] | None:
        """Lowest grade that counts as 1, for all judges or by judge; None if grades are used unchanged."""
        levels = self.panel.levels
        if levels is None:
            return None
        return levels[0] if len(set(levels)) == 1 else dict(zip(self.names, levels, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.panel.names

    @property
    def categories(self) -> tuple[Label, ...]:
        """All labels that occur, ascending."""
        return self.panel.ratings.categories

    @property
    def judged(self) -> dict[str, int]:
        """Number of units that each judge judged."""
        counts = (self.panel.ratings.codes >= 0).sum(axis=1)
        return dict(zip(self.names, counts.tolist(), strict=True))

    @property
    def overlap(self) -> dict[int, int]:
        """Number of units by the number of judges who judged them: {1: …, 2: …}."""
        counts = np.bincount(self.panel.ratings.rated(), minlength=len(self.names) + 1)
        return {judges: int(n) for judges, n in enumerate(counts.tolist()) if judges}

    @property
    def shared(self) -> int:
        """Number of units that two or more judges judged."""
        return sum(n for judges, n in self.overlap.items() if judges > 1)

    def __getitem__(self, key: str) -> Reliability:
        """Return a coefficient by name, such as "kappa" or "kappa(linear)"."""
        return _coefficient(self.coefficients, key)

    @property
    def confusion(self) -> Ints:
        """Confusion matrix of two judges; rows are the first."""
        if len(self.pairs) > 1:
            raise UsageError("judges", f"{len(self.names)} judges have no single confusion matrix", hint="see .pairs")
        return self.pairs[0].confusion

    @property
    def by_query(self) -> RecordTable:
        """Agreement per query, the lowest first: number of shared documents, raw agreement, and kappa (alpha for more than two judges).

        Queries in which all labels are the same have no kappa and come last.
        """
        main = "kappa" if len(self.names) == 2 else "alpha"
        weighted = [f"{main}({self.weights})"] if self.weights != "nominal" else []
        table = self.per_query("raw", main, *weighted)
        keys = [table["raw"], table[(*weighted, main)[0]]]
        # Differences by rounding are ties, which stay in the order of ids; NaN is last.
        order = np.lexsort(np.round(keys, 12))
        return table.take(order.tolist())

    def per_query(self, *keys: str) -> RecordTable:
        """Coefficients of each query, in the order of query ids; NaN with a reason if undefined."""
        units, ratings = self.panel.units, self.panel.ratings
        if units is None:
            raise UsageError("judges", "columns of labels have no queries")
        requests = [parse_coefficient(key, ratings) for key in keys]
        present, size, values = by_query(ratings, requests, units.query)
        undefined = np.isnan(np.stack([*values.values(), np.zeros(len(size))])).any(axis=0)
        columns = {
            "query": tuple(units.queries[i] for i in present),
            "n": tuple(size.tolist()),
            **{key: tuple(column.tolist()) for key, column in values.items()},
            "reason": tuple(np.where(undefined, "one category only", "").tolist()),
        }
        return RecordTable(columns, words=("query", "reason"), title="agreement by query")

    def disagreements(self, n: int | None = 20, *, per_query: int | None = None) -> RecordTable:
        """Units that judges disagree on, by decreasing difference (for text labels: by the number of labels), then by id.

        With a level, these are the units on different sides of it. Grades are the original ones, and the difference is that
        of their distances from the judges' levels.

        Args:
            n: largest number of units; None for all.
            per_query: largest number of units per query.
        """
        for name, value in (("n", n), ("per_query", per_query)):
            if value is not None:
                check_count(value, name, least=0)
        panel = self.panel
        ratings, units = panel.original or panel.ratings, panel.units
        difference = _difference(ratings, panel.levels)
        rows = np.flatnonzero(_difference(panel.ratings) > 0)
        count = len(rows)
        rows = rows[np.argsort(-difference[rows], kind="stable")]
        if per_query is not None and units is not None:
            rows = rows[_ranks_in_group(units.query[rows]) <= per_query]
        rows = rows[:n]
        labels = (*ratings.categories, None)
        ids: dict[str, tuple[Any, ...]] = {"row": tuple(rows.tolist())}
        if units is not None:
            ids = {"query": tuple(units.queries[i] for i in units.query[rows]), "doc": tuple(units.docs(rows))}
        judges = distinct_columns(self.names, {*ids, "difference"}.__contains__)
        grades = {name: tuple(labels[c] for c in row[rows]) for name, row in zip(judges, ratings.codes, strict=True)}
        columns = {
            **ids,
            **grades,
            "difference": tuple(int(x) if x == int(x) else x for x in difference[rows].tolist()),
        }
        title = f"{len(rows)} of {counted(count, 'disagreement')}"
        return RecordTable(columns, words=("query", "doc"), title=title)

    def adjudication_list(self) -> RecordTable:
        """All disagreements with an empty column `relevance`; once filled in, `read_qrels` reads them as the judgments of an adjudicator.

        A judge whose name is a usual name of an id or grade column gets another one, so that the right columns are found.
        """
        if self.panel.units is None:
            raise UsageError("judges", "columns of labels have no documents to adjudicate")
        table = self.disagreements(None)
        query, doc, *grades, difference = table.columns.values()
        judges = distinct_columns(self.names, lambda name: name == "difference" or is_usual(name))
        columns = {"query_id": query, "doc_id": doc, **dict(zip(judges, grades, strict=True)), "difference": difference}
        columns["relevance"] = (None,) * len(table)
        return RecordTable(columns, words=("query_id", "doc_id"), title=table.title)

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def headline(self) -> tuple[str, ...]:
        """Sentences: the recommended coefficient, exact agreement, leniency, and the order of systems."""
        thing = "document" if self.panel.units is not None else "unit"
        who = "both" if len(self.names) == 2 else "two or more judges"
        raw = self["raw"]
        exact = f"Exact agreement: {raw.value:.1%} of {counted(raw.units, thing)} judged by {who}"
        order = self.order.headline() if self.order is not None else ()
        return (_coefficient_line(self), exact, *_mean_grades(self), *order)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Coefficients, confusion or pairs of judges, worst queries and documents, and the order of systems."""
        rows = tuple(
            (c.name, number(c.value, places), _between(c, places), number(c.expected, places))
            for c in self.coefficients.values()
        )
        headers = ("coefficient", "value", f"{100 * self.confidence:g}% interval", "chance")
        tables = [Table(headers, rows, title=f"agreement of {' and '.join(self.names)}", notes=_notes(self))]
        tables.append(_pairs(self, places) if len(self.pairs) > 1 else _confusion(self.pairs[0], self.categories))
        for part in (self._queries(), self.disagreements(_WORST, per_query=2), self.order):
            tables += part.tables(places=places) if part else []
        return tables

    def _queries(self) -> RecordTable | None:
        """Every query, or those with the least agreement; None if there are few queries or no disagreement."""
        if self.all_queries:
            return self.by_query
        if self.panel.units is None or len(queries := self.by_query) < _MANY_QUERIES:
            return None
        rows = [i for i, raw in enumerate(queries["raw"]) if raw < 1][:_WORST]
        return replace(queries.take(rows), title="queries with the lowest agreement")

    def records(self) -> list[dict[str, Any]]:
        """One row per coefficient; one per query with `all_queries`."""
        if self.all_queries:
            return self.by_query.records()
        return [{field: getattr(c, field) for field in _FIELDS} for c in self.coefficients.values()]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        pairs = [
            {
                "judges": p.names,
                "both": p.both,
                "alone": p.alone,
                "confusion": p.confusion,
                "coefficients": _coefficient_data(p.coefficients),
            }
            for p in self.pairs
        ]
        return {
            "judged": 1,
            "judges": self.names,
            "categories": self.categories,
            "level": self.level,
            "weights": self.weights,
            "confidence": self.confidence,
            "conclusion": self.headline(),
            "note": self.note,
            "units": self.judged,
            "overlap": self.overlap,
            "coefficients": _coefficient_data(self.coefficients),
            "pairs": pairs,
            "by_query": self.by_query.records() if self.panel.units is not None else None,
            "disagreements": self.disagreements().records(),
            "order": self.order.to_data() if self.order is not None else None,
            "warnings": [w.to_dict() for w in self.warnings],
        }


def _difference(ratings: Ratings, levels: Sequence[float] | None = None) -> Floats:
    """Return the highest label less the lowest of each unit, relative to the judges' levels if there are any.

    For text it is the number of distinct labels less one.
    """
    codes = ratings.codes
    missing = codes < 0
    if ratings.numbers is not None:
        value = np.append(ratings.numbers, np.nan)[codes] - (0.0 if levels is None else np.array(levels)[:, None])
        high, low = np.where(missing, -np.inf, value).max(axis=0), np.where(missing, np.inf, value).min(axis=0)
        return np.where(missing.all(axis=0), 0.0, high - low)
    ordered = np.sort(codes, axis=0)  # missing labels, -1, come first
    return np.asarray(((ordered[1:] > ordered[:-1]) & (ordered[:-1] >= 0)).sum(axis=0), float)


def _ranks_in_group(group: Ints) -> Ints:
    """Return the rank of each row among the rows of its group, from 1."""
    rank = np.empty(len(group), np.int64)
    rank[np.argsort(group, kind="stable")] = segments.ranks(np.bincount(group))
    return rank


def _coefficient(coefficients: dict[str, Reliability], name: str) -> Reliability:
    key = coefficient_key(name)
    if key not in coefficients:
        hint = f"choose one of {', '.join(coefficients)}"
        raise UsageError("coefficient", f"{shown(name)} was not computed", hint=hint, value=name)
    return coefficients[key]


def _coefficient_data(coefficients: dict[str, Reliability]) -> dict[str, dict[str, Any]]:
    return {key: {name: v for name, v in asdict(c).items() if name != "key"} for key, c in coefficients.items()}


def _main_key(a: Agreement) -> str:
    """Return the recommended coefficient: with the chosen weights, or by the kind of labels.

    For two judges it is Cohen's kappa, quadratic for grades; for more, Krippendorff's alpha, which allows for missing
    judgments, ordinal for grades.
    """
    two = len(a.names) == 2
    if a.weights != "nominal":
        return f"kappa({a.weights})" if two else f"alpha({'interval' if a.weights == 'quadratic' else a.weights})"
    if a.panel.ratings.graded:
        return "kappa(quadratic)" if two else "alpha(ordinal)"
    return "kappa" if two else "alpha"


def _coefficient_line(a: Agreement) -> str:
    c = a[_main_key(a)]
    labels = (
        "graded labels" if a.panel.ratings.graded else "binary labels" if len(a.categories) <= 2 else "unordered labels"
    )
    why = f"recommended for {labels}" if a.weights == "nominal" else "with the chosen weights"
    name = c.name[0].upper() + c.name[1:]
    if isnan(c.value):
        return f"{name} ({why}) is undefined: {c.reason}"
    if len(a.pairs) == 1 and 1 in (a.confusion.any(axis=0).sum(), a.confusion.any(axis=1).sum()):
        return f"{name} ({why}) is not informative: a judge gave one label to every document"
    between = (
        "no interval" if isnan(c.low) else (f"{100 * a.confidence:g}% interval {number(c.low)} to {number(c.high)}")
    )
    return f"{name} ({why}): {number(c.value)}, {between}"


def _mean_grades(a: Agreement) -> tuple[str, ...]:
    """Return the mean grade of each judge over the documents that all judged; empty without such documents."""
    ratings = a.panel.ratings
    shared = (ratings.codes >= 0).all(axis=0)
    if ratings.numbers is None or not shared.any():
        return ()
    grades = ratings.numbers[ratings.codes[:, shared]]
    columns = zip(a.names, grades.mean(axis=1), (grades == 0).mean(axis=1), strict=True)
    means = ", ".join(f"{name} {mean:.2f} ({zero:.0%} are 0)" for name, mean, zero in columns)
    return (f"Mean {'grade' if a.panel.levels is None else 'label'}: {means}",)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def _confusion(pair: JudgePair, categories: Sequence[Label]) -> Table:
    """Return the confusion matrix of two judges; rows are the first."""
    labels, total = tuple(map(str, categories)), pair.confusion.sum(axis=0).tolist()
    rows = [(label, *map(str, row), str(sum(row))) for label, row in zip(labels, pair.confusion.tolist(), strict=True)]
    rows.append(("total", *map(str, total), str(sum(total))))
    return Table((f"{pair.names[0]} ↓ {pair.names[1]} →", *labels, "total"), tuple(rows), title="confusion matrix")


def _pairs(a: Agreement, places: int) -> Table:
    keys = [key for key in a.pairs[0].coefficients if key == "raw" or key.startswith(("kappa", "ac1"))]
    names = tuple(a.pairs[0][key].name for key in keys)
    rows = tuple(
        (*p.names, str(p.both), *(f"{number(p[key].value, places)} {_between(p[key], places)}" for key in keys))
        for p in a.pairs
    )
    headers = ("judge", "judge", "both judged", *names)
    return Table(headers, rows, title="pairs of judges", words=(0, 1))


def _notes(a: Agreement) -> tuple[str, ...]:
    shared = counted(a.shared, "document" if a.panel.units is not None else "unit")
    queries = f", {counted(len(a.panel.units.queries), 'query', 'queries')}" if a.panel.units is not None else ""
    two = len(a.names) == 2
    notes = [f"{shared} judged by {'both' if two else 'two or more judges'}, {a.overlap[1]} by one only{queries}"]
    notes.append("judged by each: " + ", ".join(f"{name} {n}" for name, n in a.judged.items()))
    if isinstance(a.level, dict):
        own = ", ".join(f"{level:g} ({name})" for name, level in a.level.items())
        notes.append(f"grades from the judge's own level on count as 1, others as 0: {own}")
    elif a.level is not None:
        notes.append(f"grades ≥ {a.level:g} count as 1, others as 0")
    notes += filter(None, [_interval_methods(a), a.note])
    codes = a.panel.ratings.codes
    counts = np.bincount(codes[:, (codes >= 0).all(axis=0)].ravel() if two else codes[codes >= 0])
    shares = [f"{label} {n:.0%}" for label, n in zip(a.categories, counts / counts.sum(), strict=False)]
    notes.append(f"labels: {', '.join(shares[:12])}")
    undefined = [c for c in a.coefficients.values() if c.reason]
    if undefined:
        notes.append(f"undefined: {', '.join(c.name for c in undefined)} ({undefined[0].reason})")
    return (*notes, *(f"warning: {w}" for w in a.warnings))


def _interval_methods(a: Agreement) -> str:
    """Name the method of the intervals; if there are several, with their coefficients."""
    methods: dict[str, list[str]] = {}
    for c in a.coefficients.values():
        if c.method:
            methods.setdefault(c.method, []).append(c.name)
    if len(methods) < 2:
        return f"intervals: {next(iter(methods), 'none, because there are too few units')}"
    return "intervals: " + "; ".join(f"{method} for {', '.join(names)}" for method, names in methods.items())


def _between(c: Reliability, places: int) -> str:
    return "–" if isnan(c.low) else f"[{number(c.low, places)}, {number(c.high, places)}]"


FEWEST_QUERIES = 10  # a percentile interval from fewer queries depends too much on single ones


def agree(
    *sources: Any,
    level: Level | None = None,
    weights: WeightsName = "nominal",
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval: Interval | None = None,
    seed: int | np.random.Generator = 0,
    runs: Any = None,
    measure: str | Measure = "nDCG@10",
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_col: str | None = None,
    **columns: Unpack[ColumnOptions],
) -> Agreement:
    """Compute the agreement of two or more judges: the usual coefficients with confidence intervals.

    For two judges, coefficients use the units (documents of a query) that both judged. For more judges, they use all
    units, with missing judgments. The categories are all labels that occur.

    Args:
        sources: judgments of each judge, in any format that `read_qrels` accepts; or columns of labels of the same length, with
            None for a missing label; or one mapping {name: judgments}; or one table with all judges, see `judges` and `judge_col`.
        level: lowest grade that counts as 1 in binary labels; {"human": 2, "llm": 1} for judges with different scales, where
            None is the level of all others.
        weights: weights for additional coefficients: none (nominal), linear or quadratic.
        names: names of the judges.
        confidence: confidence level of the intervals.
        interval: "queries" resamples queries, since documents of a query are not independent; it is the default for
            10 or more queries. "units" resamples units; it is the default for fewer queries and for columns.
        seed: random seed.
        runs: rankings of several systems, as a list or {name: run}, to compare the order of systems by judge.
        measure: measure to rank the systems by.
        rejudged: grade to use if a judge gave a document two different grades, see `Policy`.
        judges: grade columns of a single table, one per judge; an empty cell is a missing judgment. With `judge_col`, the judges to select.
        judge_col: column with the judge of each row, if one table has all judges.
        columns: names of columns (`query_col` …), each used in every table that has it; `grade_map`, grades of words.

    >>> from judged.io.sample import sample_path
    >>> a = agree(sample_path("qrels.a.txt"), sample_path("qrels.b.txt"))
    >>> round(a["kappa(quadratic)"].value, 3)
    0.985
    """
    check_share(confidence, "confidence")
    generator(seed)  # raises an error for a bad seed even if it is not used
    check_choice(weights, WeightsName, "weights")
    if interval is not None:
        check_choice(interval, Interval, "interval")
    named = named_columns(columns, ColumnOptions)
    panel = read_panel(
        sources, names, level=level, rejudged=rejudged, judges=judges, judge_col=judge_col, columns=named
    )
    if runs is not None and not panel.qrels:
        raise UsageError("runs", "columns of labels have no queries and cannot evaluate runs")
    agreement = _agreement(panel, weights, interval, {"confidence": confidence, "seed": seed})
    order = None if runs is None else system_order(panel, runs, measure, rejudged, named)
    named.check_used()
    warnings = () if order is None else order.warnings
    return replace(agreement, order=order, warnings=(*agreement.warnings, *warnings))


@step("computing agreement")
def _agreement(panel: Panel, weights: WeightsName, interval: Interval | None, options: dict[str, Any]) -> Agreement:
    """Compute the coefficients of all judges and of each pair."""
    ratings, query = panel.ratings, panel.units.query if panel.units is not None else None
    if interval == "queries" and query is None:
        raise UsageError(
            "parameter",
            "columns of labels have no queries for a bootstrap",
            hint=Hint("use {interval}", interval="units"),
        )
    _check_overlap(panel)
    requests = [parse_coefficient(key, ratings) for key in usual_coefficients(ratings, weights)]
    resampled = _resampled(ratings, query, interval)
    known = coefficients(ratings, requests, query=resampled, **options)
    pairs = tuple(
        _pair(ratings.take([a, b]), weights, query, interval, options, known)
        for a, b in combinations(range(ratings.raters), 2)
    )
    note = ""
    if interval is None and query is not None and resampled is None:
        note = (
            f"{counted(_shared_queries(ratings, query), 'query is', 'queries are')} too few for a bootstrap over queries"
            f" (fewer than {FEWEST_QUERIES}): documents are resampled instead, and intervals may be too narrow"
        )
    warnings = (*panel.warnings, *_undefined_resamples(known))
    return Agreement(panel, known, pairs, None, weights, options["confidence"], warnings, note)


def _resampled(ratings: Ratings, query: Ints | None, interval: Interval | None) -> Ints | None:
    """Return the queries to resample: by default if there are enough of them. None if units are resampled."""
    if query is None or interval == "units":
        return None
    return query if interval == "queries" or _shared_queries(ratings, query) >= FEWEST_QUERIES else None


def _shared_queries(ratings: Ratings, query: Ints) -> int:
    return len(np.unique(query[ratings.rated() >= 2]))


def _pair(
    two: Ratings,
    weights: WeightsName,
    query: Ints | None,
    interval: Interval | None,
    options: dict[str, Any],
    known: dict[str, Reliability],
) -> JudgePair:
    """Compare two judges; `known` are the coefficients of all judges, which are theirs if there are no others."""
    judged = two.codes >= 0
    if "kappa" not in known:
        weighted = "quadratic" if two.graded and weights == "nominal" else weights
        keys = ["raw", "kappa", "fleiss", "ac1", "alpha", *([f"kappa({weighted})"] if weighted != "nominal" else [])]
        requests = [parse_coefficient(key, two) for key in keys]
        known = coefficients(two, requests, query=_resampled(two, query, interval), **options)
    first, second = (judged & ~judged[::-1]).sum(axis=1).tolist()
    both = int(judged.all(axis=0).sum())
    return JudgePair((two.names[0], two.names[1]), both, (first, second), known, two.confusion())


def _check_overlap(panel: Panel) -> None:
    if (panel.ratings.rated() >= 2).any():
        return
    units = panel.units
    if units is None:
        raise DataError("no-common-query", "no row has labels of two judges", hint="check that the rows are aligned")
    problem = f"no document was judged by two of {', '.join(q.name for q in panel.qrels)}"
    hint = "check that they have the same query and document ids"
    raise DataError("no-common-query", problem, hint=hint, value=", ".join(panel.names))


def _undefined_resamples(known: dict[str, Reliability]) -> list[Warned]:
    worst = max(known.values(), key=lambda c: c.undefined)
    if not worst.undefined:
        return []
    text = f"{worst.name} is undefined in {counted(worst.undefined, 'resample')}, which its interval excludes"
    return [Warned("undefined", worst.undefined, text)]
