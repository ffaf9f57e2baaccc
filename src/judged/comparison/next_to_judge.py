"""Documents to judge next to decide a comparison, and whether unjudged documents can change its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from judged._types import Floats
from judged.errors import UsageError
from judged.evaluation.inputs import Provenance
from judged.evaluation.measuring import Views
from judged.judging.next_documents import (
    Strategy,
    Unjudged,
    depth_of,
    find_unjudged,
    highest_grade,
    next_documents,
    possible_changes,
    values_if,
)
from judged.judging.todo import Todo
from judged.measures.registry import Measure
from judged.stats.decisions import decide_family
from judged.stats.differences import known_rows

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison
    from judged.comparison.difference import Difference


def next_to_judge(
    comparison: Comparison, row: Difference, n: int, *, strategy: Strategy, depth: int | None, every: bool
) -> Todo:
    """Return the documents to judge next for one difference, or for all runs of the comparison, with what they can change.

    Args:
        comparison: of runs, not of saved results.
        row: the difference whose verdict is examined.
        n: number of documents.
        strategy: see `next_documents`.
        depth: ranks that are searched. [default: the cutoff of the measure, or 100]
        every: choose documents for all runs, not only for the two of the row.
    """
    names = list(comparison.names) if every else [row.a, row.b]
    results = [comparison.results[comparison.names.index(name)] for name in names]
    measure = next(m for m in results[0].measures if str(m) == row.measure)
    known = [result.source for result in results if isinstance(result.source, Provenance)]
    if len(known) < len(results):
        problem = "documents to judge next need judgments and runs, not results"
        raise UsageError("unjudged-run", problem, hint="compare the runs with their judgments")
    if measure.get("judged_only"):
        problem = f"{measure} leaves unjudged documents out of the rankings"
        raise UsageError("unjudged-run", problem, hint=f"use {measure(judged_only=False)}", value=str(measure))
    sources = [Views(source).of(measure) for source in known]  # a profile may order documents by measure
    todo = next_documents(names, sources, measure, n, strategy=strategy, depth=depth)
    at = [names.index(name) for name in (row.a, row.b)]
    said = _can_turn(comparison, row, [sources[i] for i in at], measure, depth) if len(todo) else _ALL_JUDGED
    return replace(todo, answer=said)


_ALL_JUDGED = "No unjudged document can change this verdict."


def _can_turn(
    comparison: Comparison, row: Difference, sources: Sequence[Provenance], measure: Measure, depth: int | None
) -> str:
    """Say whether grades of the unjudged documents that favour one run as far as possible change the verdict."""
    docs = find_unjudged(sources, depth_of(measure, depth))
    settings, first, verdicts = comparison.settings, comparison.results[0], {}
    for favoured, sign in ((row.b, 1), (row.a, -1)):
        x = _most_favourable(measure, sources, docs, -sign if measure.definition.lower_is_better else sign)
        known = known_rows(x) if first.weights is None else known_rows(x) & (first.weights > 0)
        clusters, weights = (None if of is None else of[known] for of in (first.clusters, first.weights))
        (found,) = decide_family(
            [x[known] * (-1 if measure.definition.lower_is_better else 1)],
            [(0, 1)],
            test=settings.test,
            correction="none",
            alpha=row.level,
            margin=settings.margin,
            clusters=[clusters],
            weights=[weights],
            resamples=settings.resamples,
            seed=settings.seed,
        )
        verdicts[favoured] = found.verdict[0]
    turned = {name: verdict for name, verdict in verdicts.items() if verdict != row.verdict}
    if not turned:
        return f"{_ALL_JUDGED} ({row.b} {row.verdict}, compared with {row.a} by {row.measure})"
    cases = "; ".join(f"in favour of {name}: {row.b} {verdict}" for name, verdict in turned.items())
    return f"Unjudged documents can change the verdict. If all were graded {cases} (now: {row.verdict})."


def _most_favourable(measure: Measure, sources: Sequence[Provenance], docs: Unjudged, sign: int) -> Floats:
    """Return queries × two runs, with the grades of unjudged documents that favour the second run (sign 1) or the first (-1).

    Two assignments are tried, and each query takes the better one: the highest grade for documents that move the difference in that direction on
    their own, and for documents that the favoured run ranks higher. They are the same for measures that are sums over documents.
    """
    judged = [source.judged for source in sources]
    top = highest_grade(judged)
    alone = possible_changes(measure, judged, docs, top) @ np.array([-1.0, 1.0]) * sign > 0
    place = np.where(docs.rank > 0, 1 / np.maximum(docs.rank, 1), 0.0)
    higher = (place[:, 1] - place[:, 0]) * sign > 0
    tried = [
        np.stack(
            [
                values_if(measure, j, docs, docs.rank[:, run], np.where(chosen, top, 0.0))
                for run, j in enumerate(judged)
            ],
            axis=1,
        )
        for chosen in (alone, higher)
    ]
    first, second = (np.nan_to_num(x[:, 1] - x[:, 0]) * sign for x in tried)
    return np.where((second > first)[:, None], tried[1], tried[0])
