"""The reasons behind a difference: relevant documents found, and unjudged documents that could change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from judged.comparison.answer import Words
from judged.errors import DataError, UsageError
from judged.evaluation.measuring import Views
from judged.judging.next_documents import choose_documents
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.page.verdict import best_first
from judged.tables.text import number

TOP = 10  # ranks that people look at, for measures without a cutoff
_CHUNK = 200_000  # judgments per product
_MOST = 200  # documents that are worth judging


def reach(measure: Measure) -> int:
    """Return the last rank of interest: the cutoff, or ten."""
    cutoff = measure.get("cutoff") if measure.definition.at == "cutoff" else None
    return int(cutoff or TOP)


def found_documents(subject: Subject) -> dict[str, dict[str, Any]]:
    """Return for each reach the relevant documents per query that counts and run, and found[b][a]: those found by b and missed by a."""
    if not subject.judged:
        return {}
    return {str(k): _found(subject, k) for k in sorted({reach(m) for m in subject.measures})}


def _found(subject: Subject, k: int) -> dict[str, Any]:
    size = len(subject.judged[0].pool_grade)
    hit = np.zeros((len(subject.runs), size), bool)
    for run, j in enumerate(subject.judged):
        hit[run, j.judgment[(j.rank <= k) & j.is_relevant(subject.level)]] = True
    hit = hit[:, hit.any(axis=0)]
    both = np.zeros((len(hit), len(hit)))
    for start in range(0, hit.shape[1], _CHUNK):
        part = hit[:, start : start + _CHUNK].astype(float)
        both += part @ part.T
    own = np.diag(both)
    found = (own[:, None] - both).astype(int)
    counted = len(subject.first)
    if subject.first.policy.empty == "skip":
        counted = max(1, int((subject.judged[0].relevant(subject.level) > 0).sum()))
    return {"means": (own / counted).tolist(), "found": found.tolist()}


def unjudged_answer(subject: Subject, i: int, summary: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return whether unjudged documents could change who is first, by the two scenarios of each run; None if unknown."""
    m = subject.measures[i]
    sides = [[one[side] for side in ("mean", "irrelevant", "top")] for one in summary]
    if any(value is None for side in sides for value in side):
        return None
    low, high = [min(side) for side in sides], [max(side) for side in sides]
    if low == high:
        return {"change": False, "words": [f"No: all documents that {m} looks at are judged."]}
    places = 3
    first = best_first(subject, i)[0]
    if len(subject.runs) == 1:
        ends = f"between {number(low[0], places)} and {number(high[0], places)}"
        return {"change": True, "words": [f"The value is {ends}, depending on the unjudged documents."]}
    lower = m.definition.lower_is_better
    worst = high[first] if lower else low[first]
    best = [low[k] if lower else high[k] for k in range(len(sides))]
    rivals = [k for k in range(len(sides)) if k != first and (best[k] <= worst if lower else best[k] >= worst)]
    if not rivals:
        words: Words = [
            "No: ",
            first,
            " stays first even if all of its unjudged documents were irrelevant and those of the others had the highest grade.",
        ]
        return {"change": False, "words": words}
    rival = (min if lower else max)(rivals, key=best.__getitem__)
    more = f", and {len(rivals) - 1} more could pass it" if len(rivals) > 1 else ""
    return {
        "change": True,
        "words": [
            "Yes: ",
            first,
            f" is between {number(low[first], places)} and {number(high[first], places)}, ",
            rival,
            f" between {number(low[rival], places)} and {number(high[rival], places)}{more}.",
        ],
    }


def worth_judging(subject: Subject, pair: tuple[int, int] | None) -> list[list[Any]]:
    """Return unjudged documents as [query, document, ranks in the pair], in the order of `judged next` for the first measure."""
    measure, results = subject.measures[0], [subject.results[run] for run in pair or (0,)]
    sources = [result.source for result in results if result.source is not None]
    if len(sources) < len(results) or not subject.judged:
        return []
    try:
        docs, effect = choose_documents([Views(one).of(measure) for one in sources], measure, _MOST)
    except (UsageError, DataError):  # runs in partitions, judgments by subtopic or of several sets, a token budget
        return []
    rows = zip(docs.query.tolist(), docs.doc, docs.rank.tolist(), (effect > 0).tolist(), strict=True)
    return [[query, doc, *(rank or None for rank in ranks)] for query, doc, ranks, counts in rows if counts]
