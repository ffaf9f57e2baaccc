"""Effect sizes: the size of a difference, as opposed to its significance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from judged._types import Floats, Ints
from judged.errors import DataError
from judged.stats.differences import SLACK, differences, scaled, totals

PAPERS = {"d_z": "cohen1988", "superiority": "mcgraw1992 vargha2000", "cliff": "cliff1993"}


class Record(NamedTuple):
    """Numbers of queries that b wins, ties and loses against a, per pair."""

    wins: Ints
    ties: Ints
    losses: Ints

    @property
    def superiority(self) -> Floats:
        """The share of queries that b wins, with ties counted half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)


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


def superiority(a: Any, b: Any) -> Floats:
    """Return the share of queries that b wins, with ties counted half.

    This is the common-language effect size of paired values (McGraw and Wong 1992; Vargha and Delaney 2000).

    >>> superiority([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.3, 0.1])  # two won, one tied
    array([0.625])
    """
    return record(a, b).superiority


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


def record(a: Any, b: Any) -> Record:
    """Count the queries that b wins, ties and loses."""
    first, second = _columns(a, b)
    wins, losses = (second > first).sum(axis=0), (second < first).sum(axis=0)
    return Record(wins, len(first) - wins - losses, losses)


def _columns(a: Any, b: Any) -> tuple[Floats, Floats]:
    first, second = differences(a), differences(b)
    if first.shape != second.shape:
        raise DataError("lengths", f"a and b have different shapes: {first.shape} and {second.shape}")
    return first, second
