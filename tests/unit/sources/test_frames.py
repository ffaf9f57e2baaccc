"""Frames of every library give what the TREC file gives, without importing another library."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from judged.sources import read_qrels, read_run

COLUMNS = {
    "qid": ["q1", "q1", "q1", "q2", "q2"],
    "docno": ["d1", "d2", "d3", "d4", "d1"],
    "score": [0.5, 0.9, 0.7, 0.3, 0.8],
    "rank": [1, 2, 3, 1, 2],
}


def small(library):
    module = pytest.importorskip(library)
    if library == "pandas":
        return module, module.DataFrame(COLUMNS)
    return module, module.DataFrame(COLUMNS) if library == "polars" else module.table(COLUMNS)


# ── pandas ───────────────────────────────────────────────────────────────────────────────────────


PANDAS_TYPES = {
    "as given": {},
    "objects": {"qid": object, "docno": object, "score": object},
    "strings": {"qid": "string", "docno": "string"},
    "categories": {"qid": "category", "docno": "category"},
    "nullable numbers": {"score": "Float64", "rank": "Int64"},
    "small floats": {"rank": "int16"},
    "arrow strings": {"qid": "string[pyarrow]", "docno": "string[pyarrow]"},
    "arrow types": {"qid": "large_string[pyarrow]", "score": "double[pyarrow]", "rank": "int64[pyarrow]"},
}


@pytest.mark.parametrize("types", PANDAS_TYPES)
def test_a_pandas_frame_is_a_run_whatever_its_types(types, rows, run_rows):
    _, frame = small("pandas")
    if "arrow" in types:
        pytest.importorskip("pyarrow")
    frame = frame.astype(PANDAS_TYPES[types])
    for source in (frame, frame.set_index(np.arange(10, 15)), frame.assign(read=1)[["read", *frame]]):
        run = read_run(source)
        assert rows(run) == run_rows
        assert run.rank.tolist() == COLUMNS["rank"]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "uint32", "category", object])
def test_integer_ids_of_pandas_are_integers(dtype):
    _, frame = small("pandas")
    run = read_run(frame.assign(qid=[7, 7, 7, 9, 9]).astype({"qid": dtype}))
    assert (run.query_kind, run.queries.tolist(), run.query.tolist()) == ("integer", [b"7", b"9"], [0, 0, 0, 1, 1])


@pytest.mark.parametrize("dtype", [object, "string", "category", "Int64", "float64"])
def test_missing_ids_of_pandas_are_refused(dtype, refusal):
    module, frame = small("pandas")
    numbers = dtype in ("Int64", "float64")
    ids = module.Series([1, 2, None, 4, 5] if numbers else ["a", "b", None, "d", "e"], dtype=dtype)
    error = refusal("id-null", read_run, frame.assign(docno=ids))
    assert str(error.where) == "run['docno'][2]"


@pytest.mark.parametrize("dtype", ["float64", "Float64", object, "Int64"])
def test_missing_numbers_of_pandas_are_refused(dtype, refusal):
    module, frame = small("pandas")
    frame = frame.assign(score=module.Series([1, 2, None, 4, 5], dtype=dtype))
    assert str(refusal("score-nan", read_run, frame).where) == "run['score'][2]"
    refusal("grade-type", read_qrels, frame.drop(columns="rank").rename(columns={"score": "label"}))


def test_text_in_a_column_of_scores_is_refused(refusal):
    _, frame = small("pandas")
    error = refusal("score-type", read_run, frame.assign(score=[1, 2, "high", 4, 5]))
    assert str(error.where) == "run['score'][2]"
    assert error.value == "high"


def test_two_columns_of_one_name_in_a_frame_are_refused(refusal):
    module, frame = small("pandas")
    refusal("columns", read_run, module.concat([frame, frame[["score"]]], axis=1))


def test_a_frame_without_rows_is_empty(refusal):
    _, frame = small("pandas")
    refusal("empty-run", read_run, frame[:0])


def test_a_frame_is_not_changed():
    _, frame = small("pandas")
    before = frame.copy(deep=True)
    read_run(frame)
    assert frame.equals(before)


def test_judgments_of_pandas_keep_fractions():
    module, _ = small("pandas")
    frame = module.DataFrame({"topic": ["q", "q"], "item": [1, 2], "rating": [0.9, 1.7]})
    assert read_qrels(frame).grade.tolist() == [0.9, 1.7]


# ── polars ───────────────────────────────────────────────────────────────────────────────────────


def test_a_polars_frame_is_a_run_lazy_or_not(rows, run_rows):
    module, frame = small("polars")
    typed = frame.with_columns(module.col("qid").cast(module.Categorical), module.col("score").cast(module.Float64))
    enum = frame.with_columns(module.col("qid").cast(module.Enum(["q1", "q2"])), docno=module.col("docno").cast(module.Binary))
    for source in (frame, frame.lazy(), typed, enum, frame.lazy().filter(module.col("score") > 0)):
        assert rows(read_run(source)) == run_rows


def test_integers_and_missing_values_of_polars(refusal):
    module, frame = small("polars")
    run = read_run(frame.with_columns(docno=module.Series([2**53 + 1, 2, 3, 4, 1])))
    assert (run.doc_kind, run.doc[0]) == ("integer", str(2**53 + 1).encode())
    assert str(refusal("id-null", read_run, frame.with_columns(docno=module.Series(["a", None, "c", "d", "e"]))).where) == "run['docno'][1]"
    assert str(refusal("id-null", read_run, frame.with_columns(docno=module.Series([1, None, 3, 4, 5]))).where) == "run['docno'][1]"
    refusal("score-nan", read_run, frame.with_columns(score=module.Series([1.0, None, 3, 4, 5])))
    refusal("score-type", read_run, frame.with_columns(score=module.Series(list("abcde"))))
    assert read_run(frame.with_columns(score=module.col("score").cast(module.Decimal(10, 2)))).score[0] == 0.5


# ── Arrow ────────────────────────────────────────────────────────────────────────────────────────


class Stream:
    """Anything with the Arrow stream protocol, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_arrow_data_is_a_run_in_every_container(rows, run_rows):
    module, table = small("pyarrow")
    batches = table.to_batches(max_chunksize=2)
    whole = table.combine_chunks().to_batches()[0]
    for source in (table, whole, module.Table.from_batches(batches), table.to_reader(), Stream(table)):
        assert rows(read_run(source)) == run_rows


def test_arrow_types_do_not_matter(rows, run_rows):
    module, table = small("pyarrow")
    text = [module.large_string(), module.string_view(), module.binary(), module.dictionary(module.int8(), module.string())]
    for kind in text:
        ids = {name: module.array(COLUMNS[name]).cast(kind) if "dict" not in str(kind) else module.array(COLUMNS[name]).dictionary_encode() for name in ("qid", "docno")}
        assert rows(read_run(module.table({**COLUMNS, **ids}))) == run_rows
    single = read_run(module.table({**COLUMNS, "score": module.array(COLUMNS["score"], module.float32())}))
    assert single.score[0] == 0.5


def test_a_reader_of_batches_is_read_once(refusal):
    _, table = small("pyarrow")
    reader = table.to_reader()
    assert len(read_run(reader)) == 5
    refusal("exhausted", read_run, reader)


def test_missing_values_of_arrow_are_refused(refusal):
    module, _ = small("pyarrow")
    for name, values, slug in (("docno", ["a", None, "c", "d", "e"], "id-null"), ("docno", [1, None, 3, 4, 5], "id-null"), ("score", [1, None, 3, 4, 5], "score-nan")):
        error = refusal(slug, read_run, module.table({**COLUMNS, name: values}))
        assert str(error.where) == f"run['{name}'][1]"


def test_a_single_column_is_no_table(refusal):
    module, table = small("pyarrow")
    refusal("form", read_run, table.column("score"))
    refusal("form", read_run, pytest.importorskip("polars").Series([1.0]))


# ── DuckDB ───────────────────────────────────────────────────────────────────────────────────────


VALUES = ", ".join(str(row) for row in zip(*COLUMNS.values(), strict=True))
SELECT = f"SELECT * FROM (VALUES {VALUES}) AS t(qid, docno, score, rank)"


def test_a_duckdb_relation_is_a_run(rows, run_rows, refusal):
    module = pytest.importorskip("duckdb")
    with module.connect() as connection:
        relation = connection.sql(SELECT)
        assert rows(read_run(relation)) == run_rows
        assert rows(read_run(relation)) == run_rows
        assert rows(read_run(connection.execute(SELECT))) == run_rows
        enum = connection.sql(f"SELECT qid::ENUM('q1', 'q2') AS qid, docno, score FROM ({SELECT})")
        assert rows(read_run(enum)) == run_rows
        missing = connection.sql(f"SELECT qid, nullif(docno, 'd2') AS docno, score FROM ({SELECT})")
        assert str(refusal("id-null", read_run, missing).where) == "run['docno'][1]"
        missing = connection.sql(f"SELECT qid, docno, nullif(score, 0.9) AS score FROM ({SELECT})")
        assert str(refusal("score-nan", read_run, missing).where) == "run['score'][1]"
        integers = connection.sql(f"SELECT 7 AS qid, docno, score FROM ({SELECT})")
        assert read_run(integers).query_kind == "integer"


# ── imports ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_no_library_is_imported_for_the_frame_of_another(library):
    pytest.importorskip(library)
    make = {
        "pandas": "import pandas; frame = pandas.DataFrame(columns)",
        "polars": "import polars; frame = polars.DataFrame(columns)",
        "duckdb": f"import duckdb; frame = duckdb.sql({SELECT!r})",
    }[library]
    code = f"""
import sys
columns = {COLUMNS!r}
{make}
before = {{name for name in ("pandas", "polars", "pyarrow", "duckdb") if name in sys.modules}}
from judged.sources import read_run
print(len(read_run(frame)), {{name for name in ("pandas", "polars", "pyarrow", "duckdb") if name in sys.modules}} - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "5 set()\n"


def test_reading_a_frame_warns_of_nothing():
    _, frame = small("pandas")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_run(frame.astype(PANDAS_TYPES["categories"]))
    assert not caught
