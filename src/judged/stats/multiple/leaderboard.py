"""Systems over several collections: means, ranks, points, wins; and how sure their ranks are."""

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

__all__ = ["RankIntervals", "Standings", "rank_intervals", "standings"]

Missing = Literal["complete", "worst", "skip"]
By = Literal["mean", "mean_rank", "borda", "wins"]

_FUZZ = 1e-12  # of the largest value: means that differ by less are equal
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Systems over collections, in the order they came; every column has one number for each system."""

    mean: Floats
    mean_rank: Floats  # 1 is best; equal systems share the mean of their ranks
    borda: Floats  # in each collection a point for each system below, half a point for an equal one
    wins: Floats  # systems that it beats in more collections than it loses to; half for as many (Copeland)
    firsts: Floats  # collections in which it is best; shared where several are
    present: NDArray[np.int64]  # collections that count and in which it has a value
    missing: Missing
    collections: tuple[int, ...]  # which ones count
    note: str = ""

    def order(self, by: By = "mean") -> list[int]:
        """Systems from the best on; equal ones as they came. A system without any value is last."""
        return np.argsort(_first(_key(self, by)), kind="stable").tolist()

    def rank(self, by: By = "mean") -> Floats:
        """The rank of each system, from 1; equal ones share the mean of their ranks."""
        column = _key(self, by)
        return mean_ranks(column, tolerance=_fuzz(column))


def standings(table: Any, *, missing: Missing = "complete") -> Standings:
    """Sums up values of systems × collections, in which cells may be missing (NaN), by a rule that is said.

    "complete" counts only collections that all systems have. "worst" ranks a missing cell last in its collection (several of them tied), and gives it
    the lowest value there is in it. "skip" takes means and ranks over what is there, among the systems that are there: systems are then
    compared over different collections, which `present` and `note` show; points and wins are added up, so that a missing collection gives none. A collection
    that no system has never counts. Ranks, Borda's points (1781) and Copeland's wins (1951) see order only; the mean also sees how far apart values are,
    and must not be taken of collections on different scales. A system without any value has NaN.

    >>> found = standings([[0.5, 0.2], [0.4, 0.3], [0.1, 0.3]])
    >>> found.mean_rank.tolist(), found.borda.tolist(), found.firsts.tolist()
    ([2.0, 1.75, 2.25], [2.0, 2.5, 1.5], [1.0, 0.5, 0.5])
    """
    values = _values(table)
    check_choice(missing, Missing, "missing")
    there = ~np.isnan(values)
    counted: NDArray[np.bool_] = np.asarray(there.all(axis=0) if missing == "complete" else there.any(axis=0))
    if not counted.any():
        raise DataError(
            "no-complete-collection", "no collection has values of all systems", hint=Hint("count the others with {missing}", missing="skip"),
        )  # fmt: skip
    kept = values[:, counted]
    summed = _summed(kept[None], missing)
    return Standings(
        **{name: column[0] for name, column in summed.items()},
        present=there[:, counted].sum(axis=1),
        missing=missing,
        collections=tuple(np.flatnonzero(counted).tolist()),
        note=_note(values, counted, missing),
    )


def _note(values: Floats, counted: NDArray[np.bool_], missing: Missing) -> str:
    out, gaps = int((~counted).sum()), int(np.isnan(values[:, counted]).sum())
    dropped = f"{out} of {len(counted)} collections left out" if out else ""
    how = {"worst": "ranked last", "skip": "skipped: systems are compared over different collections"}.get(missing, "")
    return "; ".join(
        filter(None, [dropped, f"{gaps} missing {'value' if gaps == 1 else 'values'} {how}" if gaps else ""])
    )


def _values(table: Any) -> Floats:
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", "numbers in rows of one length", got=f"something else ({error})") from error
    if values.ndim != 2 or 0 in values.shape or np.isinf(values).any():
        what = "an infinite value" if values.ndim == 2 and values.size else f"the shape {values.shape}"
        raise DataError("table", "a table of systems × collections, of finite values or NaN", got=what)
    return values


def _summed(values: Floats, missing: Missing) -> dict[str, Floats]:
    """The columns of standings, for many tables at once (tables × systems × collections)."""
    there = ~np.isnan(values)
    lowest = np.min(values, axis=1, keepdims=True, where=there, initial=np.inf)
    filled = np.where(there, values, lowest)
    ranks = mean_ranks(np.where(there, values, -np.inf), axis=1, tolerance=_fuzz(filled))
    counts = there if missing == "skip" else np.ones_like(there)
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
        half = np.where(both.any(axis=2), 0.5, 0.0)  # systems that never met do not beat each other
        half[:, rival] = 0.0
        wins += np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, half))
    return wins


def _fuzz(values: Floats) -> float:
    return _FUZZ * float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _key(found: Standings, by: By) -> Floats:
    """The column to rank by, the highest best."""
    check_choice(by, By, "by")
    column: Floats = getattr(found, by)
    return -column if by == "mean_rank" else column


def _first(column: Floats) -> Floats:
    return np.where(np.isnan(column), math.inf, -column)


# ── how sure ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class RankIntervals:
    """The rank of each system, its bootstrap interval, and the systems that do not differ clearly."""

    rank: Floats
    low: Floats
    high: Floats
    above: Floats  # above[a, b]: the share of resamples in which a is better than b; equal ones count half
    confidence: float
    resamples: int

    def letters(self) -> tuple[str, ...]:
        """Letters of each system; two share one unless one is above the other in all but (1 - confidence) / 2 of the resamples.

        Pair by pair: not corrected for the number of pairs.
        """
        surely = self.above >= 1 - (1 - self.confidence) / 2
        return letters(surely | surely.T, np.argsort(self.rank, kind="stable").tolist())


def rank_intervals(
    values: Sequence[Any], *, by: By = "mean", missing: Missing = "complete", confidence: float = 0.95, resamples: int = 2_000,
    seed: int = 0,
) -> RankIntervals:  # fmt: skip
    """Bootstrap intervals of ranks: queries of each collection are drawn again, all systems together, and systems ranked anew.

    `values` holds, for each collection, per-query values (queries × systems); a system that it lacks has a column of NaN. Collections stay as they are:
    the intervals say what other queries of these collections would give, not other collections.

    >>> rank_intervals([[[0.1, 0.9], [0.2, 0.8], [0.0, 0.7]]]).rank.tolist()
    [2.0, 1.0]
    """
    check_choice(by, By, "by")
    level, _ = check_share(confidence, "confidence"), check_count(resamples, "resamples")
    tables = [_whole(table) for table in values]
    if not tables or len({table.shape[1] for table in tables}) > 1:
        raise DataError("table", "one table of queries × systems for each collection, with the same systems", got=f"{len(tables)} tables")  # fmt: skip
    observed = standings(np.stack([table.mean(axis=0) for table in tables], axis=1), missing=missing)
    kept = [tables[i] for i in observed.collections]
    means = np.stack([resampled_means(t, resamples, seed + i) for i, t in enumerate(kept)], axis=2)
    k = means.shape[1]
    ranks = np.empty((resamples, k))
    step = max(1, _BLOCK // means[0].size)
    for first in range(0, resamples, step):
        column = _summed(means[first : first + step], missing)[by]
        ranks[first : first + step] = mean_ranks(-column if by == "mean_rank" else column, tolerance=_fuzz(column))
    ends = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lead = [np.sign(ranks - ranks[:, [i]]).mean(axis=0) for i in range(k)]
    return RankIntervals(observed.rank(by), ends[0], ends[1], (1 + np.array(lead)) / 2, level, resamples)


def _whole(table: Any) -> Floats:
    values = _values(table)
    gaps = np.isnan(values)
    if (gaps.any(axis=0) & ~gaps.all(axis=0)).any():
        raise DataError("table", "a value of each system for each query, or none at all", got="gaps within a column",
                        hint="leave out queries that one system lacks")  # fmt: skip
    return values
