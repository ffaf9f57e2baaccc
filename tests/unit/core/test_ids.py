"""Ids as bytes: equality, hash and order are those of Python's bytes."""

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judged.core.tables import IdColumn

IDS = st.lists(
    st.binary(max_size=20).filter(lambda b: 0 not in b)
    | st.binary(min_size=60, max_size=70).filter(lambda b: 0 not in b),
    max_size=20,
)


@given(ids=IDS)
def test_ids_come_back_as_they_went_in(ids):
    text = IdColumn.of(ids)
    assert text.tolist() == ids
    assert [text[i] for i in range(len(text))] == ids


@given(ids=IDS)
def test_equal_ids_have_equal_hashes_and_different_ones_different(ids):
    codes = IdColumn.of(ids).hash().tolist()
    for a, x in zip(ids, codes, strict=True):
        for b, y in zip(ids, codes, strict=True):
            assert (a == b) == (x == y)


@given(ids=IDS)
def test_same_is_equality_of_bytes(ids):
    text = IdColumn.of(ids)
    rows = np.arange(len(ids))
    for shift in range(len(ids)):
        other = np.roll(rows, shift)
        assert text.same(rows, text, other).tolist() == [ids[i] == ids[j] for i, j in zip(rows, other, strict=True)]


@given(ids=IDS)
def test_order_is_that_of_the_bytes_and_stable(ids):
    text = IdColumn.of(ids)
    assert text.order().tolist() == sorted(range(len(ids)), key=ids.__getitem__)
    group = np.array([len(i) % 2 for i in ids], dtype=np.int64)
    assert text.order(group).tolist() == sorted(range(len(ids)), key=lambda i: (group[i], ids[i]))


def test_an_id_at_the_end_of_the_buffer_is_read_whole():
    text = IdColumn.of([b"a", b"0123456789abcdef"])
    assert text.take(np.array([1]))[0] == b"0123456789abcdef"
    assert text.same(np.array([1]), IdColumn.of([b"0123456789abcdef"]), np.array([0])).all()


@given(ids=IDS, seed=st.integers(0, 9))
def test_compact_ids_are_the_same_in_a_buffer_of_their_own(ids, seed):
    text = IdColumn.of(ids)
    rows = np.random.default_rng(seed).permutation(len(ids))[: len(ids) // 2]
    compact = text.take(rows).compact()
    assert compact.tolist() == [ids[i] for i in rows]
    assert len(compact.buffer) == sum(len(ids[i]) for i in rows) + 8


def test_copying_ids_takes_no_memory_per_byte():
    count, size = 1 << 19, 16
    start = np.arange(0, count * size, size)[::-1]
    text = IdColumn(np.ones(count * size + 8, np.uint8), start, np.full(count, size))
    tracemalloc.start()
    try:
        compact = text.compact()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert compact[count - 1] == text[count - 1]
    assert peak < 8 * count * size  # what the positions of all bytes would take
