"""Evaluations that stay in Spark."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from needs import optional
from on_spark import frame_of, same, tied_run

import judged as jd
from judged.evaluation.spark.evaluate_frame import evaluate_frame
from judged.evaluation.spark.moments import Moments
from judged.evaluation.stream.exact_means import exact_means

pa = optional("pyarrow")

pytestmark = pytest.mark.spark
MEASURES = "nDCG@10 AP RR P@5 R@100 Bpref Judged@10 ERR@20 RBP"


def made(spark, **columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spark.createDataFrame(pa.table(columns))


@pytest.mark.parametrize(
    "policy",
    [{}, {"ties": "expected"}, {"ties": "worst"}, {"queries": "both"}, {"empty": "skip"}, {"depth": 7}, {"unjudged": "condensed"}, {"level": 2}],
    ids=str,
)  # fmt: skip
def test_values_and_means_are_those_of_one_process(spark, policy):
    qrels, run = tied_run()
    found = evaluate_frame(qrels, frame_of(spark, run), MEASURES, **policy)
    wanted = jd.evaluate(qrels, run, MEASURES, **policy)
    try:
        same(found.collect(), wanted)
        assert found.mean() == exact_means(wanted.measures, wanted.columns)
        assert len(found) == len(wanted)
        assert {w.slug: w.count for w in found.warnings} == {w.slug: w.count for w in wanted.warnings}
        assert found.coverage == pytest.approx(wanted.coverage, rel=1e-14)
        assert str(found.policy) == str(wanted.policy)
    finally:
        found.unpersist()


def test_measures_have_the_order_that_a_profile_gives_them(spark):
    qrels, run = tied_run()
    measures = "RR RR@10 nDCG@5 Judged@3 Compat"
    found = evaluate_frame(qrels, frame_of(spark, run), measures, profile="ir_measures")
    wanted = jd.evaluate(qrels, run, measures, profile="ir_measures")
    try:
        same(found.collect(), wanted)
    finally:
        found.unpersist()
    with pytest.raises(jd.JudgedError) as error:  # the order of the input, which a table does not have
        evaluate_frame(qrels, frame_of(spark, run), "RBP(rel=1)", profile="ir_measures")
    assert error.value.slug == "order"


def test_intervals_are_students_of_the_values(spark):
    qrels, run = tied_run()
    found = evaluate_frame(qrels, frame_of(spark, run), "nDCG@10 AP NumRel GMAP")
    wanted = jd.evaluate(qrels, run, "nDCG@10 AP NumRel GMAP")
    for level in (0.9, 0.95):
        got, ends = found.interval(level), wanted.intervals(level=level)
        assert got["nDCG@10"] == pytest.approx(ends["nDCG@10"], rel=1e-12)
        assert got["AP"] == pytest.approx(ends["AP"], rel=1e-12)
        assert got["NumRel"] is None
        low, high = got["GMAP"]
        assert low < found["GMAP"] < high
    with pytest.raises(jd.UsageError):
        found.interval(95)
    found.unpersist()


def test_judgments_may_be_a_dataframe(spark):
    qrels, run = tied_run()
    found = evaluate_frame(frame_of(spark, qrels), frame_of(spark, run), MEASURES, partitions=3)
    same(found.collect(), jd.evaluate(qrels, run, MEASURES))
    found.unpersist()


def test_judgments_of_subtopics_keep_them_on_either_way(spark):
    rows = [(f"q{q}", a, f"d{d}", (q + d + int(a)) % 2) for q in range(12) for a in "12" for d in range(8)]
    columns = dict(zip(("query", "subtopic", "doc", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    run = {f"q{q}": {f"d{d}": float((d * 5 + q) % 11) for d in range(12)} for q in range(12)}
    wanted = jd.evaluate(pa.table(columns), run, "alpha-nDCG@10 ERR-IA@10 P-IA@5")
    for qrels in (pa.table(columns), made(spark, **columns)):
        found = evaluate_frame(qrels, frame_of(spark, run), "alpha-nDCG@10 ERR-IA@10 P-IA@5")
        same(found.collect(), wanted)
        found.unpersist()


def test_queries_that_are_numbers_stand_in_their_order(spark):
    qrels = {q: {"a": 1, "b": 0} for q in (2, 10, 1)}
    run = {q: {"b": 0.2, "a": q / 100} for q in (10, 1, 2)}
    found = evaluate_frame(qrels, frame_of(spark, run), "RR")
    assert found.frame.schema.simpleString() == "struct<query:bigint,RR:double>"
    assert found.collect().queries == (1, 2, 10)
    same(found.collect(), jd.evaluate(qrels, run, "RR"))
    found.unpersist()


def test_repeated_documents_are_all_found_and_the_best_can_be_kept(spark):
    columns = {"query": ["q", "q", "q", "q"], "doc": ["a", "b", "b", "a"], "score": [0.1, 0.2, 0.3, 0.9]}
    frame, qrels = made(spark, **columns).repartition(3), {"q": {"a": 1}}
    with pytest.raises(jd.DataError) as caught:
        evaluate_frame(qrels, frame)
    assert caught.value.slug == "duplicate-doc"
    found = evaluate_frame(qrels, frame, "RR P@2", duplicates="best")
    assert found.mean() == {"RR": 1.0, "P@2": 1 / 2}
    found.unpersist()


def test_documents_judged_twice_follow_the_policy(spark):
    rows = [("q", "a", 0), ("q", "a", 2), ("q", "b", 1)]
    query, doc, grade = map(list, zip(*rows, strict=True))
    run = frame_of(spark, {"q": {"a": 0.5, "b": 0.1}})
    for qrels in (rows, made(spark, query=query, doc=doc, grade=grade)):
        with pytest.raises(jd.DataError) as caught:
            evaluate_frame(qrels, run)
        assert caught.value.slug == "duplicate-judgment"
        assert evaluate_frame(qrels, run, "DCG@1", rejudged="max")["DCG@1"] == 2
    assert evaluate_frame(rows, run, "DCG@1", rejudged="first")["DCG@1"] == 0
    with pytest.raises(jd.UsageError) as caught:
        evaluate_frame(made(spark, query=query, doc=doc, grade=grade), run, rejudged="first")
    assert caught.value.slug == "order"


def test_errors_are_those_of_one_process(spark):
    run = frame_of(spark, {"q": {"a": 0.5}})
    for qrels, slug in (({"p": {"a": 1}}, "no-common-query"), ({1: {"a": 1}}, "id-type")):
        with pytest.raises(jd.DataError) as caught:
            evaluate_frame(qrels, run)
        assert caught.value.slug == slug
    with pytest.raises(jd.DataError) as caught:
        evaluate_frame({"q": {"a": 1}, "p": {"a": 1}}, run, queries="strict")
    assert caught.value.slug == "query-missing"
    with pytest.raises(jd.DataError) as caught:
        evaluate_frame({"q": {"a": 1}}, run.where("score > 1"))
    assert caught.value.slug == "empty-run"
    with pytest.raises(jd.DataError) as caught:
        evaluate_frame(made(spark, query=["q"], doc=["a"], grade=[1]).where("grade > 1"), run)
    assert caught.value.slug == "empty-qrels"
    with pytest.raises(jd.DataError, match=r"\[swapped\]"):
        evaluate_frame(made(spark, query=["q"], doc=["a"], score=[0.5]), run)


def test_what_is_missing_is_told_by_query_and_document(spark):
    bad = made(spark, query=["q", "q"], doc=["a", "b"], score=[0.5, None])
    with pytest.raises(jd.DataError, match="for document 'b' of query 'q'"):
        evaluate_frame({"q": {"a": 1}}, bad)
    with pytest.raises(jd.DataError, match="for document 'b' of query 'q'"):
        evaluate_frame(made(spark, query=["q", "q"], doc=["a", "b"], grade=[1.0, None]), frame_of(spark, {"q": {"a": 0.5}}))  # fmt: skip


def test_wrong_calls_are_refused(spark):
    run = frame_of(spark, {"q": {"a": 0.5}})
    for wrong in ({"ties": "input"}, {"order": "input"}, {"duplicates": "first"}):
        with pytest.raises(jd.UsageError) as caught:
            evaluate_frame({"q": {"a": 1}}, run, **wrong)
        assert caught.value.slug == "order"
    with pytest.raises(jd.UsageError) as caught:
        evaluate_frame({"q": {"a": 1}}, run, roll_up="max")
    assert caught.value.slug == "unknown-option"
    with pytest.raises(jd.UsageError) as caught:
        evaluate_frame({"q": {"a": 1}}, {"q": {"a": 0.5}})
    assert caught.value.slug == "form"


def test_warnings_are_errors_where_asked(spark):
    with pytest.raises(jd.DataError, match=r"\[query-missing\]"):
        evaluate_frame({"q": {"a": 1}, "p": {"a": 1}}, frame_of(spark, {"q": {"a": 0.5}}), strict=True)


def test_no_judged_document_retrieved_is_worth_a_warning_and_only_then(spark):
    run = frame_of(spark, {f"q{i}": {"a": 0.5} for i in range(20)})
    found = evaluate_frame({f"q{i}": {"a" if i == 7 else "b": 1} for i in range(20)}, run)
    assert "no-overlap" not in {w.slug for w in found.warnings}
    found = evaluate_frame({f"q{i}": {"b": 1} for i in range(20)}, run)
    assert "no-overlap" in {w.slug for w in found.warnings}


def test_it_prints_like_values_and_pages_of_sql_can_go_on_from_it(spark):
    qrels, run = tied_run(30)
    found = evaluate_frame(qrels, frame_of(spark, run), "AP RR")
    lines = str(found).splitlines()
    assert lines[0] == "run, judgments: qrels"
    assert lines[2].split() == ["measure", "mean", "95%", "interval", "queries"]
    assert found.frame.columns == ["query", "AP", "RR"]
    assert found.frame.count() == len(found)
    found.unpersist()
    assert found.frame.count() == len(found)


def test_sums_of_squares_are_exact():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.random(1000), rng.random(50) * 1e-300, -rng.random(50) * 1e150, [np.nan, 5e-324, 0.0]])
    rng.shuffle(values)
    parts = [Moments() for _ in range(5)]
    for part, some in zip(parts, np.array_split(values, 5), strict=True):
        part.add(some)
    total = Moments()
    for part in reversed(parts):
        total.merge(part)
    there = [Fraction(x) for x in values[~np.isnan(values)].tolist()]
    n, mean = len(there), sum(there) / len(there)
    assert total.variance() == float(sum((x - mean) ** 2 for x in there) / (n - 1))
    assert total.sum.missing == 1


def test_values_that_are_all_equal_have_no_error_and_binary_ones_are_known():
    same_all = Moments()
    same_all.add(np.full(10, 0.1))
    assert same_all.standard_error() == 0
    assert np.isnan(Moments().standard_error())
    assert not same_all.is_binary()
    for values, binary in (
        ([0.0, 1.0, 1.0], True),
        ([1.0, np.nan], True),
        ([0.0, 1.0, 1 - 1e-16], False),
        ([0.0, 5e-324], False),
    ):
        some = Moments()
        some.add(np.array(values))
        assert some.is_binary() == binary


@pytest.mark.parametrize("queries", ["judged", "both"])
@pytest.mark.parametrize("unjudged", ["irrelevant", "condensed"])
def test_no_overlap_is_warned_of_as_in_one_process(spark, queries, unjudged):
    qrels, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"x": 0.5}, "p": {"y": 0.5}, "other": {"z": 1.0}}
    options = {"queries": queries, "unjudged": unjudged}
    found = evaluate_frame(qrels, frame_of(spark, run), "AP", **options)
    expected = jd.evaluate(qrels, run, "AP", **options)
    assert {w.slug: w.count for w in found.warnings} == {w.slug: w.count for w in expected.warnings}
