"""The simulations of docs/explanations/error_rates.md, in a quick version with wide limits."""

import numpy as np
import pytest
from simulations.families import contradictions
from simulations.pairs import QUERIES, coverage_of_means, type_one_errors
from simulations.table import Cell, SimulatedTable

pytestmark = pytest.mark.slow

needs_scores = pytest.mark.needs("collections")


def test_a_rate_meets_or_misses_its_goal_only_if_its_interval_does():
    rates = {"a": Cell(9.0, 10_000, True), "b": Cell(5.0, 10_000, True), "c": Cell(5.0, 500, True)}
    rates |= {"d": Cell(5.5, 100_000, True), "e": Cell(3.2, 500, True)}
    table = SimulatedTable("rates", (50,), [(name, [cell]) for name, cell in rates.items()], goal=(4.5, 5.5))
    assert list(table.markdown())[4:9] == [
        "| a | **9.0** |",
        "| b | 5.0 |",
        "| c | 5.0 ? |",
        "| d | 5.5 ? |",
        "| e | 3.2 ? |",
    ]
    assert table.summary() == "Of the 5 figures to which the goal applies 1 meet it, 1 miss it, and 3 are not decided."
    assert SimulatedTable("rates", (50,), [("a", [Cell(9.0, 100)])]).summary() == ""
    low, high = Cell(0.0, 60).interval()
    assert (low, high) == pytest.approx((0, 6.02), abs=0.01)
    assert SimulatedTable("none", (50,), [], goal=(0, 5.0)).outcome(Cell(0.0, 60)) == "not decided"
    assert Cell.of(np.array([True, False])).percent == 50


@needs_scores
def test_the_default_test_holds_its_level_on_real_values():
    table = next(iter(type_one_errors(0.01)))
    rates = {name: dict(zip(QUERIES, cells, strict=True)) for name, cells in table.rows}
    for name in ("AP, labels swapped", "nDCG@20, recentred", "P@10, reweighted"):
        assert rates[name][50].percent == pytest.approx(5, abs=4)


@needs_scores
def test_the_default_interval_of_a_mean_contains_it():
    table = next(iter(coverage_of_means(0.2)))
    for _, cells in table.rows:
        assert cells[2].percent == pytest.approx(95, abs=4)


@needs_scores
def test_no_row_contradicts_itself():
    table = next(iter(contradictions(0.001)))
    assert all(cells[0].startswith("0 of ") for _, cells in table.rows)
