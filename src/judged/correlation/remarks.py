"""What is said about two rankings beside their coefficients: in words, and as counted warnings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.correlation.alignment import AlignedPair
from judged.correlation.inputs import Kind
from judged.errors import Warned
from judged.stats.rank_correlation.rbo_and_overlap import overlap_of
from judged.stats.rank_correlation.registry import CorrelationRequest
from judged.tables.table import some

__all__ = ["notes", "short", "undefined"]


_TAKEN = "taken as scores of the same items; give ids as text to compare rankings"


def notes(wanted: list[CorrelationRequest], both: AlignedPair, kind: Kind, *, framed: bool) -> tuple[str, ...]:
    """Whether numbers may have been ids; and how many of the first k are the same, for each overlap@k that some ranking reaches."""
    longest = int(_longer(both).max(initial=0))
    said = [_same(one.k, both, kind) for one in wanted if one.coefficient.name == "overlap" and one.k <= longest]
    return (*((_TAKEN,) if kind == "scores" and not framed and _may_be_ids(both) else ()), *said)


def _same(k: int, both: AlignedPair, kind: Kind) -> str:
    # The mean over all orders of ties is a number of documents; the other variants of overlap are not.
    count = float(np.mean(overlap_of(both.rankings, k, "a"))) * k
    what, mean = ("documents", "on average ") if kind == "runs" else ("items", "")
    return f"{mean if len(both.rankings) > 1 else ''}{count:.1f} of the first {k} {what} are the same"


def _may_be_ids(both: AlignedPair) -> bool:
    """Whole numbers, each once on either side: what rankings by numeric ids look like."""
    sides = (both.columns.x, both.columns.y)
    return all(len(s) > 0 and len(np.unique(s)) == len(s) and bool((s == np.trunc(s)).all()) for s in sides)


def short(wanted: list[CorrelationRequest], both: AlignedPair, kind: Kind) -> list[Warned]:
    """One warning for each cutoff that neither ranking of a query reaches: shares of k stay below 1 there."""
    told: dict[int, list[str]] = {}
    for one in wanted:
        if one.coefficient.name in ("overlap", "average_overlap"):
            told.setdefault(one.k, []).append(str(one))
    found = []
    for k, names in told.items():
        count = int((_longer(both) < k).sum())
        if count and kind == "runs":
            number = f"{count} {'query' if count == 1 else 'queries'}"
            text = f"both hold fewer than {k} documents in {number}: {', '.join(names)} cannot reach 1 there"
            found.append(Warned("short", count, text))
        elif count:
            found.append(Warned("short", 1, f"both hold fewer than {k} items: {', '.join(names)} cannot reach 1"))
    return found


def _longer(both: AlignedPair) -> NDArray[np.int64]:
    return np.maximum(both.rankings.a.sizes, both.rankings.b.sizes)


def undefined(columns: dict[str, Floats], both: AlignedPair, kind: Kind) -> list[Warned]:
    """One warning for each set of queries for which the same coefficients are not defined, for the same reason."""
    few = f"fewer than two shared {'documents' if kind == 'runs' else 'items'}, or all tied"
    infinite = _infinite(both)
    missing: dict[tuple[str, bytes], list[str]] = {}
    for name, column in columns.items():
        lost, endless = np.isnan(column), infinite & (name == "pearson")  # the others see the order alone
        for why, here in ((few, lost & ~endless), ("infinite scores have no mean", lost & endless)):
            missing.setdefault((why, here.tobytes()), []).append(name)
    found = []
    for (why, mask), names in missing.items():
        where = np.flatnonzero(np.frombuffer(mask, bool))
        if not len(where):
            continue
        what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not defined"
        if kind != "runs":
            found.append(Warned("undefined", 1, f"{what}: {why}"))
            continue
        ids = some([both.queries[i] for i in where])
        number = f"{len(where)} {'query' if len(where) == 1 else 'queries'}"
        found.append(Warned("undefined", len(where), f"{what} for {number} ({why}), left out of the mean: {ids}"))
    return found


def _infinite(both: AlignedPair) -> NDArray[np.bool_]:
    """For each query, whether it has two items or more and an infinite score among them."""
    c = both.columns
    return (c.total(np.isinf(c.x) | np.isinf(c.y)) > 0) & (c.sizes > 1)
