"""The gate of continuous integration: a candidate is compared with a baseline, and rules decide whether it passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judged.distributed.open_run import open_run
from judged.errors import UsageError, shown
from judged.evaluation.evaluate import DEFAULT, Measures, evaluate, with_level
from judged.io.read import read_qrels
from judged.io.run_names import short_names
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import profile as profile_named
from judged.quality_gate.baseline import Baseline, saved_result
from judged.quality_gate.inputs import GateInputs, GateMeasures, Sides, with_run, with_saved
from judged.quality_gate.reasons import bound_reasons, drop_reasons, missing_reasons, query_reasons
from judged.quality_gate.result import Gate
from judged.quality_gate.rules import DEFAULT_KEY, Rules

__all__ = ["baseline", "gate"]


def gate(
    qrels: Any,
    candidate: Any,
    *,
    baseline: Any = None,
    measures: Measures | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    mode: str | None = None,
    alpha: float | None = None,
    min: Mapping[str, float] | None = None,
    max: Mapping[str, float] | None = None,
    max_query_drop: float | str | tuple[float, int] | None = None,
    slices: Any = None,
    min_queries: int | None = None,
    rules: Any = None,
    worst: int = 10,
    **others: Any,
) -> Gate:
    """Whether a candidate may replace a baseline: `passed`, with a reason for each rule, and the queries that got worse.

    Args:
        qrels: judgments, in any form that `read_qrels` takes; None: those that the rules name.
        candidate: a run, in any form that `read_run` takes.
        baseline: a run; or a result: a file that `baseline(…).save` or `Values.save` wrote, or a `Values`. Without one, there can be rules `min` and `max` only.
        measures: as in `evaluate`; those of a saved baseline, if not given.
        max_drop: how much worse a mean may get (default 0): a number, or {measure: number}.
        mode: `significant` (default): a drop fails where it is more than `max_drop` and noise does not explain it; `mean`: wherever it is more;
            `sure`: wherever it might be more, given the noise.
        alpha: the chance of a false alarm that is accepted, over all measures and slices (default 0.05).
        min: {measure: the least value} of the candidate.
        max: {measure: the largest value}.
        max_query_drop: (drop, queries), or `"0.3:2"`: no more queries than these may get worse by more than the drop.
        slices: groups of queries that must not get worse either: `"FILE:COLUMN"`, (table of queries, name of a column), {query: group} or `"relevant"`; a list of several.
        min_queries: slices of fewer are not held to anything (default 10).
        rules: a `judged.toml`, or a mapping with these keys; what is given by name wins, measure by measure.
        worst: how many of the queries that got worse are kept for each measure.
        others: `test`, `interval`, `correction`, `resamples`, `seed` as in `compare`; `level`, `profile` and policies as in `evaluate`; `allow_changed_judgments`; `allow_missing_queries`.

    >>> held = gate({"q": {"a": 1}}, {"q": ["a", "b"]}, baseline={"q": ["b", "a"]}, measures="RR")
    >>> held.passed, held.reasons[0].sentence
    (True, 'RR is better by 0.5000 (0.5000 → 1.0000).')
    """
    given = {"baseline": baseline, "measures": measures, "max_drop": max_drop, "mode": mode, "alpha": alpha, "min": min, "max": max,
             "max_query_drop": max_query_drop, "slices": slices, "min_queries": min_queries, **others}  # fmt: skip
    asked = Rules.of(rules, **given)
    source, judgments = asked.baseline, asked.qrels if qrels is None else qrels
    if judgments is None:
        raise UsageError("rule", "judgments", got="none", hint="name them in the call, or as qrels in the rules")
    if source is None:
        asked.need_baseline()
    saved = None if source is None else saved_result(source)
    wanted = _wanted(asked, saved, source is not None)
    asked = _renamed(asked, wanted)
    sides = Sides(read_qrels(judgments), open_run(candidate), wanted, asked)
    if source is None:
        return _decided(asked, GateInputs(None, sides.candidate()), worst)
    names = _names(source, candidate, saved)
    held = with_run(sides, source, names) if saved is None else with_saved(sides, saved, names)
    return _decided(asked, held, worst)


def baseline(
    qrels: Any,
    run: Any,
    measures: Measures = DEFAULT,
    *,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **policy: Any,
) -> Baseline:
    """A result to compare later candidates with: values of each query, policy, version, hashes of the inputs. `save` writes it.

    >>> baseline({"q": {"a": 1}}, {"q": ["b", "a"]}, "RR").values.mean()
    {'RR': 0.5}
    """
    judgments = read_qrels(qrels)
    values = evaluate(judgments, run, measures, level=level, profile=profile, **policy)
    return Baseline.of(values, judgments, qrels, run)


# ── what is compared ─────────────────────────────────────────────────────────────────────────────


def _wanted(rules: Rules, saved: Baseline | None, compared: bool) -> GateMeasures:
    bounded = _resolved((*rules.min, *rules.max), rules)
    if not compared and not bounded:
        raise UsageError(
            "rule",
            "something to hold the candidate to: a baseline, or min or max",
            got="neither",
            hint="for example --baseline main.run",
        )
    if not compared:
        idle = [m for m in _resolved(rules.measures, rules) if m not in bounded]
        if idle:
            raise UsageError(
                "rule", f"a rule for {idle[0]}: a baseline, or min or max", got="none", where=rules.said.get("measures"), value=idle[0]
            )  # fmt: skip
        return GateMeasures((), bounded)
    names = rules.measures or (tuple(map(str, saved.values.measures)) if saved else tuple(map(str, parse_all(DEFAULT))))
    return GateMeasures(_resolved(names, rules, numbers=bool(rules.measures)), bounded)


def _resolved(names: Sequence[str], rules: Rules, *, numbers: bool = True) -> tuple[str, ...]:
    """The names that results will have, under the profile and the level; measures that are text are refused, or left out."""
    chosen = profile_named(rules.profile)
    found = [with_level(chosen.apply(parse(name)), rules.level) for name in names]
    for m in found:
        if numbers and m.definition.text:
            raise UsageError("measure", "a measure that is a number", got=str(m), value=str(m))
    return tuple(dict.fromkeys(str(m) for m in found if not m.definition.text))


def _renamed(rules: Rules, wanted: GateMeasures) -> Rules:
    """The rules under the names that results have; a drop for a measure that is not compared is an error."""
    least, most, drops = (
        _strictest(bounds, rules, pick) for bounds, pick in ((rules.min, max), (rules.max, min), (rules.max_drop, min))
    )
    for name in drops:
        if name != DEFAULT_KEY and wanted.compared and name not in wanted.compared:
            raise UsageError(
                "rule", f"max_drop of one of {', '.join(wanted.compared)}", got=name, hint=f"add -m {name}", value=name
            )
    return replace(rules, measures=wanted.compared, max_drop=drops, min=least, max=most)


def _strictest(bounds: Mapping[str, float], rules: Rules, pick: Callable[[float, float], float]) -> dict[str, float]:
    """Bounds by the names that results have; where the level or the profile makes two of them one, the stricter."""
    found: dict[str, float] = {}
    for name, value in bounds.items():
        own = name if name == DEFAULT_KEY else _resolved([name], rules)[0]
        found[own] = pick(found[own], value) if own in found else value
    return found


def _names(source: Any, candidate: Any, saved: Baseline | None) -> tuple[str, str]:
    """What the two are called: files by their names; if these are the same, with what they are."""
    told = [os.fspath(s) if isinstance(s, str | os.PathLike) and s != "-" else None for s in (source, candidate)]
    given = [str(t) if t else word for t, word in zip(told, ("baseline", "candidate"), strict=True)]
    if saved is not None and told[0] is None and saved.values.names[1] != "run":
        given[0] = saved.values.names[1]
    if given[0] == given[1]:
        [name] = short_names(given[:1])
        return f"{name} (baseline)", f"{name} (candidate)"
    first, second = short_names(given)
    return first, second


# ── what is decided ──────────────────────────────────────────────────────────────────────────────


def _decided(rules: Rules, held: GateInputs, worst: int) -> Gate:
    if isinstance(worst, bool) or not isinstance(worst, int) or worst < 0:
        raise UsageError("parameter", "worst: a whole number from 0", got=shown(worst), value=worst)
    reasons, worse, found = bound_reasons(held.candidate, rules), {}, held.comparison
    if found is not None:
        reasons = [
            *drop_reasons(found, rules.measures, rules),
            *query_reasons(found, rules.measures, rules),
            *missing_reasons(held.missing, rules),
            *reasons,
        ]
        worse = {m: found.where(m, n=worst, only="worse") for m in rules.measures}
    told = dict.fromkeys((*held.warnings, *(held.candidate.warnings if found is None else found.warnings)))
    return Gate(
        passed=all(r.passed for r in reasons), reasons=tuple(reasons), rules=rules, candidate=held.candidate, comparison=found,
        worse=worse, warnings=tuple(told),
    )  # fmt: skip
