"""Compare the candidate with the baseline: a run, or a saved result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.comparison.compare import compare
from judged.comparison.difference import Difference
from judged.comparison.inputs import slice_requests
from judged.comparison.result import Comparison
from judged.core.judged import Judged
from judged.core.tables import Id, Qrels
from judged.errors import DataError, Hint, Warned
from judged.evaluation.evaluate import evaluate, join
from judged.evaluation.result.values import Values
from judged.evaluation.slices import slices_of
from judged.measures.profiles import profile as profile_named
from judged.quality_gate.baseline import Baseline
from judged.quality_gate.reasons import FEW
from judged.quality_gate.rules import Rules


@dataclass(frozen=True, slots=True)
class GateMeasures:
    """Measures that are compared with the baseline, and those that have a bound, by the names that results have."""

    compared: tuple[str, ...]
    bounded: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        """The measures that are evaluated."""
        return list(dict.fromkeys((*self.compared, *self.bounded)))


@dataclass(frozen=True, slots=True)
class GateCandidate:
    """The candidate with its judgments, measures and rules."""

    qrels: Qrels | None  # None if the candidate is `Questions`, with its own judgments
    run: Any
    measures: GateMeasures
    rules: Rules

    @property
    def judgments(self) -> Qrels:
        """The judgments of the candidate."""
        judgments: Qrels = self.run.qrels if self.qrels is None else self.qrels
        return judgments

    def evaluate(self) -> Values:
        """The values of the candidate."""
        rules = self.rules
        return evaluate(
            self.qrels, self.run, self.measures.all, level=rules.level, profile=rules.profile, **rules.policy
        )


@dataclass(frozen=True, slots=True)
class GateInputs:
    """The data that rules are applied to."""

    comparison: Comparison | None
    candidate: Values
    warnings: tuple[Warned, ...] = ()
    missing: tuple[Id, ...] = ()  # queries that the baseline answers and the candidate does not


def _options(rules: Rules, slices: list[Any]) -> dict[str, Any]:
    """Options of `compare`. One pair needs no correction; the gate corrects over measures and slices."""
    names = ("test", "interval", "alpha", "min_queries", "resamples", "seed")
    chosen = {name: getattr(rules, name) for name in names}
    return {"baseline": 0, "correction": "none", "slices": slices or None, **chosen}


def compare_with_run(candidate: GateCandidate, base: Any, names: tuple[str, str]) -> GateInputs:
    """Compare the candidate with another run, which is open."""
    rules = candidate.rules
    slices = slice_requests(rules.slices, rules.by) or []
    if {**profile_named(rules.profile).policy, **rules.policy}.get("queries") == "both" and _has_relevant(slices):
        # Results with different queries do not know the number of relevant documents.
        every = join(candidate.qrels, base, profile=rules.profile, **{**rules.policy, "queries": "judged"})
        slices = _spell_out(slices, rules, every)
    runs = dict(zip(names, (base, candidate.run), strict=True))
    comparison = compare(
        candidate.qrels, runs, candidate.measures.all, level=rules.level, profile=rules.profile, **rules.policy, **_options(rules, slices)
    )  # fmt: skip
    if not any(w.slug == "queries-differ" for w in comparison.warnings):
        spelt = _spell_out(slices, rules, comparison.judged[0]) if _has_relevant(slices) else slices
        return GateInputs(_with_t_intervals(comparison, rules, spelt), comparison.results[1])
    values = candidate.evaluate()  # with the queries that the baseline lacks
    answered = join(candidate.qrels, base, profile=rules.profile, **rules.policy).queries
    return GateInputs(_with_t_intervals(comparison, rules, slices), values, missing=_missing(answered, values))


def compare_with_saved(candidate: GateCandidate, saved: Baseline, names: tuple[str, str]) -> GateInputs:
    """Compare the candidate with a saved result."""
    rules, stored, measures = candidate.rules, saved.values, candidate.measures
    for name in measures.compared:
        if name not in stored.columns:
            problem = f"the baseline ({names[0]}) has no {name}, only {', '.join(stored.columns)}"
            raise DataError("incomparable", problem, hint=Hint("save it again with {measures}", measures=name))
    warnings = saved.warnings(candidate.judgments, allow_changed=rules.allow_changed_judgments)
    values = candidate.evaluate()
    assert values.source is not None
    slices = _spell_out(slice_requests(rules.slices, rules.by) or [], rules, values.source.judged)
    columns = {name: column for name, column in stored.columns.items() if name in measures.compared}
    kept = replace(stored, measures=tuple(m for m in stored.measures if str(m) in columns), columns=columns)
    comparison = compare(dict(zip(names, (kept, values), strict=True)), **_options(rules, slices))
    judged_queries = {q.decode("utf-8", "surrogateescape") for q in candidate.judgments.queries.tolist()}
    missing = _missing([q for q in stored.queries if str(q) in judged_queries], values)
    return GateInputs(_with_t_intervals(comparison, rules, slices), values, warnings, missing)


def _missing(answered: Sequence[Id], candidate: Values) -> tuple[Id, ...]:
    present = set(candidate.queries)
    return tuple(q for q in answered if q not in present)


def _with_t_intervals(comparison: Comparison, rules: Rules, slices: list[Any]) -> Comparison:
    """Use Student's intervals for few queries if intervals decide: bootstrap intervals are too narrow then."""
    few = [row for row in (*comparison.rows, *comparison.parts) if row.queries < FEW and row.verdict != "too few"]
    if rules.mode != "sure" or rules.interval == "t" or not few:
        return comparison
    options = {**_options(rules, slices), "interval": "t", "test": "t", "resamples": None}
    again = compare(dict(zip(comparison.names, comparison.results, strict=True)), **options)
    ends = {(row.measure, row.part): (row.low, row.high) for row in (*again.rows, *again.parts)}

    def with_t(row: Difference) -> Difference:
        low, high = ends[row.measure, row.part] if row.queries < FEW else (row.low, row.high)
        return replace(row, low=low, high=high)

    return replace(comparison, rows=tuple(map(with_t, comparison.rows)), parts=tuple(map(with_t, comparison.parts)))


def _has_relevant(slices: list[Any]) -> bool:
    return any(isinstance(one, str) for one in slices)


def _spell_out(slices: list[Any], rules: Rules, judged: Judged) -> list[Any]:
    """Replace slices by the number of relevant documents by {query: group}: results alone do not know that number."""
    if not _has_relevant(slices):
        return slices
    groups = slices_of("relevant", judged.queries, judged.relevant(1 if rules.level is None else rules.level)).groups
    mapping = {q: label for label, rows in groups for q, inside in zip(judged.queries, rows.tolist(), strict=True) if inside}  # fmt: skip
    return [mapping if isinstance(one, str) else one for one in slices]
