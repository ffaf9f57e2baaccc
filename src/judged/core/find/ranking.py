"""Every row of a run in the order in which it is evaluated, judged or not."""

from __future__ import annotations

import numpy as np

from judged._types import Ints
from judged.core.find.hits import KEEP_ONE
from judged.core.find.pool import IdPool
from judged.core.find.reference import RankedRows, _by_document_id, _found, _judged_rows, by_grade
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import Run

__all__ = ["ranked_rows"]


def ranked_rows(
    run: Run, policy: Policy, pool: IdPool | None = None, *, keep_duplicates: bool = False, hint: str = KEEP_ONE
) -> tuple[Ints, Ints]:
    """The query and the row of each document, by query and then from rank 1 down; what a policy drops is not among them.

    Queries are those of the pool, and numbered as there; without one they are those of the run. Ties that luck decides (`best`, `worst`) are
    ordered around the judged documents of the pool, as these are ranked; without one, and for `expected`, by ids. The hint is the action
    that the error suggests, where a caller has no option for duplicates.

    Raises:
        DataError: a document twice in one ranking, unless the policy says which counts or `keep_duplicates` is set.
    """
    known = pool if pool is not None else _pool_of_queries(run)
    rows = _judged_rows(known, run, policy, keep_duplicates=keep_duplicates, hint=hint)
    at = np.arange(len(rows.row))
    start = rows.group_start[rows.group]
    by_id = policy.ties != "input"
    inside = _by_document_id(run, rows, at, ascending=policy.ties == "id-asc") if by_id else at - start
    order = np.argsort(start + inside)  # rows are by query already
    if pool is not None and policy.ties in ("best", "worst"):
        order = _around(order, pool, run, rows, policy)
    return rows.query[order], rows.row[order]


def _pool_of_queries(run: Run) -> IdPool:
    none = np.empty(0, np.int64)
    queries = tuple(range(len(run.queries)))
    return IdPool(queries=queries, ids=run.queries, query=none, grade=none.astype(float), doc=IdColumn.of([]))


def _around(order: Ints, pool: IdPool, run: Run, rows: RankedRows, policy: Policy) -> Ints:
    """The same order with judged documents at the ranks that luck gives them, the others around them in the order they have."""
    at, judgment = _found(pool, run, rows)
    group = rows.group[at]
    inside = by_grade(group, rows.group_size[group], pool.grade[judgment], best=policy.ties == "best")
    place = rows.group_start[group] + inside
    out = np.full(len(order), -1)
    out[place] = at
    out[out < 0] = order[~np.isin(order, at)]
    return out
