"""Explain the value of one query, rank by rank, with the numbers that the measure itself computes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.errors import UsageError, shown
from judged.evaluation.explain.ideal import explain_ideal
from judged.evaluation.explain.result import Explanation, cell_text, plain_number
from judged.evaluation.explain.trace import Trace, trace
from judged.evaluation.inputs import read_and_join
from judged.evaluation.measuring.column import column, is_empty, is_settled
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.measuring.views import Views
from judged.evaluation.options import EvaluateOptions, RagOptions, policy_of, with_level
from judged.evaluation.result.source import Provenance, in_one_order, raw_id
from judged.measures.grammar import parse
from judged.measures.profiles import Profile
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.stats.summary import FLOOR, mean
from judged.steps import step
from judged.tables.result import RecordTable
from judged.tables.text import some


def explain(
    measure: str | Measure,
    qrels: Any,
    run: Any = None,
    query: Id | None = None,
    *,
    rows: int | None = None,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Explanation:
    """Explain the value of one query: every step of its arithmetic.

    Args:
        measure: the measure.
        qrels: as in `evaluate`.
        run: as in `evaluate`.
        query: the query; by default the one whose value is closest to the mean, among those with a relevant document retrieved.
        rows: number of ranks to show.
        level: lowest relevant grade, as in `evaluate`.
        profile: conventions of another tool, see `PROFILES`.
        options: as in `evaluate`.

    >>> print(explain("RR", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q").closing)
    1 / 2 = 0.5
    """
    chosen = find_profile(profile)
    source = _join(qrels, run, chosen, options)
    return explain_query(with_level(chosen.apply(parse(measure), options), level), source, query, rows)


@step("explaining")
def explain_query(
    measure: Measure, source: Provenance, query: Id | None = None, depth: int | None = None
) -> Explanation:
    """Explain the value of one query of a result; of several sets of documents by the one that counts."""
    source = Views(source).of(measure)
    row = _instructive_row(measure, source) if query is None else _row_of(source, query)
    name = source.judged.queries[row]
    if source.alternatives:
        from judged.evaluation.alternatives import chosen

        source = chosen(measure, source.select(np.array([row])))
        row = 0
    judged = source.judged.select([row])
    if measure.get("judged_only"):
        judged = condensed(judged)
        source = replace(source, judged=condensed(source.judged))
    value = column(measure, judged, TieOrders(judged) if judged.policy.ties == "expected" else None)[0]
    judged = in_one_order(judged)
    seen, steps = _trace_all_ranks(measure, judged)
    columns = shown_columns(steps, seen)
    docs, last = source.documents([row])[0], _last_row(measure, judged, depth)
    tokens = _tokens_so_far(measure, judged)
    hit_at = {int(r): i for i, r in enumerate(seen.rank)}
    rows: list[tuple[Any, ...]] = []
    for rank in range(1, last + 1):
        hit = hit_at.get(rank)
        cells = [None] * len(columns) if hit is None else [plain_number(c[hit]) for c in columns.values()]
        grade = "–" if hit is None or np.isnan(seen.grade[hit]) else plain_number(seen.grade[hit])
        rows.append((rank, docs[rank - 1], grade, *tokens[rank - 1 : rank], *cells))
    last_sum = float(columns["sum"][-1]) if "sum" in columns and len(seen.rank) else 0.0
    return Explanation(
        measure,
        name,
        value,
        ("rank", "document", "grade", *["tokens so far"][: len(tokens)], *columns),
        tuple(rows),
        closing_line(measure, steps, 0, last_sum, value, judged, bool(is_empty(measure, judged)[0])),
        int(judged.retrieved[0]) - last,
        ideal=explain_ideal(measure, judged, steps, depth),
        chosen=query is None,
    )


def _instructive_row(measure: Measure, source: Provenance) -> int:
    """The query whose value is closest to the mean, among those with a relevant document retrieved; the first of several."""
    judged = source.judged
    retrieved = np.bincount(judged.query[judged.grade > 0], minlength=len(judged)) > 0
    if measure.definition.text or not retrieved.any():
        return int(np.argmax(retrieved))
    from judged.evaluation.alternatives import best_column

    values = best_column(measure, source, TieOrders(judged) if judged.policy.ties == "expected" else None)
    distance = np.where(retrieved & ~np.isnan(values), np.abs(values - mean(values[~np.isnan(values)])), np.inf)
    return int(np.argmin(distance))


def condensed(judged: Judged) -> Judged:
    """The ranking of judged documents only, with a policy that says so."""
    return replace(judged.condensed(), policy=replace(judged.policy, unjudged="condensed"))


def shown_columns(trace: Trace, seen: Judged) -> dict[str, Column]:
    """The columns that the measure named, one value per hit, and the running sum that it closes with."""
    main = trace.main_sum()
    return trace.columns if main is None else {**trace.columns, "sum": seen.running(main.astype(float))}


def closing_line(
    measure: Measure, trace: Trace, row: int, last_sum: float, value: Any, judged: Judged, empty: bool
) -> str:
    """The last step to the value of a query, and the effect of a policy on it; `empty`: it has no relevant document."""
    in_this_order = trace.value[row]
    closing = trace.closing(row, float(in_this_order) if measure.definition.ideal_only else last_sum)
    if empty and closing.startswith("0 ("):
        closing = "0 (no relevant documents)"
    if measure.definition.summary == "geometric":
        floored = max(float(in_this_order), FLOOR)
        closing += f"; its logarithm {math.log(floored):.4f} enters the mean over queries, of which {measure.name} is the exponential"
    if not judged.answered[row]:
        closing += "; the query is not in the run"
    if value == in_this_order or isinstance(value, str):
        return closing
    if empty and is_settled(measure, judged):
        before = "" if closing.startswith("0 (") else f"{closing}; "
        return f"{before}no relevant documents: {cell_text(float(value)) or 'excluded'} (empty={judged.policy.empty})"
    return f"in this order of ties {closing}; mean over all orders: {value:.6g}"


def _trace_all_ranks(measure: Measure, judged: Judged) -> tuple[Judged, Trace]:
    """Trace the measure on a ranking in which unjudged documents have rows too, unless that changes the value."""
    of_hits = trace(measure, judged)
    everything = _with_unjudged(judged)
    of_ranks = trace(measure, everything)
    return (everything, of_ranks) if of_ranks.value[0] == of_hits.value[0] else (judged, of_hits)


def _with_unjudged(judged: Judged) -> Judged:
    """The ranking with every rank as a hit, down to rank 1,000; a document without a grade is not relevant."""
    depth = min(int(judged.retrieved[0]), 1_000)
    rank = np.union1d(np.arange(1, depth + 1), judged.rank)
    place = np.searchsorted(rank, judged.rank)
    grade, judgment = np.full(len(rank), np.nan), np.full(len(rank), -1)
    grade[place], judgment[place] = judged.grade, judged.judgment
    first, last = rank.copy(), rank.copy()
    first[place], last[place] = judged.tie_first, judged.tie_last
    zeros = np.zeros(len(rank), np.int64)
    return replace(judged, query=zeros, rank=rank, grade=grade, judgment=judgment, tie_first=first, tie_last=last)


def values_by_cutoff(
    measures: list[Measure],
    qrels: Any,
    run: Any,
    query: Id | None = None,
    *,
    rows: int | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> RecordTable:
    """Compute measures of one query at every cutoff: one row per rank."""
    chosen = find_profile(profile)
    for m in measures:
        if m.definition.at != "cutoff":
            raise UsageError("cutoff", f"{m} takes no cutoff", value=str(m))
    source = _join(qrels, run, chosen, options)
    if source.alternatives:
        raise UsageError("alternatives", "values by cutoff do not support alternative sets of relevant documents")
    row = _instructive_row(chosen.apply(measures[0]), source) if query is None else _row_of(source, query)
    views = Views(source)

    def value(m: Measure) -> Any:
        return m.on(views.of(m).judged.select([row]))[0].item()

    judged, docs = source.judged.select([row]), source.documents([row])[0]
    grade = dict(zip(judged.rank.tolist(), judged.grade.tolist(), strict=True))
    records = [
        {
            "k": k,
            "document": docs[k - 1],
            "grade": cell_text(grade.get(k, "–")),
            **{str(m): value(chosen.apply(m @ k, options)) for m in measures},
        }
        for k in range(1, min(len(docs), rows or len(docs)) + 1)
    ]
    return RecordTable.of(records, words=("document",), title=f"query {source.judged.queries[row]} at every cutoff")


def _join(qrels: Any, run: Any, profile: Profile, options: Mapping[str, Any]) -> Provenance:
    rag, policies = RagOptions.separate(options)
    return read_and_join(qrels, run, policy_of(profile, policies), rag)


def _row_of(source: Provenance, query: Id) -> int:
    queries = source.judged.queries
    if query not in queries:
        unjudged = raw_id(query) in source.run_table.queries.tolist()
        problem = (
            f"query {shown(query)} is in the run, but has no judgments"
            if unjudged
            else f"no query {shown(query)} in the judgments"
        )
        raise UsageError("no-query", problem, hint=f"choose a judged query such as {some(queries)}", value=query)
    return queries.index(query)


def _last_row(measure: Measure, judged: Judged, depth: int | None) -> int:
    cutoff = measure.get(measure.definition.at) if measure.definition.at == "cutoff" else None
    last = depth or cutoff or max(10, int(judged.rank.max(initial=0)))
    return int(min(last, measure.seen(judged).retrieved[0] if measure.get("tokens") else judged.retrieved[0]))


def _tokens_so_far(measure: Measure, judged: Judged) -> list[int]:
    """Number of tokens down to each rank, if the measure has a token budget."""
    counts = None if judged.reading is None or measure.get("tokens") is None else judged.reading.tokens
    return [] if counts is None else np.cumsum(counts).tolist()
