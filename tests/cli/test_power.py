"""`judged power`: its help, its outputs, its errors."""

import json
from pathlib import Path

import pytest
from commands import called
from commands import run as command

import judged as jd


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i:02}" for i in range(12)]
    Path("qrels.txt").write_text("".join(f"{q} 0 x 1\n{q} 0 y 0\n" for q in queries))
    Path("a.run").write_text("".join(f"{q} Q0 x 1 2 a\n{q} Q0 y 2 1 a\n" for q in queries))
    order = [("y", "x") if i % 3 else ("x", "y") for i in range(12)]
    Path("b.run").write_text(
        "".join(f"{q} Q0 {s} 1 2 b\n{q} Q0 {t} 2 1 b\n" for q, (s, t) in zip(queries, order, strict=True))
    )
    return tmp_path


def run(*words):
    return command("power", *words)


def test_a_table_with_a_sentence_above():
    found = jd.power("qrels.txt", "a.run", "b.run", "RR", difference=0.1)
    assert run("qrels.txt", "a.run", "b.run", "-m", "RR", "--difference", "0.1") == f"{found}\n"
    assert run("qrels.txt", "a.run", "b.run", "-m", "RR", "--difference", "0.1").splitlines()[2:8] == [
        "a ~ b",
        "",
        "measure  queries  deviation  detectable at 80%  difference  power  queries needed",
        "───────  ───────  ─────────  ─────────────────  ──────────  ─────  ──────────────",
        f"RR            12     {found['RR'].deviation:.4f}             {found['RR'].smallest:.4f}      0.1000  {found['RR'].chance:.1%}              {found['RR'].needed}",
        "",
    ]


def test_runs_may_be_named_and_queries_means_which_ones_count():
    data = json.loads(run("qrels.txt", "old=a.run", "new=b.run", "--queries", "both", "--format", "json"))
    assert (data["a"], data["b"]) == ("old", "new")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["qrels.txt", "a.run", "none.run"], 3, "none.run"),
        (["qrels.txt", "a.run"], 2, "[runs]"),
        (["qrels.txt", "a.run", "b.run", "-m", "NDGC"], 2, "[unknown-name]"),
        (["qrels.txt", "a.run", "b.run", "--power", "1"], 2, "[parameter]"),
        (["a.run", "qrels.txt", "b.run"], 2, "[swapped]"),
        (["qrels.txt", "-", "-"], 2, "only once"),
    ],
)
def test_errors_say_what_is_wrong(words, code, said):
    outcome = called("power", *words)
    assert (outcome.stdout, outcome.returncode) == ("", code)
    assert said in outcome.stderr
