"""`Values`: one value per query and measure; its names, intervals, tables and files. `Evaluations`: those of several runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Column, Floats, Ints
from judged.core.policy import Policy
from judged.core.tables import Deferred, Id
from judged.errors import UsageError, Warned, fold_warnings, safe, shown
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure, parse, parse_all
from judged.stats.checks import no_weights
from judged.stats.intervals import FLOOR, Ends, Method, interval, summarise, weighted_interval, within
from judged.tables.result import ArrowTable, Result, Tracked, utf8_ids, with_ends
from judged.tables.table import Table, counted, natural_key, number, plain_data, tie_notes, title_of

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison
    from judged.evaluation.explain import Explanation
    from judged.evaluation.inputs import Provenance
    from judged.evaluation.unanswerable import Unanswerable


def find_measure(name: str | Measure, measures: Sequence[Measure], profile: str) -> Measure:
    """The measure of a result that a name means: as printed, by any other name, or as it was before the profile and the level were applied.

    Raises:
        UsageError: none was computed, or the name fits several of them equally well.
    """
    written = str(name)
    for own in measures:
        if str(own) == written:
            return own
    measure = parse(name)
    meant = measure if measure in measures else find_profile(profile).apply(measure)
    if meant in measures:
        return measures[measures.index(meant)]
    fitting = [own for own in measures if fits(measure, own)]
    if len(fitting) == 1:
        return fitting[0]
    raise UsageError(
        "not-asked",
        f"no values for {shown(str(name))}",
        hint=f"choose one of {', '.join(map(str, measures))}",
        value=str(name),
    )


class ByMeasure(dict[str, Any]):
    """Something of each measure, by the name of the measure as it is printed, and found by its other names too."""

    def __init__(self, values: Mapping[str, Any] | Iterable[tuple[str, Any]], of: Values) -> None:
        super().__init__(values)
        self._measures, self._profile = of.measures, of.profile

    def __missing__(self, name: str | Measure) -> Any:
        try:
            return self[str(find_measure(name, self._measures, self._profile))]
        except UsageError as error:
            raise KeyError(name) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def fits(measure: Measure, own: Measure) -> bool:
    """True if a measure was computed with the parameters that a name gives, its cutoff and budget among them."""
    if own.definition is not measure.definition:
        return False
    fixed = {*measure.explicit, "tokens", measure.definition.at or "tokens"}
    return all(own.get(parameter) == measure.get(parameter) for parameter in fixed)


SUMMARIES = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}


def value_text(measure: Measure, value: float | None, places: int) -> str:
    """Format a value of a measure; counts have no decimals."""
    return number(value, places, whole=measure.definition.whole)


def range_text(measure: Measure, ends: tuple[float, float], places: int) -> str:
    """Format the lowest and the highest possible value of a measure."""
    return " – ".join(value_text(measure, end, places) for end in ends)


def relevant_grades(measures: Sequence[Measure]) -> str:
    """The grades that count as relevant; empty if no measure is binary."""
    levels = sorted({m.get("level") for m in measures if m.definition.binary})
    return f"relevant: grade ≥ {' or '.join(f'{level:g}' for level in levels)}" if levels else ""


def policy_notes(policy: Policy, measures: Sequence[Measure]) -> list[str]:
    """The policy of all measures, with the grades that count as relevant, and those of single measures by a profile."""
    own: dict[str, list[str]] = {}
    for m in measures:
        differing = [f"{name}: {value}" for name, value in m.policy if getattr(policy, name) != value]
        own.setdefault(", ".join(differing), []).append(str(m))
    shared = " · ".join(filter(None, (f"policy: {policy}", relevant_grades(measures))))
    return [shared, *(f"policy of {', '.join(names)}: {text}" for text, names in own.items() if text)]


@dataclass(frozen=True, eq=False, repr=False)
class Values(ArrowTable, Tracked):
    """One value per query and measure, with the policy used to compute them.

    >>> from judged.evaluation.evaluate import evaluate
    >>> result = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}, "RR")
    >>> result["RR"]
    array([0.5])
    >>> result.mean()
    {'RR': 0.5}
    """

    queries: tuple[Id, ...]
    measures: tuple[Measure, ...]
    columns: dict[str, Column]
    policy: Policy
    profile: str = "trec_eval-10"
    names: tuple[str, str] = ("qrels", "run")
    coverage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    if_irrelevant: dict[str, Column] | None = None  # values as if all unjudged documents were irrelevant
    if_top: dict[str, Column] | None = None  # values as if they had the top grade
    weights: Floats | None = None  # of the queries; None if all have the same weight
    clusters: Ints | None = None  # a code per query; None if queries are independent
    model: dict[str, Column] | None = None  # values by a model; those of people are then NaN for some queries
    unanswerable: Unanswerable | None = None  # of question files that have questions without an answer
    source: Provenance | None = field(default=None, repr=False)

    # ── values ───────────────────────────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return len(self.__dict__["queries"])  # without decoding them

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, measure: str | Measure) -> Column:
        """One value per query, in the order of `queries`."""
        return self.columns[self._key(measure)]

    def __getstate__(self) -> dict[str, Any]:
        """All but the judgments and the run behind it, which explanations need."""
        return {
            **self.__dict__,
            "warnings": self.warnings,
            "coverage": self.coverage,
            "unanswerable": self.unanswerable,
            "source": None,
        }

    def _key(self, measure: str | Measure) -> str:
        name = str(measure)
        return name if name in self.columns else str(find_measure(measure, self.measures, self.profile))

    def of(self, query: Id) -> dict[str, Any]:
        """All values of one query."""
        if query not in self.queries:
            raise UsageError("not-asked", f"no query {shown(query)} among the {len(self)} queries", value=query)
        row = self.queries.index(query)
        return ByMeasure({name: plain_data(column[row]) for name, column in self.columns.items()}, self)

    # ── summaries ────────────────────────────────────────────────────────────────────────────────

    def mean(self) -> dict[str, float]:
        """The summary of each measure over all queries: the mean, or what its definition says (counts are summed).

        With weights, the mean is Σ w·value / Σ w; counts are summed without weights.
        """
        return self.summary("")

    def summary(self, how: str) -> dict[str, float]:
        """Each measure summarised by mean, sum, geometric, median, min, max or std; with model judgments, by the estimated mean only."""
        if self.model is not None:
            from judged.evaluation.model_judgments import summaries

            return ByMeasure(summaries(self.columns, self.model, how), self)
        summaries_of = {
            str(m): summarise(self.columns[str(m)], how or m.definition.summary, self.weights)
            for m in self.measures
            if not m.definition.text
        }
        return ByMeasure(summaries_of, self)

    def tracked(self) -> dict[str, float]:
        """The summaries and their intervals."""
        return with_ends(self.mean(), self.intervals())

    def interval(
        self, measure: str | Measure, *, level: float = 0.95, method: Method = "t", seed: int = 0
    ) -> tuple[float, float] | None:
        """Confidence interval of the mean over queries; None for counts, and for fewer than two queries.

        `method` is `t`, `bootstrap-t` or `percentile` (`jd.stats.interval`). Clusters of queries, if there are any, count as units.
        """
        return self.intervals([measure], level=level, method=method, seed=seed).get(self._key(measure))

    def intervals(
        self,
        measures: Sequence[str | Measure] | None = None,
        *,
        level: float = 0.95,
        method: Method = "t",
        seed: int = 0,
    ) -> dict[str, tuple[float, float] | None]:
        """Intervals of several measures (default: all), see `interval`; resamples are drawn once for all of them.

        They are within the range of the measure. That of a geometric mean is the interval of the mean logarithm. With weights of
        queries it is `weighted_interval`.
        """
        names = set(self.columns) if measures is None else {self._key(m) for m in measures}
        chosen = [m for m in self.numeric_measures if str(m) in names]
        if self.model is not None:
            from judged.evaluation.model_judgments import calibrated_intervals

            return ByMeasure(calibrated_intervals(self.columns, self.model, chosen, level=level, method=method), self)
        means = [m for m in chosen if m.definition.summary in ("mean", "geometric")]
        logs = {str(m) for m in means if m.definition.summary == "geometric"}
        values = [self.columns[str(m)] for m in means]
        values = [np.log(np.maximum(x, FLOOR)) if str(m) in logs else x for m, x in zip(means, values, strict=True)]
        limits = [None if str(m) in logs else m.definition.limits for m in means]
        if self.weights is None:
            ends = interval(values, method, confidence=level, seed=seed, clusters=self.clusters, limits=limits)
        elif method != "t" or self.clusters is not None:
            raise no_weights("clusters" if self.clusters is not None else f"the {method} interval")
        else:
            ends = [
                within(weighted_interval(x, self.weights, level=level), limit, x[~np.isnan(x)])
                for limit, x in zip(limits, values, strict=True)
            ]
        found: dict[str, Ends] = dict.fromkeys(map(str, chosen))
        for m, pair in zip(means, ends, strict=True):
            logged = pair is not None and str(m) in logs
            found[str(m)] = (float(np.exp(pair[0])), float(np.exp(pair[1]))) if logged and pair else pair
        return ByMeasure(found, self)

    @property
    def input_files(self) -> list[str]:
        """The files of the judgments and the run, if they are known."""
        return [] if self.source is None else [*self.source.judged.files]

    @property
    def numeric_measures(self) -> list[Measure]:
        """The measures whose values are numbers."""
        return [m for m in self.measures if not m.definition.text]

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[Id, dict[str, Any]]:
        """{query: {measure: value}}; a measure is found by any of its names, such as "map" for "AP"."""
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        each = (ByMeasure(zip(self.columns, row, strict=True), self) for row in rows)
        return dict(zip(self.queries, each, strict=True))

    def to_columns(self) -> dict[str, Any]:
        """{name: column}: one row per query, with its id as `query_id` and one column per measure."""
        return {"query_id": utf8_ids(self.queries), **self.columns}

    def to_pandas(self) -> Any:
        """A pandas frame with one row per query (`query_id` is the index) and one column per measure."""
        return super().to_pandas().set_index("query_id")

    def to_data(self) -> dict[str, Any]:
        """Everything, as `save` writes it, with a checksum."""
        from judged.evaluation.saved_values import saved_data

        return saved_data(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything as `.json`, or the values alone as `.csv`; the file is written atomically."""
        from judged.evaluation.saved_values import save

        save(self, path)

    @classmethod
    def from_json(cls, text: str, name: str = "values") -> Values:
        """The inverse of `to_json`; see `load`."""
        from judged.evaluation.saved_values import load_saved, values_arguments

        return cls(**values_arguments(load_saved(text, name), name))

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def explain(self, measure: str | Measure, query: Id | None = None, *, rows: int | None = None) -> Explanation:
        """Show the arithmetic of one query, rank by rank; by default of a typical query."""
        if self.source is None or self.source.run is None:
            raise UsageError(
                "no-source", "the judgments and the run of these values are not available", hint="evaluate again"
            )
        from judged.evaluation.explain import explain_query

        try:
            chosen = find_measure(measure, self.measures, self.profile)
        except UsageError:  # not computed: as the profile would compute it
            chosen = find_profile(self.profile).apply(parse(measure))
        return explain_query(chosen, self.source, query, rows)

    def facts(self) -> list[str]:
        """The run, the number of queries and the summaries."""
        means = self.mean()
        found = [f"{m}={value_text(m, means[str(m)], 4)}" for m in self.numeric_measures]
        return [shown(self.names[1].rpartition("/")[2], 40), counted(len(self), "query"), *found]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The summary: one row per measure, with its interval, number of queries, and bounds if there are any.

        The header of the summary says what it is. A column says it if measures are summarised in different ways.
        """
        measures = self.numeric_measures
        bounds = {} if self.if_top is None else {str(m): ends for m in measures if (ends := self.bounds(m)) is not None}
        means, intervals = self.mean(), self.intervals()
        kinds = [SUMMARIES[m.definition.summary] for m in measures]
        mixed = len(set(kinds)) > 1
        headers = ["measure", *(["summary", "value"] if mixed else (kinds[:1] or ["mean"])), "95% interval", "queries"]
        headers += ["if unjudged: irrelevant – top grade"] * bool(bounds)
        rows = []
        for m, kind in zip(measures, kinds, strict=True):
            name = str(m)
            ends = intervals[name]
            row = [name, *([kind] if mixed else []), value_text(m, means[name], places)]
            row.append("" if ends is None else f"[{number(ends[0], places)}, {number(ends[1], places)}]")
            row.append(str(np.count_nonzero(~np.isnan(self.columns[name]))))
            if bounds:
                row.append(range_text(m, bounds[name], places))
            rows.append(tuple(row))
        share = self.coverage.get("judged@10")
        judged = "" if share is None else f" · {share:.0%} of the top 10 judged (mean over queries)"
        notes = [
            f"{counted(len(self), 'query')}{judged}",
            *(self.answers() if self.unanswerable else ()),
            *self.about(),
            *policy_notes(self.policy, measures),
        ]
        notes += [f"warning: {w}" for w in fold_warnings(self.warnings)]
        words = (0, 1) if mixed else (0,)
        return [Table(tuple(headers), tuple(rows), title=title_of(self.names), notes=tuple(notes), words=words)]

    def answers(self, label: str = "") -> list[str]:
        """A line on the questions without an answer, if there are any."""
        return [] if self.unanswerable is None else [f"{label}{': ' * bool(label)}{self.unanswerable}"]

    def about(self) -> list[str]:
        """Lines on weights, clusters or model judgments of the queries, if there are any."""
        if self.model is not None:
            from judged.evaluation.model_judgments import worth_of_model

            return [f"{name}: {worth_of_model(column, self.model[name])}" for name, column in self.columns.items()]
        if self.clusters is not None:
            return [f"intervals count {counted(len(np.unique(self.clusters)), 'cluster')} of queries as units"]
        return [] if self.weights is None else ["means are weighted by query, with t intervals"]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure and query, then the summaries, whose query is `all`."""
        return [*self.query_records(), *self.summary_records()]

    def query_records(self, label: str | None = None) -> list[dict[str, Any]]:
        """One row per measure and query."""
        nothing = [None] * len(self)
        low, high = self.if_irrelevant or {}, self.if_top or {}
        rows = []
        for name in map(str, self.measures):
            sides = low.get(name, nothing), high.get(name, nothing)
            for query, value, *bounds in zip(self.queries, self.columns[name].tolist(), *sides, strict=True):
                rows.append(self._record(label, name, query, value, None, bounds))
        return rows

    def summary_records(self, label: str | None = None) -> list[dict[str, Any]]:
        """One row per measure."""
        intervals = self.intervals()
        return [
            self._record(label, name, "all", value, intervals[name], self.bounds(name))
            for name, value in self.mean().items()
        ]

    def _record(
        self, label: str | None, measure: str, query: Id, value: Any, ends: Ends, bounds: Any
    ) -> dict[str, Any]:
        low, high = ends or (None, None)
        irrelevant, top = bounds or (None, None)
        row = {"run": label or self.names[1], "measure": measure, "query": query, "value": value}
        return {**row, "low": low, "high": high, "if_irrelevant": irrelevant, "if_top": top}

    def to_trec(
        self, *, places: int = 4, per_query: bool = True, summary: bool = True, label: str | None = None
    ) -> str:
        """Lines as trec_eval prints them: measure, query, value."""
        rows = [
            (str(m), str(query), value_text(m, self[m][row], places))
            for row, query in enumerate(self.queries if per_query else ())
            for m in self.measures
        ]
        if summary:
            means = self.mean()
            rows.append(("runid", "all", label or self.names[1]))
            rows += [(str(m), "all", value_text(m, means[str(m)], places)) for m in self.numeric_measures]
        return "".join(f"{safe(name):<22}\t{safe(query)}\t{safe(value)}\n" for name, query, value in rows)

    def bounds(self, measure: str | Measure) -> tuple[float, float] | None:
        """The summary if all unjudged documents were irrelevant, and if they had the top grade; None unless computed."""
        if self.if_irrelevant is None or self.if_top is None:
            return None
        key = self._key(measure)
        how = next(m.definition.summary for m in self.measures if str(m) == key)
        if how == "none":
            return None
        return summarise(self.if_irrelevant[key], how, self.weights), summarise(self.if_top[key], how, self.weights)

    def plot(self, measures: str | Sequence[str | Measure] | None = None, ax: Any = None) -> Any:
        """Plot the distribution over queries on matplotlib axes: one strip per measure, with its mean."""
        from judged.plots.results import draw_values

        return draw_values(self, None if measures is None else [self._key(m) for m in parse_all(measures)], ax)


Values.queries = Deferred("queries")  # type: ignore[assignment]
Values.coverage = Deferred("coverage")  # type: ignore[assignment]
Values.warnings = Deferred("warnings")  # type: ignore[assignment]
Values.unanswerable = Deferred("unanswerable")  # type: ignore[assignment]


def load(path: str | os.PathLike[str]) -> Values:
    """Load values from a JSON file that `Values.save`, `judged eval -q --format json` or `judged gate --save` wrote.

    Raises:
        DataError: an incomplete or edited file, or one of a newer format.
    """
    from judged.io.files import read_text

    return Values.from_json(read_text(path), str(path))


# ── values of several runs ────────────────────────────────────────────────────────────────────────


def worst_queries(values: Values, n: int) -> Values:
    """Return the values of the n queries with the worst values of the first measure, worst first; equal ones in order of id."""
    measures = values.numeric_measures
    if not measures:
        raise UsageError("measure", f"no measure with numeric values: {', '.join(map(str, values.measures))}")
    column = np.asarray(values[measures[0]], float)
    sign = -1 if measures[0].definition.lower_is_better else 1
    known = [row for row, value in enumerate(column.tolist()) if value == value]
    by_id = sorted(known, key=lambda row: natural_key(values.queries[row]))
    rows = sorted(by_id, key=lambda row: sign * column[row])[:n]
    parts: dict[str, Any] = {
        name: None if part is None else {key: x[rows] for key, x in part.items()}
        for name in ("columns", "if_irrelevant", "if_top")
        for part in [getattr(values, name)]
    }
    queries = tuple(values.queries[row] for row in rows)
    return replace(values, queries=queries, weights=None, clusters=None, model=None, source=None, **parts)


_WITH_INTERVALS = 5  # more measures than this leave no room for intervals beside the means
_PER_QUERY = ("values", "queries", "weights", "clusters", "model", "if_irrelevant", "if_top")
_SUMMARY = ("summary", "intervals", "bounds")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Evaluations(Result):
    """Values of one or several runs.

    Args:
        results: one per run, with the same measures.
        per_query: include the value of each query.
        worst: include this number of queries with the worst values of the first measure, for each run.
        summary: include the summaries over queries.
        compare: compares several results with the first, for the table of runs: `comparison.compare.compare_with_first`. Without
            it, the table has means only, because readers would compare intervals of means by their overlap, although runs share queries.
    """

    results: tuple[Values, ...]
    per_query: bool = False
    summary: bool = True
    compare: Callable[[Sequence[Values], Sequence[str]], Comparison | None] | None = None
    worst: int = 0

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.results)

    def __getitem__(self, run: int) -> Values:
        return self.results[run]

    @property
    def labels(self) -> list[str]:
        """Names of the runs, with as many folders as needed to distinguish them."""
        from judged.io.run_names import short_names

        return short_names([result.names[1] for result in self.results])

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings of all runs, each once."""
        return tuple(dict.fromkeys(warning for result in self.results for warning in result.warnings))

    def tables(self, *, places: int = 4) -> list[Table]:
        """Values per query, then one row per measure, or per run if there are several."""
        tables = [self._query_table(places)] if self.per_query else []
        if self.summary:
            tables += self.results[0].tables(places=places) if len(self.results) == 1 else [self._run_table(places)]
        if self.worst:
            tables += [self._worst_table(r, x, places) for r, x in zip(self.results, self.labels, strict=True)]
        return tables

    def _worst_table(self, result: Values, label: str, places: int) -> Table:
        shown, (measure, *_) = worst_queries(result, self.worst), result.numeric_measures
        known, seen = result[measure][~np.isnan(result[measure])].tolist(), shown[measure].tolist()
        last = f"the value {value_text(measure, seen[-1] if seen else None, places)}"
        columns = [[value_text(m, value, places) for value in shown[m].tolist()] for m in result.measures]
        return Table(
            ("query", *map(str, result.measures)),
            tuple(zip(map(str, shown.queries), *columns, strict=True)),
            title=f"{label}: queries with the {'highest' if measure.definition.lower_is_better else 'lowest'} {measure}",
            notes=tie_notes(known, seen, last),
        )

    def _run_table(self, places: int) -> Table:
        first, labels = self.results[0], self.labels
        measures, bounded = first.numeric_measures, first.if_top is not None
        found = None
        if self.compare is not None and not bounded and len(measures) <= _WITH_INTERVALS:
            found = self.compare(self.results, labels)
        alone = found is not None and len(measures) == 1  # the difference then has columns of its own
        differ = len({result.queries for result in self.results}) > 1
        rows = []
        for result, label in zip(self.results, labels, strict=True):
            means, cells, told = result.mean(), [], ["", "", ""] if alone else []
            for m in measures:
                text = value_text(m, means[str(m)], places)
                if (bounds := result.bounds(m)) is not None:
                    text += f" [{range_text(m, bounds, places)}]"
                elif found is not None and label != labels[0] and str(m) in found.measures:
                    difference = found.of(str(m), labels[0], label)
                    if alone:
                        told = list(difference.columns(places))
                    else:
                        text += f" {difference.columns(3)[1]} {difference.sign or ' '}"
                cells.append(text)
            share = f"{result.coverage.get('judged@10', 1):.0%}"
            rows.append((label, *cells, *told, share, *([str(len(result))] if differ else [])))
        told = [f"difference to {labels[0]}", found.settings.interval_name(), "verdict"] if found and alone else []
        headers = ("run", *map(str, measures), *told, "judged@10", *(["queries"] if differ else []))
        words = (0, headers.index("verdict")) if alone else (0,)
        notes = self._run_notes(found, alone=alone, differ=differ)
        return Table(headers, tuple(rows), notes=notes, words=words, optional=(headers.index("judged@10"),))

    def _run_notes(self, found: Comparison | None, *, alone: bool, differ: bool) -> tuple[str, ...]:
        first = self.results[0]
        measures = first.numeric_measures
        notes = [] if differ else [counted(len(first), "query")]
        if first.if_top is not None:
            notes.append("in brackets: if all unjudged documents were irrelevant – of the top grade")
        elif found is not None:
            notes += found.notes_on_first(signs=not alone)
        elif len(measures) > _WITH_INTERVALS:
            notes.append(f"more than {_WITH_INTERVALS} measures: intervals are in the JSON and CSV output")
        notes += [
            line for result, label in zip(self.results, self.labels, strict=True) for line in result.answers(label)
        ]
        notes += first.about()
        for kind in ("sum", "geometric"):
            if names := [str(m) for m in measures if m.definition.summary == kind]:
                notes.append(f"{SUMMARIES[kind]} over queries: {', '.join(names)}")
        notes += [*policy_notes(first.policy, measures), *(f"warning: {w}" for w in fold_warnings(self.warnings))]
        if differ:
            notes.append(
                "warning: the runs have different queries, so their means are not comparable; `compare` uses the common ones"
            )
        return tuple(notes)

    def _query_table(self, places: int) -> Table:
        """One row per query; the columns of several runs are side by side under their names."""
        queries = sorted(self.results[0].queries, key=natural_key)
        headers, columns = [], []
        for result, label in zip(self.results, self.labels, strict=True):
            for m in result.measures:
                headers.append(f"{label} {m}" if len(self) > 1 else str(m))
                known = dict(zip(result.queries, result[m].tolist(), strict=True))
                columns.append([value_text(m, known.get(query), places) for query in queries])
        notes = () if self.summary else tuple(f"warning: {w}" for w in fold_warnings(self.warnings))
        return Table(("query", *headers), tuple(zip(map(str, queries), *columns, strict=True)), notes=notes)

    def records(self) -> list[dict[str, Any]]:
        """One row per run, measure and query; the query of a summary is `all`."""
        rows: list[dict[str, Any]] = []
        for result, label in zip(self.results, self.labels, strict=True):
            rows += result.query_records(label) if self.per_query else []
            rows += worst_queries(result, self.worst).query_records(label) if self.worst and not self.per_query else []
            rows += result.summary_records(label) if self.summary else []
        return rows

    def to_data(self) -> Any:
        """Everything about one run, or a list of several."""
        from judged.evaluation.saved_values import with_checksum

        dropped = (() if self.per_query else _PER_QUERY) + (() if self.summary else _SUMMARY)
        data = []
        for result in self.results:
            bounds = {str(m): result.bounds(m) for m in result.measures if result.bounds(m) is not None}
            everything = {**result.to_data(), "intervals": result.intervals(), "bounds": bounds}
            if self.worst:
                some = worst_queries(result, self.worst).to_dict()
                everything["worst"] = [{"query": query, **values} for query, values in some.items()]
            data.append(with_checksum({name: value for name, value in everything.items() if name not in dropped}))
        return data if len(data) > 1 else data[0]

    def to_trec(self, *, places: int = 4) -> str:
        """Lines as trec_eval prints them: measure, query, value."""
        pairs = zip(self.results, self.labels, strict=True)
        lines = ""
        for r, x in pairs:
            if self.worst and not self.per_query:
                lines += worst_queries(r, self.worst).to_trec(places=places, summary=False)
            lines += r.to_trec(places=places, per_query=self.per_query, summary=self.summary, label=x)
        return lines
