"""Compare the candidate with the baseline: a run, or a saved result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._version import __version__
from judged.comparison.compare import compare
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
    model: Qrels | None = None  # judgments of a model

    @property
    def judgments(self) -> Qrels:
        """The judgments of the candidate."""
        judgments: Qrels = self.run.qrels if self.qrels is None else self.qrels
        return judgments

    def evaluate(self) -> Values:
        """The values of the candidate."""
        rules = self.rules
        return evaluate(
            self.qrels,
            self.run,
            self.measures.all,
            level=rules.level,
            profile=rules.profile,
            model=self.model,
            **rules.policy,
        )


@dataclass(frozen=True, slots=True)
class GateInputs:
    """The data that rules are applied to."""

    comparison: Comparison | None
    candidate: Values
    warnings: tuple[Warned, ...] = ()
    missing: tuple[Id, ...] = ()  # queries that the baseline answers and the candidate does not
    total: Comparison | None = None  # with the anchor
    unchanged: bool = False  # the candidate is the same run as the baseline

    def baseline(self, measures: Sequence[str], qrels: str) -> Baseline:
        """The baseline as a saved result, by judgments of this hash."""
        assert self.comparison is not None
        return Baseline(_only(self.comparison.results[0], measures, self.comparison.names[0]), __version__, qrels)


def _options(rules: Rules, slices: list[Any]) -> dict[str, Any]:
    """Options of `compare`. The gate decides by intervals of its own (`drops`), because `max_drop` is part of its hypothesis."""
    names = ("alpha", "min_queries", "resamples", "seed", "clusters", "cluster_col")
    chosen = {name: getattr(rules, name) for name in names}
    correction = "none" if rules.mode == "sure" else rules.correction
    return {"baseline": 0, "test": rules.paired_test, "correction": correction, "slices": slices or None, **chosen}


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
        candidate.qrels,
        runs,
        candidate.measures.all,
        level=rules.level,
        profile=rules.profile,
        model=candidate.model,
        **rules.policy,
        **_options(rules, slices),
    )
    if not any(w.slug == "queries-differ" for w in comparison.warnings):
        return GateInputs(comparison, comparison.results[1])
    values = candidate.evaluate()  # with the queries that the baseline lacks
    answered = join(candidate.qrels, base, profile=rules.profile, **rules.policy).queries
    return GateInputs(comparison, values, missing=_missing(answered, values))


def compare_with_saved(candidate: GateCandidate, saved: Baseline, names: tuple[str, str]) -> GateInputs:
    """Compare the candidate with a saved result."""
    rules, stored, measures = candidate.rules, saved.values, candidate.measures
    kept = _only(stored, measures.compared, names[0])
    warnings = saved.warnings(candidate.judgments, candidate.model, allow_changed=rules.allow_changed_judgments)
    values = candidate.evaluate()
    slices = slice_requests(rules.slices, rules.by) or []
    if values.source is not None:
        slices = _spell_out(slices, rules, values.source.judged)
    comparison = compare(dict(zip(names, (kept, values), strict=True)), **_options(rules, slices))
    judged_queries = set(candidate.judgments.queries.texts())
    missing = _missing([q for q in stored.queries if str(q) in judged_queries], values)
    return GateInputs(comparison, values, warnings, missing)


def with_anchor(found: GateInputs, candidate: GateCandidate, anchor: Baseline, name: str) -> GateInputs:
    """Compare the candidate with an earlier baseline too, over all queries; not if that has the values of the baseline."""
    assert found.comparison is not None
    rules = candidate.rules
    old, new = (_only(v, rules.measures, n) for v, n in ((anchor.values, name), (found.comparison.results[0], "")))
    if old.queries == new.queries and all(np.array_equal(old[m], new[m], equal_nan=True) for m in rules.measures):
        return found
    warnings = anchor.warnings(candidate.judgments, candidate.model, allow_changed=rules.allow_changed_judgments)
    own = found.comparison.names[1]
    names = (f"{name} (anchor)" if name == own else name, own)
    total = compare(dict(zip(names, (old, found.candidate), strict=True)), **_options(rules, []))
    return replace(found, total=total, warnings=(*found.warnings, *warnings))


def _only(values: Values, measures: Sequence[str], name: str) -> Values:
    """The values of some measures; raise if one is missing."""
    for measure in measures:
        if measure not in values.columns:
            problem = f"the baseline ({name}) has no {measure}, only {', '.join(values.columns)}"
            raise DataError("incomparable", problem, hint=Hint("save it again with {measures}", measures=measure))
    columns = {m: column for m, column in values.columns.items() if m in measures}
    return replace(values, measures=tuple(m for m in values.measures if str(m) in columns), columns=columns)


def _missing(answered: Sequence[Id], candidate: Values) -> tuple[Id, ...]:
    present = set(candidate.queries)
    return tuple(q for q in answered if q not in present)


def _has_relevant(slices: list[Any]) -> bool:
    return any(isinstance(one, str) for one in slices)


def _spell_out(slices: list[Any], rules: Rules, judged: Judged) -> list[Any]:
    """Replace slices by the number of relevant documents by {query: group}: results alone do not know that number."""
    if not _has_relevant(slices):
        return slices
    groups = slices_of("relevant", judged.queries, judged.relevant(1 if rules.level is None else rules.level)).groups
    mapping = {
        q: label for label, rows in groups for q, inside in zip(judged.queries, rows.tolist(), strict=True) if inside
    }
    return [mapping if isinstance(one, str) else one for one in slices]
