"""`judged recommend`: its help, its outputs, its errors."""

import json
from pathlib import Path

import pytest
from commands import run as command

import judged as jd


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run.csv").write_text("user_id,item_id,score\nu,a,3\nu,b,2\nv,a,2\nv,c,1\n")
    Path("train.csv").write_text("userId,movieId,rating\nu,c,4\nv,b,5\nw,a,1\n")
    Path("test.csv").write_text("user,item,rating\nu,b,5\nv,c,2\n")
    Path("items.txt").write_text("a\nb\nc\nd\n")
    Path("users.csv").write_text("user_id,group\nu,new\nv,old\n")


def run(*words):
    return command("recommend", *words)


def test_a_run_makes_a_table():
    text = run("run.csv", "--items", "items.txt", "-m", "Coverage", "-m", "Distinct")
    assert text.splitlines() == [
        "run.csv beyond accuracy", "",
        "measure      of    value  low  high  users",
        "───────────  ───  ──────  ───  ────  ─────",
        "Coverage@10  run  0.7500    –     –      2",
        "Distinct@10  run       3    –     –      2", "",
        "2 users · at most 10 recommendations each",
    ]  # fmt: skip


def test_what_is_given_is_used():
    words = "run.csv --items 4 --history train.csv --qrels test.csv --level 4 --format json"
    data = json.loads(run(*words.split()))
    expected = jd.recommenders.beyond_accuracy("run.csv", items=4, history="train.csv", qrels="test.csv", level=4)
    assert {row["measure"]: row["value"] for row in data["measures"]} == expected.summary()


def test_several_runs_make_one_row_each_whatever_their_scores_are():
    Path("other.csv").write_text("user,item,score\nu,c,2.5\nv,a,1\n")
    rows = json.loads(run("run.csv", "B=other.csv", "-m", "Distinct", "--format", "json"))
    assert rows == [{"run": "run", "Distinct@10": 3}, {"run": "B", "Distinct@10": 2}]
    table = run("other.csv", "run.csv", "-m", "Distinct", "--format", "csv").splitlines()
    assert [row.split(",")[0] for row in table] == ["run", "other", "run"]


def test_warnings_about_popularity_are_for_measures_of_popularity():
    Path("train.csv").write_text("user,item\nu,z\n")
    assert "item-unknown" in run("run.csv", "--history", "train.csv", "-m", "Novelty")
    assert "item-unknown" not in run("run.csv", "--history", "train.csv", "-m", "Distinct")
