"""Names of columns that people use, grades that are words, and hints that fill in the options."""

import io
import json

import numpy as np
import pytest
from needs import optional
from refusals import refusal

import judged as jd

pd = optional("pandas")

ESCI = {"Exact": 3, "Substitute": 2, "Irrelevant": 0}
ROWS = [("q1", "a", "Exact"), ("q1", "b", "Substitute"), ("q2", "a", "Irrelevant"), ("q2", "c", "1")]


def records():
    return [dict(zip(("query", "product_id", "esci_label"), row, strict=True)) for row in ROWS]


def lines(*rows):
    return io.StringIO("".join(",".join(map(str, row)) + "\n" for row in rows))


def refused(source, read=jd.read_qrels, **options):
    with pytest.raises(jd.DataError) as caught:
        read(source, **options)
    return caught.value


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    "source",
    [
        lambda: lines(("query", "product_id", "esci_label"), *ROWS),
        lambda: io.StringIO("".join(json.dumps(record) + "\n" for record in records()[:3])),
        lambda: pd.DataFrame(records()[:3]),
        lambda: records()[:3],
        lambda: {"q1": {"a": "Exact", "b": "Substitute"}, "q2": {"a": "Irrelevant"}},
    ],
)
def test_words_are_grades_by_a_map(source):
    assert jd.read_qrels(source(), grade_map=ESCI).grade.tolist()[:3] == [3, 2, 0]


def test_numbers_in_a_text_file_need_no_word():
    assert jd.read_qrels(lines(("query", "doc", "grade"), *ROWS), grade_map=ESCI).grade.tolist() == [3, 2, 0, 1]


@pytest.mark.parametrize(
    "source", [lambda: lines(("query", "doc", "grade"), ("q", "a", "Exakt")), lambda: {"q": {"a": "Exakt"}}]
)
def test_a_word_that_the_map_lacks_is_named(source):
    error = refused(source(), grade_map=ESCI)
    assert (error.slug, error.value) == ("grade-type", "Exakt")


def test_a_map_of_another_type_is_refused():
    refusal("option", jd.read_qrels, {"q": {"a": 1}}, grade_map=[3, 2])


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    "names",
    [
        ("search_term", "sku", "human_grade"),
        ("Search Term", "Product SKU", "Grade"),
        ("search-query", "chunk_id", "relevance_label"),
        ("keyword", "item_sku", "HumanRating"),
        ("question", "url", "rel"),
    ],
)
def test_names_that_people_use_are_known(names):
    rows = [("q 1", "x", 2), ("q 1", "y", 0)]
    frame = pd.DataFrame(rows, columns=list(names))
    for source in (lines(names, *rows), frame, frame.to_dict("records")):
        qrels = jd.read_qrels(source)
        assert (qrels.queries.tolist(), qrels.doc.tolist(), qrels.grade.tolist()) == ([b"q 1"], [b"x", b"y"], [2, 0])


def test_a_header_with_blanks_is_never_a_trec_line():
    source = "Search Term,Product SKU,Grade\nred shoes,s1,2\nred shoes,s2,0\n"
    assert jd.read_qrels(io.StringIO(source)).queries.tolist() == [b"red shoes"]
    error = refused(io.StringIO(source.replace("Grade", "Opinion")))
    assert (error.slug, error.where.line) == ("columns", 1)


def test_the_hint_has_the_options_of_all_missing_columns():
    error = refused(lines(("my_query_text", "article number", "verdict"), ("q", "d", 1)))
    options = dict(error.hint.options)
    assert list(options) == ["query_col", "doc_col", "grade_col"]
    assert "--query-col NAME" in error.render(flags=True)


def test_columns_of_clicks_are_named_like_those_of_runs():
    rows = [("s", "q", "a", 1, 0), ("s", "q", "b", 2, 1)]
    log = jd.clicks.read_clicks(
        lines("vwxyz", *rows), session_col="v", query_col="w", doc_col="x", rank_col="y", click_col="z"
    )
    assert len(log) == len(jd.clicks.read_clicks(rows))


@pytest.mark.parametrize("matrix", [np.ones((2, 4)), np.zeros((3, 2), np.float32)])
def test_a_matrix_of_scores_is_no_run(matrix):
    assert refused(matrix, jd.read_run).slug == "form"
    assert "top_k" in str(refused(matrix, jd.read_run).hint)


def test_three_columns_of_numbers_are_queries_documents_and_scores():
    assert len(jd.read_run(np.array([[1, 10, 5], [1, 11, 3]])).query) == 2


def test_stars_name_the_map_of_grades(save):
    sources = [
        save("a.csv", "query,doc,grade\nq,d1,1\nq,d2,★★★\n"),
        save("a.txt", "q 0 d1 1\nq 0 d2 ★★★\n"),
        save("a.json", '{"q": {"d1": 1, "d2": "★★★"}}'),
        {"q": {"d1": 1, "d2": "★★★"}},
    ]
    for source in sources:
        error = refusal("grade-type", jd.read_qrels, source)
        assert dict(error.hint.options) == {"grade_map": None}
        assert jd.read_qrels(source, grade_map={"★★★": 3}).grade.tolist() == [1, 3]


@pytest.mark.parametrize(("name", "text"), [("q.csv", "query,doc,grade\nq,a,1\n"), ("q.txt", "q 0 a 1\n")])
def test_words_that_no_grade_has_are_named(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    found = [str(warned) for warned in jd.read_qrels(path, grade_map={"Exact": 3}).warnings]
    assert found == [f"no grade of {path} is one of the words 'Exact'.  [grade-type]"]
    assert not jd.read_qrels(path, grade_map={"1": 3}).warnings
