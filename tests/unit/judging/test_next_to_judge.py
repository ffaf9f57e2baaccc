"""What to judge next: the effect of each unjudged document, strategies, and whether the verdict can change."""

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.judging.next_documents import find_unjudged, possible_changes, values_if

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
A = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"y": 2.0, "c": 1.0}}
B = {"q1": {"x": 3.0, "z": 2.0, "a": 1.0}, "q2": {"c": 2.0, "y": 1.0}}
MEASURES = "P@2 AP nDCG@3 RR Bpref RBP ERR@5 R@2"


def board(measures="P@2", qrels=QRELS, runs=None, **options):
    return jd.compare(qrels, runs or {"A": A, "B": B}, measures, **options)


def judged_also(query, doc, grade):
    return {q: {**docs, **({doc: grade} if q == query else {})} for q, docs in QRELS.items()}


@pytest.mark.parametrize("measure", MEASURES.split())
def test_the_change_of_a_document_is_that_of_judging_it(measure):
    found = board(measure)
    sources = [result.source for result in found.results]
    docs = find_unjudged(sources, 5)
    change = possible_changes(found.results[0].measures[0], [s.judged for s in sources], docs, 2)
    for row, doc in enumerate(docs.doc):
        query = docs.queries[docs.query[row]]
        for at, run in enumerate((A, B)):
            high, low = (
                jd.evaluate(judged_also(query, doc, g), run, measure)[measure][docs.query[row]] for g in (2, 0)
            )
            assert change[row, at] == pytest.approx(high - low, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES.split())
def test_values_with_all_documents_judged_are_those_of_judging_them(measure):
    found = board(measure)
    docs = find_unjudged([result.source for result in found.results], 5)
    grade = np.arange(len(docs)) % 3.0
    qrels = {q: dict(d) for q, d in QRELS.items()}
    for row, doc in enumerate(docs.doc):
        qrels[docs.queries[docs.query[row]]][doc] = grade[row]
    for at, run in enumerate((A, B)):
        values = values_if(
            found.results[at].measures[0], found.results[at].source.judged, docs, docs.rank[:, at], grade
        )
        assert values == pytest.approx(jd.evaluate(qrels, run, measure)[measure], abs=1e-12)


def test_a_document_that_only_one_run_retrieves_comes_first():
    todo = board("P@2").next_to_judge(strategy="bounds")
    assert (todo.items[0].query, todo.items[0].doc, todo.items[0].runs) == ("q1", "z", ("B",))
    assert todo.items[0].reason == f"can move the difference by {1 / 2 / 2:.4f}"


def test_judged_documents_and_those_below_the_cutoff_are_not_proposed():
    assert {item.doc for item in board("P@1").next_to_judge()} == {"x", "y"}
    assert {item.doc for item in board("AP").next_to_judge()} == {"x", "y", "z"}


@pytest.mark.parametrize("strategy", ["depth", "bounds"])
def test_every_strategy_orders_all_documents(strategy):
    todo = board("AP").next_to_judge(strategy=strategy)
    assert sorted(item.doc for item in todo) == ["x", "y", "z"]
    assert [item.doc for item in board("AP").next_to_judge(2, strategy=strategy)] == [i.doc for i in todo.items[:2]]


def many(wins, unjudged):
    """Twenty queries; B is better on some of them, and both retrieve unjudged documents."""
    qrels = {f"q{i}": {"good": 1, "bad": 0} for i in range(20)}
    a = {q: {"bad": 3.0, "good": 2.0} for q in qrels}
    b = {q: {"good": 3.0, "bad": 2.0} if i < wins else dict(a[q]) for i, q in enumerate(qrels)}
    for i in range(unjudged):
        a[f"q{i}"]["new"] = 4.0
    return qrels, {"A": a, "B": b}


def test_no_unjudged_document_can_change_a_verdict_without_any():
    qrels, runs = many(20, 0)
    todo = jd.compare(qrels, runs, "P@1").next_to_judge()
    assert not len(todo)
    assert todo.answer == "No unjudged document can change this verdict."


@pytest.mark.parametrize("measure", ["P@1", "FirstHit"])  # of the second, lower is better
def test_many_unjudged_documents_can_turn_a_verdict_and_a_few_cannot_change_a_clear_one(measure):
    few, several = (jd.compare(*many(wins, unjudged), measure) for wins, unjudged in ((19, 1), (12, 20)))
    assert few.rows[0].verdict == several.rows[0].verdict == "better"
    assert few.next_to_judge().answer.startswith("No unjudged document can change this verdict.")
    assert "in favour of A: B worse" in several.next_to_judge().answer  # A has them first: 20 to 12


def test_what_cannot_be_proposed_is_refused():
    refusal("parameter", board().next_to_judge, strategy="best")
    refusal("unjudged-run", board(unjudged="condensed").next_to_judge)


def test_saved_results_have_no_documents_to_judge(tmp_path):
    results = {}
    for name, run in (("A", A), ("B", B)):
        jd.evaluate(QRELS, run, "P@2").save(tmp_path / f"{name}.json")
        results[name] = jd.load(tmp_path / f"{name}.json")
    refusal("unjudged-run", lambda: jd.compare(results).next_to_judge())


def test_clusters_and_weights_of_the_comparison_decide_about_its_verdict():
    qrels, runs = many(19, 0)
    runs["A"]["q19"]["new"] = 4.0
    one = dict.fromkeys(qrels, "user")
    apart = {q: ("u" if i < 19 else "v") for i, q in enumerate(qrels)}
    for options in ({"clusters": apart}, {"weights": {q: 1.0 + (q == "q3") for q in qrels}}):
        found = jd.compare(qrels, runs, "P@1", **options)
        assert found.rows[0].verdict in found.next_to_judge().answer
    assert jd.compare(qrels, runs, "P@1", clusters=one).rows[0].verdict == "too few queries"


def test_a_measure_with_its_own_order_of_ties_is_seen_in_that_order():
    qrels = {f"q{i}": {"b": 1, "z": 0} for i in range(12)}
    run = {q: {"b": 1.0, "c": 1.0} for q in qrels}
    other = {q: {"b": 2.0, "x": 1.0} for q in qrels}
    for ties in ("id-asc", "id-desc"):
        board_ = jd.compare(qrels, {"A": run, "B": other}, "P@1", ties=ties)
        assert {item.doc for item in board_.next_to_judge()} == (set() if ties == "id-asc" else {"c"})


def test_documents_with_the_best_ranks_come_first_unless_a_strategy_is_named():
    plain, depth = (board("P@2").next_to_judge(**options) for options in ({}, {"strategy": "depth"}))
    assert plain.items == depth.items
    assert [item.rank for item in plain] == sorted(item.rank for item in plain)


def test_a_measure_without_unjudged_documents_cannot_say_what_to_judge():
    error = refusal("unjudged-run", board("nDCG(judged_only=True)@3").next_to_judge)
    assert "leaves unjudged documents out" in str(error)
    assert "Use nDCG@3." in str(error)
