"""Correlations of real systems and real judges, as SciPy and the package rbo gave them.

The orders of systems are those of their mean scores (`<matrix>.systems.tsv`): means that were added up in another order differ
in the last bits, and an order is made out of what was a tie. The package rbo was given lists, the best first, equal means as they came;
its `rbo` stops at the last rank, its `rbo_ext` goes on.
"""

import csv
import gzip
from functools import lru_cache

import numpy as np
import pytest
from recorded import DATA
from scipy import stats

from judged.correlation.correlate import correlate
from judged.stats.rank_correlation import kendall, spearman
from judged.stats.rank_overlap import overlap, rbo

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]
near = lambda value: pytest.approx(value, rel=1e-12)  # noqa: E731


def table(path):
    with path.open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


@lru_cache
def means(matrix):
    return {row["system"]: float(row["mean"]) for row in table(DATA / "system_scores" / f"{matrix}.systems.tsv")}


def recorded():
    path = DATA / "system_scores" / "ranking_correlation.tsv"
    return (
        [
            (r["matrix_a"], r["matrix_b"], r["measure"], float(r["value"]))
            for r in table(path)
            if r["measure"] not in OTHERS
        ]
        if path.exists()
        else []
    )


PLAIN = {
    "kendalltau(b)": kendall,
    "kendalltau(b).pvalue": lambda x, y: correlate(x, y, "tau_b").p_values["tau_b"],
    "spearmanr": spearman,
    "spearmanr.pvalue": lambda x, y: correlate(x, y, "spearman").p_values["spearman"],
}
OTHERS = (
    "kendalltau(c)",
    "pearsonr",
    "weightedtau(rank=True)",
    "weightedtau(rank=None)",
    "somersd",
)  # not computed here


@pytest.mark.parametrize(("a", "b", "name", "value"), recorded() or [("", "", "", 0.0)], ids=lambda v: str(v)[:30])
def test_orders_of_systems_correlate_as_recorded(a, b, name, value):
    first, second = means(a), means(b)
    assert set(first) == set(second)
    if name in PLAIN:
        x, y = list(first.values()), [second[system] for system in first]
        assert PLAIN[name](x, y) == near(value)
        return
    kind, p = name.split(" ")[0].rstrip(")").split("(p=")
    x, y = (sorted(scores, key=lambda s, scores=scores: -scores[s]) for scores in (first, second))
    beyond = float(p) ** len(x) * overlap(x, y, len(x))
    found = rbo(x, y, float(p)) - (beyond if kind == "rbo.rbo" else 0.0)
    assert found == near(value)


def test_every_recorded_correlation_of_systems_is_compared():
    assert len(recorded()) == 40  # 20 more are of coefficients that are not computed here


def judges():
    path = DATA / "agreement_dl20" / "agreement.tsv"
    rows = [tuple(r.values()) for r in table(path)] if path.exists() else []
    kinds = {"scipy.kendalltau(b)": kendall, "scipy.spearmanr": spearman}
    return [
        (pair, kinds[kind], float(value))
        for (name, value) in rows
        for pair, kind in [name.split(": ")]
        if kind in kinds
    ]


@lru_cache
def labels():
    with gzip.open(DATA / "agreement_dl20" / "judgements.tsv.gz", "rt") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize(
    ("pair", "function", "value"), judges() or [("", None, 0.0)], ids=lambda v: getattr(v, "__name__", str(v))
)
def test_judges_correlate_as_recorded(pair, function, value):
    sides = []
    for judge in pair.removesuffix(" (0-3)").split("~"):
        name, _, level = judge.partition(">=")
        sides.append(
            [
                (float(r[name]) if not level else float(float(r[name]) >= float(level))) if r[name] else None
                for r in labels()
            ]
        )
    both = [(a, b) for a, b in zip(*sides, strict=True) if a is not None and b is not None]
    assert function(*zip(*both, strict=True)) == near(value)


def test_every_recorded_correlation_of_judges_is_compared():
    assert len(judges()) == sum(
        "scipy" in row["measure"] and "pearsonr" not in row["measure"]
        for row in table(DATA / "agreement_dl20" / "agreement.tsv")
    )


def scores(path):
    found: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            query, _, doc, _, score, _ = line.split()
            found.setdefault(query, {})[doc] = float(score)
    return found


@pytest.mark.parametrize(
    ("collection", "a", "b"),
    [
        ("cranfield", "bm25", "minilm"),
        ("robust03", "pircRBa1", "uic0301"),
        ("recsys_ml_latest_small", "als", "popularity"),
    ],
)
def test_real_runs_correlate_as_scipy_says_of_each_query(collection, a, b):
    """Documents aligned by dicts, one query after the other; popularity holds long ties."""
    paths = [DATA / collection / "runs" / f"{name}.run.gz" for name in (a, b)]
    first, second = map(scores, paths)
    found = correlate(*paths, "tau_b spearman rbo overlap@10")
    assert set(found.queries) == set(first) & set(second)
    step = max(1, len(found) // 60)
    for i, query in list(enumerate(found.queries))[::step]:
        shared = sorted(set(first[query]) & set(second[query]))
        x, y = ([run[query][doc] for doc in shared] for run in (first, second))
        assert found.items[i] == len(shared)
        assert found["rbo"][i] == near(rbo(first[query], second[query]))
        assert found["overlap@10"][i] == near(overlap(first[query], second[query], 10))
        if len(set(x)) > 1 and len(set(y)) > 1:
            wanted = stats.kendalltau(x, y), stats.spearmanr(x, y)
            values = [found[name][i] for name in ("tau_b", "spearman")]
            assert values == [pytest.approx(w.statistic, rel=1e-11, abs=1e-13) for w in wanted]
        else:
            assert np.isnan(found["tau_b"][i])
