"""Letters of systems: two share one exactly where they do not differ."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged.errors import DataError
from judged.stats.letters import letters


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 9).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.booleans(), min_size=k * k, max_size=k * k), st.permutations(range(k)))))  # fmt: skip
def test_systems_share_a_letter_exactly_where_they_do_not_differ(made):
    k, flags, order = made
    upper = np.triu(np.array(flags).reshape(k, k), 1)
    apart = upper | upper.T
    found = letters(apart, order)
    for a in range(k):
        assert found[a]
        for b in range(k):
            if a != b:
                assert bool(set(found[a]) & set(found[b])) == (not apart[a, b])
    assert "a" in found[order[0]]


def test_no_letter_is_idle():
    """A ring of five: five edges need five letters; a chain of intervals needs as many as it has maximal groups."""
    ring = np.ones((5, 5), bool) & ~np.eye(5, dtype=bool)
    for i in range(5):
        ring[i, (i + 1) % 5] = ring[(i + 1) % 5, i] = False
    assert len(set("".join(letters(ring)))) == 5
    values = np.array([0, 1, 2, 3, 4.0])
    chain = np.abs(values[:, None] - values) > 1.5
    assert letters(chain) == ("a", "ab", "bc", "cd", "d")


def test_more_than_52_letters_stay_apart():
    apart = ~np.eye(60, dtype=bool)
    found = letters(apart)
    assert len(set(found)) == 60
    assert found[:2] + found[26:27] + found[52:53] == ("a", "b", "A", "a2")


@pytest.mark.parametrize("bad", [[[0, 1], [0, 0]], [[0, 1, 0]], [[0.5]], []])
def test_letters_need_a_symmetric_table(bad):
    with pytest.raises(DataError):
        letters(bad)


def test_letters_follow_the_order_of_the_systems():
    """The best has an a; the first letters of the systems, from the best, come in the order of the alphabet."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        k = int(rng.integers(2, 8))
        apart = np.triu(rng.random((k, k)) < 0.6, 1)
        order = rng.permutation(k).tolist()
        found = letters(apart | apart.T, order)
        first = [found[i][0] for i in order]
        assert first[0] == "a"
        new = list(dict.fromkeys("".join(found[i] for i in order)))
        assert new == sorted(new)
