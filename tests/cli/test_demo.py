"""`judged demo`."""

import re

import pytest
from commands import called, lines, run

from judged.cli.demo import COLLECTIONS
from judged.io.sample import sample_path

pytestmark = pytest.mark.usefixtures("collection")


def test_demo_shows_three_runs_and_explains_one_query():
    text = run("demo")
    assert [re.match(r"(\S+) +(\d\.\d+) ", line).groups() for line in lines(text)[2:5]] == [
        ("bm25", "0.5196"),
        ("tfidf", "0.5303"),
        ("dense", "0.7853"),
    ]
    top, bottom, value = map(float, re.search(r"^([\d.]+) / ([\d.]+) = ([\d.]+)$", text, re.MULTILINE).groups())
    assert top / bottom == pytest.approx(value, rel=1e-5)


def test_demo_copies_the_sample_files_and_never_over_another(tmp_path):
    assert "bm25.run, dense.run" in run("demo", "--copy", str(tmp_path / "new"))
    copied = {path.name for path in (tmp_path / "new").iterdir()}
    assert copied >= {"qrels.txt", "bm25.run", "documents.jsonl", "queries.jsonl"}
    assert "nDCG@10" in run("eval", str(tmp_path / "new/qrels.txt"), str(tmp_path / "new/bm25.run"), "-m", "nDCG@10")
    run("demo", "--copy", str(tmp_path / "new"))  # the same files again
    (tmp_path / "new" / "tfidf.run").write_text("mine\n")
    (tmp_path / "new" / "bm25.run").unlink()
    refused = called("demo", "--copy", str(tmp_path / "new"))
    assert (refused.returncode, "tfidf.run exists" in refused.stderr) == (2, True)
    assert (tmp_path / "new" / "tfidf.run").read_text() == "mine\n"
    assert not (tmp_path / "new" / "bm25.run").exists()


def test_a_copy_to_the_current_folder_says_so(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert run("demo", "--copy", ".").endswith(" to the current folder.\n")


@pytest.mark.parametrize("name", COLLECTIONS)
def test_the_files_of_a_tutorial_are_copied(name, tmp_path):
    said = run("demo", name, "--copy", str(tmp_path / name))
    copied = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
    source = sample_path().parent / name
    assert copied == {path.name: path.read_bytes() for path in source.iterdir() if path.suffix != ".md"}
    assert all(name in said for name in copied)


def test_another_collection_is_refused_with_the_nearest_and_all_names():
    assert all(name in run("demo", "--help") for name in COLLECTIONS)
    refused = called("demo", "shpo", "--copy", ".")
    assert refused.returncode == 2
    assert "Did you mean shop?" in refused.stderr
    assert all(name in refused.stderr for name in COLLECTIONS)


def test_a_collection_without_a_folder_is_refused_with_the_command():
    refused = called("demo", "rag")
    assert (refused.returncode, "judged demo rag --copy rag" in refused.stderr) == (2, True)
