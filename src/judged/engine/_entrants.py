"""Who is compared: runs that were judged, or results that were given, over the queries that all share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged.core import Id, Judged
from judged.engine.evaluation import Measures, evaluate, judge
from judged.engine.named import named_runs, short_names
from judged.engine.values import Values
from judged.errors import DataError, UsageError, Warned, shown
from judged.measures import Measure
from judged.sources import read_qrels

__all__ = ["Entrants", "entrants_of", "refuse_geometric", "refuse_incomparable"]


@dataclass(frozen=True, slots=True)
class Entrants:
    """What is compared: each run's values over the same queries, and where known its judged documents."""

    names: tuple[str, ...]
    results: tuple[Values, ...]
    judged: tuple[Judged, ...]
    warnings: tuple[Warned, ...]


def entrants_of(qrels: Any, runs: Any, measures: Measures, **options: Any) -> Entrants:
    if runs is None:
        return _aligned(*_given(qrels), ())
    level, profile, policy = options.pop("level"), options.pop("profile"), options
    judgments = read_qrels(qrels)
    found = named_runs(runs)
    judged = [judge(judgments, run, profile=profile, **policy) for _, run in found]
    given = [name for name, _ in found]
    names = [n or s for n, s in zip(given, short_names([j.names[1] for j in judged]), strict=True)]
    judged = [replace(j, names=(j.names[0], name)) for j, name in zip(judged, names, strict=True)]
    results = [evaluate(j, measures=measures, level=level, profile=profile) for j in judged]
    return _aligned(names, results, tuple(judged))


def _given(results: Any) -> tuple[list[str], list[Values]]:
    pairs = (
        list(results.items())
        if isinstance(results, Mapping)
        else [(None, r) for r in results]
        if isinstance(results, list | tuple)
        else []
    )
    if not pairs or not all(isinstance(r, Values) for _, r in pairs):
        raise UsageError("runs", "judgments and two or more runs, or results of evaluate", got=shown(results))
    short = short_names([r.names[1] for _, r in pairs])
    return [str(n) if n is not None else s for (n, _), s in zip(pairs, short, strict=True)], [r for _, r in pairs]


def _aligned(names: Sequence[str], results: Sequence[Values], judged: tuple[Judged, ...]) -> Entrants:
    if len(results) < 2:
        raise UsageError("runs", "two or more runs to compare", got=str(len(results)))
    if len(set(names)) < len(names):
        raise UsageError("runs", "runs of different names", got=", ".join(names), hint="give them as {name: run}")
    refuse_incomparable(names, results)
    others = [set(r.queries) for r in results[1:]] if _differ(results) else []
    common = [q for q in results[0].queries if all(q in other for other in others)]
    if not common:
        raise DataError(
            "no-common-query",
            "queries that all runs share",
            got="none",
            hint="are they evaluated by the same judgments?",
        )
    warnings = dict.fromkeys(w for r in results for w in r.warnings)
    lost = len({q for r in results for q in r.queries}) - len(common)
    if lost:
        warnings[Warned("queries-differ", lost, f"{lost} queries that not all results hold were left out")] = None
    return Entrants(tuple(names), tuple(_only(r, common) for r in results), judged if not lost else (), tuple(warnings))


def _differ(results: Sequence[Values]) -> bool:
    return any(r.queries != results[0].queries for r in results[1:])


def _only(result: Values, queries: list[Id]) -> Values:
    if list(result.queries) == queries:
        return result
    place = {q: i for i, q in enumerate(result.queries)}
    rows = np.array([place[q] for q in queries])
    return replace(
        result,
        queries=tuple(queries),
        columns={n: c[rows] for n, c in result.columns.items()},
        if_irrelevant=None,
        if_top=None,
    )


def refuse_incomparable(names: Sequence[str], results: Sequence[Values]) -> None:
    """An error where results were computed under different conventions, which says what differs."""
    first = results[0]
    for name, other in zip(names[1:], results[1:], strict=True):
        for what, a, b in (("policy", first.policy, other.policy), ("profile", first.profile, other.profile)):
            if a != b:
                raise DataError(
                    "incomparable", f"one {what} for all: {a} ({names[0]})", got=f"{b} ({name})", hint="evaluate again"
                )
        if not {str(m) for m in first.measures} & {str(m) for m in other.measures}:
            raise DataError("incomparable", f"a measure of {names[0]} ({', '.join(map(str, first.measures))})",
                            got=f"{', '.join(map(str, other.measures))} ({name})")  # fmt: skip


def refuse_geometric(m: Measure) -> None:
    """An error for a measure that is summed up by a geometric mean: its values per query have another mean, and other differences."""
    if m.definition.summary == "geometric":
        raise UsageError(
            "summary",
            "measures whose values are averaged",
            got=f"{m}, a geometric mean",
            hint="compare AP instead",
            value=str(m),
        )
