"""Columns of scores as runs beside labels: files with a number a line, lists, arrays, tensors."""

from importlib import import_module

import numpy as np
import pytest
from needs import each
from refusals import refusal

import judged as jd
from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError
from judged.io.open_table import open_whole_run
from judged.io.read import read_run

LETOR = """\
2 qid:10 1:0.031310 2:0.666667 #docid = GX029-35-5894638 inc = 0.01 prob = 0.13
0 qid:10 1:0.078682 2:0.166667 #docid = GX030-77-6315042 inc = 1 prob = 0.34
1 qid:11 1:0.019058 2:1.000000 #docid = GX140-98-13566007 inc = 1 prob = 0.07
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "test.letor").write_text(LETOR)
    (tmp_path / "scores.txt").write_text("0.1\n0.7\n-3e-2\n")
    return tmp_path / "test.letor", tmp_path / "scores.txt"


def test_a_file_of_scores_is_the_run_of_the_lines_beside_it(files):
    found = jd.evaluate(*files, "RR nDCG@10")
    assert found["RR"].tolist() == [1 / 2, 1]
    assert found.names == tuple(map(str, files))
    run = read_run(files[1], labels=files[0])
    assert run.score.tolist() == [0.1, 0.7, -0.03]
    assert run.doc.tolist()[1] == b"GX030-77-6315042"
    assert run.path == str(files[1])


def test_without_the_native_core_it_is_the_same(files, monkeypatch):
    monkeypatch.setattr("judged.io.open_table.NATIVE", False)
    assert jd.evaluate(*files, "RR")["RR"].tolist() == [1 / 2, 1]


def test_lines_that_say_nothing_do_not_count_on_either_side(files):
    files[0].write_text("# header\n" + LETOR.replace("\n", "\n\n"))
    files[1].write_text("# scores of a model\n\n0.1\r\n  0.7\n\n-3e-2\n\n")
    assert jd.evaluate(*files, "RR")["RR"].tolist() == [1 / 2, 1]


@pytest.mark.parametrize("text", ["0.1\n0.7\n", "0.1\n0.7\n1\n2\n"])
def test_another_count_of_lines_is_an_error_that_names_both(files, text):
    files[1].write_text(text)
    caught = refusal("lengths", jd.evaluate, *files)
    count = text.count("\n")
    assert str(count) in str(caught)


@pytest.mark.parametrize(
    ("line", "slug"), [("x", "score-type"), ("nan", "score-nan"), ("0.1 0.2", "score-type"), ("1\t2", "columns")]
)
def test_what_is_no_score_is_said_with_its_line(files, line, slug):
    files[1].write_text(f"0.1\n{line}\n0.3\n")
    caught = refusal(slug, jd.evaluate, *files)
    assert str(caught.where).startswith(f"{files[1]}:2")


def test_infinite_scores_are_ranked_and_warned_of(files):
    files[1].write_text("-inf\ninf\n1\n")
    found = jd.evaluate(*files, "RR")
    assert found["RR"].tolist() == [1 / 2, 1]
    assert "score-inf" in [w.slug for w in found.warnings]


def test_scores_alone_are_no_run(files):
    for source in (files[1], [0.1, 0.7, 0.3], np.array([0.1, 0.7, 0.3])):
        caught = refusal("form", read_run, source)
        assert "labels=" in str(caught.hint)
    with pytest.raises(DataError, match="a column of scores"):
        jd.correlate(files[1], files[1])


def test_files_in_the_wrong_places_are_told(files):
    with pytest.raises(DataError, match=r"\[swapped\]"):
        jd.evaluate(files[1], files[0])
    with pytest.raises(DataError, match=r"\[swapped\]"):
        jd.evaluate(files[0], files[0])


def test_a_run_with_ids_goes_with_labels_too(files):
    run = {"10": {"GX029-35-5894638": 0.1, "GX030-77-6315042": 0.7}, "11": ["GX140-98-13566007"]}
    assert jd.evaluate(files[0], {**run, "11": {"GX140-98-13566007": 1.0}}, "RR")["RR"].tolist() == [1 / 2, 1]


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "float32": lambda numbers: np.array(numbers, "f4"),
    "pandas": lambda numbers: import_module("pandas").Series(numbers),
    "polars": lambda numbers: import_module("polars").Series(numbers),
    "pyarrow": lambda numbers: import_module("pyarrow").chunked_array([numbers]),
}


@pytest.mark.parametrize("kind", ["list", "tuple", "array", "float32", *each("pandas", "polars", "pyarrow")])
def test_numbers_in_memory_are_the_run_beside_any_judgments(files, kind):
    column = COLUMNS[kind]([0.1, 0.7, -0.03])
    assert jd.evaluate(files[0], column, "RR")["RR"].tolist() == [1 / 2, 1]
    assert jd.evaluate([("a", "x", 2), ("a", "y", 0), ("b", "x", 1)], column, "RR")["RR"].tolist() == [1 / 2, 1]
    assert read_run(column, labels=files[0], name="mine").name == "mine"


@pytest.mark.needs("torch")
@pytest.mark.slow
def test_tensors_are_the_run_too(files):
    import torch

    tensor = torch.tensor([0.1, 0.7, -0.03], requires_grad=True)
    for column in (tensor, tensor.to(torch.bfloat16), tensor.detach()):
        assert jd.evaluate(files[0], column, "RR")["RR"].tolist() == [1 / 2, 1]


def test_wrong_numbers_in_memory_are_told(files):
    for column, slug in (([0.1, float("nan"), 1], "score-nan"), ([0.1, 0.2], "lengths"), ([0.1, "x", 2], "dtype")):
        refusal(slug, jd.evaluate, files[0], column)


def test_a_list_of_whole_numbers_is_a_column_and_other_lists_are_what_they_were():
    assert isinstance(open_whole_run([3, 1, 2]), ScoreColumn)
    assert not isinstance(open_whole_run([("q", "d", 1.0)]), ScoreColumn)
    assert not isinstance(open_whole_run({"q": [3, 1, 2]}), ScoreColumn)


def test_comparisons_curves_explanations_and_pages_take_them(files, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("0.9\n0.7\n0\n")
    compared = jd.compare(files[0], [files[1], other], "nDCG@10 RR")
    assert [r.mean()["RR"] for r in compared.results] == [3 / 4, 1]
    assert len(jd.curve("at-k", files[0], files[1], measures="P").curves) == 1
    assert jd.explain("RR", files[0], files[1], "10").value == 1 / 2
    assert jd.evaluate(*files, "RR").explain("RR", "10").value == 1 / 2
    jd.report(compared, tmp_path / "page.html")
    assert "GX030" in str(jd.evaluate(*files, "RR").source.documents([0]))
    assert not jd.gate(files[0], files[1], baseline=other, measures="RR", min={"RR": 0.9}).passed
