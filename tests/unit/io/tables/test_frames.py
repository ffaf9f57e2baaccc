"""Frames of every library give what the TREC file gives, without importing another library."""

import subprocess
import sys
from importlib import import_module

import pytest
from needs import each, optional
from refusals import refusal

from judged.errors import DataError
from judged.io.read import read_run

COLUMNS = {
    "qid": ["q1", "q1", "q1", "q2", "q2"],
    "docno": ["d1", "d2", "d3", "d4", "d1"],
    "score": [0.5, 0.9, 0.7, 0.3, 0.8],
    "rank": [1, 2, 3, 1, 2],
}


def small(library):
    module = import_module(library)
    return module, module.DataFrame(COLUMNS) if library == "polars" else module.table(COLUMNS)


@pytest.mark.needs("polars")
def test_a_polars_frame_is_a_run_lazy_or_not(rows, run_rows):
    module, frame = small("polars")
    typed = frame.with_columns(module.col("qid").cast(module.Categorical), module.col("score").cast(module.Float64))
    enum = frame.with_columns(
        module.col("qid").cast(module.Enum(["q1", "q2"])), docno=module.col("docno").cast(module.Binary)
    )
    for source in (frame, frame.lazy(), typed, enum, frame.lazy().filter(module.col("score") > 0)):
        assert rows(read_run(source)) == run_rows


@pytest.mark.needs("polars")
def test_integers_and_missing_values_of_polars():
    module, frame = small("polars")
    run = read_run(frame.with_columns(docno=module.Series([2**53 + 1, 2, 3, 4, 1])))
    assert (run.doc_kind, run.doc[0]) == ("integer", str(2**53 + 1).encode())
    assert (
        str(refusal("id-type", read_run, frame.with_columns(docno=module.Series(["a", None, "c", "d", "e"]))).where)
        == "run['docno'][1]"
    )
    assert (
        str(refusal("id-type", read_run, frame.with_columns(docno=module.Series([1, None, 3, 4, 5]))).where)
        == "run['docno'][1]"
    )
    refusal("score-nan", read_run, frame.with_columns(score=module.Series([1.0, None, 3, 4, 5])))
    refusal("score-type", read_run, frame.with_columns(score=module.Series(list("abcde"))))
    assert read_run(frame.with_columns(score=module.col("score").cast(module.Decimal(10, 2)))).score[0] == 0.5


class Stream:
    """Anything with the Arrow stream protocol, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.needs("pyarrow")
def test_arrow_data_is_a_run_in_every_container(rows, run_rows):
    module, table = small("pyarrow")
    batches = table.to_batches(max_chunksize=2)
    whole = table.combine_chunks().to_batches()[0]
    for source in (table, whole, module.Table.from_batches(batches), table.to_reader(), Stream(table)):
        assert rows(read_run(source)) == run_rows


VIEWS = ["string_view"] if hasattr(optional("pyarrow"), "string_view") else []  # from pyarrow 16 on


@pytest.mark.parametrize("kind", ["large_string", *VIEWS, "binary", "dictionary"])
@pytest.mark.needs("pyarrow")
def test_arrow_types_do_not_matter(kind, rows, run_rows):
    module, _ = small("pyarrow")

    def typed(name):
        plain = module.array(COLUMNS[name])
        return plain.dictionary_encode() if kind == "dictionary" else plain.cast(getattr(module, kind)())

    assert rows(read_run(module.table({**COLUMNS, "qid": typed("qid"), "docno": typed("docno")}))) == run_rows
    single = module.array(COLUMNS["score"], module.float32())
    assert read_run(module.table({**COLUMNS, "score": single})).score[0] == 0.5


@pytest.mark.needs("pyarrow")
def test_a_reader_of_batches_is_read_once():
    _, table = small("pyarrow")
    reader = table.to_reader()
    assert len(read_run(reader).query) == 5
    refusal("empty-run", read_run, reader)


@pytest.mark.needs("pyarrow")
def test_missing_values_of_arrow_are_refused():
    module, _ = small("pyarrow")
    for name, values, slug in (
        ("docno", ["a", None, "c", "d", "e"], "id-type"),
        ("docno", [1, None, 3, 4, 5], "id-type"),
        ("score", [1, None, 3, 4, 5], "score-nan"),
    ):
        error = refusal(slug, read_run, module.table({**COLUMNS, name: values}))
        assert str(error.where) == f"run['{name}'][1]"


@pytest.mark.needs("polars")
@pytest.mark.needs("pyarrow")
def test_a_single_column_is_no_table():
    _, table = small("pyarrow")
    for column in (table.column("score"), import_module("polars").Series([1.0])):
        with pytest.raises(DataError, match=r"\[form\]"):
            read_run(column)
    with pytest.raises(DataError, match=r"\[form\]"):
        read_run(table.column("docno"))


VALUES = ", ".join(str(row) for row in zip(*COLUMNS.values(), strict=True))
SELECT = f"SELECT * FROM (VALUES {VALUES}) AS t(qid, docno, score, rank)"


@pytest.mark.needs("duckdb")
def test_a_duckdb_relation_is_a_run(rows, run_rows):
    import duckdb as module

    with module.connect() as connection:
        relation = connection.sql(SELECT)
        assert rows(read_run(relation)) == run_rows
        assert rows(read_run(relation)) == run_rows
        enum = connection.sql(f"SELECT qid::ENUM('q1', 'q2') AS qid, docno, score FROM ({SELECT})")
        assert rows(read_run(enum)) == run_rows
        missing = connection.sql(f"SELECT qid, nullif(docno, 'd2') AS docno, score FROM ({SELECT})")
        assert str(refusal("id-type", read_run, missing).where) == "run['docno'][1]"
        missing = connection.sql(f"SELECT qid, docno, nullif(score, 0.9) AS score FROM ({SELECT})")
        assert str(refusal("score-nan", read_run, missing).where) == "run['score'][1]"
        integers = connection.sql(f"SELECT 7 AS qid, docno, score FROM ({SELECT})")
        assert read_run(integers).query_kind == "integer"


@pytest.mark.slow
@pytest.mark.parametrize("library", each("pandas", "polars"))
def test_no_library_is_imported_for_the_frame_of_another(library):
    make = {
        "pandas": "import pandas; frame = pandas.DataFrame(columns)",
        "polars": "import polars; frame = polars.DataFrame(columns)",
    }[library]
    code = f"""
import sys
columns = {COLUMNS!r}
{make}
before = {{name for name in ("pandas", "polars", "pyarrow", "duckdb") if name in sys.modules}}
from judged.errors import DataError
from judged.io.read import read_run
print(len(read_run(frame).query), {{name for name in ("pandas", "polars", "pyarrow", "duckdb") if name in sys.modules}} - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "5 set()\n"
