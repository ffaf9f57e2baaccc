"""Datasets of pyarrow and lazy frames of polars in parts."""

from __future__ import annotations

import os
import pickle

import pytest
from needs import optional
from small_partitions import COLUMNS, batches_of, described, error_of, rows_of, small

from judged.io.partitions import open_partitions
from judged.io.read import read_run
from judged.io.recognise import recognise

pyarrow = optional("pyarrow")
parquet = optional("pyarrow.parquet")
dataset = optional("pyarrow.dataset")


@pytest.fixture
def files(tmp_path):
    table = pyarrow.table(COLUMNS)
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    parquet.write_table(table, tmp_path / "b.parquet", row_group_size=3)
    return tmp_path


def values(rows):
    return [row[:4] for row in rows]


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_a_dataset_is_read_fragment_by_fragment(rows, files, monkeypatch):
    expected = described(read_run(files / "a.parquet")) + described(read_run(files / "b.parquet"))
    small(monkeypatch, rows)
    data = dataset.dataset(files)
    assert recognise(data).kind == "partitions"
    scattered = open_partitions(data)
    assert len(scattered.partitions.parts) == {1: 7, 3: 5, 100: 1}[rows]
    assert rows_of(scattered) == expected
    assert scattered.name == "run"


@pytest.mark.needs("pyarrow")
def test_a_filter_is_kept(files, monkeypatch):
    small(monkeypatch)
    data = dataset.dataset(files).filter(dataset.field("score") >= 1).filter(dataset.field("qid") != "q1")
    assert recognise(data).kind == "partitions"
    expected = [row for row in described(read_run(files / "a.parquet")) if row[2] >= 1 and row[0] != b"q1"]
    assert values(rows_of(open_partitions(data))) == values(expected) * 2
    table = pyarrow.table({**COLUMNS, "docno": ["", "a", "b", "c", None, "d", "e"]})
    parquet.write_table(table, files / "a.parquet")
    error = error_of(
        batches_of, open_partitions(dataset.dataset(files / "a.parquet").filter(dataset.field("score") == 1))
    )
    assert error.slug == "id-type"
    assert "in row 1 of those that pass the filter" in str(error)


@pytest.mark.needs("pyarrow")
def test_columns_in_names_of_folders_are_read_by_a_dataset(tmp_path):
    table = pyarrow.table({"docno": ["a", "b"], "score": [1.0, 2.0]})
    for query in ("q1", "q2"):
        (tmp_path / f"qid={query}").mkdir()
        parquet.write_table(table, tmp_path / f"qid={query}" / "part-0.parquet")
    found = values(rows_of(open_partitions(dataset.dataset(tmp_path, partitioning="hive"))))
    assert [row[:3] for row in found] == [(q, d, s) for q in (b"q1", b"q2") for d, s in ((b"a", 1.0), (b"b", 2.0))]


@pytest.mark.needs("pyarrow")
def test_other_datasets_are_read(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    (folder / "a.csv").write_text("qid,docno,score\nq1,d1,1.5\nq1,d2,0.5\n")
    found = values(rows_of(open_partitions(dataset.dataset(folder, format="csv"))))
    assert found == [(b"q1", b"d1", 1.5, None), (b"q1", b"d2", 0.5, None)]
    table = pyarrow.table(COLUMNS)
    expected = values(described(read_run(table)))
    assert values(rows_of(open_partitions(dataset.dataset(table)))) == expected
    assert values(rows_of(open_partitions(dataset.dataset(table).filter(dataset.field("score") < 0)))) == expected[2:3]
    union = dataset.dataset([dataset.dataset(files / "a.parquet"), dataset.dataset(table)])
    assert values(rows_of(open_partitions(union))) == expected * 2
    assert error_of(open_partitions, dataset.dataset(table.slice(0, 0))).slug == "empty-run"


@pytest.mark.needs("pyarrow")
def test_what_is_wrong_with_a_dataset_has_its_file_and_row(files, monkeypatch):
    small(monkeypatch)
    path = files / "b.parquet"
    parquet.write_table(pyarrow.table({**COLUMNS, "score": [1.0, 2, 3, 4, 5, None, 7]}), path, row_group_size=2)
    error = error_of(batches_of, open_partitions(dataset.dataset(files)))
    assert str(error) == str(error_of(read_run, path))
    assert error_of(open_partitions, dataset.dataset(files), query_col="x").slug == "columns"
    scattered = open_partitions(dataset.dataset(files))
    os.utime(files / "a.parquet", ns=(1, 1))
    assert "changed" in str(error_of(batches_of, scattered))
    (files / "a.parquet").write_bytes(b"PAR1")
    assert (
        error_of(
            open_partitions, dataset.dataset([str(files / "a.parquet")], schema=pyarrow.table(COLUMNS).schema)
        ).slug
        == "damaged"
    )


# ── polars ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.needs("polars", "pyarrow")
def test_a_lazy_frame_is_evaluated_in_batches(files, monkeypatch):
    import polars

    small(monkeypatch)
    for lazy in (
        polars.LazyFrame(COLUMNS),
        polars.scan_parquet(files / "a.parquet").filter(polars.col("score") > 0),
        polars.scan_parquet(files / "*.parquet").with_columns(score=polars.col("score") * 2),
    ):
        assert recognise(lazy).kind == "partitions"
        assert rows_of(open_partitions(lazy)) == described(read_run(lazy))
        assert len(pickle.dumps(open_partitions(lazy).partitions.parts)) < 10_000


@pytest.mark.needs("polars")
def test_a_lazy_frame_of_an_older_polars_is_collected(monkeypatch):
    import polars

    small(monkeypatch)
    if hasattr(polars.LazyFrame, "collect_batches"):
        monkeypatch.delattr(polars.LazyFrame, "collect_batches")
    lazy = polars.LazyFrame(COLUMNS)
    assert rows_of(open_partitions(lazy)) == described(read_run(lazy))


@pytest.mark.needs("polars")
def test_what_is_wrong_with_a_lazy_frame_has_its_row(tmp_path, monkeypatch):
    import polars

    small(monkeypatch)
    lazy = polars.LazyFrame({**COLUMNS, "docno": ["a", "b", "c", "d", "e", None, "g"]})
    assert str(error_of(batches_of, open_partitions(lazy))) == str(error_of(read_run, lazy))
    assert str(error_of(open_partitions, lazy, doc_col="x")) == str(error_of(read_run, lazy, doc_col="x"))
    assert error_of(open_partitions, polars.scan_parquet(tmp_path / "none.parquet")).slug == "damaged"
    failing = polars.LazyFrame({**COLUMNS, "score": list("abcdefg")}).with_columns(
        polars.col("score").cast(polars.Float64)
    )
    assert error_of(batches_of, open_partitions(failing)).slug == "damaged"
