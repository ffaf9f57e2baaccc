"""Spark Connect: a client that shares nothing with the JVM. In a process of its own, because PySpark is one or the other."""

import pickle
import subprocess
import sys
from pathlib import Path

import on_spark
import pytest
from on_spark import PATIENCE, environment, same, tied_run, written

import judged as jd

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.needs("grpc")]
MEASURES = "nDCG@10 AP RR P@5 R@100 Bpref Judged@10"


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What a session of Spark Connect gives."""
    folder = tmp_path_factory.mktemp("connect")
    (folder / "run").mkdir()
    written(tied_run()[1], folder / "run")
    program = Path(on_spark.__file__).with_name("spark_connect.py")
    subprocess.run(
        [sys.executable, str(program), str(folder), MEASURES], env=environment(), check=True, timeout=PATIENCE
    )
    return pickle.loads((folder / "answers").read_bytes())


def test_tables_files_and_frames_give_the_bits_of_one_process(answers):
    wanted = jd.evaluate(*tied_run(), MEASURES)
    for way in ("table", "files", "shipped"):
        same(answers[way], wanted)


def test_judgments_are_read_from_a_dataframe(answers):
    assert answers["qrels"] == sum(map(len, tied_run()[0].values()))


def test_errors_are_ours(answers):
    assert answers["missing"] == ("DataError", "score-nan")
    assert answers["bug"] == ("EngineError", "engine")
    assert answers["stopped"] == ("EngineError", "engine")
