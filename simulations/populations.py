"""Populations of values and differences per query, drawn from the scores of real TREC systems.

Fifty topics stand for a population: topics are drawn with replacement, and each repetition draws another pair of systems.
The lowest quarter of the systems is left out, unless a measure is named `AP, all systems`.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]

SCORES = Path(__file__).resolve().parents[2] / "shared" / "data" / "system_scores"
_PAIRS = 300
_FILES = {
    "AP": "adhoc8_ap",
    "P@10": "adhoc8_p10",
    "RR": "adhoc8_rr",
    "nDCG@20": "web2011_ndcg20",
    "ERR@20": "web2011_err20",
}


@cache
def scores(measure: str) -> Floats:
    """Values of topics × systems; Success is computed from the reciprocal rank."""
    measure, _, every = measure.partition(", ")
    if measure.startswith("Success@"):
        return (scores("RR") >= 1 / int(measure[8:]) - 1e-9).astype(float)
    with gzip.open(SCORES / f"{_FILES[measure]}.csv.gz", "rt") as file:
        table = np.array(list(csv.reader(file))[1:], dtype=float)
    means = table.mean(axis=0)
    return table if every else table[:, means >= np.quantile(means, 0.25)]


@cache
def _pairs(measure: str) -> NDArray[np.int64]:
    rng, systems = np.random.default_rng(0), scores(measure).shape[1]
    pairs = np.array([rng.choice(systems, 2, replace=False) for _ in range(4 * _PAIRS)])
    differ = [p for p in pairs if np.count_nonzero(_difference(measure, p)) >= 5]
    return np.array(differ[:_PAIRS])


def _difference(measure: str, pair: NDArray[np.int64]) -> Floats:
    x = scores(measure)
    return x[:, pair[1]] - x[:, pair[0]]


@cache
def _differences(measure: str) -> Floats:
    """Differences of topics × pairs."""
    return np.stack([_difference(measure, pair) for pair in _pairs(measure)], axis=1)


def _tilt(d: Floats) -> Floats:
    """Weights exp(θ d), with θ such that the weighted mean of d is 0."""
    low, high = -200.0, 200.0
    for _ in range(200):
        theta = (low + high) / 2
        weights = np.exp(theta * d - (theta * d).max())
        low, high = (theta, high) if weights @ d < 0 else (low, theta)
    return weights / weights.sum()


@cache
def _tilted(measure: str) -> tuple[Floats, Floats]:
    """Differences of pairs that have both gains and losses, and weights under which their mean is 0."""
    d = _differences(measure)[:, _mixed(measure)]
    return d, np.stack([_tilt(column) for column in d.T], axis=1)


def _mixed(measure: str) -> NDArray[np.bool_]:
    """The pairs that have both gains and losses."""
    d = _differences(measure)
    return np.asarray((d > 0).any(axis=0) & (d < 0).any(axis=0))


def _drawn(rng: np.random.Generator, table: Floats, n: int, repeats: int, weights: Floats | None = None) -> Floats:
    """n topics with replacement from one column of the table per repetition, n × repeats."""
    return table[_places(rng, table, n, repeats, weights)]


def _places(
    rng: np.random.Generator, table: Floats, n: int, repeats: int, weights: Floats | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The topics, n × repeats, and the column of each repetition."""
    column = rng.integers(table.shape[1], size=repeats)
    if weights is None:
        return rng.integers(len(table), size=(n, repeats)), column
    rows = np.empty((n, repeats), dtype=np.int64)
    for c in np.unique(column):
        here = np.flatnonzero(column == c)
        rows[:, here] = rng.choice(len(table), size=(n, len(here)), p=weights[:, c])
    return rows, column


def swapped(measure: str) -> Draw:
    """Labels of the two systems swapped at random for each query: exchangeable systems."""
    return lambda rng, n, r: _drawn(rng, _differences(measure), n, r) * rng.choice([-1.0, 1.0], size=(n, r))


def recentred(measure: str) -> Draw:
    """Differences less their mean: equal means, and the skewness of real differences."""
    return lambda rng, n, r: _drawn(rng, _differences(measure) - _differences(measure).mean(axis=0), n, r)


def reweighted(measure: str) -> Draw:
    """Topics drawn with weights under which the mean difference is 0: keeps the values of discrete measures."""
    return lambda rng, n, r: _drawn(rng, _tilted(measure)[0], n, r, _tilted(measure)[1])


def thinned(draw: Draw, share: float) -> Draw:
    """Only a share of the queries changes; the others are tied."""
    return lambda rng, n, r: draw(rng, n, r) * (rng.random((n, r)) < share)


def thin_pools(measure: str, share: float = 0.2) -> Draw:
    """Each system has its value on a share of the queries, and else 0, as if its documents were unjudged; topics reweighted."""

    def draw(rng: np.random.Generator, n: int, r: int) -> Floats:
        d, weights = _tilted(measure)
        rows, column = _places(rng, d, n, r, weights)
        a, b = scores(measure)[rows, _pairs(measure)[_mixed(measure)][column].T[:, None]]
        return b * (rng.random((n, r)) < share) - a * (rng.random((n, r)) < share)

    return draw


def _losses(rng: np.random.Generator, n: int, r: int) -> Floats:
    return np.where(rng.random((n, r)) < 0.05, -0.19, 0.01)


@dataclass(frozen=True, slots=True)
class Population:
    """Differences with mean 0; the goals hold for real, dense ones."""

    name: str
    draw: Draw
    goal: bool = False


def differences() -> list[Population]:
    """Populations of differences whose mean is 0."""
    return [
        Population("AP, labels swapped", swapped("AP"), True),
        Population("RR, swapped", swapped("RR"), True),
        Population("Success@1, swapped", swapped("Success@1"), True),
        Population("Success@10, swapped", swapped("Success@10"), True),
        Population("AP, recentred", recentred("AP"), True),
        Population("nDCG@20, recentred", recentred("nDCG@20"), True),
        Population("ERR@20, recentred", recentred("ERR@20"), True),
        Population("AP, reweighted", reweighted("AP"), True),
        Population("P@10, reweighted", reweighted("P@10"), True),
        Population("RR, reweighted", reweighted("RR"), True),
        Population("AP, weak systems too, recentred", recentred("AP, all systems"), True),
        Population("nDCG@20, weak systems too, recentred", recentred("nDCG@20, all systems"), True),
        Population("RR, weak systems too, reweighted", reweighted("RR, all systems"), True),
        Population("AP, thin pools", thin_pools("AP"), True),
        Population("nDCG@20, thin pools", thin_pools("nDCG@20"), True),
        Population("AP, 90% of queries tied, swapped", thinned(swapped("AP"), 0.1)),
        Population("AP, 90% tied, reweighted", thinned(reweighted("AP"), 0.1)),
        Population("RR, 95% tied, reweighted", thinned(reweighted("RR"), 0.05)),
        Population("normal", lambda rng, n, r: rng.normal(size=(n, r))),
        Population("exponential", lambda rng, n, r: rng.exponential(size=(n, r)) - 1),
        Population("lognormal", lambda rng, n, r: rng.lognormal(size=(n, r)) - np.exp(0.5)),
        Population("5% lose much, 95% gain a little", _losses),
    ]


def values(measure: str) -> Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]:
    """Values of a random system in each repetition, n × repeats, and the true mean of each."""

    def draw(rng: np.random.Generator, n: int, repeats: int) -> tuple[Floats, Floats]:
        table = scores(measure)
        system = rng.integers(table.shape[1], size=repeats)
        return table[rng.integers(len(table), size=(n, repeats)), system], table.mean(axis=0)[system]

    return draw


def systems(measure: str, k: int, *, recentre: bool = True) -> Draw:
    """Values of n topics × k random systems; with equal means, or with labels permuted within each topic.

    The third argument of the draw is ignored: each call is one table.
    """

    def draw(rng: np.random.Generator, n: int, _: int) -> Floats:
        table = scores(measure)
        table = table[:, rng.choice(table.shape[1], k, replace=False)]
        if recentre:
            return (table - table.mean(axis=0))[rng.integers(len(table), size=n)]
        return rng.permuted(table[rng.integers(len(table), size=n)], axis=1)

    return draw
