"""Parquet and Arrow files in parts: the rows, places and errors of whole files."""

import os

import pytest
from needs import optional
from small_partitions import COLUMNS, batches_of, described, error_in_parts, error_of, open_partitions, rows_of, small

from judged.core.unread_runs import ArrowRun
from judged.io.read import read_run

pyarrow = optional("pyarrow")
parquet = optional("pyarrow.parquet")
feather = optional("pyarrow.feather")
pytestmark = pytest.mark.needs("pyarrow")
FORMS = ["parquet", "arrow", "arrows"]


def write(columns, path, chunk=3):
    table = columns if isinstance(columns, pyarrow.Table) else pyarrow.table(columns)
    if str(path).endswith(".arrow"):
        feather.write_feather(table, path, chunksize=chunk, compression="zstd")
    elif str(path).endswith(".arrows"):  # a stream
        with pyarrow.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=chunk)
    else:
        parquet.write_table(table, path, row_group_size=chunk)
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 2, 4, 100])
def test_rows_and_places_are_those_of_the_whole_file(form, rows, tmp_path, monkeypatch):
    path = write(COLUMNS, tmp_path / f"a [1]*.{form}")
    expected = described(read_run(path))
    small(monkeypatch, rows)
    scattered = open_partitions(path)
    assert rows_of(scattered) == expected
    cut = {1: 3, 2: 3, 4: 2, 100: 1}[rows]
    assert len(scattered.partitions.parts) == (cut if form == "parquet" else 1)
    assert (scattered.name, scattered.path) == (str(path), str(path))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "change",
    [
        {"qid": [1, 1, 2, 3, 3, 3, 1], "docno": [7, 8, 9, -1, 2**62, 4, 5]},
        {"score": None},
        {"rank": None},
        {"score": [1, 2, 3, 4, 5, 6, 7]},
        {"rank": [1, 2, 3, 4, 5, 6.5, 7]},
    ],
    ids=["integers", "ranks alone", "scores alone", "whole scores", "a rank that is none"],
)
def test_types_and_columns_are_kept(form, change, tmp_path, monkeypatch):
    columns = {name: values for name, values in {**COLUMNS, **change}.items() if values is not None}
    path = write(columns, tmp_path / f"a.{form}")
    expected = described(read_run(path))
    small(monkeypatch)
    found = [row for run in batches_of(open_partitions(path)) for row in described(run)]
    if change.get("rank"):
        assert described(open_partitions(path).read()) == expected
        found, expected = ([row[:3] for row in rows] for rows in (found, expected))
    assert found == expected


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "change",
    [
        {"score": [1.0, 2.0, 3.0, 4.0, None, 6.0, 7.0]},
        {"score": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, float("nan")]},
        {"score": list("abcdefg")},
        {"docno": ["a", "b", "c", "d", "e", None, "g"]},
        {"docno": [1, 2, 3, 4, None, 6, 7]},
        {"qid": ["a", "b", "c", "d", "e", None, "g"]},
        {"docno": ["a", "b", "c", "d", "", "f", "g"]},
        {"docno": ["a", "b", "c", "d", "e", "f\0", "g"]},
    ],
    ids=lambda change: f"{next(iter(change))}",
)
def test_what_is_wrong_is_said_as_of_the_whole_file(form, change, tmp_path, monkeypatch):
    path = write({**COLUMNS, **change}, tmp_path / f"a.{form}")
    expected = error_of(read_run, path)
    small(monkeypatch)
    assert str(error_in_parts(path)) == str(expected)


def test_columns_that_are_not_there_are_refused_before_anything_is_read(tmp_path):
    path = write({"a": ["x"], "b": ["y"], "score": [1.0]}, tmp_path / "a.parquet")
    assert str(error_of(open_partitions, path)) == str(error_of(read_run, path))
    assert str(error_of(open_partitions, path, query_col="z")) == str(error_of(read_run, path, query_col="z"))
    assert rows_of(open_partitions(path, query_col="a", doc_col="b")) == described(
        read_run(path, query_col="a", doc_col="b")
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_file_is_refused(form, tmp_path, monkeypatch):
    content = bytearray(write(COLUMNS, tmp_path / f"a.{form}").read_bytes())
    path = tmp_path / f"cut.{form}"
    for size in range(8, len(content), 211):
        path.write_bytes(content[:size])
        error = error_in_parts(path)
        assert (error.slug, error.where.path) == ("damaged", str(path))
        assert "none of it was used" in str(error)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_changes_between_two_looks_is_refused(form, tmp_path, monkeypatch):
    small(monkeypatch)
    path = write(COLUMNS, tmp_path / f"a.{form}")
    scattered = open_partitions(path)
    assert len(batches_of(scattered)) > (2 if form == "parquet" else 0)
    batches = scattered.partitions.parts[0].batches()
    next(batches)
    os.utime(path, ns=(1, 1))
    error = error_of(list, batches)
    assert (error.slug, error.exit_code) == ("io", 3)
    assert "changed" in str(error)
    assert "changed" in str(error_of(list, scattered.partitions.parts[-1].batches()))
    path.unlink()
    assert "No such file" in str(error_of(list, scattered.partitions.parts[-1].batches()))


def test_only_the_needed_columns_are_handed_out_and_queries_as_a_dictionary(tmp_path):
    path = write(pyarrow.concat_tables([pyarrow.table(COLUMNS)] * 500), tmp_path / "a.parquet", 3500)
    batches = [batch for part in open_partitions(path).partitions.parts for batch in part.batches()]
    assert {type(batch) for batch in batches} == {ArrowRun}
    table = pyarrow.RecordBatchReader._import_from_c_capsule(batches[0].stream()).read_all()
    assert table.column_names == ["qid", "docno", "score", "rank"]
    assert pyarrow.types.is_dictionary(table.schema.field("qid").type)
    assert batches[0].columns == (0, 1, 2, 3)


def test_a_missing_value_behind_a_dictionary_is_missing():
    table = pyarrow.table({**COLUMNS, "qid": pyarrow.array(["a", "b", None, "a", "b", "c", "c"]).dictionary_encode()})
    error = error_of(read_run, table)
    assert (error.slug, str(error.where)) == ("id-type", "run['qid'][2]")


def test_many_small_files_are_one_part_and_large_ones_several(tmp_path, monkeypatch):
    small(monkeypatch, rows=10)
    for i in range(9):
        write({name: values[i % 7 : i % 7 + 1] for name, values in COLUMNS.items()}, tmp_path / f"{i}.parquet")
    large = pyarrow.concat_tables([pyarrow.table(COLUMNS)] * 6)
    write(large, tmp_path / "9.parquet", 5)
    scattered = open_partitions(tmp_path)
    assert [part.size // 24 for part in scattered.partitions.parts] == [19, 10, 10, 10, 2]
    files = [described(read_run(tmp_path / f"{i}.parquet")) for i in range(10)]
    assert rows_of(scattered) == [row for rows in files for row in rows]


def test_a_file_without_rows_is_passed_over_where_others_have_some(tmp_path):
    nothing = pyarrow.table(COLUMNS).slice(0, 0)
    write(nothing, tmp_path / "0.parquet")
    for source in (tmp_path, tmp_path / "0.parquet"):
        assert error_of(open_partitions, source).slug == "empty-run"
    (tmp_path / "1").write_bytes(b"")
    path = write(COLUMNS, tmp_path / "2.parquet")
    assert rows_of(open_partitions(tmp_path)) == described(read_run(path))


def test_scores_here_and_ranks_alone_there_cannot_be_compared(tmp_path):
    write({name: COLUMNS[name] for name in ("qid", "docno", "rank")}, tmp_path / "a.parquet")
    write(COLUMNS, tmp_path / "b.parquet")
    error = error_of(open_partitions, tmp_path)
    assert error.slug == "columns"
    assert "only ranks" in str(error)


def test_ids_of_two_types_are_not_put_together(tmp_path):
    write(COLUMNS, tmp_path / "a.parquet")
    write({**COLUMNS, "docno": [1, 2, 3, 4, 5, 6, 7]}, tmp_path / "b.parquet")
    error = error_of(open_partitions(tmp_path).read)
    assert error.slug == "id-type"
