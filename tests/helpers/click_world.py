"""Small worlds with known click parameters, for the tests of this room."""

from __future__ import annotations

from itertools import product

import numpy as np

from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import ClickLog
from judged.clicks.models.chain import Chain
from judged.clicks.models.examination import Examination

DEPTH = 4


def lists(queries: int = 2, docs: int = DEPTH, orders: int = 3, seed: int = 0) -> ShownLists:
    """Some orders of the documents of each query."""
    rng = np.random.default_rng(seed)
    base = ShownLists.of({f"q{i}": [f"d{j}" for j in range(docs)] for i in range(queries)})
    pair = np.concatenate([np.stack([rng.permutation(row) for row in base.pair]) for _ in range(orders)])
    return ShownLists(base.pairs, pair)


def users(name: str, world: ShownLists, seed: int = 0):
    """A model of each kind, with parameters away from 0 and 1."""
    rng = np.random.default_rng(seed)
    size, depth = len(world.pairs), world.pair.shape[1]
    attraction, satisfaction = rng.uniform(0.1, 0.7, size), rng.uniform(0.2, 0.8, size)
    if name == "cascade":
        return Chain(name, world.pairs, attraction, np.ones(1), by="always")
    if name == "dcm":
        return Chain(name, world.pairs, attraction, np.linspace(0.7, 0.3, depth), by="rank")
    if name in ("dbn", "sdbn"):
        return Chain(name, world.pairs, attraction, satisfaction, 0.85 if name == "dbn" else 1.0)
    if name == "pbm":
        return Examination(name, world.pairs, attraction, (1 / np.arange(1, depth + 1) ** 0.8)[:, None])
    if name == "ubm":
        distance = np.maximum(np.arange(1, depth + 1)[:, None] - np.arange(depth + 1), 1)
        table = 0.9 / distance**0.6  # below 1, as no parameter is known to lie at an end
        table[:, 0] = 1 / np.arange(1, depth + 1) ** 0.6
        return Examination(name, world.pairs, attraction, table)
    return Examination(name, world.pairs, attraction, np.ones((1, 1)))


def patterns(depth: int = DEPTH) -> np.ndarray:
    """All ways to click on so many documents."""
    return np.array(list(product([False, True], repeat=depth)))


def chance_of(model, world: ShownLists, row: int, clicks) -> float:
    """The probability of a session, from the story that the model tells: every hidden way to get there, added up."""
    pair = world.pair[row]
    if isinstance(model, Examination):
        chance, last = 1.0, 0
        for k, (p, clicked) in enumerate(zip(pair, clicks, strict=True)):
            table = model.examination[min(k, len(model.examination) - 1)]
            click = model.attractiveness[p] * table[min(last, len(table) - 1)]
            chance *= click if clicked else 1 - click
            last = k + 1 if clicked else last
        return chance

    def onward(k: int, looking: bool) -> float:
        if k == len(pair):
            return 1.0
        if not looking:
            return 0.0 if clicks[k] else onward(k + 1, False)
        a = model.attractiveness[pair[k]]
        s = (
            model.satisfaction[pair[k]]
            if model.by == "pair"
            else model.satisfaction[min(k, len(model.satisfaction) - 1)]
        )
        go = (1 - s) * model.persistence if clicks[k] else model.persistence
        here = a if clicks[k] else 1 - a
        return here * (go * onward(k + 1, True) + (1 - go) * onward(k + 1, False))

    return onward(0, True)


def log_of(rows: list[tuple[str, str, list[str], list[int]]]) -> ClickLog:
    """A log of (session, query, docs, clicks)."""
    flat = [
        (s, q, d, r, c) for s, q, docs, clicks in rows for r, (d, c) in enumerate(zip(docs, clicks, strict=True), 1)
    ]
    return ClickLog.of(*zip(*flat, strict=True))
