"""The gate of continuous integration: a candidate is compared with a baseline, and rules decide whether it passes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.core import Judged, Qrels, Run, Unread
from judged.engine._baseline import Baseline, saved_result
from judged.engine._compared import Comparison
from judged.engine._decision import bound_reasons, drop_reasons, query_reasons
from judged.engine._gated import Gate
from judged.engine._rule import DEFAULT_KEY, Rules
from judged.engine.comparison import compare
from judged.engine.evaluation import DEFAULT, Measures, evaluate, judge, levelled
from judged.engine.named import short_names
from judged.engine.slicing import slices_of
from judged.engine.values import Values
from judged.errors import DataError, UsageError, Warned, shown
from judged.measures import parse, parse_all
from judged.measures.profile import profile as profile_named
from judged.sources import open_run, read_qrels

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
        baseline: a run; or a result: a file that `baseline(…).save` or `Values.save` wrote, or a `Values`. Without one, only `min` and `max` are looked at.
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
        rules: a `judged.toml`, or a mapping with these keys; what is given by name wins.
        worst: how many of the queries that got worse are kept for each measure.
        others: `test`, `interval`, `correction`, `resamples`, `seed` as in `compare`; `level`, `profile` and policies as in `evaluate`; `allow_changed_judgments`.

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
    saved = None if source is None else saved_result(source)
    wanted = _wanted(asked, saved, source is not None)
    asked = _renamed(asked, wanted)
    sides = _Sides(read_qrels(judgments), open_run(candidate), wanted, asked)
    if source is None:
        return _decided(asked, None, sides.candidate(), (), worst)
    names = _names(source, candidate, saved)
    if saved is not None:
        return _decided(asked, *_with_saved(sides, saved, names), worst)
    return _decided(asked, *_with_run(sides, source, names), (), worst)


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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The measures held against the baseline, and all that are evaluated, under the names that results have."""

    compared: tuple[str, ...]
    bounded: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        return list(dict.fromkeys((*self.compared, *self.bounded)))


@dataclass(frozen=True, slots=True)
class _Sides:
    qrels: Qrels
    run: Run | Unread
    wanted: _Wanted
    rules: Rules

    def judged(self) -> Judged:
        return judge(self.qrels, self.run, profile=self.rules.profile, **self.rules.policy)

    def candidate(self) -> Values:
        return evaluate(self.judged(), measures=self.wanted.all, level=self.rules.level, profile=self.rules.profile)


def _wanted(rules: Rules, saved: Baseline | None, compared: bool) -> _Wanted:
    bounded = _resolved((*rules.min, *rules.max), rules)
    if not compared and not bounded:
        raise UsageError(
            "rule",
            "something to hold the candidate to: a baseline, or min or max",
            got="neither",
            hint="for example --baseline main.run",
        )
    if not compared:
        return _Wanted((), bounded)
    names = rules.measures or (tuple(map(str, saved.values.measures)) if saved else tuple(map(str, parse_all(DEFAULT))))
    return _Wanted(_resolved(names, rules, numbers=bool(rules.measures)), bounded)


def _resolved(names: Sequence[str], rules: Rules, *, numbers: bool = True) -> tuple[str, ...]:
    """The names that results will have, under the profile and the level; measures that are text are refused, or left out."""
    chosen = profile_named(rules.profile)
    found = [levelled(chosen.apply(parse(name)), rules.level) for name in names]
    for m in found:
        if numbers and m.definition.text:
            raise UsageError("measure", "a measure that is a number", got=str(m), value=str(m))
    return tuple(dict.fromkeys(str(m) for m in found if not m.definition.text))


def _renamed(rules: Rules, wanted: _Wanted) -> Rules:
    """The rules under the names that results have; a drop for a measure that is not compared is an error."""
    least, most = (
        {_resolved([name], rules)[0]: value for name, value in bounds.items()} for bounds in (rules.min, rules.max)
    )
    drops = {
        name if name == DEFAULT_KEY else _resolved([name], rules)[0]: value for name, value in rules.max_drop.items()
    }
    for name in drops:
        if name != DEFAULT_KEY and wanted.compared and name not in wanted.compared:
            raise UsageError(
                "rule", f"max_drop of one of {', '.join(wanted.compared)}", got=name, hint=f"add -m {name}", value=name
            )
    return replace(rules, measures=wanted.compared, max_drop=drops, min=least, max=most)


def _names(source: Any, candidate: Any, saved: Baseline | None) -> tuple[str, str]:
    """What the two are called: files by their names; if these are the same, by what they are."""
    told = [os.fspath(s) if isinstance(s, str | os.PathLike) and s != "-" else None for s in (source, candidate)]
    given = [str(t) if t else word for t, word in zip(told, ("baseline", "candidate"), strict=True)]
    if saved is not None and told[0] is None and saved.values.names[1] != "run":
        given[0] = saved.values.names[1]
    first, second = short_names(given) if given[0] != given[1] else ("baseline", "candidate")
    return first, second


def _options(rules: Rules, slices: Any) -> dict[str, Any]:
    """Compared as `judged compare` does; one pair leaves nothing to correct, the gate corrects over measures and slices."""
    names = ("test", "interval", "alpha", "min_queries", "resamples", "seed")
    return {
        "baseline": 0,
        "correction": "none",
        "slices": slices or None,
        **{name: getattr(rules, name) for name in names},
    }


def _with_run(sides: _Sides, source: Any, names: tuple[str, str]) -> tuple[Comparison, Values]:
    rules = sides.rules
    runs = dict(zip(names, (open_run(source), sides.run), strict=True))
    found = compare(
        sides.qrels,
        runs,
        sides.wanted.all,
        level=rules.level,
        profile=rules.profile,
        **rules.policy,
        **_options(rules, list(rules.slices)),
    )
    whole = not any(w.slug == "queries-differ" for w in found.warnings)  # else it lacks queries that the baseline lacks
    return found, found.results[1] if whole else sides.candidate()


def _with_saved(
    sides: _Sides, saved: Baseline, names: tuple[str, str]
) -> tuple[Comparison, Values, tuple[Warned, ...]]:
    rules, stored = sides.rules, saved.values
    for name in sides.wanted.compared:
        if name not in stored.columns:
            raise DataError(
                "incomparable",
                f"{name} in the baseline ({names[0]})",
                got=f"{', '.join(stored.columns)} only",
                hint=f"save it again with -m {name}",
            )
    warnings = saved.warnings(sides.qrels, allow_changed=rules.allow_changed_judgments)
    judged = sides.judged()
    values = evaluate(judged, measures=sides.wanted.all, level=rules.level, profile=rules.profile)
    relevant = judged.relevant(1 if rules.level is None else rules.level)
    slices = [_mapping(values, relevant) if isinstance(one, str) and one == "relevant" else one for one in rules.slices]
    only = {name: column for name, column in stored.columns.items() if name in sides.wanted.compared}
    stored = replace(stored, measures=tuple(m for m in stored.measures if str(m) in only), columns=only)
    found = compare(dict(zip(names, (stored, values), strict=True)), **_options(rules, slices))
    return found, values, warnings


def _mapping(values: Values, relevant: Any) -> dict[Any, str]:
    """{query: group} by the number of relevant documents, which a saved result does not know."""
    groups = slices_of("relevant", values.queries, relevant).groups
    return {
        query: label
        for label, rows in groups
        for query, there in zip(values.queries, rows.tolist(), strict=True)
        if there
    }


# ── what is decided ──────────────────────────────────────────────────────────────────────────────


def _decided(
    rules: Rules, comparison: Comparison | None, candidate: Values, warnings: tuple[Warned, ...], worst: int
) -> Gate:
    if isinstance(worst, bool) or not isinstance(worst, int) or worst < 0:
        raise UsageError("parameter", "worst: a whole number from 0", got=shown(worst), value=worst)
    reasons = bound_reasons(candidate, rules)
    worse = {}
    if comparison is not None:
        reasons = (
            drop_reasons(comparison, rules.measures, rules) + query_reasons(comparison, rules.measures, rules) + reasons
        )
        worse = {m: comparison.where(m, n=worst, only="worse") for m in rules.measures}
    told = dict.fromkeys((*warnings, *(candidate.warnings if comparison is None else comparison.warnings)))
    return Gate(
        passed=all(r.passed for r in reasons), reasons=tuple(reasons), rules=rules, candidate=candidate, comparison=comparison,
        worse=worse, warnings=tuple(told),
    )  # fmt: skip
