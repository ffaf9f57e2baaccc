"""Spark as an executor: any task on any items."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.distributed.spark_executor import Spark, talking
from judged.errors import EngineError, Place

pytestmark = pytest.mark.spark


def test_results_come_back_in_the_order_of_the_items(spark):
    items = [(i, "x" * i) for i in range(7)]
    assert list(Spark(spark).map(lambda item: (item[0], len(item[1])), items)) == [(i, i) for i in range(7)]


def test_no_items_need_no_spark():
    assert list(Spark(object()).map(len, [])) == []


def test_arrays_and_large_results_come_back_whole(spark):
    big = np.arange(300_000)

    def task(item):
        return big + item[1]

    found = list(Spark(spark).map(task, [(0, 1), (1, 2)]))
    assert (found[0] == big + 1).all()
    assert (found[1] == big + 2).all()


def test_a_task_is_unpacked_once_in_a_process(spark, tmp_path):
    class Task:
        def __call__(self, item):
            return os.getpid()

        def __reduce__(self):
            return remade, (str(tmp_path),)

    def remade(folder):
        (Path(folder) / f"{os.getpid()}-{np.random.default_rng().integers(1 << 60)}").touch()
        return lambda item: os.getpid()

    processes = list(Spark(spark).map(Task(), [(i, None) for i in range(8)]))
    unpacked = [name.name.partition("-")[0] for name in tmp_path.iterdir()]
    assert sorted(set(unpacked)) == sorted(unpacked)
    assert set(map(str, processes)) == set(unpacked)


def test_an_error_of_ours_is_raised_as_it_was(spark):
    def task(item):
        raise jd.DataError("columns", "six", got=f"{item[1]}", hint="look", where=Place("a.run", 3), value="v")

    with pytest.raises(jd.DataError) as caught:
        list(Spark(spark).map(task, [(0, 5), (1, 4)]))
    assert str(caught.value) == "a.run:3: expected six, got 5. Look.  [columns]"
    assert caught.value.value == "v"


def test_another_error_becomes_one_of_the_engine_and_says_what_it_was(spark):
    def task(item):
        raise ValueError("a bug")

    with pytest.raises(EngineError) as caught:
        list(Spark(spark).map(task, [(0, None)]))
    assert caught.value.value == "ValueError: a bug"
    assert caught.value.slug == "engine"
    assert caught.value.exit_code == 3


def test_a_worker_that_dies_becomes_one_too(spark):
    def task(item):
        os._exit(9)

    with pytest.raises(EngineError, match="Job aborted due to stage failure: Task 0"):
        list(Spark(spark).map(task, [(0, None)]))
    assert list(Spark(spark).map(lambda item: 1, [(0, None)])) == [1]


def test_workers_with_another_version_are_refused(spark, monkeypatch):
    monkeypatch.setattr("judged._version.__version__", "9.9")
    caught = refusal("needs", Spark(spark).map, len, [(0, None)])
    assert "9.9" in caught.value
    assert "ship=True" in str(caught.hint)


@pytest.mark.parametrize(("said", "named"), [
    ("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.7 than that in driver: 3.11, PySpark cannot run", "3.7"),
    ("Traceback (most recent call last):\nModuleNotFoundError: No module named 'pyarrow'", "pyarrow"),
    ('java.io.IOException: Cannot run program "/opt/python9": error=2, No such file or directory', "/opt/python9"),
])  # fmt: skip
def test_workers_with_another_python_are_told_with_its_name_and_the_variable(spark, said, named):
    with pytest.raises(EngineError) as caught, talking():
        raise RuntimeError(said)
    assert caught.value.slug == "engine"
    assert named in caught.value.problem
    assert "PYSPARK_PYTHON" in str(caught.value.hint)
    assert sys.executable in str(caught.value.hint)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_without_any_session_it_is_said_how_to_make_one(monkeypatch):
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    caught = refusal("engine", Spark().map, len, [(0, None)])
    assert "SparkSession.builder" in str(caught.hint)
