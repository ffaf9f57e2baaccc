"""Datasets of pyarrow and lazy frames of polars in parts."""

from concurrent.futures import ProcessPoolExecutor

import pytest
from needs import optional
from small_partitions import COLUMNS, described, error_of, open_partitions, small

import judged as jd
from judged.core.unread_runs import UnreadRun
from judged.io.read import read_run
from judged.io.recognise import recognise

pyarrow = optional("pyarrow")
parquet = optional("pyarrow.parquet")
dataset = optional("pyarrow.dataset")


@pytest.fixture
def files(tmp_path, monkeypatch):
    small(monkeypatch)
    table = pyarrow.table(COLUMNS)
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    parquet.write_table(table, tmp_path / "b.parquet", row_group_size=3)
    return tmp_path


def batches_of(run):
    return [
        batch.read() if isinstance(batch, UnreadRun) else batch
        for part in run.partitions.parts
        for batch in part.batches()
    ]


def values(source, **columns):
    """The rows of all batches. Looked at twice they are the same, and `read` gives them too."""
    assert recognise(source).kind == "partitions"
    run = open_partitions(source, **columns)
    rows = [row for batch in batches_of(run) for row in described(batch)]
    assert rows == [row for batch in batches_of(run) for row in described(batch)]
    assert rows == described(run.read())
    return [row[:4] for row in rows]


def rows_of_files(*paths):
    return [row[:4] for path in paths for row in described(read_run(path))]


@pytest.mark.needs("pyarrow")
def test_a_dataset_is_read_in_batches(files):
    data = dataset.dataset(files)
    assert values(data) == rows_of_files(files / "a.parquet", files / "b.parquet")
    assert len(batches_of(open_partitions(data))) > 3
    assert open_partitions(data).name == "run"


@pytest.mark.needs("pyarrow")
def test_a_filter_is_kept(files):
    data = dataset.dataset(files).filter(dataset.field("score") >= 1).filter(dataset.field("qid") != "q1")
    assert values(data) == [row for row in rows_of_files(files / "a.parquet") if row[2] >= 1 and row[0] != b"q1"] * 2


@pytest.mark.needs("pyarrow")
def test_columns_in_names_of_folders_are_read_by_a_dataset(tmp_path):
    table = pyarrow.table({"docno": ["a", "b"], "score": [1.0, 2.0]})
    for query in ("q1", "q2"):
        (tmp_path / f"qid={query}").mkdir()
        parquet.write_table(table, tmp_path / f"qid={query}" / "part-0.parquet")
    found = values(dataset.dataset(tmp_path, partitioning="hive"))
    assert [row[:3] for row in found] == [(q, d, s) for q in (b"q1", b"q2") for d, s in ((b"a", 1.0), (b"b", 2.0))]


@pytest.mark.needs("pyarrow")
def test_other_datasets_are_read(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    (folder / "a.csv").write_text("qid,docno,score\nq1,d1,1.5\nq1,d2,0.5\n")
    found = values(dataset.dataset(folder, format="csv"))
    assert found == [(b"q1", b"d1", 1.5, None), (b"q1", b"d2", 0.5, None)]
    table = pyarrow.table(COLUMNS)
    expected = [row[:4] for row in described(read_run(table))]
    assert values(dataset.dataset(table)) == expected
    assert values(dataset.dataset([dataset.dataset(files / "a.parquet"), dataset.dataset(table)])) == expected * 2
    assert error_of(open_partitions(dataset.dataset(table.slice(0, 0))).read).slug == "empty-run"


@pytest.mark.needs("pyarrow")
def test_what_is_wrong_with_a_dataset_has_its_row(files):
    path = files / "b.parquet"
    parquet.write_table(pyarrow.table({**COLUMNS, "score": [1.0, 2, 3, 4, 5, None, 7]}), path)
    error = error_of(batches_of, open_partitions(dataset.dataset(path)))
    assert (error.slug, str(error.where)) == ("score-nan", "run['score'][5]")
    assert error_of(open_partitions, dataset.dataset(files), query_col="x").slug == "columns"
    (files / "a.parquet").write_bytes(b"PAR1")
    broken = dataset.dataset([str(files / "a.parquet")], schema=pyarrow.table(COLUMNS).schema)
    assert error_of(batches_of, open_partitions(broken)).slug == "damaged"
    with pytest.raises(jd.UsageError, match="in this process"):
        jd.evaluate({"q1": {"d1": 1}}, dataset.dataset(path), "P@1", engine=ProcessPoolExecutor(1))


@pytest.mark.needs("polars", "pyarrow")
def test_a_lazy_frame_is_evaluated_in_batches(files, monkeypatch):
    import polars

    frames = (
        polars.LazyFrame(COLUMNS),
        polars.scan_parquet(files / "a.parquet").filter(polars.col("score") > 0),
        polars.scan_parquet(files / "*.parquet").with_columns(score=polars.col("score") * 2),
    )
    for lazy in frames:
        assert values(lazy) == [row[:4] for row in described(read_run(lazy))]
    if hasattr(polars.LazyFrame, "collect_batches"):
        monkeypatch.delattr(polars.LazyFrame, "collect_batches")  # an older polars
    assert values(frames[0]) == [row[:4] for row in described(read_run(frames[0]))]


@pytest.mark.needs("polars")
def test_what_is_wrong_with_a_lazy_frame_has_its_row(tmp_path):
    import polars

    lazy = polars.LazyFrame({**COLUMNS, "docno": ["a", "b", "c", "d", "e", None, "g"]})
    assert str(error_of(batches_of, open_partitions(lazy))) == str(error_of(read_run, lazy))
    assert str(error_of(open_partitions, lazy, doc_col="x")) == str(error_of(read_run, lazy, doc_col="x"))
    assert error_of(open_partitions, polars.scan_parquet(tmp_path / "none.parquet")).slug == "damaged"
    words = polars.LazyFrame({**COLUMNS, "score": list("abcdefg")})
    failing = words.with_columns(polars.col("score").cast(polars.Float64))
    assert error_of(batches_of, open_partitions(failing)).slug == "damaged"
