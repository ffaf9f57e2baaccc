"""`gate`: decide whether a candidate may replace a baseline, for continuous integration."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from judged._version import __version__
from judged.comparison.compare import compare
from judged.comparison.comparison import Comparison
from judged.comparison.evaluated_runs import slice_requests, split_name
from judged.core.judged import Judged
from judged.core.tables import Id, Qrels
from judged.errors import DataError, Hint, UsageError, Warned
from judged.evaluation.evaluate import DEFAULT, Measures, evaluate, join
from judged.evaluation.inputs import are_questions, open_named
from judged.evaluation.options import EvaluateOptions, with_level
from judged.evaluation.slices import slices_of
from judged.evaluation.values import Values
from judged.io.files import is_path
from judged.io.fingerprint import content_of, file_hash
from judged.io.outputs import check_output
from judged.io.run_names import short_names
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import profile as profile_named
from judged.quality_gate.baseline import Baseline, append_build, read_anchor, read_baseline
from judged.quality_gate.decision import Gate
from judged.quality_gate.drops import losses_of, usable_rules
from judged.quality_gate.reasons import (
    bound_reasons,
    drop_reasons,
    few_reasons,
    missing_reasons,
    query_reasons,
    tested_losses,
)
from judged.quality_gate.rules import DEFAULT_KEY, GateOptions, Mode, Rules
from judged.stats.checks import check_count
from judged.steps import step


def gate(
    qrels: Any,
    candidate: Any = None,
    *,
    baseline: Any = None,
    measures: Measures | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    max_total_drop: float | Mapping[str, float] | None = None,
    mode: Mode | None = None,
    alpha: float | None = None,
    min: Mapping[str, float] | None = None,
    max: Mapping[str, float] | None = None,
    max_query_drop: float | str | tuple[float, int] | None = None,
    slices: Any = None,
    by: str | Sequence[str] | None = None,
    min_queries: int | None = None,
    anchor: Any = None,
    history: Any = None,
    rules: Any = None,
    worst: int = 10,
    **options: Unpack[GateOptions],
) -> Gate:
    """Decide whether a candidate may replace a baseline, with a reason for each rule and the queries that got worse.

    Args:
        qrels: judgments, in any format that `read_qrels` takes; None for those of the rules.
        candidate: a run, in any format that `read_run` takes; {name: run} to name it. A question file, which contains its judgments, may be the
            only input.
        baseline: run or saved result to compare the candidate with; a `Values`, or a file written by `baseline(…).save` or `Values.save`.
            Without one, only `min` and `max` apply.
        measures: as in `evaluate`. [default: those of a saved baseline]
        max_drop: largest allowed drop of a mean; a number, or {measure: number}. [default: 0]
        max_total_drop: largest allowed drop since the anchor; as `max_drop`. [default: max_drop]
        mode: drops that fail: significantly more than max_drop, more in the mean, or more that cannot be ruled out (sure). [default: significant]
        alpha: significance level; in mode `significant`, the largest chance that a candidate fails that is nowhere worse by more than is allowed; in `sure`, twice the
            chance that one passes that is worse. [default: 0.05]
        min: lowest allowed means of the candidate; {measure: mean}.
        max: highest allowed means of the candidate; {measure: mean}.
        max_query_drop: largest drop of a query, and number of queries that may drop by more, such as 0.3:2; or (0.3, 2).
        slices: table of queries, whose groups must pass too; with `by`. Or {query: group}.
        by: column of slices to group queries by; several columns are several groupings. `"relevant"` is the number of relevant documents.
        min_queries: minimum number of queries; mode `significant` fails with fewer, and smaller slices are skipped. [default: 10]
        anchor: earlier baseline, so that small drops do not add up. [default: the first baseline of the history]
        history: file of builds, to which this one is added; its first baseline is the anchor.
        rules: a `judged.toml`, or a mapping with these keys; arguments take precedence, per measure.
        worst: number of queries that got worse to keep per measure.
        options: `test`, `correction`, `resamples`, `seed`, `clusters`, `cluster_col`, `model` as in `compare`; `level`, `profile` and policies as in `evaluate`;
            `allow_changed_judgments`; `allow_missing_queries`.

    >>> decision = gate({"q": {"a": 1}}, {"q": ["a", "b"]}, baseline={"q": ["b", "a"]}, measures="RR", mode="mean")
    >>> decision.passed, decision.reasons[0].sentence
    (True, 'RR is better by 0.5000 (0.5000 → 1.0000).')
    """
    own = {
        "baseline": baseline,
        "anchor": anchor,
        "history": history,
        "measures": measures,
        "max_drop": max_drop,
        "max_total_drop": max_total_drop,
        "mode": mode,
        "alpha": alpha,
        "min": min,
        "max": max,
        "max_query_drop": max_query_drop,
        "slices": slices,
        "by": by,
        "min_queries": min_queries,
    }
    return _decide(qrels, candidate, Rules.of(rules, **own, **options), worst)


def _decide(qrels: Any, candidate: Any, rules: Rules, worst: int) -> Gate:
    check_count(worst, "worst", least=0)
    if candidate is None:
        qrels, candidate = None, qrels
    judgments = rules.qrels if qrels is None else qrels
    if judgments is None and not are_questions(candidate, rules.inputs):
        raise UsageError("rule", "no judgments given", hint="pass them, or name them as qrels in the rules")
    if rules.baseline is None:
        rules.check_baseline_is_needed()
    (base_name, source), (name, run) = split_name(rules.baseline), split_name(candidate)
    saved = None if source is None else read_baseline(source)
    measures = _gate_measures(rules, saved)
    rules = _rename(rules, measures)
    anchor_name, anchor = split_name(rules.anchor)
    saved_anchor = None if anchor is None else read_baseline(anchor)
    runs = [run, *(one for one, read in ((source, saved), (anchor, saved_anchor)) if one is not None and read is None)]
    inputs = open_named(judgments, [(None, one) for one in runs], rules.inputs, rules.model)
    opened = [run for _, run in inputs.runs]
    entrant = GateCandidate(inputs.qrels, opened[0], measures, rules, inputs.model)
    if source is None:
        return _apply(rules, GateInputs(None, entrant.evaluate()), worst)
    first, second = _names(source, run, saved)
    names = (base_name or first, name or second)
    if rules.history is not None:
        files = (judgments, run, source, anchor, rules.slices, rules.clusters, *rules.sources.values())
        check_output(rules.history, files)
        if anchor is None and (first_baseline := read_anchor(rules.history)) is not None:
            anchor_name, saved_anchor = first_baseline
    if anchor is not None:
        if saved_anchor is None:
            values = replace(entrant, run=opened[-1]).evaluate()
            saved_anchor = Baseline.of(values, entrant.judgments, model=entrant.model)
        anchor_name = anchor_name or (short_names([os.fspath(anchor)])[0] if is_path(anchor) else "anchor")
    found = compare_with_run(entrant, opened[1], names) if saved is None else compare_with_saved(entrant, saved, names)
    if rules.mode == "sure" and _same_run(run, source, saved):
        found = replace(found, unchanged=True)
    if saved_anchor is not None:
        found = with_anchor(found, entrant, saved_anchor, anchor_name or "anchor")
    decision = _apply(rules, found, worst)
    return decision if rules.history is None else _record(decision, entrant)


def _record(decision: Gate, candidate: GateCandidate) -> Gate:
    """Append the decision to the history of its rules."""
    comparison, rules = decision.comparison, decision.rules
    assert comparison is not None
    old, new = comparison.names
    qrels = content_of(candidate.judgments, candidate.model)
    base = Baseline(_only(comparison.results[0], rules.measures, old), __version__, qrels)
    kept = ("rule", "measure", "slice", "observed", "allowed", "low", "high", "p", "passed")
    drops = [
        {key: getattr(reason, key) for key in kept}
        for reason in decision.reasons
        if reason.rule in ("max_drop", "max_total_drop") and not reason.skipped
    ]
    means = {name: value for name, value in decision.candidate.mean().items() if name in rules.measures}
    build = {"baseline": old, "candidate": new, "passed": decision.passed, "means": means, "drops": drops}
    return replace(decision, build=append_build(rules.history, old, base, build))


def _same_run(run: Any, source: Any, saved: Baseline | None) -> bool:
    """Return whether the candidate is the baseline: the same object, or files of the same bytes."""
    old = file_hash(source) if saved is None else saved.run_file
    return (saved is None and run is source) or (old is not None and file_hash(run) == old)


def baseline(
    qrels: Any,
    run: Any = None,
    measures: Measures = DEFAULT,
    *,
    level: float | None = None,
    profile: str = "trec_eval-10",
    model: Any = None,
    **options: Unpack[EvaluateOptions],
) -> Baseline:
    """Evaluate a run as a baseline for later candidates: values per query, policy, version, hashes of the inputs. `save` writes it.

    A question file, which contains its judgments, is the only input.

    >>> baseline({"q": {"a": 1}}, {"q": ["b", "a"]}, "RR").values.mean()
    {'RR': 0.5}
    """
    inputs = open_named(None if run is None else qrels, [(None, qrels if run is None else run)], options, model)
    [(_, opened)] = inputs.runs
    values = evaluate(
        inputs.qrels, opened, measures, level=level, profile=profile, model=inputs.model, **inputs.options
    )
    judgments = opened.qrels if inputs.qrels is None else inputs.qrels
    return Baseline.of(values, judgments, qrels, qrels if run is None else run, inputs.model)


def _gate_measures(rules: Rules, saved: Baseline | None) -> GateMeasures:
    bounded = _resolve((*rules.min, *rules.max), rules)
    if rules.baseline is None:
        if not bounded:
            hint = Hint(
                "name a baseline with {baseline}, or bounds with {min} or {max}", baseline=None, min=None, max=None
            )
            raise UsageError("rule", "no rule for the candidate", hint=hint)
        idle = [m for m in _resolve(rules.measures, rules) if m not in bounded]
        if idle:
            hint = Hint(
                "name a baseline with {baseline}, or a bound with {min} or {max}", baseline=None, min=None, max=None
            )
            raise UsageError(
                "rule", f"no rule for {idle[0]}", hint=hint, where=rules.sources.get("measures"), value=idle[0]
            )
        return GateMeasures((), bounded)
    names = rules.measures or (tuple(map(str, saved.values.measures)) if saved else tuple(map(str, parse_all(DEFAULT))))
    return GateMeasures(_resolve(names, rules, numbers=bool(rules.measures)), bounded)


def _resolve(names: Sequence[str], rules: Rules, *, numbers: bool = True) -> tuple[str, ...]:
    """The names that results have under the profile and the level; measures with text values raise an error, or are excluded."""
    profile = profile_named(rules.profile)
    measures = [with_level(profile.apply(parse(name)), rules.level) for name in names]
    for m in measures:
        if numbers and m.definition.text:
            raise UsageError("measure", f"the values of {m} are not numbers", value=str(m))
    return tuple(dict.fromkeys(str(m) for m in measures if not m.definition.text))


def _rename(rules: Rules, measures: GateMeasures) -> Rules:
    """The rules by the names that results have; raise for a drop of a measure that is not compared."""
    picks: dict[str, Callable[[float, float], float]] = {"min": max, "max": min, "max_drop": min, "max_total_drop": min}
    bounds = {key: _strictest(getattr(rules, key), rules, pick) for key, pick in picks.items()}
    for key in ("max_drop", "max_total_drop"):
        for name in bounds[key]:
            if name != DEFAULT_KEY and measures.compared and name not in measures.compared:
                hint = Hint("add it with {measures}", measures=name)
                raise UsageError("rule", f"{key} names {name}, which is not compared", hint=hint, value=name)
    if rules.max_total_drop and rules.anchor is None and rules.history is None:
        hint = Hint("name one with {anchor} or {history}", anchor=None, history=None)
        raise UsageError("rule", "max_total_drop needs an anchor", hint=hint, where=rules.sources.get("max_total_drop"))
    return replace(
        rules,
        measures=measures.compared,
        min=bounds["min"],
        max=bounds["max"],
        max_drop=bounds["max_drop"],
        max_total_drop=bounds["max_total_drop"],
    )


def _strictest(bounds: Mapping[str, float], rules: Rules, pick: Callable[[float, float], float]) -> dict[str, float]:
    """Bounds by the names that results have; if the level or the profile makes two of them one, the stricter."""
    strictest: dict[str, float] = {}
    for name, value in bounds.items():
        own = name if name == DEFAULT_KEY else _resolve([name], rules)[0]
        strictest[own] = pick(strictest[own], value) if own in strictest else value
    return strictest


def _names(source: Any, candidate: Any, saved: Baseline | None) -> tuple[str, str]:
    """Names of the two: those of their files; if these are the same, with their role."""
    paths = [os.fspath(s) if isinstance(s, str | os.PathLike) and s != "-" else None for s in (source, candidate)]
    names = [str(path) if path else role for path, role in zip(paths, ("baseline", "candidate"), strict=True)]
    if saved is not None and paths[0] is None and saved.values.names[1] != "run":
        names[0] = saved.values.names[1]
    if names[0] == names[1]:
        [name] = short_names(names[:1])
        return f"{name} (baseline)", f"{name} (candidate)"
    first, second = short_names(names)
    return first, second


@step("applying the rules")
def _apply(rules: Rules, inputs: GateInputs, worst: int) -> Gate:
    reasons, worse, comparison = bound_reasons(inputs.candidate, rules), {}, inputs.comparison
    remarks: tuple[str, ...] = ()
    if comparison is not None:
        losses = list(losses_of(comparison, rules.measures, rules))
        if inputs.total is not None:
            losses += losses_of(inputs.total, rules.measures, rules, "max_total_drop")
        rules, remarks = usable_rules(tested_losses(losses, rules), rules)
        few, queries = (of(comparison, rules.measures, rules) for of in (few_reasons, query_reasons))
        drops = drop_reasons(losses, rules, unchanged=inputs.unchanged)
        reasons = [*few, *drops, *queries, *missing_reasons(inputs.missing, rules), *reasons]
        worse = {m: comparison.where(m, n=worst, only="worse") for m in rules.measures}
    warnings = dict.fromkeys((*inputs.warnings, *(inputs.candidate if comparison is None else comparison).warnings))
    return Gate(
        passed=all(r.passed for r in reasons),
        reasons=tuple(reasons),
        rules=rules,
        candidate=inputs.candidate,
        comparison=comparison,
        worse=worse,
        warnings=tuple(warnings),
        remarks=remarks,
    )


# ── the candidate beside the baseline ────────────────────────────────────────────────────────────


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
