"""Warnings that go through Python's `warnings`, because they change how a number must be read."""

import subprocess
import sys
import warnings
from contextlib import contextmanager

import pytest

import judged as jd
from judged.compat import pytrec_eval
from judged.errors import JudgedWarning

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
WHOLE = {"q1": {"a": 1.0}, "q2": {"c": 1.0}}
PARTIAL = {"q1": {"a": 1.0}}
STARS = {"q1": {"a": 5, "b": 2, "c": 1}}


@contextmanager
def issued(action="always"):
    """The slugs of what is issued."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action, JudgedWarning)
        slugs = []
        yield slugs
    slugs += [str(one.message).rpartition("[")[2].rstrip("]") for one in caught]
    assert all(one.filename == __file__ and one.category is JudgedWarning for one in caught)


@pytest.mark.parametrize(
    ("qrels", "run", "slug"),
    [
        (QRELS, PARTIAL, "query-missing"),
        (QRELS, {"q1": {"a": 1.0}, "q2": {}}, "empty-list"),
        (QRELS, {"q1": {"x": 1.0}, "q2": {"y": 1.0}}, "no-overlap"),
        (STARS, {"q1": ["c", "b", "a"]}, "level"),
    ],
)
def test_what_changes_a_number_is_issued_at_the_line_of_the_caller(qrels, run, slug):
    with issued() as slugs:
        values = jd.evaluate(qrels, run, "AP")
    assert slugs == [slug]
    assert slug in [one.slug for one in values.warnings]


def test_nothing_is_issued_and_no_warning_computed_for_ordinary_data(monkeypatch):
    monkeypatch.setattr("judged.core.join.join_warnings", lambda *_: pytest.fail("not needed"))
    with issued() as slugs:
        jd.evaluate(QRELS, WHOLE, "AP nDCG@10")
    assert not slugs


def test_queries_that_are_left_out_on_request_issue_nothing():
    with issued() as slugs:
        jd.evaluate(QRELS, PARTIAL, "AP", queries="both")
    assert not slugs


def test_other_warnings_are_not_issued():
    with issued() as slugs:
        values = jd.evaluate({"q1": {"a": 0}, "q2": {"c": 200}}, WHOLE, "nDCG")
    assert not slugs
    assert {one.slug for one in values.warnings} >= {"no-relevant", "grade-large"}
    with issued() as slugs:  # a level was chosen
        jd.evaluate(STARS, {"q1": ["c", "b", "a"]}, "AP", level=3)
    assert not slugs


def test_readers_warnings_of_files_are_issued_when_values_are_made(tmp_path):
    (tmp_path / "log.csv").write_text("user_id,item_id,timestamp\nq1,a,100\nq2,c,101\n")
    with issued() as slugs:
        qrels = jd.read_qrels(tmp_path / "log.csv")
    assert not slugs
    with issued() as slugs:
        jd.evaluate(qrels, WHOLE, "AP")
    assert slugs == ["no-grades"]


def test_ids_that_were_read_in_another_encoding_are_issued(tmp_path):
    (tmp_path / "q.txt").write_text("hülle 0 a 1\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("hülle Q0 a 1 1.0 t\n", encoding="cp1252")
    with issued() as slugs:
        jd.evaluate(tmp_path / "q.txt", tmp_path / "r.run", "AP")
    assert slugs == ["encoding"]


def test_a_comparison_issues_that_a_run_is_not_comparable():
    with issued() as slugs:
        found = jd.compare(QRELS, {"x": WHOLE, "y": PARTIAL}, "AP")
    assert slugs == ["query-missing", "incomparable"]
    assert found.rows[0].verdict == "not comparable"
    with issued() as slugs:
        values = [jd.evaluate(QRELS, WHOLE, "AP"), jd.evaluate({"q1": {"a": 1}}, {"q1": ["b", "a"]}, "AP")]
        jd.compare(dict(zip("xy", values, strict=True)))
    assert slugs == ["queries-differ"]


def test_a_loop_issues_a_warning_once():
    with issued("default") as slugs:
        for _ in range(3):
            jd.evaluate(QRELS, PARTIAL, "AP")
    assert slugs == ["query-missing"]


def test_a_filter_makes_it_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", JudgedWarning)
        with pytest.raises(JudgedWarning, match=r"counted as 0.*\[query-missing\]"):
            jd.evaluate(QRELS, PARTIAL, "AP")
    with pytest.warns(JudgedWarning):
        jd.gate(QRELS, PARTIAL, min={"AP": 0.1})


def test_drop_ins_issue_nothing():
    with issued() as slugs:
        pytrec_eval.RelevanceEvaluator({"q1": {"a": 3, "b": 2, "c": 1, "d": 0}}, {"map"}).evaluate(PARTIAL)
    assert not slugs


def test_a_command_prints_each_warning_once(tmp_path):
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq2 0 c 1\n")
    (tmp_path / "r.run").write_text("q1 Q0 a 1 1.0 t\n")
    for format in ("table", "json"):
        command = [
            sys.executable,
            "-W",
            "always",
            "-m",
            "judged",
            "eval",
            "q.txt",
            "r.run",
            "-m",
            "AP",
            "--format",
            format,
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert (done.stdout + done.stderr).count("counted as 0") == 1
        assert "JudgedWarning" not in done.stderr
