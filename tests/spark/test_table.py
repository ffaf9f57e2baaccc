"""Spark DataFrames as runs and as judgments."""

import math
import warnings

import pytest
from needs import optional
from on_spark import frame_of, same, tied_run
from refusals import refusal

import judged as jd
from judged.distributed.spark_table import table_run
from judged.io.columns import ColumnRequest

pa = optional("pyarrow")

pytestmark = pytest.mark.spark
MEASURES = "nDCG@10 AP RR P@5 R@100 Bpref Judged@10 ERR@20 RBP"


def made(spark, **columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spark.createDataFrame(pa.table(columns))


def test_judgments_and_runs_are_read_from_dataframes(spark):
    qrels, run = tied_run(20)
    assert len(jd.read_qrels(frame_of(spark, qrels)).query) == sum(map(len, qrels.values()))
    assert len(jd.read_run(frame_of(spark, run)).query) == sum(map(len, run.values()))
    same(jd.evaluate(frame_of(spark, qrels), frame_of(spark, run), engine="memory"), jd.evaluate(qrels, run))


@pytest.mark.parametrize(
    "policy",
    [{}, {"ties": "id-asc"}, {"ties": "best"}, {"ties": "worst"}, {"ties": "expected"}, {"queries": "both"}, {"depth": 10},
     {"unjudged": "condensed"}, {"precision": "float32"}],
    ids=str,
)  # fmt: skip
def test_a_table_gives_the_bits_of_one_process(spark, policy):
    qrels, run = tied_run()
    found = jd.evaluate(qrels, frame_of(spark, run, 7), MEASURES, **policy)
    wanted = jd.evaluate(qrels, run, MEASURES, **policy)
    same(found, wanted)
    assert {w.slug: w.count for w in found.warnings} == {w.slug: w.count for w in wanted.warnings}


def test_ids_that_are_numbers_and_scores_of_any_type(spark):
    from pyspark.sql import functions as sql

    qrels = {q: {d: d % 3 for d in range(10)} for q in range(30)}
    run = {q: {d: float((7 * d + q) % 9) for d in range(0, 40, 3)} for q in range(30)}
    wanted = jd.evaluate(qrels, run, MEASURES)
    frame = frame_of(spark, run)
    for types in (("int", "long", "float"), ("short", "int", "decimal(10,2)"), ("long", "short", "int")):
        cast = frame.select(
            *(sql.col(name).cast(kind).alias(name) for name, kind in zip(frame.columns, types, strict=True))
        )
        same(jd.evaluate(qrels, cast, MEASURES), wanted)


def test_columns_of_any_name_can_be_named(spark):
    qrels, run = tied_run(20)
    frame = frame_of(spark, run).toDF("a.b", "the `doc`", "how good")
    named = {"query_col": "a.b", "doc_col": "the `doc`", "score_col": "how good"}
    same(jd.evaluate(qrels, frame, MEASURES, **named), jd.evaluate(qrels, run, MEASURES))


def test_ids_of_a_collation_are_compared_by_their_bytes(spark):
    from pyspark.sql import functions as sql

    qrels, run = {"q": {"a": 1, "B": 2}}, {"q": {"A": 0.3, "a": 0.2, "B": 0.1}}
    frame = frame_of(spark, run, 1)
    lower = frame.withColumn("doc", sql.collate("doc", "UTF8_LCASE"))
    same(jd.evaluate(qrels, lower, MEASURES), jd.evaluate(qrels, run, MEASURES))


def test_ranks_decide_where_asked(spark):
    run = {"query": ["q", "q", "q"], "doc": ["a", "b", "c"], "rank": [2, 3, 1]}
    qrels = {"q": {"a": 1, "b": 0}}
    assert jd.evaluate(qrels, made(spark, **run), "RR").mean() == {"RR": 1 / 2}
    scored = made(spark, **run, score=[0.1, 0.2, 0.3])
    assert jd.evaluate(qrels, scored, "RR").mean() == {"RR": 1 / 3}
    assert jd.evaluate(qrels, scored, "RR", order="rank").mean() == {"RR": 1 / 2}


def test_a_repeated_judged_document_is_found_wherever_it_lies(spark):
    frame = made(spark, query=["q", "q", "q"], doc=["a", "b", "a"], score=[0.1, 0.2, 0.3]).repartition(3)
    refusal("duplicate-doc", jd.evaluate, {"q": {"a": 1}}, frame)


@pytest.mark.parametrize(
    ("column", "value", "slug"),
    [("query", None, "id-type"), ("doc", None, "id-type"), ("score", math.nan, "score-nan")],
)
def test_what_is_missing_is_an_error(spark, column, value, slug):
    columns = {"query": ["q", "q"], "doc": ["a", "b"], "score": [0.2, 0.1]}
    columns[column] = [columns[column][0], value]
    caught = refusal(slug, jd.evaluate, {"q": {"a": 1}}, made(spark, **columns))
    assert str(caught.where) == "run"


def test_ids_of_another_type_than_those_of_the_judgments_are_refused(spark):
    frame = made(spark, query=[1], doc=["a"], score=[0.5])
    refusal("id-type", jd.evaluate, {"1": {"a": 1}}, frame)


@pytest.mark.parametrize("cast", [("doc", "double", "id-type"), ("query", "timestamp", "id-type"), ("score", "string", "score-type")])  # fmt: skip
def test_columns_of_types_that_cannot_be_used_are_refused_before_anything_is_computed(spark, cast):
    from pyspark.sql import functions as sql

    column, kind, slug = cast
    frame = made(spark, query=["q"], doc=["a"], score=[0.5])
    frame = frame.withColumn(column, sql.lit(None).cast(kind))
    refusal(slug, table_run, frame, ColumnRequest("run"), jd.Spark())


def test_a_table_without_a_row_is_an_empty_run(spark):
    frame = made(spark, query=["q"], doc=["a"], score=[0.5])
    for nothing in (frame.limit(0), frame.where("false"), frame.where("score > 9").repartition(2)):
        refusal("empty-run", jd.evaluate, {"q": {"a": 1}}, nothing)


def test_order_of_input_is_refused(spark):
    frame = made(spark, query=["q"], doc=["a"], score=[0.5])
    refusal("engine", jd.evaluate, {"q": {"a": 1}}, frame, ties="input")


def test_every_partition_is_given_to_the_task_empty_ones_too(spark):
    frame = frame_of(spark, {"q": {"a": 0.1, "b": 0.2, "c": 0.3}}, 6)
    run = table_run(frame, ColumnRequest("run"), jd.Spark())
    counts = list(run.partitions.map(lambda item: (item[0], sum(len(b.read()) for b in item[1].batches()))))
    assert [number for number, _ in counts] == list(range(6))
    assert sum(rows for _, rows in counts) == 3


def test_a_task_may_leave_rows_unread(spark):
    frame = frame_of(spark, tied_run(60)[1], 2)

    def first(item):
        next(item[1].batches())
        return item[0]

    assert list(table_run(frame, ColumnRequest("run"), jd.Spark()).partitions.map(first)) == [0, 1]


def test_documents_of_a_query_can_be_asked_for_afterwards(spark):
    qrels, run = tied_run(20)
    found = jd.evaluate(qrels, frame_of(spark, run), "AP").explain("AP", "q1")
    assert str(found).splitlines()[-1] == str(jd.evaluate(qrels, run, "AP").explain("AP", "q1")).splitlines()[-1]


def test_rows_that_only_have_the_hash_of_a_judgment_are_no_hits(spark, monkeypatch):
    from pyspark.sql import functions as sql

    from judged.distributed import spark_table as module

    def all_rows(table, task):  # as if every row had the hash of a judgment
        return table.frame.select(*table.columns, sql.spark_partition_id().alias(module._PARTITION))

    monkeypatch.setattr(module.SparkTable, "_judged_rows", all_rows)
    qrels, run = tied_run(20)
    same(jd.evaluate(qrels, frame_of(spark, run), MEASURES), jd.evaluate(qrels, run, MEASURES))


def test_results_that_are_added_up_in_the_cluster_give_the_same(spark, monkeypatch):
    import judged.distributed.spark_executor as module

    monkeypatch.setattr(module, "SMALL_RESULT", 0)
    monkeypatch.setattr(module, "MERGED", 3)
    qrels, run = tied_run(40)
    found, wanted = jd.evaluate(qrels, frame_of(spark, run, 10), MEASURES), jd.evaluate(qrels, run, MEASURES)
    same(found, wanted)
    assert {w.slug: w.count for w in found.warnings} == {w.slug: w.count for w in wanted.warnings}
    broken = made(spark, query=["q"] * 20, doc=[f"d{i}" for i in range(20)], score=[1.0] * 19 + [math.nan])
    with pytest.raises(jd.DataError, match="nan"):
        jd.evaluate({"q": {"d1": 1}}, broken.repartition(10), "AP")


def test_judgments_too_many_to_send_to_workers_are_an_error(spark, monkeypatch):
    monkeypatch.setattr("judged.distributed.spark_table.MAX_JUDGMENTS", 10)
    qrels, run = tied_run(40)
    for judgments in (qrels, frame_of(spark, qrels)):
        refusal("engine", jd.evaluate, judgments, frame_of(spark, run), MEASURES)
    same(jd.evaluate(qrels, frame_of(spark, run), MEASURES, engine="memory"), jd.evaluate(qrels, run, MEASURES))


@pytest.mark.parametrize("engine", ["local", "nonsense", jd.Threads(2)])
def test_an_engine_that_cannot_reach_a_table_is_refused(spark, engine):
    refusal(
        "engine", jd.evaluate, {"q": {"a": 1}}, made(spark, query=["q"], doc=["a"], score=[1.0]), "AP", engine=engine
    )
