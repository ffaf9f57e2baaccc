"""Queries that count for more or less than one, or are not independent: weighted means and clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from judged._types import Floats
from judged.stats.paired.registry import outcome
from judged.stats.variance_components import variance_components
from simulations.populations import Draw, recentred, reweighted
from simulations.table import Cell, SimulatedTable

_QUERIES = (50, 200, 1000)
_CLUSTERS = (10, 20, 50, 100)
_REPEATS, _BATCH = 20_000, 250  # every batch has other weights or sizes
_ENOUGH = 20  # queries of equal weight that weights must count like for the goal

_POPULATIONS: dict[str, Draw] = {
    "AP, recentred": recentred("AP"), "nDCG@20, recentred": recentred("nDCG@20"), "RR, reweighted": reweighted("RR"),
    "AP, weak systems too, recentred": recentred("AP, all systems"),
}  # fmt: skip
_WEIGHTS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "1/√rank": lambda rng, n: 1 / np.sqrt(np.arange(1, n + 1)),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "Zipf, 1/rank": lambda rng, n: 1 / np.arange(1, n + 1),
    "1/rank^1.5": lambda rng, n: np.arange(1, n + 1) ** -1.5,
}
_SPREADS: dict[str, Callable[[Floats], Floats]] = {
    "": np.ones_like,
    ", top tenth varies twice as much": lambda w: np.where(w >= np.quantile(w, 0.9), 2.0, 1.0),
    ", top tenth varies half as much": lambda w: np.where(w >= np.quantile(w, 0.9), 0.5, 1.0),
}
_SIZES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "5 queries each": lambda rng, c: np.full(c, 5),
    "1 to 20 queries": lambda rng, c: rng.integers(1, 21, c),
    "lognormal sizes": lambda rng, c: np.ceil(3 * rng.lognormal(size=c)),
}


def tables(scale: float) -> Iterator[SimulatedTable]:
    """Type-I errors of the weighted t test, and of the t test with clusters of queries."""
    rows = [
        (f"{name}, weights {kind}{spread}", [_weighted(draw, weights, varies, n, scale) for n in _QUERIES])
        for kind, weights in _WEIGHTS.items()
        for spread, varies in _SPREADS.items()
        for name, draw in _POPULATIONS.items()
        if not spread or name == "AP, recentred"
    ]
    note = f"The goal applies where the weights count like {_ENOUGH} queries of equal weight or more (Kish 1965). With fewer it finds too little, and so it does on RR, of which most differences are 0, if a few queries have most of the weight."
    yield SimulatedTable("Type-I error of the weighted t test, %", _QUERIES, rows, goal=(4.5, 5.5), notes=(note,))
    clustered = [
        (f"{name}, {kind}{plain}", [_clustered(draw, sizes, c, scale, use=not plain) for c in _CLUSTERS])
        for plain in ("", ", clusters ignored")
        for kind, sizes in _SIZES.items()
        for name, draw in _POPULATIONS.items()
        if not plain or name == "AP, recentred"
    ]
    yield SimulatedTable(
        "Type-I error of the t test with clusters, %; half of the variance is between clusters", _CLUSTERS, clustered,
        goal=(4.5, 5.5), prefix="clusters: ",
    )  # fmt: skip


def _weighted(draw: Draw, weights: Callable[..., Floats], varies: Callable[[Floats], Floats], n: int, scale: float) -> Cell:  # fmt: skip
    rng, hits, alike = np.random.default_rng(n), [], []
    for _ in range(_batches(scale, n)):
        w = weights(rng, n)
        hits.append(outcome(draw(rng, n, _BATCH) * varies(w)[:, None], "t", weights=w).p <= 0.05)
        alike.append(w.sum() ** 2 / (w @ w))
    return Cell.of(np.concatenate(hits), counts=min(alike) >= _ENOUGH)


def _clustered(draw: Draw, sizes: Callable[..., Floats], clusters: int, scale: float, *, use: bool) -> Cell:
    rng, hits = np.random.default_rng(clusters), []
    for _ in range(_batches(scale, 5 * clusters)):
        codes = np.repeat(np.arange(clusters), sizes(rng, clusters).astype(int))
        d = draw(rng, len(codes), _BATCH) + draw(rng, clusters, _BATCH)[codes]
        hits.append(outcome(d, "t", clusters=codes if use else None).p <= 0.05)
    return Cell.of(np.concatenate(hits), counts=use and clusters >= 50)


def _batches(scale: float, n: int) -> int:
    return max(4, int(_REPEATS * scale * min(1.0, 250 / n)) // _BATCH)


def seeds_and_judges(scale: float) -> Iterator[SimulatedTable]:
    """Coverage of the first pair of five systems, equal or of unequal deviations; normal effects of systems × queries (0.2), judges, seeds and the rest (0.1)."""
    rows = []
    for name, judges, seeds in (("2 judges", 2, 1), ("3 judges", 3, 1), ("5 judges", 5, 1), ("2 seeds", 1, 2), ("3 seeds", 1, 3), ("5 seeds", 1, 5), ("3 judges, 3 seeds", 3, 3)):  # fmt: skip
        for deviations in ((1.0,) * 5, (2.0, 2.0, 0.5, 0.5, 0.5), (2.0, 0.5, 0.5, 0.5, 0.5)):
            cells = [_differs(judges, seeds, deviations, effect, int(2_000 * scale)) for effect in (0.0, 0.03, 0.1)]
            label = "" if deviations[0] == 1 else f", deviations {deviations[0]:g} and {deviations[1]:g}, others 0.5"
            rows.append((f"{name}{label}", cells))
    yield SimulatedTable(
        "Coverage of a 95% interval, %, by the deviation of judges and seeds", (0, 0.03, 0.1), rows, goal=(94, 99), head="design", prefix="",
    )  # fmt: skip


def _differs(judges: int, seeds: int, deviations: tuple[float, ...], effect: float, repeats: int) -> Cell:
    rng, inside, k = np.random.default_rng([judges, seeds]), [], len(deviations)
    scale = np.array(deviations)[:, None, None, None]
    for _ in range(max(100, repeats)):
        y = 0.2 * rng.normal(size=(k, 50, 1, 1)) + 0.1 * rng.normal(size=(k, 50, judges, seeds))
        y += effect * (
            (judges > 1) * rng.normal(size=(k, 1, judges, 1)) + (seeds > 1) * rng.normal(size=(k, 1, 1, seeds))
        )
        low, high = variance_components(scale * y).interval(0, 1) or (0.0, 0.0)
        inside.append(low <= 0 <= high)
    return Cell.of(inside, counts=True)
