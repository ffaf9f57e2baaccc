"""The first k of each row: against a plain sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from judged.errors import DataError
from judged.recommenders.lists import top_of_dense, top_of_sparse

MATRIX = st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, -1.0, -np.inf]), min_size=n, max_size=n), min_size=1, max_size=5))  # fmt: skip

NONE = np.empty((2, 0), int)


def brute(matrix, k, hidden=frozenset()):
    rows = []
    for u, row in enumerate(matrix):
        left = [(-s, i) for i, s in enumerate(row) if s > -np.inf and (u, i) not in hidden]
        rows += [(u, i, -s) for s, i in sorted(left)[:k]]
    return rows


def listed(rows):
    return list(zip(*(x.tolist() for x in rows), strict=True))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(matrix=MATRIX, k=st.integers(1, 7), data=st.data())
def test_the_first_k_are_those_of_a_sort_with_equal_scores_by_column(matrix, k, data):
    scores = np.array(matrix)
    hidden = data.draw(st.sets(st.tuples(st.integers(0, len(matrix) - 1), st.integers(0, scores.shape[1] - 1))))

    seen = np.array(sorted(hidden), int).reshape(-1, 2).T
    assert listed(top_of_dense(scores, k, seen)) == brute(matrix, k, hidden)
    stored = [[score or -np.inf for score in row] for row in matrix]  # a sparse matrix has no cell for 0
    assert listed(top_of_sparse(sparse.csr_array(scores), k, seen)) == brute(stored, k, hidden)


def test_blocks_do_not_change_the_result(monkeypatch):
    scores = np.random.default_rng(0).integers(0, 5, size=(20, 9))
    whole = listed(top_of_dense(scores, 4, NONE))
    monkeypatch.setattr("judged.recommenders.lists._CELLS", 27)
    assert listed(top_of_dense(scores, 4, NONE)) == whole == brute(scores.tolist(), 4)


def test_of_a_sparse_matrix_only_what_is_stored_is_recommended():
    matrix = sparse.csr_array(np.array([[0, 3, 0, 1], [0, 0, 0, 0], [2, 2, 0, 2]], dtype=float))
    found = top_of_sparse(matrix, 2, NONE)
    assert listed(found) == [(0, 1, 3), (0, 3, 1), (2, 0, 2), (2, 1, 2)]


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_nan_is_refused_with_its_place(kind):
    scores = np.array([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(DataError, match=r"row 1, column 0.*\[score-nan\]"):
        top_of_dense(scores, 1, NONE) if kind == "dense" else top_of_sparse(sparse.csr_array(scores), 1, NONE)
