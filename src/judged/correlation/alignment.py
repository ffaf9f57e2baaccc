"""Align two rankings of each query: shared documents and their scores on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.find.reference import match_documents
from judged.core.ids import IdColumn
from judged.core.tables import Id, Run, decoded
from judged.errors import DataError, Warned
from judged.stats.rank_correlation.concordance import Columns
from judged.stats.rank_correlation.rankings import Rankings, rank_items
from judged.tables.text import counted, some

Documents = Literal["both", "union"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side: query (a segment) and score of each document."""

    query: Ints
    score: Floats


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two aligned rankings, from which coefficients are computed: one segment per query, or a single one for two orders."""

    queries: tuple[Id, ...]  # empty for two orders
    columns: Columns
    rankings: Rankings
    warnings: tuple[Warned, ...] = ()


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


def align_runs(a: Run, b: Run, depth: int | None, documents: Documents) -> AlignedPair:
    """Align the rankings of the queries that both runs have, in the order of query ids."""
    _check_kinds(a, b)
    a_ids, b_ids = a.queries.tolist(), b.queries.tolist()
    common = set(a_ids) & set(b_ids)
    if not common:
        _raise_no_common_query(a, b)
    ordered = sorted(common, key=int if a.query_kind == "integer" else None)
    code = {raw: i for i, raw in enumerate(ordered)}
    sides, rows = [], []
    for run, ids in ((a, a_ids), (b, b_ids)):
        query = np.array([code.get(raw, -1) for raw in ids], np.int64)[run.query]
        row = np.argsort(query, kind="stable")
        row = row[np.searchsorted(query[row], 0) :]
        sides.append(Side(query[row], run.score[row] + 0.0))  # -0.0 ties with 0.0
        rows.append(row)
    at = match_documents(a, b, (rows[0], rows[1]), (sides[0].query, sides[1].query), "keep one of them")
    aligned = align(sides[0], sides[1], *at, len(ordered), depth, documents)
    warnings = (*a.warnings, *b.warnings, *_unshared_queries(a, a_ids, common), *_unshared_queries(b, b_ids, common))
    return AlignedPair(tuple(decoded(IdColumn.of(ordered), a.query_kind)), aligned.columns, aligned.rankings, warnings)


def _unshared_queries(run: Run, ids: list[bytes], common: set[bytes]) -> list[Warned]:
    alone = decoded(IdColumn.of(raw for raw in ids if raw not in common), run.query_kind)
    if not alone:
        return []
    queries = counted(len(alone), "query is", "queries are")
    return [Warned("query-unshared", len(alone), f"{queries} in {run.label} only, excluded: {some(alone)}")]


def _check_kinds(a: Run, b: Run) -> None:
    for what, a_kind, b_kind in (("query", a.query_kind, b.query_kind), ("document", a.doc_kind, b.doc_kind)):
        if a_kind != b_kind and len(a) and len(b):
            problem = f"{what} ids are of type {a_kind} in {a.name} and {b_kind} in {b.name}"
            raise DataError("id-type", problem, where=b.name, hint=f"convert one side, for example str({what}_id)")


def _raise_no_common_query(a: Run, b: Run) -> NoReturn:
    a_queries, b_queries = (decoded(run.queries, run.query_kind) for run in (a, b))
    problem = f"runs have no query in common ({a.name}: {some(a_queries)}; {b.name}: {some(b_queries)})"
    raise DataError("no-common-query", problem, where=b.name, hint="check that both runs are for the same queries")


# ── any two sides ────────────────────────────────────────────────────────────────────────────────


def align(a: Side, b: Side, a_at: Ints, b_at: Ints, count: int, depth: int | None, documents: Documents) -> AlignedPair:
    """Align two sides of `count` segments, sorted by segment; row `a_at[i]` and row `b_at[i]` are the same item.

    With a depth, items with fewer than `depth` better ones are kept, so ties are not cut.
    """
    (a_ranked, a_place), (b_ranked, b_place) = (
        rank_items(s.score, np.bincount(s.query, minlength=count)) for s in (a, b)
    )
    if depth is not None:
        a_stays, b_stays = a_ranked.top[a_place] <= depth, b_ranked.top[b_place] <= depth
        if not (a_stays.all() and b_stays.all()):
            both = a_stays[a_at] & b_stays[b_at]
            at = (np.cumsum(a_stays) - 1)[a_at[both]], (np.cumsum(b_stays) - 1)[b_at[both]]
            return align(_kept(a, a_stays), _kept(b, b_stays), *at, count, None, documents)
    rankings = Rankings(a_ranked, b_ranked, a_place[a_at], b_place[b_at])
    if documents == "both":
        query, x, y = a.query[a_at], a.score[a_at], b.score[b_at]
    else:  # ranks instead of scores: missing items are tied below all others
        a_alone, b_alone = _rest(len(a.query), a_at), _rest(len(b.query), b_at)
        a_value, b_value = -a_ranked.top[a_place].astype(float), -b_ranked.top[b_place].astype(float)
        query = np.concatenate([a.query[a_at], a.query[a_alone], b.query[b_alone]])
        x = np.concatenate([a_value[a_at], a_value[a_alone], np.full(len(b_alone), -np.inf)])
        y = np.concatenate([b_value[b_at], np.full(len(a_alone), -np.inf), b_value[b_alone]])
    order = np.argsort(query, kind="stable")
    return AlignedPair((), Columns(x[order], y[order], np.bincount(query, minlength=count)), rankings)


def _kept(side: Side, stays: Bools) -> Side:
    return Side(side.query[stays], side.score[stays])


def _rest(size: int, at: Ints) -> Ints:
    rest = np.ones(size, bool)
    rest[at] = False
    return np.flatnonzero(rest)
