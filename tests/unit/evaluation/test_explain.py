"""`explain`: the steps are the measure's own numbers."""

from dataclasses import replace
from math import log2

import pytest
from refusals import refusal

import judged as jd
from judged.measures.registry import MEASURES, Measure

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "z": 2}}
RUN = {"q": ["b", "a", "u", "c"]}


def column(explained, name):
    return [row[explained.headers.index(name)] for row in explained.rows]


def test_documents_stand_in_rank_order_with_unjudged_ones_marked():
    explained = jd.explain("AP", QRELS, RUN, "q")
    assert column(explained, "document") == ["b", "a", "u", "c"]
    assert column(explained, "grade") == [0, 3, "–", 1]


def test_the_arithmetic_of_ndcg():
    explained = jd.explain("nDCG", QRELS, RUN, "q")
    assert column(explained, "gain") == [0, 3, 0, 1]
    assert column(explained, "discount")[1] == pytest.approx(log2(3))
    assert column(explained, "sum")[-1] == pytest.approx(3 / log2(3) + 1 / log2(5))
    assert explained.closing.endswith(f"= {jd.evaluate(QRELS, RUN, 'nDCG').mean()['nDCG']:.6g}")


@pytest.mark.parametrize("definition", [d for d in MEASURES if d.needs == "grades"], ids=lambda d: d.name)
def test_every_measure_can_be_explained_and_gets_its_own_value(definition):
    measure = Measure(definition)
    explained = jd.explain(measure, QRELS, RUN, "q")
    assert explained.value == jd.evaluate(QRELS, RUN, measure)[measure][0]
    assert str(explained)


@pytest.mark.parametrize("ties", ["id-desc", "id-asc", "input", "best", "worst"])
def test_tied_documents_are_shown_in_the_order_that_was_judged(ties):
    run = {"q": dict.fromkeys("abuc", 1.0)}
    explained = jd.explain("RR", QRELS, run, "q", ties=ties)
    first = next(i for i, grade in enumerate(column(explained, "grade"), 1) if grade not in (0, "–"))
    assert explained.value == pytest.approx(1 / first)
    assert sorted(column(explained, "document")) == ["a", "b", "c", "u"]


def test_condensed_lists_show_judged_documents_only():
    explained = jd.explain("RR", QRELS, RUN, "q", unjudged="condensed")
    assert column(explained, "document") == ["b", "a", "c"]


def test_an_unknown_query_is_refused_with_some_that_exist():
    caught = refusal("not-asked", jd.explain, "AP", QRELS, RUN, "nope")
    assert "'q'" in str(caught.hint)


def test_ndcg_shows_the_ideal_ranking_beside_the_actual_one():
    explained = jd.explain("nDCG", QRELS, RUN, "q")
    assert [row[1] for row in explained.ideal.rows] == ["a", "z", "c"]
    assert explained.ideal.rows[-1][-1] == pytest.approx(3 + 2 / log2(3) + 1 / 2)
    assert len(explained.tables()) == 2
    assert len(jd.explain("nDCG@2", QRELS, RUN, "q").ideal.rows) == 2
    assert jd.explain("AP", QRELS, RUN, "q").ideal is None


def test_idcg_shows_the_ideal_ranking_alone():
    (table,) = jd.explain("IDCG", QRELS, RUN, "q").tables()
    assert [row[1] for row in table.rows] == ["a", "z", "c"]


def test_without_a_query_the_one_nearest_to_the_mean_is_explained():
    qrels = {q: {"a": 1} for q in ("q1", "q2", "q3", "q4")}
    run = {"q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "d", "a"], "q4": ["b"]}
    explained = jd.explain("RR", qrels, run)  # values 1, 1/2, 1/4, 0
    assert (explained.query, explained.chosen) == ("q2", True)
    assert explained.headline()
    assert jd.evaluate(qrels, run, "RR").explain("RR").query == "q2"
    assert jd.explain("relstring", qrels, run).query == "q1"


def test_rows_that_follow_the_explanation_are_flat_records():
    records = jd.explain("nDCG@1", QRELS, RUN, "q").records()
    assert [(row["ranking"], row["document"]) for row in records] == [("actual", "b"), ("ideal", "a")]


def test_the_value_follows_the_policies_and_says_so():
    run = {"q": dict.fromkeys("abuc", 1.0)}
    for ties in ("expected", "best"):
        explained = jd.explain("AP", QRELS, run, "q", ties=ties)
        assert explained.value == jd.evaluate(QRELS, run, "AP", ties=ties)["AP"][0]
    assert "mean over all orders" in jd.explain("AP", QRELS, run, "q", ties="expected").closing
    explained = jd.explain("AP", {"q": {"a": 0}}, {"q": ["a"]}, "q", empty="one")
    assert explained.value == 1
    assert "empty=one" in explained.closing


def test_precision_so_far_stands_in_every_row_of_a_document_without_judgment_too():
    explained = jd.explain("AP", QRELS, RUN, "q")
    assert column(explained, "precision") == pytest.approx([0, 1 / 2, 1 / 3, 2 / 4])


def test_a_query_that_the_run_does_not_answer_or_nobody_judged_is_named():
    assert "not in the run" in jd.explain("AP", {**QRELS, "p": {"a": 1}}, RUN, "p").closing
    refusal("not-asked", jd.explain, "AP", QRELS, {**RUN, "x": ["a"]}, "x")


def test_a_measure_without_a_formula_has_no_line_for_it():
    explained = jd.explain("P@2", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q")
    bare = replace(explained.measure, definition=replace(explained.measure.definition, formula=""))
    assert len(explained.tables()[0].notes) == 2
    assert replace(explained, measure=bare).tables()[0].notes == (explained.closing,)
