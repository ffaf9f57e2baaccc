"""The simulations of docs/explanations/error_rates.md, in a quick version with wide limits."""

import numpy as np
import pytest
from simulations.families import contradictions
from simulations.pairs import QUERIES, coverage_of_means, type_one_errors
from simulations.table import Cell, SimulatedTable

pytestmark = pytest.mark.slow

needs_scores = pytest.mark.needs("collections")


def test_a_rate_outside_of_the_goal_is_bold():
    table = SimulatedTable(
        "rates", (50,), [("a", [Cell(9.0, 10_000, True)]), ("b", [Cell(5.4, 10_000, True)])], goal=(4.5, 5.5)
    )
    assert list(table.markdown())[4:6] == ["| a | **9.0** |", "| b | 5.4 |"]
    assert table.within() == (1, 2)
    assert Cell.of(np.array([True, False])).percent == 50


@needs_scores
def test_the_default_test_holds_its_level_on_real_values():
    table = next(iter(type_one_errors(0.1)))
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
