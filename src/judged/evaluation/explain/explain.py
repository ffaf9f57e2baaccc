"""The arithmetic of one query, rank by rank, recorded while the measure itself computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import UsageError, shown
from judged.evaluation.explain.trace import Trace, trace
from judged.evaluation.inputs import RagOptions, join_inputs
from judged.evaluation.measuring.column import column, is_empty, is_settled
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.result.source import Provenance, in_one_order, raw_id
from judged.measures.grammar import parse
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.tables.result import Result
from judged.tables.table import Table

__all__ = [
    "Explanation",
    "at_every_rank",
    "cell_text",
    "closing_line",
    "condensed",
    "explain",
    "explained",
    "settled_rows",
    "shown_columns",
    "whole_number",
]


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """One query under one measure: a row for each rank, then the closing line."""

    measure: Measure
    query: Id
    value: Any
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    closing: str
    hidden: int = 0  # documents below the last row

    def table(self) -> Table:
        notes = [self.closing, f"{self.measure}: {self.measure.definition.formula}"]
        if self.hidden:
            notes.insert(0, f"… and {self.hidden} more document{'s' * (self.hidden > 1)}")
        rows = tuple(tuple(cell_text(value) for value in row) for row in self.rows)
        return Table(self.headers, rows, title=f"{self.measure} of query {self.query}", notes=tuple(notes), words=(1,))


def cell_text(value: Any) -> str:
    """A value of the arithmetic as text: no more decimals than it needs, four at most."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def explain(
    measure: str | Measure, qrels: Any, run: Any, query: Id, *, depth: int | None = None, profile: str = "trec_eval-10",
    **policy: Any,
) -> Explanation:  # fmt: skip
    """The value of one query with every step that led to it.

    >>> print(explain("RR", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q").closing)
    1 / 2 = 0.5
    """
    chosen = profile_named(profile)
    source = _joined(qrels, run, chosen.policy, policy)
    return explained(chosen.apply(parse(measure)), source, query, depth)


def explained(measure: Measure, source: Provenance, query: Id, depth: int | None = None) -> Explanation:
    """The value of one query of a result with every step that led to it; of several sets of documents by the one that counts."""
    row = _row_of(source, query)
    if source.alternatives:
        from judged.evaluation.rag.alternatives import chosen

        source = chosen(measure, source.select(np.array([row])))
        row = 0
    judged = source.judged.select([row])
    if measure.get("judged_only"):
        judged = condensed(judged)
        source = replace(source, judged=condensed(source.judged))
    value = column(measure, judged, TieOrders(judged) if judged.policy.ties == "expected" else None)[0]
    judged = in_one_order(judged)
    seen, trace = _recorded(measure, judged)
    columns = shown_columns(trace, seen)
    docs, last = source.documents([row])[0], _last_row(measure, judged, depth)
    used = _used(measure, judged)
    at_rank = {int(r): i for i, r in enumerate(seen.rank)}
    rows: list[tuple[Any, ...]] = []
    for rank in range(1, last + 1):
        hit = at_rank.get(rank)
        cells = [None] * len(columns) if hit is None else [whole_number(c[hit]) for c in columns.values()]
        grade = "–" if hit is None or np.isnan(seen.grade[hit]) else whole_number(seen.grade[hit])
        rows.append((rank, docs[rank - 1], grade, *used[rank - 1 : rank], *cells))
    last_sum = float(columns["sum"][-1]) if "sum" in columns and len(seen.rank) else 0.0
    return Explanation(
        measure, query, value, ("rank", "document", "grade", *["tokens so far"][: len(used)], *columns), tuple(rows),
        closing_line(trace, 0, last_sum, value, judged, settled_rows(measure, judged)[0]), int(judged.retrieved[0]) - last,
    )  # fmt: skip


def condensed(judged: Judged) -> Judged:
    """Judged documents only, and a policy that says so."""
    return replace(judged.condensed(), policy=replace(judged.policy, unjudged="condensed"))


def shown_columns(trace: Trace, seen: Judged) -> dict[str, Column]:
    """The columns of the arithmetic, a value for each hit: what the measure named, and the sum that it closes with, as it grows."""
    main = trace.main_sum()
    return trace.columns if main is None else {**trace.columns, "sum": seen.running(main.astype(float))}


def settled_rows(measure: Measure, judged: Judged) -> Column:
    """Which queries the policy gave their value, because they have no relevant document."""
    return is_empty(measure, judged) if is_settled(measure, judged) else np.zeros(len(judged), bool)


def closing_line(trace: Trace, row: int, last_sum: float, value: Any, judged: Judged, settled: bool) -> str:
    """The last step to the value of a query, and what a policy made of it."""
    closing, in_this_order = trace.closing(row, last_sum), trace.value[row]
    if not judged.answered[row]:
        closing += "; the run does not answer this query"
    if value == in_this_order or isinstance(value, str):
        return closing
    if settled:
        return f"{closing}; no relevant document: {cell_text(float(value)) or 'left out'} by the policy empty={judged.policy.empty}"
    return f"in this order of the ties {closing}; the mean over all their orders is {value:.6g}"


def _recorded(measure: Measure, judged: Judged) -> tuple[Judged, Trace]:
    """What the measure does, on a ranking in which unjudged documents have a row too where that changes nothing."""
    plain_trace = trace(measure, judged)
    seen = _with_unjudged(judged)
    full = trace(measure, seen)
    return (seen, full) if full.value[0] == plain_trace.value[0] else (judged, plain_trace)


def _with_unjudged(judged: Judged) -> Judged:
    """Every rank as a hit (the first thousand): a document without a grade is relevant to nothing."""
    depth = min(int(judged.retrieved[0]), 1_000)
    rank = np.union1d(np.arange(1, depth + 1), judged.rank)
    place = np.searchsorted(rank, judged.rank)
    grade, judgment = np.full(len(rank), np.nan), np.full(len(rank), -1)
    grade[place], judgment[place] = judged.grade, judged.judgment
    first, last = rank.copy(), rank.copy()
    first[place], last[place] = judged.tie_first, judged.tie_last
    zeros = np.zeros(len(rank), np.int64)
    return replace(judged, query=zeros, rank=rank, grade=grade, judgment=judgment, tie_first=first, tie_last=last)


def at_every_rank(
    measures: list[Measure], qrels: Any, run: Any, query: Id, *, depth: int | None = None,
    profile: str = "trec_eval-10", **policy: Any,
) -> Table:  # fmt: skip
    """Each measure at every cutoff: one row a rank."""
    chosen = profile_named(profile)
    for m in measures:
        if m.definition.at != "cutoff":
            raise UsageError("cutoff", "measures that take a cutoff", got=str(m), value=str(m))
    source = _joined(qrels, run, chosen.policy, policy)
    if source.alternatives:
        raise UsageError("alternatives", "judgments of one kind for each query", got="sets of which any one will do")
    row = _row_of(source, query)
    judged, docs = source.judged.select([row]), source.documents([row])[0]
    last = min(len(docs), depth or len(docs))
    grade = dict(zip(judged.rank.tolist(), judged.grade.tolist(), strict=True))
    rows = [
        (
            str(k),
            docs[k - 1],
            cell_text(grade.get(k, "–")),
            *(f"{(chosen.apply(m) @ k).on(judged)[0]:.4f}" for m in measures),
        )
        for k in range(1, last + 1)
    ]
    return Table(
        ("k", "document", "grade", *map(str, measures)), tuple(rows), title=f"query {query} at every cutoff", words=(1,)
    )


def _joined(qrels: Any, run: Any, base: Mapping[str, Any], given: dict[str, Any]) -> Provenance:
    asked, rules = RagOptions.asked(given)
    return join_inputs(qrels, run, Policy(**{**base, **rules}), asked)


def _row_of(source: Provenance, query: Id) -> int:
    known = source.judged.queries
    if query not in known:
        some = ", ".join(shown(q) for q in known[:3])
        where = ", which the run answers but nobody judged" if raw_id(query) in source.read.queries.tolist() else ""
        raise UsageError("no-query", f"a judged query such as {some}", got=f"{shown(query)}{where}", value=query)
    return known.index(query)


def whole_number(value: Any) -> Any:
    """A NumPy number as Python's: an int where it is whole."""
    value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _last_row(measure: Measure, judged: Judged, depth: int | None) -> int:
    cutoff = measure.get(measure.definition.at) if measure.definition.at == "cutoff" else None
    wanted = depth or cutoff or max(10, int(judged.rank.max(initial=0)))
    return int(min(wanted, measure.seen(judged).retrieved[0] if measure.get("tokens") else judged.retrieved[0]))


def _used(measure: Measure, judged: Judged) -> list[int]:
    """Tokens down to each rank, where a budget of them decides what is seen."""
    counted = None if judged.reading is None or measure.get("tokens") is None else judged.reading.tokens
    return [] if counted is None else np.cumsum(counted).tolist()
