"""Expected values over tied orders: exact for sums, and in memory that is linear in a tied group."""

import tracemalloc
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from for_each import for_each

import judged as jd
from judged.evaluation import tied_orders
from judged.measures.registry import MEASURES, Measure

SUMS = [d for d in MEASURES if d.laws & {"additive", "residual"} and d.family != "own"]
QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": -1, "e": 1, "missed": 2}}
SCORES = {"a": 1.0, "b": 1.0, "x": 1.0, "c": 0.5, "d": 0.5, "y": 0.5, "e": 0.1}


@cache
def orders(depth=None):
    """The rankings in every order of the ties, joined with the judgments."""
    runs = product(permutations("abx"), permutations("cdy"))
    return [jd.join(QRELS, {"q": [*top, *middle, "e"]}, depth=depth) for top, middle in runs]


@for_each("block", [2, 10**6])
@for_each("definition", SUMS, ids=lambda d: d.name)
def test_the_expected_value_of_a_sum_is_the_mean_over_all_orders(definition, block, monkeypatch):
    monkeypatch.setattr(tied_orders, "_EXACT", 1)  # nothing is listed: a sum needs no order
    monkeypatch.setattr(tied_orders, "_BLOCK", block)
    measures = [
        Measure(definition),
        *([Measure(definition) @ k for k in (1, 2, 4)] if definition.at == "cutoff" else []),
    ]
    if definition.name in ("FallOut", "Specificity"):
        measures.append(measures[1](collection=20))
    for depth in (None, 4) if "additive" in definition.laws else (None,):
        result = jd.evaluate(QRELS, {"q": SCORES}, measures, ties="expected", depth=depth)
        means = [np.mean([m.on(judged)[0] for judged in orders(depth)]) for m in measures]
        assert list(result.mean().values()) == pytest.approx(means, rel=1e-13)
        assert "ties-sampled" not in {w.slug for w in result.warnings}


def test_an_average_rank_is_a_sum():
    assert MEASURES.find("ARP") in SUMS


def test_a_residual_below_a_depth_is_averaged_over_orders():
    value = jd.evaluate(QRELS, {"q": SCORES}, "RBPResidual", ties="expected", depth=3)["RBPResidual"][0]
    assert value == pytest.approx(
        np.mean([jd.evaluate(judged, "RBPResidual")["RBPResidual"][0] for judged in orders(3)])
    )


def _peak(items: int, measures: str) -> int:
    labels = np.arange(items) % 4
    tracemalloc.start()
    try:
        jd.score(labels, np.zeros(items), measures, ties="expected")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("measures", "sizes"), [("nDCG@10 DCG P@10 RBP RBPResidual", (20_000, 40_000)), ("AP RR", (2_000, 4_000))]
)
def test_memory_is_linear_in_a_tied_group(measures, sizes, monkeypatch):
    monkeypatch.setattr(tied_orders, "_BLOCK", 20_000)
    monkeypatch.setattr(tied_orders, "_DRAWS", 100_000)
    small, large = (_peak(size, measures) for size in sizes)
    assert large < 2.5 * small
    assert large < 2_000 * sizes[1]  # bytes; one column per pair of documents would be 8 · size² / size


def test_a_sample_does_not_depend_on_its_blocks(monkeypatch):
    labels = np.arange(60) % 4
    whole = jd.score(labels, np.repeat([1.0, 0.0], 30), "AP RR ERR", ties="expected").mean()
    monkeypatch.setattr(tied_orders, "_BLOCK", 500)
    assert jd.score(labels, np.repeat([1.0, 0.0], 30), "AP RR ERR", ties="expected").mean() == whole


def test_a_large_group_of_equal_grades_has_one_order():
    value = jd.score(np.zeros(10_000), np.zeros(10_000), "AP", ties="expected")
    assert value.mean() == {"AP": 0.0}
    assert "ties-sampled" not in {w.slug for w in value.warnings}


def test_orders_are_made_once_for_all_measures(monkeypatch):
    """Those of a block of queries; values are the ones of each measure alone, bounds and curves included."""
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(3)) for j in range(12)} for i in range(6)}
    run = {f"q{i}": {f"d{j}": float(rng.integers(3)) for j in range(3, 16)} for i in range(6)}
    measures = ["AP", "RR", "ERR@5", "RBP(p=0.5)", "Judged@5", "bpref"]

    def values():
        result = jd.evaluate(qrels, run, measures, ties="expected", bounds=True)
        curves = jd.curve("at-k", qrels, run, ["AP", "nDCG"], ties="expected", points=4)
        return [
            *(
                np.array(columns[name])
                for columns in (result.columns, result.if_irrelevant, result.if_top)
                for name in columns
            ),
            *(curve.y for curve in curves),
        ]

    monkeypatch.setattr(tied_orders, "_BLOCK", 60_000)
    together = values()
    made = []
    replicate = tied_orders._replicate
    monkeypatch.setattr(tied_orders, "_replicate", lambda *args: made.append(args) or replicate(*args))
    values()
    blocks = len(made)
    monkeypatch.setattr(tied_orders.TieOrders, "compute_together", _alone(tied_orders.TieOrders.compute_together))
    alone = values()
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(together, alone, strict=True))
    assert blocks < (len(made) - blocks) / 3


def _alone(compute):
    """Ignore measures that are only asked for next."""
    return lambda orders, measures: compute(orders, kept) if len(kept := list(measures)) == 1 else None
