"""`jd.Run` and `jd.Qrels` as constructors."""

import pickle
import subprocess
import sys

import pytest

import judged as jd

TABLE = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}


@pytest.mark.needs("pandas")
def test_runs_and_judgments_are_made_from_mappings_frames_and_files(tmp_path):
    import pandas as pd

    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 a 2\nq1 0 b 1\nq2 0 c 1\n")
    rows = [(q, d, n) for q, row in TABLE.items() for d, n in row.items()]
    frame = pd.DataFrame(rows, columns=["qid", "doc", "n"])
    for qrels in (jd.Qrels(TABLE), jd.Qrels(rows), jd.Qrels(frame, grade_col="n"), jd.Qrels(path)):
        assert isinstance(qrels, jd.Qrels)
        assert qrels.to_dict() == TABLE
        assert pickle.loads(pickle.dumps(jd.Qrels(TABLE))).to_dict() == TABLE
    for run in (jd.Run(TABLE), jd.Run(frame, score_col="n", name="bm25")):
        assert isinstance(run, jd.Run)
        assert run.to_dict() == TABLE
    assert jd.Run(run) is run
    assert jd.evaluate(jd.Qrels(TABLE), jd.Run(TABLE), "nDCG").mean() == {"nDCG": 1.0}


def test_runs_and_judgments_are_the_first_thing_that_a_program_may_make():
    code = "import judged as jd; print(jd.Qrels({'q': {'a': 1}}), jd.Run({'q': ['a']}))"
    assert "1 query" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
