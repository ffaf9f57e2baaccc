"""SVMlight and LETOR files as judgments."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from judged.errors import DataError
from judged.io import lines as _stream
from judged.io.read import read_qrels, read_run
from judged.io.write import convert

LETOR = """\
2 qid:10 1:0.031310 2:0.666667 46:0.5 #docid = GX029-35-5894638 inc = 0.01 prob = 0.13
0 qid:10 1:0.078682 2:0.166667 46:0.1 #docid = GX030-77-6315042 inc = 1 prob = 0.34
1 qid:11 1:0.019058 2:1.000000 46:0.2 #docid = GX140-98-13566007 inc = 1 prob = 0.07
"""


def labels(text: str | bytes, tmp_path, name: str = "test.letor"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_qrels(path)


def rows(qrels) -> list[tuple[str, str, float]]:
    queries, docs = qrels.queries.tolist(), qrels.doc.tolist()
    return [
        (queries[q].decode(), d.decode(), g)
        for q, d, g in zip(qrels.query.tolist(), docs, qrels.grade.tolist(), strict=True)
    ]


def test_labels_queries_and_documents_come_from_the_lines(tmp_path):
    qrels = labels(LETOR, tmp_path)
    assert rows(qrels) == [
        ("10", "GX029-35-5894638", 2),
        ("10", "GX030-77-6315042", 0),
        ("11", "GX140-98-13566007", 1),
    ]
    assert str(qrels.where(2)).endswith("test.letor:3")
    assert qrels.path == str(tmp_path / "test.letor")
    assert qrels.warnings == ()


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        ("#docid = GX029-35-5894638 inc = 0.01 prob = 0.13", "GX029-35-5894638"),  # LETOR 3 and 4
        ("#docid = 244338", "244338"),  # OHSUMED
        ("#docid=G21-7", "G21-7"),
        ("# docid:17", "17"),
        ("#docid 17", "17"),
        ("# DocID = x", "x"),
        ("# docno = WT-1", "WT-1"),
        ("# doc_id: 3", "3"),
        ("# id=9", "9"),
        ("# 1A", "1A"),  # SVMlight's own example
        ("#7555\trambo", "7555"),  # of Elasticsearch's plugin: the document, then the query
        ("# document-3", "document-3"),
        ("# docid17", "docid17"),
        ("# ids", "ids"),
        ("#docid = a#b", "a#b"),
        ("#docid =", "1"),
        ("#", "1"),
        ("#  ", "1"),
        ("", "1"),  # MSLR-WEB, Yahoo, Istella
    ],
)
def test_the_document_is_what_the_comment_names_else_the_number_of_the_line(tmp_path, comment, doc):
    for ending in ("\n", "\r\n"):
        assert rows(labels(f"1 qid:1 1:2 {comment}{ending}", tmp_path)) == [("1", doc, 1)]


def test_a_line_may_end_with_its_query(tmp_path):
    assert rows(labels("1 qid:a\n0 qid:b#docid=7\n", tmp_path)) == [("a", "1", 1), ("b", "7", 0)]


def test_blank_lines_and_comments_are_passed_over_and_counted_as_lines(tmp_path):
    qrels = labels("# made by hand\n\n1 qid:1 1:2\n   # more\n \t \n0 qid:1 1:3\n", tmp_path)
    assert rows(qrels) == [("1", "3", 1), ("1", "6", 0)]
    assert [qrels.where(i).line for i in (0, 1)] == [3, 6]


@pytest.mark.parametrize(
    "label", ["2", "+1", "-1", "0.25", ".5", "1.", "3e-1", "1234567890123456", "0.12345678901234567"]
)
def test_a_label_is_any_decimal_number(tmp_path, label):
    assert labels(f"{label} qid:1 1:2\n", tmp_path).grade.tolist() == [float(label)]


def test_tabs_blanks_and_a_byte_order_mark_are_nothing_special(tmp_path):
    assert rows(labels(b"\xef\xbb\xbf 1\t qid:7\t1:3\t\t# x \n", tmp_path)) == [("7", "x", 1)]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_every_kind_of_line_end_is_read(tmp_path, ending):
    qrels = labels(LETOR.replace("\n", ending), tmp_path)
    assert rows(qrels) == rows(labels(LETOR, tmp_path))
    assert qrels.warnings == ()


def test_a_missing_last_line_end_is_warned_of(tmp_path):
    qrels = labels(LETOR.rstrip("\n"), tmp_path)
    assert len(qrels.query) == 3
    assert [w.slug for w in qrels.warnings] == ["no-final-newline"]


def test_numeric_ids_in_comments_do_not_make_it_a_trec_file(tmp_path):
    assert rows(labels("1 qid:1 # 5\n", tmp_path)) == [("1", "5", 1)]
    with pytest.raises(DataError, match=r"\[swapped\]"):
        read_run(io.StringIO("0 qid:1 1:0.1 # 7 x\n"))


@pytest.mark.parametrize(
    ("text", "slug", "place", "got"),
    [
        ("1 qid:1 1:2\n0 1:3 2:4\n", "columns", ":2: column 2 (query)", "'1:3'"),
        ("1 1:3\n", "columns", ":1: column 2 (query)", "'1:3'"),
        ("1 qid:1 1:2\n\n0\n", "columns", ":3: column 2 (query)", "nothing"),
        ("1 qid:1 1:2\n0 qid: 1:3\n", "columns", ":2: column 2 (query)", "'qid:'"),
        ("1 qid:1 1:2\n0 # qid:7\n", "columns", ":2: column 2 (query)", "nothing"),
        ("1 qid:1 1:2\nx qid:1 1:2\n", "grade-type", ":2: column 1 (label)", "'x'"),
        ("1 qid:1 1:2\nnan qid:1 1:2\n", "grade-type", ":2: column 1 (label)", "'nan'"),
        ("1 qid:1 1:2\n1e300 qid:1 1:2\n", "grade-type", ":2: column 1 (label)", "'1e300'"),
        ("1 qid:1 1:2\n1e300 qid:1 1:2\nx\n", "grade-type", ":2: column 1 (label)", "'1e300'"),
        ("1 qid:1 1:2\n1:0.5 qid:1 1:2\n", "grade-type", ":2: column 1 (label)", "'1:0.5'"),
        ("1 qid:1 1:2\n0 qid:1 \0\n", "nul", ":2", "nul byte at offset 20"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_column(tmp_path, text, slug, place, got):
    error = refusal(slug, labels, text, tmp_path)
    assert str(error.where).endswith(f"test.letor{place}")
    assert got.strip("'") in str(error).lower()


def test_names_of_columns_mean_nothing(tmp_path):
    labels(LETOR, tmp_path)
    refusal("columns", read_qrels, tmp_path / "test.letor", grade_col="label")


LABELS = st.sampled_from(["0", "1", "2", "+3", "-1", "0.5", "1e-1", "2."])
BLANKS = st.sampled_from([" ", "  ", "\t", " \t"])
NOTES = st.sampled_from(
    ["", "#", "#docid = d-{}", "# docid:d-{} x", "# d-{}", "#d-{}\tq", "# docid=d-{}", " # id = d-{}"]
)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\n# 1 qid:1\n", " \n"])


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(LABELS, BLANKS, st.integers(1, 3), BLANKS, st.integers(0, 90), NOTES, ENDS), min_size=1),
    st.sampled_from([8, 64, 1 << 20]),
)
def test_parts_of_any_size_give_the_rows_that_were_written(lines, step):
    text, wanted, line = "", [], 1
    for i, (label, before, query, behind, features, note, end) in enumerate(lines):
        named = "{}" in note
        text += (
            f"{label}{before}qid:{query}{behind}" + "".join(f"{j}:0.5 " for j in range(features)) + note.format(i) + end
        )
        wanted.append((str(query), f"d-{i}" if named else str(line), float(label)))
        line += end.count("\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_stream, "_STEP", step)
        qrels = read_qrels(io.BytesIO(text.encode()))
    assert rows(qrels) == wanted


def test_features_are_passed_over_whatever_they_are(tmp_path):
    assert len(labels("1 qid:1 " + " ".join(f"{i}:nonsense" for i in range(99)) + "\n", tmp_path)) == 1


def test_labels_are_written_as_other_forms(tmp_path):
    labels(LETOR, tmp_path)
    assert convert(tmp_path / "test.letor", tmp_path / "qrels.txt") == 3
    assert (tmp_path / "qrels.txt").read_text().splitlines()[0].split() == ["10", "0", "GX029-35-5894638", "2"]
    assert convert(tmp_path / "test.letor", tmp_path / "labels.json", kind="qrels") == 3
    assert rows(read_qrels(tmp_path / "labels.json")) == rows(read_qrels(tmp_path / "test.letor"))
