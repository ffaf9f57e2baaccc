"""Results in one line, and as tables of other libraries."""

import sys

import pytest
from refusals import refusal

import judged as jd

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 0}}
RUN = {"q1": {"a": 0.9, "b": 0.4}, "q2": {"c": 1.0}}
OTHER = {"q1": {"b": 0.9, "a": 0.4}, "q2": {"c": 1.0}}
VALUES = jd.evaluate(QRELS, RUN, "nDCG@10 AP", empty="skip")
TABLES = {
    "values": VALUES,
    "comparison": jd.compare(QRELS, {"x": RUN, "y": OTHER}, "AP RR"),
    "run": jd.Run(RUN, name="bm25"),
    "qrels": jd.Qrels(QRELS),
}
RESULTS = {
    **TABLES,
    "report": TABLES["comparison"].report(where=2),
    "explanation": VALUES.explain("AP"),
    "gate": jd.gate(QRELS, OTHER, baseline=RUN, measures="AP", max_drop=0.1),
    "curves": jd.curves.roc_curve([1, 0, 1], [0.9, 0.5, 0.1]),
    "agreement": jd.agree(QRELS, QRELS),
    "power": jd.power({q: {"a": 1} for q in "123"}, {q: ["a"] for q in "123"}, {q: [*"ba"[q == "1" :]] for q in "123"}),
    "correlation": jd.correlate(RUN, OTHER),
    "leaderboard": jd.leaderboard({c: {r: jd.evaluate(QRELS, x) for r, x in (("x", RUN), ("y", OTHER))} for c in "ab"}),
    "long name": jd.evaluate(QRELS, jd.Run(RUN, name="x" * 500), "P@1 P@2 P@3 P@4 P@5 P@6 P@7 P@8"),
    "control characters": jd.evaluate(QRELS, jd.Run(RUN, name="a\nb\x1b[0m"), "AP"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_repr_of_a_result_is_a_short_line_and_print_shows_the_table(name):
    result = RESULTS[name]
    line = repr(result)
    assert line.isprintable()
    assert len(line) <= 80
    assert line.startswith(f"{type(result).__name__}(")
    assert line.endswith(")")
    if name not in ("run", "qrels"):
        assert "\n" in str(result)
    assert "<" in result._repr_html_()


def test_the_repr_of_values_has_the_run_the_queries_and_whole_numbers():
    assert repr(VALUES) == "Values('run', 2 queries, nDCG@10=1.0000, AP=1.0000)"
    long = repr(RESULTS["long name"])
    assert long.endswith(", …)")
    assert all(len(fact.partition("=")[2]) == 6 for fact in long.split(", ") if "=" in fact)


def test_the_repr_of_a_comparison_is_its_answer():
    assert repr(TABLES["comparison"]) == f"Comparison({TABLES['comparison'].headline()[0]})"


COLUMNS = {
    "values": ["query_id", "nDCG@10", "AP"],
    "comparison": list(TABLES["comparison"].records()[0]),
    "run": ["query_id", "doc_id", "score"],
    "qrels": ["query_id", "doc_id", "relevance"],
}


@pytest.mark.needs("pyarrow", "polars", "pandas", "duckdb")
@pytest.mark.parametrize("name", TABLES)
def test_libraries_with_an_arrow_interface_take_it_as_a_table(name):
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    table = TABLES[name]
    rows = pa.table(table).to_pylist()
    assert list(rows[0]) == COLUMNS[name]
    assert pl.DataFrame(table).to_dicts() == rows
    assert table.to_polars().to_dicts() == rows
    source = table  # DuckDB finds it by this name
    assert duckdb.sql("select * from source").fetchall() == [tuple(row.values()) for row in rows]
    assert source is table
    frame = pd.DataFrame.from_arrow(table) if hasattr(pd.DataFrame, "from_arrow") else pa.table(table).to_pandas()
    assert list(frame.columns) == list(table.to_pandas().reset_index().columns)[-len(frame.columns) :]


@pytest.mark.needs("pyarrow")
def test_missing_values_are_null_in_columns_of_numbers():
    import pyarrow as pa

    table = pa.table(VALUES)
    assert table["AP"].to_pylist() == [1.0, None]
    assert str(table.schema.field("AP").type) == "double"
    none = jd.evaluate({"q1": {"a": 0}}, {"q1": ["a"]}, "AP", empty="skip")
    assert (pa.table(none)["AP"].to_pylist(), str(pa.table(none).schema.field("AP").type)) == ([None], "double")
    single = pa.table(jd.compare({"q1": {"a": 1}}, [{"q1": ["a"]}, {"q1": ["b", "a"]}], "AP"))
    assert str(single.schema.field("low").type) == "double"


@pytest.mark.needs("pyarrow", "polars")
def test_rows_are_those_of_the_source_and_ids_keep_their_type():
    import polars as pl
    import pyarrow as pa

    run = jd.Run([(2, 7, 0.5), (1, 8, 0.25), (2, 9, 0.75)])
    assert pa.table(run).to_pydict() == {"query_id": [2, 1, 2], "doc_id": [7, 8, 9], "score": [0.5, 0.25, 0.75]}
    assert jd.Run(pl.DataFrame(run)) == run
    assert jd.Qrels(pa.table(TABLES["qrels"])) == TABLES["qrels"]
    wide = jd.Run({2**70: {"a": 1.0}})
    assert pa.table(wide)["query_id"].to_pylist() == [str(2**70)]


@pytest.mark.needs("pyarrow")
def test_ids_that_are_not_utf8_are_refused(tmp_path):
    (tmp_path / "r.run").write_bytes(b"q1 Q0 h\xfclle 1 0.5 t\n")
    refusal("id-type", jd.read_run(tmp_path / "r.run").to_arrow)


def test_without_pyarrow_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for table in TABLES.values():
        assert "pip install" in str(refusal("needs", table.__arrow_c_stream__))


@pytest.mark.needs("pyarrow")
def test_a_run_is_not_read_as_judgments_though_it_is_a_table():
    refusal("swapped", jd.read_qrels, TABLES["run"])
    refusal("swapped", jd.evaluate, TABLES["run"], TABLES["qrels"])
