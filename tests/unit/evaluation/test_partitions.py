"""Evaluating runs in parts: sources, engines, and what can be wrong with either."""

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.core.parts.run import LocalPartitions
from judged.io import partitions as _part_parquet
from judged.io.columns import ColumnRequest
from judged.io.partitions import open_partitions
from judged.io.stored import Stored

pa = optional("pyarrow")
dataset = optional("pyarrow.dataset")
parquet = optional("pyarrow.parquet")

QRELS = {f"q{q}": {f"d{i}": i % 3 for i in range(q, 40, 3)} for q in range(4)}
ROWS = [(f"q{i % 5}", f"d{i}", float(i * 7 % 4)) for i in range(60)]


def write(folder, rows=ROWS, files=6, **options):
    folder.mkdir(exist_ok=True)
    for number in range(files):
        columns = list(zip(*rows[number::files], strict=True))
        parquet.write_table(pa.table(columns, names=["query", "doc", "score"]), folder / f"{number}.parquet", **options)
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Six files, each a part of its own."""
    monkeypatch.setattr(_part_parquet, "FEWEST", 1)
    monkeypatch.setattr(_part_parquet, "MOST", 1)
    return write(tmp_path / "run")


@pytest.fixture
def whole():
    return jd.evaluate(QRELS, ROWS, "AP nDCG@5 RR")


def same(found, whole) -> bool:
    return all((found[m] == whole[m]).all() for m in whole.columns)


@pytest.mark.needs("pyarrow")
def test_a_folder_is_one_run_and_is_called_by_its_name(folder, whole):
    found = jd.evaluate(QRELS, f"{folder}/", "AP nDCG@5 RR")
    assert same(found, whole)
    assert str(found).startswith("run, judgments: qrels")
    assert "duplicates detected among judged documents" in str(found.policy)


@pytest.mark.needs("pyarrow")
def test_all_sources_of_parts_can_be_compared(folder, whole):
    files = sorted(map(str, folder.iterdir()))
    found = jd.compare(QRELS, {"a": folder, "b": dataset.dataset(folder), "c": files, "d": f"{folder}/*.parquet"}, "AP")
    assert {name: result.mean()["AP"] for name, result in zip(found.names, found.results, strict=True)} == dict.fromkeys("abcd", whole.mean()["AP"])  # fmt: skip


@pytest.mark.needs("native")
@pytest.mark.needs("pyarrow")
def test_an_executor_that_loses_or_invents_results_is_refused(folder):
    class Careless:
        def __init__(self, change):
            self.change = change

        def map(self, task, items):
            return self.change([task(item) for item in items])

    for change in (
        lambda results: results[1:],
        lambda results: results[:-1],
        lambda results: [*results, results[0]],
        lambda results: [],
    ):
        with pytest.raises(jd.EngineError) as error:
            jd.evaluate(QRELS, folder, "AP", engine=Careless(change))
        assert error.value.slug == "engine"
        assert error.value.exit_code == 3


@pytest.mark.needs("pyarrow")
def test_an_error_ends_the_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(_part_parquet, "FEWEST", 1)
    monkeypatch.setattr(_part_parquet, "MOST", 1)
    folder = write(tmp_path / "run", files=20)
    parquet.write_table(pa.table({"query": [1], "doc": ["d"], "score": [1.0]}), folder / "0.parquet")
    before = threading.active_count()
    for _ in range(5):
        refusal("id-type", jd.evaluate, QRELS, folder, "AP", engine=jd.Threads(3))
    assert threading.active_count() == before


def test_files_of_one_run_may_begin_with_an_infinite_score_and_end_without_a_line_end(tmp_path):
    (tmp_path / "0.txt").write_text("q1 Q0 x 1 5 t\nq1 Q0 a 2 2 t\n")
    (tmp_path / "1.txt").write_text("q2 Q0 b 1 inf t\nq2 Q0 c 2 1 t\n")
    (tmp_path / "2.txt").write_text("q3 Q0 b 1 3 t")
    found = jd.evaluate({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 1}}, tmp_path, "RR")
    assert found["RR"].tolist() == [0.5, 1.0, 1.0]


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("engine", ["nonsense", 7, jd.Threads])
def test_an_engine_that_is_none_is_refused(folder, engine):
    refusal("engine", jd.evaluate, QRELS, folder, "AP", engine=engine)


def test_a_wrong_path_is_a_wrong_path_with_any_engine(tmp_path):
    for engine in (None, "local", jd.Threads(1)):
        with pytest.raises(jd.FileError, match="No such file"):
            jd.evaluate(QRELS, str(tmp_path / "nothing"), "AP", engine=engine)


def test_what_lies_in_memory_needs_no_engine():
    refusal("engine", jd.evaluate, QRELS, {"q1": {"d1": 1.0}}, "AP", engine="local")


@pytest.mark.needs("pyarrow")
def test_chunks_need_the_run_in_memory(folder):
    refusal("engine", jd.evaluate, QRELS, folder, "AP", exclude_self=True)
    assert jd.evaluate(QRELS, folder, "AP", exclude_self=True, engine="memory").mean()


@pytest.mark.needs("pyarrow")
def test_a_query_of_a_run_in_parts_is_explained_with_its_unjudged_documents(folder):
    found, memory = jd.evaluate(QRELS, folder, "AP"), jd.evaluate(QRELS, ROWS, "AP")
    assert str(found.explain("AP", "q1")) == str(memory.explain("AP", "q1"))


def test_a_number_of_workers_is_one():
    for count in (0, -1, 1.5, "2"):
        refusal("parameter", jd.Threads, count)


@dataclass(frozen=True)
class Dying:
    """A part whose reader is killed."""

    path: Path

    size = 1

    @property
    def file(self):
        return Stored(str(self.path), (1, 0))

    def batches(self):
        os._exit(1)


@pytest.mark.needs("native")
@pytest.mark.needs("pyarrow")
@pytest.mark.slow
def test_the_partition_of_a_worker_that_dies_is_named(tmp_path):
    engine = ProcessPoolExecutor(1, get_context("spawn"))
    whole = open_partitions(write(tmp_path / "run"), ColumnRequest("run"))
    parts = (whole.partitions.parts[0], Dying(tmp_path / "second"), Dying(tmp_path / "third"))
    with pytest.raises(jd.EngineError) as caught:
        jd.evaluate(QRELS, replace(whole, partitions=LocalPartitions(parts)), "AP", engine=engine)
    assert (caught.value.slug, caught.value.exit_code) == ("engine", 3)
    assert "partition 2 of 3" in caught.value.problem
    assert str(caught.value.where) == str(tmp_path / "second")
