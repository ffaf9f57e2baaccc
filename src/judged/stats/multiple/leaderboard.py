"""Leaderboards over several collections: means, ranks, points and wins of systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.errors import DataError, Hint
from judged.stats.checks import check_choice
from judged.stats.multiple.omnibus import mean_ranks

Missing = Literal["complete", "worst", "skip"]
By = Literal["mean", "mean_rank", "borda", "wins"]

_FUZZ = 1e-12  # relative to the largest value: means that differ by less are equal


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
    values = system_values(table)
    check_choice(missing, Missing, "missing")
    present = ~np.isnan(values)
    counted: NDArray[np.bool_] = np.asarray(present.all(axis=0) if missing == "complete" else present.any(axis=0))
    if not counted.any():
        raise DataError(
            "no-complete-collection",
            "no collection has values of all systems",
            hint=Hint("count the others with {missing}", missing="skip"),
        )
    kept = values[:, counted]
    return Standings(
        **_aggregate(kept, missing),
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


def system_values(table: Any) -> Floats:
    """Convert a table of systems × collections, or of queries × systems, to finite numbers or NaN."""
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("table", f"not a table of numbers: {error}") from error
    if values.ndim != 2 or 0 in values.shape or np.isinf(values).any():
        what = "an infinite value" if values.ndim == 2 and values.size else f"shape {values.shape}"
        raise DataError("table", "a table of systems × collections, of finite values or NaN", got=what)
    return values


def _aggregate(values: Floats, missing: Missing) -> dict[str, Floats]:
    """Compute the columns of standings."""
    present = ~np.isnan(values)
    lowest = np.min(values, axis=0, where=present, initial=np.inf)
    filled = np.where(present, values, lowest)
    ranks = mean_ranks(np.where(present, values, -np.inf), axis=0, tolerance=_fuzz(filled))
    counts = present if missing == "skip" else np.ones_like(present)
    some = counts.sum(axis=1)

    def known(x: Floats) -> Floats:
        return np.where(some > 0, x, np.nan)

    def over(x: Floats) -> Floats:
        return np.where(counts, x, 0.0).sum(axis=1) / known(some)

    rivals = counts.sum(axis=0)
    best = ranks == ranks.min(axis=0)
    return {
        "mean": over(filled),
        "mean_rank": over(ranks),
        "borda": known(np.where(counts, rivals - ranks, 0.0).sum(axis=1)),
        "wins": known(_wins(ranks, counts)),
        "firsts": known(np.where(best & counts, 1 / best.sum(axis=0), 0.0).sum(axis=1)),
    }


def _wins(ranks: Floats, counts: NDArray[np.bool_]) -> Floats:
    wins = np.zeros(len(ranks))
    for rival, (theirs, counted) in enumerate(zip(ranks, counts, strict=True)):
        both = counts & counted
        lead = np.where(both, np.sign(theirs - ranks), 0.0).sum(axis=1)
        half = np.where(both.any(axis=1), 0.5, 0.0)  # systems without a common collection do not beat each other
        half[rival] = 0.0
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
