"""Pools: the union of the tops of runs, budgets; files of documents to judge."""

from itertools import permutations

import pytest
from refusals import refusal

import judged as jd
from judged.judging.todo import read_todo

A = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}
B = {"q1": {"d3": 9.0, "d1": 8.0, "d4": 7.0}, "q3": {"d9": 1.0}}
LONG = {f"q{q}": {f"d{q}-{i}": float(-i) for i in range(100)} for q in range(5)}


def pairs(todo):
    return [(item.query, item.doc) for item in todo]


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
    found = [jd.pool(dict(order), depth=2).to_data() for order in permutations(runs.items())]
    assert all(one == found[0] for one in found)


def test_judged_documents_are_left_out():
    assert pairs(jd.pool({"a": A, "b": B}, without={"q1": {"d1": 0, "d3": 2}})) == [
        ("q1", "d2"), ("q1", "d4"), ("q2", "d1"), ("q3", "d9"),
    ]  # fmt: skip


def test_a_budget_takes_the_best_ranks_of_all_queries_first():
    todo = jd.pool([LONG, LONG], depth=50, n=7)
    assert len(todo) == 7
    assert sorted(i.rank for i in todo) == [1] * 5 + [2] * 2


def test_ties_are_broken_by_the_policy():
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert [i.doc for i in jd.pool(run, depth=1)] == ["b"]
    assert [i.doc for i in jd.pool(run, depth=1, ties="id-asc")] == ["a"]


def test_wrong_settings_and_a_pool_that_is_judged_throughout_are_refused():
    refusal("parameter", jd.pool, LONG, depth=0)
    refusal("parameter", jd.pool, LONG, n=0)
    refusal("runs", jd.pool, {"a": A}, without={"q1": {"d1": 0, "d2": 0, "d3": 0}, "q2": {"d1": 0}})


@pytest.mark.parametrize("name", ["todo.jsonl", "todo.csv", "todo.jsonl.gz"])
def test_a_file_of_documents_to_judge_is_read_back(tmp_path, name):
    todo = jd.pool({"a": A, "b": B}, depth=2)
    todo.save(tmp_path / name)
    assert read_todo(tmp_path / name).items == todo.items


def test_any_table_with_queries_and_documents_can_be_judged():
    assert pairs(read_todo([{"qid": "q", "docno": "a"}, {"qid": "q", "docno": "b"}])) == [("q", "a"), ("q", "b")]


def test_a_document_that_is_listed_twice_is_an_error_and_so_is_an_empty_list():
    refusal("duplicate-doc", read_todo, [{"qid": "q", "docno": "a"}] * 2)
    refusal("runs", read_todo, [])
