"""Pools: the union of the tops of runs, budgets, samples with known probabilities; files of documents to judge."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import judged as jd
from judged.judging.todo import read_todo

A = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}
B = {"q1": {"d3": 9.0, "d1": 8.0, "d4": 7.0}, "q3": {"d9": 1.0}}
LONG = {f"q{q}": {f"d{q}-{i}": float(-i) for i in range(100)} for q in range(5)}


def pairs(todo):
    return [(item.query, item.doc) for item in todo]


def refused(*args, **options):
    with pytest.raises(jd.JudgedError) as error:
        jd.pool(*args, **options)
    return error.value.slug


def test_a_pool_is_the_union_of_the_top_documents_with_their_runs_and_best_ranks():
    todo = jd.pool({"a": A, "b": B}, depth=2)
    assert [(i.query, i.doc, i.rank, i.runs) for i in todo] == [
        ("q1", "d1", 1, ("a", "b")),
        ("q1", "d3", 1, ("b",)),
        ("q1", "d2", 2, ("a",)),
        ("q2", "d1", 1, ("a",)),
        ("q3", "d9", 1, ("b",)),
    ]


def test_the_order_of_the_runs_does_not_matter():
    runs = {"a": A, "b": B, "c": {"q1": {"d2": 1.0, "d4": 0.5}}}
    found = [jd.pool(dict(order), depth=2, sample={1: 1, 2: 0.5}).to_data() for order in permutations(runs.items())]
    assert all(one == found[0] for one in found)


def test_judged_documents_are_left_out():
    assert pairs(jd.pool({"a": A, "b": B}, without={"q1": {"d1": 0, "d3": 2}})) == [
        ("q1", "d2"), ("q1", "d4"), ("q2", "d1"), ("q3", "d9"),
    ]  # fmt: skip


def test_a_pool_that_is_judged_throughout_is_an_error():
    assert refused({"a": A}, without={"q1": {"d1": 0, "d2": 0, "d3": 0}, "q2": {"d1": 0}}) == "runs"


def test_a_budget_takes_the_best_ranks_of_all_queries_first():
    todo = jd.pool([LONG, LONG], depth=50, n=7)
    assert len(todo) == 7
    assert sorted(i.rank for i in todo) == [1] * 5 + [2] * 2


def test_ties_are_broken_by_the_policy():
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert [i.doc for i in jd.pool(run, depth=1)] == ["b"]
    assert [i.doc for i in jd.pool(run, depth=1, ties="id-asc")] == ["a"]


def test_a_sample_keeps_the_probability_of_each_document():
    todo = jd.pool(LONG, depth=100, sample={10: 1, 50: 0.25, 100: 0.1}, seed=3)
    by_stratum = {s: [i for i in todo if i.stratum == s] for s in (10, 50, 100)}
    assert {s: len(items) for s, items in by_stratum.items()} == {10: 5 * 10, 50: 5 * 10, 100: 5 * 5}
    assert {s: {i.probability for i in items} for s, items in by_stratum.items()} == {10: {1.0}, 50: {0.25}, 100: {0.1}}


def test_weighted_by_their_probabilities_the_samples_count_the_pool_on_average():
    counts = [
        sum(1 / i.probability for i in jd.pool(LONG, depth=30, sample={5: 1, 30: 0.3}, seed=s)) for s in range(20)
    ]
    assert np.mean(counts) == pytest.approx(5 * 30)


def test_a_budget_reduces_the_shares_below_one():
    todo = jd.pool(LONG, depth=100, sample={10: 1, 100: 0.5}, n=100)
    assert sum(i.stratum == 10 for i in todo) == 50
    assert len(todo) == 100


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"depth": 0}, "parameter"), ({"n": 0}, "parameter"), ({"sample": {10: 1}}, "parameter"), ({"sample": {}}, "parameter"),
        ({"sample": {20: 0}}, "parameter"), ({"sample": {20: 1.5}}, "parameter"), ({"sample": {10: 1, 20: 0.5}, "n": 3}, "parameter"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused(options, slug):
    assert refused(LONG, **options) == slug


@pytest.mark.parametrize("name", ["todo.jsonl", "todo.csv", "todo.jsonl.gz"])
def test_a_file_of_documents_to_judge_is_read_back(tmp_path, name):
    todo = jd.pool({"a": A, "b": B}, depth=2, sample={1: 1, 2: 0.5})
    todo.save(tmp_path / name)
    assert read_todo(tmp_path / name).items == todo.items


def test_any_table_with_queries_and_documents_can_be_judged():
    assert pairs(read_todo([{"qid": "q", "docno": "a"}, {"qid": "q", "docno": "b"}])) == [("q", "a"), ("q", "b")]


def test_a_document_that_is_listed_twice_is_an_error():
    with pytest.raises(jd.DataError) as error:
        read_todo([{"qid": "q", "docno": "a"}] * 2)
    assert error.value.slug == "duplicate-doc"
