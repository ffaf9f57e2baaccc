"""Files that were removed or written to after they were read: their rows are still evaluated, with errors of their own."""

import subprocess
import sys

import pytest
from refusals import refusal

import judged as jd

_JSON = '{{"query_id":"q1","doc_id":"d1","{}":{}}}\n'
JUDGMENTS = {
    "qrels": "q1 0 d1 1\nq1 0 d1 2\n",
    "csv": "query_id,doc_id,relevance\nq1,d1,1\nq1,d1,2\n",
    "jsonl": _JSON.format("relevance", 1) + _JSON.format("relevance", 2),
    "letor": "1 qid:q1 1:0.5 #docid = d1\n2 qid:q1 1:0.5 #docid = d1\n",
}
RUNS = {
    "run": "q1 Q0 d1 1 0.5 t\nq1 Q0 d1 2 0.4 t\n",
    "csv": "query_id,doc_id,score\nq1,d1,1\nq1,d1,2\n",
    "jsonl": _JSON.format("score", 1) + _JSON.format("score", 2),
}


def _change(path, how):
    path.unlink() if how == "removed" else path.write_text("another text\n")


@pytest.mark.parametrize("how", ["removed", "changed"])
@pytest.mark.parametrize("form", JUDGMENTS)
def test_judgments_of_a_file_that_is_gone_are_found_twice(form, how, tmp_path):
    path = tmp_path / f"f.{form}"
    path.write_text(JUDGMENTS[form])
    qrels = jd.read_qrels(path)
    _change(path, how)
    refusal("duplicate-judgment", jd.evaluate, qrels, {"q1": ["d1"]}, "AP")
    assert jd.evaluate(qrels, {"q1": ["d1"]}, "AP", rejudged="max").mean() == {"AP": 1.0}


@pytest.mark.parametrize("how", ["removed", "changed"])
@pytest.mark.parametrize("form", RUNS)
def test_documents_of_a_file_that_is_gone_are_found_twice(form, how, tmp_path):
    path = tmp_path / f"f.{form}"
    path.write_text(RUNS[form])
    run = jd.read_run(path)
    _change(path, how)
    refusal("duplicate-doc", jd.evaluate, {"q1": {"d1": 1}}, run, "AP")


def test_judgments_cannot_change_after_they_were_read():
    qrels = jd.Qrels({"q": {"a": 1, "b": 0}})
    for column in (qrels.grade, qrels.query):
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0


TRUNCATE = """
import os, sys
from judged.cli.main import main
from judged.core.native import native
scan = native.scan_text

def truncated(*arguments, **named):
    os.truncate(sys.argv[-1], 0)
    return scan(*arguments, **named)

native.scan_text = truncated
main()
"""


@pytest.mark.needs("native", "unix")  # only the native core maps files, and Windows keeps mapped ones
def test_a_file_that_is_truncated_while_it_is_scanned_is_an_error_of_the_command(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "a.run"
    qrels.write_text("q1 0 d1 1\n")
    run.write_text("".join(f"q1 Q0 d{i} {i} {-i} t\n" for i in range(20_000)))
    command = [sys.executable, "-c", TRUNCATE, "eval", str(qrels), str(run)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert done.stderr.startswith(f"error: {run}: ")
    assert done.stderr.endswith("[io]\n")
