"""Sums within segments: sequential, and blind to the neighbours."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judged.core import segment

SEGMENTS = st.lists(st.lists(st.floats(-1e6, 1e6), max_size=9), min_size=1, max_size=6)


def flat(segments):
    return np.array([x for s in segments for x in s], dtype=float), np.array([len(s) for s in segments], dtype=np.int64)


@given(segments=SEGMENTS)
def test_totals_are_added_from_the_first_to_the_last(segments):
    x, sizes = flat(segments)
    owner = np.repeat(np.arange(len(segments)), sizes)
    wanted = [list(accumulate(s, initial=0.0))[-1] for s in segments]
    assert segment.total(x, owner, len(segments)).tolist() == wanted


@given(segments=SEGMENTS)
def test_running_sums_are_pythons_own_bit_for_bit(segments):
    x, sizes = flat(segments)
    wanted = [y for s in segments for y in accumulate(s)]
    assert segment.accumulate(np.add, x, sizes).tolist() == wanted


@given(segments=SEGMENTS)
def test_running_products_are_pythons_own_bit_for_bit(segments):
    x, sizes = flat(segments)
    wanted = [y for s in segments for y in accumulate(s, lambda a, b: a * b)]
    assert segment.accumulate(np.multiply, x, sizes).tolist() == wanted


def test_one_long_segment_beside_many_short_ones_needs_little_memory():
    sizes = np.array([100_000, *[1] * 1_000], dtype=np.int64)
    x = np.ones(int(sizes.sum()))
    assert segment.accumulate(np.add, x, sizes)[99_999] == 100_000
