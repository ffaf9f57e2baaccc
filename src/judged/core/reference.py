"""The join: judgments and a run become a `Judged`. Short and obvious; the specification.

Nothing here loops over rows in Python. A judged document's rank is one more than the number of documents
that beat it, so rows are sorted only where a file is not in score order already, and ids are compared only
among documents of equal score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core import segment
from judged.core.judged import Aspects, Judged
from judged.core.policy import Policy
from judged.core.table import Id, IdKind, Qrels, Run
from judged.core.text import Text
from judged.errors import DataError, Warned, shown

__all__ = ["join"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_LARGEST_COMMON_GRADE = 127
_SCATTER = np.uint64(0xD6E8FEB86659FD93)


def join(qrels: Qrels, run: Run, policy: Policy) -> Judged:
    """Find the judged documents in the run, and their ranks.

    Raises:
        DataError: no query in common, ids of different kinds, a document twice in one ranking, a
            document judged twice with different grades; each names the places.
    """
    _check_kinds(qrels, run)
    pool = _pool(qrels, policy)
    rows = _judged_rows(pool, run, policy)
    hits = _hits(pool, run, rows, policy)
    judged = Judged(
        queries=pool.queries,
        retrieved=np.bincount(rows.query, minlength=len(pool.queries)),
        answered=rows.answered,
        **hits,
        pool_query=pool.query,
        pool_grade=pool.grade,
        pool_doc=pool.doc,
        aspects=pool.aspects,
        policy=policy,
        names=(qrels.name, run.name),
    )
    if policy.depth is not None:
        judged = judged.cut(policy.depth)
    if policy.unjudged == "condensed":
        judged = judged.condensed()
    warnings = (*qrels.warnings, *run.warnings, *pool.warnings, *_notes(judged, qrels, run, rows, policy))
    judged = replace(judged, warnings=warnings)
    return judged.select(np.flatnonzero(judged.answered)) if policy.queries == "both" else judged


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────


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


def _decoded(ids: Text, kind: IdKind) -> list[Id]:
    texts = [raw.decode("utf-8", "surrogateescape") for raw in ids.tolist()]
    return [int(text) for text in texts] if kind == "integer" else list(texts)


# ── the pool ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Pool:
    queries: tuple[Id, ...]
    codes: dict[bytes, int]  # query id → position in `queries`
    query: Ints
    grade: Floats
    doc: Text
    aspects: Aspects | None
    warnings: list[Warned]


def _pool(qrels: Qrels, policy: Policy) -> _Pool:
    """Each judged document once, queries in order of id, grades from the highest down."""
    used = np.zeros(len(qrels.queries), bool)
    used[qrels.query] = True
    if not used.any():
        raise DataError("empty-qrels", "at least one judgment", got="none", where=qrels.name)
    used_rows = np.flatnonzero(used)
    ids = qrels.queries.take(used_rows)
    names = _decoded(ids, qrels.query_kind)
    if qrels.query_kind == "integer":
        by_id = np.array(sorted(range(len(names)), key=names.__getitem__))  # type: ignore[arg-type]
    else:
        by_id = ids.order()
    place = np.full(len(qrels.queries), -1)
    place[used_rows[by_id]] = np.arange(len(by_id))

    query = place[qrels.query]
    order, aspects = _by_document(qrels, query)
    rows, grade, warnings = _once(qrels, query, order, aspects, policy)
    query, doc = query[rows], qrels.doc.take(rows)
    first = _starts(query, doc)
    document = np.cumsum(first) - 1  # row of this (document, aspect) → document
    start = np.flatnonzero(first)
    top = np.maximum.reduceat(grade, start)
    by_grade = np.lexsort((-top, query[start]))
    position = np.empty_like(by_grade)
    position[by_grade] = np.arange(len(by_grade))
    table = None
    if aspects is not None:
        aspect, sub = (column[rows] for column in aspects)
        local = np.lexsort((sub, aspect, query))
        table = Aspects(
            position[document[local]],
            _local_codes(query[local], aspect[local]),
            _local_codes(query[local], sub[local]),
            grade[local],
        )
    return _Pool(
        queries=tuple(names[i] for i in by_id),
        codes={raw: i for i, raw in enumerate(ids.take(by_id).tolist())},
        query=query[start][by_grade],
        grade=top[by_grade],
        doc=doc.take(start[by_grade]),
        aspects=table,
        warnings=warnings,
    )


def _by_document(qrels: Qrels, query: Ints) -> tuple[Ints, tuple[Ints, Ints] | None]:
    """Row order by (query, document, aspect, sub), and the codes of aspect and sub."""
    order = qrels.doc.order(query)
    if qrels.aspect is None:
        return order, None
    aspect = _codes(qrels.aspect)
    sub = _codes(qrels.sub) if qrels.sub is not None else np.zeros_like(aspect)
    doc_code = np.empty(len(qrels), np.int64)
    doc_code[order] = np.cumsum(_starts(query[order], qrels.doc.take(order)))
    return np.lexsort((sub, aspect, doc_code)), (aspect, sub)


def _once(
    qrels: Qrels, query: Ints, order: Ints, aspects: tuple[Ints, Ints] | None, policy: Policy
) -> tuple[Ints, Floats, list[Warned]]:
    """Rows without repeats, with their grade by the policy for documents judged twice."""
    first = _starts(query[order], qrels.doc.take(order))
    for column in aspects or ():
        first[1:] |= column[order][1:] != column[order][:-1]
    start = np.flatnonzero(first)
    sorted_grade = qrels.grade[order]
    if len(start) == len(order):
        return order, sorted_grade, []
    low, high = np.minimum.reduceat(sorted_grade, start), np.maximum.reduceat(sorted_grade, start)
    size = np.diff(np.append(start, len(order)))
    conflict = np.flatnonzero(low != high)
    if len(conflict) and policy.rejudged == "error":
        group = conflict[np.argmin(order[start[conflict]])]
        rows = order[start[group] : start[group] + size[group]]
        other = rows[np.flatnonzero(qrels.grade[rows] != qrels.grade[rows[0]])[0]]
        doc, name = qrels.doc[int(rows[0])], qrels.queries[int(qrels.query[rows[0]])]
        raise DataError(
            "duplicate-judgment",
            f"one grade for document {shown(doc)} of query {shown(name)}",
            got=f"{qrels.grade[rows[0]]:g} at {qrels.where(int(rows[0]))} and {qrels.grade[other]:g}",
            hint="choose one with rejudged='max' (or min, first, last, mean)",
            where=qrels.where(int(other)),
            value=doc,
        )
    chosen = {
        "max": high,
        "min": low,
        "first": sorted_grade[start],
        "last": sorted_grade[start + size - 1],
        "mean": np.add.reduceat(sorted_grade, start) / size,
    }.get(policy.rejudged, high)
    extra = int((size - 1).sum())
    text = f"{extra} {'judgment repeats' if extra == 1 else 'judgments repeat'} an earlier one in {qrels.label}; used once"
    return order[start], chosen, [Warned("duplicate-judgment", extra, text)]


def _starts(query: Ints, doc: Text) -> Bools:
    """Where a new (query, document) begins, in rows sorted by both."""
    rows = np.arange(len(query))
    first = np.ones(len(query), bool)
    first[1:] = (query[1:] != query[:-1]) | ~doc.same(rows[1:], doc, rows[:-1])
    return first


def _codes(ids: Text) -> Ints:
    """A whole number per distinct id, ascending with its bytes."""
    order = ids.order()
    code = np.empty(len(ids), np.int64)
    code[order] = np.cumsum(np.concatenate([[False], ~ids.same(order[1:], ids, order[:-1])]))
    return code


def _local_codes(query: Ints, code: Ints) -> Ints:
    """Codes renumbered 0, 1, 2 … within each query, in the same order."""
    pairs = np.unique(np.stack([query, code]), axis=1)
    local = segment.positions(np.bincount(pairs[0], minlength=int(query.max(initial=-1)) + 1))
    width = int(code.max(initial=0)) + 1
    return local[np.searchsorted(pairs[0] * width + pairs[1], query * width + code)]


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The run's rows of judged queries, by query and then from the best document down."""

    row: Ints  # into the run
    query: Ints  # into the pool's queries
    key: Words
    group: Ints  # rows of one query and one score
    group_start: Ints
    group_size: Ints
    query_start: Ints
    answered: Bools


def _judged_rows(pool: _Pool, run: Run, policy: Policy) -> _Ranked:
    code = np.array([pool.codes.get(raw, -1) for raw in run.queries.tolist()], dtype=np.int64)
    answered = np.zeros(len(pool.queries), bool)
    answered[code[code >= 0]] = True
    if not answered.any():
        _nothing_common(pool, run)
    query = code[run.query]
    value = _ranking_value(run, policy)
    row = np.arange(len(run))
    if (code < 0).any():
        row = np.flatnonzero(query >= 0)
        query, value = query[row], value[row]
    key = run.doc.take(row).hash() ^ (query.astype(np.uint64) * _SCATTER)
    if policy.duplicates != "error":
        keep = _without_duplicates(run, row, query, key, value, policy)
        row, query, key, value = row[keep], query[keep], key[keep], value[keep]
    falls = (query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (value[1:] <= value[:-1]))
    if not falls.all():
        order = np.lexsort((-value, query))
        row, query, key, value = row[order], query[order], key[order], value[order]
    first = np.ones(len(row), bool)
    first[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
    start = np.flatnonzero(first)
    ranked = _Ranked(
        row=row,
        query=query,
        key=key,
        group=np.cumsum(first) - 1,
        group_start=start,
        group_size=np.diff(np.append(start, len(row))),
        query_start=segment.offsets(np.bincount(query, minlength=len(pool.queries))),
        answered=answered,
    )
    if policy.duplicates == "error":
        _refuse_duplicates(run, ranked, policy)
    return ranked


def _ranking_value(run: Run, policy: Policy) -> Floats:
    """What documents are ordered by, highest first."""
    if policy.order == "input":
        return -np.arange(len(run), dtype=np.float64)
    if policy.order == "rank":
        if run.rank is None:
            raise DataError("no-rank", "a rank column", got="none", hint="use order='score'", where=run.name)
        return -run.rank.astype(np.float64)
    score = run.score.astype(np.float32).astype(np.float64) if policy.precision == "float32" else run.score
    return score + 0.0  # -0.0 ties with 0.0


def _nothing_common(pool: _Pool, run: Run) -> None:
    if not len(run.queries):
        raise DataError("empty-run", "at least one ranking", got="none", where=run.name)
    ours = ", ".join(shown(query) for query in pool.queries[:3])
    theirs = ", ".join(shown(raw) for raw in run.queries.tolist()[:3])
    raise DataError(
        "no-common-query",
        f"queries of the judgments ({ours} …)",
        got=f"only others ({theirs} …)",
        hint="are these the judgments for this run?",
        where=run.name,
    )


def _repeats(run: Run, row: Ints, key: Words) -> tuple[Ints, Ints]:
    """Positions (earlier, later) of rows with the same query and document."""
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    by_key = np.lexsort((row, key))
    pair = np.flatnonzero(key[by_key][1:] == key[by_key][:-1])
    earlier, later = by_key[pair], by_key[pair + 1]
    query = run.query[row]
    same = (query[earlier] == query[later]) & run.doc.same(row[earlier], run.doc, row[later])
    return earlier[same], later[same]


def _refuse_duplicates(run: Run, rows: _Ranked, policy: Policy) -> None:
    seen = slice(None)
    if policy.depth is not None:  # what lies below the depth is never looked at
        above = rows.group_start[rows.group] - rows.query_start[rows.query]
        seen = np.flatnonzero(above < policy.depth)  # type: ignore[assignment]
    earlier, later = _repeats(run, rows.row[seen], rows.key[seen])
    if len(later):
        first = int(np.argmin(rows.row[seen][later]))
        a, b = int(rows.row[seen][earlier[first]]), int(rows.row[seen][later[first]])
        doc, query = run.doc[b], run.queries[int(run.query[b])]
        raise DataError(
            "duplicate-doc",
            f"each document once in the ranking of query {shown(query)}",
            got=f"{shown(doc)} also at {run.where(a)}" + (f", {len(later)} repeats in all" if len(later) > 1 else ""),
            hint="keep one of them with duplicates='first' or 'best'",
            where=run.where(b),
            value=doc,
        )


def _without_duplicates(run: Run, row: Ints, query: Ints, key: Words, value: Floats, policy: Policy) -> Bools:
    """Rows to keep: of each document the first, or the best-ranked."""
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


# ── hits ─────────────────────────────────────────────────────────────────────────────────────────


def _hits(pool: _Pool, run: Run, rows: _Ranked, policy: Policy) -> dict[str, Any]:
    at, judgment = _found(pool, run, rows)
    group = rows.group[at]
    above = rows.group_start[group] - rows.query_start[rows.query[at]]
    tied = rows.group_size[group]
    query, grade = rows.query[at], pool.grade[judgment]
    if policy.ties in ("best", "worst"):
        inside = _by_grade(group, tied, grade, best=policy.ties == "best")
    elif policy.ties == "input":
        inside = at - rows.group_start[group]
    else:
        inside = _by_document_id(run, rows, at, ascending=policy.ties == "id-asc")
    rank = above + inside + 1
    order = np.lexsort((rank, query))
    return {
        "query": query[order],
        "rank": rank[order],
        "grade": grade[order],
        "judgment": judgment[order],
        "tie_first": (above + 1)[order],
        "tie_last": (above + tied)[order],
    }


def _found(pool: _Pool, run: Run, rows: _Ranked) -> tuple[Ints, Ints]:
    """Positions in `rows` of judged documents, and their judgments."""
    pool_key = pool.doc.hash() ^ (pool.query.astype(np.uint64) * _SCATTER)
    by_key = np.argsort(pool_key, kind="stable")
    ordered = pool_key[by_key]
    shift = np.uint64(64 - min(26, max(10, int(len(ordered)).bit_length() + 6)))
    sieve = np.zeros(1 << (64 - int(shift)), bool)
    sieve[ordered >> shift] = True
    at = np.flatnonzero(sieve[rows.key >> shift])
    low = np.searchsorted(ordered, rows.key[at], "left")
    high = np.searchsorted(ordered, rows.key[at], "right")
    found, judgments = [], []
    for step in range(int((high - low).max(initial=0))):  # more than one only where hashes collide
        inside = low + step < high
        judgment = by_key[(low + step)[inside]]
        position = at[inside]
        same = (pool.query[judgment] == rows.query[position]) & pool.doc.same(
            judgment, run.doc, rows.row[position]
        )
        found.append(position[same])
        judgments.append(judgment[same])
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(found), np.concatenate(judgments)


def _by_document_id(run: Run, rows: _Ranked, at: Ints, *, ascending: bool) -> Ints:
    """The place of each hit among the documents of its score, by the bytes of their ids."""
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
    place[members[order]] = segment.positions(np.bincount(group)[np.unique(group)])
    size = rows.group_size[rows.group[at[tied]]]
    inside[tied] = place[at[tied]] if ascending else size - 1 - place[at[tied]]
    return inside


def _by_grade(group: Ints, tied: Ints, grade: Floats, *, best: bool) -> Ints:
    """The place of each hit among the documents of its score when luck decides.

    Best: positive grades first, the highest on top, then the unjudged, then the rest. Worst: the reverse.
    """
    inside = np.empty(len(group), np.int64)
    front = (grade > 0) == best
    for chosen, from_top in ((front, True), (~front, False)):
        rows = np.flatnonzero(chosen)
        down = -grade[rows] if best else grade[rows]
        rows = rows[np.lexsort((down if from_top else -down, group[rows]))]
        place = segment.positions(np.unique(group[rows], return_counts=True)[1])
        inside[rows] = place if from_top else tied[rows] - 1 - place
    return inside


# ── what is worth saying ─────────────────────────────────────────────────────────────────────────


def _notes(j: Judged, qrels: Qrels, run: Run, rows: _Ranked, policy: Policy) -> list[Warned]:
    notes = []

    def note(slug: str, count: int, text: str) -> None:
        if count:
            notes.append(Warned(slug, count, text))

    def some(ids: list[Id]) -> str:
        return ", ".join(shown(i) for i in ids[:3]) + (" …" if len(ids) > 3 else "")

    missing = [j.queries[i] for i in np.flatnonzero(~rows.answered)]
    if missing and policy.queries == "strict":
        raise DataError(
            "query-missing", f"a ranking for each of {len(j)} judged queries", got=f"none for {some(missing)}",
            hint="queries='judged' counts them as 0, queries='both' leaves them out", where=run.name,
        )  # fmt: skip
    what = "left out" if policy.queries == "both" else "counted as 0"
    note("query-missing", len(missing), f"{len(missing)} judged queries absent from {run.label}, {what}: {some(missing)}")

    known = set(qrels.queries.tolist())
    bare = np.bincount(qrels.query, minlength=len(qrels.queries)) == 0
    empty = _decoded(qrels.queries.take(bare), qrels.query_kind)
    note("not-judged", len(empty), f"{len(empty)} queries of {qrels.label} hold no judgment, left out: {some(empty)}")
    extra = [raw for raw in run.queries.tolist() if raw not in known]
    note("query-unjudged", len(extra), f"{len(extra)} queries of {run.label} are not judged, ignored: {some(list(extra))}")

    none = [j.queries[i] for i in np.flatnonzero(j.ideal.total(j.pool_grade > 0) == 0)]
    note("no-relevant", len(none), f"{len(none)} queries have no relevant document, valued by policy empty={policy.empty}: {some(none)}")

    large = int((np.abs(qrels.grade) > _LARGEST_COMMON_GRADE).sum())
    note("grade-large", large, f"{large} grades are above {_LARGEST_COMMON_GRADE}; other tools may refuse them")
    infinite = int(np.isinf(run.score).sum())
    note("score-inf", infinite, f"{infinite} scores are infinite; ranked first or last")
    if len(j.query) == 0 and j.retrieved.any():
        note("no-overlap", 1, f"no document of {run.label} is judged for its query; are the document ids the same?")
    if run.rank is not None and policy.order == "score":
        note(*_rank_disagreement(run))
    decided = (j.tie_last > j.tie_first) & (j.grade > 0)
    tied = int(np.unique(j.query[decided]).size)
    if policy.order == "score":
        note("ties", tied, f"in {tied} of {len(j)} queries the rank of a relevant document rests on tied scores, broken by {policy.ties}")
    return notes


def _rank_disagreement(run: Run) -> tuple[str, int, str]:
    assert run.rank is not None
    together = run.query[1:] == run.query[:-1]
    lower_rank, higher_score = run.rank[1:] > run.rank[:-1], run.score[1:] > run.score[:-1]
    different = (run.rank[1:] != run.rank[:-1]) & (run.score[1:] != run.score[:-1])
    against = together & different & (lower_rank == higher_score)
    count = int(np.unique(run.query[1:][against]).size)
    text = f"the rank column contradicts the scores in {count} queries of {run.label}; scores decide (order='rank' for the column)"
    return "rank-disagrees", count, text
