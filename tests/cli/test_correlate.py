"""`judged correlate`: its help, its outputs, its errors."""

import csv
import io
import json
from pathlib import Path

import pytest
from commands import called
from commands import run as command

A = "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\nq2 Q0 d1 1 2 a\nq2 Q0 d2 2 1 a\n"
B = "q1 Q0 d1 1 9 b\nq1 Q0 d3 2 8 b\nq1 Q0 d2 3 7 b\nq2 Q0 d2 1 2 b\nq2 Q0 d1 2 1 b\nq3 Q0 d1 1 1 b\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(A)
    Path("b.run").write_text(B)
    Path("map.txt").write_text("bm25 0.3\ndense 0.4\ntfidf 0.2\n")
    Path("qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    Path("ndcg.json").write_text('{"dense": 0.7, "bm25": 0.5, "tfidf": 0.6}')
    return tmp_path


def run(*words):
    return command("correlate", *words)


def test_values_of_each_query_begin_with_what_changed_most():
    text = run("a.run", "b.run", "-m", "tau_a", "-q")
    assert text.splitlines()[:6] == [
        "query  documents    tau_a",
        "─────  ─────────  ───────",
        "q2             2  -1.0000",
        "q1             3   0.3333",
        "",
        "ordered by tau_a, the lowest first",
    ]


def test_orders_of_systems():
    text = run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "tau_ap")
    assert text.splitlines()[0] == "map ~ ndcg"
    data = json.loads(run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "tau_ap", "--format", "json"))
    assert data["summary"] == pytest.approx({"tau_b": 1 / 3, "tau_ap": 2 * (1 + 1 / 2) / 2 - 1})
    rows = list(csv.DictReader(io.StringIO(run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "--format", "csv"))))
    assert (rows[0]["query"], rows[0]["items"], float(rows[0]["p_value"])) == ("all", "3", 1.0)


def test_more_than_two_runs_make_a_table_of_pairs():
    Path("c.run").write_text(A)
    text = run("a.run", "b.run", "c.run", "-m", "tau_a", "overlap@1")
    assert text.splitlines() == [
        "3 runs, pair by pair",
        "",
        "a  b    tau_a  overlap@1  queries",
        "─  ─  ───────  ─────────  ───────",
        "a  b  -0.3333     0.5000        2",
        "a  c   1.0000     1.0000        2",
        "b  c  -0.3333     0.5000        2",
        "",
        "pairs of shared documents",
        "warning: a ~ b: 1 query is in b only and excluded: 'q3'.  [query-unshared]",
        "warning: b ~ c: 1 query is in b only and excluded: 'q3'.  [query-unshared]",
    ]
    data = json.loads(run("a.run", "b.run", "c.run", "-m", "tau_a", "--format", "json"))
    assert [(p["a"], p["b"]) for p in data["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert run("a.run", "b.run", "c.run", "--format", "md").count("| a | b |") == 2  # the header, and the pair


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["a.run", "none.run"], 3, "none.run"),
        (["a.run"], 2, "Missing argument"),
        (["a.run", "b.run", "-m"], 2, "-m needs the name"),
        (["--systems", "a.run", "map.txt"], 2, "2 columns (system, score)"),
        (["map.txt", "a.run"], 2, "map.txt"),
        (["qrels.txt", "a.run"], 2, "[swapped]"),
        (["a.run", "b.run", "c.run", "-q"], 2, "-q needs exactly two runs"),
    ],
)
def test_errors_say_what_is_wrong(words, code, said):
    done = called("correlate", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
