"""Rank-biased overlap and its relatives: the papers' numbers, brute force from the definitions, and what is refused."""

from math import isnan

import numpy as np
import pytest
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.stats.rank_overlap import overlap, rbo, with_scores

near = lambda value: pytest.approx(value, rel=1e-12, abs=1e-14)  # noqa: E731


def by_definition(a, b, p):
    """Without ties: Webber, Moffat and Zobel, equation 32, for lists of any length."""
    short, long = sorted((a, b), key=len)
    s, l = len(short), len(long)  # noqa: E741
    x = [len(set(short[:d]) & set(long[:d])) for d in range(l + 1)]
    return (1 - p) / p * (
        sum(x[d] / d * p**d for d in range(1, l + 1)) + sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    ) + ((x[l] - x[s]) / l + x[s] / s) * p**l  # fmt: skip


@for_each("seed", range(30))
def test_rbo_of_lists_of_any_lengths_is_that_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.permutation(12)[: rng.integers(1, 13)].tolist() for _ in range(2))
    p = float(rng.uniform(0.05, 0.99))
    assert rbo(a, b, p) == near(by_definition(a, b, p))


def test_rbo_of_two_items_by_hand():
    assert rbo(["a", "b"], ["b", "a"], 0.5) == near(0.5 * (0 + 0.5 * 1) + 0.5**2 * 1)


def test_ties_give_the_figures_that_the_authors_of_the_correction_publish():
    """The example of the code of Corsi and Urbano: red (blue green) yellow pink, against a longer ranking."""
    a = {"red": 4, "blue": 3, "green": 3, "yellow": 2, "pink": 1}
    b = {"blue": 4, "red": 4, "white": 3, "yellow": 2, "black": 2, "purple": 2, "green": 1}
    found = rbo(a, b, 0.95)
    assert round(found, 7) == 0.7207131  # of variant b
    assert rbo(b, a, 0.95) == found


def by_contributions(a, b, p):
    """Agreement at each depth from each item's contribution (Corsi and Urbano), for rankings of one length."""

    def contribution(scores, item, d):
        top = 1 + sum(v > scores[item] for v in scores.values())
        size = sum(v == scores[item] for v in scores.values())
        return min(max((d - top + 1) / size, 0.0), 1.0)

    at_depth = []
    for d in range(1, len(a) + 1):
        ca, cb = ({i: contribution(r, i, d) for i in r} for r in (a, b))
        shared = sum(ca[i] * cb[i] for i in set(a) & set(b))
        full = (sum(v * v for v in ca.values()) * sum(v * v for v in cb.values())) ** 0.5
        at_depth.append(shared / full)
    return at_depth, sum((1 - p) * p ** (d - 1) * v for d, v in enumerate(at_depth, 1)) + p ** len(a) * at_depth[-1]


@pytest.mark.parametrize("seed", range(10))
def test_ties_count_by_the_contribution_of_each_item(seed):
    rng = np.random.default_rng(seed)
    a, b = ({f"d{i}": int(rng.integers(0, 4)) for i in rng.permutation(14)[:10]} for _ in range(2))
    at_depth, ext = by_contributions(a, b, 0.85)
    assert rbo(a, b, 0.85) == near(ext)
    for k in range(1, 11):
        assert overlap(a, b, k) == near(at_depth[k - 1])


def test_nothing_in_common_and_everything():
    assert rbo(list("abc"), list("xyz")) == 0
    assert rbo(list("abcdef"), list("abcdef")) == near(1.0)
    long = [str(i) for i in range(5_000)]
    assert rbo(long, long, 0.9) == near(1.0)


def test_of_an_empty_ranking_nothing_is_known():
    for a, b in (([], ["a"]), (["a"], []), ([], [])):
        assert isnan(rbo(a, b))
        assert overlap(a, b) == 0.0


def test_compat_without_normalisation_is_the_rbo_of_what_is_seen():
    """Compat's ideal here is b; both hold the same ten documents, and the weights stop at the last rank."""
    rng, p = np.random.default_rng(0), 0.9
    for _ in range(10):
        a, b = ([f"d{i}" for i in rng.permutation(10)] for _ in range(2))
        grades = {doc: 10 - i for i, doc in enumerate(b)}
        (value,) = jd.evaluate({"q": grades}, {"q": a}, f"Compat(p={p}, normalize=False)").mean().values()
        seen = rbo(a, b, p) - p**10 * overlap(a, b, 10)
        assert value == near(seen / (1 - p**10))


def test_overlap_divides_by_k_even_where_a_ranking_is_shorter():
    assert overlap(list("abc"), list("abx"), 3) == near(2 / 3)
    assert overlap(list("abc"), list("ab"), 4) == near(2 / 4)
    assert overlap(list("ab"), list("ab"), 10) == near(2 / 10)


def test_a_ranking_comes_as_ids_as_scores_or_as_both():
    expected = rbo(["b", "a", "c"], ["a", "b", "c"])
    assert rbo({"a": 2, "b": 3, "c": 1}, ("c", "b", "a")[::-1]) == expected
    assert rbo((["c", "a", "b"], [1.0, 2.0, 3.0]), np.array(["a", "b", "c"])) == expected
    assert rbo([2, 1, 3], [1, 2, 3]) == expected


def test_infinite_scores_tie_with_each_other():
    a = {"a": np.inf, "b": np.inf, "c": -np.inf}
    assert rbo(a, a) == rbo({"a": 2, "b": 2, "c": 1}, {"a": 2, "b": 2, "c": 1})


@pytest.mark.parametrize(
    ("a", "slug"),
    [
        (["a", "b", "a"], "duplicate-doc"),
        ({"a", "b"}, "form"),
        ("abc", "form"),
        (7, "form"),
        ([["a"], ["b"]], "id-type"),
        ((["a", "b"], [1.0]), "lengths"),
        ({"a": float("nan")}, "score-nan"),
        ({"a": "high"}, "score-type"),
    ],
)
def test_what_is_no_ranking_is_refused(a, slug):
    refusal(slug, rbo, a, ["a", "b"])


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"p": 0}, "parameter"),
        ({"p": 1.0}, "parameter"),
        ({"p": "0.9"}, "parameter"),
        ({"p": True}, "parameter"),
    ],
)
def test_parameters_out_of_range_are_refused(options, slug):
    refusal(slug, rbo, ["a"], ["a"], **options)


@pytest.mark.parametrize("k", [0, -1, 2.5, None, True])
def test_a_cutoff_is_a_whole_number_from_one(k):
    refusal("cutoff", overlap, ["a"], ["a"], k)


def test_a_pair_of_a_text_and_a_list_is_a_ranking_of_two_ids():
    """Not the ids a and b with the scores 1 and 2; a list is no id."""
    refusal("id-type", with_scores, ("ab", [1, 2]), "a")
    assert with_scores(("ab", "cd"), "a")[0] == ["ab", "cd"]
