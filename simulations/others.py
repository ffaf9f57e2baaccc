"""Clicks, interleaving, agreement and classification."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import judged as jd
from simulations.table import Cell, SimulatedTable

_DOCS = [f"d{j}" for j in range(8)]


def clicks(scale: float) -> Iterator[SimulatedTable]:
    """Coverage of counterfactual estimates, and false findings of interleaving."""
    rows = []
    for sessions, repeats in ((1_000, 50), (5_000, 30)):
        inside = {name: [] for name in ("ips", "snips")}
        for seed in range(max(4, int(repeats * scale))):
            log, run, truth = _position_world(sessions, seed)
            for e in jd.clicks.evaluate_from_clicks(log, run, "DCG", seed=seed).estimates:
                inside[e.estimator].append(e.low <= truth[e.estimator] <= e.high)
        rows.append((f"{sessions:,} sessions", [Cell.of(inside[name]) for name in inside]))
    yield SimulatedTable(
        "Coverage of 95% intervals of a new ranking's DCG, propensities fitted, %",
        ("ips", "snips"),
        rows,
        head="log",
        prefix="",
    )
    rows = []
    for own in (False, True):
        cells = []
        for sessions in (1_000, 5_000):
            wrong = [_interleaving(sessions, seed, own) for seed in range(max(20, int(200 * scale)))]
            cells.append(Cell.of(wrong))
        rows.append(("a list per session" if own else "a list per query", cells))
    yield SimulatedTable(
        "Interleaving of equal rankings, 50 queries: difference found at 5%, %",
        ("1,000 sessions", "5,000 sessions"),
        rows,
        head="lists",
        prefix="",
    )


def _position_log(lists, relevance: dict, seed: int):
    """One session for each (query, [doc, …]) of users who examine rank r with probability r^-0.8."""
    rng = np.random.default_rng(seed)
    return [
        (i, query, doc, rank, int(rng.random() < relevance[query, doc] / rank**0.8))
        for i, (query, docs) in enumerate(lists, 1)
        for rank, doc in enumerate(docs, 1)
    ]


def _position_world(sessions: int, seed: int):
    """Sessions of position-based users over 20 queries, a new ranking (the shown one upside down), and its true values."""
    queries, rng = [f"q{i:02}" for i in range(20)], np.random.default_rng([seed, 1])
    chances = np.random.default_rng(7).uniform(0.02, 0.6, (20, 8))
    relevance = {(q, d): chances[i, j] for i, q in enumerate(queries) for j, d in enumerate(_DOCS)}
    shuffled = rng.random(sessions) < 0.2
    lists = [(queries[i % 20], rng.permutation(_DOCS).tolist() if shuffled[i] else _DOCS) for i in range(sessions)]
    gain = 1 / np.log2(np.arange(8, 0, -1) + 1)
    value = float((gain * chances).sum())
    truth = {"ips": value / 20, "snips": value / float(chances.sum())}
    return _position_log(lists, relevance, seed), dict.fromkeys(queries, _DOCS[::-1]), truth


def _interleaving(sessions: int, seed: int, own: bool) -> bool:
    rng = np.random.default_rng([seed, sessions])
    relevance = {
        (f"q{i:02}", d): (2.0**g - 1) / 16 for i in range(50) for d, g in zip(_DOCS, rng.integers(0, 4, 8), strict=True)
    }
    ranking = {query: rng.permutation(_DOCS).tolist() for query, _ in relevance}
    lists = jd.clicks.interleave(ranking, ranking, k=5, seed=seed, sessions=sessions if own else None)
    shown = lists.lists()
    shown = shown if own else [list(shown.items())[i % 50] for i in range(sessions)]
    return jd.clicks.score_interleaving(lists, _position_log(shown, relevance, seed)).p_value <= 0.05


def the_rest(scale: float) -> Iterator[SimulatedTable]:
    """Coverage of the intervals of agreement, recall and AUC."""
    repeats = max(20, int(200 * scale))
    rows = [
        (
            "raw agreement of two judges, queries of 20 documents",
            [Cell.of([_agree(n, s) for s in range(repeats)]) for n in (10, 25, 50)],
        ),
        ("recall 0.9, positives", [Cell.of([_recall(n, s) for s in range(4 * repeats)]) for n in (10, 25, 50)]),
        (
            "AUC 0.92, positives and as many negatives",
            [Cell.of([_auc(n, s) for s in range(2 * repeats)]) for n in (10, 25, 50)],
        ),
    ]
    yield SimulatedTable("Coverage of other 95% intervals, %", (10, 25, 50), rows, head="interval, and what n counts")


def _inside(ends: tuple[float, float] | None, truth: float) -> bool:
    return ends is not None and ends[0] <= truth <= ends[1]


def _agree(n: int, seed: int) -> bool:
    rng = np.random.default_rng([n, seed])
    share = rng.beta(8, 2, n)
    first = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(20)} for i in range(n)}
    second = {q: {d: g if rng.random() < share[i] else 1 - g for d, g in first[q].items()} for i, q in enumerate(first)}
    return _inside(jd.agree(first, second)["raw"].interval, 0.8)


def _recall(n: int, seed: int) -> bool:
    rng = np.random.default_rng([n, seed])
    labels = np.arange(5 * n) < n
    chosen = np.where(labels, rng.random(5 * n) < 0.9, rng.random(5 * n) < 0.1)
    return _inside(jd.curves.classify(labels.astype(int), chosen.astype(int)).intervals["recall"], 0.9)


def _auc(n: int, seed: int) -> bool:
    rng = np.random.default_rng([n, seed])
    labels, scores = np.arange(2 * n) < n, rng.normal(size=2 * n)
    scores[:n] += 2.0
    truth = 0.9213503964748575  # Φ(2 / √2)
    return _inside(jd.curves.classify(labels.astype(int), scores=scores, threshold=1.0).intervals["auc"], truth)
