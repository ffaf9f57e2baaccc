"""`gate`: decide whether a candidate may replace a baseline, for continuous integration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from judged.comparison.compare import compare
from judged.comparison.comparison import Comparison
from judged.comparison.evaluated_runs import slice_requests, split_name
from judged.core.tables import Id, Qrels
from judged.errors import DataError, Hint, UsageError, Warned
from judged.evaluation.evaluate import DEFAULT, Measures, evaluate
from judged.evaluation.inputs import are_questions, open_named
from judged.evaluation.options import EvaluateOptions, with_level
from judged.evaluation.values import Values
from judged.io.files import PATH, OpenFile, file_path
from judged.io.fingerprint import file_hash
from judged.io.outputs import check_output
from judged.io.run_names import short_names
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import parse, parse_all
from judged.quality_gate.baseline import Baseline, append_build, read_anchor, read_baseline
from judged.quality_gate.decision import Gate
from judged.quality_gate.drops import drops_of, usable_rules
from judged.quality_gate.reasons import (
    bound_reasons,
    drop_reasons,
    few_reasons,
    incomparable_reasons,
    missing_reasons,
    query_reasons,
    tested_drops,
    untested,
)
from judged.quality_gate.rules import BY_MEASURE, DEFAULT_KEY, GateOptions, Mode, Rules
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
        max_total_drop: largest allowed drop since the first baseline of the history; as `max_drop`. [default: max_drop]
        mode: when a drop fails: significantly more than max_drop, more in the mean, or possibly more (sure). [default: significant]
        alpha: significance level. In mode `significant`: the largest chance that a measure fails a candidate that is nowhere worse by more than
            allowed. In mode `sure`: twice the chance that a candidate passes that is worse. [default: 0.05]
        min: lowest allowed means of the candidate; {measure: mean}.
        max: highest allowed means of the candidate; {measure: mean}.
        max_query_drop: largest allowed drop of a query, and how many queries may exceed it, such as 0.3:2; or (0.3, 2).
        slices: table that assigns queries to groups, which must pass too; with `by`. Or {query: group}.
        by: column of that table to group queries by; several columns are several groupings. `"relevant"` is the number of relevant documents.
        min_queries: minimum number of queries; mode `significant` fails with fewer, and smaller slices are skipped. [default: 10]
        history: file that records the builds and this one; drops since its first baseline, the anchor, count too.
        rules: a `judged.toml`, or a mapping with these keys; arguments take precedence, per measure.
        worst: number of queries that got worse to keep per measure.
        options: `test`, `correction`, `resamples`, `seed` as in `compare`; `level`, `profile` and policies as in `evaluate`;
            `allow_changed_judgments`; `allow_missing_queries`.

    >>> decision = gate({"q": {"a": 1}}, {"q": ["a", "b"]}, baseline={"q": ["b", "a"]}, measures="RR", mode="mean")
    >>> decision.passed, decision.reasons[0].sentence
    (True, 'RR is better by 0.5000 (0.5000 → 1.0000).')
    """
    check_count(worst, "worst", least=0)
    chosen = Rules.of(
        rules,
        baseline=baseline,
        history=history,
        measures=measures,
        max_drop=max_drop,
        max_total_drop=max_total_drop,
        mode=mode,
        alpha=alpha,
        min=min,
        max=max,
        max_query_drop=max_query_drop,
        slices=slices,
        by=by,
        min_queries=min_queries,
        **options,
    )
    return _decide(qrels, candidate, chosen, worst)


def _decide(qrels: Any, candidate: Any, rules: Rules, worst: int) -> Gate:
    if candidate is None:
        qrels, candidate = None, qrels
    judgments = rules.qrels if qrels is None else qrels
    if judgments is None and not are_questions(candidate, rules.inputs):
        raise UsageError("rule", "no judgments given", hint="pass them, or name them as qrels in the rules")
    if rules.baseline is None:
        rules.check_baseline_is_needed()
    (base_name, source), (name, run) = split_name(rules.baseline), split_name(candidate)
    if file_path(source) is not None:
        with suppress(OSError):  # the reader says why
            source = OpenFile(source)  # a saved result or a run: opened once for both
    saved, anchor = read_baseline(source), None
    rules = _by_name_of_results(rules, saved)
    if rules.history is not None:
        check_output(rules.history, (judgments, run, source, rules.slices, *rules.sources.values()))
        anchor = read_anchor(rules.history)
    runs = [run] if source is None or saved is not None else [run, source]
    inputs = open_named(judgments, [(None, one) for one in runs], rules.inputs)
    measures = list(dict.fromkeys((*rules.measures, *rules.min, *rules.max)))
    own: Qrels = inputs.runs[0][1].qrels if inputs.qrels is None else inputs.qrels
    values, *others = (
        evaluate(inputs.qrels, one, measures, level=rules.level, profile=rules.profile, **rules.policy)
        for _, one in inputs.runs
    )
    if source is None:
        return _apply(rules, values, None, None, (), worst)
    base = others[0] if saved is None else _only(saved.values, rules.measures, "baseline")
    warnings = () if saved is None else saved.warnings(own, allow_changed=rules.allow_changed_judgments)
    roles = zip((source, run), ("baseline", "candidate"), strict=True)
    files = [os.fsdecode(one) if isinstance(one, PATH) and one != "-" else role for one, role in roles]
    if saved is not None and not isinstance(source, PATH) and saved.values.names[1] != "run":  # a result with a name
        files[0] = saved.values.names[1]
    first, second = short_names(files) if len(set(files)) > 1 else short_names(files[:1]) * 2
    if first == second:
        first, second = f"{first} (baseline)", f"{second} (candidate)"
    names = (base_name or first, name or second)
    comparison = _compare(names, base, values, rules, slice_requests(rules.slices, rules.by))
    total = None
    if anchor is not None:
        since, earlier = anchor
        old = _only(earlier.values, rules.measures, "anchor")
        same = [np.array_equal(old[m], base[m], equal_nan=True) for m in rules.measures]
        if old.queries != base.queries or not all(same):  # the baseline has moved on
            warnings += earlier.warnings(own, allow_changed=rules.allow_changed_judgments)
            since = f"{since} (anchor)" if since == names[1] else since
            total = _compare((since, names[1]), old, values, rules, None)
    unchanged = False
    if rules.mode == "sure":  # the same object, or files of the same bytes: nothing is left to be sure of
        old_hash = file_hash(source) if saved is None else saved.run_file
        unchanged = run is source or (old_hash is not None and file_hash(run) == old_hash)
    answered, judged = set(values.queries), set(own.queries.texts())
    missing = [q for q in base.queries if q not in answered and (saved is None or str(q) in judged)]
    decision = _apply(rules, values, comparison, total, missing, worst, warnings=warnings, unchanged=unchanged)
    return decision if rules.history is None or comparison.incomparable else _record(decision, own)


def _by_name_of_results(rules: Rules, saved: Baseline | None) -> Rules:
    """The rules by the names that results have under the profile and the level; raise for a rule of a measure that has no effect."""
    profile = profile_named(rules.profile)

    def named(measures: Iterable[Any]) -> tuple[str, ...]:
        found = [with_level(profile.apply(parse(measure)), rules.level) for measure in measures]
        for m in found:
            if m.definition.text:
                raise UsageError("measure", f"the values of {m} are not numbers", value=str(m))
        return tuple(dict.fromkeys(map(str, found)))

    bounds: dict[str, Any] = {}
    for key in BY_MEASURE:
        bounds[key] = {}
        for name, value in getattr(rules, key).items():
            own = name if name == DEFAULT_KEY else named([name])[0]
            if own in bounds[key]:
                raise UsageError("rule", f"{key} has two values for {own}", value=name)
            bounds[key][own] = value
    measures = named(rules.measures)
    if rules.baseline is None:
        bounded = {*bounds["min"], *bounds["max"]}
        idle = [m for m in measures if m not in bounded]
        if idle or not bounded:
            text = "name a baseline with {baseline}, or bounds with {min} or {max}"
            hint, what = Hint(text, baseline=None, min=None, max=None), idle[0] if idle else "the candidate"
            raise UsageError("rule", f"no rule for {what}", hint=hint, where=rules.sources.get("measures"), value=what)
        return replace(rules, measures=(), **bounds)
    measures = measures or named(parse_all(DEFAULT) if saved is None else saved.values.numeric_measures)
    for key in ("max_drop", "max_total_drop"):
        for name in bounds[key]:
            if name not in (*measures, DEFAULT_KEY):
                hint = Hint("add it with {measures}", measures=name)
                raise UsageError("rule", f"{key} names {name}, which is not compared", hint=hint, value=name)
    if rules.max_total_drop and rules.history is None:
        hint = Hint("name one with {history}", history=None)
        raise UsageError("rule", "max_total_drop needs a history", hint=hint, where=rules.sources.get("max_total_drop"))
    return replace(rules, measures=measures, **bounds)


def _compare(names: tuple[str, str], base: Values, candidate: Values, rules: Rules, slices: Any) -> Comparison:
    """Compare two results. The gate decides by intervals of its own (`drops`), because `max_drop` is part of its hypothesis."""
    return compare(
        dict(zip(names, (base, candidate), strict=True)),
        baseline=0,
        test=rules.paired_test,
        correction="none" if rules.mode == "sure" else rules.correction,
        slices=slices,
        alpha=rules.alpha,
        min_queries=rules.min_queries,
        resamples=rules.resamples,
        seed=rules.seed,
    )


def _record(decision: Gate, qrels: Qrels) -> Gate:
    """Append the decision to the history of its rules."""
    comparison, rules = decision.comparison, decision.rules
    assert comparison is not None
    old, new = comparison.names
    kept = ("rule", "measure", "slice", "observed", "allowed", "low", "high", "p", "passed")
    drops = [
        {key: getattr(reason, key) for key in kept}
        for reason in decision.reasons
        if reason.rule in ("max_drop", "max_total_drop") and not reason.skipped
    ]
    means = {name: value for name, value in decision.candidate.mean().items() if name in rules.measures}
    build = {"baseline": old, "candidate": new, "passed": decision.passed, "means": means, "drops": drops}
    anchor = Baseline.of(_only(comparison.results[0], rules.measures, old), qrels)
    return replace(decision, build=append_build(rules.history, old, anchor, build))


def baseline(
    qrels: Any,
    run: Any = None,
    measures: Measures = DEFAULT,
    *,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Baseline:
    """Evaluate a run as a baseline for later candidates. It has the values per query, the policy, the version and hashes of the inputs; `save` writes it.

    A question file contains its judgments and is the only input.

    >>> baseline({"q": {"a": 1}}, {"q": ["b", "a"]}, "RR").values.mean()
    {'RR': 0.5}
    """
    ranking = qrels if run is None else run
    inputs = open_named(None if run is None else qrels, [(None, ranking)], options)
    [(_, opened)] = inputs.runs
    values = evaluate(inputs.qrels, opened, measures, level=level, profile=profile, **inputs.options)
    return Baseline.of(values, opened.qrels if inputs.qrels is None else inputs.qrels, qrels, ranking)


@step("applying the rules")
def _apply(
    rules: Rules,
    candidate: Values,
    comparison: Comparison | None,
    total: Comparison | None,
    missing: Sequence[Id],
    worst: int,
    *,
    warnings: Sequence[Warned] = (),
    unchanged: bool = False,
) -> Gate:
    """Apply the rules to a comparison with the baseline and, since the anchor, in total."""
    reasons = bound_reasons(candidate, rules)
    if comparison is None:
        passed = all(reason.passed for reason in reasons)
        return Gate(passed, tuple(reasons), rules, candidate, warnings=candidate.warnings)
    drops = list(drops_of(comparison, rules.measures, rules))
    if total is not None:
        drops += drops_of(total, rules.measures, rules, "max_total_drop")
    rules, remarks = usable_rules(tested_drops(drops, rules), rules)
    few, queries = (of(comparison, rules.measures, rules) for of in (few_reasons, query_reasons))
    dropped = drop_reasons(drops, rules, unchanged=unchanged)
    out = incomparable_reasons(comparison)
    if out:
        few, dropped, queries = [], list(map(untested, dropped)), list(map(untested, queries))
    reasons = [*out, *few, *dropped, *queries, *missing_reasons(missing, rules), *reasons]
    return Gate(
        passed=all(reason.passed for reason in reasons),
        reasons=tuple(reasons),
        rules=rules,
        candidate=candidate,
        comparison=comparison,
        worse={m: comparison.where(m, n=worst, only="worse") for m in rules.measures},
        warnings=tuple(dict.fromkeys((*warnings, *comparison.warnings))),
        remarks=remarks,
    )


def _only(values: Values, measures: Sequence[str], name: str) -> Values:
    """The values of some measures; raise if one is missing."""
    for measure in measures:
        if measure not in values.columns:
            problem = f"the {name} has no {measure}, only {', '.join(values.columns)}"
            raise DataError("incomparable", problem, hint=Hint("save it again with {measures}", measures=measure))
    columns = {m: column for m, column in values.columns.items() if m in measures}
    return replace(values, measures=tuple(m for m in values.measures if str(m) in columns), columns=columns)
