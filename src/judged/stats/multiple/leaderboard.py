"""Leaderboards over several collections: means, ranks, points and wins of systems, with intervals of the ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.numeric.resample import resampled_means
from judged.errors import DataError, Hint
from judged.stats.checks import check_choice, check_count, check_share
from judged.stats.multiple.letters import letters
from judged.stats.multiple.omnibus import mean_ranks

Missing = Literal["complete", "worst", "skip"]
By = Literal["mean", "mean_rank", "borda", "wins"]

_FUZZ = 1e-12  # relative to the largest value: means that differ by less are equal
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Systems over collections, in input order; every column has one number per system."""

    mean: Floats
    mean_rank: Floats  # 1 is best; equal systems share the mean of their ranks
    borda: Floats  # per collection one point for each system below, half a point for an equal one
    wins: Floats  # systems beaten in more collections than lost to; half for equally many (Copeland)
    firsts: Floats  # collections in which it is best; divided among equal systems
    present: NDArray[np.int64]  # counted collections in which it has a value
    missing: Missing
    collections: tuple[int, ...]  # the counted ones
    note: str = ""

    def order(self, by: By = "mean") -> list[int]:
        """Return the systems from best to worst; equal ones in input order, systems without a value last."""
        return np.argsort(_first(_key(self, by)), kind="stable").tolist()

    def rank(self, by: By = "mean") -> Floats:
        """Return the rank of each system from 1; equal systems share the mean of their ranks."""
        column = _key(self, by)
        return mean_ranks(column, tolerance=_fuzz(column))


def standings(table: Any, *, missing: Missing = "complete") -> Standings:
    """Aggregate values of systems × collections, of which some may be missing (NaN).

    - `"complete"`: only collections with a value of every system count.
    - `"worst"`: a missing value ranks last in its collection (several are tied) and counts as the lowest value of the collection.
    - `"skip"`: means and ranks use the existing values, among the systems that have one. Systems are then compared on different
      collections, as `present` and `note` show. Points and wins are sums, so a missing collection adds none.

    A collection without any value never counts. Ranks, Borda points (1781) and Copeland wins (1951) depend on the
    order only; the mean also depends on the distances, and is not meaningful over collections on different scales. A
    system without values has NaN.

    >>> board = standings([[0.5, 0.2], [0.4, 0.3], [0.1, 0.3]])
    >>> board.mean_rank.tolist(), board.borda.tolist(), board.firsts.tolist()
    ([2.0, 1.75, 2.25], [2.0, 2.5, 1.5], [1.0, 0.5, 0.5])
    """
    values = _values(table)
    check_choice(missing, Missing, "missing")
    present = ~np.isnan(values)
    counted: NDArray[np.bool_] = np.asarray(present.all(axis=0) if missing == "complete" else present.any(axis=0))
    if not counted.any():
        raise DataError(
            "no-complete-collection", "no collection has values of all systems", hint=Hint("count the others with {missing}", missing="skip"),
        )  # fmt: skip
    kept = values[:, counted]
    columns = _aggregate(kept[None], missing)
    return Standings(
        **{name: column[0] for name, column in columns.items()},
        present=present[:, counted].sum(axis=1),
        missing=missing,
        collections=tuple(np.flatnonzero(counted).tolist()),
        note=_note(values, counted, missing),
    )


def _note(values: Floats, counted: NDArray[np.bool_], missing: Missing) -> str:
    out, gaps = int((~counted).sum()), int(np.isnan(values[:, counted]).sum())
    dropped = f"{out} of {len(counted)} collections left out" if out else ""
    how = {"worst": "ranked last", "skip": "skipped: systems are compared on different collections"}.get(missing, "")
    return "; ".join(
        filter(None, [dropped, f"{gaps} missing {'value' if gaps == 1 else 'values'} {how}" if gaps else ""])
    )


def _values(table: Any) -> Floats:
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", f"not a table of numbers: {error}") from error
    if values.ndim != 2 or 0 in values.shape or np.isinf(values).any():
        what = "an infinite value" if values.ndim == 2 and values.size else f"shape {values.shape}"
        raise DataError("table", "a table of systems × collections, of finite values or NaN", got=what)
    return values


def _aggregate(values: Floats, missing: Missing) -> dict[str, Floats]:
    """Compute the columns of standings for many tables at once (tables × systems × collections)."""
    present = ~np.isnan(values)
    lowest = np.min(values, axis=1, keepdims=True, where=present, initial=np.inf)
    filled = np.where(present, values, lowest)
    ranks = mean_ranks(np.where(present, values, -np.inf), axis=1, tolerance=_fuzz(filled))
    counts = present if missing == "skip" else np.ones_like(present)
    some = counts.sum(axis=2)

    def known(x: Floats) -> Floats:
        return np.where(some > 0, x, np.nan)

    def over(x: Floats) -> Floats:
        return np.where(counts, x, 0.0).sum(axis=2) / known(some)

    rivals = counts.sum(axis=1, keepdims=True)
    best = ranks == ranks.min(axis=1, keepdims=True)
    return {
        "mean": over(filled),
        "mean_rank": over(ranks),
        "borda": known(np.where(counts, rivals - ranks, 0.0).sum(axis=2)),
        "wins": known(_wins(ranks, counts)),
        "firsts": known(np.where(best & counts, 1 / best.sum(axis=1, keepdims=True), 0.0).sum(axis=2)),
    }


def _wins(ranks: Floats, counts: NDArray[np.bool_]) -> Floats:
    wins = np.zeros(ranks.shape[:2])
    for rival in range(ranks.shape[1]):
        both = counts & counts[:, rival : rival + 1]
        lead = np.where(both, np.sign(ranks[:, rival : rival + 1] - ranks), 0.0).sum(axis=2)
        half = np.where(both.any(axis=2), 0.5, 0.0)  # systems without a common collection do not beat each other
        half[:, rival] = 0.0
        wins += np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, half))
    return wins


def _fuzz(values: Floats) -> float:
    return _FUZZ * float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _key(board: Standings, by: By) -> Floats:
    """Return the column to rank by, highest best."""
    check_choice(by, By, "by")
    column: Floats = getattr(board, by)
    return -column if by == "mean_rank" else column


def _first(column: Floats) -> Floats:
    return np.where(np.isnan(column), math.inf, -column)


# ── rank intervals ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class RankIntervals:
    """Rank of each system with its bootstrap interval over queries, and the share of resamples in which each pair is
    in order.
    """

    rank: Floats
    low: Floats
    high: Floats
    above: Floats  # above[a, b]: share of resamples in which a is better than b; ties count half
    confidence: float
    resamples: int

    def letters(self) -> tuple[str, ...]:
        """Return letters per system; two share one unless one is above the other in all but (1 - confidence) / 2 of the
        resamples.

        Pairs are judged one by one, without a correction for their number.
        """
        surely = self.above >= 1 - (1 - self.confidence) / 2
        return letters(surely | surely.T, np.argsort(self.rank, kind="stable").tolist())


def rank_intervals(
    values: Sequence[Any], *, by: By = "mean", missing: Missing = "complete", confidence: float = 0.95, resamples: int = 2_000,
    seed: int = 0,
) -> RankIntervals:  # fmt: skip
    """Compute bootstrap intervals of ranks: resample the queries of each collection, jointly for all systems, and rank
    again.

    `values` has one table (queries × systems) per collection; a system without values in it has a column of NaN. The
    collections are fixed: the intervals cover other queries of these collections, not other collections.

    >>> rank_intervals([[[0.1, 0.9], [0.2, 0.8], [0.0, 0.7]]]).rank.tolist()
    [2.0, 1.0]
    """
    check_choice(by, By, "by")
    level, _ = check_share(confidence, "confidence"), check_count(resamples, "resamples")
    tables = [_whole(table) for table in values]
    if not tables or len({table.shape[1] for table in tables}) > 1:
        raise DataError("table", "each collection needs a table of queries × systems with the same systems")
    observed = standings(np.stack([table.mean(axis=0) for table in tables], axis=1), missing=missing)
    kept = [tables[i] for i in observed.collections]
    means = np.stack([resampled_means(t, resamples, seed + i) for i, t in enumerate(kept)], axis=2)
    k = means.shape[1]
    ranks = np.empty((resamples, k))
    step = max(1, _BLOCK // means[0].size)
    for first in range(0, resamples, step):
        column = _aggregate(means[first : first + step], missing)[by]
        ranks[first : first + step] = mean_ranks(-column if by == "mean_rank" else column, tolerance=_fuzz(column))
    ends = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lead = [np.sign(ranks - ranks[:, [i]]).mean(axis=0) for i in range(k)]
    return RankIntervals(observed.rank(by), ends[0], ends[1], (1 + np.array(lead)) / 2, level, resamples)


def _whole(table: Any) -> Floats:
    values = _values(table)
    gaps = np.isnan(values)
    if (gaps.any(axis=0) & ~gaps.all(axis=0)).any():
        problem = "a system has values for some queries of a collection only"
        raise DataError("table", problem, hint="leave out queries that one system lacks")
    return values
