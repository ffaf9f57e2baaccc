"""Coefficients of pairs: worked numbers, brute force from the definitions, SciPy, and what is refused."""

from itertools import combinations, pairwise, permutations, product
from math import factorial, isnan, sqrt
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refusal
from scipy import stats

import judged as jd
from judged.references import short_form
from judged.stats.rank_correlation import (
    RANK_COEFFICIENTS,
    Columns,
    columns,
    kendall,
    parse_coefficients,
    spearman,
    tau_ap,
)

PAIRS = [c for c in RANK_COEFFICIENTS if c.pairs is not None]
near = lambda value: pytest.approx(value, rel=1e-12, abs=1e-14)  # noqa: E731


def correlation(x, y, name="tau_b", **options):
    """The value of two columns and its p."""
    found = jd.correlate(np.asarray(x), np.asarray(y), name, **options)
    (key,) = found.coefficients
    return SimpleNamespace(value=found.mean()[key], p_value=found.p_values[key])


# E8 and E9 of the notes: the d² formula and (C - D) / (C + D) are right without ties only.
X, Y = [1, 2, 2, 3], [1, 2, 3, 4]


def drawn(seed: int, ties: int, size: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 80)) if size is None else size
    x, y = rng.integers(0, ties, size).astype(float), rng.integers(0, ties // 2 + 1, size).astype(float)
    x[:2], y[:2] = (0, 1), (1, 0)  # no column is constant
    return x, y


def test_the_notes_formula_of_spearman_holds_without_ties_only():
    def by_differences(x, y):
        d = stats.rankdata(x) - stats.rankdata(y)
        return 1 - 6 * (d @ d) / (len(x) * (len(x) ** 2 - 1))

    assert (
        spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        == near(by_differences([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]))
        == near(0.8)
    )
    assert by_differences(X, Y) == near(0.95)
    assert spearman(X, Y) == near(4.5 / sqrt(4.5 * 5))
    assert round(spearman(X, Y), 4) == 0.9487


def test_the_notes_formula_of_kendall_is_gamma_when_there_are_ties():
    concordant, discordant, pairs, untied_x = 5, 0, 6, 5
    assert (concordant - discordant) / (concordant + discordant) == 1.0
    assert kendall(X, Y, "a") == near(5 / pairs)
    assert kendall(X, Y, "b") == near(5 / sqrt(untied_x * pairs))
    assert [round(kendall(X, Y, v), 4) for v in "ab"] == [0.8333, 0.9129]
    with pytest.raises(jd.UsageError):
        kendall(X, Y, "d")


def counted(x, y):
    """(concordant, discordant, untied in x, untied in y)."""
    c = d = ux = uy = 0
    for i, j in combinations(range(len(x)), 2):
        sign = np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
        c, d, ux, uy = c + (sign > 0), d + (sign < 0), ux + (x[i] != x[j]), uy + (y[i] != y[j])
    return c, d, ux, uy


@pytest.mark.parametrize("seed", range(13))
def test_pairs_are_counted_as_one_by_one(seed):
    x, y = drawn(seed, ties=1 + seed % 13)
    c, d, ux, uy = counted(x, y)
    found = columns(x, y)
    assert (found.concordant[0], found.discordant[0], found.untied_x[0], found.untied_y[0]) == (c, d, ux, uy)
    assert kendall(x, y, "a") == near((c - d) / (len(x) * (len(x) - 1) / 2))


def test_segments_are_counted_as_if_alone():
    rng = np.random.default_rng(5)
    sizes = np.array([3, 0, 1, 17, 2, 40])
    x, y = rng.integers(0, 6, sizes.sum()).astype(float), rng.integers(0, 9, sizes.sum()).astype(float)
    start = np.concatenate([[0], np.cumsum(sizes)])
    for c in PAIRS:
        together = c.pairs(Columns(x, y, sizes))
        alone = [c.pairs(Columns(x[a:b], y[a:b], np.array([b - a])))[0] for a, b in pairwise(start)]
        np.testing.assert_allclose(together, alone, rtol=1e-13, err_msg=c.name)


def plain_tau_ap(x, reference):
    """Yilmaz, Aslam and Robertson: without ties."""
    order = sorted(range(len(x)), key=lambda i: -x[i])
    shares = [sum(reference[j] > reference[i] for j in order[:r]) / r for r, i in enumerate(order) if r]
    return 2 * sum(shares) / (len(x) - 1) - 1


def all_orders(x):
    """Every way to break the ties, as scores without ties."""
    groups = [[i for i in range(len(x)) if x[i] == v] for v in sorted(set(x))]
    for orders in product(*(permutations(g) for g in groups)):
        score = [0.0] * len(x)
        for rank, i in enumerate(i for group in orders for i in group):
            score[i] = float(rank)
        yield score


@pytest.mark.parametrize("seed", range(5))
def test_tau_ap_without_ties_is_its_definition(seed):
    x, y = np.random.default_rng(seed).permutation(20), np.random.default_rng(seed + 99).permutation(20)
    assert tau_ap(x, y) == near(plain_tau_ap(x, y))


@pytest.mark.parametrize("seed", range(10))
def test_tau_ap_with_ties_is_the_mean_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 6).tolist(), rng.integers(0, 4, 6).tolist()
    values = [plain_tau_ap(a, b) for a in all_orders(x) for b in all_orders(y)]
    assert tau_ap(x, y) == near(np.mean(values))


def test_tau_ap_gives_the_figures_that_its_authors_publish():
    """The example of ircor, the package of Urbano and Marrero; there the reference comes first."""
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert round(kendall(x, y), 7) == 0.7777778
    assert round(tau_ap(y, x), 7) == 0.7491182
    y = np.round(y * 5) / 5
    assert (round(kendall(x, y, "a"), 7), round(tau_ap(y, x), 7)) == (0.7111111, 0.6074515)


@pytest.mark.parametrize("seed", range(20))
def test_scipy_says_the_same_under_heavy_ties(seed):
    x, y = drawn(seed, ties=2 + seed % 11)
    assert kendall(x, y, "b") == near(stats.kendalltau(x, y).statistic)
    assert spearman(x, y) == near(stats.spearmanr(x, y).statistic)


def test_scipy_says_the_same_of_many_items():
    rng = np.random.default_rng(3)
    x = rng.random(30_000)
    y = np.round(x + rng.random(30_000), 2)
    assert kendall(x, y) == near(stats.kendalltau(x, y).statistic)
    assert spearman(x, y) == near(stats.spearmanr(x, y).statistic)


@pytest.mark.parametrize(("name", "test"), [("tau_b", stats.kendalltau), ("rho", stats.spearmanr)])
def test_p_values_are_those_of_scipy(name, test):
    for seed, ties in product(range(5), (4, 1000)):
        x, y = drawn(seed + 7, ties, size=25)
        assert correlation(x, y, name).p_value == pytest.approx(test(x, y).pvalue, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 20, 33, 34, 60, 400])
def test_kendalls_test_is_that_of_scipy_for_any_number_of_items(size):
    rng = np.random.default_rng(size)
    order = np.arange(size)
    swapped = order.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    cases = [(order, rng.permutation(size)) for _ in range(5)] + [(order, order), (order, order[::-1]), (order, swapped), (swapped[::-1], order)]  # fmt: skip
    if size > 2:
        cases += [(rng.integers(0, 3, size), rng.integers(0, k, size)) for k in (2, 3, 10, size)]
    for x, y in cases:
        wanted = max(stats.kendalltau(x, y).pvalue, np.finfo(float).tiny)  # SciPy's may underflow to 0
        assert correlation(x, y, "tau_a").p_value == pytest.approx(wanted, rel=1e-12, abs=0, nan_ok=True)


@pytest.mark.parametrize("c", PAIRS, ids=lambda c: c.name)
@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_items_have_no_correlation(c, size):
    assert np.isnan(c.pairs(columns([1.0] * size, [2.0] * size))[0])


@pytest.mark.parametrize("c", PAIRS, ids=lambda c: c.name)
def test_a_column_of_equal_values_gives_no_number_out_of_rounding(c):
    value = c.pairs(columns([0.1] * 7, [0.3, 0.1, 0.2, 0.5, 0.7, 0.9, 0.4]))[0]
    unbroken = {"tau_a": 0.0, "tau_ap": 0.0}
    assert value == near(unbroken[c.name]) if c.name in unbroken else np.isnan(value)


@pytest.mark.parametrize(
    ("x", "slug"),
    [
        ([1, 2], "lengths"),
        ([1, float("nan"), 3], "score-nan"),
        (["a", "b", "c"], "score-type"),
        ("abc", "score-type"),
        (7, "score-type"),
        ([[1], [2], [3]], "score-type"),
        ([1, None, 3], "score-nan"),
        ([1, 2j, 3], "score-type"),
        (np.ma.masked_array([1, 2, 3], [0, 1, 0]), "score-nan"),
    ],
)
def test_what_is_no_column_is_refused(x, slug):
    refusal(slug, kendall, x, [1, 2, 3])


@pytest.mark.parametrize(("given", "name"), [("tau-b", "tau_b"), ("TAU_AP", "tau_ap"), ("tauAP", "tau_ap"), ("Kendall", "tau_b"), ("rho", "spearman"), ("RBO", "rbo")])  # fmt: skip
def test_a_coefficient_has_many_names(given, name):
    assert list(parse_coefficients(given)) == [name]


def test_names_come_as_words_or_lists_and_each_counts_once():
    assert list(parse_coefficients("tau, rho overlap@{5, 10}")) == [
        "tau_b",
        "spearman",
        "overlap@5",
        "overlap@10",
    ]
    assert list(parse_coefficients(["tau_b", "kendall"])) == ["tau_b"]


def test_every_name_is_told_apart_and_declared_in_full():
    names = [name for c in RANK_COEFFICIENTS for name in (c.name, *c.aliases)]
    assert len({n.replace("_", "") for n in names}) == len(names)
    assert all(c.text and c.ties and (c.pairs is None) != (c.depths is None) for c in RANK_COEFFICIENTS)


@pytest.mark.parametrize(("name", "slug", "hint"), [("spaerman", "unknown-name", "spearman"), ("tau_d", "unknown-name", "tau"), ("overlap@0", "cutoff", ""), ("tau_b@10", "cutoff", "depth"), ("", "coefficient", "tau_b"), (7, "coefficient", "")])  # fmt: skip
def test_unknown_names_get_the_nearest_right_one(name, slug, hint):
    error = refusal(slug, parse_coefficients, name)
    assert hint in str(error.hint or "")


DOCS = Path(__file__).parents[3] / "docs" / "guides" / "correlation.md"


@pytest.mark.parametrize("c", list(RANK_COEFFICIENTS), ids=lambda c: c.name)
def test_the_documentation_lists_every_coefficient_as_declared(c):
    cells = (f"`{c.name}{'@k' if c.name == 'overlap' else ''}`", c.text, f"{c.low:g} … 1", c.ties, short_form(c.paper))
    row = " | ".join(cell.replace("|", r"\|") for cell in cells)
    assert f"| {row} |" in DOCS.read_text()


@pytest.mark.slow
def test_no_p_value_is_ever_0():
    n = 2000
    x = np.arange(n, dtype=float)
    for name in ("spearman", "tau_b"):
        assert correlation(x, x + 1e-9 * np.sin(x), name).p_value > 0
    assert correlation([1, 2, 3], [1, 2, 3], "spearman").p_value == pytest.approx(1 / 3)


def test_a_constant_column_has_no_test_whatever_the_coefficient():
    for c in PAIRS:
        for x, y in (([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2, 3, 4], [1, 1, 1, 1])):
            p = correlation(x, y, c.name).p_value
            assert p is None if not c.test else isnan(p)


def test_many_items_in_the_same_order_have_the_smallest_p_that_is_reported():
    """Of n! orders two are as extreme; 2n have at most one pair in the wrong order, or in the right one. 171! is infinite."""
    for size in (100, 170, 171):
        x = np.arange(size)
        least = np.finfo(float).tiny if size > 170 else 2 / factorial(size)
        for coefficient in ("tau_b", "tau_a", "spearman"):
            assert correlation(x, x, coefficient).p_value / least == near(1)
        if size <= 170:
            assert correlation(x, np.r_[1, 0, x[2:]], "tau_b").p_value / (size * least) == near(1)


def test_the_usage_of_a_coefficient_is_a_name_of_it():
    for c in RANK_COEFFICIENTS:
        text = c.usage.replace("@k", "@5")
        assert list(parse_coefficients(text)) == [text]


def test_minus_zero_ties_with_zero():
    for c in PAIRS:
        assert (
            correlation([-0.0, 0.0, 1, 2], [1, 2, 3, 3], c.name).value
            == correlation([0, 0, 1, 2], [1, 2, 3, 3], c.name).value
        )
