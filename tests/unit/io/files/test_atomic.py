"""A file is written whole or not at all, whatever happens meanwhile."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import refusal

from judged.errors import FileError
from judged.io.atomic import write_atomically
from judged.io.files import read_text
from judged.io.read import read_run
from judged.io.write import write_run

OLD = "q Q0 old 1 1.0 t\n"


@pytest.mark.needs("linux")  # /dev/full
@pytest.mark.parametrize("size", [1, 100_000])
def test_a_full_disk_is_an_error(size):
    error = refusal("io", write_run, {"q": {f"d{i}": i for i in range(size)}}, "/dev/full", format="trec")
    assert isinstance(error, FileError)
    assert "No space left" in str(error)
    assert (error.exit_code, error.where.path) == (3, "/dev/full")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout"])
def test_a_device_is_written_to_and_not_replaced(name):
    code = f"from judged.io.write import write_run; write_run({{'q': {{'d': 1}}}}, {name!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ("q Q0 d 1 1.0 judged\n" if "out" in name else "")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_an_error_while_writing_leaves_nothing_behind(save, tmp_path):
    path = save("a.txt", OLD)

    def fail(ending):
        with write_atomically(tmp_path / f"a.txt{ending}") as file:
            file.write("half")
            raise RuntimeError("stop")

    for ending in ("", ".gz", ".zst", ".xz", ".bz2"):
        with pytest.raises(RuntimeError, match="stop"):
            fail(ending)
    assert path.read_text() == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_system_call_leaves_the_old_file(call, save, tmp_path, monkeypatch):
    path = save("a.run", OLD)

    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*{"fsync": (os, "fsync", fail), "replace": (type(tmp_path), "replace", fail)}[call])
    refusal("io", write_run, {"q": {"d": 1}}, path)
    assert path.read_text() == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["a.run"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    assert refusal("io", write_run, {"q": {"d": 1}}, tmp_path / "none" / "a.run").exit_code == 3
    refusal("io", write_run, {"q": {"d": 1}}, tmp_path, format="trec")


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(save, tmp_path):
    old = save("old.run", OLD)
    old.chmod(0o640)
    write_run({"q": {"d": 1}}, old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    (tmp_path / "plain").write_text("x")
    write_run({"q": {"d": 1}}, tmp_path / "new.run")
    assert (tmp_path / "new.run").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_still_points_to_the_file(save, tmp_path):
    path = save("a.run", OLD)
    (tmp_path / "link").symlink_to(path)
    write_run({"q": {"d": 1}}, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert read_run(path).doc[0] == b"d"


def test_text_is_read_from_any_compression(tmp_path, save):
    with write_atomically(tmp_path / "a.txt.zst") as file:
        file.write("é\n")
    assert read_text(tmp_path / "a.txt.zst") == "é\n"
    refusal("encoding", read_text, save("b.txt", b"\xff"))
