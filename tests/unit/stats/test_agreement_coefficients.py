"""Coefficients of agreement: values by hand, laws, missing labels, what is refused, how sure they are."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

import judged as jd
from judged.stats.agreement import (
    AGREEMENT_COEFFICIENTS,
    Sample,
    _resample,
    by_query,
    coefficients,
    parse_coefficient,
    usual_coefficients,
)
from judged.stats.intervals import wilson
from judged.stats.ratings import Ratings

KEYS_OF_ANY = ("raw", "fleiss", "ac1", "alpha", "alpha(ordinal)", "alpha(interval)")


def one(ratings, key, **options):
    (found,) = coefficients(ratings, [parse_coefficient(key, ratings)], **options).values()
    return found


def value(key, *columns, **options):
    return one(Ratings.of(*columns, **options), key).value


# Two judges, ten units: 4 both 0, 3 both 1, 2 first 0 and second 1, 1 first 1 and second 0.
A = [0, 0, 0, 0, 1, 1, 1, 0, 0, 1]
B = [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]


def test_raw_and_expected_agreement_of_two():
    assert value("raw", A, B) == 7 / 10
    assert one(Ratings.of(A, B), "kappa").expected == pytest.approx(6 / 10 * 5 / 10 + 4 / 10 * 5 / 10)


def test_each_coefficient_takes_its_own_chance():
    seen, zeros = 7 / 10, 11 / 20
    chances = {
        "kappa": 1 / 2,
        "pi": zeros**2 + (1 - zeros) ** 2,
        "ac1": 2 * zeros * (1 - zeros),
    }
    for key, chance in chances.items():
        assert value(key, A, B) == pytest.approx((seen - chance) / (1 - chance))
        assert one(Ratings.of(A, B), key).expected == pytest.approx(chance)


def test_alpha_draws_without_putting_back():
    disagreed, zeros, n = 3 / 10, 11, 20
    expected = 2 * zeros * (n - zeros) / (n * (n - 1))
    assert value("alpha", A, B) == pytest.approx(1 - disagreed / expected)


def test_linear_and_quadratic_weights_are_distances_of_grades():
    a, b = [0, 1, 3, 3, 0], [0, 3, 3, 1, 1]
    apart = np.abs(np.subtract.outer([0, 1, 3], [0, 1, 3]))
    p, q = np.array([2, 1, 2]) / 5, np.array([1, 2, 2]) / 5
    for weights, power in (("linear", 1), ("quadratic", 2)):
        seen = sum(abs(x - y) ** power for x, y in zip(a, b, strict=True)) / 5
        assert value(f"kappa({weights})", a, b) == pytest.approx(1 - seen / (p @ apart**power @ q))


def test_a_grade_that_nobody_gave_leaves_its_gap():
    assert value("kappa(linear)", [0, 1, 3], [0, 3, 3]) == value(
        "kappa(linear)", [0, 1, 3], [0, 3, 3], categories=[0, 1, 2, 3]
    )
    assert value("kappa(linear)", [0, 1, 3], [0, 3, 3]) != value("kappa(linear)", [0, 1, 2], [0, 2, 2])


def test_labels_may_be_words():
    assert value("kappa", list("yynn"), list("ynnn")) == value("kappa", [1, 1, 0, 0], [1, 0, 0, 0]) == 0.5


def test_wilson_is_the_root_of_its_quadratic():
    low, high = wilson(7 / 10, 10, 0.95)
    z = 1.959963984540054
    for end in (low, high):
        assert abs(0.7 - end) == pytest.approx(z * sqrt(end * (1 - end) / 10))
    assert one(Ratings.of(A, B), "raw").interval == pytest.approx((low, high))


labels = st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 5, None])] * 3), min_size=2, max_size=40)


@settings(max_examples=60, deadline=None)
@given(labels)
def test_coefficients_are_at_most_one_and_do_not_care_for_the_order_of_units_or_raters(rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    ratings = Ratings.of(*columns)
    backwards = Ratings.of(*(column[::-1] for column in columns[::-1]))
    if not len(ratings.categories):
        return
    for key in KEYS_OF_ANY:
        a, b = one(ratings, key).value, one(backwards, key).value
        assert a <= 1 + 1e-12 or isnan(a)
        assert a == pytest.approx(b, rel=1e-9, abs=1e-11, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1))
def test_judges_who_give_the_same_agree_perfectly(column):
    ratings = Ratings.of(column, column)
    for key in usual_coefficients(ratings, "linear"):
        assert one(ratings, key).value == pytest.approx(1)


def test_units_that_one_rater_left_out_do_not_count_between_two():
    with_missing = Ratings.of([*A, 1, None, 0], [*B, None, 1, None])
    for key in ("raw", "kappa", "fleiss", "ac1", "alpha", "alpha(ordinal)"):
        assert one(with_missing, key).value == pytest.approx(value(key, A, B), rel=1e-13)
        assert one(with_missing, key).units == 10


def test_a_unit_with_one_label_says_nothing_to_alpha_but_counts_for_the_marginals_of_fleiss():
    columns = [[0, 0, 1, 1, None], [0, 1, 1, 1, None], [0, 0, 1, 0, 1]]
    without = [column[:-1] for column in columns]
    assert value("alpha", *columns) == value("alpha", *without)
    assert value("raw", *columns) == value("raw", *without)
    share = (value_share(without, 1) * 4 + 1) / 5
    chance = share**2 + (1 - share) ** 2
    assert value("fleiss", *columns) == pytest.approx((value("raw", *columns) - chance) / (1 - chance))


def value_share(columns, label):
    return np.mean([[x == label for x in column] for column in columns])


def test_one_category_leaves_kappa_undefined_and_says_why():
    ratings = Ratings.of([1, 1, 1], [1, 1, 1])
    assert one(ratings, "raw").value == 1
    for key in ("kappa", "fleiss", "ac1", "alpha", "alpha(ordinal)", "alpha(interval)"):
        found = one(ratings, key)
        assert isnan(found.value)
        assert found.interval is None
        assert "only one category" in found.reason


def test_three_raters_of_one_category_are_undefined_in_spite_of_rounding():
    ratings = Ratings.of(*[[7] * 11] * 3, categories=[0, 7])
    assert isnan(one(ratings, "fleiss").value)
    assert isnan(one(ratings, "alpha").value)


def test_one_unit_has_a_value_and_no_interval():
    found = one(Ratings.of([1], [0]), "kappa")
    assert found.value == 0
    assert found.interval is None


def test_no_unit_in_common_is_undefined():
    found = one(Ratings.of([1, None], [None, 1]), "raw")
    assert isnan(found.value)
    assert found.reason == "no unit with two labels"


@pytest.mark.parametrize(
    ("columns", "slug"),
    [
        (([1, 2],), "judges"),
        (([1, 2], [1]), "lengths"),
        (([1, "a"], [1, 2]), "label"),
        ((["a"], [1]), "label"),
        (([[1], [2]], [1, 2]), "label"),
        (([[1], [2, 3]], [1, 2]), "label"),
        (([1, float("inf")], [1, 2]), "label"),
        (([{}, 1], [1, 2]), "label"),
        (([{}, 1], [{}, 1]), "label"),
        (([1, "a"], ["a", 1]), "label"),
        ((range(2000), range(2000)), "coefficient"),
    ],
)
def test_columns_that_are_refused(columns, slug):
    refusal(slug, Ratings.of, *columns)


@pytest.mark.parametrize(
    "key", ["kapa", "kappa(", "ac1(linear)", "kappa(own)", "alpha(ratio)", "", "kappa@10", "kappa(p=1)"]
)
def test_coefficients_that_do_not_exist(key):
    with pytest.raises(jd.UsageError):
        parse_coefficient(key, Ratings.of(A, B))


def test_kappa_of_three_is_refused_with_what_to_use_instead():
    with pytest.raises(jd.UsageError, match="fleiss"):
        one(Ratings.of(A, B, A), "kappa")


@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan"), "95%"])
def test_a_confidence_that_is_no_share(confidence):
    refusal("parameter", one, Ratings.of(A, B), "kappa", confidence=confidence)


@pytest.mark.needs("pandas")
def test_missing_labels_are_none_nan_and_empty_text():
    import pandas as pd

    expected = [[0, -1, 1], [0, 1, 1]]
    assert Ratings.of([0, None, 1], [0.0, 1.0, 1.0]).codes.tolist() == expected
    assert Ratings.of(np.array([0, np.nan, 1]), [0, 1, 1]).codes.tolist() == expected
    assert Ratings.of(np.ma.masked_equal([0, 9, 1], 9), [0, 1, 1]).codes.tolist() == expected
    assert Ratings.of(pd.Series([0, None, 1], dtype="Int64"), [0, 1, 1]).codes.tolist() == expected
    assert Ratings.of(["a", "", "b"], ["a", "b", "b"]).codes.tolist() == expected
    assert Ratings.of(["a", None, "b"], [None, None, None]).codes.tolist() == [[0, -1, 1], [-1, -1, -1]]


def test_many_raters_on_many_grades_do_not_overflow_the_patterns():
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 100, (12, 40))
    patterns = Ratings.of(*columns).patterns()
    assert patterns.count.sum() == 40
    assert (patterns.codes[:, patterns.unit] == np.searchsorted(np.unique(columns), columns)).all()


def test_documents_of_one_query_are_not_independent():
    """Judges who agree on whole queries, or not at all: the interval over documents is far too sure."""
    query = np.repeat(np.arange(20), 50)
    rng = np.random.default_rng(6)
    a = rng.integers(0, 2, 1000)
    b = np.where(query % 2, a, 1 - a)
    ratings = Ratings.of(a, b)
    over_queries = one(ratings, "kappa", query=query)
    over_units = one(ratings, "kappa")
    assert over_queries.method == "jackknife over queries, Student's t"
    assert over_queries.error > 5 * over_units.error


def test_one_query_alone_cannot_be_drawn_again():
    assert one(Ratings.of(A, B), "kappa", query=np.zeros(10, int)).method == "bootstrap over units"


def test_the_same_seed_draws_the_same_and_another_does_not():
    rng = np.random.default_rng(7)
    ratings = Ratings.of(*rng.integers(0, 3, (2, 80)))
    first, again, other = (one(ratings, "kappa", seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.interval != other.interval
    assert one(ratings, "kappa", seed=np.random.default_rng(0)) == first


def test_drawing_queries_draws_all_of_their_units():
    patterns = Ratings.of([0, 0, 1, 1, 1], [0, 1, 1, 1, 0]).patterns()
    query = np.array([3, 3, 3, 8, 8])
    for block in _resample(patterns, query, 0):
        assert set(block.sum(axis=1)) <= {4.0, 5.0, 6.0}
    assert sum(len(block) for block in _resample(patterns, query, 0)) == 2000


def test_resamples_without_a_value_are_counted():
    found = one(Ratings.of([1, 1, 1, 0], [1, 1, 1, 0]), "kappa")
    assert found.undefined > 0
    assert found.interval == (1, 1)


def test_values_by_query_are_those_of_each_query_alone():
    rng = np.random.default_rng(8)
    columns, query = rng.integers(0, 3, (2, 90)), np.repeat([4, 7, 9], 30)
    ratings = Ratings.of(*columns)
    keys = ("raw", "kappa", "kappa(quadratic)", "alpha(ordinal)")
    present, size, found = by_query(ratings, [parse_coefficient(key, ratings) for key in keys], query)
    assert present.tolist() == [4, 7, 9]
    assert size.tolist() == [30, 30, 30]
    for i, q in enumerate(present):
        alone = ratings.take(units=query == q)
        for key in keys:
            assert found[key][i] == pytest.approx(one(alone, key).value, rel=1e-12)


def test_a_sample_of_many_counts_gives_what_each_gives_alone():
    rng = np.random.default_rng(9)
    patterns = Ratings.of(*rng.integers(-1, 3, (4, 60)).astype(float)).patterns()
    counts = rng.integers(0, 4, (5, len(patterns.count))).astype(float)
    together = Sample(patterns, counts)
    for i, count in enumerate(counts):
        alone = Sample(patterns, count)
        for name in ("units", "shared", "pairable", "share", "total", "own"):
            assert getattr(together, name)[i] == pytest.approx(getattr(alone, name), rel=1e-13)


def test_every_declared_coefficient_has_a_formula_and_is_usual_somewhere():
    shown = {
        *usual_coefficients(Ratings.of([0, 1, 2], [0, 1, 1]), "linear"),
        *usual_coefficients(Ratings.of([0, 1], [0, 1], [1, 1])),
    }
    for definition in AGREEMENT_COEFFICIENTS:
        assert definition.formula
        assert definition.paper or definition.name == "raw"
        assert any(key.partition("(")[0] == definition.name for key in shown), definition.name


@pytest.mark.parametrize(("options", "slug"), [
    ({"categories": ["a", "b"]}, "label"),  # the labels are numbers
    ({"categories": [0, 2]}, "label"),  # 1 is missing
    ({"categories": [0, 1, "a"]}, "label"),
    ({"names": ["x"]}, "names"),
    ({"names": ["x", "x"]}, "names"),
    ({"names": "xy"}, "names"),
])  # fmt: skip
def test_categories_and_names_that_do_not_fit_are_refused(options, slug):
    refusal(slug, Ratings.of, A, B, **options)
    assert Ratings.of(A, B, categories=[2, 1, 0], names=["x", "y"]).categories == (0, 1, 2)


def test_queries_without_a_unit_that_two_judged_have_no_coefficient():
    ratings = Ratings.of([0, 1, None, None], [None, None, 0, 1])
    queries, units, values = by_query(ratings, [parse_coefficient("alpha", ratings)], np.array([0, 0, 1, 1]))
    assert len(queries) == len(units) == len(values["alpha"]) == 0


def test_a_coefficient_that_no_resample_has_leaves_the_others_their_interval():
    """Without either of the two queries only one category is left, for which kappa is undefined and raw agreement is not."""
    first, second, query = [0, 0, 1, 1], [0, 0, 1, 1], np.array([0, 0, 1, 1])
    ratings = Ratings.of(first, second)
    asked = [parse_coefficient(key, ratings) for key in ("kappa", "raw")]
    found = coefficients(ratings, asked, query=query)
    assert found["kappa"].interval is None
    assert found["raw"].method == "jackknife over queries, Student's t"
    assert found["raw"].value == 1
