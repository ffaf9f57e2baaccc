"""The order of all rows of a run, judged or not."""

from __future__ import annotations

import numpy as np

from judged._types import Bools, Ints
from judged.core.find.reference import KEEP_ONE, RankedRows, Sieve, by_document_id, by_grade, rank_rows
from judged.core.ids import IdColumn
from judged.core.native import CORES, as_ints, native
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import Run
from judged.errors import Hint


def ranked_rows(
    run: Run, policy: Policy, pool: IdPool | None = None, *, keep_duplicates: bool = False, hint: Hint | str = KEEP_ONE
) -> tuple[Ints, Ints]:
    """Return the query and the row of each document, by query and then by rank, without documents that the policy drops.

    Queries are those of the pool with its numbers; without a pool, those of the run. With ties `best` and `worst`, judged documents of the pool
    get their ranks and the others are placed around them; without a pool, and for `expected`, ties are ordered by id. The hint is the action
    that the error suggests if the caller has no option for duplicates.

    Raises:
        DataError: a duplicate document, unless the policy says which to keep or `keep_duplicates` is set.
    """
    known = pool if pool is not None else pool_of_queries(run.queries)
    rows = rank_rows(known, run, policy, keep_duplicates=keep_duplicates, hint=hint)
    order = order_ties(run, rows, policy)
    if pool is not None and policy.ties in ("best", "worst"):
        order = _move_judged(order, pool, run, rows, policy)
    return rows.query[order], rows.row[order]


def order_ties(run: Run, rows: RankedRows, policy: Policy) -> Ints:
    """Return the order of ranked rows in which equal scores follow the policy; they are by query and score already."""
    at = np.arange(len(rows.row))
    if len(rows.group_start) == len(at):
        return at
    start = rows.group_start[rows.group]
    by_id = policy.ties != "input"
    inside = by_document_id(run, rows, at, ascending=policy.ties == "id-asc") if by_id else at - start
    order = np.empty_like(at)
    order[start + inside] = at
    return order


def pool_of_queries(ids: IdColumn) -> IdPool:
    """Return a pool without documents, which numbers the queries."""
    none = np.empty(0, np.int64)
    queries = tuple(range(len(ids)))
    return IdPool(queries=queries, ids=ids, query=none, grade=none.astype(float), doc=IdColumn.of([]))


def _move_judged(order: Ints, pool: IdPool, run: Run, rows: RankedRows, policy: Policy) -> Ints:
    """Move judged documents to their best or worst ranks; the others keep their order around them."""
    at, judgment = Sieve.of(pool).match(run, rows.row, rows.query, rows.key)
    group = rows.group[at]
    inside = by_grade(group, rows.group_size[group], pool.grade[judgment], best=policy.ties == "best")
    place = rows.group_start[group] + inside
    out = np.full(len(order), -1)
    out[place] = at
    out[out < 0] = order[~np.isin(order, at)]
    return out


def group_documents(query: Ints, queries: int, docs: IdColumn) -> tuple[Ints, Bools]:
    """Return the order of rows by query, then by id from the highest down, then by row; and whether a document begins at each place.

    Args:
        query: the query of each row, from 0.
        queries: number of queries.
        docs: the document of each row.
    """
    if native is None:
        return group_documents_reference(query, docs)
    order, first = native.group_rows(as_ints(query), queries, docs.arrays(), CORES)
    return order, first.view(np.bool_)


def group_documents_reference(query: Ints, docs: IdColumn) -> tuple[Ints, Bools]:
    """Do the same without the native library."""
    down = docs.order(-query)[::-1]
    first = np.ones(len(query), bool)
    first[1:] = (query[down[1:]] != query[down[:-1]]) | ~docs.same(down[1:], docs, down[:-1])
    document = np.empty(len(query), np.int64)
    document[down] = np.cumsum(first)
    return np.argsort(document, kind="stable"), first
