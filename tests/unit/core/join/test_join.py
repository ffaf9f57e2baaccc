"""The join against the plainest possible one: sort every ranking, look every document up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judged as jd

DOCS = [f"d{i}" for i in range(12)] + ["D" * 70, "é", "d1 x"]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.0, -1.5, 1e-300, 1 + 2**-40])
RANKING = st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=15)
JUDGMENTS = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=10)
QUERIES = st.sampled_from(["1", "10", "2", "q", "ä", "Q" * 80])
RUNS = st.dictionaries(QUERIES, RANKING, min_size=1, max_size=5)
QRELS = st.dictionaries(QUERIES, JUDGMENTS, min_size=1, max_size=5)


def naive(qrels, run, ties):
    """(query, rank, grade) of every judged document, by sorting."""
    found = []
    for query in sorted(qrels, key=str.encode):
        docs = list(run.get(query, {}).items())
        if ties != "input":
            docs.sort(key=lambda pair: pair[0].encode(), reverse=ties == "id-desc")
        docs.sort(key=lambda pair: -pair[1])
        found += [(query, r, qrels[query][d]) for r, (d, _) in enumerate(docs, 1) if d in qrels[query]]
    return found


def seen(judged):
    return [
        (judged.queries[q], r, g)
        for q, r, g in zip(judged.query.tolist(), judged.rank.tolist(), judged.grade.tolist(), strict=True)
    ]


@pytest.mark.parametrize("ties", ["id-desc", "id-asc", "input"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(qrels=QRELS, run=RUNS)
def test_hits_are_those_of_a_plain_sort(ties, qrels, run):
    if not set(qrels) & set(run):
        with pytest.raises(jd.DataError):
            jd.join(qrels, run, ties=ties)
        return
    judged = jd.join(qrels, run, ties=ties)
    assert judged.queries == tuple(sorted(qrels, key=str.encode))
    assert seen(judged) == naive(qrels, run, ties)
    assert judged.retrieved.tolist() == [len(run.get(q, {})) for q in judged.queries]
    assert judged.answered.tolist() == [q in run for q in judged.queries]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(qrels=QRELS, run=RUNS)
def test_best_and_worst_case_enclose_every_order_of_ties(qrels, run):
    if not set(qrels) & set(run):
        return
    values = {
        t: jd.evaluate(qrels, run, "nDCG", ties=t)["nDCG"] for t in ("best", "worst", "id-desc", "id-asc", "expected")
    }
    for ties in ("id-desc", "id-asc", "expected"):
        assert (values["worst"] <= values[ties] + 1e-12).all()
        assert (values[ties] <= values["best"] + 1e-12).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(qrels=QRELS, run=RUNS)
def test_rows_in_any_order_and_queries_that_come_back_give_the_same(qrels, run):
    if not set(qrels) & set(run):
        return
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    if not any(q in qrels for q, _, _ in rows):
        return
    mixed = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    assert seen(jd.join(qrels, mixed)) == seen(jd.join(qrels, run))


def test_integer_queries_are_in_numeric_order():
    judged = jd.join({10: {1: 1}, 2: {1: 1}}, {2: [1], 10: [1]})
    assert judged.queries == (2, 10)
