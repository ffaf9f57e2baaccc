"""Sums within segments: sequential, blind to the neighbours, and the same from the native core."""

from importlib.util import find_spec, module_from_spec
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged.core import segments


def without_native():
    """Return a copy of the module that uses NumPy only."""
    spec = find_spec("judged.core.segments")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.native = None
    return module


reference = without_native()
SEGMENTS = st.lists(st.lists(st.floats(-1e6, 1e6), max_size=9), min_size=1, max_size=6)
BOTH = pytest.mark.parametrize("chosen", [reference, segments], ids=["reference", "in use"])


def flat(lists):
    return np.array([x for s in lists for x in s], dtype=float), np.array([len(s) for s in lists], dtype=np.int64)


@BOTH
@given(lists=SEGMENTS)
def test_totals_are_added_from_the_first_to_the_last(chosen, lists):
    x, sizes = flat(lists)
    owner = np.repeat(np.arange(len(lists)), sizes)
    wanted = [list(accumulate(s, initial=0.0))[-1] for s in lists]
    assert chosen.total(x, owner, len(lists)).tolist() == wanted
    assert chosen.total(x > 0, owner, len(lists)).tolist() == [sum(y > 0 for y in s) for s in lists]


@BOTH
@given(lists=SEGMENTS)
def test_running_sums_are_pythons_own_bit_for_bit(chosen, lists):
    x, sizes = flat(lists)
    assert chosen.running(x, sizes).tolist() == [y for s in lists for y in accumulate(s)]
    whole = chosen.running(x > 0, sizes)
    assert whole.dtype == np.int64
    assert whole.tolist() == [y for s in lists for y in accumulate(v > 0 for v in s)]


@BOTH
@given(lists=SEGMENTS)
def test_products_before_are_pythons_own_bit_for_bit(chosen, lists):
    x, sizes = flat(lists)
    through = [list(accumulate(s, lambda a, b: a * b)) for s in lists]
    assert chosen.product_before(x, sizes).tolist() == [y for t in through for y in [1.0, *t][: len(t)]]


@BOTH
@given(lists=SEGMENTS)
def test_the_first_is_the_first_of_its_segment(chosen, lists):
    x, sizes = flat(lists)
    owner, rank = np.repeat(np.arange(len(lists)), sizes), segments.positions(sizes) + 1
    wanted = [next((i + 1.0 for i, y in enumerate(s) if y > 0), np.inf) for s in lists]
    assert chosen.first(x > 0, owner, rank, len(lists)).tolist() == wanted


@BOTH
def test_one_long_segment_beside_many_short_ones_needs_little_memory(chosen):
    sizes = np.array([100_000, *[1] * 1_000], dtype=np.int64)
    x = np.ones(int(sizes.sum()))
    assert chosen.running(x, sizes)[99_999] == 100_000


def test_the_native_primitives_refuse_segments_that_do_not_fit():
    if segments.native is None:
        return
    with pytest.raises(IndexError, match="segment"):
        segments.total(np.ones(2), np.array([0, 5]), 2)
    for sizes in ([1], [3], [-1, 3]):
        with pytest.raises(IndexError, match="segments"):
            segments.running(np.ones(2), np.array(sizes))


FEW = st.sampled_from([0.0, 1.0, 1.5, 2.0])
LISTS = st.lists(st.lists(st.tuples(FEW | st.floats(-1e6, 1e6), FEW), max_size=9), min_size=1, max_size=6)


@BOTH
@pytest.mark.parametrize("sign", [0, 1, -1])
@given(lists=LISTS, depth=st.integers(1, 10))
def test_the_first_elements_are_those_of_a_complete_sort(chosen, sign, lists, depth):
    score, sizes = flat([[s for s, _ in items] for items in lists])
    grade, _ = flat([[g for _, g in items] for items in lists])
    order, place, tie_first, tie_last, grades = chosen.top(score, grade, sizes, depth, sign)
    start, wanted, ties = 0, [], []
    for items in lists:
        ranked = sorted(range(len(items)), key=lambda i: (-items[i][0], -sign * items[i][1]))
        wanted += [start + i for i in ranked[:depth]]
        scores = [items[i][0] for i in ranked]
        ties += [(scores.index(one) + 1, scores.index(one) + scores.count(one)) for one in scores[:depth]]
        assert grades[start : start + len(items)].tolist() == sorted((g for _, g in items), reverse=True)
        start += len(items)
    assert order.tolist() == wanted
    assert list(zip(tie_first.tolist(), tie_last.tolist(), strict=True)) == ties
    assert grades[place].tolist() == grade[order].tolist()
    assert len(set(place.tolist())) == len(place)


def test_many_first_elements_are_the_same_from_the_native_core():
    random = np.random.default_rng(0)
    sizes = np.array([0, 300, 1, 150, 70])
    score, grade = random.integers(0, 40, sizes.sum()).astype(float), random.integers(0, 4, sizes.sum()).astype(float)
    for depth in (1, 64, 65, 100, 300):
        for sign in (-1, 0, 1):
            for ours, theirs in zip(
                reference.top(score, grade, sizes, depth, sign),
                segments.top(score, grade, sizes, depth, sign),
                strict=True,
            ):
                np.testing.assert_array_equal(ours, theirs)
