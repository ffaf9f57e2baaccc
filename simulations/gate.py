"""Errors of the quality gate: false failures, false passes, drops that are found, and losses that add up over builds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats
from judged.quality_gate.drops import sure_ends
from judged.quality_gate.rules import Rules
from judged.stats.paired.registry import outcome
from simulations.populations import Draw, recentred, reweighted, thinned
from simulations.table import Cell, SimulatedTable

QUERIES = (20, 50, 200, 1000)
ALLOWED = 0.01
_REPEATS = {"significant": 50_000, "sure": 2_000, "builds": 500}
_RESAMPLES = 1_999
_BLOCK = 2_000_000  # values at a time


@dataclass(frozen=True, slots=True)
class Candidates:
    """Losses per query of mean 0, which are moved to the drop that is simulated; or with the drop they have."""

    name: str
    draw: Draw
    drop: float | None = None  # the true drop, if the losses cannot be moved
    goal: bool = False  # the promise counts: real and dense, or rare losses


def _rare(share: float, size: float) -> Draw:
    return lambda rng, n, r: np.where(rng.random((n, r)) < share, size, 0.0)


def _uniform(rng: np.random.Generator, n: int, r: int) -> Floats:
    return np.where(rng.random((n, r)) < 0.1, 0.2 * rng.random((n, r)), 0.0)


def dense() -> list[Candidates]:
    """Losses of which nearly all queries have some."""
    return [
        Candidates("normal, deviation 0.1", lambda rng, n, r: 0.1 * rng.normal(size=(n, r)), goal=True),
        Candidates("AP of TREC systems", recentred("AP"), goal=True),
        Candidates("nDCG@20 of TREC systems", recentred("nDCG@20"), goal=True),
        Candidates("RR of TREC systems", reweighted("RR"), goal=True),
        Candidates("AP, weak systems too", recentred("AP, all systems"), goal=True),
        Candidates("AP, 90% of queries tied", thinned(reweighted("AP"), 0.1)),
    ]


def rare() -> list[Candidates]:
    """Losses of a few queries."""
    return [
        Candidates("10% of queries lose 0.1", _rare(0.1, 0.1), 0.01, goal=True),
        Candidates("10% lose 0 to 0.2", _uniform, 0.01, goal=True),
        Candidates("5% lose everything", _rare(0.05, 1.0), 0.05, goal=True),
        Candidates("5% lose 0.19, the others gain 0.01 ± 0.005", lambda rng, n, r: np.where(rng.random((n, r)) < 0.05, 0.19, -0.01 + 0.005 * rng.normal(size=(n, r))), 0.0),
        Candidates("5% lose 0.19, the others gain 0.01", lambda rng, n, r: np.where(rng.random((n, r)) < 0.05, 0.19, -0.01), 0.0),
    ]  # fmt: skip


def tables(scale: float = 1.0) -> list[SimulatedTable]:
    """All tables of the gate; `scale` multiplies the numbers of repetitions."""
    return [*_failures(scale), *_passes(scale), *_histories(scale)]


def _failures(scale: float) -> Iterator[SimulatedTable]:
    for extra, title, goal in (
        (0.0, "worse by exactly max_drop (0.01, or the drop it has)", (0.0, 5.5)),
        (-ALLOWED, "equal to the baseline, where 0.01 is allowed,", (0.0, 5.5)),
        (0.04, "worse by 0.05, where 0.01 is allowed,", None),
    ):
        kinds = [*dense(), *rare()] if extra == 0 else [c for c in dense() if c.goal]
        rows = [(c.name, [_failed(c, n, extra, scale) for n in QUERIES]) for c in kinds]
        yield SimulatedTable(f"Mode `significant`: a candidate that is {title} fails, %", QUERIES, rows, goal)


def _failed(c: Candidates, n: int, extra: float, scale: float) -> Cell:
    moved = extra if c.drop is None else -c.drop  # from mean 0, or from the drop it has to the limit
    hits = [rejects(losses + moved, 0.05) for losses in _losses(c, n, "significant", scale)]
    return Cell.of(np.concatenate(hits), counts=c.goal and n >= 50)


def rejects(beyond: Floats, level: float | Floats) -> Bools:
    """Columns of losses less the allowed drop that the gate's one-sided t test rejects."""
    return (outcome(beyond, "t").p <= 2 * level) & (beyond.sum(axis=0) > 0)


def _losses(c: Candidates, n: int, kind: str, scale: float) -> Iterator[Floats]:
    rng = np.random.default_rng([n, *c.name.encode()])
    repeats = max(200, int(_REPEATS[kind] * scale * min(1.0, 250 / n)))
    step = max(1, _BLOCK // n)
    for first in range(0, repeats, step):
        yield c.draw(rng, n, min(step, repeats - first))


def _passes(scale: float) -> Iterator[SimulatedTable]:
    rows = [(c.name, [_passed(c, n, None, scale) for n in QUERIES]) for c in (*dense(), *rare())]
    title = "Mode `sure`: a candidate that is worse by exactly max_drop (0.01, or the drop it has) passes, %"
    yield SimulatedTable(title, QUERIES, rows, (0.0, 3.0))
    rows = [(c.name, [_passed(c, n, 0.02, scale) for n in QUERIES]) for c in dense() if c.goal]
    title = "Mode `sure`: a candidate that is equal to the baseline passes, if 0.02 is allowed, %"
    yield SimulatedTable(title, QUERIES, rows)


def _passed(c: Candidates, n: int, allowed: float | None, scale: float) -> Cell:
    rules = Rules(mode="sure", resamples=_RESAMPLES)
    moved, limit = (0.0, c.drop) if c.drop is not None else (0.0, allowed) if allowed else (ALLOWED, ALLOWED)
    hits = [
        [sure_ends(column, 1.0, rules)[1] <= limit + 1e-12 for column in (d + moved).T]
        for d in _losses(c, n, "sure", scale)
    ]
    return Cell.of(np.concatenate(hits), counts=c.goal and n >= 50)


def _histories(scale: float) -> Iterator[SimulatedTable]:
    equal, creeping = (0.0, 50, 0.0), (0.005, 10, 0.005)
    rows = [
        (f"{name}, {how}", [_stopped(n, *size, history, scale) for n in QUERIES])
        for name, size in (("50 builds, all equal, max_drop 0", equal), ("10 builds, each worse by the allowed 0.005", creeping))
        for how, history in (("no history", False), ("history", True))
    ]  # fmt: skip
    notes = ("With a history the total drop may be 0.01 (for equal builds 0).",)
    yield SimulatedTable("Mode `significant`: at least one build fails, %", QUERIES, rows, head="builds", notes=notes)


def _stopped(n: int, loss: float, builds: int, allowed: float, history: bool, scale: float) -> Cell:
    """Builds one after the other, each compared with the one before, and with a history with the first baseline as well.

    A build has a part of its own in the value of each query, so that differences have a deviation of 0.1.
    """
    rng, failed = np.random.default_rng([n, builds]), []
    level = np.full(builds, 0.05)
    if history:
        level[1:] /= 2  # two rules from the second build on
    for _ in range(max(200, int(_REPEATS["builds"] * scale))):
        values = 0.1 / np.sqrt(2) * rng.normal(size=(n, builds + 1)) - loss * np.arange(builds + 1)
        step, total = values[:, :-1] - values[:, 1:] - allowed, values[:, :1] - values[:, 1:] - 2 * allowed
        hit = rejects(step, level)
        failed.append(bool((hit | rejects(total, level) if history else hit).any()))
    return Cell.of(failed)
