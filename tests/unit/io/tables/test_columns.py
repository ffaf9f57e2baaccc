"""Columns are found by their usual names, or by those the caller gives."""

import itertools

import pytest
from for_each import for_each
from refusals import refusal

from judged.errors import UsageError
from judged.io.read import read_qrels, read_run

QUERY = ["query_id", "qid", "query", "q_id", "topic", "topic_id", "query-id", "user", "User_ID", "QID"]
DOC = [
    "doc_id",
    "docid",
    "docno",
    "doc",
    "item",
    "item_id",
    "corpus-id",
    "document",
    "document_id",
    "pid",
    "passage_id",
]
SCORE = ["score", "sim", "similarity", "prediction", "Score"]
GRADE = ["relevance", "rel", "grade", "label", "gain", "rating"]
ASPECT = ["subtopic", "intent", "aspect", "iteration"]


@for_each(("query", "doc"), list(itertools.product(QUERY, DOC)))
def test_ids_are_found_by_each_usual_name(query, doc, rows):
    assert rows(read_run({query: ["q"], doc: ["d"], "score": [0.5]})) == [(b"q", b"d", 0.5)]


def test_numbers_and_subtopics_are_found_by_each_usual_name(rows):
    ids = {"qid": ["q", "q"], "docno": ["d", "d"]}
    for name in SCORE:
        assert read_run({**ids, name: [0.5, 1]}).score.tolist() == [0.5, 1]
    for name, aspect in itertools.product(GRADE, ASPECT):
        assert read_qrels({**ids, name: [0.5, 1], aspect: ["a", "b"]}).aspect.tolist() == [b"a", b"b"]


def test_columns_can_be_named(save, rows):
    wanted = [(b"q", b"d", 0.5)]
    named = {"query_col": "a", "doc_col": "b", "score_col": "c"}
    assert rows(read_run({"a": ["q"], "b": ["d"], "c": [0.5], "score": [9]}, **named)) == wanted
    assert rows(read_run([{"a": "q", "b": "d", "c": 0.5}], **named)) == wanted
    for name, text in {
        "a.csv": "a,b,c\nq,d,0.5\n",
        "a.tsv": "a\tb\tc\nq\td\t0.5\n",
        "a.jsonl": '{"a":"q","b":"d","c":0.5}\n',
    }.items():
        assert rows(read_run(save(name, text), **named)) == wanted
    assert rows(read_qrels({"a": ["q"], "b": ["d"], "c": [0.5]}, query_col="a", doc_col="b", grade_col="c")) == wanted


def test_beside_an_id_a_plain_name_is_the_text(rows):
    columns = {"qid": ["1"], "query": ["how to"], "docno": ["d"], "document": ["text"], "score": [0.5], "rank": [0]}
    assert rows(read_run(columns)) == [(b"1", b"d", 0.5)]


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (["qid", "docno"], "score"),
        (["qid", "score"], "doc"),
        (["docno", "score"], "query"),
        (["qid", "query_id", "docno", "score"], "query"),
        (["qid", "doc_id", "pid", "score"], "doc"),
        (["qid", "docno", "score", "sim"], "score"),
    ],
)
def test_none_or_several_columns_are_refused_with_the_names_found(names, role):
    error = refusal("columns", read_run, [dict.fromkeys(names, "x")])
    assert f"{role}_col" in dict(error.hint.options)
    for name in names:
        assert repr(name) in str(error)


def test_a_named_column_must_be_there(save):
    error = refusal("columns", read_run, {"qid": ["q"], "docno": ["d"], "score": [1]}, score_col="points")
    assert "'points'" in str(error)
    assert "'score'" in str(error)
    error = refusal("columns", read_run, save("a.csv", "qid,docno,score\nq,d,1\n"), doc_col="passage")
    assert error.where.line == 1


def test_names_of_columns_are_refused_where_there_are_none(save):
    for source in ({"q": {"d": 1}}, [("q", "d", 1)], save("a.run", "q Q0 d 1 0.5 t\n")):
        with pytest.raises(UsageError, match="columns"):
            read_run(source, score_col="x")


def test_a_table_of_judgments_is_no_run():
    columns = {"qid": ["q"], "docno": ["d"], "label": [1]}
    assert "judgments" in str(refusal("swapped", read_run, columns))


def test_a_table_with_ranks_and_scores_is_no_judgments():
    columns = {"qid": ["q"], "docno": ["d"], "rank": [1], "score": [1]}
    assert "run" in str(refusal("swapped", read_qrels, columns))


def test_grades_called_score_must_be_whole_or_named():
    columns = {"qid": ["q", "q"], "docno": ["d", "e"], "score": [1, 0.5]}
    error = refusal("swapped", read_qrels, columns)
    assert (str(error.where), error.value) == ("qrels['score'][1]", 0.5)
    assert read_qrels(columns, grade_col="score").grade.tolist() == [1, 0.5]


def test_a_run_and_judgments_are_not_taken_for_each_other():
    run, qrels = read_run({"q": {"d": 1}}), read_qrels({"q": {"d": 1}})
    refusal("swapped", read_run, qrels)
    refusal("swapped", read_qrels, run)


def test_columns_of_different_length_are_refused():
    error = refusal("columns", read_run, {"qid": ["q"], "docno": ["d", "e"], "score": [1]})
    assert "2 in 'docno'" in str(error)


def test_a_key_that_some_records_lack_is_refused_where_it_is_missing(save):
    full = {"qid": "q", "docno": "d", "score": 1}
    error = refusal("columns", read_run, [full, {"qid": "q", "docno": "e"}])
    assert str(error.where) == "run[1]"
    assert "'score'" in str(error)
    lines = '{"qid": "q", "docno": "d", "score": 1}\n' * 2
    for last in ('{"qid": "q", "score": 1}\n', "[1]\n", "5\n"):
        assert refusal("columns", read_run, save("a.jsonl", lines + last)).where.line == 3


def test_tuples_of_another_length_are_refused():
    error = refusal("columns", read_run, [("q", "d", 1), ("q", "d")])
    assert str(error.where) == "run[1]"
    assert "(query, doc, score)" in str(error)
    assert "(query, aspect, doc, grade)" in str(refusal("columns", read_qrels, [("q", "d")]))
    refusal("columns", read_run, ["d1", "d2"])
