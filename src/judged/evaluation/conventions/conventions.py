"""Compute one measure under the conventions of every tool, and find the conventions that make the difference."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from judged.core.policy import Policy
from judged.errors import JudgedError, UsageError, shown
from judged.evaluation.conventions.result import Cause, Conventions, QueryRange, ToolValue
from judged.evaluation.conventions.switches import Outcome, Outcomes, Switch, switches
from judged.evaluation.inputs import read_and_join
from judged.evaluation.options import EvaluateOptions, RagOptions, with_level
from judged.measures.grammar import parse_all
from judged.measures.profiles import PROFILES, Profile
from judged.measures.registry import Measure
from judged.steps import step


def conventions(
    measure: str | Measure,
    qrels: Any,
    run: Any = None,
    to: str | float | None = None,
    *,
    level: float | None = None,
    **options: Unpack[EvaluateOptions],
) -> Conventions:
    """Show one measure under the conventions of every tool, and which convention causes each difference.

    The values are those of `evaluate` with each profile. A cause is found by switching conventions one at a time: the smallest set of them
    that gives every query the value of the profile.

    Args:
        measure: one measure, such as `"nDCG@10"`; explicit parameters hold for every tool.
        qrels: judgments in any format that `evaluate` takes.
        run: a run in any format that `evaluate` takes.
        to: a published number; find the profiles, else the single conventions, else the pairs of conventions that give it, rounded to its
            decimals. Pass text to keep zeros at the end: `"0.430"`. A number above 1 is read as percent if the measure is at most 1.
        level: lowest relevant grade of a binary measure.
        options: those of `evaluate`; policies that are given hold for every tool.

    >>> found = conventions("P@2", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> print(found["mlflow"].text)
    mlflow differs by +0.5000 because it shrinks the cutoff to the length of a shorter ranking
    """
    rag, given = RagOptions.separate(options)
    chosen = _one(measure, level)
    source = read_and_join(qrels, run, Policy(**given), rag)
    outcomes = Outcomes(chosen, source)
    default = outcomes.of(())
    if isinstance(default, JudgedError):
        raise default
    result = _under_profiles(outcomes, default, given)
    if to is None:
        return result
    from judged.evaluation.conventions.published import find_published

    return find_published(result, outcomes, to, given)


@step("applying conventions")
def _under_profiles(outcomes: Outcomes, default: Outcome, given: Mapping[str, Any]) -> Conventions:
    """The values under every profile, with their causes."""
    measure, judged = outcomes.measure, outcomes.source.judged
    sets = {p.name: switches(measure, p, given) for p in PROFILES.values() if p.has(measure)}
    tools = tuple(_value(outcomes, default, p, sets.get(p.name)) for p in PROFILES.values())
    return Conventions(
        measure=str(measure),
        names=judged.names,
        default=default.value,
        n_queries=len(default.column),
        tools=tools,
        queries=_ranges(outcomes, default, sets),
        policy=str(judged.policy),
        warnings=judged.warnings,
    )


def _one(measure: str | Measure, level: float | None) -> Measure:
    found = parse_all(measure)
    if len(found) != 1:
        raise UsageError(
            "unsuitable-measure",
            f"conventions are shown for one measure, got {len(found)}",
            hint="name one, such as nDCG@10",
        )
    if found[0].definition.text or found[0].definition.summary == "none":
        raise UsageError(
            "unsuitable-measure",
            f"the values of {shown(str(found[0]))} have no mean",
            hint="name a measure of numbers, such as nDCG@10",
        )
    return with_level(found[0], level)


def _value(outcomes: Outcomes, default: Outcome, profile: Profile, chosen: tuple[Switch, ...] | None) -> ToolValue:
    """The value under a profile, and its causes; `chosen` is None if the tool has no such measure."""
    if chosen is None:
        return ToolValue(profile.name, str(outcomes.measure), known=False)
    theirs = outcomes.of(chosen)
    if isinstance(theirs, JudgedError):
        return ToolValue(profile.name, str(outcomes.measure), problem=theirs.problem)
    causes = [_cause(outcomes, default, switch) for switch in smallest(outcomes, chosen, theirs)]
    causes.sort(key=lambda cause: -abs(cause.alone or 0.0))
    apart = ~((theirs.column == default.column) | (np.isnan(theirs.column) & np.isnan(default.column)))
    return ToolValue(
        profile.name,
        str(theirs.measure),
        value=theirs.value,
        difference=theirs.value - default.value,
        n_queries=int(theirs.counts.sum()),
        n_apart=int(apart.sum()),
        causes=tuple(causes),
    )


def smallest(outcomes: Outcomes, chosen: tuple[Switch, ...], wanted: Outcome) -> tuple[Switch, ...]:
    """The smallest set of conventions with the same values for every query; of several, the first."""
    for size in range(len(chosen)):
        for some in combinations(chosen, size):
            found = outcomes.of(some)
            if isinstance(found, Outcome) and found.same(wanted):
                return some
    return chosen


def _cause(outcomes: Outcomes, default: Outcome, switch: Switch) -> Cause:
    alone = outcomes.of((switch,))
    change = None if isinstance(alone, JudgedError) else alone.value - default.value
    return Cause(switch.name, switch.value, switch.text, switch.option, change)


def _ranges(outcomes: Outcomes, default: Outcome, sets: dict[str, tuple[Switch, ...]]) -> tuple[QueryRange, ...]:
    """The lowest and the highest value of each query that has several, those that differ most first."""
    computed = {name: found for name, s in sets.items() if isinstance(found := outcomes.of(s), Outcome)}
    if not computed:
        return ()
    table = np.stack([found.column for found in computed.values()])
    counts = np.stack([found.counts & ~np.isnan(found.column) for found in computed.values()])
    low = np.where(counts, table, np.inf).min(axis=0)
    high = np.where(counts, table, -np.inf).max(axis=0)
    out = (~counts).sum(axis=0)
    spread = np.where(low <= high, high - low, 0.0)
    names, queries = list(computed), outcomes.source.judged.queries
    rows = np.lexsort((-out, -spread))  # stable: queries in their order

    def by(i: int, value: float) -> tuple[float, tuple[str, ...]]:
        here = counts[:, i] & (table[:, i] == value)
        return float(value), tuple(name for name, its in zip(names, here.tolist(), strict=True) if its)

    def absent(i: int) -> tuple[str, ...]:
        return tuple(name for name, counted in zip(names, counts[:, i].tolist(), strict=True) if not counted)

    chosen = [i for i in rows.tolist() if spread[i] > 0 or 0 < out[i] < len(names)]
    return tuple(
        QueryRange(queries[i], float(default.column[i]), float(spread[i]), by(i, low[i]), by(i, high[i]), absent(i))
        for i in chosen
    )
