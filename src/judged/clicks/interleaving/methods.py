"""Methods of interleaving two rankings into one list, and the credit that clicks give to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judged._types import Column, Floats
from judged.clicks.data.log import sums
from judged.core.resample import generator
from judged.core.tables import Id
from judged.errors import DataError, UsageError, shown
from judged.stats.checks import check_share
from judged.stats.differences import mean_and_error, sum_by_cluster

Team = Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class Interleaved:
    """One list made of two rankings: the documents, the ranking that contributed each, and its rank in both (0 for none)."""

    docs: tuple[Id, ...]
    teams: tuple[Team, ...]
    rank_a: tuple[int, ...]
    rank_b: tuple[int, ...]


def team_draft(a: Sequence[Id], b: Sequence[Id], k: int = 10, seed: int | np.random.Generator = 0) -> Interleaved:
    """Interleave by team draft: in each round a coin decides which ranking picks first, and each picks its best document that is not
    yet in the list (Radlinski, Kurup and Joachims, CIKM 2008).

    If one ranking has no document left, the other continues alone.

    >>> team_draft(["x", "y"], ["y", "z"], 2, seed=0).docs
    ('y', 'x')
    """
    rng = generator(seed)
    sides: tuple[tuple[Team, Sequence[Id]], ...] = (("A", a), ("B", b))
    _check(a, b, k)
    docs: dict[Id, Team] = {}
    at = [0, 0]
    while len(docs) < k:
        before = len(docs)
        first = int(rng.integers(2))
        for side in (first, 1 - first):
            team, ranking = sides[side]
            while at[side] < len(ranking) and ranking[at[side]] in docs:
                at[side] += 1
            if at[side] < len(ranking) and len(docs) < k:
                docs[ranking[at[side]]] = team
        if len(docs) == before:
            break
    return _with_ranks(docs, a, b)


def balanced(a: Sequence[Id], b: Sequence[Id], k: int = 10, seed: int | np.random.Generator = 0) -> Interleaved:
    """Interleave evenly: the top n of the list contain the tops of both rankings to depths that differ by at most one; a coin
    decides which leads (Joachims, KDD 2002; in Text Mining 2003).

    A team is the ranking from which a document was taken; credit does not depend on it (see `balanced_credit`). If one ranking
    is a shifted copy of the other, even random clicks favour one of them; team draft avoids that.

    >>> balanced(["x", "y"], ["y", "z"], 3, seed=0).docs
    ('y', 'x', 'z')
    """
    leads = int(generator(seed).integers(2))
    _check(a, b, k)
    rankings, teams = (a, b), ("A", "B")
    docs: dict[Id, Team] = {}
    at = [0, 0]
    while len(docs) < k and (at[0] < len(a) or at[1] < len(b)):
        side = _next(at, leads, (len(a), len(b)))
        doc = rankings[side][at[side]]
        at[side] += 1
        docs.setdefault(doc, "A" if teams[side] == "A" else "B")
    return _with_ranks(docs, a, b)


def _next(at: list[int], leads: int, size: tuple[int, int]) -> int:
    """The ranking that picks next: the one behind, the leading one if they are level; the other one if it has run out."""
    side = leads if at[leads] <= at[1 - leads] else 1 - leads
    return side if at[side] < size[side] else 1 - side


def _with_ranks(docs: dict[Id, Team], a: Sequence[Id], b: Sequence[Id]) -> Interleaved:
    in_a = {doc: rank for rank, doc in enumerate(a, 1)}
    in_b = {doc: rank for rank, doc in enumerate(b, 1)}
    return Interleaved(
        tuple(docs), tuple(docs.values()), tuple(in_a.get(d, 0) for d in docs), tuple(in_b.get(d, 0) for d in docs)
    )


def _check(a: Sequence[Id], b: Sequence[Id], k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise UsageError("cutoff", f"k must be an integer ≥ 1, got {k!r}", value=k)
    for name, ranking in (("A", a), ("B", b)):
        if len(set(ranking)) < len(ranking):
            doc = next(d for i, d in enumerate(ranking) if d in ranking[:i])
            raise DataError("duplicate-doc", f"duplicate document {shown(doc)} in ranking {name}", value=doc)


# ── credit ───────────────────────────────────────────────────────────────────────────────────────


def team_credit(session: Column, team_b: Column, clicked: Column, sessions: int) -> Floats:
    """Credit of team draft: clicks on documents of B minus clicks on documents of A, per session.

    Args:
        session: the session of each row, as a code.
        team_b: 1 if B picked the document of the row, else 0.
        clicked: 1 if it was clicked.
        sessions: number of sessions.
    """
    return sums(session, clicked * (2.0 * team_b - 1.0), sessions)


def balanced_credit(
    session: Column, rank_a: Column, rank_b: Column, clicked: Column, position: Column, sessions: int
) -> Floats:
    """Credit of balanced interleaving: with n the smallest depth of A or B that contains the lowest click, clicks among the top n of B
    minus clicks among the top n of A, per session (Joachims 2003, as in Radlinski, Kurup and Joachims 2008).

    `rank_a` and `rank_b` are 0 if a ranking does not have the document; `position` is the rank in the list shown.
    """
    far = np.iinfo(np.int64).max
    in_a, in_b = np.where(rank_a > 0, rank_a, far), np.where(rank_b > 0, rank_b, far)
    lowest = np.zeros(sessions, np.int64)
    np.maximum.at(lowest, session, np.where(clicked > 0, position, 0))
    is_lowest = (clicked > 0) & (position == lowest[session])
    depth = np.zeros(sessions, np.int64)
    depth[session[is_lowest]] = np.minimum(in_a, in_b)[is_lowest]
    for_b, for_a = clicked * (in_b <= depth[session]), clicked * (in_a <= depth[session])
    return sums(session, for_b.astype(np.float64) - for_a, sessions)


@dataclass(frozen=True, slots=True)
class InterleavingScore:
    """Wins of two rankings, with a test.

    Attributes:
        wins_a, wins_b, ties: units (sessions, or queries) that prefer A, B, or neither.
        share_b: wins of B among units with a winner; its interval is `low` to `high`.
        delta: (wins_b + ties / 2) / all - 1/2, above 0 if B is better (Chapelle, Joachims, Radlinski and Yue, TOIS 2012).
        p_value: two-sided; 1 without a winner.
        test: the exact sign test, with the exact interval of Clopper and Pearson; or "clustered": sessions that saw the same list are
            not independent, so the t test of the share and its interval are over queries.
    """

    unit: str
    wins_a: int
    wins_b: int
    ties: int
    share_b: float
    low: float
    high: float
    delta: float
    p_value: float
    level: float
    test: str = "sign"


def outcome(
    credit: Floats, group: Column | None = None, *, clustered: bool = False, level: float = 0.95
) -> InterleavingScore:
    """The outcome of a credit per session, above 0 for B.

    Args:
        credit: one number per session.
        group: the query of each session, as a code: each query then counts once, by the sign of the mean preference of its
            sessions; with `clustered`, sessions count, and those of a query are a cluster.
        clustered: count sessions, with an error over queries.
        level: confidence level of the interval.
    """
    check_share(level, "level", slug="parameter")
    if not len(credit):
        raise DataError("empty-clicks", "no session to score", hint="check that lists and log have queries in common")
    unit = np.sign(credit)
    if group is not None and not clustered:
        unit = np.sign(np.bincount(group, unit))[np.unique(group)]
    a, b = int((unit < 0).sum()), int((unit > 0).sum())
    ties = len(unit) - a - b
    delta = (b + ties / 2) / len(unit) - 0.5
    share = b / (a + b) if a + b else np.nan
    low, high, p = _by_cluster(unit, group, level) if clustered and group is not None else _by_sign(a, b, level)
    name = "session" if group is None or clustered else "query"
    return InterleavingScore(name, a, b, ties, share, low, high, delta, p, level, "clustered" if clustered else "sign")


def _by_sign(a: int, b: int, level: float) -> tuple[float, float, float]:
    """The exact interval of the share of B, and p of the exact sign test."""
    from scipy.stats import binomtest

    if not a + b:
        return 0.0, 1.0, 1.0
    test = binomtest(b, a + b)
    interval = test.proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high), float(test.pvalue)


def _by_cluster(unit: Floats, group: Column, level: float) -> tuple[float, float, float]:
    """The interval of the share of B on the logit scale, and p of a share of one half on the same scale, by t over clusters of sessions."""
    from scipy.special import expit, logit, stdtr, stdtrit

    columns = np.stack([unit, unit > 0, unit != 0], axis=1).astype(float)
    clusters, sizes = sum_by_cluster(columns, group)
    count = len(sizes)
    if count < 2 or not clusters[:, 2].sum():
        return 0.0, 1.0, 1.0
    ratio, spread = mean_and_error(clusters[:, 1:2], clusters[:, 2])
    share, error = float(ratio[0]), float(spread[0])
    if share in (0.0, 1.0):  # every winner is the same: as many signs as queries
        return _by_sign(*((count, 0) if share == 0 else (0, count)), level)
    if error == 0:  # the same share in every query
        p = 1.0 if share == 0.5 else min(2.0 ** (1 - count), 1.0)
        return (share, share, p) if p <= 1 - level else (0.0, 1.0, p)
    scale = error / (share * (1 - share))
    half = float(stdtrit(count - 1, (1 + level) / 2)) * scale
    low, high = expit(logit(share) + np.array([-half, half]))
    return float(low), float(high), float(2 * stdtr(count - 1, -abs(float(logit(share))) / scale))
