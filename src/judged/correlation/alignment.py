"""Two rankings of each query laid side by side: which documents are the same, and how both score them.

Documents are found by a 64-bit hash and compared byte for byte; nothing loops over documents in Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np

from judged._types import Bools, Floats, Ints, Words
from judged.core.tables import Id, Run
from judged.errors import DataError, Warned, shown
from judged.stats.rank_correlation.concordance import Columns
from judged.stats.rank_correlation.rankings import Rankings, ranked
from judged.tables.table import some

__all__ = ["AlignedPair", "Documents", "Side", "paired", "paired_runs", "some"]

Documents = Literal["both", "union"]

_SCATTER = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Side:
    """One side: the query (a segment) and the score of each document."""

    query: Ints
    score: Floats


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """What coefficients are computed from: a segment a query; or one for two orders of items."""

    queries: tuple[Id, ...]  # none for two orders
    columns: Columns
    rankings: Rankings
    warnings: tuple[Warned, ...] = ()


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


def paired_runs(a: Run, b: Run, depth: int | None, documents: Documents) -> AlignedPair:
    """The rankings of the queries that both runs answer, in the order of their ids."""
    _check_kinds(a, b)
    a_ids, b_ids = a.queries.tolist(), b.queries.tolist()
    common = set(a_ids) & set(b_ids)
    if not common:
        _refuse_nothing_common(a, b)
    ordered = sorted(common, key=int if a.query_kind == "integer" else None)
    code = {raw: i for i, raw in enumerate(ordered)}
    sides, rows = [], []
    for run, ids in ((a, a_ids), (b, b_ids)):
        query = np.array([code.get(raw, -1) for raw in ids], np.int64)[run.query]
        row = np.argsort(query, kind="stable")
        row = row[np.searchsorted(query[row], 0) :]
        sides.append(Side(query[row], run.score[row] + 0.0))  # -0.0 ties with 0.0
        rows.append(row)
    at = _same_documents((a, b), sides, rows)
    found = paired(sides[0], sides[1], *at, len(ordered), depth, documents)
    warnings = (*a.warnings, *b.warnings, *_unshared(a, a_ids, common), *_unshared(b, b_ids, common))
    return AlignedPair(tuple(_decoded(raw, a) for raw in ordered), found.columns, found.rankings, warnings)


def _decoded(raw: bytes, run: Run) -> Id:
    return int(raw) if run.query_kind == "integer" else raw.decode("utf-8", "surrogateescape")


def _unshared(run: Run, ids: list[bytes], common: set[bytes]) -> list[Warned]:
    alone: list[Id] = [_decoded(raw, run) for raw in ids if raw not in common]
    if not alone:
        return []
    what = "query is" if len(alone) == 1 else "queries are"
    return [Warned("query-unshared", len(alone), f"{len(alone)} {what} in {run.label} only, left out: {some(alone)}")]


def _check_kinds(a: Run, b: Run) -> None:
    for what, ours, theirs in (("query", a.query_kind, b.query_kind), ("document", a.doc_kind, b.doc_kind)):
        if ours != theirs and len(a) and len(b):
            raise DataError("id-type", f"{what} ids of one type on both sides", got=f"{ours} and {theirs}", where=b.name,
                            hint=f"convert one side, for example str({what}_id)")  # fmt: skip


def _refuse_nothing_common(a: Run, b: Run) -> NoReturn:
    ours, theirs = ([_decoded(raw, run) for raw in run.queries.tolist()] for run in (a, b))
    raise DataError(
        "no-common-query", f"queries of {a.name} ({some(ours)})", got=f"only others ({some(theirs)})", where=b.name,
        hint="are these runs for the same queries?",
    )  # fmt: skip


def _same_documents(runs: tuple[Run, Run], sides: list[Side], rows: list[Ints]) -> tuple[Ints, Ints]:
    """Positions on both sides of the same document of the same query."""
    keys = []
    for run, side, row in zip(runs, sides, rows, strict=True):
        key = run.doc.take(row).hash() ^ (side.query.astype(np.uint64) * _SCATTER)
        _refuse_repeats(run, side, row, key)
        keys.append(key)
    by_key = np.argsort(keys[1], kind="stable")
    ordered = keys[1][by_key]
    low, high = np.searchsorted(ordered, keys[0], "left"), np.searchsorted(ordered, keys[0], "right")
    pairs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for step in range(int((high - low).max(initial=0))):  # more than one only where hashes collide
        first = np.flatnonzero(low + step < high)
        second = by_key[low[first] + step]
        same = sides[0].query[first] == sides[1].query[second]
        same &= runs[0].doc.same(rows[0][first], runs[1].doc, rows[1][second])
        pairs.append((first[same], second[same]))
    a_at, b_at = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return a_at, b_at


def _refuse_repeats(run: Run, side: Side, row: Ints, key: Words) -> None:
    ordered = np.sort(key)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(repeated):
        return
    seen: dict[tuple[int, bytes], int] = {}
    for i in np.flatnonzero(np.isin(key, repeated)).tolist():
        document = (int(side.query[i]), run.doc[int(row[i])])
        earlier = seen.setdefault(document, int(row[i]))
        if earlier != row[i]:
            query = run.queries[int(run.query[row[i]])]
            raise DataError(
                "duplicate-doc", f"each document once in the ranking of query {shown(query)}", value=document[1],
                got=f"{shown(document[1])} also at {run.where(earlier)}", where=run.where(int(row[i])),
                hint="keep one of them",
            )  # fmt: skip


# ── any two sides ────────────────────────────────────────────────────────────────────────────────


def paired(
    a: Side, b: Side, a_at: Ints, b_at: Ints, count: int, depth: int | None, documents: Documents
) -> AlignedPair:  # fmt: skip
    """Both sides of `count` segments, rows in the order of segments; row `a_at[i]` and row `b_at[i]` are the same item.

    With a depth, items stay whose rank (one more than the number of better ones) is not below it: a tie is not cut apart.
    """
    (a_ranked, a_place), (b_ranked, b_place) = (ranked(s.score, np.bincount(s.query, minlength=count)) for s in (a, b))
    if depth is not None:
        a_stays, b_stays = a_ranked.top[a_place] <= depth, b_ranked.top[b_place] <= depth
        if not (a_stays.all() and b_stays.all()):
            both = a_stays[a_at] & b_stays[b_at]
            at = (np.cumsum(a_stays) - 1)[a_at[both]], (np.cumsum(b_stays) - 1)[b_at[both]]
            return paired(_kept(a, a_stays), _kept(b, b_stays), *at, count, None, documents)
    rankings = Rankings(a_ranked, b_ranked, a_place[a_at], b_place[b_at])
    if documents == "both":
        query, x, y = a.query[a_at], a.score[a_at], b.score[b_at]
    else:  # ranks instead of scores: what a side does not hold ties below all that it does
        a_alone, b_alone = _others(len(a.query), a_at), _others(len(b.query), b_at)
        a_value, b_value = -a_ranked.top[a_place].astype(float), -b_ranked.top[b_place].astype(float)
        query = np.concatenate([a.query[a_at], a.query[a_alone], b.query[b_alone]])
        x = np.concatenate([a_value[a_at], a_value[a_alone], np.full(len(b_alone), -np.inf)])
        y = np.concatenate([b_value[b_at], np.full(len(a_alone), -np.inf), b_value[b_alone]])
    order = np.argsort(query, kind="stable")
    return AlignedPair((), Columns(x[order], y[order], np.bincount(query, minlength=count)), rankings)


def _kept(side: Side, stays: Bools) -> Side:
    return Side(side.query[stays], side.score[stays])


def _others(size: int, at: Ints) -> Ints:
    rest = np.ones(size, bool)
    rest[at] = False
    return np.flatnonzero(rest)
