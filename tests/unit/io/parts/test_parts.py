"""Which sources are runs in parts, and of which files they consist."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_partitions import described, error_in_parts, error_of, open_partitions, rows_of

from judged.io.read import read_run
from judged.io.recognise import recognise

LINE = "q{} Q0 d{} 1 {} tag\n"


def fill(folder, *names):
    """Files of three lines each, with their rows."""
    rows = []
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        number = len(rows)
        path.write_text("".join(LINE.format(number + i, i, i) for i in range(3)))
        rows += described(read_run(path))
    return rows


def test_what_lies_in_one_place_in_memory_is_none(tmp_path):
    fill(tmp_path, "a.run")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for source in (
        {"q": {"d": 1}}, [("q", "d", 1.0)], [{"qid": "q", "doc": "d", "score": 1}], [], (), "-", b"-", ["-"], None, 5, object(), fifo,
        io.BytesIO(b"q Q0 d 1 1 t\n"), "a\0b", "", "none.run", "none/*.run", str(tmp_path / "*.parquet"), "https://example.org/a.run",
        ["d1", "d2"], ("q1", "d1", "0.5"), [1.0, 2.0], {"qid": ["q"], "docno": ["d"], "score": [1.0]}, read_run({"q": ["d"]}),
    ):  # fmt: skip
        assert recognise(source).kind != "partitions", source
        assert open_partitions(source) is None, source


def test_a_file_can_be_parted_but_need_not_be(tmp_path):
    rows = fill(tmp_path, "a.run", "*.run")[:3]
    for source in (tmp_path / "a.run", str(tmp_path / "a.run"), os.fsencode(tmp_path / "a.run")):
        assert recognise(source).kind != "partitions"
        scattered = open_partitions(source)
        assert rows_of(scattered) == rows
        assert scattered.name == scattered.path == str(tmp_path / "a.run")
    assert recognise(tmp_path / "*.run").kind != "partitions"  # it is a file, whatever it is called
    assert len(rows_of(open_partitions(tmp_path / "*.run"))) == 3


def test_directories_patterns_and_lists_are_scattered(tmp_path):
    rows = fill(tmp_path, "a.run", "b.run", "sub/c.run")
    for source in (
        tmp_path,
        str(tmp_path),
        os.fsencode(tmp_path),
        f"{tmp_path}/",
        f"{tmp_path}/**/*.run",
        f"{tmp_path}/**",
        f"{tmp_path}/*",
    ):
        assert recognise(source).kind == "partitions", source
        assert rows_of(open_partitions(source)) == rows, source
    assert rows_of(open_partitions(tmp_path / "*.run")) == rows[:6]
    paths = [tmp_path / "sub", str(tmp_path / "b.run"), os.fsencode(tmp_path / "a.run")]
    for source in (paths, tuple(paths)):
        assert recognise(source).kind == "partitions"
        assert rows_of(open_partitions(source)) == rows[6:] + rows[3:6] + rows[:3]
    assert recognise([str(tmp_path / "*.run")]).kind == "partitions"


def test_names_are_those_of_the_source(tmp_path):
    fill(tmp_path, "a.run", "b.run")
    assert open_partitions(tmp_path).name == str(tmp_path)
    assert open_partitions(f"{tmp_path}/*.run").name == f"{tmp_path}/*.run"
    assert open_partitions([tmp_path / "b.run", tmp_path / "a.run"]).name == f"{tmp_path / 'b.run'} and 1 more"
    assert open_partitions([tmp_path / "b.run"]).name == str(tmp_path / "b.run")
    named = open_partitions(tmp_path, name="mine")
    assert (named.name, named.path, named.read().name) == ("mine", None, "mine")


def test_files_come_in_order_of_name_and_marks_of_writers_are_passed_over(tmp_path):
    rows = fill(tmp_path, "B", "a/1", "a/2", "a-b", "b/c/d")
    expected = rows[:3] + rows[3:9] + rows[9:12] + rows[12:]
    fill(tmp_path, "_SUCCESS", ".a.crc", "_temporary/0/x", "b/_metadata", ".hidden/y")
    (tmp_path / "zero").write_bytes(b"")
    assert rows_of(open_partitions(tmp_path)) == expected
    assert rows_of(open_partitions(f"{tmp_path}/*")) == expected
    assert error_of(open_partitions, f"{tmp_path}/_S*").slug == "io"
    assert rows_of(open_partitions(f"{tmp_path}/_temporary/*/x"))[0][4] == f"{tmp_path}/_temporary/0/x:1"
    assert len(rows_of(open_partitions([tmp_path / "_SUCCESS"]))) == 3


def test_links_are_followed_but_not_in_circles(tmp_path):
    rows = fill(tmp_path, "data/a", "data/b")
    run = tmp_path / "run"
    run.mkdir()
    (run / "0").symlink_to(tmp_path / "data")
    (tmp_path / "data" / "up").symlink_to(tmp_path / "data")
    assert [row[:3] for row in rows_of(open_partitions(run))] == [row[:3] for row in rows]


def test_a_directory_without_data_is_refused(tmp_path):
    assert error_of(open_partitions, tmp_path).slug == "io"
    for name, content in (
        ("a", b""),
        ("b", b"# nothing\n\n"),
        ("c", gzip.compress(b"\n")),
        ("d", b"qid,doc,score\n"),
        ("_e", b"q Q0 d 1 1 t\n"),
    ):
        (tmp_path / name).write_bytes(content)
        error = error_of(open_partitions, tmp_path)
        assert (error.slug, error.where.path) == ("empty-run", str(tmp_path))
    rows = fill(tmp_path, "f")
    assert rows_of(open_partitions(tmp_path)) == rows


def test_an_empty_file_alone_is_for_the_reader_of_files(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert open_partitions(tmp_path / "a") is None
    (tmp_path / "a").write_text("1\n2\n")  # scores, which stand beside labels
    assert open_partitions(tmp_path / "a") is None


def test_files_of_two_forms_are_refused_and_one_of_each_is_named(tmp_path):
    fill(tmp_path, "a.run", "b.run")
    (tmp_path / "b.run.gz").write_bytes(gzip.compress((tmp_path / "b.run").read_bytes()))
    assert len(rows_of(open_partitions(tmp_path))) == 9
    (tmp_path / "c.csv").write_text("qid,doc,score\nq,d,1\n")
    error = error_of(open_partitions, tmp_path)
    assert error.slug == "form"
    assert f"TREC ({tmp_path / 'a.run'}) and CSV ({tmp_path / 'c.csv'})" in str(error)
    assert "pattern" in str(error)


def test_what_is_wrong_with_one_of_the_files_is_said_with_its_name(tmp_path):
    fill(tmp_path, "a.run", "b.run")
    with (tmp_path / "b.run").open("a") as file:
        file.write("q Q0 d 1 x tag\n")
    assert str(error_in_parts(tmp_path)) == str(error_of(read_run, tmp_path / "b.run"))
    (tmp_path / "b.run").write_text("q1 0 d1 1\n")
    assert error_of(open_partitions, tmp_path).slug == "form"
    (tmp_path / "a.run").unlink()
    assert error_in_parts(tmp_path).slug == "swapped"


def test_a_file_of_a_list_that_is_not_there_is_refused(tmp_path):
    fill(tmp_path, "a.run")
    assert "No such file" in str(error_of(open_partitions, [tmp_path / "a.run", tmp_path / "b.run"]))
    assert "matches nothing" in str(error_of(open_partitions, [tmp_path / "a.run", f"{tmp_path}/*.x"]))
    os.mkfifo(tmp_path / "pipe")
    assert error_of(open_partitions, tmp_path).slug == "form"


def test_columns_that_are_missing_in_one_file_are_said_at_once(tmp_path):
    (tmp_path / "a.csv").write_text("qid,doc,score\nq,d,1\n")
    (tmp_path / "b.csv").write_text("qid,text,score\nq,d,1\n")
    error = error_of(open_partitions, tmp_path)
    assert str(error) == str(error_of(read_run, tmp_path / "b.csv"))
    (tmp_path / "b.csv").write_text("qid,doc,rank\nq,d,1\n")
    assert "only ranks" in str(error_of(open_partitions, tmp_path))
    (tmp_path / "b.csv").write_text("doc,score,qid\nd2,1,q\n")
    assert [row[:3] for row in rows_of(open_partitions(tmp_path))] == [(b"q", b"d", 1.0), (b"q", b"d2", 1.0)]
    (tmp_path / "c.csv").write_text("doc,score,qid\n")
    (tmp_path / "d.csv").write_text("doc,score,qid\n\n \n".replace(" ", ""))
    assert len(rows_of(open_partitions(tmp_path))) == 2


def test_no_library_is_imported_to_tell_what_is_partitioned(tmp_path):
    fill(tmp_path, "a.run")
    code = f"""
import sys
from judged.io.columns import ColumnRequest
from judged.io.partitions import open_partitions
from judged.io.recognise import recognise
for source in ({str(tmp_path)!r}, {{}}, [], [{str(tmp_path)!r}], "s3://bucket/run", object(), "x/*"):
    recognise(source).kind == "partitions"
assert open_partitions({str(tmp_path)!r}, ColumnRequest("run")).partitions.parts
print([name for name in ("pandas", "polars", "pyarrow", "duckdb") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.needs("pyarrow")
def test_paths_that_are_not_utf8_are_paths(tmp_path):
    import pyarrow
    from pyarrow import parquet

    path = os.fsencode(tmp_path) + b"/\xff\xfe"
    Path(os.fsdecode(path)).mkdir()
    folder = Path(os.fsdecode(path))
    fill(folder, "a.run")
    (folder / "p").mkdir()
    with (folder / "p" / "a.parquet").open("wb") as file:
        parquet.write_table(pyarrow.table({"qid": ["q"], "doc": ["d"], "score": [1.0]}), file)
    assert len(rows_of(open_partitions(folder / "a.run"))) == 3
    assert len(rows_of(open_partitions(path + b"/a.*"))) == 3
    assert len(rows_of(open_partitions(folder / "p"))) == 1
