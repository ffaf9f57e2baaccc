"""The join of judgments and a run."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from judged.core.find import native
from judged.core.find.hits import Hits, check_id_kinds
from judged.core.find.pool import IdPool, pool_of
from judged.core.join.warnings import check_no_query_missing, join_warnings
from judged.core.judged import Judged
from judged.core.numeric.native import return_memory
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy, Repeats
from judged.core.tables import HasName, Qrels, Run
from judged.core.unread_runs import ArrowRun, DictRun, ScoreColumn, TextRun, UnreadRun
from judged.errors import Hint, UsageError, Wording, fold_warnings, shown
from judged.steps import step

if TYPE_CHECKING:
    from judged.core.find.spans import SpanCredit
    from judged.core.passages import RankTexts

WITH_SETS = Hint(
    "use {commands}",
    commands=Wording("jd.evaluate, jd.compare or jd.explain", "judged eval, judged compare or judged explain"),
)
_MANY = 1 << 17  # judgments
_FROM_HITS = ("retrieved", "answered", "query", "rank", "judgment", "tie_first", "tie_last")


def join(
    qrels: Qrels,
    run: Run | UnreadRun,
    policy: Policy,
    progress: native.Progress | None = None,
    *,
    allow_empty: bool = False,
) -> Judged:
    """Find the judged documents in the run, and their ranks.

    Args:
        qrels: the judgments.
        run: the ranking, in columns or unread.
        policy: the policies.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.
        allow_empty: accept judgments and runs, such as those of a Spark partition, that are empty or have no query in common.

    Raises:
        DataError: no query in common, different numbers of scores and labels, ids of different types, a duplicate document, a
            document judged twice with different grades; each names the places.
    """
    policy = _complete(policy, _repeats(run, policy), False)
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
                "in-parts",
                "spans cannot be found in a partitioned run",
                where=run.name,
                hint=Hint("read it into memory with {engine}", engine="memory"),
            )
        from judged.core.find.spans import credit_spans

        run = run.read() if isinstance(run, UnreadRun) else run
        qrels, credit = credit_spans(qrels, run, policy)
    if isinstance(run, Run):
        check_id_kinds((qrels.query_kind, qrels.doc_kind), run)
    pool = pool_of(qrels, policy, allow_empty=allow_empty)
    with step(f"joining {run.name} with {qrels.name}") as report:
        run, hits = _find(qrels, pool, run, policy, progress or report, allow_empty=allow_empty)
        policy = _complete(policy, policy.repeats, _is_unscored(run))
    judged = Judged(
        pool=pool,
        **{name: getattr(hits, name) for name in _FROM_HITS},
        grade=pool.grade[hits.judgment],
        policy=policy,
        names=(qrels.name, run.name),
        files=files,
        reading=_reading(run, pool, policy, credit) if isinstance(run, Run) and run.passages is not None else None,
    )
    if policy.ties != "expected":  # which cuts and condenses every order of the ties
        judged = judged.under(policy)
    if policy.queries == "strict":
        check_no_query_missing(judged, run, hits)
    _defer_warnings(judged, qrels, pool, run, hits)
    return judged.select(np.flatnonzero(judged.answered)) if policy.queries == "both" else judged


def _defer_warnings(judged: Judged, qrels: Qrels, pool: IdPool, run: Run | UnreadRun, hits: Hits) -> None:
    """Let the warnings of a join be computed when they are asked for."""
    of_run = run.warnings if isinstance(run, Run | TextRun) else hits.warnings
    known = (*qrels.warnings, *(fold_warnings(of_run) if of_run else ()), *pool.warnings)
    named = HasName(name=run.name, path=run.path)  # no more of the run is needed
    object.__setattr__(judged, "warnings", lambda j: (*known, *join_warnings(j, qrels, named, hits, j.policy)))


@lru_cache(maxsize=64)
def _complete(policy: Policy, repeats: Repeats, unscored: bool) -> Policy:
    """Return the policy with what depends on the run."""
    return replace(policy, repeats=repeats, unscored=unscored)


def _repeats(run: Run | UnreadRun, policy: Policy) -> Repeats:
    """Return which duplicates are detected in this run."""
    if not isinstance(run, PartitionedRun) or run.partitions.whole or policy.duplicates != "error":
        return "all"
    return "judged" if policy.repeats == "auto" else policy.repeats


def _is_unscored(run: Run | UnreadRun) -> bool:
    """Return whether a run has ranks or lists, and no scores."""
    if isinstance(run, ArrowRun):
        return run.columns[2] < 0
    if isinstance(run, DictRun):
        ranking = next(filter(None, run.rankings.values()), None)
        return isinstance(ranking, list) and isinstance(ranking[0], str | int)
    return not getattr(run, "scored", True)


def _reading(run: Run, pool: IdPool, policy: Policy, credit: SpanCredit | None) -> RankTexts | None:
    """Return the tokens and texts at each rank, if the run has passages with them."""
    from judged.core.find.ranking import ranked_rows
    from judged.core.passages import RankTexts

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


def _find(
    qrels: Qrels,
    pool: IdPool,
    run: Run | UnreadRun,
    policy: Policy,
    progress: native.Progress | None,
    *,
    allow_empty: bool,
) -> tuple[Run | UnreadRun, Hits]:
    """Return the hits, and the run, which is read into columns only if the native core cannot scan it in place."""
    kinds = (qrels.query_kind, qrels.doc_kind)
    if isinstance(run, PartitionedRun):
        from judged.core.parts.find import find_in_partitions

        return run, find_in_partitions(pool, run, policy, kinds, progress)
    many = len(pool.query) > _MANY
    if many:  # the columns of the reader
        return_memory()
    hits = (
        native.find_in(pool, [run], policy, kinds) if allow_empty else native.find(pool, run, policy, kinds, progress)
    )
    if many:  # those of the scan
        return_memory()
    if hits is not None:
        return run, hits
    if isinstance(run, Run):
        from judged.core.find import reference

        hits = (reference.find_in if allow_empty else reference.find)(pool, run, policy)
        if progress is not None:
            progress(len(run), len(run))
        return run, hits
    table = replace(run.read(), name=run.name)  # the caller may have named it
    check_id_kinds(kinds, table)
    return _find(qrels, pool, table, policy, progress, allow_empty=allow_empty)
