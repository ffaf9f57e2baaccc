"""The reference of the join: rank the rows of a run, and find its judged documents, with every error. The specification of the native core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints, Words
from judged.core import segments
from judged.core.native import CORES, as_ints, native
from judged.core.policy import Policy
from judged.core.pool import IdPool
from judged.core.tables import Id, IdColumn, IdKind, Run
from judged.errors import DataError, Hint, Place, Warned, shown

KEEP_ONE = Hint("keep one with {duplicates}", duplicates="first")
_IN_TWO_FILES = Hint(
    "if the files are different runs, name each of them; otherwise keep one with {duplicates}",
    duplicates="first",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Hits:
    """The judged documents of a run, sorted by query, then by rank."""

    retrieved: Ints  # per query of the pool
    answered: NDArray[np.bool_]
    query: Ints  # per hit
    rank: Ints
    judgment: Ints
    tie_first: Ints
    tie_last: Ints
    infinite: int  # scores of all rows, judged or not
    disagreeing: int  # queries whose rank column contradicts the scores
    unjudged: int  # queries without judgments
    some_unjudged: tuple[bytes, ...]  # the first three of them
    more_unjudged: bool = False  # there are more than were counted
    warnings: tuple[Warned, ...] = ()  # of the readers of batches


def queries_of(pool: IdPool, run: Run) -> dict[str, Any]:
    """Return the queries that the run answers, including empty rankings, and those without judgments."""
    code = pool.codes_of(run.queries)
    answered = np.zeros(len(pool.queries), bool)
    answered[code[code >= 0]] = True
    bare = set(pool.bare())
    unjudged = [raw for raw in run.queries.take(code < 0).tolist() if raw not in bare]
    return {"answered": answered, "unjudged": len(unjudged), "some_unjudged": tuple(unjudged[:3])}


def raise_empty_run(name: str) -> NoReturn:
    raise DataError("empty-run", "the run contains no rankings", hint="check the path", where=name)


def raise_no_common_query(judged: Sequence[Id], name: str, unjudged: Sequence[Id]) -> NoReturn:
    """Raise `no-common-query` with examples of the queries of the judgments and of the run; `empty-run` if it has none."""
    if not unjudged:
        raise_empty_run(name)
    ours, theirs = (", ".join(map(shown, queries[:3])) for queries in (judged, unjudged))
    raise DataError(
        "no-common-query",
        f"run and judgments have no query in common (judgments: {ours} …, run: {theirs} …)",
        hint="check that these are the judgments for this run, with query ids in the same spelling",
        where=name,
    )


def raise_no_rank(name: str, run: Run | None = None) -> NoReturn:
    """Raise for a run that cannot be ordered by rank; if it has ranks, at the first that is wrong."""
    hint = Hint("use {order}", order="score")
    if run is not None and run.wrong_rank is not None:
        where, cell = run.wrong_rank
        raise DataError("no-rank", f"ranks must be integers ≥ 0, got {cell}", where=where, hint=hint, value=cell)
    raise DataError("no-rank", "the run has no column of ranks that are integers ≥ 0", hint=hint, where=name)


def raise_duplicate(
    query: bytes, doc: bytes, earlier: Place, later: Place, count: int, hint: Hint | str = KEEP_ONE
) -> NoReturn:
    more = f" ({count} duplicates in total)" if count > 1 else ""
    problem = f"duplicate document {shown(doc)} in query {shown(query)}; first at {earlier}{more}"
    if hint is KEEP_ONE and earlier.path != later.path and later.line is not None:
        hint = _IN_TWO_FILES
    raise DataError("duplicate-doc", problem, hint=hint, where=later, value=doc)


def check_id_kinds(kinds: tuple[IdKind, IdKind], run: Run) -> None:
    """Raise `id-type` if the ids of a run are of other types than those of the judgments."""
    if len(run.query):
        check_same_kinds(kinds, (run.query_kind, run.doc_kind), run.name)


def check_same_kinds(
    kinds: tuple[IdKind, IdKind],
    others: tuple[IdKind, IdKind],
    name: str,
    *,
    sides: tuple[str, str] = ("the judgments", "the run"),
    hint: str = "convert one side, for example str({}_id)",
) -> None:
    """Raise `id-type` if ids of queries or documents are of two types, which never match; `{}` in the hint is the noun."""
    for what, ours, theirs in zip(("query", "document"), kinds, others, strict=True):
        if ours != theirs:
            problem = f"{what} ids are {_KIND[ours]} in {sides[0]} and {_KIND[theirs]} in {sides[1]}"
            raise DataError("id-type", problem, hint=hint.format(what), where=name)


_KIND = {"text": "str", "integer": "int", "other": "objects"}


_SCATTER = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Sieve:
    """Hash index of the judged documents of a pool."""

    pool: IdPool
    by_key: Ints
    ordered: Words
    shift: np.uint64
    passes: Bools

    @classmethod
    def of(cls, pool: IdPool) -> Sieve:
        """Index a pool; the index serves any number of rows."""
        key = keys_of(pool.query, pool.doc)
        by_key = np.argsort(key, kind="stable")
        ordered = key[by_key]
        shift = np.uint64(64 - min(26, max(10, len(ordered).bit_length() + 6)))
        passes = np.zeros(1 << (64 - int(shift)), bool)
        passes[ordered >> shift] = True
        return cls(pool, by_key, ordered, shift, passes)

    def match(self, run: Run, row: Ints, query: Ints, key: Words) -> tuple[Ints, Ints]:
        """Return the positions of rows that are judged documents of their query, and their judgments."""
        pool = self.pool
        at = np.flatnonzero(self.passes[key >> self.shift])
        low = np.searchsorted(self.ordered, key[at], "left")
        high = np.searchsorted(self.ordered, key[at], "right")
        positions, judgments = [], []
        for step in range(int((high - low).max(initial=0))):  # more than one only if hashes collide
            inside = low + step < high
            judgment = self.by_key[(low + step)[inside]]
            position = at[inside]
            same = (pool.query[judgment] == query[position]) & pool.doc.same(judgment, run.doc, row[position])
            positions.append(position[same])
            judgments.append(judgment[same])
        if not positions:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate(positions), np.concatenate(judgments)


def match_documents(
    a: Run, b: Run, rows: tuple[Ints, Ints], queries: tuple[Ints, Ints], hint: Hint | str
) -> tuple[Ints, Ints]:
    """Match the documents of two runs: positions in `rows[0]` and `rows[1]` of the same document of the same query.

    Args:
        a: the first run.
        b: the second run.
        rows: the rows of each run to match.
        queries: the query of each of these rows, numbered alike on both sides.
        hint: the action that the error for a duplicate document suggests.

    Raises:
        DataError: a duplicate document.
    """
    keys = [keys_of(query, run.doc.take(row)) for run, row, query in zip((a, b), rows, queries, strict=True)]
    for run, row, key in zip((a, b), rows, keys, strict=True):
        check_duplicates(run, row, key, hint)
    docs = b.doc.take(rows[1])
    pool = IdPool(queries=(), ids=IdColumn.of([]), query=queries[1], grade=np.zeros(len(docs)), doc=docs)
    return Sieve.of(pool).match(a, rows[0], queries[0], keys[0])


def keys_of(query: Ints, doc: IdColumn) -> Words:
    """Return a hash of each document within its query."""
    return doc.hash() ^ (query.astype(np.uint64) * _SCATTER)


def _repeats(run: Run, row: Ints, key: Words) -> tuple[Ints, Ints]:
    """Return the positions (earlier, later) of rows with the same query and document."""
    ordered = np.sort(key)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    suspect = np.flatnonzero(np.isin(key, repeated))
    suspect = suspect[np.argsort(row[suspect], kind="stable")]
    query = run.query[row[suspect]]
    order = run.doc.take(row[suspect]).order(query)  # by id, not by hash: equal hashes may be different ids
    earlier, later = suspect[order[:-1]], suspect[order[1:]]
    same = (query[order[:-1]] == query[order[1:]]) & run.doc.same(row[earlier], run.doc, row[later])
    return earlier[same], later[same]


def check_duplicates(run: Run, row: Ints, key: Words, hint: Hint | str = KEEP_ONE) -> None:
    """Raise `duplicate-doc` if two of these rows, with their `keys_of`, hold the same query and document."""
    earlier, later = _repeats(run, row, key)
    if len(later):
        first = int(np.argmin(row[later]))
        a, b = int(row[earlier[first]]), int(row[later[first]])
        query = run.queries[int(run.query[b])]
        raise_duplicate(query, run.doc[b], run.where(a), run.where(b), len(later), hint)


def keep_once(run: Run, row: Ints, query: Ints, key: Words, value: Floats, policy: Policy) -> Bools:
    """Return the rows to keep: of each document the first, or the one ranked highest."""
    keep = np.ones(len(row), bool)
    preferred = np.empty(len(row), np.int64)
    preferred[np.lexsort((row,) if policy.duplicates == "first" else (row, -value))] = np.arange(len(row))
    while True:  # each round drops the less preferred of every adjacent pair, so long chains shrink
        alive = np.flatnonzero(keep)
        earlier, later = _repeats(run, row[alive], key[alive])
        if not len(later):
            return keep
        a, b = alive[earlier], alive[later]
        keep[np.where(preferred[a] < preferred[b], b, a)] = False


def find(pool: IdPool, run: Run, policy: Policy) -> Hits:
    """Find the judged documents in a run, and their ranks.

    Raises:
        DataError: no query in common, or a duplicate document; each names the places.
    """
    queries = queries_of(pool, run)
    if not queries["answered"].any():
        raise_no_common_query(pool.queries, run.name, queries["some_unjudged"] or pool.bare())
    rows = rank_rows(pool, run, policy)
    return Hits(
        retrieved=np.bincount(rows.query, minlength=len(pool.queries)),
        **queries,
        **_hits(pool, run, rows, policy),
        infinite=int(np.isinf(run.score).sum()),
        disagreeing=int(np.unique(run.query[1:][disagree(run)]).size),  # queries
    )


def disagree(run: Run) -> Bools:
    """Return whether rank and score of each document but the first contradict each other, compared with the one before it."""
    if run.rank is None:
        return np.zeros(max(len(run.query) - 1, 0), bool)
    together = run.query[1:] == run.query[:-1]
    lower_rank, higher_score = run.rank[1:] > run.rank[:-1], run.score[1:] > run.score[:-1]
    different = (run.rank[1:] != run.rank[:-1]) & (run.score[1:] != run.score[:-1])
    return together & different & (lower_rank == higher_score)


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The rows of judged queries of a run, by query and then from the best document down."""

    row: Ints  # into the run
    query: Ints  # into the pool's queries
    key: Words
    group: Ints  # rows of one query and one score
    group_start: Ints
    group_size: Ints
    query_start: Ints


def rank_rows(
    pool: IdPool,
    run: Run,
    policy: Policy,
    *,
    keep_duplicates: bool = False,
    hashed: bool = True,
    hint: Hint | str = KEEP_ONE,
) -> RankedRows:
    """Put the rows of judged queries in the order that the policy demands; without `hashed` the keys, which find documents, are 0."""
    code = pool.codes_of(run.queries)
    query = code[run.query]
    value = ranking_value(run, policy)
    row = np.arange(len(run.query))
    if (code < 0).any():
        row = np.flatnonzero(query >= 0)
        query, value = query[row], value[row]
    key = keys_of(query, run.doc.take(row)) if hashed else np.zeros(len(row), np.uint64)
    if policy.duplicates != "error" and not keep_duplicates:
        keep = keep_once(run, row, query, key, value, policy)
        row, query, key, value = row[keep], query[keep], key[keep], value[keep]
    falls = (query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (value[1:] <= value[:-1]))
    if not falls.all():
        order = np.lexsort((-value, query))
        row, query, key, value = row[order], query[order], key[order], value[order]
    first = np.ones(len(row), bool)
    first[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
    start = np.flatnonzero(first)
    ranked = RankedRows(
        row=row,
        query=query,
        key=key,
        group=np.cumsum(first) - 1,
        group_start=start,
        group_size=np.diff(np.append(start, len(row))),
        query_start=segments.offsets(np.bincount(query, minlength=len(pool.queries))),
    )
    if policy.duplicates == "error" and not keep_duplicates:
        seen = slice(None)
        if policy.depth is not None:  # documents below the depth are not evaluated
            above = ranked.group_start[ranked.group] - ranked.query_start[query]
            seen = np.flatnonzero(above < policy.depth)  # type: ignore[assignment]
        check_duplicates(run, row[seen], key[seen], hint)
    return ranked


def ranking_value(run: Run, policy: Policy) -> Floats:
    """Return the values that documents are ranked by, highest first."""
    if policy.order == "input":
        return -np.arange(len(run.query), dtype=np.float64)
    if policy.order == "rank":
        if run.rank is None:
            raise_no_rank(run.name, run)
        return -run.rank.astype(np.float64)
    score = run.score
    if policy.precision == "float32":
        with np.errstate(over="ignore"):  # beyond its range: infinite, and ranked so
            score = score.astype(np.float32).astype(np.float64)
    return score + 0.0  # -0.0 ties with 0.0


# ── hits ─────────────────────────────────────────────────────────────────────────────────────────


def _hits(pool: IdPool, run: Run, rows: RankedRows, policy: Policy) -> dict[str, Any]:
    at, judgment = Sieve.of(pool).match(run, rows.row, rows.query, rows.key)
    group = rows.group[at]
    above = rows.group_start[group] - rows.query_start[rows.query[at]]
    tied = rows.group_size[group]
    query, grade = rows.query[at], pool.grade[judgment]
    if policy.ties in ("best", "worst"):
        inside = by_grade(group, tied, grade, best=policy.ties == "best")
    elif policy.ties == "input":
        inside = at - rows.group_start[group]
    else:
        inside = by_document_id(run, rows, at, ascending=policy.ties == "id-asc")
    rank = above + inside + 1
    order = np.lexsort((rank, query))
    return {
        "query": query[order],
        "rank": rank[order],
        "judgment": judgment[order],
        "tie_first": (above + 1)[order],
        "tie_last": (above + tied)[order],
    }


def by_document_id(run: Run, rows: RankedRows, at: Ints, *, ascending: bool) -> Ints:
    """Return the position of each hit among the documents of its score, by the bytes of their ids."""
    inside = np.zeros(len(at), np.int64)
    tied = rows.group_size[rows.group[at]] > 1
    if not tied.any():
        return inside
    shared = np.zeros(len(rows.group_size), bool)
    shared[rows.group[at[tied]]] = True
    members = np.flatnonzero(shared[rows.group])
    group = rows.group[members]
    order = run.doc.take(rows.row[members]).order(group)
    place = np.empty(len(rows.row), np.int64)
    place[members[order]] = segments.positions(np.bincount(group)[np.unique(group)])
    size = rows.group_size[rows.group[at[tied]]]
    inside[tied] = place[at[tied]] if ascending else size - 1 - place[at[tied]]
    return inside


def by_grade(group: Ints, tied: Ints, grade: Floats, *, best: bool) -> Ints:
    """Return the position of each hit among the documents of its score, in the best or the worst case.

    Best: positive grades first, the highest on top, then the unjudged, then the rest. Worst: the reverse.
    """
    inside = np.empty(len(group), np.int64)
    front = (grade > 0) == best
    for chosen, from_top in ((front, True), (~front, False)):
        rows = np.flatnonzero(chosen)
        down = -grade[rows] if best else grade[rows]
        rows = rows[np.lexsort((down if from_top else -down, group[rows]))]
        place = segments.positions(np.unique(group[rows], return_counts=True)[1])
        inside[rows] = place if from_top else tied[rows] - 1 - place
    return inside


# ── rankings of all documents ────────────────────────────────────────────────────────────────────


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
