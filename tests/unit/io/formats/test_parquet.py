"""Parquet and Arrow files."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.core.native import NATIVE
from judged.core.unread_runs import ArrowRun
from judged.io import files as limits
from judged.io.frames import frame_of
from judged.io.open_table import open_whole_run
from judged.io.read import read_run
from judged.io.write import write_run

pyarrow = optional("pyarrow")
parquet = optional("pyarrow.parquet")
feather = optional("pyarrow.feather")

COLUMNS = {
    "query_id": ["q1", "q1", "q1", "q2", "q2"],
    "text": ["one", "two", "three", "four", "five"],
    "doc_id": ["d1", "d2", "d3", "d4", "d1"],
    "score": [0.5, 0.9, 0.7, 0.3, 0.8],
}


@pytest.fixture
def hide_pyarrow(monkeypatch):
    """Make pyarrow missing from here on."""

    def hide():
        for module in [m for m in sys.modules if m.partition(".")[0] == "pyarrow"]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, "pyarrow", None)

    return hide


@pytest.fixture
def files(tmp_path):
    table = pyarrow.table(COLUMNS)
    parquet.write_table(table, tmp_path / "a.parquet")
    parquet.write_table(table, tmp_path / "groups.parquet", row_group_size=2, compression="zstd")
    feather.write_feather(table, tmp_path / "a.arrow", compression="zstd")
    with pyarrow.ipc.new_stream(tmp_path / "stream.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    return tmp_path


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("name", ["a.parquet", "groups.parquet", "a.parquet.gz", "a.arrow", "stream.arrow"])
def test_parquet_and_arrow_files_are_read(name, files, rows, run_rows):
    run = read_run(files / name)
    assert rows(run) == run_rows
    assert run.name == str(files / name)


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize(("name", "step"), [("a.parquet", 97), ("a.arrow", 97), ("stream.arrow", 8)])
def test_a_file_that_was_cut_anywhere_is_damaged(name, step, files):
    whole = (files / name).read_bytes()
    for size in range(4 if name != "a.arrow" else 6, len(whole), step):
        (files / f"cut-{name}").write_bytes(whole[:size])
        assert "none of it was used" in str(refusal("damaged", read_run, files / f"cut-{name}"))
        refusal("damaged", jd.evaluate, {"q1": {"d": 1}}, files / f"cut-{name}", "AP")


@pytest.mark.needs("pyarrow")
def test_without_a_library_the_error_says_what_to_install(files, hide_pyarrow):
    hide_pyarrow()
    for name in ("a.parquet", "a.arrow", "stream.arrow"):
        error = refusal("needs", read_run, files / name)
        assert "pip install judged[parquet]" in str(error)
    refusal("needs", write_run, {"q": {"d": 1}}, files / "out.parquet")
    assert not (files / "out.parquet").exists()


class Stream:
    """Arrow batches from a library that is not asked for."""

    def __init__(self, table):
        self.capsule = table.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


@pytest.mark.needs("pyarrow")
def test_batches_need_pyarrow(rows, run_rows, hide_pyarrow):
    first, second = Stream(pyarrow.table(COLUMNS)), Stream(pyarrow.table(COLUMNS))
    assert rows(read_run(first)) == run_rows
    hide_pyarrow()
    assert "pip install" in str(refusal("needs", read_run, second))


@pytest.mark.needs("pyarrow")
def test_missing_values_in_a_file_have_their_column_and_row(tmp_path):
    path = tmp_path / "null.parquet"
    parquet.write_table(pyarrow.table({**COLUMNS, "score": [0.5, None, 1, 1, 1]}), path)
    error = refusal("score-nan", read_run, path)
    assert (error.where.path, error.where.column, error.where.column_name) == (str(path), 4, "score")
    assert "row 2" in str(error)


@pytest.mark.needs("pyarrow")
def test_ids_keep_their_type_in_parquet(tmp_path):
    path = tmp_path / "int.parquet"
    parquet.write_table(pyarrow.table({**COLUMNS, "doc_id": [1, 2, 3, 4, 5]}), path)
    assert read_run(path).doc_kind == "integer"


def rankings(queries: int, docs: int) -> dict[str, list]:
    pairs = [(q, d) for q in range(queries) for d in range(docs)]
    return {
        "title": [f"text {d}" for _, d in pairs],
        "score": [float(-d) for _, d in pairs],
        "doc_id": [f"d{(d * 7 + q) % 50:03}" for q, d in pairs],
        "query_id": [f"query-{q}" for q, _ in pairs],
    }


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_run_file_of_columns_is_left_to_the_native_core(tmp_path, kind, monkeypatch):
    from pyarrow import ipc

    columns = rankings(40, 50)
    table, path = pyarrow.table(columns), tmp_path / f"run.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=700)
    else:
        with ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    monkeypatch.setattr(limits, "LONGEST_LINE", 1000)  # of text: a file of columns has no lines
    qrels = {f"query-{q}": {f"d{d:03}": d % 3 for d in range(0, 50, 5)} for q in range(40)}
    run = open_whole_run(path)
    assert isinstance(run, ArrowRun) == NATIVE
    plain = {}
    for query, doc, score in zip(columns["query_id"], columns["doc_id"], columns["score"], strict=True):
        plain.setdefault(query, {})[doc] = score
    found, expected = (jd.evaluate(qrels, one, "nDCG@10 AP RR") for one in (path, plain))
    assert [found[m].tolist() for m in found] == [expected[m].tolist() for m in expected]
    assert jd.read_run(path).to_dict() == plain


@pytest.mark.needs("pyarrow")
def test_reading_numbers_of_columns_imports_no_pandas(tmp_path):
    parquet.write_table(pyarrow.table(rankings(2, 3)), tmp_path / "run.parquet")
    # Python is not ended in the usual way, in which pyarrow 15 may abort.
    code = "import os, sys, judged as jd; jd.read_run(sys.argv[1]); print('pandas' in sys.modules, flush=True); os._exit(0)"
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path / "run.parquet")], capture_output=True, text=True, check=False)  # fmt: skip
    assert (told.stdout, told.returncode) == ("False\n", 0), told.stderr


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
def test_numbers_of_arrow_columns_keep_their_type_and_place(dtype):
    import pyarrow as pa

    values = np.arange(10, dtype=dtype)
    chunked = pa.chunked_array([pa.array(values[:4]).slice(1), pa.array(values[4:])])
    [column] = frame_of(pa.table({"x": chunked})).columns(["x"])
    assert column.dtype == np.dtype(dtype)
    assert column.tolist() == values[1:].tolist()
