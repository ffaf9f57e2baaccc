"""The join: judgments and a run become a `Judged`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judged.core import native, reference
from judged.core._found import Found
from judged.core._notes import notes_on
from judged.core._pool import Pool, pool_of
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.table import IdKind, Qrels, Run
from judged.core.unread import Lines, Unread
from judged.errors import DataError

__all__ = ["join"]


def join(qrels: Qrels, run: Run | Unread, policy: Policy, progress: native.Progress | None = None) -> Judged:
    """Find the judged documents in the run, and their ranks.

    Args:
        qrels: the judgments.
        run: the ranking, in columns or unread.
        policy: how the open questions are answered.
        progress: called now and then, while a large run is looked through, with what is done and what there is.

    Raises:
        DataError: no query in common, ids of different kinds, a document twice in one ranking, a
            document judged twice with different grades; each names the places.
    """
    if isinstance(run, Run):
        _check_kinds(qrels, run)
    pool = pool_of(qrels, policy)
    run, found = _found(qrels, pool, run, policy, progress)
    judged = Judged(
        queries=pool.queries,
        retrieved=found.retrieved,
        answered=found.answered,
        query=found.query,
        rank=found.rank,
        grade=pool.grade[found.judgment],
        judgment=found.judgment,
        tie_first=found.tie_first,
        tie_last=found.tie_last,
        pool_query=pool.query,
        pool_grade=pool.grade,
        pool_doc=pool.doc,
        aspects=pool.aspects,
        policy=policy,
        names=(qrels.name, run.name),
    )
    if policy.ties != "expected":  # there every order of the ties is cut and condensed on its own
        judged = judged.under(policy)
    of_run = run.warnings if isinstance(run, Run | Lines) else ()
    notes = notes_on(judged, qrels, run, found, policy)
    judged = replace(judged, warnings=(*qrels.warnings, *of_run, *pool.warnings, *notes))
    return judged.select(np.flatnonzero(judged.answered)) if policy.queries == "both" else judged


def _found(
    qrels: Qrels, pool: Pool, run: Run | Unread, policy: Policy, progress: native.Progress | None
) -> tuple[Run | Unread, Found]:
    """What the run holds of the pool; it is put into columns only where the native core does not take it as it is."""
    found = native.find(pool, run, policy, (qrels.query_kind, qrels.doc_kind), progress)
    if found is not None:
        return run, found
    if isinstance(run, Run):
        found = reference.find(pool, run, policy)
        if progress is not None:
            progress(len(run), len(run))
        return run, found
    table = run.read()
    _check_kinds(qrels, table)
    return _found(qrels, pool, table, policy, progress)


def _check_kinds(qrels: Qrels, run: Run) -> None:
    kinds: tuple[tuple[str, IdKind, IdKind], ...] = (
        ("query", qrels.query_kind, run.query_kind),
        ("document", qrels.doc_kind, run.doc_kind),
    )
    for what, ours, theirs in kinds:
        if ours != theirs and len(run):
            raise DataError(
                "id-type",
                f"{what} ids of one type on both sides",
                got=f"{_KIND[ours]} in the judgments and {_KIND[theirs]} in the run",
                hint=f"convert one side, for example str({what}_id)",
                where=run.name,
            )


_KIND = {"text": "str", "integer": "int", "other": "objects"}
