"""Details of each query: rankings, judgments, and the arithmetic of every measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from judged.core.judged import Judged
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
        return int(depth)
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
        self.size, self.texts = len(subject.first), texts
        steps = [[steps_of(result, m, depth) for m in subject.measures] for result in subject.results]
        pools = _Pools(subject.judged)
        self.headers = [
            by[0].headers if by else () for by in steps[0]
        ]  # of the arithmetic, the same for all runs and queries
        self.of = partial(_detail, subject, rankings, steps, pools, depth)

    def blocks(self, size: int) -> Iterator[dict[str, Any]]:
        """Yield the details of all queries in blocks, each with the title and text of its documents once."""
        for start in range(0, self.size, size):
            queries = [self.of(row) for row in range(start, min(start + size, self.size))]
            found = {doc: self.texts[doc] for query in queries for doc in query["docs"] if doc in self.texts}
            yield {"queries": queries, "texts": {doc: [one.title, one.text] for doc, one in found.items()}}


class _Pools:
    """The judgments of each query and their ranks in each run."""

    def __init__(self, judged: tuple[Judged, ...]) -> None:
        first = judged[0]
        assert first.pool_doc is not None
        self.docs = first.pool_doc.texts()
        self.grades = first.pool_grade.tolist()
        self.ends = np.cumsum(first.judgments).tolist()
        self.judged = judged
        self.hits = [np.cumsum(j.hits).tolist() for j in judged]
        self.columns = [(j.judgment.tolist(), j.rank.tolist()) for j in judged]

    def of(self, query: int) -> range:
        """Return the indices of the judgments of a query."""
        return range(self.ends[query - 1] if query else 0, self.ends[query])

    def retrieved(self, run: int, query: int) -> list[tuple[int, int]]:
        """Return (judgment, rank) of the judged documents that a run retrieved."""
        part = slice(self.hits[run][query - 1] if query else 0, self.hits[run][query])
        judgment, rank = self.columns[run]
        return list(zip(judgment[part], rank[part], strict=True))


def _detail(
    subject: Subject,
    rankings: Rankings,
    steps: list[list[list[QueryArithmetic]]],
    pools: _Pools,
    depth: int,
    query: int,
) -> dict[str, Any]:
    first: dict[str, float | None] = {}  # judged documents and their grades
    for judgment in pools.of(query):
        first.setdefault(pools.docs[judgment], _plain(pools.grades[judgment]))
    place = {doc: i for i, doc in enumerate(first)}
    details: list[dict[str, Any] | None] = []
    for run, judged in enumerate(subject.judged):
        if not judged.answered[query]:
            details.append(None)
            continue
        docs = [place.setdefault(doc, len(place)) for doc in rankings[run][query]]
        below = [[place[pools.docs[judgment]], rank] for judgment, rank in pools.retrieved(run, query) if rank > depth]
        why = [_plain_steps(by_query[query]) for by_query in steps[run]]
        details.append({"docs": docs, "retrieved": int(judged.retrieved[query]), "below": below, "why": why})
    return {
        "docs": list(place),
        "grades": [*first.values(), *[None] * (len(place) - len(first))],
        "rankings": details,
    }


_STEPS = [name for name in QueryArithmetic.__dataclass_fields__ if name != "headers"]


def _plain_steps(steps: QueryArithmetic) -> dict[str, Any]:
    return {name: getattr(steps, name) for name in _STEPS}  # asdict copies every cell


def _plain(grade: float) -> float | int:
    return int(grade) if grade.is_integer() else grade
