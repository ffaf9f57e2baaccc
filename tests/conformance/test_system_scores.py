"""Tests, corrections and effect sizes of pairs of real TREC systems, as SciPy and statsmodels gave them.

All pairs of the eight best systems of six collections. What is marked Monte Carlo depends on random numbers: it is compared
within five standard errors of the difference between two such figures.
"""

import csv
import gzip
from collections import defaultdict
from functools import lru_cache

import numpy as np
import pytest
from recorded import DATA

from judged.stats.corrections import adjusted
from judged.stats.effect_sizes import record, standardised
from judged.stats.intervals import interval
from judged.stats.paired.registry import outcome

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]

FOLDER = DATA / "system_scores"
NAMES = sorted(path.name.removesuffix(".pairs.tsv.gz") for path in FOLDER.glob("*.pairs.tsv.gz")) or ["none"]
OTHERS = {  # of other rooms, or no test of pairs
    "kendalltau", "kendalltau.pvalue", "spearmanr", "pearsonr", "ttest_ind(equal_var=False).pvalue",
}  # fmt: skip
CORRECTIONS = ["bonferroni", "holm", "fdr_bh", "fdr_by"]
NOT_HERE = ("(greater)", "holm-sidak", "sidak", "hommel", "simes-hochberg", "pratt", "zsplit", "correction", "BCa")


@lru_cache
def recorded(name):
    """Measure → one value for each pair; and the two tables of values, queries × pairs."""
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt") as file:
        header, *rows = csv.reader(file)
    x = np.array(rows, dtype=float)
    answers = defaultdict(dict)
    with gzip.open(FOLDER / f"{name}.pairs.tsv.gz", "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            answers[row["measure"]][row["system_a"], row["system_b"]] = float(row["value"])
    pairs = list(answers["mean_difference"])
    first, second = (x[:, [header.index(pair[side]) for pair in pairs]] for side in (0, 1))
    return {m: np.array([v[pair] for pair in pairs]) for m, v in answers.items() if len(v) == len(pairs)}, first, second


def exact_answers(first, second):
    d = first - second  # the answers are of a - b
    t = outcome(d, "t")
    wilcoxon = outcome(d, "wilcoxon")
    found = {
        "ttest_rel.statistic": t.statistic,
        "ttest_rel.pvalue": t.p,
        "ttest_rel.df": np.full(d.shape[1], len(d) - 1),
        "sign.n_pos": record(second, first).wins,
        "sign.n_neg": record(second, first).losses,
        "binomtest.pvalue": outcome(d, "sign").p,
        "mean_difference": outcome(d, "permutation", resamples=1).statistic,
        "cohen_d_paired = mean/sd(ddof=1)": standardised(second, first),
        "wilcoxon(wilcox,asymptotic).statistic": wilcoxon.statistic,
    }
    untied = [np.count_nonzero(np.unique(np.abs(column))) == len(d) for column in d.T]
    if len(d) > 50 or not any(untied):  # otherwise p is exact, as SciPy's own default
        found["wilcoxon(wilcox,asymptotic).pvalue"] = wilcoxon.p
    found["ttest_rel.ci_low"], found["ttest_rel.ci_high"] = np.transpose(interval(d, "t"))
    for how in CORRECTIONS:
        found[f"ttest_rel.pvalue adjusted by {how} over these 28 pairs"] = adjusted(t.p, how)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_systems_have_the_recorded_answers(name, compared):
    answers, first, second = recorded(name)
    found = exact_answers(first, second)
    exact = set() if "wilcoxon(wilcox,asymptotic).pvalue" in found else {"wilcoxon(wilcox,asymptotic).pvalue"}
    left = (
        {m for m in answers if "Monte Carlo" not in m and not any(o in m for o in NOT_HERE)}
        - OTHERS
        - set(found)
        - exact
    )
    assert not left, f"not compared: {left}"
    for measure, values in found.items():
        # Two systems with the same values have no t, and a NaN in the family spoils statsmodels' corrections of the others too.
        there = ~np.isnan(answers[measure])
        assert there.all() or name == "adhoc8_rr", measure
        np.testing.assert_allclose(values[there], answers[measure][there], rtol=1e-12, atol=1e-14, err_msg=measure)
        compared("scipy and statsmodels (pairs)", int(there.sum()))


def test_two_systems_with_the_same_values_have_no_difference():
    answers, first, second = recorded("adhoc8_rr")
    same = (first == second).all(axis=0)
    assert same.sum() == 1
    found = exact_answers(first, second)
    assert np.isnan(answers["ttest_rel.pvalue"][same]).all()
    for measure, values in found.items():
        if measure.endswith(".pvalue") or "adjusted" in measure:
            assert values[same].tolist() == [1.0], measure
    assert found["cohen_d_paired = mean/sd(ddof=1)"][same].tolist() == [0.0]
    assert interval((first - second)[:, same], "percentile") == [(0.0, 0.0)]


@pytest.mark.parametrize("name", NAMES)
def test_permutations_have_the_recorded_p_but_for_chance(name, compared):
    answers, first, second = recorded(name)
    d = first - second
    counted = outcome(d, "permutation").p
    recorded_p = next(v for m, v in answers.items() if m.startswith("permutation_test"))
    tail = np.minimum(recorded_p / 2, 0.5)
    chance = 5 * 2 * np.sqrt(np.maximum(tail * (1 - tail), 1e-5) * (1 / 19_999 + 1 / 100_000))
    # Both sides counted, or the smaller one doubled as in SciPy: much the same for real systems.
    assert (np.abs(counted - recorded_p) <= chance + 0.02).all()
    compared("scipy (permutation, Monte Carlo)", len(counted))
