"""The pool that the native core sorts against that of the reference: the same bits, warnings and errors."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judged as jd
from judged.core import pool
from judged.core.policy import Policy

pytestmark = pytest.mark.needs("native")

ids = st.one_of(
    st.integers(0, 300).map("doc{}".format), st.integers(0, 99).map("prefix-of-many-bytes-{:05d}".format), st.text("ab", min_size=1, max_size=3),
    st.sampled_from(["x" * 15, "x" * 16, "x" * 17, "x" * 70, "x" * 70 + "y", "é", "è"]),
)  # fmt: skip
grades = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1.0, 0.5]), st.floats(-100, 100))


def outcome(qrels, policy):
    qrels.results.clear()  # which would keep the pool
    try:
        made = pool.pool_of(qrels, policy)
    except jd.JudgedError as error:
        return str(error)
    columns = [
        made.query.tolist(),
        made.grade.tobytes(),
        made.doc.tolist(),
        made.ids.tolist(),
        made.queries,
        made.warnings,
    ]
    return [column.dtype for column in (made.query, made.grade)], columns


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.tuples(st.sampled_from(["q1", "q10", "q2", "é"]), ids, grades), min_size=1, max_size=200),
    once=st.booleans(), rejudged=st.sampled_from(["error", "max", "last"]),
)  # fmt: skip
def test_judgments_are_sorted_as_the_reference_sorts_them(rows, once, rejudged):
    rows = list({row[:2]: row for row in rows}.values()) if once else rows
    qrels, policy = jd.read_qrels(rows), Policy(rejudged=rejudged)
    seen = outcome(qrels, policy)
    with mock.patch.object(pool, "native", None):
        assert seen == outcome(qrels, policy)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    queries=st.lists(ids | st.text(min_size=1, max_size=20), min_size=1, unique=True)
    | st.lists(st.integers(-(10**25), 10**25) | st.integers(-20, 20), min_size=1, unique=True),
    bare=st.sets(st.integers(0, 9)),
)
def test_queries_are_ordered_as_the_reference_orders_them(queries, bare):
    judgments = {query: {"a": 1, "b": 0} if i not in bare else {} for i, query in enumerate(queries)}
    try:
        qrels = jd.read_qrels({**judgments, queries[0]: {"a": 1}})
    except jd.JudgedError:
        return  # an id that no input may have
    seen = outcome(qrels, Policy())
    with mock.patch.object(pool, "native", None):
        assert seen == outcome(qrels, Policy())


@pytest.mark.parametrize(
    "form", ["d{:07d}", "{}", "x{}", "clueweb12-{:04d}-wb", "{:x}", "{0}-{0}", "long-common-beginning-{}é"]
)
def test_many_judgments_of_one_query_are_sorted_by_grade_and_id(form):
    numbers = np.random.default_rng(0).permutation(3000)
    rows = [("q", form.format(number), float(number % 5)) for number in numbers.tolist()]
    made = pool.pool_of(jd.read_qrels(rows), Policy())
    expected = sorted(rows, key=lambda row: (-row[2], row[1].encode()))
    assert made.doc.tolist() == [row[1].encode() for row in expected]
    assert made.grade.tolist() == [row[2] for row in expected]
    with pytest.raises(jd.DataError, match="two grades"):
        pool.pool_of(jd.read_qrels([*rows, ("q", form.format(7), 9.0)]), Policy())
