"""Details of each query: rankings, judgments, and the arithmetic of every measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from judged.evaluation.explain import QueryArithmetic
from judged.io.texts import Texts
from judged.page.subject import Subject

_DOCUMENTS = 1_000_000  # limit over all rankings, so that the page stays small enough to send
_DEPTHS = (100, 50, 20, 10)


def shown_depth(subject: Subject, depth: int | None) -> int:
    """Return the last rank shown: the requested depth, or one that limits the size of the page; 0 without rankings."""
    if not subject.judged or any(r.source is None or not r.source.is_local for r in subject.results):
        return 0
    if depth is not None:
        return min(int(depth), _DOCUMENTS)
    lists = len(subject.first) * len(subject.runs)
    return next((depth for depth in _DEPTHS if lists * depth <= _DOCUMENTS), _DEPTHS[-1])


Rankings = list[list[list[str]]]  # [run][query]: documents


def detail_blocks(
    subject: Subject,
    rankings: Rankings,
    texts: Mapping[str, Texts],
    steps: list[list[list[QueryArithmetic]]],
    depth: int,
    size: int,
) -> Iterator[dict[str, Any]]:
    """Yield the details of all queries in blocks of this size, each with the title and text of its documents once; see data.js.

    Args:
        subject: the content of the page.
        rankings: documents of each ranking down to the depth.
        texts: texts of documents.
        steps: the arithmetic of each query: [run][measure][query].
        depth: last rank shown.
        size: number of queries per block.
    """
    pool = subject.judged[0]
    assert pool.pool_doc is not None
    docs, grades = pool.pool_doc.texts(), pool.pool_grade.tolist()
    ends = [0, *np.cumsum(pool.judgments).tolist()]
    hits = [list(zip(j.judgment.tolist(), j.rank.tolist(), strict=True)) for j in subject.judged]
    hit_ends = [[0, *np.cumsum(j.hits).tolist()] for j in subject.judged]

    for start in range(0, len(subject.first), size):
        queries: list[dict[str, Any]] = []
        for query in range(start, min(start + size, len(subject.first))):
            first: dict[str, float | None] = {}  # judged documents and their grades
            for judgment in range(ends[query], ends[query + 1]):
                grade = grades[judgment]
                first.setdefault(docs[judgment], int(grade) if grade.is_integer() else grade)
            place = {doc: i for i, doc in enumerate(first)}
            found: list[dict[str, Any] | None] = [None] * len(subject.judged)
            for run, judged in enumerate(subject.judged):
                if judged.answered[query]:
                    own = hits[run][hit_ends[run][query] : hit_ends[run][query + 1]]
                    found[run] = {
                        "docs": [place.setdefault(doc, len(place)) for doc in rankings[run][query]],
                        "retrieved": int(judged.retrieved[query]),
                        "below": [[place[docs[judgment]], rank] for judgment, rank in own if rank > depth],
                        # asdict copies every cell
                        "why": [{name: getattr(by[query], name) for name in _STEPS} for by in steps[run]],
                    }
            shown_grades = [*first.values(), *[None] * (len(place) - len(first))]
            queries.append({"docs": list(place), "grades": shown_grades, "rankings": found})
        known = {doc: texts[doc] for query in queries for doc in query["docs"] if doc in texts}
        yield {"queries": queries, "texts": {doc: [one.title, one.text] for doc, one in known.items()}}


_STEPS = [name for name in QueryArithmetic.__dataclass_fields__ if name != "headers"]
