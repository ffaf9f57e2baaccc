"""The join of judgments and a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from judged._types import Bools
from judged.core.judged import Judged
from judged.core.native import return_memory
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.pool import IdPool, pool_of
from judged.core.reference import (
    Hits,
    check_id_kinds,
)
from judged.core.tables import HasName, Id, Qrels, Run, decoded
from judged.core.unread_runs import ArrowRun, DictRun, ScoreColumn, TextRun, UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, Wording, fold_warnings, shown
from judged.steps import step
from judged.tables.table import counted, some

if TYPE_CHECKING:
    from judged.core.passages import RankTexts
    from judged.core.spans import SpanCredit

from judged.core.scan import Progress, find

WITH_SETS = Hint(
    "use {commands}",
    commands=Wording("jd.evaluate, jd.compare or jd.explain", "judged eval, judged compare or judged explain"),
)
_MANY = 1 << 17  # judgments


def join(
    qrels: Qrels,
    run: Run | UnreadRun,
    policy: Policy,
    progress: Progress | None = None,
) -> Judged:
    """Find the judged documents in the run, and their ranks.

    Args:
        qrels: the judgments.
        run: the ranking, in columns or unread.
        policy: the policies.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.

    Raises:
        DataError: no query in common, different numbers of scores and labels, ids of different types, a duplicate document, a
            document judged twice with different grades; each names the places.
    """
    if isinstance(run, ScoreColumn):
        run = run.align(qrels)
    if qrels.choice is not None:
        raise UsageError(
            "alternatives",
            "the judgments have alternative sets of relevant documents",
            where=qrels.name,
            hint=WITH_SETS,
        )
    credit: SpanCredit | None = None
    files = (*qrels.files, *run.files)
    if qrels.passages is not None and qrels.passages.spans:
        if isinstance(run, PartitionedRun):
            raise UsageError(
                "engine",
                "spans cannot be found in a partitioned run",
                where=run.name,
                hint=Hint("read it into memory with {engine}", engine="memory"),
            )
        from judged.core.spans import credit_spans

        run = run.read() if isinstance(run, UnreadRun) else run
        qrels, credit = credit_spans(qrels, run, policy)
    if isinstance(run, Run):
        check_id_kinds((qrels.query_kind, qrels.doc_kind), run)
    pool = pool_of(qrels, policy)
    with step(f"joining {run.name} with {qrels.name}") as report:
        run, hits = _find(qrels, pool, run, policy, progress or report)
        partitioned, unscored = isinstance(run, PartitionedRun), not getattr(run, "scored", True)
        if isinstance(run, ArrowRun):
            unscored = run.columns[2] < 0
        elif isinstance(run, DictRun):
            ranking = next(filter(None, run.rankings.values()), None)
            unscored = isinstance(ranking, list) and isinstance(ranking[0], str | int)
        if partitioned or unscored:
            policy = replace(policy, partitioned=partitioned, unscored=unscored)
    judged = Judged(
        pool=pool,
        retrieved=hits.retrieved,
        answered=hits.answered,
        query=hits.query,
        rank=hits.rank,
        grade=pool.grade[hits.judgment],
        judgment=hits.judgment,
        tie_first=hits.tie_first,
        tie_last=hits.tie_last,
        policy=policy,
        names=(qrels.name, run.name),
        files=files,
        reading=_reading(run, pool, policy, credit) if isinstance(run, Run) and run.passages is not None else None,
    )
    cuts = policy.depth is not None or policy.unjudged == "condensed"
    if cuts and policy.ties != "expected":  # which cuts and condenses every order of the ties
        judged = judged.under(policy)
    if policy.queries == "strict" and (missing := _names(judged, ~hits.answered)):
        raise DataError(
            "query-missing",
            f"the run lacks some of the {len(judged)} judged queries: {some(missing)}",
            where=run.name,
            hint=Hint("count them as 0 with {queries}", queries="judged"),
        )
    of_run = run.warnings if isinstance(run, Run | TextRun) else hits.warnings
    known = (*qrels.warnings, *(fold_warnings(of_run) if of_run else ()), *pool.warnings)
    # Warnings are computed when they are asked for; no more of the run is kept for them than its name.
    name, path = run.name, run.path
    later = lambda j: (*known, *join_warnings(j, qrels, HasName(name=name, path=path), hits))  # noqa: E731
    object.__setattr__(judged, "warnings", later)
    if policy.queries == "both" and not judged.answered.all():
        judged = judged.select(np.flatnonzero(judged.answered))
    if policy.empty == "error" and (without := _names(judged, judged.pool.positive == 0)):
        names = ", ".join(map(shown, without[:3]))
        raise DataError("no-relevant", f"{len(without)} queries have no relevant document: {names}", where=qrels.name)
    return judged


def _reading(run: Run, pool: IdPool, policy: Policy, credit: SpanCredit | None) -> RankTexts | None:
    """Return the tokens and texts at each rank, if the run has passages with them."""
    from judged.core.passages import RankTexts
    from judged.core.reference import ranked_rows

    chunks = run.passages
    if chunks is None or (chunks.tokens is None and credit is None):
        return None
    query, row = ranked_rows(run, policy, pool)
    size = np.bincount(query, minlength=len(pool.queries))
    tokens, lacking = None if chunks.tokens is None else chunks.tokens[row], None
    if tokens is not None and (tokens < 0).any():
        first = int(row[np.argmax(tokens < 0)])
        lacking = f"none for {int((tokens < 0).sum())} of {len(tokens)}, such as {shown(run.doc[first])} at {run.where(first)}"
        tokens = None
    if credit is None or chunks.start is None or chunks.end is None:
        return RankTexts(size=size, tokens=tokens, lacking=lacking)
    fresh, characters = credit
    gold = np.array([characters.get(raw, 0) for raw in pool.ids.take(slice(len(pool.queries))).tolist()])
    return RankTexts(
        size=size,
        tokens=tokens,
        lacking=lacking,
        length=(chunks.end - chunks.start)[row],
        fresh=fresh[row],
        gold=gold,
    )


def _find(
    qrels: Qrels,
    pool: IdPool,
    run: Run | UnreadRun,
    policy: Policy,
    progress: Progress | None,
) -> tuple[Run | UnreadRun, Hits]:
    """Return the hits, and the run, which is read into columns only if the native core cannot scan it in place."""
    kinds = (qrels.query_kind, qrels.doc_kind)
    if isinstance(run, PartitionedRun):
        from judged.core.parts.find import find_in_partitions

        return run, find_in_partitions(pool, run, policy, kinds, progress)
    many = len(pool.query) > _MANY
    if many:  # the columns of the reader
        return_memory()
    hits = find(pool, run, policy, kinds, progress)
    if many:  # those of the scan
        return_memory()
    if hits is not None:
        return run, hits
    if isinstance(run, Run):
        from judged.core import reference

        hits = reference.find(pool, run, policy)
        if progress is not None:
            progress(len(run.query), len(run.query))
        return run, hits
    table = replace(run.read(), name=run.name)  # the caller may have named it
    check_id_kinds(kinds, table)
    return _find(qrels, pool, table, policy, progress)


_LARGEST_COMMON_GRADE = 127


def _names(j: Judged, mask: Bools) -> list[Id]:
    return [j.queries[i] for i in np.flatnonzero(mask).tolist()]


def join_warnings(j: Judged, qrels: Qrels, run: HasName, hits: Hits) -> Iterator[Warned]:
    """Yield the warnings about a join: each counted, in one sentence."""
    policy, label = j.policy, run.label
    if missing := _names(j, ~hits.answered):
        number = counted(len(missing), "judged query is", "judged queries are")
        barren = int((~hits.answered & (j.pool.positive == 0)).sum()) if policy.empty in ("skip", "one") else 0
        effect = "excluded" if policy.queries == "both" else "counted as 0"
        if barren and policy.queries != "both":
            effect += f", except {barren} without a relevant document (empty={policy.empty})"
        yield Warned("query-missing", len(missing), f"{number} missing from {label} and {effect}: {some(missing)}")
    if empty := _names(j, hits.answered & (hits.retrieved == 0)):
        text = f"counted {counted(len(empty), 'ranking')} of {label} without documents as 0: {some(empty)}"
        yield Warned("empty-list", len(empty), text)
    bare = qrels.queries.take(np.bincount(qrels.query, minlength=len(qrels.queries)) == 0)
    if len(bare) and not qrels.questions:
        names = some(decoded(bare, qrels.query_kind))
        text = f"excluded {counted(len(bare), 'query')} of {qrels.label} without judgments: {names}"
        yield Warned("not-judged", len(bare), text)
    if hits.unjudged:
        examples = ", ".join(map(shown, hits.some_unjudged)) + " …" * (hits.unjudged > 3)
        number = f"{'more than ' * hits.more_unjudged}{counted(hits.unjudged, 'query')}"
        yield Warned("query-unjudged", hits.unjudged, f"ignored {number} of {label} without judgments: {examples}")
    counts = j.answered if policy.queries == "both" else np.ones(len(j), bool)
    if barren_queries := _names(j, (j.pool.positive == 0) & counts):
        number = counted(len(barren_queries), "query has", "queries have")
        text = f"{number} no relevant document (empty={policy.empty}): {some(barren_queries)}"
        yield Warned("no-relevant", len(barren_queries), text)
    if large := int((np.abs(qrels.grade) > _LARGEST_COMMON_GRADE).sum()):
        number = counted(large, "grade is", "grades are")
        text = f"{number} above {_LARGEST_COMMON_GRADE}; other tools may reject such grades"
        yield Warned("grade-large", large, text)
    if hits.infinite:
        number = counted(hits.infinite, "score is", "scores are")
        yield Warned("score-inf", hits.infinite, f"{number} infinite in {label} and ranked first or last")
    if len(j.query) == 0 and j.retrieved.any():
        hint = Hint("check that judgments and run have the same document ids")
        yield Warned("no-overlap", 1, f"no document of {label} is judged for its query", hint)
    if policy.order == "score" and hits.disagreeing:
        queries = counted(hits.disagreeing, "query")
        text = f"the rank column contradicts the scores in {queries} of {label}; scores decide"
        yield Warned("rank-disagrees", hits.disagreeing, text, Hint("to use the column, pass {order}", order="rank"))
    if tied := int(np.count_nonzero(np.bincount(j.query[(j.tie_last > j.tie_first) & (j.grade > 0)]))):
        text = f"tied {policy.order}s affect the rank of a relevant document in {counted(tied, 'query')} of {label}"
        yield Warned("ties", tied, f"{text} (ties: {policy.ties})")
