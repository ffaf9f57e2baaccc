"""Measures, gains and discounts that are functions of the user."""

import math
import pickle
from functools import partial

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.errors import UsageError
from judged.measures import parse
from judged.measures.registry import MEASURES

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": -1, "x": 2}, "r": {"a": 1}}
RUN = {"q": ["b", "a", "d", "c"], "r": ["b", "a"]}


def cubed(grade):
    return grade**3


def root(rank):
    return math.sqrt(rank)


def value(*measures):
    return jd.evaluate(QRELS, RUN, list(measures))


def test_a_gain_function_gives_the_gain_of_each_grade():
    dcg = 27 / np.log2(3) + 1 / np.log2(5)
    ideal = 27 + 8 / np.log2(3) + 1 / 2
    assert value(jd.measures.DCG(gain=cubed))["DCG(gain=cubed())"][0] == pytest.approx(dcg)
    assert value(jd.measures.nDCG(gain=cubed))["nDCG(gain=cubed())"][0] == pytest.approx(dcg / ideal)


def test_a_discount_function_gives_the_divisor_at_each_rank():
    measure = jd.measures.nDCG(discount=root) @ 3
    assert str(measure) == "nDCG(discount=root())@3"
    ideal = 3 + 2 / math.sqrt(2) + 1 / math.sqrt(3)
    assert value(measure)[measure].tolist() == pytest.approx([3 / math.sqrt(2) / ideal, 1 / math.sqrt(2)])


def test_functions_that_repeat_named_conventions_give_their_values():
    for name, params in (
        ("DCG", {"gain": "exp"}),
        ("nDCG", {"discount": "rank"}),
        ("Q", {"gain": "exp"}),
        ("nERR", {}),
    ):
        own = {"gain": lambda g: 2**g - 1} if params != {"discount": "rank"} else {"discount": lambda r: r}
        ours, theirs = parse(name)(**own), parse(name)(**params)
        assert value(ours)[ours] == pytest.approx(value(theirs)[theirs])


def test_a_function_decides_about_grade_0_but_not_about_documents_without_a_grade():
    measure = jd.measures.CG(gain=lambda g: g + 1)
    assert value(measure)[measure][0] == (0 + 1) + (3 + 1) + (1 + 1)  # d has a negative grade: not judged


def test_a_function_is_called_once_for_each_grade_and_never_for_negative_ones():
    seen = []

    def gain(grade):
        seen.append(grade)
        return grade

    value(jd.measures.nDCG(gain=gain), jd.measures.DCG(gain=gain))
    assert sorted(set(seen)) == [0, 1, 2, 3]
    assert len(seen) <= 2 * 4  # by two measures


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"gain": lambda g: -g}, "function(3)"),
        ({"gain": lambda g: math.nan}, "finite"),
        ({"gain": lambda g: math.inf}, "finite"),
        ({"discount": lambda r: 0.0}, "> 0"),
        ({"discount": lambda r: 1 / r}, "fall"),
        ({"discount": lambda r: math.nan}, "finite"),
        ({"gain": lambda g: "x"}, "function"),
        ({"gain": lambda g: "2"}, "function"),
        ({"gain": lambda g: 10**400}, "function"),
        ({"gain": lambda g: None}, "function"),
        ({"discount": lambda r: None}, "function"),
    ],
)
def test_wrong_values_of_functions_are_refused(params, word):
    caught = refusal("parameter", value, jd.measures.nDCG(**params))
    assert word in str(caught)


def test_two_functions_of_the_same_name_are_refused():
    refusal("parameter", value, jd.measures.nDCG(gain=lambda g: g), jd.measures.nDCG(gain=lambda g: 2 * g))
    assert str(jd.measures.nDCG(gain=partial(pow, 2))) == "nDCG(gain=function())"


def test_a_printed_name_is_read_again_but_cannot_be_computed():
    measure = parse("nDCG(gain=cubed())@10")
    assert str(measure) == str(jd.measures.nDCG(gain=cubed) @ 10)
    assert refusal("parameter", value, measure).value == "cubed"
    with pytest.raises(UsageError):
        parse("nDCG(gain=cubed)@10")


def test_values_by_a_function_are_saved_pickled_compared_and_explained(tmp_path):
    measure = jd.measures.nDCG(gain=cubed)
    found = value(measure)
    found.save(tmp_path / "v.json")
    assert jd.load(tmp_path / "v.json").mean() == found.mean()
    assert pickle.loads(pickle.dumps(found)).mean() == found.mean()
    board = jd.compare(QRELS, {"x": RUN, "y": {"q": ["a"], "r": ["a"]}}, [measure])
    assert board.where("nDCG(gain=cubed())")[0].query in QRELS
    assert "27" in str(found.explain(measure, "q"))


def test_arrays_take_functions_too():
    ours = jd.metrics.ndcg([3, 0, 1], [1, 3, 2], gain=cubed, discount=root)
    assert ours == pytest.approx((1 / math.sqrt(2) + 27 / math.sqrt(3)) / (27 + 1 / math.sqrt(2)))


def test_a_measure_without_a_name_has_that_of_its_function():
    @jd.measure
    def depth_of(j):
        """Number of retrieved documents."""
        return j.retrieved

    @jd.measure(aliases=("twice_the_depth",))
    def double_depth(j):
        """Twice that."""
        return 2 * j.retrieved

    try:
        assert depth_of.__name__ == "depth_of"
        assert value("depth_of", "twice_the_depth").to_dict()["q"] == {"depth_of": 4, "double_depth": 8}
        assert jd.measures.registry.parse_all([depth_of, "AP"]) == jd.measures.registry.parse_all("depth_of AP")
        assert "retrieved" in str(jd.describe("depth_of"))
    finally:
        for name in ("depth_of", "double_depth"):
            MEASURES.discard(name)


def test_a_function_with_the_name_of_a_measure_is_refused_at_once():
    def ndcg(j):
        """Another one."""
        return j.retrieved

    refusal("parameter", jd.measure, ndcg)
