"""Clicks, interleaving, agreement and classification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy.stats import binomtest

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
        rows.append((f"{sessions:,} sessions", [Cell.of(inside[name], counts=True) for name in inside]))
    yield SimulatedTable(
        "Coverage of 95% intervals of a new ranking's DCG, propensities fitted, %",
        ("ips", "snips"),
        rows,
        goal=(94, 96),
        head="log",
        prefix="",
    )
    rows = []
    for kind, same in (("a ranking and itself", True), ("two rankings that differ on each query", False)):
        for each in ("query", "session"):
            cells: list[Cell] = []
            naive: list[Cell] = []
            for sessions, repeats in ((1_000, 500), (5_000, 200)):
                seeds = range(max(20, int(repeats * scale)))
                found = [_interleaving(sessions, seed, each == "session", same) for seed in seeds]
                by_query, by_session = zip(*found, strict=True)
                cells.append(Cell.of(by_query, counts=True))
                naive.append(Cell.of(by_session))
            rows.append((f"{kind}, a list per {each}", [*cells, *naive]))
    yield SimulatedTable(
        "Interleaving of rankings that are equally good for a population of queries, 50 of them drawn: difference found at 5%, %",
        ("1,000 sessions", "5,000 sessions", "1,000, sessions counted", "5,000, sessions counted"),
        rows,
        goal=(0.0, 5.5),
        head="rankings and lists",
        prefix="",
        notes=(
            "`score_interleaving` counts queries, by the preference of most of their sessions. The last two columns are what a sign test of independent sessions would find: sessions of one query are not independent, unless the rankings are equally good for each query.",
        ),
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


def _interleaving(sessions: int, seed: int, own: bool, same: bool) -> tuple[bool, bool]:
    rng = np.random.default_rng([seed, sessions])
    relevance = {
        (f"q{i:02}", d): (2.0**g - 1) / 16 for i in range(50) for d, g in zip(_DOCS, rng.integers(0, 4, 8), strict=True)
    }
    ranking = {query: rng.permutation(_DOCS).tolist() for query, _ in relevance}
    other = ranking if same else {query: rng.permutation(_DOCS).tolist() for query in ranking}
    lists = jd.clicks.interleave(ranking, other, k=5, seed=seed, sessions=sessions if own else None)
    shown = lists.lists()
    shown = shown if own else [list(shown.items())[i % 50] for i in range(sessions)]
    log = _position_log(shown, relevance, seed)
    return jd.clicks.score_interleaving(lists, log).p_value <= 0.05, _sessions_differ(lists, log)


def _sessions_differ(lists: jd.clicks.InterleavedLists, log: list[tuple]) -> bool:
    """A sign test of sessions, as if they were independent."""
    keys = lists.query if lists.session is None else lists.session
    team = {(key, doc): 1 if team == "B" else -1 for key, doc, team in zip(keys, lists.doc, lists.team, strict=True)}
    credit: Counter[int] = Counter()
    for session, query, doc, _, clicked in log:
        credit[session] += clicked * team[query if lists.session is None else session, doc]
    wins = [value > 0 for value in credit.values() if value]
    return bool(wins) and binomtest(sum(wins), len(wins)).pvalue <= 0.05


def the_rest(scale: float) -> Iterator[SimulatedTable]:
    """Coverage of the intervals of agreement and recall."""
    repeats = max(20, int(200 * scale))
    rows = [
        (
            "raw agreement of two judges, queries of 20 documents",
            [Cell.of([_agree(n, s) for s in range(repeats)], counts=n >= 50) for n in (10, 25, 50)],
        ),
        (
            "recall 0.9, positives",
            [Cell.of([_recall(n, s) for s in range(20 * repeats)], counts=n >= 50) for n in (10, 25, 50)],
        ),
    ]
    yield SimulatedTable(
        "Coverage of other 95% intervals, %", (10, 25, 50), rows, goal=(94, 96), head="interval, and what n counts"
    )


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
