"""Effect sizes: the size of a difference, each declared once and found by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import DataError
from judged.registry import Registry
from judged.stats.checks import check_number
from judged.stats.differences import SLACK, differences, totals

__all__ = [
    "EFFECTS",
    "Effect",
    "Record",
    "cliff",
    "hedges",
    "mean_difference",
    "record",
    "standardised",
    "superiority",
]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Queries that b won, tied and lost against a, for each pair."""

    wins: Ints
    ties: Ints
    losses: Ints


def mean_difference(a: Any, b: Any) -> Floats:
    """The mean of b - a over queries, of each pair of columns: in the unit of the measure."""
    first, second = _columns(a, b)
    return totals(second - first) / len(first)


def standardised(a: Any, b: Any) -> Floats:
    """d_z: the mean difference in standard deviations (n - 1) of the differences (Cohen 1988, 2.3.5).

    0 where all differences are 0; NaN where they are equal otherwise, or with one query: there is nothing to measure them by.

    >>> standardised([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    array([2.])
    """
    first, second = _columns(a, b)
    d = second - first
    found = np.where(d.any(axis=0), np.nan, 0.0)
    if len(d) < 2:
        return np.full(d.shape[1], np.nan)
    mean = totals(d) / len(d)
    some = np.abs(d - mean).max(axis=0) > SLACK * np.abs(d).max(axis=0)
    return np.divide(mean, np.sqrt(totals(np.square(d - mean)) / (len(d) - 1)), out=found, where=some)


def hedges(a: Any, b: Any) -> Floats:
    """d_z without its bias in small samples: times J = Γ(m/2) / (√(m/2) Γ((m - 1)/2)), m = n - 1 (Hedges 1981); NaN below 3 queries."""
    d = standardised(a, b)
    m = len(np.asarray(a)) - 1
    if m < 2:
        return np.full_like(d, np.nan)
    return d * math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2) - math.log(m / 2) / 2)


def superiority(a: Any, b: Any, *, margin: float = 0.0) -> Floats:
    """The share of queries that b won, ties counting half: the common-language effect of paired values (McGraw and Wong 1992; Vargha and Delaney 2000).

    >>> superiority([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.3, 0.1])  # two won, one tied
    array([0.625])
    """
    r = record(a, b, margin=margin)
    return (r.wins + r.ties / 2) / (r.wins + r.ties + r.losses)


def cliff(a: Any, b: Any) -> Floats:
    """Cliff's delta (1993): of all pairs of a value of a and a value of b, the share where b is larger less the share where a is.

    It compares the two columns as samples and ignores which values belong to one query.

    >>> cliff([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])  # 6 of 9 pairs larger, 1 smaller
    array([0.55555556])
    """
    first, second = _columns(a, b)
    n = len(first)
    found = np.empty(first.shape[1])
    for i in range(len(found)):
        ordered = np.sort(first[:, i])
        below, most = (np.searchsorted(ordered, second[:, i], side).sum() for side in ("left", "right"))
        found[i] = (int(below) + int(most) - n * n) / (n * n)  # those below less those above, n - most
    return found


def record(a: Any, b: Any, *, margin: float = 0.0) -> Record:
    """Queries won, tied and lost by b: won where b - a is above the margin, lost where it is below minus the margin.

    Raises:
        UsageError: a margin below 0.
    """
    first, second = _columns(a, b)
    d, limit = second - first, check_number(margin, "margin", zero=True)
    wins, losses = (d > limit).sum(axis=0), (d < -limit).sum(axis=0)
    return Record(wins, len(d) - wins - losses, losses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect size: a function of two aligned columns of values, or of tables of them, pair by pair."""

    name: str
    aliases: tuple[str, ...] = ()
    text: str
    paper: str
    none: float  # its value where there is no effect
    function: Callable[[Any, Any], Floats]


EFFECTS: Registry[Effect] = Registry("effect")
for _effect in (
    Effect(name="difference", aliases=("mean-difference", "mean"), text="mean of b - a", paper="", none=0.0, function=mean_difference),
    Effect(
        name="d_z", aliases=("standardised", "standardized", "cohen", "cohen-d", "d"), none=0.0, function=standardised,
        text="mean of b - a, in standard deviations of it", paper="Cohen 1988, 2.3.5",
    ),
    Effect(
        name="hedges", aliases=("g", "g_z", "hedges-g"), none=0.0, function=hedges, paper="Hedges, Journal of Educational Statistics 1981",
        text="d_z, corrected for small samples",
    ),
    Effect(
        name="superiority", aliases=("common-language", "cles", "cl"), none=0.5, function=superiority,
        text="share of queries that b won, ties half", paper="McGraw and Wong, Psychological Bulletin 1992; Vargha and Delaney 2000",
    ),
    Effect(
        name="cliff", aliases=("delta", "cliffs-delta", "cliff-delta"), none=0.0, function=cliff,
        text="chance that a value of b is above one of a, less the reverse", paper="Cliff, Psychological Bulletin 1993",
    ),
):  # fmt: skip
    EFFECTS.add(_effect)


def _columns(a: Any, b: Any) -> tuple[Floats, Floats]:
    first, second = differences(a), differences(b)
    if first.shape != second.shape:
        raise DataError("lengths", f"as many values of b as of a, {first.shape}", got=f"{second.shape}")
    return first, second
