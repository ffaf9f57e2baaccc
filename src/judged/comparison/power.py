"""`power`: the differences that a comparison of two runs can show, and the queries that it needs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Unpack

from judged._types import Floats
from judged.comparison.evaluated_runs import ComparedRuns, common_measures, evaluate_runs, matrix, split_name
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, check_is_no_measure
from judged.evaluation.inputs import are_questions
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.values import Values, find_measure
from judged.evaluation.weights import check_plain
from judged.measures.registry import parse
from judged.stats.checks import check_count, deviations
from judged.stats.differences import known_rows
from judged.stats.intervals import mean
from judged.stats.power import (
    LITTLE,
    MATERIAL,
    achieved_power,
    detectable_difference,
    queries_needed,
)
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, counted, number


@dataclass(frozen=True, slots=True)
class MeasurePower:
    """Power in one measure; NaN if all differences are equal."""

    measure: str
    observed: int  # queries from which the deviation was estimated
    deviation: float  # standard deviation of the differences
    queries: int  # number of queries that the power is about
    smallest: float  # difference that they detect with the requested power; infinite for one query
    difference: float  # difference that matters
    chance: float  # power to detect it
    needed: int | None  # queries that detect it with the requested power; None: more than 10⁹

    def sentence(self, power: float) -> str:
        """The finding as a sentence."""
        queries = counted(self.queries, "query")
        if self.deviation == 0:
            return f"{self.measure}: all differences are equal, so their variation is unknown"
        if math.isinf(self.smallest):
            shows = f"{self.measure}: {queries} cannot show any difference"
        else:
            shows = f"{self.measure}: {queries} detect a difference of {self.smallest:.2g} with power {power:.0%}"
        if self.difference == 0:
            return shows
        need = "more than 10⁹ queries" if self.needed is None else f"{self.needed:,} queries"
        return f"{shows}; a difference of {self.difference:.2g} needs {need}"


@dataclass(frozen=True, slots=True, repr=False)
class Power(Result):
    """Power of a two-sided paired t test between two runs, per measure.

    It depends on how much differences vary between queries, never on the observed difference.
    """

    names: tuple[str, str]
    power: float
    alpha: float
    measures: tuple[MeasurePower, ...]
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, measure: str) -> MeasurePower:
        """The power in one measure."""
        own = [parse(one.measure) for one in self.measures]
        return self.measures[own.index(find_measure(measure, own, "trec_eval-10"))]

    def headline(self) -> list[str]:
        """One sentence per measure: the difference that can be shown, and the queries that the requested one needs."""
        return [f"{one.sentence(self.power)}." for one in self.measures]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per measure; values that are infinite or unknown are None."""
        records = [asdict(m) for m in self.measures]
        return [
            {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in r.items()} for r in records
        ]

    def to_data(self) -> dict[str, Any]:
        """The runs, the test, and the records."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "test": "paired t, two-sided",
            "power": self.power,
            "alpha": self.alpha,
            "measures": self.records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per measure."""
        headers = ("measure", "queries", "deviation", f"detectable at {self.power:.0%}", "difference", "power")
        rows = tuple(
            (
                one.measure,
                str(one.queries),
                number(one.deviation, places),
                number(None if math.isinf(one.smallest) else one.smallest, places),
                number(one.difference, places),
                "–" if math.isnan(one.chance) else f"{one.chance:.1%}",
                number(one.needed),
            )
            for one in self.measures
        )
        notes = (f"paired t test, two-sided, alpha {self.alpha:g}", *(f"warning: {w}" for w in self.warnings))
        title = " ~ ".join(n.rpartition("/")[2] for n in self.names)
        return [Table((*headers, "queries needed"), rows, title=title, notes=notes, optional=(2,))]


def power(
    qrels: Any,
    a: Any,
    b: Any = None,
    measures: Measures = "nDCG@10",
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    n_queries: int | None = None,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Power:
    """Estimate the power of a comparison of two runs from how much their differences vary between queries.

    Args:
        qrels: judgments, in any format that `read_qrels` takes; None if `a` and `b` are `Values` or question files. Two question files
            may also be the first two arguments.
        a: a run, or its `Values`; {name: run} to name it.
        b: the other run, or its `Values`.
        measures: measures, such as nDCG@10 AP; names or objects.
        difference: a difference that matters. [default: a tenth of the mean of `a`, "material" in Spärck Jones 1974]
        power: the power to reach.
        alpha: significance level of the two-sided paired t test.
        n_queries: number of queries of the planned comparison. [default: those of the runs]
        level: lowest relevant grade.
        profile: conventions of another tool.
        options: policies and preparation, as in `evaluate`.

    A difference equal to the observed one gets a warning: the power to find it says nothing beyond its p-value (Hoenig and Heisey 2001).

    >>> judgments = {q: {"x": 1} for q in "abcd"}
    >>> one, other = {q: ["x", "y"] for q in "abcd"}, {q: ["y", "x"] if q in "ab" else ["x"] for q in "abcd"}
    >>> power(judgments, one, other, "RR", difference=0.1)["RR"].needed
    68
    """
    if difference is not None and not (isinstance(difference, int | float) and 0 < abs(difference) < math.inf):
        problem = f"difference must be a number other than 0, got {shown(difference)}"
        raise UsageError("parameter", problem, value=difference)
    if n_queries is not None:
        check_count(n_queries, "n_queries")
    compared = _compared_runs(qrels, a, b, measures, level=level, profile=profile, **options)
    check_plain("power", compared.results)
    with step("estimating power"):
        warnings, powers = list(compared.warnings), []
        for name in map(str, common_measures(compared.results)):
            x = matrix(compared.results, name)
            first, second = x[known_rows(x)].T
            d = second - first
            if len(d) < 2:
                problem = f"{counted(len(d), 'query')} with a value of {name}: differences need at least two to vary"
                raise DataError("few-queries", problem)
            matters = abs(difference) if difference is not None else MATERIAL * abs(mean(first))
            queries = len(d) if n_queries is None else n_queries
            one = _measure_power(name, d, matters, queries, power, alpha)
            powers.append(one)
            if one.deviation == 0:
                text = f"{name}: all differences are equal; their variation is unknown"
                warnings.append(Warned("power", len(d), text))
            if difference is not None and math.isclose(matters, abs(mean(d)), rel_tol=1e-3):
                text = f"{name}: this is the observed difference; the power to find it says nothing beyond its p-value"
                warnings.append(Warned("power", 1, text))
    weak = [one.measure for one in powers if one.chance < LITTLE]
    if weak:
        text = f"the power to find the difference that matters is below {LITTLE:.0%} in {', '.join(weak)}"
        warnings.append(Warned("power", len(weak), text))
    return Power((compared.names[0], compared.names[1]), float(power), float(alpha), tuple(powers), tuple(warnings))


def _compared_runs(
    qrels: Any,
    a: Any,
    b: Any,
    measures: Measures,
    *,
    level: float | None,
    profile: str,
    **options: Unpack[EvaluateOptions],
) -> ComparedRuns:
    if b is None:
        if not are_questions(qrels, options):
            hint = "pass the judgments and two runs, or two question files"
            raise UsageError("runs", "two runs are needed", hint=hint)
        qrels, a, b = None, qrels, a
    check_is_no_measure(b)
    sides = [split_name(run) for run in (a, b)]
    runs: Any = [run for _, run in sides]
    if any(name for name, _ in sides):
        runs = {name or f"run {i}": run for i, (name, run) in enumerate(sides, 1)}
    if all(isinstance(run, Values) for _, run in sides):
        qrels, runs = runs, None
    return evaluate_runs(qrels, runs, measures, level=level, profile=profile, **options)


def _measure_power(name: str, d: Floats, matters: float, queries: int, power: float, alpha: float) -> MeasurePower:
    spread = float(deviations(d[:, None])[0])
    if spread == 0:
        return MeasurePower(name, len(d), 0.0, queries, math.nan, matters, math.nan, None)
    return MeasurePower(
        measure=name,
        observed=len(d),
        deviation=spread,
        queries=queries,
        smallest=detectable_difference(spread, queries, power=power, alpha=alpha),
        difference=matters,
        chance=achieved_power(matters, spread, queries, alpha=alpha),
        needed=queries_needed(matters, spread, power=power, alpha=alpha) if matters > 0 else None,
    )
