"""Who is compared: runs that were judged, or results that were given, over the queries that all share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core.judged import Judged
from judged.core.tables import Id
from judged.distributed.open_run import open_run
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.result.source import Provenance
from judged.evaluation.result.values import Values
from judged.io.read import read_qrels
from judged.io.run_names import named_runs, short_names
from judged.measures.registry import Measure

__all__ = ["ComparedRuns", "evaluate_runs", "refuse_geometric", "refuse_incomparable"]


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """What is compared: each run's values over the same queries, and where known its judged documents."""

    names: tuple[str, ...]
    results: tuple[Values, ...]
    judged: tuple[Judged, ...]
    warnings: tuple[Warned, ...]


def evaluate_runs(qrels: Any, runs: Any, measures: Measures, **options: Any) -> ComparedRuns:
    if runs is None:
        return _aligned(*_given(qrels))
    level, profile, policy = options.pop("level"), options.pop("profile"), options
    judgments = read_qrels(qrels)
    found = named_runs(runs)
    engine = policy.pop("engine", None)
    ready = [
        open_run(run, engine) if name is None else replace(open_run(run, engine), name=name) for name, run in found
    ]
    results = [evaluate(judgments, run, measures, level=level, profile=profile, **policy) for run in ready]
    given = [name for name, _ in found]
    names = [n or s for n, s in zip(given, short_names([r.names[1] for r in results]), strict=True)]
    return _aligned(names, [replace(r, names=(r.names[0], n)) for n, r in zip(names, results, strict=True)])


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


def _aligned(names: Sequence[str], results: Sequence[Values]) -> ComparedRuns:
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
    kept = tuple(_only(r, common) for r in results)
    return ComparedRuns(tuple(names), kept, _judged(kept), tuple(warnings))


def _judged(results: Sequence[Values]) -> tuple[Judged, ...]:
    """The judged rankings, where all are at hand and rest on the same judgments."""
    found = tuple(r.source.judged for r in results if r.source is not None)
    if len(found) < len(results):
        return ()
    return found if all(_same_pool(found[0], other) for other in found[1:]) else ()


def _same_pool(a: Judged, b: Judged) -> bool:
    if a.pool_doc is None or b.pool_doc is None or len(a.pool_doc) != len(b.pool_doc):
        return False
    every = np.arange(len(a.pool_doc))
    alike = np.array_equal(a.pool_query, b.pool_query) and np.array_equal(a.pool_grade, b.pool_grade)
    return alike and bool(a.pool_doc.same(every, b.pool_doc, every).all())


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
        source=_source_of(result, rows),
    )


def _source_of(result: Values, rows: NDArray[np.int64]) -> Provenance | None:
    """What stands behind some of the queries; None where they come in another order, which a `Judged` does not."""
    if result.source is None or (np.diff(rows) < 0).any():
        return None
    return result.source.select(rows)


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
