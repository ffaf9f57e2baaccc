"""Warnings about a join: each counted, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from judged.core.find.hits import Hits, is_named_after
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import HasName, Id, Qrels, decoded
from judged.errors import DataError, Hint, Warned, shown
from judged.tables.text import counted, some

_LARGEST_COMMON_GRADE = 127


def join_warnings(j: Judged, qrels: Qrels, run: HasName, hits: Hits, policy: Policy) -> list[Warned]:
    """Return the warnings about a join."""
    warnings = [
        *_query_missing(j, run, hits, policy),
        *_empty_rankings(j, run, hits),
        *not_judged(qrels),
        *_query_unjudged(run, hits),
        *_no_relevant(j, policy),
        *_grade_large(qrels),
        *_score_inf(run, hits),
    ]
    if len(j.query) == 0 and j.retrieved.any():
        warnings.append(no_overlap(run.label))
    if policy.order == "score":
        warnings += _rank_disagrees(run, hits)
    return [*warnings, *_ties(j, run, policy)]


def check_no_query_missing(j: Judged, run: HasName, hits: Hits) -> None:
    """Raise `query-missing` if the run lacks a judged query, for the policy `queries="strict"`."""
    if missing := _missing_queries(j, hits):
        raise_missing_queries(len(j), some(missing), run.name)


def raise_missing_queries(queries: int, missing: str, name: str) -> None:
    """Raise `query-missing` for a run that lacks judged queries."""
    raise DataError(
        "query-missing",
        f"the run lacks some of the {queries} judged queries: {missing}",
        where=name,
        hint=Hint("count them as 0 with {queries}", queries="judged"),
    )


def no_overlap(label: str) -> Warned:
    text = f"no document of {label} is judged for its query"
    return Warned("no-overlap", 1, text, Hint("check that judgments and run have the same document ids"))


def not_judged(qrels: Qrels) -> Iterator[Warned]:
    """Warn of queries that the judgments name without a judgment."""
    bare = decoded(qrels.queries.take(np.bincount(qrels.query, minlength=len(qrels.queries)) == 0), qrels.query_kind)
    if bare:
        text = f"excluded {counted(len(bare), 'query')} of {qrels.label} without judgments: {some(bare)}"
        yield Warned("not-judged", len(bare), text)


def _missing_queries(j: Judged, hits: Hits) -> list[Id]:
    return [j.queries[i] for i in np.flatnonzero(~hits.answered).tolist()]


def _query_missing(j: Judged, run: HasName, hits: Hits, policy: Policy) -> Iterator[Warned]:
    if missing := _missing_queries(j, hits):
        number = f"{len(missing)} judged {'query is' if len(missing) == 1 else 'queries are'}"
        barren = int((~hits.answered & (j.pool.positive == 0)).sum()) if policy.empty in ("skip", "one") else 0
        valued = (
            f"counted as 0, except {barren} without a relevant document (empty={policy.empty})"
            if barren
            else "counted as 0"
        )
        effect = "excluded" if policy.queries == "both" else valued
        answered = np.flatnonzero(hits.answered)
        alone = len(answered) == 1 and is_named_after(run.name, j.queries[int(answered[0])])
        hint = Hint("pass the folder, or quote the pattern, if each file answers one query") if alone else None
        text = f"{number} absent from {run.label}, {effect}: {some(missing)}"
        yield Warned("query-missing", len(missing), text, hint)


def _empty_rankings(j: Judged, run: HasName, hits: Hits) -> Iterator[Warned]:
    empty = [j.queries[i] for i in np.flatnonzero(hits.answered & (hits.retrieved == 0)).tolist()]
    if empty:
        text = f"{counted(len(empty), 'ranking')} of {run.label} without documents, counted as 0: {some(empty)}"
        yield Warned("empty-list", len(empty), text)


def _query_unjudged(run: HasName, hits: Hits) -> Iterator[Warned]:
    if hits.unjudged:
        examples = ", ".join(map(shown, hits.some_unjudged)) + " …" * (hits.unjudged > 3)
        number = f"{'more than ' * hits.more_unjudged}{counted(hits.unjudged, 'query')}"
        yield Warned("query-unjudged", hits.unjudged, f"ignored {number} of {run.label} without judgments: {examples}")


def _no_relevant(j: Judged, policy: Policy) -> Iterator[Warned]:
    counted_ones = j.answered if policy.queries == "both" else np.ones(len(j), bool)
    queries = [j.queries[i] for i in np.flatnonzero((j.pool.positive == 0) & counted_ones).tolist()]
    if queries:
        number = counted(len(queries), "query has", "queries have")
        text = f"{number} no relevant document (empty={policy.empty}): {some(queries)}"
        yield Warned("no-relevant", len(queries), text)


def _grade_large(qrels: Qrels) -> Iterator[Warned]:
    count = int((np.abs(qrels.grade) > _LARGEST_COMMON_GRADE).sum())
    if count:
        number = f"{count} {'grade is' if count == 1 else 'grades are'}"
        yield Warned(
            "grade-large", count, f"{number} above {_LARGEST_COMMON_GRADE}; other tools may reject such grades"
        )


def _score_inf(run: HasName, hits: Hits) -> Iterator[Warned]:
    if hits.infinite:
        number = f"{hits.infinite} {'score is' if hits.infinite == 1 else 'scores are'}"
        yield Warned("score-inf", hits.infinite, f"{number} infinite in {run.label}; ranked first or last")


def _rank_disagrees(run: HasName, hits: Hits) -> Iterator[Warned]:
    if hits.disagreeing:
        text = f"the rank column contradicts the scores in {counted(hits.disagreeing, 'query')} of {run.label}; scores decide"
        yield Warned("rank-disagrees", hits.disagreeing, text, Hint("to use the column, pass {order}", order="rank"))


def _ties(j: Judged, run: HasName, policy: Policy) -> Iterator[Warned]:
    tied = int(np.count_nonzero(np.bincount(j.query[(j.tie_last > j.tie_first) & (j.grade > 0)])))
    if tied:
        text = f"tied {policy.order}s affect the rank of a relevant document in {counted(tied, 'query')} of {run.label}"
        yield Warned("ties", tied, f"{text} (ties: {policy.ties})")
