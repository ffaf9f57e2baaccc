"""CSV and TSV: strict quotes, physical lines."""

import pytest
from native_rows import check
from refusals import refusal

import judged as jd
from judged.io.read import read_qrels, read_run
from judged.io.write import convert

HEADER = "qid,docno,score\n"


@pytest.mark.parametrize(
    ("rows", "line"),
    [('q,"abc,1\nq,d,2\n', 3), ('q,"a"b,1\n', 2), ('q,d,1\nq,"abc,1\nq,def",2\n', 3)],
)
def test_stray_quotes_are_refused_and_swallow_nothing(rows, line, save):
    error = refusal("csv", read_run, save("a.csv", HEADER + rows))
    assert error.where.line == line
    assert "quote" in str(error)


@pytest.mark.parametrize(("row", "count"), [("q,d", 2), ("q,d,1,2", 4), ("q", 1), (",", 2)])
def test_a_row_of_another_width_is_refused(row, count, save):
    error = refusal("columns", read_run, save("a.csv", f"{HEADER}q,d,1\n\n{row}\n"))
    assert error.where.line == 4
    assert f"got {count}:" in str(error)
    assert "3 columns (qid, docno, score)" in str(error)


def test_empty_cells_are_refused_where_they_stand(save):
    error = refusal("id-type", read_run, save("a.csv", HEADER + "q,d,1\nq,,2\n"))
    assert (error.where.line, error.where.column, error.where.column_name) == (3, 2, "docno")
    error = refusal("score-type", read_run, save("a.csv", HEADER + "q,d,1\nq,e,\n"))
    assert (error.where.line, error.where.column) == (3, 3)


def test_lines_are_counted_as_an_editor_does(save):
    rows = 'q,"two\nlines",d,1\n\nq,"one",e,2\nq,"x",f,high\n'
    error = refusal("score-type", read_run, save("a.csv", "qid,query,docno,score\n" + rows))
    assert error.where.line == 6
    run = read_run(save("b.csv", "# run\n" + HEADER + "q,d,1\n" * 5000))
    assert [run.where(row).line for row in (0, 2047, 2048, 4999)] == [3, 2050, 2051, 5002]


def test_a_file_without_a_header_is_told_to_add_one(save):
    error = refusal("columns", read_run, save("a.csv", "q1,d1,0.5\nq1,d2,0.4\n"))
    assert "'q1', 'd1', '0.5'. These look like data: add a header such as query,doc,score." in str(error)
    assert error.where.line == 1
    refusal("columns", read_run, save("c.csv", b"q\xff,\xff\xff,0.5\nq1,d2,0.4\n"))
    error = refusal("columns", read_run, save("b.csv", "first,second,third\nq1,d1,0.5\n"))
    assert "add a header" not in str(error)


def test_a_name_that_two_columns_have_must_be_changed(save):
    error = refusal("columns", read_run, save("a.csv", "query,doc,score,score\nq,d,1,2\n"))
    assert "two columns are called 'score'" in str(error)


def test_an_id_over_two_lines_has_a_format_that_can_hold_it(save):
    error = refusal("csv", read_run, save("a.csv", 'query,doc,score\nq,"d\n1",1\n'))
    assert "write JSON Lines" in str(error)


def test_a_header_between_blanks_is_noticed(save):
    error = refusal("score-type", read_run, save("a.run", "qid Q0 docno rank score tag\nq Q0 d 1 0.5 t\n"))
    assert "header" in str(error)


def test_rows_without_any_text_are_skipped_and_counted(save):
    for kind, number in (("run", "score"), ("qrels", "grade")):
        check(kind, f"query;doc;{number}\nq;a;2\n;;\nq;b;1\n;;\n;;\n".encode())
    run = read_run(save("a.csv", "query;doc;score\nq;a;2\n;;\nq;b;1\n;;\n;;\n"))
    assert run.doc.tolist() == [b"a", b"b"]
    assert run.where(1).line == 4
    assert [(w.slug, w.count) for w in run.warnings] == [("empty-rows", 3)]
    result = jd.evaluate({"q": {"a": 1}}, save("b.csv", HEADER + "q,a,2\n,,\n"), "RR")
    assert [w.slug for w in result.warnings] == ["empty-rows"]
    refusal("empty-qrels", read_qrels, save("c.csv", "query,doc,grade\n,,\n,,\n"))
    error = refusal("columns", read_run, save("d.csv", HEADER + "q,a,1\n,,,,\n"))  # of another width: a damaged file
    assert error.where.line == 3


@pytest.mark.parametrize("header", ["query,doc,score", "query, doc, score", "sep=,\nquery,doc,score"])
def test_a_blank_after_each_comma_does_not_belong_to_ids(header, save):
    text = f"{header}\nq1, d1, 2\nq1, d2, 1\n"
    check("run", text.encode())
    check("qrels", text.encode().replace(b"score", b"grade"))
    assert read_run(save("a.csv", text)).doc.tolist() == [b"d1", b"d2"]


def test_a_blank_after_some_commas_belongs_to_the_cell(save):
    assert read_run(save("a.csv", "query,doc,score\nq1, d1,2\nq1,d2, 1\n")).doc.tolist() == [b" d1", b"d2"]


@pytest.mark.parametrize("size", [131_073, 1 << 20])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_may_be_long(quote, size, save):
    text = f"query,doc,score,text\nq,d1,2,{quote}{'x' * size}{quote}\nq,d2,1,\n"
    check("run", text.encode())
    assert read_run(save("a.csv", text)).doc.tolist() == [b"d1", b"d2"]


INDEXED = ",customer,article,opinion\n0,u1,c,5\n1,u2,b,6\n"  # as by DataFrame.to_csv


def test_the_unnamed_index_of_a_frame_is_no_column(save):
    named = {"query_col": "customer", "doc_col": "article"}
    indexed = save("a.csv", INDEXED)
    assert refusal("columns", read_run, indexed, **named).value == "'', 'customer', 'article', 'opinion'"
    assert read_run(indexed, score_col="opinion", **named).score.tolist() == [5, 6]
    assert read_qrels(indexed, grade_col="opinion", **named).grade.tolist() == [5, 6]
    usual = save("b.csv", INDEXED.replace("customer,article,opinion", "user,item,score"))
    assert jd.evaluate({"u1": {"c": 1}, "u2": {"c": 1}}, usual, "RR").mean() == {"RR": 0.5}
    assert jd.recommenders.beyond_accuracy(usual, "Distinct", history=usual).summary() == {"Distinct@10": 2}
    assert convert(usual, save("c.run", ""), kind="run") == 2
