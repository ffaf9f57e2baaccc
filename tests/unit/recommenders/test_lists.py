"""The room of recommendations: formulas by hand, brute force, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from scipy import stats

import judged as jd
from judged.measures.registry import Measure
from judged.recommenders.lists import History, RecommendedLists
from judged.recommenders.measures import BEYOND, parse_beyond, values_of

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
AMOUNTS = st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any)
LISTS = st.lists(st.lists(st.integers(0, 7), unique=True, min_size=1, max_size=4), min_size=1, max_size=5)
VECTORS = np.random.default_rng(3).normal(size=(8, 4))
SHARES = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.5], [0, 1], [1, 0], [0, 1], [0.5, 0.5]])


def cosine(a, b):
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    return (unit[a] * unit[b]).sum(axis=1)


def lists(rows, *, k=4, history=None, relevant=None, described=np.ones(8, bool)):  # noqa: B008
    """Recommendations given as lists of items; the history as a list of items for each user."""
    user = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    past = None
    if history is not None:
        had = [(u, i) for u, items in enumerate(history) for i in items]
        own = np.array(sorted(set(had))).T
        count = {
            "users": np.bincount(own[1], minlength=8) * 1.0,
            "interactions": np.bincount([i for _, i in had], minlength=8) * 1.0,
        }
        past = History(count, {"users": len(history), "interactions": len(had)}, len(history), own[1])
    item = np.array([i for r in rows for i in r])
    side = {"items": 8, "vectors": (cosine, described), "categories": SHARES}
    if past is not None:
        side["history"] = past
    if relevant is not None:
        good = np.array([bool(x) for r in relevant for x in r])
        side["qrels"] = user[good], item[good]
    rank = np.array([n for r in rows for n in range(1, len(r) + 1)])
    return RecommendedLists(user, item, rank, len(rows), 8, k, side)


def value(name, *args, **kwargs):
    [measure] = parse_beyond(name, 4)
    return values_of(measure, lists(*args, **kwargs)).tolist()


def gini(amounts):
    """Half the mean difference of two of the amounts over their mean, the formula of the definition."""
    return np.mean([abs(a - b) for a, b in itertools.product(amounts, amounts)]) / (2 * np.mean(amounts))


@SETTINGS
@given(AMOUNTS)
def test_gini_is_half_the_mean_difference_over_the_mean_with_zeros_for_items_that_nobody_got(amounts):
    [found] = value("Gini", [[item] for item, count in enumerate(amounts) for _ in range(count)])
    assert found == pytest.approx(gini([*amounts, *[0] * (8 - len(amounts))]))
    assert -1e-12 <= found <= 1 - 1 / 8 + 1e-12


def test_coverage_and_distinct_count_items_not_recommendations():
    rows = [[0, 1], [0, 2]]
    assert value("Coverage", rows) == [3 / 8]
    assert value("Distinct", rows) == [3]


def test_exposure_counts_ranks_by_their_discount():
    rows = [[0, 1], [0, 2]]
    for name, second in (("log2", 1 / math.log2(3)), ("geometric", 0.85), ("none", 1.0)):
        expected = gini([2.0, second, second, 0, 0, 0, 0, 0])
        assert value(f"ExposureGini(discount={name})", rows) == [pytest.approx(expected)]


def test_entropy_is_scipys():
    rows = [[0, 1], [0, 2], [0, 3]]
    assert value("Entropy", rows) == [pytest.approx(stats.entropy([3, 1, 1, 1], base=2))]


HISTORY = [[0, 0, 1], [0, 2], [0]]  # item 0: four interactions, three users


def test_popularity_counts_interactions_or_users():
    assert value("Popularity", [[0, 1], [2], [3]], history=HISTORY) == [5 / 2, 1, 0]
    assert value("Popularity(by=users)", [[0, 1], [2], [3]], history=HISTORY) == [4 / 2, 1, 0]


def test_novelty_is_self_information():
    found = value("Novelty", [[0, 1], [2], [3]], history=HISTORY)
    assert found == pytest.approx([math.log2(3) / 2, math.log2(3), math.log2(3)])  # item 3: as if one user had it
    by = value("Novelty(by=interactions)", [[0], [1], [2]], history=HISTORY)
    assert by == pytest.approx([-math.log2(4 / 6), math.log2(6), math.log2(6)])


def test_novelty_as_a_complement_weighs_ranks_and_relevance():
    rows, relevant = [[0, 1]], [[0, 1]]
    history = [[0, 1], [0]]
    weight = 1 / math.log2(3)
    found = value("Novelty(form=complement, discount=log2, relevant=True)", rows, history=history, relevant=relevant)
    assert found == pytest.approx([weight * (1 / 2) / (1 + weight)])


def test_intra_list_similarity_is_the_mean_over_pairs():
    rows = [[0, 1, 2], [3, 4], [5]]
    pairs = [[cosine([a], [b])[0] for a, b in itertools.combinations(r, 2)] for r in rows]
    found = value("ILS", rows)
    assert found[:2] == pytest.approx([np.mean(pairs[0]), np.mean(pairs[1])])
    assert math.isnan(found[2])


def test_items_without_a_vector_are_left_out_of_pairs():
    known = np.arange(8) != 2
    assert value("ILS", [[0, 1, 2]], described=known) == value("ILS", [[0, 1]])


@pytest.mark.parametrize("one", list(BEYOND), ids=lambda d: d.name)
@SETTINGS
@given(rows=LISTS, seed=st.integers(0, 99))
def test_values_lie_in_the_declared_range_and_users_do_not_depend_on_each_other(one, rows, seed):
    rng = np.random.default_rng(seed)
    history = [rng.integers(0, 8, size=4).tolist() for _ in rows]
    relevant = [rng.integers(0, 2, size=len(r)).tolist() for r in rows]
    found = values_of(Measure(one) @ 4, lists(rows, history=history, relevant=relevant))
    known = found[~np.isnan(found)]
    low, high = one.range
    assert ((known >= low - 1e-9) & (known <= high + 1e-9)).all()
    assert len(found) == (len(rows) if one.of == "user" else 1)
    order = rng.permutation(len(rows)).tolist()
    mixed = values_of(
        Measure(one) @ 4,
        lists([rows[i] for i in order], history=[history[i] for i in order], relevant=[relevant[i] for i in order]),
    )
    expected = found[order] if one.of == "user" else found
    assert mixed.tolist() == pytest.approx(expected.tolist(), nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("one", list(BEYOND), ids=lambda d: d.name)
def test_every_measure_says_what_it_needs_and_asks_for_it(one):
    every = {
        "items": 3,
        "history": [("u", "a")],
        "vectors": {"a": [1]},
        "categories": {"a": "x"},
        "qrels": {"u": ["a"]},
    }
    run = {"u": ["a", "b"]}
    assert list(jd.recommenders.beyond_accuracy(run, one.name, **{need: every[need] for need in one.arguments}).columns)
    for need in one.arguments:
        without = {name: given for name, given in every.items() if name != need}
        assert refusal("parameter", jd.recommenders.beyond_accuracy, run, one.name, **without).value == need
    assert all([one.formula, one.paper, one.description])


def test_names_are_read_and_written_alike():
    names = [
        "Coverage@10",
        "Popularity(by='users')@5",
        "Novelty(by='interactions', discount='log2')@10",
        "Novelty(relevant=True)@3",
    ]
    assert [str(m) for m in parse_beyond(names, 10)] == names
    assert [str(m) for m in parse_beyond("item_coverage, ILS@3  ShannonEntropy", 5)] == [
        "Coverage@5",
        "ILS@3",
        "Entropy@5",
    ]


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Ginny", "unknown-name"), ("nDCG", "measure"), ("Gini@0", "cutoff"), ("Gini@x", "cutoff"), ("Popularity(by=all)", "parameter"), ("Gini(by=users)", "parameter"),
     ("TailShare(head=2)", "parameter"), ("Gini(1)", "measure"), ("Novelty(relevant=1)", "parameter"), ("", "measure"), ("(", "measure")],
)  # fmt: skip
def test_wrong_names_are_refused(name, slug):
    refusal(slug, parse_beyond, name, 10)
