"""Effect sizes: the size of a difference, as opposed to its significance. Each is declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import DataError
from judged.registry import Registry
from judged.stats.checks import check_number
from judged.stats.differences import SLACK, differences, scaled, totals


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Numbers of queries that b wins, ties and loses against a, per pair."""

    wins: Ints
    ties: Ints
    losses: Ints


def mean_difference(a: Any, b: Any) -> Floats:
    """Return the mean of b - a over queries for each pair of columns, in the unit of the measure."""
    first, second = _columns(a, b)
    return totals(second - first) / len(first)


def standardised(a: Any, b: Any) -> Floats:
    """Return d_z, the mean difference in standard deviations (n - 1) of the differences (Cohen 1988, 2.3.5).

    It is 0 if all differences are 0, and NaN for one query or for equal differences other than 0.

    >>> standardised([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    array([2.])
    """
    first, second = _columns(a, b)
    d = second - first
    d_z = np.where(d.any(axis=0), np.nan, 0.0)
    if len(d) < 2:
        return np.full(d.shape[1], np.nan)
    d, _ = scaled(d)
    mean = totals(d) / len(d)
    some = np.abs(d - mean).max(axis=0) > SLACK * np.abs(d).max(axis=0)
    return np.divide(mean, np.sqrt(totals(np.square(d - mean)) / (len(d) - 1)), out=d_z, where=some)


def superiority(a: Any, b: Any, *, margin: float = 0.0) -> Floats:
    """Return the share of queries that b wins, with ties counted half.

    This is the common-language effect size of paired values (McGraw and Wong 1992; Vargha and Delaney 2000).

    >>> superiority([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.3, 0.1])  # two won, one tied
    array([0.625])
    """
    r = record(a, b, margin=margin)
    return (r.wins + r.ties / 2) / (r.wins + r.ties + r.losses)


def cliff(a: Any, b: Any) -> Floats:
    """Return Cliff's delta (1993): P(value of b > value of a) - P(value of b < value of a) over all pairs of values.

    It compares the two columns as unpaired samples.

    >>> cliff([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])  # 6 of 9 pairs larger, 1 smaller
    array([0.55555556])
    """
    first, second = _columns(a, b)
    n = len(first)
    delta = np.empty(first.shape[1])
    # All pairs of systems repeat their first column, which is sorted once.
    same = np.append(-1, np.flatnonzero((first[:, 1:] != first[:, :-1]).any(axis=0)))
    for start, end in zip(same + 1, [*(same[1:] + 1), len(delta)], strict=True):
        ordered = np.sort(first[:, start])
        below, most = (np.searchsorted(ordered, second[:, start:end], side).sum(axis=0) for side in ("left", "right"))
        delta[start:end] = (below + most - n * n) / (n * n)  # pairs below, less pairs above: n - most
    return delta


def record(a: Any, b: Any, *, margin: float = 0.0) -> Record:
    """Count the queries that b wins (b - a > margin), loses (b - a < -margin) and ties.

    Raises:
        UsageError: a margin below 0.
    """
    first, second = _columns(a, b)
    d, limit = second - first, check_number(margin, "margin", zero=True)
    wins, losses = (d > limit).sum(axis=0), (d < -limit).sum(axis=0)
    return Record(wins, len(d) - wins - losses, losses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect size: a function of two aligned columns of values, or of two tables, pair by pair."""

    name: str
    aliases: tuple[str, ...] = ()
    text: str
    paper: str
    none: float  # its value without an effect
    function: Callable[[Any, Any], Floats]


EFFECTS: Registry[Effect] = Registry("effect")
for _effect in (
    Effect(
        name="difference",
        aliases=("mean-difference", "mean"),
        text="mean of b - a",
        paper="",
        none=0.0,
        function=mean_difference,
    ),
    Effect(
        name="d_z",
        aliases=("standardised", "standardized", "cohen", "cohen-d", "d"),
        none=0.0,
        function=standardised,
        text="mean of b - a, in standard deviations of it",
        paper="cohen1988",
    ),
    Effect(
        name="superiority",
        aliases=("common-language", "cles", "cl"),
        none=0.5,
        function=superiority,
        text="share of queries that b wins, ties counted half",
        paper="mcgraw1992 vargha2000",
    ),
    Effect(
        name="cliff",
        aliases=("delta", "cliffs-delta", "cliff-delta"),
        none=0.0,
        function=cliff,
        text="probability that a value of b exceeds one of a, less the reverse",
        paper="cliff1993",
    ),
):
    EFFECTS.add(_effect)


def _columns(a: Any, b: Any) -> tuple[Floats, Floats]:
    first, second = differences(a), differences(b)
    if first.shape != second.shape:
        raise DataError("lengths", f"a and b have different shapes: {first.shape} and {second.shape}")
    return first, second
