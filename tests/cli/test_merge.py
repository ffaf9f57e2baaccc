"""`judged merge`: what it writes, and its errors."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from judged.cli.main import cli

A = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 0\nq2 0 b 1\nq2 0 x 3\n"
B = "q1 0 a 2\nq1 0 b 1\nq1 0 c 1\nq2 0 a 0\nq2 0 b 3\nq3 0 a 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(A)
    Path("b.txt").write_text(B)


def outcome(*words):
    return CliRunner().invoke(cli, ["merge", *words])


def test_merging_by_mean_keeps_halves():
    found = outcome("a.txt", "b.txt", "--how", "mean", "--missing", "drop", "-o", "m.txt")
    assert Path("m.txt").read_text() == "q1 0 a 2\nq1 0 b 0.5\nq1 0 c 1\nq2 0 a 0\nq2 0 b 2\n"
    assert "5 judgments of 2 queries written to m.txt" in found.stderr


def test_the_ending_of_the_file_decides_the_format():
    assert outcome("a.txt", "b.txt", "--how", "max", "-o", "m.json").exit_code == 0
    assert json.loads(Path("m.json").read_text())["q2"]["b"] == 3


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["a.txt", "b.txt", "--how", "mean"], "'-o'"),
        (["a.txt", "-o", "m.txt"], "two or more judges"),
        (["a.txt", "b.txt", "--how", "adjudicate", "-o", "m.txt"], "[merge-how]"),
        (["a.txt", "b.txt", "--adjudicator", "a.txt", "-o", "m.txt"], "[merge-how]"),
        (["a.txt", "b.txt", "--missing", "error", "-o", "m.txt"], "[merge-how]"),
        (["-", "-", "-o", "m.txt"], "only once"),
    ],
)
def test_wrong_calls_write_nothing(words, part):
    found = outcome(*words)
    assert (found.exit_code, found.stdout) == (2, "")
    assert part in " ".join(found.stderr.split())
    assert not Path("m.txt").exists()
