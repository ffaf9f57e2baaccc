"""Type-I error and coverage for one pair of runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from judged.stats.intervals import interval
from judged.stats.paired.registry import outcome
from simulations.populations import Population, differences, values
from simulations.table import Cell, SimulatedTable

QUERIES = (10, 25, 50, 100, 250, 1000)
_TESTS = {"t": 100_000, "permutation": 1_000, "bootstrap": 500, "wilcoxon": 1_000, "sign": 5_000}  # repetitions
_RESAMPLED = {"permutation": 1_999, "bootstrap": 1_999}
_INTERVALS = {"t": 20_000, "bootstrap-t": 500, "percentile": 500}  # repetitions
_MEASURES = ("AP", "nDCG@20", "ERR@20", "P@10", "RR", "Success@1", "Success@10")
_BLOCK = 2_000_000  # values at a time


def type_one_errors(scale: float) -> Iterator[SimulatedTable]:
    """The share of comparisons of equal runs in which each test rejects at 5%."""
    for test, repeats in _TESTS.items():
        rows = [(p.name, [_rejected(p, test, n, _repeats(repeats, n, scale)) for n in QUERIES]) for p in differences()]
        yield SimulatedTable(f"Type-I error of `{test}`, %", QUERIES, rows, goal=(4.5, 5.5))


def _repeats(repeats: int, n: int, scale: float) -> int:
    return max(200, int(repeats * scale * min(1.0, 250 / n)))


def _rejected(population: Population, test: str, n: int, repeats: int) -> Cell:
    options = {"resamples": _RESAMPLED[test]} if test in _RESAMPLED else {}
    hits = [outcome(d, test, **options).p <= 0.05 for d in _draws(population, n, repeats)]
    return Cell.of(np.concatenate(hits), counts=population.goal and n >= 50)


def _draws(population: Population, n: int, repeats: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng([n, *population.name.encode()])
    step = max(1, _BLOCK // n)
    for first in range(0, repeats, step):
        yield population.draw(rng, n, min(step, repeats - first))


def coverage_of_differences(scale: float) -> Iterator[SimulatedTable]:
    """The share of 95% intervals of a difference that contain the true one, 0."""
    for method, repeats in _INTERVALS.items():
        rows = [(p.name, [_covered(p, method, n, _repeats(repeats, n, scale)) for n in QUERIES]) for p in differences()]
        yield SimulatedTable(f"Coverage of `{method}`, %", QUERIES, rows, goal=(94, 96))


def _covered(population: Population, method: str, n: int, repeats: int) -> Cell:
    inside = [_contain(d, method, np.zeros(d.shape[1])) for d in _draws(population, n, repeats)]
    return Cell.of(np.concatenate(inside), counts=population.goal and n >= 50)


def _contain(x: np.ndarray, method: str, truth: np.ndarray, **options: object) -> np.ndarray:
    ends = [(-np.inf, np.inf) if e is None else e for e in interval(x, method, **options)]  # type: ignore[arg-type]
    low, high = np.array(ends, dtype=float).T
    return (low <= truth) & (truth <= high)


def coverage_of_means(scale: float) -> Iterator[SimulatedTable]:
    """The share of 95% intervals of a mean that contain the true mean."""
    for method, repeats in _INTERVALS.items():
        rows = []
        for measure in _MEASURES:
            cells = []
            for n in QUERIES:
                rng = np.random.default_rng([n, *measure.encode()])
                x, truth = values(measure)(rng, n, _repeats(repeats, n, scale))
                cells.append(Cell.of(_contain(x, method, truth, limits=[(0.0, 1.0)] * x.shape[1]), counts=n >= 50))
            rows.append((measure, cells))
        yield SimulatedTable(f"Coverage of `{method}` for a mean, %", QUERIES, rows, goal=(94, 96))
