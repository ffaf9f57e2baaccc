"""Tables of several runs and measures: family-wise errors, simultaneous coverage, and rows that contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from judged.stats.decisions import APART, decide_family
from judged.stats.leaderboard import rank_sets
from simulations.populations import scores, systems
from simulations.table import Cell, SimulatedTable

_MEANS = frozenset({"better", "worse"})
_CORRECTIONS = ("bonferroni", "holm", "max", "benjamini-hochberg", "none")


def family_wise_errors(scale: float) -> Iterator[SimulatedTable]:
    """The share of tables of equal systems with any better or worse, and of tables whose intervals all contain 0."""
    worlds = [
        ("2 systems, AP, recentred", systems("AP", 2), 5_000),
        ("2 systems, nDCG@20, recentred", systems("nDCG@20", 2), 5_000),
        ("5 systems, AP, labels permuted", systems("AP", 5, recentre=False), 1_000),
        ("5 systems, RR, labels permuted", systems("RR", 5, recentre=False), 1_000),
        ("5 systems, Success@10, labels permuted", systems("Success@10", 5, recentre=False), 1_000),
        ("5 systems, AP, recentred", systems("AP", 5), 1_000),
        ("5 systems, AP, weak systems too, recentred", systems("AP, all systems", 5), 1_000),
        ("20 systems, AP, recentred", systems("AP", 20), 3_000),
        ("20 systems, nDCG@20, recentred", systems("nDCG@20", 20), 3_000),
        ("20 systems, AP, weak systems too, recentred", systems("AP, all systems", 20), 3_000),
    ]
    rows = []
    for name, draw, repeats in worlds:
        rng = np.random.default_rng([*name.encode()])
        tables = [draw(rng, 50, 1) for _ in range(int(repeats * scale))]
        pairs = list(combinations(range(tables[0].shape[1]), 2))
        cells, covered = [], []
        for correction in _CORRECTIONS:
            options = {"test": "permutation", "resamples": 1_999} if correction == "max" else {}
            few = len(pairs) > 100 and correction != "bonferroni"
            found = [
                decide_family([x], pairs, correction=correction, **options)[0] for x in tables[: 250 if few else None]
            ]
            cells.append(
                Cell.of([any(v in APART for v in d.verdict) for d in found], counts=correction == "bonferroni")
            )
            if correction == "bonferroni":
                covered = [bool(np.all((d.low <= 0) & (d.high >= 0) | np.isnan(d.low))) for d in found]
        rows.append((name, [*cells, Cell.of(covered)]))
    yield SimulatedTable(
        "Tables of equal systems, 50 queries: any false finding, % (t test), and all intervals contain the true differences at once",
        (*_CORRECTIONS, "all covered"),
        rows,
        goal=None,
        head="systems",
        prefix="",
        notes=(
            "Of 20 systems, 3,000 tables with Bonferroni's correction and 250 with the others. With 190 pairs each is tested at 0.0003: so far in the tail t rejects skewed differences of 50 queries too often, and more so if weak systems are among them. [Leaderboards](#leaderboards) have a margin for that.",
        ),
    )


def families_of_measures(scale: float) -> Iterator[SimulatedTable]:
    """Two exchangeable systems by several measures: a false finding on the primary one, and on any."""
    names, rng = ("AP", "P@10", "RR"), np.random.default_rng(5)
    tables = [scores(m) for m in names]
    columns = min(t.shape[1] for t in tables)
    primary, any_of_them, together = [], [], []
    for _ in range(int(4_000 * scale)):
        pair, topics = rng.choice(columns, 2, replace=False), rng.integers(50, size=100)
        swap = rng.random(100) < 0.5
        drawn = [np.where(swap[:, None], t[topics][:, pair[::-1]], t[topics][:, pair]) for t in tables]
        found = [decide_family([x], [(0, 1)])[0].verdict[0] in APART for x in drawn]
        primary.append(found[0])
        any_of_them.append(any(found))
        together.append(any(v in APART for d in decide_family(drawn, [(0, 1)]) for v in d.verdict))
    yield SimulatedTable(
        "Two equal systems by three measures, 100 queries, false findings, %",
        ("the primary measure", "any of the three", "any, --family all"),
        [("AP, P@10, RR, labels swapped", [Cell.of(primary, counts=True), Cell.of(any_of_them), Cell.of(together)])],
        head="measures",
        prefix="",
    )


def contradictions(scale: float) -> Iterator[SimulatedTable]:
    """Rows whose printed interval and verdict disagree: none, for any test of means and correction."""
    rng, rows = np.random.default_rng(11), []
    for test, correction, repeats in (
        ("t", "bonferroni", 10_000),
        ("t", "holm", 2_000),
        ("t", "none", 2_000),
        ("permutation", "bonferroni", 200),
        ("permutation", "holm", 200),
        ("bootstrap", "bonferroni", 100),
    ):
        options = {} if test == "t" else {"resamples": 4_999}
        tables = wrong = 0
        for _ in range(max(20, int(repeats * scale))):
            measure = str(rng.choice(["AP", "P@10", "RR", "Success@10", "nDCG@20"]))
            x = systems(measure, 5, recentre=bool(rng.random() < 0.5))(rng, int(rng.choice([5, 10, 25, 50])), 1)
            x = x + rng.normal(0, 0.05, 5) * (rng.random() < 0.5)
            [d] = decide_family([x], list(combinations(range(5), 2)), test=test, correction=correction, **options)
            excludes = (d.low > 0) | (d.high < 0)
            tables += 1
            wrong += any(bool(e) != (v in _MEANS) for e, v in zip(excludes, d.verdict, strict=True))
        rows.append((f"{test}, {correction}", [f"{wrong} of {tables:,}"]))
    yield SimulatedTable(
        "Tables of five runs with a row whose interval contradicts its verdict",
        ("contradictions",),
        rows,
        head="test and correction",
        prefix="",
    )


def leaderboards(scale: float) -> Iterator[SimulatedTable]:
    """Sets of ranks: the share of boards of which all sets contain the true ranks; letters of equal systems."""
    worlds = {
        f"{measure}, {kind}": (f"{measure}{every}", recentre)
        for measure in ("AP", "nDCG@20", "RR")
        for kind, every, recentre in (
            ("labels permuted", ", all systems", False),
            ("recentred", "", True),
            ("weak systems too, recentred", ", all systems", True),
        )
    }
    sizes, rows = ((5, 50), (20, 50), (60, 50), (20, 250), (60, 250)), []
    for name, (measure, recentre) in worlds.items():
        cells: list[Cell | str] = []
        for k, n in sizes:
            if k > scores(measure).shape[1]:
                cells.append("")
                continue
            rng, draw = np.random.default_rng([k, n, *name.encode()]), systems(measure, k, recentre=recentre)
            boards = range(int({5: 4_000, 20: 2_000, 60: 400}[k] * scale))
            cells.append(Cell.of([bool(rank_sets([draw(rng, n, 1)]).above.any()) for _ in boards], counts=True))
        rows.append((name, cells))
    yield SimulatedTable(
        "Leaderboards of equal systems of which letters separate any, %",
        [f"{k} systems, {n} queries" for k, n in sizes],
        rows,
        goal=(0.0, 5.5),
        head="systems",
        prefix="",
        notes=(
            "Recentring shifts each system by a constant. Two systems that have equal values on nearly all topics, as several of Web 2011 have, and many by RR, then differ by the same amount on nearly all queries of a sample, and no test of that sample can tell them from unequal systems. Without the correction for skewness the third column is 16% to 33% where systems are recentred and weak ones are included.",
        ),
    )
    rows = []
    for k in (5, 10, 20):
        rng, sets, near = np.random.default_rng(k), [], []
        table = scores("AP")
        for _ in range(int(1_000 * scale)):
            for shrink, kept in ((1.0, sets), (0.1, near)):
                x = table[:, rng.choice(table.shape[1], k, replace=False)]
                x = x - (1 - shrink) * (x.mean(axis=0) - x.mean())
                truth, found = x.mean(axis=0), rank_sets([x[rng.integers(50, size=50)]])
                first = 1 + (truth > truth[:, None] + 1e-12).sum(axis=1)
                kept.append(bool(((found.low <= first) & (first <= found.high)).all()))
        rows.append((f"{k} systems", [Cell.of(sets, counts=True), Cell.of(near, counts=True)]))
    yield SimulatedTable(
        "Leaderboards of 50 queries, AP, of which all sets contain the true ranks, %",
        ("real systems", "nearly equal systems"),
        rows,
        goal=(94.5, 100.0),
        head="board",
        prefix="",
    )
