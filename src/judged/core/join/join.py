"""The join: judgments and a run become a `Judged`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged.core.find import native, reference
from judged.core.find.hits import Hits, check_id_kinds
from judged.core.find.pool import IdPool, pool_of
from judged.core.find.ranking import ranked_rows
from judged.core.find.spans import SpanCredit, credit_spans
from judged.core.join.warnings import join_warnings
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun
from judged.core.passages import RankTexts
from judged.core.policy import Policy, Repeats
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import ScoreColumn, TrecLines, UnreadRun
from judged.errors import UsageError, shown

__all__ = ["join"]


def join(
    qrels: Qrels,
    run: Run | UnreadRun,
    policy: Policy,
    progress: native.Progress | None = None,
    *,
    pool: IdPool | None = None,
) -> Judged:
    """Find the judged documents in the run, and their ranks.

    Args:
        qrels: the judgments.
        run: the ranking, in columns or unread.
        policy: how the open questions are answered.
        progress: called now and then, while a large run is looked through, with what is done and what there is.
        pool: `pool_of(qrels, policy)`, where it was made already: several runs then share it, and the ideal ranking.

    Raises:
        DataError: no query in common, not as many scores as labels, ids of different kinds, a document twice in one ranking, a
            document judged twice with different grades; each names the places.
    """
    policy = replace(policy, repeats=_repeats(run, policy))
    if isinstance(run, ScoreColumn):
        run = run.beside(qrels)
    if qrels.choice is not None:
        raise UsageError("alternatives", "judgments of one kind for each query", got="sets of which any one will do",
                         where=qrels.name, hint="evaluate, compare and explain take them")  # fmt: skip
    credit: SpanCredit | None = None
    if qrels.passages is not None and qrels.passages.spans:
        if isinstance(run, PartitionedRun):
            raise UsageError("in-parts", "a run in memory, to credit spans of documents", got="a run in parts", where=run.name, hint="engine='memory' reads it whole")  # fmt: skip
        run = run.read() if isinstance(run, UnreadRun) else run
        qrels, credit = credit_spans(qrels, run, policy)
        pool = None  # judgments of the chunks of this run
    if isinstance(run, Run):
        check_id_kinds((qrels.query_kind, qrels.doc_kind), run)
    pool = pool or pool_of(qrels, policy)
    run, found = _found(qrels, pool, run, policy, progress)
    judged = Judged(
        pool=pool,
        retrieved=found.retrieved,
        answered=found.answered,
        query=found.query,
        rank=found.rank,
        grade=pool.grade[found.judgment],
        judgment=found.judgment,
        tie_first=found.tie_first,
        tie_last=found.tie_last,
        policy=policy,
        names=(qrels.name, run.name),
        reading=_reading(run, pool, policy, credit) if isinstance(run, Run) and run.passages is not None else None,
    )
    if policy.ties != "expected":  # there every order of the ties is cut and condensed on its own
        judged = judged.under(policy)
    of_run = run.warnings if isinstance(run, Run | TrecLines) else found.warnings
    notes = join_warnings(judged, qrels, run, found, policy)
    judged = replace(judged, warnings=(*qrels.warnings, *of_run, *pool.warnings, *notes))
    return judged.select(np.flatnonzero(judged.answered)) if policy.queries == "both" else judged


def _repeats(run: Run | UnreadRun, policy: Policy) -> Repeats:
    """Which documents that stand twice are looked for in this run."""
    if not isinstance(run, PartitionedRun) or run.whole or policy.duplicates != "error":
        return "all"
    return "judged" if policy.repeats == "auto" else policy.repeats


def _reading(run: Run, pool: IdPool, policy: Policy, credit: SpanCredit | None) -> RankTexts | None:
    """What each rank holds, as far as the run knows its chunks."""
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
    gold = np.array([credit.gold.get(raw, 0) for raw in pool.ids.take(slice(len(pool.queries))).tolist()])
    return RankTexts(
        size=size,
        tokens=tokens,
        lacking=lacking,
        length=(chunks.end - chunks.start)[row],
        fresh=credit.fresh[row],
        gold=gold,
    )


def _found(
    qrels: Qrels, pool: IdPool, run: Run | UnreadRun, policy: Policy, progress: native.Progress | None
) -> tuple[Run | UnreadRun, Hits]:
    """What the run holds of the pool; it is put into columns only where the native core does not take it as it is."""
    if isinstance(run, PartitionedRun):
        from judged.core.parts import find as placing

        return run, placing.find_in_partitions(pool, run, policy, (qrels.query_kind, qrels.doc_kind), progress)
    found = native.find(pool, run, policy, (qrels.query_kind, qrels.doc_kind), progress)
    if found is not None:
        return run, found
    if isinstance(run, Run):
        found = reference.find(pool, run, policy)
        if progress is not None:
            progress(len(run), len(run))
        return run, found
    table = run.read()
    check_id_kinds((qrels.query_kind, qrels.doc_kind), table)
    return _found(qrels, pool, table, policy, progress)
