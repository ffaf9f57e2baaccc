"""Turn judgments of spans into judgments of the chunks of a run.

A relevant span is credited once, to the first chunk that contains it. A chunk without a new span is judged with grade 0. Spans that no
chunk contains stay in the pool under unique names, so that they count as missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judged._types import Ints
from judged.core.policy import Policy
from judged.core.reference import ranked_rows
from judged.core.tables import IdColumn, Qrels, Run
from judged.errors import DataError, Hint, UsageError, shown

Holds = Callable[[int, int, int], bool]
Row = tuple[int, bytes, bytes, float, int]  # query, document, span, grade, row of the judgments


# Relevant characters that each row of the run is the first to contain, and the number of relevant characters per query.
SpanCredit = tuple[Ints, dict[bytes, int]]


class _Span(NamedTuple):
    start: int
    end: int
    grade: float
    row: int
    name: bytes


def overlap_rule(text: str) -> Holds:
    """Return a function that decides whether a chunk contains a span, by the characters they share and their lengths.

    `any` (one character), or at least a share of the span (`gold>=0.5`), of the chunk (`chunk>=0.5`), or of both together (`iou>=0.5`).
    """
    if text == "any":
        return lambda shared, span, chunk: shared > 0
    what, _, number = text.replace(" ", "").partition(">=")
    try:
        least = float(number)
    except ValueError:
        least = -1.0
    if what not in ("gold", "chunk", "iou") or not 0 < least <= 1:
        raise UsageError(
            "parameter",
            f"overlap must be any, gold>=x, chunk>=x or iou>=x with 0 < x ≤ 1, got {shown(text)}",
            value=text,
        )
    if what == "gold":
        return lambda shared, span, chunk: shared >= least * span
    if what == "chunk":
        return lambda shared, span, chunk: shared >= least * chunk
    return lambda shared, span, chunk: shared >= least * (span + chunk - shared)


def credit_spans(qrels: Qrels, run: Run, policy: Policy) -> tuple[Qrels, SpanCredit]:
    """Return judgments of the chunks of a run, each for the spans that it is the first to contain."""
    if run.passages is None or not run.passages.spans:
        raise DataError(
            "columns",
            "the judgments are spans, but the chunks of the run have no document, start and end",
            where=run.name,
            hint="write chunks as {'doc': id, 'start': a, 'end': b}, or pass a table: chunks={id: (doc, start, end)}",
        )
    if policy.ties in ("best", "worst", "expected"):
        raise UsageError(
            "parameter",
            f"spans need a single order of tied chunks, got ties={policy.ties!r}",
            value=policy.ties,
            hint=Hint("choose another, such as {ties}", ties="id-desc"),
        )
    spans = _spans_of(qrels)
    codes = {raw: i for i, raw in enumerate(qrels.queries.tolist())}
    query, row = ranked_rows(run, policy)
    owner = np.array([codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)[query]
    fresh = np.zeros(len(run.query), np.int64)
    judged = _walk(spans, run, row[owner >= 0], owner[owner >= 0], overlap_rule(qrels.overlap), fresh)
    number, doc, span, grade, judgment = zip(*judged, strict=True)
    chunks = replace(
        qrels.take(np.array(judgment, dtype=np.int64)),
        query=np.array(number, dtype=np.int64),
        doc=IdColumn.of(doc),
        doc_kind=run.doc_kind,
        aspect=IdColumn.of(span),
        sub=None,
        grade=np.array(grade, dtype=float),
        passages=None,
    )
    gold: dict[bytes, int] = defaultdict(int)
    for (place, _), some in spans.items():
        gold[qrels.queries[place]] += sum(end - start for start, end in _merge(some))
    return chunks, (fresh, dict(gold))


def _spans_of(qrels: Qrels) -> dict[tuple[int, bytes], list[_Span]]:
    """Return the spans of each query and document, each once with its highest grade."""
    documents, begin, finish = _columns(qrels)
    found: dict[tuple[int, bytes], dict[tuple[int, int], _Span]] = defaultdict(dict)
    columns = zip(
        qrels.query.tolist(), documents.tolist(), begin.tolist(), finish.tolist(), qrels.grade.tolist(), strict=True
    )
    for row, (query, doc, start, end, grade) in enumerate(columns):
        known = found[query, doc].get((start, end))
        if known is None or grade > known.grade:
            name = doc + f":{start}-{end}".encode()
            found[query, doc][start, end] = _Span(start, end, grade, row, name)
    return {key: list(spans.values()) for key, spans in found.items()}


def _columns(rows: Qrels | Run) -> tuple[IdColumn, Ints, Ints]:
    p = rows.passages
    if p is None or p.doc is None or p.start is None or p.end is None:
        raise AssertionError("spans were checked")
    return p.doc, p.start, p.end


def _walk(
    spans: dict[tuple[int, bytes], list[_Span]], run: Run, rows: Ints, owner: Ints, holds: Holds, fresh: Ints
) -> list[Row]:
    """Walk down each ranking: credit each span to its first chunk, then add the missed spans. Fills `fresh`."""
    doc_of, begin, finish = _columns(run)
    docs, starts, ends = doc_of.take(rows).tolist(), begin[rows].tolist(), finish[rows].tolist()
    names = run.doc.take(rows).tolist()
    open_text = {key: _merge(some) for key, some in spans.items()}
    missed = {key: dict.fromkeys(some) for key, some in spans.items()}
    out: list[Row] = []
    for query, doc, start, end, name, row in zip(owner.tolist(), docs, starts, ends, names, rows.tolist(), strict=True):
        key = (query, doc)
        if key not in spans:
            continue
        fresh[row] = _take(open_text[key], start, end)
        held = [
            s
            for s in spans[key]
            if holds(min(end, s.end) - max(start, s.start), s.end - s.start, end - start)
            and min(end, s.end) > max(start, s.start)
        ]
        new = [s for s in held if s in missed[key]]
        out += [(query, name, s.name, s.grade, s.row) for s in new]
        if held and not new:
            out.append((query, name, held[0].name, 0.0, held[0].row))
        for s in new:
            del missed[key][s]
    taken = {(query, name) for query, name, *_ in out} | set(zip(owner.tolist(), names, strict=True))
    for (query, _), left in missed.items():
        for s in left:
            name = b"gold " + s.name  # which no chunk of the ranking may have
            while (query, name) in taken:
                name += b"'"
            out.append((query, name, s.name, s.grade, s.row))
    return out


# ── characters ───────────────────────────────────────────────────────────────────────────────────


def _merge(spans: list[_Span]) -> list[tuple[int, int]]:
    """Return the characters of relevant spans as disjoint intervals."""
    out: list[tuple[int, int]] = []
    for start, end in sorted((s.start, s.end) for s in spans if s.grade > 0):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _take(left: list[tuple[int, int]], start: int, end: int) -> int:
    """Remove the characters of a chunk from the remaining ones, and return their number."""
    shared, rest = 0, []
    for a, b in left:
        low, high = max(a, start), min(b, end)
        if low >= high:
            rest.append((a, b))
            continue
        shared += high - low
        rest += [part for part in ((a, low), (high, b)) if part[0] < part[1]]
    left[:] = rest
    return shared
