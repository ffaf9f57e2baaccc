"""The unjudged documents at the top of several runs, and what a judgment of each could change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.judged_views import repeat_queries, with_judgments
from judged.core.tables import Id
from judged.errors import Hint, UsageError
from judged.evaluation.measuring import column
from judged.evaluation.provenance import Provenance, in_one_order
from judged.measures.registry import Measure


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

    def take(self, rows: Ints) -> Unjudged:
        """Return some of the documents."""
        return Unjudged(self.queries, self.query[rows], tuple(self.doc[row] for row in rows), self.rank[rows])


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
        if source.alternatives:
            raise UsageError(
                "unjudged-run",
                "documents to judge next are not chosen if any of several sets answers a query",
                hint="use judgments with one set",
            )
        if not judged.pool.one_aspect:
            raise UsageError(
                "unjudged-run",
                "documents to judge next are not chosen by subtopic",
                hint="use judgments without subtopics",
            )
        known = _pool_documents(judged)
        for query, docs in enumerate(source.documents(range(len(queries)), depth)):
            for rank, doc in enumerate(docs, 1):
                if doc not in known[query]:
                    found.setdefault((query, doc), [0] * len(sources))[at] = rank
    order = sorted(found, key=lambda key: (key[0], min(rank for rank in found[key] if rank), key[1]))
    ranks = np.array([found[key] for key in order], np.int64).reshape(len(order), len(sources))
    return Unjudged(queries, np.array([query for query, _ in order], np.int64), tuple(doc for _, doc in order), ranks)


def _pool_documents(judged: Judged) -> list[set[str]]:
    """Return the documents of each query that have a grade."""
    assert judged.pool_doc is not None
    known: list[set[str]] = [set() for _ in judged.queries]
    for query, doc in zip(judged.pool_query.tolist(), judged.pool_doc.texts(), strict=True):
        known[query].add(doc)
    return known


def values_with(measure: Measure, judged: Judged, docs: Unjudged, rank: Ints, grades: Sequence[float]) -> list[Floats]:
    """Return for each grade the value of each document's query, as if the document, and no other, had this grade."""
    one = repeat_queries(in_one_order(judged), docs.query)
    rows = np.arange(len(docs))
    more = with_judgments(one, rows, rank, [np.full(len(docs), float(grade)) for grade in grades])
    return [np.asarray(column(measure, each, None), float) for each in more]


def possible_changes(measure: Measure, judged: Sequence[Judged], docs: Unjudged, grade: float) -> Floats:
    """Return documents × runs: the value of the query if the document has this grade, less its value if it has grade 0."""
    changes = np.zeros(docs.rank.shape)
    for run, j in enumerate(judged):
        high, low = values_with(measure, j, docs, docs.rank[:, run], (grade, 0.0))
        changes[:, run] = high - low
    return np.nan_to_num(changes)


def values_if(measure: Measure, judged: Judged, docs: Unjudged, rank: Ints, grade: Floats) -> Floats:
    """Return the value of every query, as if each document had its grade."""
    one = in_one_order(judged)
    [more] = with_judgments(one, docs.query, rank, [grade])
    return np.asarray(column(measure, more, None), float)
