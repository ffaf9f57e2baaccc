"""`judged curve`: pictures, points, and what is told when something is wrong."""

import json

import pytest
from commands import called

import judged as jd


def sample() -> list[str]:
    root = jd.sample_path("qrels.txt").parent
    return [str(root / "qrels.txt"), *(str(p) for p in sorted((root / "runs").iterdir()))]


def run(*words: str):
    return called("curve", *words)


@pytest.mark.parametrize("kind", ["pr", "ipr", "roc", "at-k"])
def test_each_kind_is_drawn_in_the_terminal(kind):
    done = run(kind, *sample())
    assert done.returncode == 0, done.stderr
    assert "└" in done.stdout
    assert "●" in done.stdout
    assert "policy:" in done.stdout


@pytest.mark.parametrize(("ending", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_is_written(tmp_path, ending, magic):
    target = tmp_path / f"pr.{ending}"
    done = run("pr", *sample(), "-o", str(target))
    assert done.returncode == 0
    assert target.read_bytes().startswith(magic)


def test_points_come_as_json_and_csv():
    data = json.loads(run("ipr", *sample()[:2], "--format", "json").stdout)
    assert data["curves"][0]["x"] == [i / 10 for i in range(11)]
    lines = run("at-k", *sample()[:2], "-m", "P", "R", "--format", "csv").stdout.splitlines()
    assert lines[0] == "curve,at,x,y,low,high"
    assert len({line.partition(",")[0] for line in lines[1:]}) == 2


def test_wrong_words_are_told():
    assert "[unknown-name]" in run("prr", *sample()).stderr
    assert "[not-asked]" in run("pr", *sample(), "--query", "nope").stderr
    assert ".svg" in run("pr", *sample(), "-o", "x.gif").stderr


def test_eleven_points_are_another_name_of_interpolated_precision():
    assert run("11pt", *sample()).stdout == run("ipr", *sample()).stdout
