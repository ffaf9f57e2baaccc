"""Queries on which two runs differ, with the judged documents that moved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from judged.core.judged import Judged
from judged.core.tables import Id
from judged.measures.grammar import parse

if TYPE_CHECKING:
    from judged.comparison.result import Comparison


@dataclass(frozen=True, slots=True)
class Move:
    """A judged document that two runs rank differently; a rank is None if the run does not retrieve it."""

    doc: str
    grade: float
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """A query on which two runs differ, with the judged documents that moved."""

    query: Id
    value_a: float
    value_b: float
    difference: float
    moves: tuple[Move, ...] = ()


def largest_changes(
    comparison: Comparison, measure: str, i: int, j: int, n: int, only: Literal["better", "worse"] | None
) -> tuple[Change, ...]:
    """Return the n queries that changed most from run i to run j, largest change first; see `Comparison.where`."""
    x, y = (np.asarray(comparison.results[k][measure], float) for k in (i, j))
    d = np.nan_to_num(y - x)
    gain = -d if parse(measure).definition.lower_is_better else d
    size = np.abs(d) if only is None else np.maximum(gain if only == "better" else -gain, 0)
    largest = [int(k) for k in np.argsort(-size, kind="stable")[:n] if size[k] != 0]
    queries = comparison.results[0].queries
    return tuple(
        Change(queries[k], float(x[k]), float(y[k]), float(d[k]), moves_in(comparison.judged, i, j, k)) for k in largest
    )


def moves_in(judged: tuple[Judged, ...], i: int, j: int, row: int) -> tuple[Move, ...]:
    """Return the judged documents of a query that two runs rank differently, from the highest grade down."""
    if not judged:
        return ()
    ranks = [
        dict(zip(g.judgment[g.query == row].tolist(), g.rank[g.query == row].tolist(), strict=True))
        for g in (judged[i], judged[j])
    ]
    pool = judged[i]
    moved = [k for k in sorted({*ranks[0], *ranks[1]}) if ranks[0].get(k) != ranks[1].get(k)]
    moves = [Move(_doc(pool, k), float(pool.pool_grade[k]), ranks[0].get(k), ranks[1].get(k)) for k in moved]
    return tuple(sorted(moves, key=lambda m: (-m.grade, min(m.rank_a or math.inf, m.rank_b or math.inf))))


def _doc(pool: Judged, judgment: int) -> str:
    return str(judgment) if pool.pool_doc is None else pool.pool_doc[judgment].decode("utf-8", "surrogateescape")
