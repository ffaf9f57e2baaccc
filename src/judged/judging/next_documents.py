"""Documents to judge next: the unjudged ones, what they can change, and the order in which they are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.judged_views import repeat_queries, with_judgments
from judged.core.tables import Id
from judged.errors import Hint, UsageError
from judged.evaluation.inputs import Provenance, in_one_order
from judged.evaluation.measuring import column
from judged.judging.todo import Todo, TodoItem
from judged.measures.registry import Measure
from judged.stats.checks import check_choice, check_count
from judged.steps import step
from judged.tables.table import number

Strategy = Literal["depth", "bounds"]
DEPTH = 100  # of measures without a cutoff


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Unjudged documents of the same queries in several runs.

    Args:
        queries: ids of the queries.
        query: of each document, a position in `queries`.
        doc: its id.
        rank: documents × runs; 0 if the run did not retrieve it within the depth.
    """

    queries: Sequence[Id]
    query: Ints
    doc: tuple[str, ...]
    rank: Ints

    def __len__(self) -> int:
        return len(self.doc)


def find_unjudged(sources: Sequence[Provenance], depth: int) -> Unjudged:
    """Return the documents without a grade in the first `depth` ranks of any run.

    Raises:
        UsageError: a run is not available as a whole, unjudged documents do not count, or judgments have subtopics.
    """
    queries = sources[0].judged.queries
    found: dict[tuple[int, str], list[int]] = {}
    for at, source in enumerate(sources):
        judged = source.judged
        if not source.is_local or judged.pool_doc is None:
            raise UsageError(
                "unjudged-run",
                "unjudged documents need judgments and runs in memory, not saved results or partitions",
                hint="pass judgments and runs",
            )
        if judged.policy.unjudged == "condensed":
            raise UsageError(
                "unjudged-run",
                "unjudged documents do not count under unjudged='condensed'",
                hint=Hint("omit {unjudged}", unjudged=None),
            )
        if source.alternatives or not judged.pool.one_aspect:
            raise UsageError(
                "unjudged-run",
                "documents to judge next are not chosen by subtopics or alternative sets",
                hint="use judgments with one grade per document",
            )
        known: list[set[str]] = [set() for _ in queries]
        for query, doc in zip(judged.pool_query.tolist(), judged.pool_doc.texts(), strict=True):
            known[query].add(doc)
        for query, docs in enumerate(source.documents(range(len(queries)), depth)):
            for rank, doc in enumerate(docs, 1):
                if doc not in known[query]:
                    found.setdefault((query, doc), [0] * len(sources))[at] = rank
    order = sorted(found, key=lambda key: (key[0], min(rank for rank in found[key] if rank), key[1]))
    ranks = np.array([found[key] for key in order], np.int64).reshape(len(order), len(sources))
    return Unjudged(queries, np.array([query for query, _ in order], np.int64), tuple(doc for _, doc in order), ranks)


def possible_changes(measure: Measure, judged: Sequence[Judged], docs: Unjudged, grade: float) -> Floats:
    """Return documents × runs: the value of the query if the document has this grade, less its value if it has grade 0."""
    changes = np.zeros(docs.rank.shape)
    for run, j in enumerate(judged):
        one = repeat_queries(in_one_order(j), docs.query)  # each document is alone in its own copy of the query
        grades = [np.full(len(docs), each) for each in (float(grade), 0.0)]
        graded = with_judgments(one, np.arange(len(docs)), docs.rank[:, run], grades)
        high, low = (np.asarray(column(measure, each, None), float) for each in graded)
        changes[:, run] = high - low
    return np.nan_to_num(changes)


def values_if(measure: Measure, judged: Judged, docs: Unjudged, rank: Ints, grade: Floats) -> Floats:
    """Return the value of every query, as if each document had its grade."""
    one = in_one_order(judged)
    [more] = with_judgments(one, docs.query, rank, [grade])
    return np.asarray(column(measure, more, None), float)


def depth_of(measure: Measure, depth: int | None) -> int:
    """Return the depth that is searched for unjudged documents: the cutoff of the measure, unless the caller chose one."""
    if depth is not None:
        return check_count(depth, "depth")
    cutoff: Any = measure.get("cutoff")
    return DEPTH if cutoff is None else int(cutoff)


@step("choosing documents")
def next_documents(
    names: Sequence[str],
    sources: Sequence[Provenance],
    measure: Measure,
    n: int = 50,
    *,
    strategy: Strategy = "depth",
    depth: int | None = None,
) -> Todo:
    """Return the n unjudged documents that should be judged first, with what each can change.

    `depth` takes the best ranks first: the differences are then nearest to those of the whole pool, see docs/explanations/judging.md.
    `bounds` takes the documents first that can move the difference most; of a single run, its mean.

    Args:
        names: of the runs.
        sources: judgments and run of each.
        measure: the measure by which the runs are compared.
        n: number of documents.
        strategy: order of documents: depth (best rank first), or bounds (what can move the difference most).
        depth: ranks that are searched. [default: the cutoff of the measure, or 100]
    """
    check_count(n, "n")
    check_choice(strategy, Strategy, "strategy")
    docs = find_unjudged(sources, depth_of(measure, depth))
    if not len(docs):
        return Todo((), title="")
    judged = [source.judged for source in sources]
    change = possible_changes(measure, judged, docs, highest_grade(judged))
    spread = np.ptp(change, axis=1) if len(sources) > 1 else np.abs(change[:, 0])
    effect = spread / len(docs.queries)
    best = np.where(docs.rank > 0, docs.rank, np.inf).min(axis=1)
    rows = np.lexsort((best, -effect, best if strategy == "depth" else -effect))[:n]  # stable: then in order of queries
    what = "difference" if len(names) > 1 else "mean"
    items = []
    for row, most in zip(rows.tolist(), effect[rows].tolist(), strict=True):
        rank_in = {name: rank for name, rank in zip(names, docs.rank[row].tolist(), strict=True) if rank}
        reason = f"can move the {what} by {number(most)}"
        query = docs.queries[docs.query[row]]
        items.append(TodoItem(query, docs.doc[row], min(rank_in.values()), tuple(sorted(rank_in)), reason=reason))
    return Todo(tuple(items), title=f"what to judge next for {measure}, by {strategy}")


def highest_grade(judged: Sequence[Judged]) -> float:
    """Return the highest grade that was given; 1 if none is above it."""
    return max(1.0, *(float(j.pool_grade.max(initial=0)) for j in judged))
