"""Runs of a comparison: evaluated, or results, over the queries that all of them have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged._types import Floats
from judged.comparison.difference import Words
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.inputs import are_questions, open_inputs, queries_differ
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.values import Values
from judged.evaluation.weights import cluster, weigh
from judged.io.recognise import named_runs
from judged.io.run_names import short_names
from judged.measures.registry import Measure
from judged.stats.differences import without_rounding
from judged.stats.power import MATERIAL
from judged.tables.table import counted


class Incomparable(NamedTuple):
    """A sentence, with runs by number, that says why a run cannot be compared; and what to do, if there is an option for it."""

    words: Words
    action: Hint | None = None


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Values of each run over the same queries; the judged rankings if all runs have the same judgments; and see `incomparable_runs`."""

    names: tuple[str, ...]
    results: tuple[Values, ...]
    judged: tuple[Judged, ...]
    warnings: tuple[Warned, ...]
    incomparable: Mapping[str, Incomparable]


def evaluate_runs(
    qrels: Any,
    runs: Any,
    measures: Measures,
    *,
    level: float | None,
    profile: str,
    weighted: tuple[Any, str | None] = (None, None),
    clustered: tuple[Any, str | None] = (None, None),
    model: Any = None,
    **options: Unpack[EvaluateOptions],
) -> ComparedRuns:
    """Evaluate each run, or align the results that are passed instead of judgments, with the weights or clusters of their queries."""
    given = list(qrels.values()) if isinstance(qrels, Mapping) else qrels
    if runs is None and isinstance(given, list | tuple) and given and all(isinstance(r, Values) for r in given):
        if model is not None:
            raise UsageError("model-judgments", "results have their judgments", hint="evaluate them with model=")
        names = list(map(str, qrels)) if isinstance(qrels, Mapping) else short_names([r.names[1] for r in given])
        results, strict = list(given), False
    elif runs is None and not are_questions(qrels, options):
        raise UsageError("runs", "judgments and two or more runs, or results of evaluate", got=shown(qrels))
    else:
        inputs = open_inputs(qrels, runs, options, model)
        shared: dict[str, Any] = {"level": level, "profile": profile, "model": inputs.model}
        results = [evaluate(inputs.qrels, run, measures, **shared, **inputs.options) for _, run in inputs.runs]
        names = [n or s for (n, _), s in zip(inputs.runs, short_names([r.names[1] for r in results]), strict=True)]
        results = [replace(r, names=(r.names[0], n)) for n, r in zip(names, results, strict=True)]
        strict = inputs.options.get("strict", False)
    if weighted[0] is not None or clustered[0] is not None:
        results = [cluster(weigh(r, *weighted, strict=strict), *clustered) for r in results]
    return _align(names, results)


def _align(names: Sequence[str], results: Sequence[Values]) -> ComparedRuns:
    if len(results) < 2:
        raise UsageError("runs", f"a comparison needs two or more runs, got {len(results)}")
    if len(set(names)) < len(names):
        raise UsageError(
            "runs", f"two runs have the same name: {', '.join(names)}", hint="name them, as in {name: run}"
        )
    check_comparable(names, results)
    common, lost, kept = tuple(results[0].queries), tuple[Warned, ...](), tuple(results)
    if any(r.queries != common for r in results[1:]):
        others = [set(r.queries) for r in results[1:]]
        common = tuple(q for q in common if all(q in other for other in others))
    if not common:
        raise DataError(
            "no-common-query", "the runs have no query in common", hint="evaluate them with the same judgments"
        )
    if any(r.queries != common for r in results):
        lost = queries_differ([r.queries for r in results], "excluded {}")
        kept = tuple(_select(r, common) for r in results)
    for name, result in zip(names, kept, strict=True):
        for what in ("weights", "clusters"):
            own, first = getattr(result, what), getattr(kept[0], what)
            if (own is None) != (first is None) or not np.array_equal(own, first):
                problem = f"{names[0]} and {name} have different {what} of queries"
                raise DataError("incomparable", problem, hint=f"evaluate both with the same {what}")
    warnings = dict.fromkeys((*(w for r in results for w in r.warnings), *lost))
    return ComparedRuns(tuple(names), kept, _judged(kept), tuple(warnings), incomparable_runs(names, results))


_UNJUDGED, _JUDGED = 0.1, 0.2  # shares of the top 10 that are judged: nearly nothing, and enough to tell
_FEWER = 5  # times as many are judged of another run


def incomparable_runs(names: Sequence[str], results: Sequence[Values]) -> dict[str, Incomparable]:
    """Return the runs whose rankings are not there or not judged.

    A missing ranking counts as 0. If more than a tenth of them are missing, they alone move the mean by more than a tenth,
    which is a material difference. The counted warnings of a result say what is missing, so saved results are checked too.
    """
    found, shares = dict[str, Incomparable](), [result.coverage.get("judged@10", math.nan) for result in results]
    best = max(shares, default=math.nan)
    for run, (result, share) in enumerate(zip(results, shares, strict=True)):
        counts, queries = {w.slug: w.count for w in result.warnings}, counted(len(result), "query")
        lost = counts.get("query-missing", 0) if result.policy.queries == "judged" else 0
        if lost > MATERIAL * len(result):
            answered: Words = [run, f" answered {len(result) - lost} of {queries} and is not comparable."]
            both = Hint("Compare the queries that all runs answered with {queries}", queries="both")
            found[names[run]] = Incomparable(answered, both)
        elif "no-overlap" in counts:
            found[names[run]] = Incomparable(["No document of ", run, " is judged: ids of another collection?"])
        elif share < _UNJUDGED and best >= max(_JUDGED, _FEWER * share):
            few: Words = [run, f" is not comparable: {share:.0%} of its top 10 are judged, {best:.0%} of those of "]
            found[names[run]] = Incomparable([*few, shares.index(best), "."])
    return found


def _judged(results: Sequence[Values]) -> tuple[Judged, ...]:
    """The judged rankings, if all are known and have the same judgments."""
    rankings = tuple(r.source.judged for r in results if r.source is not None)
    if len(rankings) < len(results):
        return ()
    a = rankings[0]
    for b in rankings[1:]:
        if a.pool_doc is None or b.pool_doc is None or len(a.pool_doc) != len(b.pool_doc):
            return ()
        if a.pool is not b.pool:
            rows = np.arange(len(a.pool_doc))
            same = np.array_equal(a.pool_query, b.pool_query) and np.array_equal(a.pool_grade, b.pool_grade)
            if not (same and a.pool_doc.same(rows, b.pool_doc, rows).all()):
                return ()
    return rankings


def _select(result: Values, queries: tuple[Id, ...]) -> Values:
    if tuple(result.queries) == queries:
        return result
    place = {q: i for i, q in enumerate(result.queries)}
    rows = np.array([place[q] for q in queries])
    source = result.source
    if source is not None:  # a `Judged` does not support another order
        source = None if (np.diff(rows) < 0).any() else source.select(rows)
    return replace(
        result,
        queries=queries,
        columns={n: c[rows] for n, c in result.columns.items()},
        if_irrelevant=None,
        if_top=None,
        source=source,
        weights=None if result.weights is None else result.weights[rows],
        clusters=None if result.clusters is None else np.unique(result.clusters[rows], return_inverse=True)[1],
        model=None if result.model is None else {n: c[rows] for n, c in result.model.items()},
    )


def matrix(results: Sequence[Values], measure: str) -> Floats:
    """Return values of queries × runs; those of a query that are equal up to rounding are equal."""
    return without_rounding(np.stack([np.asarray(result[measure], float) for result in results], axis=1))


def common_measures(results: Sequence[Values]) -> list[Measure]:
    """Return the measures that every result has and that are numbers.

    Raises:
        UsageError: there is none; or a measure is summarised by a geometric mean.
    """
    measures = [m for m in results[0].numeric_measures if all(str(m) in r.columns for r in results)]
    for m in measures:
        check_not_geometric(m)
    if not measures:
        names = ", ".join(map(str, results[0].measures))
        raise UsageError("measure", f"no measure with numeric values: {names}")
    return measures


def check_comparable(names: Sequence[str], results: Sequence[Values]) -> None:
    """Raise if results were computed under different policies or profiles, only some with model judgments, or share no measure."""
    first = results[0]
    if len({r.model is None for r in results}) > 1:
        raise DataError("incomparable", "only some of the runs have model judgments", hint="evaluate all with model=")
    for name, other in zip(names[1:], results[1:], strict=True):
        common = set(first.measures) & set(other.measures)
        if not {str(m) for m in first.measures} & {str(m) for m in other.measures}:
            a, b = (", ".join(map(str, r.measures)) for r in (first, other))
            raise DataError("incomparable", f"{names[0]} and {name} have no measure in common: {a}; {b}")
        own = ({str(m): dict(m.policy) for m in r.measures if m in common} for r in (first, other))
        conventions = ("policies", first.policy, other.policy), ("profiles", first.profile, other.profile)
        for what, x, y in (*conventions, ("policies", *own)):
            if x != y:
                mine, theirs = (str(one).split(" · ") for one in (x, y))
                unlike = [w for w in mine if w not in theirs], [w for w in theirs if w not in mine]
                told = "; ".join(" · ".join(words) or "the default" for words in unlike)
                problem = f"{names[0]} and {name} have different {what}: {told}"
                raise DataError("incomparable", problem, hint="evaluate both under the same conventions")


def check_not_geometric(m: Measure) -> None:
    """Raise for a measure that is summarised by a geometric mean: values per query have another mean and other differences."""
    if m.definition.summary == "geometric":
        raise UsageError(
            "summary", f"{m} is a geometric mean and cannot be compared", hint="compare AP instead", value=str(m)
        )


def split_name(run: Any) -> tuple[str | None, Any]:
    """The name and the run of {name: run}; the name is None if the run has none."""
    if isinstance(run, Mapping) and len(run) == 1:
        [(name, inner)] = run.items()
        if isinstance(inner, Values) or named_runs(run)[0][0] is not None:
            return str(name), inner
    return None, run


def slice_requests(slices: Any, by: str | Sequence[str] | None) -> Any:
    """Turn a table of queries and names of its columns into what `slices_of` takes."""
    columns = [by] if isinstance(by, str) else list(by or ())
    named = [column for column in columns if column != "relevant"]
    if named and slices is None:
        hint = Hint("name the table with {slices}", slices=None)
        raise UsageError("slice", f"no table of queries has the column {shown(named[0])}", hint=hint, value=named[0])
    if isinstance(slices, Mapping) and not named:
        return [slices, *columns]
    if slices is None or isinstance(slices, list):
        return slices or columns or None
    if not named:
        hint = Hint("name a column of the table with {by}", by=None)
        raise UsageError("slice", f"no column to group by: {shown(slices)}", hint=hint, value=slices)
    return [column if column == "relevant" else (slices, column) for column in columns]
