"""`gate`: decide whether a candidate may replace a baseline, for continuous integration."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from judged.comparison.inputs import split_name
from judged.errors import Hint, UsageError
from judged.evaluation.evaluate import DEFAULT, Measures, evaluate
from judged.evaluation.inputs import are_questions, open_named
from judged.evaluation.options import EvaluateOptions, with_level
from judged.io.files.source import is_path
from judged.io.fingerprint import content_of, file_hash
from judged.io.run_names import short_names
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import profile as profile_named
from judged.quality_gate.baseline import Baseline, read_baseline
from judged.quality_gate.drops import losses_of, usable_rules
from judged.quality_gate.history import BuildHistory
from judged.quality_gate.inputs import (
    GateCandidate,
    GateInputs,
    GateMeasures,
    compare_with_run,
    compare_with_saved,
    with_anchor,
)
from judged.quality_gate.reasons import (
    bound_reasons,
    drop_reasons,
    few_reasons,
    missing_reasons,
    query_reasons,
    tested_losses,
)
from judged.quality_gate.result import Gate
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
        baseline: a run, a `Values`, or a file written by `baseline(…).save` or `Values.save`; without one, only `min` and `max` apply.
        measures: as in `evaluate`. [default: those of a saved baseline]
        max_drop: largest allowed drop of a mean: a number, or {measure: number}. [default: 0]
        max_total_drop: the same since the anchor. [default: `max_drop`]
        mode: which drops fail: `significant`, significantly more than `max_drop`; `mean`, more in the mean; `sure`, those for which more cannot be ruled out. [default: significant]
        alpha: in mode `significant`, the largest chance that a candidate fails that is nowhere worse by more than is allowed; in `sure`, twice the
            chance that one passes that is worse. [default: 0.05]
        min: {measure: lowest allowed mean} of the candidate.
        max: {measure: highest allowed mean}.
        max_query_drop: (drop, n) or `"0.3:2"`: at most n queries may drop by more.
        slices: groups of queries that must pass too: a table of queries, with `by`; or {query: group}.
        by: columns of the table; `"relevant"` is the number of relevant documents.
        min_queries: minimum number of queries: mode `significant` fails with fewer, and smaller slices are skipped. [default: 10]
        anchor: an earlier baseline, so that small drops do not add up. [default: the first baseline of the history]
        history: a file of builds, to which this one is added; alpha then is that of all builds together.
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
    history = None
    if rules.history is not None:
        files = (judgments, run, source, anchor, rules.slices, rules.clusters, *rules.sources.values())
        history = BuildHistory.read(rules.history, rules, content_of(entrant.judgments, entrant.model), files)
    if anchor is not None:
        if saved_anchor is None:
            values = replace(entrant, run=opened[-1]).evaluate()
            saved_anchor = Baseline.of(values, entrant.judgments, model=entrant.model)
        anchor_name = anchor_name or (short_names([os.fspath(anchor)])[0] if is_path(anchor) else "anchor")
    elif history is not None and history.anchor is not None:
        saved_anchor, anchor_name = history.anchor, history.anchor_name
    found = compare_with_run(entrant, opened[1], names) if saved is None else compare_with_saved(entrant, saved, names)
    if rules.mode == "sure" and _same_run(run, source, saved):
        found = replace(found, unchanged=True)
    if saved_anchor is not None:
        found = with_anchor(found, entrant, saved_anchor, anchor_name or "anchor")
    return _apply(rules, found, worst, history)


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
def _apply(rules: Rules, inputs: GateInputs, worst: int, history: BuildHistory | None = None) -> Gate:
    """Apply the rules, and add the decision to the history."""
    reasons, worse, comparison = bound_reasons(inputs.candidate, rules), {}, inputs.comparison
    remarks: tuple[str, ...] = ()
    build = None
    if comparison is not None:
        losses = list(losses_of(comparison, rules.measures, rules))
        if inputs.total is not None:
            losses += losses_of(inputs.total, rules.measures, rules, "max_total_drop")
        if history is not None:
            build = history.begin(losses, rules.mode, str(rules.test))
            rules = replace(rules, alpha=build.alpha)
        rules, remarks = usable_rules(tested_losses(losses, rules), rules)
        few, queries = (of(comparison, rules.measures, rules) for of in (few_reasons, query_reasons))
        drops = drop_reasons(losses, rules, unchanged=inputs.unchanged)
        reasons = [*few, *drops, *queries, *missing_reasons(inputs.missing, rules), *reasons]
        worse = {m: comparison.where(m, n=worst, only="worse") for m in rules.measures}
    warnings = dict.fromkeys((*inputs.warnings, *(inputs.candidate if comparison is None else comparison).warnings))
    passed = all(r.passed for r in reasons)
    if history is not None and build is not None and comparison is not None:
        history.save(
            build,
            inputs.baseline(rules.measures, history.qrels),
            (comparison.names[0], comparison.names[1]),
            reasons,
            passed,
        )
    return Gate(
        passed=passed,
        reasons=tuple(reasons),
        rules=rules,
        candidate=inputs.candidate,
        comparison=comparison,
        worse=worse,
        warnings=tuple(warnings),
        build=build,
        remarks=remarks,
    )
