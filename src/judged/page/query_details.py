"""Details of each query: rankings, judgments, and the arithmetic of every measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from judged.evaluation.explain import QueryArithmetic, steps_of
from judged.io.texts import Texts
from judged.page.subject import Subject

_DOCUMENTS = 1_000_000  # limit over all rankings, so that the page stays small enough to send
_DEPTHS = (100, 50, 20, 10)
_BLOCK = 10_000  # documents per block; a block is decoded when one of its queries is opened or explained


def shown_depth(subject: Subject, depth: int | None) -> int:
    """Return the last rank shown: the requested depth, or one that limits the size of the page; 0 without rankings."""
    if not subject.judged or any(r.source is None or not r.source.is_local for r in subject.results):
        return 0
    if depth is not None:
        return min(int(depth), _DOCUMENTS)
    lists = len(subject.first) * len(subject.runs)
    return next((depth for depth in _DEPTHS if lists * depth <= _DOCUMENTS), _DEPTHS[-1])


def block_size(subject: Subject, depth: int) -> int:
    """Return the number of queries per block."""
    return max(1, min(100, _BLOCK // max(1, depth * len(subject.runs))))


Rankings = list[list[list[str]]]  # [run][query]: documents


def shown_documents(subject: Subject, depth: int) -> Rankings:
    """Return the documents of each ranking down to the depth."""
    rows = range(len(subject.first))
    return [result.source.documents(rows, depth) for result in subject.results if result.source is not None]


class Details:
    """The details of all queries; the arithmetic is computed at once, the rest when a query is asked for."""

    def __init__(self, subject: Subject, rankings: Rankings, texts: Mapping[str, Texts], depth: int) -> None:
        first = subject.judged[0]
        assert first.pool_doc is not None
        self.subject, self.rankings, self.texts, self.depth = subject, rankings, texts, depth
        self.steps = [[steps_of(result, m, depth) for m in subject.measures] for result in subject.results]
        # Headers of the arithmetic are the same for all runs and queries.
        self.headers = [by[0].headers if by else () for by in self.steps[0]]
        self.docs, self.grades = first.pool_doc.texts(), first.pool_grade.tolist()
        self.ends = [0, *np.cumsum(first.judgments).tolist()]
        self.hits = [
            ([0, *np.cumsum(j.hits).tolist()], list(zip(j.judgment.tolist(), j.rank.tolist(), strict=True)))
            for j in subject.judged
        ]

    def blocks(self, size: int) -> Iterator[dict[str, Any]]:
        """Yield the details of all queries in blocks, each with the title and text of its documents once."""
        count = len(self.subject.first)
        for start in range(0, count, size):
            queries = [self.of(row) for row in range(start, min(start + size, count))]
            found = {doc: self.texts[doc] for query in queries for doc in query["docs"] if doc in self.texts}
            yield {"queries": queries, "texts": {doc: [one.title, one.text] for doc, one in found.items()}}

    def of(self, query: int) -> dict[str, Any]:
        """Return the details of one query, as described in data.js."""
        first: dict[str, float | None] = {}  # judged documents and their grades
        for judgment in range(self.ends[query], self.ends[query + 1]):
            grade = self.grades[judgment]
            first.setdefault(self.docs[judgment], int(grade) if grade.is_integer() else grade)
        place = {doc: i for i, doc in enumerate(first)}
        details: list[dict[str, Any] | None] = []
        for run, judged in enumerate(self.subject.judged):
            if not judged.answered[query]:
                details.append(None)
                continue
            ends, hits = self.hits[run]
            below = [(j, rank) for j, rank in hits[ends[query] : ends[query + 1]] if rank > self.depth]
            details.append(
                {
                    "docs": [place.setdefault(doc, len(place)) for doc in self.rankings[run][query]],
                    "retrieved": int(judged.retrieved[query]),
                    "below": [[place[self.docs[judgment]], rank] for judgment, rank in below],
                    # asdict copies every cell
                    "why": [{name: getattr(by[query], name) for name in _STEPS} for by in self.steps[run]],
                }
            )
        grades = [*first.values(), *[None] * (len(place) - len(first))]
        return {"docs": list(place), "grades": grades, "rankings": details}


_STEPS = [name for name in QueryArithmetic.__dataclass_fields__ if name != "headers"]
