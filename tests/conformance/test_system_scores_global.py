"""Tests over the eight best systems of real TREC tracks, as SciPy and statsmodels gave them.

SciPy's tail of the studentised range is good to about 1e-10 (`range_tail` integrates the tail itself, see the unit tests), so its p-values
are compared to that; everything else to 1e-11.
"""

from __future__ import annotations

import csv
import gzip
import math
from functools import lru_cache

import numpy as np
import pytest
from recorded import DATA

from judged.stats.omnibus import anova, friedman, randomised_tukey, tukey

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]

FOLDER = DATA / "system_scores"
NAMES = sorted(path.name.removesuffix(".global.tsv") for path in FOLDER.glob("*.global.tsv")) or [""]
KINDS = ("friedmanchisquare", "f_oneway", "two-way anova (system+topic)", "tukey_hsd")


@lru_cache
def answers(name):
    with (FOLDER / f"{name}.global.tsv").open() as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    systems = rows[0][0].removeprefix("systems: ").split(",")
    return systems, {key: float(value) for key, value in rows[1:]}


@lru_cache
def values(name):
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    places = [rows[0].index(system) for system in answers(name)[0]]
    return np.array([[float(row[i]) for i in places] for row in rows[1:]])


def computed(name):
    """Every recorded answer as we give it, under its recorded name."""
    systems, x = answers(name)[0], values(name)
    rank, one, two, hsd = friedman(x), anova(x, blocked=False), anova(x), tukey(x, blocked=False)
    found = {
        "friedmanchisquare.statistic": rank.statistic,
        "friedmanchisquare.pvalue": rank.p,
        "f_oneway.statistic": one.system.f,
        "f_oneway.pvalue": one.system.p,
    }
    for row, line in (("C(s)", two.system), ("C(index)", two.query), ("Residual", two.residual)):
        cells = {"sum_sq": line.squares, "df": line.df, "F": line.f, "PR(>F)": line.p}
        found |= {f"two-way anova (system+topic).{row}.{k}": math.nan if v is None else v for k, v in cells.items()}
    for a, first in enumerate(systems):
        for b in range(a + 1, len(systems)):
            key = f"tukey_hsd.{first}-{systems[b]}"
            found |= {f"{key}.statistic": -float(hsd.difference[a, b]), f"{key}.pvalue": float(hsd.p[a, b])}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_answer_is_ours(name):
    wanted, found = answers(name)[1], computed(name)
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        ranged = key.startswith("tukey_hsd") and key.endswith("pvalue")
        rel = 1e-9 if ranged else 1e-11
        assert found[key] == pytest.approx(value, rel=rel, abs=1e-15, nan_ok=True), key


def test_all_tables_and_kinds_are_compared():
    assert len(NAMES) == 6
    assert sum(len(answers(name)[1]) for name in NAMES) == 6 * (2 + 2 + 12 + 2 * 28)
    assert {key.split(".")[0] for name in NAMES for key in answers(name)[1]} == set(KINDS)


@pytest.mark.parametrize("name", NAMES)
def test_the_randomised_comparison_is_that_of_independent_rearrangements(name):
    """Every value of every query moved by NumPy's generator; the two differ by chance only (4.5 deviations)."""
    x, b = values(name), 4_000
    found = randomised_tukey(x, resamples=b)
    moved = np.random.default_rng(0).permuted(np.broadcast_to(x, (b, *x.shape)), axis=2).mean(axis=1)
    share = (np.ptp(moved, axis=1)[:, None, None] >= np.abs(found.difference) - 1e-12).mean(axis=0)
    assert (np.abs(found.p - share) <= 4.5 * np.sqrt(2 * share * (1 - share) / b) + 2 / b).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_randomised_comparison_says_no_more_than_the_classical_one(name):
    """Rearranging keeps differences between systems in the spread: never below the classical p but for chance and the shape of values."""
    x = values(name)
    assert (randomised_tukey(x).p >= tukey(x).p - 0.025).all()
