"""Choose the unjudged documents that should be judged next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.resample import generator
from judged.evaluation.provenance import Provenance
from judged.judging.strategies import DEFAULT, STRATEGIES, Candidates
from judged.judging.todo import Todo, TodoItem
from judged.judging.unjudged import Unjudged, find_unjudged, possible_changes
from judged.measures.registry import Measure
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.text import number

DEPTH = 100  # of measures without a cutoff


def depth_of(measure: Measure, depth: int | None) -> int:
    """Return the depth that is searched for unjudged documents: the cutoff of the measure, unless the caller chose one."""
    if depth is not None:
        return check_count(depth, "depth")
    cutoff: Any = measure.get("cutoff")
    return DEPTH if cutoff is None else int(cutoff)


def next_documents(
    names: Sequence[str],
    sources: Sequence[Provenance],
    measure: Measure,
    n: int = 50,
    *,
    strategy: str | None = None,
    depth: int | None = None,
    seed: int = 0,
) -> Todo:
    """Return the n unjudged documents that should be judged first, with what each can change.

    Args:
        names: of the runs.
        sources: judgments and run of each.
        measure: the measure by which the runs are compared.
        n: number of documents.
        strategy: order of the documents, see `STRATEGIES`. [default: depth]
        depth: ranks that are searched. [default: the cutoff of the measure, or 100]
        seed: random seed of the strategy `random`.
    """
    docs, effect = choose_documents(sources, measure, n, strategy=strategy, depth=depth, seed=seed)
    what = "difference" if len(names) > 1 else "mean"
    items = tuple(_item(docs, row, names, f"can move the {what} by {number(effect[row])}") for row in range(len(docs)))
    return Todo(
        items,
        title=f"what to judge next for {measure}, by {STRATEGIES.find(strategy or DEFAULT).name}" if items else "",
    )


@step("choosing documents")
def choose_documents(
    sources: Sequence[Provenance],
    measure: Measure,
    n: int,
    *,
    strategy: str | None = None,
    depth: int | None = None,
    seed: int = 0,
) -> tuple[Unjudged, Floats]:
    """Return the n documents with their ranks in each run, and how far each can move the difference between two runs; see `next_documents`."""
    check_count(n, "n")
    chosen = STRATEGIES.find(strategy or DEFAULT)
    docs = find_unjudged(sources, depth_of(measure, depth))
    if not len(docs):
        return docs, np.zeros(0)
    judged = tuple(source.judged for source in sources)
    level: Any = measure.get("level")
    candidates = Candidates(
        docs, possible_changes(measure, judged, docs, highest_grade(judged)), judged, level or 1, generator(seed)
    )
    priority, effect = chosen.priority(candidates), candidates.effect
    order = np.lexsort((np.arange(len(docs)), candidates.best_rank, -effect, -priority))[:n]
    return docs.take(order), effect[order]


def highest_grade(judged: Sequence[Any]) -> float:
    """Return the highest grade that was given; 1 if none is above it."""
    return max(1.0, *(float(j.pool_grade.max(initial=0)) for j in judged))


def _item(docs: Unjudged, row: int, names: Sequence[str], reason: str) -> TodoItem:
    ranks = docs.rank[row]
    runs = tuple(sorted(name for name, rank in zip(names, ranks.tolist(), strict=True) if rank))
    return TodoItem(docs.queries[docs.query[row]], docs.doc[row], int(ranks[ranks > 0].min()), runs, reason=reason)
